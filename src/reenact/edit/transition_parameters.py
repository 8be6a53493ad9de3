"""What a transition can be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reenact.core.parameters import check_ranges, option
from reenact.core.ramps import Shape
from reenact.edit.blending import Method
from reenact.edit.choosing import Search
from reenact.edit.plant_plan import Contradiction

USUAL_WINDOW = 0.8
"""Seconds of a blend whose length is not asked for, where that joins well."""

OTHER_WINDOWS = (1.0, 1.2, 0.6)
"""Seconds of the blends that are tried where it does not."""


@dataclass(frozen=True, slots=True)
class TransitionParameters:
    """Where two clips are joined and how."""

    at: int | None = option(
        None,
        "frame of the first clip in the middle of the blend; negative counts from the end; default: the best",
        unit="frames",
        moment="first",
    )
    into: int | None = option(
        None,
        "frame of the second clip in the middle of the blend; negative counts from the end; default: the best",
        unit="frames",
        moment="second",
    )
    earliest: int | None = option(
        None,
        "when looking for the best frames: not before this frame of the first clip",
        unit="frames",
        low=0,
        moment="first",
    )
    latest: int | None = option(
        None,
        "when looking for the best frames: not after this frame of the second clip",
        unit="frames",
        low=0,
        moment="second",
    )
    search: Search = option(
        "action",
        "action: leave the first clip late and enter the second early, so that both play mostly; anywhere: where they are most alike",
    )
    window: float | None = option(
        None, "length of the blend; default: 0.8, or as long as joins best, 0.6 to 1.2", unit="s", above=0, high=30
    )
    method: Method = option(
        "crossfade",
        "crossfade: both play; inertial: the second plays, the difference dies out; dead: the first runs on by its speed; "
        "one_sided: to a pose some frames ahead, in a straight line with a linear weight",
    )
    weight: Shape = option("smooth", "how the blend rises: smooth, cubic, or linear as in the thesis")
    root: Literal["relative", "absolute"] = option(
        "relative", "relative: steps and turns are blended; absolute: recorded places are (glides)"
    )
    feet: Literal["hold", "free"] = option(
        "hold", "hold: planted feet stay where they are; free: they go where the blend takes them"
    )
    contradiction: Contradiction = option(
        "auto",
        "plants that contradict: hold the first place where it is near, step to the second, or slip as in the thesis",
    )
    near: float = option(0.06, "places of a foot nearer than this are one", unit="m", low=0, high=0.5)
    absorb: bool = option(True, "move the path of the second clip so that plants of both fall together")
    tempo: bool = option(False, "bring both to one tempo within the blend (needs steps in both)")
    mirrored: bool = option(False, "try the second clip mirrored, too, and take the better")
    map: bool = option(False, "bring a second clip with other joints onto the skeleton of the first")

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def seconds(self) -> float:
        """Length of the blend that was asked for, or is tried first."""
        return USUAL_WINDOW if self.window is None else self.window
