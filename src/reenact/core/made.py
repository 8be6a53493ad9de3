"""What a method hands back: a new clip, its foot plants, and what the method measured about its own result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the list of operations imports this module and must come at once
    from reenact.core.clip import Clip
    from reenact.core.foot_plants import FootPlants


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A new clip and what is known about it.

    Attributes:
        clip: the motion.
        report: plain values (numbers, texts, lists, dicts) that can be printed as JSON.
        plants: foot plants carried from the sources, one state per frame of `clip`; None where the method does not know them.
    """

    clip: Clip
    report: dict[str, Any] = field(default_factory=dict)
    plants: FootPlants | None = None
