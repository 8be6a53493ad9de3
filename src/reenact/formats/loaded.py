"""What a reader gives back, and what can be asked of readers and writers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.core.origin import UpAxis
from reenact.core.parameters import check_ranges, option

if TYPE_CHECKING:
    from reenact.body.character import Character
else:
    Character = object

MAX_JOINTS = 10_000
"""More joints than any skeleton has; a file that goes on is refused before it fills memory and time."""

SMALLEST_UNIT, LARGEST_UNIT = 1e-9, 1e6
"""Metres per unit of length that a file may have."""

Tolerance = Literal["strict", "normal", "recover"]
"""How a reader treats a file that is not as it should be.

strict: the first departure from the format raises `FormatError`.
normal: known quirks become findings; damage (a cut-off row, a value that is no number) raises.
recover: damage becomes a finding too, and what could be saved is returned.
"""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a caller knows better than the file.

    Attributes:
        tolerance: see `Tolerance`.
        skeleton: the ASF file of an AMC file, the skeleton of an OBJ file; None looks beside it.
        position_channels: whether BVH position channels replace a joint's OFFSET or are added to it.
        unit: metres per unit of a mesh whose format has none; None: by its size.
        up: up axis of such a mesh; None: y.
    """

    tolerance: Tolerance = "normal"
    skeleton: Path | None = None
    position_channels: Literal["auto", "replace", "add"] = "auto"
    unit: float | None = None
    up: UpAxis | None = None


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How a file is written.

    Attributes:
        unit: metres per file unit; None takes the clip's origin for the same format, else the format's custom.
        up: up axis of the file; None likewise.
        decimals: digits after the point in text formats.
        character: mesh and skin to write with the motion, where the format can hold it.
        plants: write the foot plants that travel with a clip: inside the file where the format can hold them, else beside it.
        events: write when feet come down and lift beside the file, as JSON; a glTF file's animations hold it in any case.
        format: of what goes through a pipe or into a folder; of a file its ending says it.
    """

    unit: float | None = option(
        None,
        "metres per unit of the written file; default: as it was read",
        name="out-unit",
        low=SMALLEST_UNIT,
        high=LARGEST_UNIT,
    )
    up: Literal["y", "z"] | None = option(None, "up axis of the written file; default: as it was read", name="out-up")
    decimals: int = option(6, "digits after the point in text formats", low=0, high=8)
    character: Character | None = option(None, hidden=True)
    plants: bool = option(True, "do not write the foot plants that travel with the motion", off="no-plants")
    overwrite_plants: bool = option(
        False, "replace a file of foot plants beside the result that was written or changed by hand"
    )
    events: bool = option(
        False,
        "write when heels and balls come down and lift as NAME.events.json beside the file, as well as into the animation of a glTF",
    )
    format: str = option(
        "",
        "format of what goes to a pipe (-o -) or into a folder, such as bvh or glb; default: as read",
        name="out-format",
    )

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The contents of one file: clips, characters and what was noticed."""

    clips: tuple[Clip, ...] = ()
    characters: tuple[Character, ...] = ()
    findings: tuple[Finding, ...] = ()
    format: str = ""
