"""What a reader gives back, and how strictly it reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from reenact.core.clip import Clip
from reenact.core.findings import Finding

if TYPE_CHECKING:
    from reenact.body.character import Character

Tolerance = Literal["strict", "normal", "recover"]
"""How a reader treats a file that is not as it should be.

strict: the first departure from the format raises `FormatError`.
normal: known quirks become findings, damage (a cut-off row, a value that is no number) raises.
recover: damage becomes a finding too, and what could be saved is returned.
"""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The contents of one file: clips, characters and what was noticed."""

    clips: tuple[Clip, ...] = ()
    characters: tuple[Character, ...] = ()
    findings: tuple[Finding, ...] = ()
    format: str = ""
    extra: dict[str, object] = field(default_factory=dict)
