"""What an adaptation is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reenact.body.growth import GrowthParameters
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError

STAGES = ("arms", "forearms", "legs", "collisions", "gaze", "shoulders", "feet", "balance")
"""All stages, in their order."""

USUAL = "arms,forearms,legs,collisions,feet"
"""What is done unless something else is asked for."""

Method = Literal["space-time", "fast"]


@dataclass(frozen=True, slots=True)
class AdaptParameters:
    """How a motion is fitted to a body."""

    girth: float = option(1.0, "grow the body first: its girth", low=0.4, high=3.0)
    trunk: float | None = option(None, "girth of the trunk; default: girth", low=0.4, high=3.0)
    arms: float | None = option(None, "girth of both arms; default: girth", low=0.4, high=3.0)
    legs: float | None = option(None, "girth of both legs; default: girth", low=0.4, high=3.0)
    joints: bool = option(True, "leave shoulders and hips where they are, when the trunk grows", off="still-joints")
    stages: str = option(USUAL, f"what is done, of {', '.join(STAGES)}, or none; balance and feet come last")
    without: str = option("", "stages whose corrections are worked out and then switched off")
    method: Method = option(
        "space-time", "curves optimised as a whole, or frame by frame and smoothed: much faster, for arms and legs"
    )
    margin: float = option(0.004, "air between limbs, for a body of 1.7 m", unit="m", low=0.0, high=0.05)
    spacing: float = option(
        0.12, "time from one control point of a correction to the next", unit="s", low=0.03, high=1.0
    )
    threshold: float = option(
        1.0, "of the recording's distance between balance and soles, how much is allowed; below 0.9 it looks like a cartoon",
        low=0.0, high=2.0,
    )  # fmt: skip
    rounds: int = option(
        2, "times arms, forearms, legs and collisions are gone through, while that helps", low=1, high=5
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.method not in ("space-time", "fast"):
            raise ParameterError(f"method {self.method!r} is not one of space-time, fast", where="method")
        for where in ("stages", "without"):
            for name in stage_names(getattr(self, where)):
                if name not in STAGES:
                    raise ParameterError(f"no stage {name!r}; there are {', '.join(STAGES)}", where=where)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The stages that are done, in their order."""
        asked = stage_names(self.stages)
        return tuple(name for name in STAGES if name in asked)

    def growth(self) -> GrowthParameters:
        """How the body is grown."""
        return GrowthParameters(self.girth, self.trunk, self.arms, self.legs, self.joints)


def stage_names(text: str) -> tuple[str, ...]:
    """Names in a list of stages."""
    return tuple(name for part in text.split(",") if (name := part.strip()) and name != "none")
