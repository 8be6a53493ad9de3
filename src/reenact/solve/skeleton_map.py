"""A motion brought onto another skeleton: other proportions, other names, other rest pose, joints missing or added.

Every part of the body keeps its direction in the world: the turn from the axes of a joint to those of its partner is constant
(`solve.retarget_frames`), so the mapped motion is as smooth as its source. Joints in between share the bend, joints without a partner keep
their mean pose (`solve.retarget_pose`). The way of the hips is scaled by leg length; the feet go the scaled way of the source's feet, stand
on the floor that the target stands on, and are held there where they are planted (`solve.retarget_feet`).

This is a mapping by bone directions: bodies of other proportions reach other places with their hands, and nothing here sees a mesh.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.analysis.carried_plants import known_plants
from reenact.analysis.foot_stance import FootStance, find_stances
from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.correspondence import Correspondence, match_joints
from reenact.core.cutting import leg_length
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.solve.feet import find_feet
from reenact.solve.planted_points import measure_slips
from reenact.solve.retarget_feet import stand_on_feet
from reenact.solve.retarget_frames import find_frames
from reenact.solve.retarget_knees import bend_forwards, bends_backwards
from reenact.solve.retarget_pelvis import pelvis_joints, pelvis_tilt
from reenact.solve.retarget_pitch import level_foot, pitch_share
from reenact.solve.retarget_pose import local_rotations
from reenact.solve.retarget_spine import TRUNK, spine_turns
from reenact.solve.retarget_spread import leg_spread, spread_legs
from reenact.solve.standing_pose import facing_ahead, standing_pose
from reenact.solve.target_body import TargetBody, body_of_clip

REQUIRED = ("hips", "left_upper_leg", "left_lower_leg", "right_upper_leg", "right_lower_leg")
"""Roles without which a motion cannot be brought onto a character."""

_LONG_FEET = 0.9  # of the pitch of the source's, below which feet are levelled
_UNDER_HIPS = 0.6  # of the distance of the hip joints, that the feet are apart at least
_APART = 1.05  # times the width of a sole, that feet beside each other are apart


@dataclass(frozen=True, slots=True)
class MapParameters:
    """How a motion is brought onto another skeleton."""

    feet: bool = option(True, "hold planted feet on the floor")

    def __post_init__(self) -> None:
        check_ranges(self)


def map_onto(clips: Sequence[Clip], parameters: MapParameters | None = None, plants: FootPlants | None = None) -> Made:
    """The first clip on the skeleton of the second, at its own frame rate; see `map_motion`. `plants` are those of the first."""
    if len(clips) != 2:
        raise ParameterError(
            f"a mapping takes a motion and a clip on the skeleton it is brought onto, {len(clips)} clips given"
        )
    parameters = parameters or MapParameters()
    source, target = clips
    plants = known_plants(source, plants, wanted=parameters.feet)
    clip, plants = map_with_plants(source, target, plants)
    found = match_joints(source.skeleton, target.skeleton)
    report = {
        "by_role": len(found.by_role),
        "by_name": len(found.by_name),
        "joints": len(target.skeleton),
        "without_partner": _without_partner(
            target.skeleton, [joint for _, _, joint in (*found.by_role, *found.by_name)]
        ),
        "scale": round(leg_length(target) / leg_length(source), 4),
    }
    if plants is not None:
        report["slip_mm"] = max(
            (slip["slip_mm"] for slip in measure_slips(clip, plants, feet=find_feet(clip.skeleton, target))),
            default=0.0,
        )
    return Made(clip, report, plants)


def _without_partner(skeleton: Skeleton, known: list[int]) -> list[str]:
    return [name for joint, name in enumerate(skeleton.names) if joint not in known]


def map_motion(
    clip: Clip, target: Clip, plants: FootPlants | None = None, target_plants: FootPlants | None = None
) -> Clip:
    """The motion that `map_with_plants` makes."""
    return map_with_plants(clip, target, plants, target_plants)[0]


def map_with_plants(
    clip: Clip, target: Clip, plants: FootPlants | None = None, target_plants: FootPlants | None = None
) -> tuple[Clip, FootPlants | None]:
    """The motion of `clip` on the skeleton of `target`, frame by frame at its own rate, on the floor that `target` stands on.

    A clip whose skeleton is that of the target (offsets and rest pose) comes back as it is.

    Args:
        clip: the motion.
        target: a motion of the other skeleton; it tells how that is built and stands. The longer and livelier both are, the better.
        plants: foot plants of `clip`; with them planted feet are held on the floor.
        target_plants: foot plants of `target`; they tell when its feet stand. Without them, feet that are low and still do.

    Returns:
        The motion, and its foot plants: those of `clip` that are held.

    Raises:
        SkeletonError: the joints that are needed are not known on both.
        ParameterError: plants of another number of frames than their clip has.
    """
    for held, whose in ((plants, clip), (target_plants, target)):
        if held is not None and len(held) != len(whose):
            raise ParameterError(
                f"the foot plants have {len(held)} frames, {whose.name or 'the clip'} has {len(whose)}", where="plants"
            )
    if clip.same_body(target):
        return (clip if clip.skeleton is target.skeleton else clip.with_skeleton(target.skeleton)), plants
    return map_onto_body(clip, body_of_clip(target, target_plants), plants)


def map_onto_body(
    clip: Clip,
    body: TargetBody,
    plants: FootPlants | None = None,
    found: Correspondence | None = None,
    *,
    world: World | None = None,
    stances: Mapping[str, FootStance] | None = None,
) -> tuple[Clip, FootPlants | None]:
    """The motion of `clip` on another body, and the foot plants that are held; see `map_with_plants`.

    Args:
        clip: the motion.
        body: what it is brought onto.
        plants: foot plants of `clip`.
        found: which joints belong together; default: found out by role and name.
        world: forward kinematics of `clip` in float64, when at hand.
        stances: how the feet of `clip` stand, when at hand.
    """
    target = body.clip
    found = found or match_joints(clip.skeleton, target.skeleton)
    known = {role for role, _, _ in found.by_role}
    if not (all(role in known for role in REQUIRED) if body.still else found.possible):
        raise SkeletonError(
            f"{clip.name!r} cannot be mapped onto the skeleton of {target.name!r}: no joint is known for {', '.join(found.missing)} "
            "on both",
            where=clip.name,
        )
    pairs = {role: (a, b) for role, a, b in found.by_role} | {f"={name}": (a, b) for name, a, b in found.by_name}
    joints = tuple({key: pair[n] for key, pair in pairs.items()} for n in (0, 1))
    world = clip.world(np.float64) if world is None else world
    told = find_stances(clip, plants, world) if stances is None else stances
    both = told, body.stances
    frames_a, frames_b = find_frames((clip, target), (joints[0], joints[1]), both, still=body.still)
    scale = size_ratio(clip, target)
    tilt, pelvis = pelvis_tilt((clip, target), both, scale), pelvis_joints(target.skeleton)
    turned = {}
    for key, (a, b) in pairs.items():
        turn = R.conjugate(frames_b[key])
        side = key.removesuffix("_foot")
        share = pitch_share(both[0][side], both[1][side], scale) if body.still and _both(both, side) else 1.0
        if share < _LONG_FEET:
            stance = both[0][side]
            height = world.point(a, stance.ball)[:, 1] - stance.level
            level = level_foot(R.multiply(world.rotations[:, a], frames_a[key]), height, share, leg_length(clip))
            turned[b] = R.multiply(level, turn)
            continue
        if b in pelvis:
            turn = R.multiply(tilt, turn)
        turned[b] = R.multiply(world.rotations[:, a], R.multiply(frames_a[key], turn))
    upright = standing_pose(clip) if body.still else None
    if upright is not None:
        poses = upright.world(np.float64), facing_ahead(target).world(np.float64)
        bodies = {
            role: R.multiply(world.rotations[:, pairs[role][0]], frames_a[role]) for role in TRUNK if role in pairs
        }
        turned |= spine_turns(pairs, (clip.skeleton, target.skeleton), world, bodies, poses)
    mapped = _put_together(clip, world, target, turned, scale)
    there = mapped.world(np.float64)
    backwards = bends_backwards(mapped, body.feet, there)
    for foot in body.feet:
        if foot.side in backwards:
            bend_forwards(turned, foot, backwards[foot.side])
    angle = leg_spread(clip, mapped, plants, scale, _least_width(body), (world, there))
    if angle:
        hips = R.multiply(world.rotations[:, pairs["hips"][0]], frames_a["hips"])
        spread_legs(turned, hips, {key: b for key, (_, b) in pairs.items()}, angle)
    if angle or backwards:
        mapped = _put_together(clip, world, target, turned, scale)
        there = mapped.world(np.float64)
    return stand_on_feet(mapped, clip, body.feet, both, plants, scale, on_floor=body.on_floor, worlds=(there, world))


def size_ratio(clip: Clip, target: Clip) -> float:
    """How long the legs of a target are for those of a motion; by the thighs, where feet are not known on both."""
    if all(one.skeleton.has_roles("left_upper_leg", "left_foot") for one in (clip, target)):
        return leg_length(target) / leg_length(clip)
    own, theirs = (
        float(np.linalg.norm(one.skeleton.offsets[one.skeleton.roles["left_lower_leg"]])) for one in (target, clip)
    )
    return own / max(theirs, 1e-9)


def _both(stances: tuple[Mapping[str, FootStance], Mapping[str, FootStance]], side: str) -> bool:
    """Whether it is known how a foot stands, on both."""
    return all(side in of and not of[side].single for of in stances)


def _least_width(body: TargetBody) -> float:
    """Metres between the middles of two feet that stand beside each other, by the width of their soles and of the hips."""
    if not body.widths:
        return 0.0
    roles, places = body.clip.skeleton.roles, body.clip.world(np.float64).positions[0]
    hips = float(np.linalg.norm(places[roles["left_upper_leg"]] - places[roles["right_upper_leg"]]))
    return max(_APART * max(body.widths.values()), _UNDER_HIPS * hips)


def _put_together(clip: Clip, world: World, target: Clip, turned: dict[int, Float], scale: float) -> Clip:
    """The target's skeleton with some joints turned like this in the world, its hips on the scaled way of the source's."""
    rotations = R.make_continuous(local_rotations(target, turned)).astype(np.float32)
    mapped = Clip(target.skeleton, rotations, np.zeros((len(clip), 3), np.float32), clip.fps, clip.name)
    there = _between_hips(mapped.skeleton, mapped.world(np.float64))
    here = _between_hips(clip.skeleton, world)
    return replace(mapped, root=(scale * here - there).astype(np.float32), origin=target.origin)


def _between_hips(skeleton: Skeleton, world: World) -> Float:
    """(F, 3) metres, midway between the hip joints: what legs hang on, wherever a skeleton has its root."""
    left, right = skeleton.require_roles("left_upper_leg", "right_upper_leg")
    return 0.5 * (world.positions[:, left] + world.positions[:, right])
