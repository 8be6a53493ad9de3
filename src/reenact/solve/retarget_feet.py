"""Feet on another skeleton: planted feet go the scaled way of the source's, on the floor of the target, and legs follow them.

A planted foot touches the ground with its heel, its ball or both, and where that is differs from skeleton to skeleton. So the way of
whatever point carries the foot is scaled, not that of the ankle: a heel that stands still in the source stands still in the result,
and so does a ball about which the foot rolls. Heights are counted from how either skeleton stands (`analysis.foot_stance`): a foot that is
flat on its floor there is flat on the other floor here, and stairs stay stairs. A foot in the air goes where the directions of the bones
take it, but for what the plants before and after it were moved by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from reenact.analysis.foot_stance import FootStance, near_floor
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import Floor, FootContact, FootPlants, intervals_of
from reenact.core.smoothing import smooth
from reenact.solve.feet import Foot, FootTrack, find_feet, track_foot
from reenact.solve.held_feet import hold_feet
from reenact.solve.joint_pushes import around, pushes_and_usual
from reenact.solve.leading import MOST, OVER_GROUND, UPRIGHT, Leading, body_size, nearness
from reenact.solve.retarget_pushes import calm_pushes
from reenact.solve.retarget_toes import flat_toes
from reenact.solve.stances import HoldParameters

_ROUNDS, _PATIENT = 4, 12  # times leading is tried; on another body, whose legs fit less
_STILL = 0.75  # of what points may slip elsewhere: level toes leave the ball under them nearly still by themselves
_HAND_OVER = 0.06  # seconds, width of the low-pass over which point carries a foot
_ONE_SIZE = 1.25  # times as long legs: for bodies that differ more, steps are scaled as well
_UNEVEN = 0.07  # metres that planted feet may be above or below their level where the floor is one


def stand_on_feet(
    mapped: Clip,
    source: Clip,
    feet: Sequence[Foot],
    stances: tuple[Mapping[str, FootStance], Mapping[str, FootStance]],
    plants: FootPlants | None,
    scale: float,
    *,
    on_floor: bool = False,
    worlds: tuple[World, World] | None = None,
) -> tuple[Clip, FootPlants | None]:
    """The mapped motion with its feet on the scaled ways of the source's, on the floor of the target; planted feet held.

    The second value are the plants that are held.

    Args:
        mapped: the source's motion on the target's skeleton, bone by bone.
        source: the motion.
        feet: those of the other skeleton.
        stances: how the feet of source and target stand.
        plants: foot plants of the source; without them the body is set on the floor, and its feet are not led.
        scale: of lengths, from source to target.
        on_floor: planted points are put to the height at which those of the target stand, where the source stood on a level floor.
        worlds: forward kinematics of the mapped motion and of the source in float64, when at hand.
    """
    old = {foot.side: foot for foot in find_feet(source.skeleton, source)}
    known = set(old).intersection(*stances)
    feet = [foot for foot in feet if foot.side in known]
    if not feet:
        return mapped, plants
    world, before = (mapped.world(np.float64), source.world(np.float64)) if worlds is None else worlds
    tracks = {foot.side: track_foot(before, old[foot.side]) for foot in feet}
    above = _level_floor(tracks, plants, stances[0]) if on_floor and plants is not None else None
    flat = above is not None
    if flat and plants is not None:
        level = float(np.mean([stances[1][foot.side].level for foot in feet]))
        plants = replace(plants, floor=Floor(level))
        mapped = flat_toes(mapped, world, feet, plants, stances[1], nearness)
        world = mapped.world(np.float64)
    shifts = []
    for foot in feet:
        contact = None if plants is None else plants.foot(foot.side)
        own, theirs = track_foot(world, foot), tracks[foot.side]
        weight = heel_weight(contact, len(mapped), mapped.fps)
        free = None if not flat or contact is None else 1.0 - nearness(contact.plant, mapped.fps)
        ankle = wanted_ankle(
            own, theirs, weight, stances[0][foot.side], stances[1][foot.side], scale, free, above or 0.0
        )
        shifts.append(ankle - own.ankle)
    if plants is not None and any(plants.foot(foot.side).plant.any() for foot in feet):
        pushes, usual_pushes = pushes_and_usual(mapped, world)
        allowed = np.maximum(usual_pushes, around(pushes))
        leading = Leading(mapped, feet, np.stack(shifts, axis=1), allowed)
        plants, led = leading.lead_gently(plants, _PATIENT if on_floor else _ROUNDS)
        size = body_size(mapped, feet)
        fine = min(max(size, 0.3), 1.0) if flat else 1.0
        usual = HoldParameters()
        how = HoldParameters(
            on_floor="snap" if flat else "keep", slack=_STILL * fine * usual.slack, still=_STILL * fine * usual.still
        )
        over = size * OVER_GROUND
        held = hold_feet(
            led, plants, feet, how, most=size * MOST, usual=usual_pushes, over_ground=over, upright=UPRIGHT
        )
        mapped, plants = calm_pushes(held.clip, mapped, held.plants, feet, allowed), held.plants
        if flat:
            return mapped, plants
    return _set_on_floor(mapped, source, feet, old, stances, scale), plants


def heel_weight(contact: FootContact | None, count: int, fps: float) -> Float:
    """(F,) how much of a foot its heel carries, 0..1, the ball the rest: smooth over time, in between while the foot swings."""
    if contact is None or not contact.plant.any():
        return np.full(count, 0.5)
    planted = np.flatnonzero(contact.plant)
    carried = np.where(contact.heel & contact.ball, 0.5, contact.heel.astype(np.float64))
    return np.clip(smooth(np.interp(np.arange(count), planted, carried[planted]), _HAND_OVER * fps), 0.0, 1.0)


def wanted_ankle(
    own: FootTrack,
    theirs: FootTrack,
    weight: Float,
    source: FootStance,
    target: FootStance,
    scale: float,
    free: Float | None = None,
    floor: float = 0.0,
) -> Float:
    """(F, 3) metres, where the ankle has to be so that what carries the foot goes the scaled way of the source's.

    Args:
        own: the foot as mapped; its rotations count.
        theirs: the foot of the source.
        weight: (F,) how much the heel carries.
        source, target: how either stands.
        scale: of lengths.
        floor: metres, how high the floor is above the level of the source's stance.
        free: (F,) 0 where the foot is planted on a level floor, where it is at no height but that of the floor, 1 where it is in the air.
    """
    w = weight[:, None]
    carried = w * theirs.heel + (1 - w) * theirs.ball
    arm = w * own.heel + (1 - w) * own.ball - own.ankle
    place = scale * carried
    above = carried[:, 1] - source.level - weight * source.heel_above
    if free is not None:
        above = free * (above - floor)
    place[:, 1] = target.level + weight * target.heel_above + _rises(scale) * above
    return place - arm


def _level_floor(
    tracks: Mapping[str, FootTrack], plants: FootPlants, stances: Mapping[str, FootStance]
) -> float | None:
    """Metres above the level of the stances, at which the feet were planted on a floor; None for stairs and slopes."""
    heights = []
    for side, track in tracks.items():
        contact = plants.foot(side)
        for start, end in intervals_of(contact.plant):
            low = np.minimum(track.ball[start:end, 1], track.heel[start:end, 1] - stances[side].heel_above)
            heights.append(float(np.median(low)) - stances[side].level)
    if not heights:
        return None
    middle = float(np.median(heights))
    return middle if float(np.percentile(np.abs(np.array(heights) - middle), 95)) < _UNEVEN else None


def _rises(scale: float) -> float:
    """What heights above the floor are scaled by: steps and slopes stay as high as they are for bodies of about one size."""
    return 1.0 if 1.0 / _ONE_SIZE < scale < _ONE_SIZE else scale


def _set_on_floor(
    clip: Clip,
    source: Clip,
    feet: Sequence[Foot],
    old: Mapping[str, Foot],
    stances: tuple[Mapping[str, FootStance], Mapping[str, FootStance]],
    scale: float,
) -> Clip:
    """The clip raised or lowered so that its low feet are as high above the target's floor as the source's are above its own."""
    world, before, higher = clip.world(np.float64), source.world(np.float64), []
    for foot in feet:
        own, theirs = track_foot(world, foot).ball[:, 1], track_foot(before, old[foot.side]).ball[:, 1]
        low = near_floor(theirs, stances[0][foot.side].level)
        above = _rises(scale) * (theirs[low] - stances[0][foot.side].level)
        higher.append(float(np.median(stances[1][foot.side].level + above - own[low])))
    return replace(clip, root=(clip.root + np.array([0.0, np.mean(higher), 0.0])).astype(np.float32))
