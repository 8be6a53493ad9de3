"""Joints bent in ways that no body allows: knees and elbows backwards or folded up, heads turned too far."""

from __future__ import annotations

import numpy as np

from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import Part, measured
from reenact.analysis.quality.limits import QualityLimits
from reenact.core.arrays import Float
from reenact.core.foot_plants import intervals_of
from reenact.core.rotations import conjugate, multiply, rotate, swing_twist

_HINGES = (
    ("knee", "upper_leg", "lower_leg", "foot", "knee_deg"),
    ("elbow", "upper_arm", "lower_arm", "hand", "elbow_deg"),
)
_LEAST_BEND = 25.0  # degrees: a limb that never bends further does not show which way its hinge turns
_SHARED = 0.85  # share of the bends that must be about one axis
_MOSTLY = 0.3  # surplus of bends to one side of it
_LEAST = 0.03  # seconds


def check_joint_angles(examined: Examined, limits: QualityLimits) -> Part:
    """Hinges bent backwards (`joint.bent-back`) or folded (`joint.folded`), and heads turned too far (`joint.head`).

    The axis of a hinge is the one its bends in this clip have in common, in the frame of the upper bone; a bend about the
    opposite axis is a bend backwards. So no rest pose and no axis convention of a skeleton has to be known.
    """
    part = Part(measures={"bent_back_deg_max": None, "folded_deg_max": None, "head_turn_deg_max": None})
    skeleton = examined.clip.skeleton
    least = examined.samples(_LEAST)
    for side in ("left", "right"):
        for hinge, *roles, name in _HINGES:
            names = [f"{side}_{role}" for role in roles]
            if not skeleton.has_roles(*names):
                continue
            joints = [skeleton.roles[role] for role in names]
            bend, back = bend_of(examined, *joints)
            bend[examined.bad], back[examined.bad] = 0.0, 0.0
            _keep_largest(part, "folded_deg_max", bend)
            _keep_largest(part, "bent_back_deg_max", back)
            label = f"{side} {hinge}"
            _tell(
                part,
                "joint.folded",
                "bent further than it can be",
                bend,
                limits.fold_deg,
                "fold_deg",
                least,
                label,
                limits,
            )
            _tell(
                part, "joint.bent-back", "bent the wrong way", back, getattr(limits, name), name, least, label, limits
            )
    part.bounds = {"bent_back_deg_max": min(limits.knee_deg, limits.elbow_deg), "folded_deg_max": limits.fold_deg}
    if skeleton.has_roles("head", "chest"):
        turn = _head_turn(examined)
        turn[examined.bad] = 0.0
        _keep_largest(part, "head_turn_deg_max", turn)
        _tell(part, "joint.head", "turned too far", turn, limits.head_deg, "head_deg", least, "head", limits)
    return part


def bend_of(examined: Examined, upper: int, middle: int, lower: int) -> tuple[Float, Float]:
    """(F,) degrees by which a hinge is bent (0 straight), and by which it is bent backwards (0 elsewhere)."""
    positions = examined.positions.astype(np.float64)
    near, far = positions[:, middle] - positions[:, upper], positions[:, lower] - positions[:, middle]
    lengths = np.linalg.norm(near, axis=1) * np.linalg.norm(far, axis=1)
    none = np.zeros(len(near))
    if not np.all(lengths > 1e-9):
        return none, none.copy()
    axis = np.cross(near, far) / lengths[:, None]
    sine = np.linalg.norm(axis, axis=1)
    bend = np.degrees(np.arctan2(sine, np.einsum("fi,fi->f", near, far) / lengths))
    local = rotate(conjugate(examined.world.rotations[:, upper].astype(np.float64)), axis)
    bent = bend > _LEAST_BEND
    if not bent.any():
        return bend, none
    _, axes = np.linalg.eigh(np.einsum("fi,fj->ij", local[bent], local[bent]))
    side = local @ axes[:, -1]
    side = side if side[bent].sum() >= 0 else -side
    along, total = np.abs(side[bent]).sum(), sine[bent].sum()
    if along < _SHARED * total or side[bent].sum() < _MOSTLY * along:
        return bend, none  # the bends share no axis, or no side of it: none of them can be called backwards
    return bend, np.where(side < -0.7 * sine, bend, 0.0)


def _head_turn(examined: Examined) -> Float:
    """(F,) degrees of the head against the chest about the neck's length, from the way it is mostly held."""
    skeleton, rotations = examined.clip.skeleton, examined.world.rotations.astype(np.float64)
    head, chest = rotations[:, skeleton.roles["head"]], rotations[:, skeleton.roles["chest"]]
    relative = multiply(conjugate(chest), head)
    good = ~examined.bad
    if not good.any():
        return np.zeros(len(head))
    _, vectors = np.linalg.eigh(np.einsum("fi,fj->ij", relative[good], relative[good]))
    away = multiply(conjugate(vectors[:, -1]), relative)
    up = rotate(conjugate(vectors[:, -1]), rotate(conjugate(chest), _trunk(examined)))
    along = np.median(up[good], axis=0)
    length = np.linalg.norm(along)
    if length < 1e-6:
        return np.zeros(len(head))
    _, twist = swing_twist(away, along / length)
    return np.degrees(2 * np.arctan2(np.linalg.norm(twist[:, 1:], axis=1), np.abs(twist[:, 0])))


def _trunk(examined: Examined) -> Float:
    skeleton, positions = examined.clip.skeleton, examined.positions.astype(np.float64)
    low = skeleton.roles.get("hips", 0)
    trunk = positions[:, skeleton.roles["head"]] - positions[:, low]
    return trunk / np.maximum(np.linalg.norm(trunk, axis=1, keepdims=True), 1e-9)


def _keep_largest(part: Part, name: str, values: Float) -> None:
    part.measures[name] = max(part.measures[name] or 0.0, float(values.max(initial=0.0)))


def _tell(
    part: Part,
    code: str,
    what: str,
    values: Float,
    limit: float,
    name: str,
    least: int,
    label: str,
    limits: QualityLimits,
) -> None:
    spans = [(a, b) for a, b in intervals_of(values > limit) if b - a >= least]
    for start, end in sorted(spans, key=lambda span: -float(values[span[0] : span[1]].max()))[:3]:
        worst = float(values[start:end].max())
        part.findings.append(
            measured(
                code, "warning", f"the {label} is {what}", worst, limit, "deg", limits.reason(name), frames=(start, end),
                joint=label,
            )
        )  # fmt: skip
