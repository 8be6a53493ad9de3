"""Layers over a posture: hands led to places, keyed motions, breathing and sway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.samples.posture import Posture, lean, mirror_turn
from reenact.samples.skeleton import FOREARM, UPPER_ARM
from reenact.solve.limb import bend_limb


def key_curve(times: Float, keys: Sequence[tuple[float, ArrayLike]], softness: float = 0.06) -> Float:
    """(F,) or (F, D) a smooth curve through keys (time, value); it rests before the first and after the last.

    Monotone between keys (Fritsch and Carlson 1980), then smoothed over `softness` seconds so that its acceleration is bounded.
    """
    when = np.array([k[0] for k in keys], dtype=np.float64)
    values = np.array([k[1] for k in keys], dtype=np.float64)
    when = np.concatenate([[when[0] - 10], when, [when[-1] + 10]])
    values = np.concatenate([values[:1], values, values[-1:]])
    curve = PchipInterpolator(when, values, axis=0)(np.clip(times, when[0], when[-1]))
    step = times[1] - times[0]
    return gaussian_filter1d(curve, softness / step, axis=0, mode="nearest")


def lead_hand(
    posture: Posture,
    side: str,
    target: ArrayLike,
    weight: ArrayLike,
    *,
    elbow: ArrayLike = (0.5, -0.8, -0.3),
    wrist: ArrayLike = (0, 0, 0),
) -> Posture:
    """The posture with one wrist at a place.

    Args:
        posture: what it was.
        side: "left" or "right".
        target: (3,) or (F, 3) metres from the shoulder joint in the chest's frame; x counts outwards, y up, z forward.
        weight: (F,) 0 leaves the arm as it was.
        elbow: (3,) or (F, 3) direction the elbow points to, x outwards.
        wrist: (3,) rotation vector of the hand in degrees, for the left hand.
    """
    frames = len(posture.pelvis)
    goal = np.broadcast_to(np.asarray(target, dtype=np.float64), (frames, 3))
    bent = np.array([np.cos(0.3), 0.0, np.sin(0.3)])
    zero = np.zeros((frames, 3))
    upper = zero + [UPPER_ARM, 0, 0]
    bend = bend_limb(
        zero,
        upper,
        upper + FOREARM * bent,
        goal,
        pole=np.broadcast_to(np.asarray(elbow, dtype=np.float64), (frames, 3)),
        softness=0.05,
    )
    links = R.normalize(bend.mid), R.normalize(bend.end - bend.mid)
    bent_by = np.arccos(np.clip(np.einsum("ij,ij->i", *links), -1, 1))
    arm, hand = bend.root_turn, R.exp(np.broadcast_to(np.radians(np.asarray(wrist, dtype=np.float64)), (frames, 3)))
    if side == "right":
        arm, hand = mirror_turn(arm), mirror_turn(hand)
    w = np.broadcast_to(np.asarray(weight, dtype=np.float64), (frames,))
    raised = np.radians(22) * np.clip(goal[:, 1] / (UPPER_ARM + FOREARM) + 0.1, 0, 1)
    return replace(
        posture,
        arms=posture.arms | {side: R.slerp(posture.arms[side], arm, w)},
        elbows=posture.elbows | {side: (1 - w) * posture.elbows[side] + w * bent_by},
        hands=posture.hands | {side: R.slerp(posture.hands[side], hand, w)},
        collars=posture.collars | {side: (1 - w) * posture.collars[side] + w * raised},
    )


def wander(times: Float, rng: np.random.Generator, seconds: float) -> Float:
    """(F,) a slow smooth random curve of unit size that changes over about `seconds`."""
    step = times[1] - times[0]
    noise = rng.standard_normal(len(times))
    curve = gaussian_filter1d(noise, seconds / step, mode="reflect")
    return (curve - curve.mean()) / max(float(curve.std()), 1e-9)


def breathe(posture: Posture, times: Float, rng: np.random.Generator) -> Posture:
    """Breathing (15 a minute) and the small restlessness of a body that stands."""
    breath = np.sin(2 * np.pi * (0.25 * times + rng.uniform()))
    chest = np.stack(
        [-0.7 * breath + 0.5 * wander(times, rng, 0.8), 0.8 * wander(times, rng, 1.0), 0.3 * wander(times, rng, 0.8)],
        axis=1,
    )
    head = np.stack(
        [0.8 * wander(times, rng, 0.5), 1.8 * wander(times, rng, 0.7), 0.5 * wander(times, rng, 0.7)], axis=1
    )
    raised = {side: posture.collars[side] + np.radians(0.6) * (breath + 1) for side in posture.collars}
    bent = {side: posture.elbows[side] + np.radians(0.9) * wander(times, rng, 0.8) for side in posture.elbows}
    return replace(lean(posture, chest=chest, head=head), collars=raised, elbows=bent)
