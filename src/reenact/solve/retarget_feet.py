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
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import Floor, FootContact, FootPlants, intervals_of
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.feet import Foot, FootTrack, find_feet, track_foot
from reenact.solve.held_feet import hold_feet, let_go
from reenact.solve.holding import FootHold
from reenact.solve.joint_pushes import around, joint_pushes, usual_pushes
from reenact.solve.letting_go import TOO_HARD, find_cuts, frames_of
from reenact.solve.placing import place_feet
from reenact.solve.retarget_pushes import calm_pushes
from reenact.solve.stances import HoldParameters

_ROUNDS, _PATIENT = 4, 12  # times leading is tried; on another body, whose legs fit less
_LOST = 1.0  # times as hard a push as it may be, that weighs as much as a second in which a planted foot is not led
_HAND_OVER = 0.06  # seconds, width of the low-pass over which point carries a foot
_ONE_SIZE = 1.25  # times as long legs: for bodies that differ more, steps are scaled as well
_BODY = 0.2  # seconds, width of the low-pass over what the body goes along with its feet
_BESIDE = 0.1  # seconds beside a plant in which a foot comes to go its own way
_MOST = 0.15  # metres the body of an adult may move to spare the knees
_UPRIGHT, _OVER_GROUND = 5.0, 0.008  # see `move_body`: legs stay as straight as recorded, and bodies over their feet
_UNEVEN = 0.07  # metres that planted feet may be above or below their level where the floor is one
_ADULT = 0.85  # metres, legs of a body whose feet are held as closely as usual; those of small ones are held the closer
_LEAST = 0.02  # what a foot in the air counts beside a planted one


def stand_on_feet(
    mapped: Clip,
    source: Clip,
    feet: Sequence[Foot],
    stances: tuple[Mapping[str, FootStance], Mapping[str, FootStance]],
    plants: FootPlants | None,
    scale: float,
    *,
    on_floor: bool = False,
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
    """
    old = {foot.side: foot for foot in find_feet(source.skeleton, source)}
    known = set(old).intersection(*stances)
    feet = [foot for foot in feet if foot.side in known]
    if not feet:
        return mapped, plants
    before, world = source.world(np.float64), mapped.world(np.float64)
    tracks = {foot.side: track_foot(before, old[foot.side]) for foot in feet}
    above = _level_floor(tracks, plants, stances[0]) if on_floor and plants is not None else None
    flat = above is not None
    if flat and plants is not None:
        level = float(np.mean([stances[1][foot.side].level for foot in feet]))
        plants = replace(plants, floor=Floor(level))
        mapped = _with_flat_toes(mapped, world, feet, plants, stances[1])
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
        allowed = np.maximum(usual_pushes([mapped]), around(joint_pushes(mapped)))
        plants, led = _lead_gently(
            mapped, feet, plants, np.stack(shifts, axis=1), allowed, _PATIENT if on_floor else _ROUNDS
        )
        size = _size(mapped, feet)
        fine = min(max(size, 0.3), 1.0) if flat else 1.0
        usual = HoldParameters()
        how = HoldParameters(on_floor="snap" if flat else "keep", slack=fine * usual.slack, still=fine * usual.still)
        over = size * _OVER_GROUND
        held = hold_feet(
            led, plants, feet, how, most=size * _MOST, sources=[mapped], over_ground=over, upright=_UPRIGHT
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


def _with_flat_toes(
    clip: Clip, world: World, feet: Sequence[Foot], plants: FootPlants, stances: Mapping[str, FootStance]
) -> Clip:
    """The clip with toes that lie as they do when the foot stands, while it stands on heel and ball: bent toes would shorten its sole."""
    rotations = clip.rotations.astype(np.float64)
    for foot in feet:
        contact, toes = plants.foot(foot.side), foot.toes
        both = contact.heel & contact.ball
        if toes < 0 or not both.any():
            continue
        flat = R.multiply(world.rotations[:, foot.leg.end], stances[foot.side].toes_turn)
        turned = R.slerp(world.rotations[:, toes], flat, nearness(both, clip.fps))
        above = world.rotations[:, int(clip.skeleton.parents[toes])]
        rotations[:, toes] = R.make_continuous(R.multiply(R.conjugate(above), turned)[:, None])[:, 0]
    return replace(clip, rotations=rotations.astype(np.float32))


def _size(clip: Clip, feet: Sequence[Foot]) -> float:
    """How long the legs are, from the hip joint along the bones to the ankle, beside those of an adult."""
    found = []
    for foot in feet:
        chain = clip.skeleton.ancestors(foot.leg.end)
        bones = chain[: chain.index(foot.leg.root)]
        found.append(float(np.linalg.norm(clip.skeleton.offsets[list(bones)], axis=1).sum()))
    return float(np.mean(found)) / _ADULT


def _rises(scale: float) -> float:
    """What heights above the floor are scaled by: steps and slopes stay as high as they are for bodies of about one size."""
    return 1.0 if 1.0 / _ONE_SIZE < scale < _ONE_SIZE else scale


def _mean_offsets(offset: Float, planted: Bool) -> Float:
    """(F, 3) the mean of an offset over every plant, and from one to the next in between.

    A foot stands where the directions of the bones take it on the average.
    """
    means = np.zeros_like(offset)
    for start, end in intervals_of(planted):
        means[start:end] = offset[start:end].mean(axis=0)
    return bridge_plants(means, planted, np.zeros(len(offset)))


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


def _lead_gently(
    clip: Clip, feet: Sequence[Foot], plants: FootPlants, shifts: Float, allowed: Float, rounds: int
) -> tuple[FootPlants, Clip]:
    """The plants that feet are led for, and the clip: where a leg of other proportions would pop, its foot need not be led.

    Of all that was tried the one in which joints are pushed least, as multiples of what they may be (F, J), and feet are led longest.
    """
    led, holds = _lead(clip, feet, plants, shifts)
    given, best, least = plants, (plants, led), np.inf
    for turn in range(rounds + 1):
        ratios = joint_pushes(led) / allowed
        peaks = ratios.max(axis=1)
        worse = sum(float(peaks[a:b].max()) - TOO_HARD for a, b in intervals_of(peaks > TOO_HARD))
        lost = sum(int((given.foot(foot.side).plant & ~plants.foot(foot.side).plant).sum()) for foot in feet)
        worse += _LOST * lost / clip.fps
        if worse < least:
            best, least = (plants, led), worse
        free = frames_of(find_cuts(ratios, led, holds), holds, len(led))
        if turn == rounds or not any(mask.any() for mask in free.values()):
            break
        plants = let_go(plants, free)
        led, holds = _lead(clip, feet, plants, shifts)
    return best


def _lead(clip: Clip, feet: Sequence[Foot], plants: FootPlants, shifts: Float) -> tuple[Clip, list[FootHold]]:
    """The clip with its ankles moved by `shifts` (F, L, 3) while they are planted, and what was done to each foot.

    The body goes along, feet in the air go their own way.
    """
    planted = [plants.foot(foot.side).plant for foot in feet]
    near = np.stack([nearness(one, clip.fps) for one in planted], axis=1)
    aside = np.stack([_mean_offsets(shifts[:, n], one) for n, one in enumerate(planted)], axis=1)
    shifts = shifts - aside * (1.0, 0.0, 1.0)
    weight = (near + _LEAST * near.max(axis=1, keepdims=True) + 1e-6)[..., None]
    body = smooth((weight * shifts).sum(axis=1) / weight.sum(axis=1), _BODY * clip.fps)
    clip = replace(clip, root=(clip.root + body).astype(np.float32))
    world, every = clip.world(np.float64), np.ones(len(clip), np.bool_)
    still = R.identity(len(clip))
    holds = []
    for n, foot in enumerate(feet):
        shift = bridge_plants(shifts[:, n] - body, planted[n], near[:, n])
        shift += (1.0 - near[:, n, None]) * (_within_reach(world, foot, shift) - shift)
        holds.append(FootHold(foot, shift, still, planted[n], every, (), track_foot(world, foot)))
    size = _size(clip, feet)
    most, over = size * _MOST, size * _OVER_GROUND
    return place_feet(clip, world, holds, most=most, over_ground=over, upright=_UPRIGHT).clip, holds


def _within_reach(world: World, foot: Foot, shift: Float) -> Float:
    """(F, 3) metres, a shift of the ankle that straightens its leg at most half as far as it can be: a leg in the air need not reach."""
    hip, knee, ankle = (world.positions[:, joint] for joint in (foot.leg.root, foot.leg.mid, foot.leg.end))
    full = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
    own, way = np.linalg.norm(ankle - hip, axis=1), ankle + shift - hip
    far, left = np.maximum(np.linalg.norm(way, axis=1), 1e-9), np.maximum(full - own, 1e-6)
    longer = (far - own) / left
    reach = np.where(longer > 0, own + 0.5 * left * np.tanh(2.0 * longer), far)
    return shift + way * (reach / far - 1.0)[:, None]


def nearness(planted: Bool, fps: float) -> Float:
    """(F,) 1 while a foot is planted, falling to 0 beside its plants."""
    near = np.ones(len(planted))
    for start, end in intervals_of(~planted):
        frames = np.arange(start, end)
        since = frames - start + 1 if start > 0 else np.full(end - start, np.inf)
        until = end - frames if end < len(planted) else np.full(end - start, np.inf)
        wide = _BESIDE * fps
        if start > 0 and end < len(planted):
            wide = min(wide, 0.5 * (end - start + 1))
        near[start:end] = 1.0 - rise(np.minimum(np.minimum(since, until) / wide, 1.0))
    return near


def bridge_plants(values: Float, planted: Bool, near: Float) -> Float:
    """(F, ...) the values while a foot is planted and near it (F,); in the air from what they were to what they will be."""
    out = values.copy()
    shape = (-1, *(1,) * (values.ndim - 1))
    for start, end in intervals_of(~planted):
        first, last = start - 1, end
        before = values[first] if first >= 0 else values[last] if last < len(values) else values.mean(axis=0)
        after = values[last] if last < len(values) else before
        share = rise((np.arange(start, end) - first) / (last - first)).reshape(shape)
        own = before + share * (after - before)
        out[start:end] = own + near[start:end].reshape(shape) * (values[start:end] - own)
    return out
