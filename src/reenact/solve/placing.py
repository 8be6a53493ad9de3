"""A body brought to where its feet are held: a small smooth move of the root, then each leg in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact import kernels
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, JointTranslations, World
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.body_moves import Legs, move_body
from reenact.solve.holding import FootHold
from reenact.solve.joint_pushes import joint_pushes, pushes_and_usual

_MOSTLY = 75.0  # per cent of the frames in which hips and knees are pushed less than they mostly are
_KNEE = 0.025  # seconds, width of the low-pass over what a nearly straight knee is bent by
_STRAIGHT = (0.25, 0.5)  # radians of bend: below the first a knee is nearly straight, above the second not
_GIVE, _GIVE_TIME = (
    (0.0012, 0.008),
    0.08,
)  # metres an ankle may give way for that: planted, and in the air so many seconds away


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A body with its feet held.

    Attributes:
        clip: the motion.
        root_shift: (F, 3) metres the body was moved.
        missed: for each hold (F,) metres by which the ankle does not come to its place.
        stretched: the most a leg was lengthened, as a share of its length.
        active: (F,) frames that were changed.
        pushes: m/s^2, how hard hips and knees are mostly pushed, which tells how calm the body has to be.
    """

    clip: Clip
    root_shift: Float
    missed: tuple[Float, ...]
    stretched: float
    active: Bool
    pushes: tuple[float, float]


def place_feet(
    clip: Clip,
    world: World,
    holds: Sequence[FootHold],
    *,
    most: float,
    stretch: float = 0.0,
    usual: Float | None = None,
    reach_only: bool = False,
    offset: Float | None = None,
    edge: int = 0,
    over_ground: float | None = None,
    pushes: tuple[float, float] | None = None,
    kept: tuple[Bool, Float] | None = None,
    upright: float = 1.0,
) -> Placed:
    """The clip with its feet where the holds want them.

    Args:
        clip: the motion.
        world: its forward kinematics, float64.
        holds: one for each foot.
        most: metres the body may move.
        stretch: share by which legs may be lengthened where they do not reach.
        usual: (J,) m/s^2, how hard the joints are pushed in the motion this one was made of; default: in itself.
        reach_only: see `move_body`.
        offset: (F, 3) metres, smooth over time: what the body shall be moved by in any case, before its legs are looked at.
        edge: frames at either end in which the body stays where it is, whatever the legs do: others go on from there.
        over_ground, upright, kept: see `move_body`.
        pushes: those of `Placed`, when the clip is a part of one that was placed before.
    """
    active = np.logical_or.reduce([hold.active for hold in holds])
    if offset is not None:
        active |= np.any(offset != 0.0, axis=1)
    inside = np.ones(len(clip), np.bool_)
    inside[:edge], inside[len(clip) - edge :] = False, False
    legs = [hold.foot.leg for hold in holds]
    hips, knees, ankles = (
        np.stack([world.positions[:, getattr(leg, part)] for leg in legs], axis=1) for part in ("root", "mid", "end")
    )
    targets = ankles + np.stack([hold.shift for hold in holds], axis=1)
    pushes = _mostly_pushed(clip, world, holds, active, usual) if pushes is None else pushes
    moving = Legs(
        hips,
        knees,
        ankles,
        targets,
        np.stack([hold.planted for hold in holds], axis=1),
        active & inside,
        pushes,
    )
    moved = move_body(
        moving, clip.fps, most, offset, reach_only=reach_only, over_ground=over_ground, upright=upright, kept=kept
    )
    rotations = clip.rotations.copy()
    missed, lengths = [], []
    for n, hold in enumerate(holds):
        hinges = R.rotate(world.rotations[:, legs[n].root], hold.foot.hinge)
        at_hip, at_knee, at_ankle = (places[:, n] + moved for places in (hips, knees, ankles))
        target = calm_knee(at_hip, at_knee, at_ankle, targets[:, n], hold.planted, clip.fps)
        target = np.where(active[:, None], target, targets[:, n])
        hip, knee, miss, length = kernels.legs.bend_legs(at_hip, at_knee, at_ankle, target, hinges, active, stretch)
        chain, turns = [legs[n].root, legs[n].mid, legs[n].end], [hip, knee, hold.turn]
        if hold.toes is not None and hold.foot.toes >= 0:
            chain, turns = [*chain, hold.foot.toes], [*turns, hold.toes]
        joints, turns = np.array(chain, np.int32), np.stack(turns)
        kernels.legs.turn_chain(world.rotations, clip.skeleton.parents[joints], joints, turns, active, rotations)
        missed.append(miss)
        lengths.append(length)
    root = np.where(active[:, None], clip.root.astype(np.float64) + moved, clip.root).astype(np.float32)
    longest = max((float(length.max(initial=1.0)) for length in lengths), default=1.0) - 1.0
    translations = clip.translations if longest <= 0 else _stretched(clip, holds, lengths)
    made = replace(clip, rotations=rotations, root=root, translations=translations)
    return Placed(made, moved, tuple(missed), longest, active, pushes)


def _mostly_pushed(
    clip: Clip, world: World, holds: Sequence[FootHold], active: Bool, usual: Float | None
) -> tuple[float, float]:
    """m/s^2, how hard hips and knees are mostly pushed.

    A body shoved about is seen long before it is pushed as hard as in a landing: what counts is what it mostly does.
    """
    joints = [clip.skeleton.roles.get("hips", 0), *(hold.foot.leg.mid for hold in holds)]
    here, own = pushes_and_usual(clip, world, joints) if usual is None else (None, usual[joints])
    if active.any():
        here = joint_pushes(clip, world, joints) if here is None else here
        own = np.minimum(np.percentile(here[active], _MOSTLY, axis=0), own)
    return float(own[0]), float(own[1:].min())


def calm_knee(hip: Float, knee: Float, ankle: Float, target: Float, planted: Bool, fps: float) -> Float:
    """(F, 3) metres, targets of an ankle for which a nearly straight knee is bent smoothly over time.

    The bend of a straight leg changes without bound with its reach: a tenth of a millimetre moves a knee by a centimetre. What the knee
    is bent by is low-passed there; the ankle gives way by a millimetre for that while it is planted, and by some more in the air.
    """
    first, second = np.linalg.norm(knee - hip, axis=1), np.linalg.norm(ankle - knee, axis=1)
    scale = np.maximum(2 * first * second, 1e-9)

    def bend(reach: Float) -> Float:
        return np.arccos(np.clip((reach**2 - first**2 - second**2) / scale, -1.0, 1.0))

    way = target - hip
    asked = np.linalg.norm(way, axis=1)
    own, new = bend(np.linalg.norm(ankle - hip, axis=1)), bend(asked)
    wanted = np.maximum(own + smooth(new - own, _KNEE * fps), 0.0)
    reach = np.sqrt(np.maximum(first**2 + second**2 + scale * np.cos(wanted), 0.0))
    straight = 1.0 - rise((np.minimum(own, new) - _STRAIGHT[0]) / (_STRAIGHT[1] - _STRAIGHT[0]))
    frames, down = np.arange(len(planted)), np.flatnonzero(planted)
    away = np.full(len(planted), np.inf)
    if len(down):
        at = np.searchsorted(down, frames)
        left, right = down[np.maximum(at - 1, 0)], down[np.minimum(at, len(down) - 1)]
        away = np.minimum(np.abs(frames - left), np.abs(frames - right))
    give = _GIVE[0] + (_GIVE[1] - _GIVE[0]) * rise(away / (_GIVE_TIME * fps))
    reached = np.minimum(asked, first + second)
    moved = straight * give * np.tanh((reach - reached) / give)
    return target + way * (moved / np.maximum(asked, 1e-9))[:, None]


def _stretched(clip: Clip, holds: Sequence[FootHold], lengths: Sequence[Float]) -> JointTranslations:
    """Translations of the joints down the legs, multiplied by what each leg was lengthened."""
    columns: dict[int, Float] = {}
    if clip.translations is not None:
        moved = clip.translations
        columns = {int(joint): moved.values[:, n].astype(np.float64) for n, joint in enumerate(moved.joints)}
    for hold, length in zip(holds, lengths, strict=True):
        for joint in clip.skeleton.ancestors(hold.foot.leg.end):
            if joint == hold.foot.leg.root:
                break
            own = columns.get(joint, np.tile(clip.skeleton.offsets[joint], (len(clip), 1)))
            columns[joint] = own * length[:, None]
    joints = sorted(columns)
    return JointTranslations(
        np.array(joints, np.int32), np.stack([columns[j] for j in joints], axis=1).astype(np.float32)
    )
