"""The upper body of a sample: pelvis, spine, head and arms over all frames, before the legs are solved."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.samples.gait import gait
from reenact.samples.plan import SIDES

_MIRROR = np.array([1.0, -1.0, -1.0])  # a rotation vector seen in the mirror x -> -x
_UPRIGHT = {"walk": 0.0, "run": np.radians(4.0)}  # the recorded runners are often still speeding up and lean into it
_HEAD_TILT = np.radians(
    3.0
)  # mean forward tilt of the head; the recordings' own depends on how their head joint was set up


@dataclass(frozen=True, slots=True, eq=False)
class Posture:
    """The body above the legs for F frames.

    Attributes:
        pelvis, chest, head: (F, 4) rotations in the frame of the heading.
        arms: side -> (F, 4) rotation of the upper arm from the T-pose, in the chest's frame.
        elbows: side -> (F,) bend in radians.
        hands: side -> (F, 4) rotation of the hand against the forearm.
        collars: side -> (F,) radians the collar bone is raised.
    """

    pelvis: Float
    chest: Float
    head: Float
    arms: dict[str, Float]
    elbows: dict[str, Float]
    hands: dict[str, Float]
    collars: dict[str, Float]


def turn_by(vector: ArrayLike, frames: int = 1) -> Float:
    """(F, 4) the rotation of a vector (3,) or (F, 3) in degrees."""
    return R.exp(np.broadcast_to(np.radians(np.asarray(vector, dtype=np.float64)), (frames, 3)))


def mirror_turn(q: Float) -> Float:
    """Rotations seen in the mirror x -> -x."""
    return q * np.array([1.0, *_MIRROR])


def hang_arm(forward: ArrayLike, out: ArrayLike, twist: ArrayLike = 0.0, side: str = "left") -> Float:
    """(F, 4) an upper arm raised from hanging by `forward` and `out` (sideways) and turned inwards by `twist`, degrees each."""
    forward, out, twist = np.broadcast_arrays(
        *(np.atleast_1d(np.radians(np.asarray(a, dtype=np.float64))) for a in (forward, out, twist))
    )
    x, z = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    q = R.multiply(R.from_axis_angle(x, -forward), R.from_axis_angle(z, out - np.pi / 2))
    q = R.multiply(q, R.from_axis_angle(x, twist))
    return q if side == "left" else mirror_turn(q)


def stand_posture(frames: int) -> Posture:
    """Relaxed standing: arms hanging, elbows a little bent."""
    still = np.zeros(frames)
    return Posture(
        turn_by((2, 0, 0), frames),
        turn_by((1.5, 0, 0), frames),
        R.exp(np.tile([_HEAD_TILT, 0, 0], (frames, 1))),
        {side: np.tile(hang_arm(2, 9, 8, side), (frames, 1)) for side in SIDES},
        {side: still + np.radians(17) for side in SIDES},
        {side: np.tile(_relaxed_hand(side), (frames, 1)) for side in SIDES},
        {side: still.copy() for side in SIDES},
    )


def _relaxed_hand(side: str) -> Float:
    q = turn_by((6, -8, -6))
    return q if side == "left" else mirror_turn(q)


def gait_posture(kind: str, phase: Float, speed: Float) -> Posture:
    """The measured upper body at phases (F,) of the stride and speeds (F,) in m/s."""
    table = gait(kind)
    frames = len(phase)
    base = stand_posture(frames)
    head = table.curve("head", phase, speed)
    head = head - [table.curve("head", np.arange(16) / 16, float(np.mean(speed)))[:, 0].mean() - _HEAD_TILT, 0, 0]
    arms, elbows = {}, {}
    for side in SIDES:
        shifted = phase if side == "left" else phase + 0.5
        arm = R.exp(table.curve("arm", shifted, speed))
        arms[side] = arm if side == "left" else mirror_turn(arm)
        elbows[side] = np.maximum(table.curve("elbow", shifted, speed)[:, 0], np.radians(4))
    upright = np.array([_UPRIGHT[kind], 0, 0])
    pelvis, chest = (R.exp(table.curve(name, phase, speed) - upright) for name in ("pelvis", "chest"))
    return replace(base, pelvis=pelvis, chest=chest, head=R.exp(head), arms=arms, elbows=elbows)


def blend_postures(a: Posture, b: Posture, weight: ArrayLike) -> Posture:
    """From `a` (weight 0) to `b` (weight 1), weight () or (F,)."""
    w = np.broadcast_to(np.asarray(weight, dtype=np.float64), (len(a.pelvis),))

    def mix(p: dict[str, Float], q: dict[str, Float]) -> dict[str, Float]:
        return {side: (1 - w) * p[side] + w * q[side] for side in p}

    return Posture(
        R.slerp(a.pelvis, b.pelvis, w),
        R.slerp(a.chest, b.chest, w),
        R.slerp(a.head, b.head, w),
        {side: R.slerp(a.arms[side], b.arms[side], w) for side in SIDES},
        mix(a.elbows, b.elbows),
        {side: R.slerp(a.hands[side], b.hands[side], w) for side in SIDES},
        mix(a.collars, b.collars),
    )


def lean(posture: Posture, *, pelvis: ArrayLike = 0.0, chest: ArrayLike = 0.0, head: ArrayLike = 0.0) -> Posture:
    """The posture with pelvis, chest and head turned further by rotation vectors () (forward tilt), (3,) or (F, 3) in degrees."""

    def turn(q: Float, by: ArrayLike) -> Float:
        vector = np.asarray(by, dtype=np.float64)
        if vector.ndim == 0 or (vector.shape == (len(q),) and len(q) != 3):
            vector = np.stack(np.broadcast_arrays(vector, 0.0, 0.0), axis=-1)
        return R.multiply(R.exp(np.broadcast_to(np.radians(vector), (len(q), 3))), q)

    return replace(
        posture, pelvis=turn(posture.pelvis, pelvis), chest=turn(posture.chest, chest), head=turn(posture.head, head)
    )
