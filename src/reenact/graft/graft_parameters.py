"""What a graft can be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError

Keep = Literal["local", "chest", "hands"]
KEEPS: tuple[Keep, ...] = ("local", "chest", "hands")

Correlate = Literal["auto", "plants", "registration", "natural"]
CORRELATIONS: tuple[Correlate, ...] = ("auto", "plants", "registration", "natural")


@dataclass(frozen=True, slots=True)
class GraftParameters:
    """Which limbs are taken, how they are brought in step, and how they sit on the other body."""

    chains: str = option(
        "upper",
        "what is taken from the source: upper, torso, head, arms, left_arm, right_arm, chains by name, ways such as chest..left_hand, "
        "with commas between",
    )
    keep: Keep = option(
        "chest",
        "local: joint rotations as they are (the thesis); chest: the chest and the gaze as the source holds them against its heading, the "
        "difference of the pelvises spread along the spine; hands: the hands, too, where the source has them",
    )
    base_range: str = option(
        "", "frames START:END of the base that are replaced; with a range of both the map is straight"
    )
    source_range: str = option("", "frames START:END of the source that are used")
    correlate: Correlate = option(
        "auto",
        "plants: steps of the same foot belong together; registration: frames that look alike; natural: the source at its own "
        "speed; auto: plants for walks and runs, registration for jumps, natural for gestures made while standing",
    )
    shift: int | None = option(
        None,
        "cycles by which the pairing of steps is shifted; default: so that the upper bodies meet where they are alike",
    )
    similar: float | None = option(
        None, "pair only steps in which the legs are as alike as this; default: any", unit="m", above=0
    )
    warp: bool = option(
        True, "bend the source's time to the base's steps; without it the source keeps its speed, in step in the middle"
    )
    curve: Literal["smooth", "linear"] = option(
        "smooth", "smooth: time runs without kinks; linear: straight from plant to plant, as in the thesis"
    )
    speed: float = option(1.0, "of a source that keeps its own speed: how fast it is played", above=0, high=10)
    blend: float | None = option(
        None,
        "time over which the limbs pass from one motion to the other, within the frames replaced; default: 0.4, and up to 1.2 where a limb "
        "would turn faster than in either motion",
        unit="s",
        low=0,
    )
    include_base: bool = option(False, "take ways literally: their first joint, which belongs to another chain, too")
    cut: bool = option(False, "keep only the frames that were grafted")
    map: bool = option(False, "bring a source with other joints onto the skeleton of the base")

    def __post_init__(self) -> None:
        check_ranges(self)
        for name, choices in (("keep", KEEPS), ("correlate", CORRELATIONS), ("curve", ("smooth", "linear"))):
            if getattr(self, name) not in choices:
                raise ParameterError(
                    f"{name} must be {', '.join(choices[:-1])} or {choices[-1]}, not {getattr(self, name)!r}",
                    where=name,
                )
