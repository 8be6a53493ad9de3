"""Poses that were made and not played: T-poses among the frames, and rest beside the feet."""

from __future__ import annotations

import numpy as np

from reenact.analysis.added_pose import detect_added_pose
from reenact.analysis.limbs import Limbs
from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import Part, measured, noted
from reenact.analysis.quality.limits import QualityLimits
from reenact.analysis.support import REST, find_support
from reenact.body.segments import centre_of_mass
from reenact.core.arrays import Bool, Float
from reenact.core.foot_plants import intervals_of
from reenact.errors import SkeletonError

_ARMS, _LEGS = 0.96, 0.90  # least cosine: arms to one straight line square to the trunk, thighs and shanks to the trunk


def check_t_pose(examined: Examined, limits: QualityLimits) -> Part:
    """Frames in a T-pose: `pose.t-pose` as a warning when frame 0 does not belong to the motion, else as an info."""
    part = Part(measures={"t_pose_frames": 0.0})
    limbs = examined.limbs
    if limbs is None or not limbs.arms or limbs.head < 0:
        return part
    mask = find_t_poses(examined.positions.astype(np.float64), limbs)
    part.measures["t_pose_frames"] = float(mask.sum())
    added = detect_added_pose(examined.clip)
    if added.present:
        part.bad = np.zeros(len(examined.clip), np.bool_)
        part.bad[0] = True
        part.measures["t_pose_frames"] = max(1.0, part.measures["t_pose_frames"] or 0.0)
        message = f"frame 0 is a T-pose that does not belong to the motion: {added.reason}"
        part.findings.append(noted("pose.t-pose", "warning", message, frames=(0, 1)))
    spans = [span for span in intervals_of(mask) if not (added.present and span == (0, 1))]
    if spans:
        total = sum(end - start for start, end in spans)
        message = f"{total} frames are in a T-pose, as in a calibration"
        part.findings.append(noted("pose.t-pose", "info", message, frames=(spans[0][0], spans[-1][1])))
    return part


def find_t_poses(positions: Float, limbs: Limbs) -> Bool:
    """(F,) arms straight out to the sides, legs straight below the trunk."""
    trunk = _unit(positions[:, limbs.head] - positions[:, list(limbs.thighs)].mean(axis=1))
    arms = _unit(positions[:, list(limbs.hands)] - positions[:, list(limbs.arms)])
    line = -np.einsum("fi,fi->f", arms[:, 0], arms[:, 1])
    square = np.abs(np.einsum("fki,fi->fk", arms, trunk)).max(axis=1)
    upper = _unit(positions[:, list(limbs.knees)] - positions[:, list(limbs.thighs)])
    lower = _unit(positions[:, list(limbs.feet)] - positions[:, list(limbs.knees)])
    legs = -np.minimum(np.einsum("fki,fi->fk", upper, trunk), np.einsum("fki,fi->fk", lower, trunk)).max(axis=1)
    straight = -np.maximum(np.einsum("fki,fi->fk", upper, trunk), np.einsum("fki,fi->fk", lower, trunk)).max(axis=1)
    return (line > _ARMS) & (square < np.sqrt(1 - _ARMS**2)) & (np.minimum(legs, straight) > _LEGS)


def _unit(vectors: Float) -> Float:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def check_balance(examined: Examined, limits: QualityLimits) -> Part:
    """A body at rest whose weight is not above its feet (`balance.outside`): a hint, as it may lean on something.

    Only rest counts: the centre of mass is slow, a foot is planted, the hips are up.
    """
    part = Part(measures={"balance_mm_max": None})
    plants, feet, limbs = examined.plants, examined.feet, examined.limbs
    if plants is None or feet is None or limbs is None or len(examined.clip) < 3:
        return part
    try:
        mass = centre_of_mass(examined.world, examined.clip.skeleton).astype(np.float64)
    except SkeletonError:
        return part
    paths = examined.foot_paths.astype(np.float64)
    feet_down = [(paths[:, 2 * n], paths[:, 2 * n + 1], plants.foot(side).plant) for n, side in enumerate(feet.sides)]
    hips = examined.positions[:, limbs.hips, 1].astype(np.float64)
    support = find_support(mass, feet_down, hips, limbs.leg, examined.clip.fps, bad=examined.bad)
    outside, rest = 1000 * np.maximum(support.distance, 0.0), support.rest
    part.curves["weight beside the feet (mm)"] = np.where(rest, outside, np.nan)
    if not rest.any():
        return part
    part.measures["balance_mm_max"] = float(outside[rest].max())
    limit = limits.balance_mm * examined.scale
    part.bounds["balance_mm_max"] = limit
    for start, end in intervals_of(rest & (outside > limit)):
        if end - start >= examined.samples(REST):
            worst = float(outside[start:end].max())
            what = "at rest the weight is beside the feet"
            reason = limits.reason("balance_mm")
            part.findings.append(
                measured("balance.outside", "info", what, worst, limit, "mm", reason, frames=(start, end))
            )
    return part
