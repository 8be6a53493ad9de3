"""A body brought to where its feet are held: a small smooth move of the root, then each leg in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact import kernels
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, JointTranslations, World
from reenact.core.smoothing import smooth
from reenact.solve.holding import FootHold

STIFFNESS = 5.0
"""Radians of a knee that a metre of the body is worth: how willingly the body moves to spare a knee."""

CALM, CALM_STIFFNESS = 0.025, 1.0
"""Seconds, width of the low-pass over what the knees are bent by; and the stiffness with which the body makes room for that."""

STEADY, STEADY_STIFFNESSES, STEADY_ROUNDS = 0.05, (8.0, 3.0), 2
"""Seconds, width of the low-pass over what the body is moved by; the stiffnesses with which it keeps to that, the first that the knees
bear; and how often."""

KNEE_LIMIT = 1.3
"""How many times its largest angular acceleration a knee bears."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A body with its feet held.

    Attributes:
        clip: the motion.
        root_shift: (F, 3) metres the body was moved.
        missed: for each hold (F,) metres by which the ankle does not come to its place.
        stretched: the most a leg was lengthened, as a share of its length.
        active: (F,) frames that were changed.
    """

    clip: Clip
    root_shift: Float
    missed: tuple[Float, ...]
    stretched: float
    active: Bool


def place_feet(clip: Clip, world: World, holds: Sequence[FootHold], *, most: float, stretch: float = 0.0) -> Placed:
    """The clip with its feet where the holds want them.

    Args:
        clip: the motion.
        world: its forward kinematics, float64.
        holds: one for each foot.
        most: metres the body may move.
        stretch: share by which legs may be lengthened where they do not reach.
    """
    active = np.logical_or.reduce([hold.active for hold in holds])
    legs = [hold.foot.leg for hold in holds]
    hips, knees, ankles = (
        np.stack([world.positions[:, getattr(leg, part)] for leg in legs], axis=1) for part in ("root", "mid", "end")
    )
    targets = ankles + np.stack([hold.shift for hold in holds], axis=1)
    moved = kernels.legs.spare_knees(hips, knees, ankles, targets, active, STIFFNESS, most)
    moved = _calm_knees(_Legs(hips, knees, ankles, targets, active), moved, most, clip.fps)
    rotations = clip.rotations.astype(np.float64)
    missed, lengths = [], []
    for n, hold in enumerate(holds):
        hinges = R.rotate(world.rotations[:, legs[n].root], hold.foot.hinge)
        at_hip, at_knee, at_ankle = (places[:, n] + moved for places in (hips, knees, ankles))
        target = np.ascontiguousarray(targets[:, n])
        hip, knee, miss, length = kernels.legs.bend_legs(at_hip, at_knee, at_ankle, target, hinges, active, stretch)
        joints = np.array([legs[n].root, legs[n].mid, legs[n].end], np.int32)
        turns = np.stack([hip, knee, hold.turn])
        kernels.legs.turn_chain(world.rotations, clip.skeleton.parents[joints], joints, turns, active, rotations)
        missed.append(miss)
        lengths.append(length)
    new = clip.rotations.copy()
    rows = np.flatnonzero(active)
    for joint in {joint for leg in legs for joint in (leg.root, leg.mid, leg.end)}:
        new[rows, joint] = rotations[rows, joint].astype(np.float32)
    root = clip.root.copy()
    root[rows] = (clip.root[rows].astype(np.float64) + moved[rows]).astype(np.float32)
    longest = max((float(length.max(initial=1.0)) for length in lengths), default=1.0) - 1.0
    translations = clip.translations if longest <= 0 else _stretched(clip, holds, lengths)
    made = replace(clip, rotations=new, root=root, translations=translations)
    return Placed(made, moved, tuple(missed), longest, active)


@dataclass(frozen=True, slots=True, eq=False)
class _Legs:
    """Legs and where their ankles shall be: (F, L, 3) metres each, and the frames (F,) that are changed."""

    hips: Float
    knees: Float
    ankles: Float
    targets: Float
    active: Bool

    def move(self, stiffness: float, most: float, reaches: Float, start: Float) -> Float:
        """(F, 3) moves of the body that give the knees these reaches as far as they are worth it."""
        return kernels.legs.spare_knees(
            self.hips, self.knees, self.ankles, self.targets, self.active, stiffness, most, reaches, start
        )


def _calm_knees(legs: _Legs, moved: Float, most: float, fps: float) -> Float:
    """(F, 3) moves of the body, smooth themselves, with which what the knees are bent by changes smoothly over time."""
    first, second = np.linalg.norm(legs.knees - legs.hips, axis=2), np.linalg.norm(legs.ankles - legs.knees, axis=2)

    def bend(shift: Float | None) -> Float:
        ends = legs.ankles if shift is None else legs.targets - shift[:, None]
        reach = np.linalg.norm(ends - legs.hips, axis=2)
        cosine = (reach**2 - first**2 - second**2) / np.maximum(2 * first * second, 1e-12)
        return np.arccos(np.clip(cosine, -1.0, 1.0))

    def most_pushed(bends: Float) -> float:
        return float(np.abs(np.diff(bends, 2, axis=0)).max(initial=0.0))

    own = bend(None)
    change = np.where(legs.active[:, None], bend(moved) - own, 0.0)
    wanted = np.maximum(own + smooth(change, CALM * fps), 0.0)
    reaches = np.sqrt(np.maximum(first**2 + second**2 + 2 * first * second * np.cos(wanted), 0.0))
    moved = legs.move(CALM_STIFFNESS, most, reaches, moved)
    limit = KNEE_LIMIT * most_pushed(own)
    for stiffness in STEADY_STIFFNESSES:  # the body swings along; only where a knee would suffer it is hurried
        steady = moved
        for _ in range(STEADY_ROUNDS):
            steady = legs.move(stiffness, most, reaches, smooth(steady, STEADY * fps))
        if most_pushed(bend(steady)) <= limit:
            return steady
    return moved


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
