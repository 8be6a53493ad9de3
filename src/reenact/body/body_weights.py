"""Which joints the skin of a generated body follows.

Every point belongs to trunk, arms and legs in shares that spread over the skin from where the limbs begin, as heat does; within a part, the
joints along it share by the place along its line. So skin bends over a wide stretch at hips and shoulders and a short one at elbows and
knees, and nothing leaps from thigh to thigh or from arm to chest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reenact.body.body_plan import BodyPlan
from reenact.body.body_shape import BodyShape
from reenact.core.arrays import Bool, Float, Float32, Float64, Int32

INFLUENCES = 4
"""Joints that a vertex follows at most."""

_SPREAD_ARM = 0.033  # metres of an adult
_CAP = 0.020  # metres beyond the shoulder joint, up to which skin stays with the trunk
_SPREAD_LEG = 0.034
_SHARE = 0.9  # of its heat, the most that a vertex gives away at once
_COLLAR = 0.75  # of the trunk's share that the collar bone takes over at the shoulder

Chain = Sequence[tuple[int, float]]
"""Joints along a part, and where each begins: metres from the start of the part's line."""


@dataclass(frozen=True, slots=True)
class BodyJoints:
    """The joints of a skeleton that move a body's skin.

    Attributes:
        trunk: joints from the pelvis up to the base of the neck, with their heights.
        neck: joints from the base of the neck up, with their heights; the head is `head`.
        head: the joint of the head.
        arms, legs: side -> joints from the shoulder to the wrist, from the hip to the ankle, with their places along the limb.
        shoulders: side -> the collar bone; none where there is no such joint.
        toes: side -> the joint of the toes.
    """

    trunk: Chain
    neck: Chain
    head: int
    arms: Mapping[str, Chain]
    legs: Mapping[str, Chain]
    shoulders: Mapping[str, int]
    toes: Mapping[str, int]


def skin_weights(
    shape: BodyShape, joints: BodyJoints, count: int, vertices: Float64, faces: Int32
) -> tuple[Int32, Float32]:
    """(V, 4) joints and (V, 4) weights of the vertices of a body in the pose of its plan."""
    table = np.zeros((len(vertices), count))
    for (part, side), share in _parts(shape, vertices, faces).items():
        chosen = share > 1e-4
        points = vertices[chosen] * ((-1.0, 1.0, 1.0) if side == "right" else (1.0, 1.0, 1.0))
        chains = {"trunk": _trunk, "arm": _arm, "leg": _leg}
        for joint, weight in chains[part](shape.plan, joints, side, points):
            table[chosen, joint] += share[chosen] * weight
    strongest = np.argsort(-table, axis=1, kind="stable")[:, :INFLUENCES]
    weights = np.take_along_axis(table, strongest, axis=1)
    weights[weights < 2e-3] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    return np.where(weights > 0, strongest, strongest[:, :1]).astype(np.int32), weights.astype(np.float32)


def _parts(shape: BodyShape, vertices: Float64, faces: Int32) -> dict[tuple[str, str], Float64]:
    """Shares of trunk, arms and legs, spread over the skin; of each vertex they add up to 1."""
    plan, unit = shape.plan, shape.plan.girths.unit
    left = np.abs(vertices) * (1.0, 0.0, 0.0) + vertices * (0.0, 1.0, 1.0)
    shoulder, hip = plan.points["upper_arm"], plan.points["upper_leg"]
    past = (left - shoulder) @ (plan.arm * 0.85 + np.array([0.5, 0.1, 0.0]))
    arm = (past > _CAP * unit) & ((left[:, 1] > shoulder[1] - 0.12 * unit) | shape.is_arm(left))
    lower = left[:, 1] - hip[1] < -0.030 * unit + 0.45 * (left[:, 0] - hip[0])
    leg = lower & ~arm & ~shape.is_arm(left)
    sides = {"left": vertices[:, 0] >= 0, "right": vertices[:, 0] < 0}
    arms = _spread(vertices, faces, np.stack([arm & on for on in sides.values()], axis=1), _SPREAD_ARM * unit)
    legs = _spread(vertices, faces, np.stack([leg & on for on in sides.values()], axis=1), _SPREAD_LEG * unit)
    found = {("arm", side): arms[:, k] for k, side in enumerate(sides)}
    found |= {("leg", side): legs[:, k] for k, side in enumerate(sides)}
    limbs = np.sum(list(found.values()), axis=0)
    over = np.maximum(limbs, 1.0)
    return {key: share / over for key, share in found.items()} | {("trunk", ""): np.maximum(1 - limbs, 0.0)}


def _spread(vertices: Float64, faces: Int32, marked: Bool, far: float) -> Float64:
    """(V, C) marks (V, C) spread over the surface by heat with a standard deviation of about `far` metres."""
    from scipy.sparse import coo_array

    count = len(vertices)
    starts, ends = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    away = np.linalg.norm(vertices[starts] - vertices[ends], axis=1)
    away = np.maximum(away, 0.3 * float(away.mean()))  # slivers beside cuts
    near = coo_array(
        (np.tile(1.0 / away, 2), (np.append(starts, ends), np.append(ends, starts))), shape=(count, count)
    ).tocsr()
    strength = np.asarray(near.sum(axis=1)).ravel()
    # a random step to a neighbour goes this far, squared, in the mean of its two directions
    step = 0.5 * (np.bincount(starts, away, count) + np.bincount(ends, away, count)) / strength
    rounds = int(np.ceil(far * far / (_SHARE * float(np.percentile(step, 5)))))
    rate = np.minimum(far * far / rounds / step, _SHARE)[:, None]
    found = marked.astype(np.float64)
    for _ in range(rounds):
        found += rate * ((near @ found) / strength[:, None] - found)
    return found


Shares = list[tuple[int, Float64]]


def _trunk(plan: BodyPlan, joints: BodyJoints, side: str, points: Float64) -> Shares:
    del side
    unit = plan.girths.unit
    neck, head, shoulder = plan.points["neck"], plan.points["head"], plan.points["upper_arm"]
    height = points[:, 1]
    starts = [*joints.trunk, *joints.neck]
    room = [min(0.060 * unit, max(0.9 * (high - low), 1e-3)) for (_, low), (_, high) in pairwise(starts)]
    # the neck begins at the collar, which is lower in front
    tilted = [height] * len(joints.trunk) + [height + 0.35 * (points[:, 2] - neck[2])] * len(joints.neck)
    over = [np.ones(len(points))]
    over += [_step((at - place) / wide) for (_, place), at, wide in zip(starts[1:], tilted[1:], room, strict=True)]
    ahead = points[:, 2] - head[2]
    above = height - head[1] + np.where(ahead > 0, 1.0, 0.35) * ahead
    over.append(_step(above / (0.034 * plan.lengths.crown / 0.16) + 0.15))
    names = [joint for joint, _ in starts] + [joints.head]
    inner = np.minimum.accumulate(np.array(over), axis=0)
    shares = np.append(inner[:-1] - inner[1:], inner[-1:], axis=0)
    found: Shares = []
    aside = np.abs(points[:, 0]) / max(shoulder[0], 1e-6)
    collar = _COLLAR * _smooth((aside - 0.30) / 0.55) * _smooth((height - shoulder[1] + 0.13 * unit) / (0.13 * unit))
    trunk = len(joints.trunk)
    for k, (joint, share) in enumerate(zip(names, shares, strict=True)):
        kept = share
        if k < trunk and joints.shoulders:
            taken = share * collar
            kept = share - taken
            for name, on in (("left", points[:, 0] >= 0), ("right", points[:, 0] < 0)):
                if name in joints.shoulders:
                    found.append((joints.shoulders[name], np.where(on, taken, 0.0)))
                else:
                    kept = kept + np.where(on, taken, 0.0)
        found.append((joint, kept))
    return found


def _arm(plan: BodyPlan, joints: BodyJoints, side: str, points: Float64) -> Shares:
    unit, own = plan.girths.unit, plan.lengths
    at = (points - plan.points["upper_arm"]) @ plan.arm
    elbow, wrist = (own.upper_arm, 0.050 * unit * plan.girths.forearm), (own.upper_arm + own.forearm, 0.024 * unit)
    return _along(joints.arms[side], at, (elbow, wrist))


def _leg(plan: BodyPlan, joints: BodyJoints, side: str, points: Float64) -> Shares:
    unit, ankle, own = plan.girths.unit, plan.points["foot"], plan.lengths
    at = (points - plan.points["upper_leg"]) @ plan.leg
    bends = (own.thigh, 0.070 * unit * plan.girths.thigh), (own.thigh + own.shank, 0.030 * unit)
    found = _along(joints.legs[side], at, bends)
    if side in joints.toes:
        foot, share = found[-1]
        front = _step((points[:, 2] - plan.points["toes"][2]) / (0.022 * unit))
        front = front * (points[:, 1] < ankle[1] + 0.02 * unit)
        found[-1:] = [(foot, share * (1 - front)), (joints.toes[side], share * front)]
    return found


def _along(chain: Chain, at: Float64, bends: Sequence[tuple[float, float]]) -> Shares:
    """Shares of the joints along a limb. Each bend has a place and half the length of skin it spreads over; twists have as much room as
    the widest.
    """
    over = [np.ones(len(at))]
    for _, place in chain[1:]:
        wide = next((room for where, room in bends if abs(where - place) < 1e-6), max(room for _, room in bends))
        over.append(_step((at - place) / wide))
    inner = np.minimum.accumulate(np.array(over), axis=0)
    shares = np.append(inner[:-1] - inner[1:], inner[-1:], axis=0)
    return [(joint, share) for (joint, _), share in zip(chain, shares, strict=True)]


def _step(at: Float) -> Float64:
    """0 below -1, 1 above 1, and a smooth way in between."""
    return _smooth(0.5 + 0.5 * np.asarray(at, np.float64))


def _smooth(share: Float) -> Float64:
    share = np.clip(share, 0.0, 1.0)
    return share * share * (3 - 2 * share)
