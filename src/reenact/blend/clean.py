"""Foot-skate clean-up: planted feet stay where they are, without pops, stretching or a frozen sole.

The frame of the method is that of Kovar, Schreiner and Gleicher (2002), "Footskate cleanup for motion capture editing": where the planted
points have to be comes first, then the body is moved a little and smoothly so that the legs can get there, then each leg is solved in
closed form, and what a foot was moved by fades beside its plants. Bones are not stretched unless that is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.analysis.carried_plants import known_plants
from reenact.analysis.plants import DETECTORS
from reenact.blend.clean_report import describe_cleaning, describe_let_go
from reenact.blend.markers import add_markers
from reenact.blend.stance_report import describe_stance
from reenact.blend.standing_feet import describe_standing, doubt_standing
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError, SkeletonError
from reenact.solve.adjusting import adjust
from reenact.solve.feet import find_feet
from reenact.solve.held_feet import hold_feet
from reenact.solve.result_quality import measure_result
from reenact.solve.second_opinion import doubt_glides
from reenact.solve.shown import Shown
from reenact.solve.stances import Anchor, HoldParameters, OnFloor


@dataclass(frozen=True, slots=True)
class CleanParameters:
    """How planted feet are held."""

    anchor: Anchor = option(
        "mean", "where a point is held: the mean of its places, where it came down (start), or where it lifts (end)"
    )
    floor: OnFloor = option(
        "lift",
        "heights: lift plants that lie in the floor, keep all as they are, level each plant, or snap all to the floor",
    )
    ramp: float = option(0.3, "time in which a correction fades beside a plant", unit="s", above=0, high=5)
    root: float = option(0.1, "most that the body is moved", unit="m", low=0, high=1)
    balance: float = option(
        0.0, "most that a body at rest is moved so that its weight is above its feet; 0: only measured", unit="m",
        low=0, high=0.03,
    )  # fmt: skip
    apart: bool = option(False, "push a foot in the air aside where it runs through the other leg")
    stretch: float = option(0.0, "most that a leg is lengthened where it does not reach, as a share", low=0, high=0.02)
    markers: bool = option(
        False, "add joints for every plant and ankle, with weights, that other programs can use as IK goals"
    )

    def __post_init__(self) -> None:
        check_ranges(self)


def clean(
    clip: Clip,
    parameters: CleanParameters | None = None,
    plants: FootPlants | None = None,
    *,
    sources: Sequence[Clip] = (),
    heights: Mapping[str, tuple[Float, Float]] | None = None,
) -> Made:
    """The clip with its planted feet held still.

    The heel point is held on the ground during its intervals and the ball point during its own; the foot rolls as recorded. Frames
    farther from every plant than the ramp are exactly what they were, unless a foot is pushed aside or the body is moved over its feet.

    Args:
        clip: any motion of a skeleton with at least one leg (roles upper_leg, lower_leg and foot of a side).
        parameters: see `CleanParameters`.
        plants: when which point is planted, of the clip's length; detected when not given.
        sources: of a clip that was made of others, these: they tell how hard its joints may be pushed.
        heights: of such a clip, side -> (F,) metres, how high its heels and balls should stand.

    Returns:
        The clip, what was done (see `describe_cleaning` and `describe_stance`; `jumps`: frames in which the recording of a planted
        foot jumps), and the plants, parted where it does.

    Raises:
        SkeletonError: no leg is known, or balance is asked for and the roles that the centre of mass needs are not.
        ParameterError: plants of another length, or a clip with frames that hold no numbers.
    """
    asked = parameters or CleanParameters()
    if len(clip) == 0:
        raise ParameterError("the clip has no frames", where=clip.name)
    feet = find_feet(clip.skeleton, clip)
    if not feet:
        known = ", ".join(clip.skeleton.roles) or "none"
        raise SkeletonError(
            "cleaning needs the roles upper_leg, lower_leg and foot of the left or right side; "
            f"the skeleton has no such leg (found: {known})",
            where=clip.name,
        )
    wrong = np.flatnonzero(~np.isfinite(clip.root).all(axis=1) | ~np.isfinite(clip.rotations).all(axis=(1, 2)))
    if len(wrong):
        raise ParameterError(f"{len(wrong)} frames from {wrong[0]} on hold numbers that are none", where=clip.name)
    held_plants = known_plants(clip, plants)
    if held_plants is None:
        raise SkeletonError("the skeleton has no feet", where=clip.name)
    before = clip.world(np.float64)
    how = HoldParameters(ramp=asked.ramp, anchor=asked.anchor, on_floor=asked.floor)
    firm = held_plants.source not in (*DETECTORS, "carried")  # given by hand: held as they are
    held = hold_feet(
        clip,
        held_plants,
        feet,
        how,
        most=asked.root,
        stretch=asked.stretch,
        world=before,
        sources=sources,
        heights=heights,
        firm=firm,
    )
    adjusted = None
    if asked.balance > 0 or asked.apart:
        adjusted = adjust(
            clip, before, held, most=asked.root, stretch=asked.stretch, sources=sources, balance=asked.balance,
            apart=asked.apart,
        )  # fmt: skip
        held = adjusted.held
    placed, holds = held.placed, held.holds
    after = placed.clip.world(np.float64)
    report = describe_cleaning(clip, before, after, holds, placed, asked.ramp)
    report |= describe_stance(clip.skeleton, before, after, held.plants, feet, adjusted)
    measured = measure_result(placed.clip, held.plants, [Shown(clip, held.plants, np.arange(len(clip)))])
    report["standing"] = describe_standing(placed.clip, feet, held_plants, held.plants)
    doubts = [*measured.doubts(), *doubt_standing(report["standing"])] or doubt_glides(placed.clip, clip)
    report |= {"quality": measured.describe(), "doubts": doubts}
    report |= describe_let_go(held_plants, held.plants)
    if held.jumps:
        report["jumps"] = held.jumps
    made = placed.clip if placed.active.any() else replace(clip)
    if asked.markers:
        made, report["markers"] = add_markers(made, holds)
    return Made(made, report, held.plants)
