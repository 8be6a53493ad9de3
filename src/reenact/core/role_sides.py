"""Left or right, told by the body itself: feet point forward and knees bend forward."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError

_FRAMES = 64  # frames looked at, spread over those given


def some_frames(skeleton: Skeleton, positions: ArrayLike) -> Float:
    """(K, J, 3) up to 64 of the given frames, spread over all."""
    poses = np.asarray(positions)
    if poses.ndim != 3 or poses.shape[1:] != (len(skeleton), 3) or len(poses) == 0:
        raise ParameterError(f"positions must have shape (frames, {len(skeleton)}, 3), not {poses.shape}")
    return poses[np.unique(np.linspace(0, len(poses) - 1, min(_FRAMES, len(poses))).astype(int))].astype(np.float64)


def vote_for_first(
    poses: Float, legs: Sequence[Mapping[str, int]], shoulders: list[int], tips: list[Float], length: float
) -> float:
    """Positive when the first leg is the left one: forward (feet and bent knees), up and across form a right-handed frame."""
    upper = [part["upper_leg"] for part in legs]
    up = poses[:, shoulders].mean(axis=1) - poses[:, upper].mean(axis=1)
    across = poses[:, upper[0]] - poses[:, upper[1]]
    width = float(np.median(np.linalg.norm(across, axis=1)))
    down = np.mean(tips, axis=0) - poses[:, upper].mean(axis=1)
    if width < 0.02 * length or np.median(np.einsum("fi,fi->f", up, down)) >= 0:
        return 0.0
    forward = np.zeros_like(up)
    for part, tip in zip(legs, tips, strict=True):
        if "foot" not in part or "lower_leg" not in part:
            continue
        hip, knee, ankle = (poses[:, part[name]] for name in ("upper_leg", "lower_leg", "foot"))
        line = ankle - hip
        share = np.einsum("fi,fi->f", knee - hip, line) / np.maximum(np.einsum("fi,fi->f", line, line), 1e-12)
        forward += tip - ankle + knee - hip - np.clip(share, 0, 1)[:, None] * line
    volume = np.einsum("fi,fi->f", np.cross(up, forward), across)
    scale = np.linalg.norm(up, axis=1) * np.linalg.norm(across, axis=1) * length
    return float(np.mean(volume / np.maximum(scale, 1e-12)))


def sides_agree(skeleton: Skeleton, roles: Mapping[str, int], positions: ArrayLike) -> bool:
    """False when feet and knees of a motion clearly point backwards for the sides that `roles` give."""
    parts = ("upper_leg", "lower_leg", "foot", "toes", "upper_arm")
    if not all(f"{side}_{part}" in roles for side in ("left", "right") for part in parts):
        return True
    poses = some_frames(skeleton, positions)
    legs = [{part: roles[f"{side}_{part}"] for part in parts} for side in ("left", "right")]
    tips = [poses[:, leg["toes"]] for leg in legs]
    chain = [poses[:, legs[0][part]] for part in ("upper_leg", "lower_leg", "foot")]
    length = sum(float(np.median(np.linalg.norm(b - a, axis=1))) for a, b in itertools.pairwise(chain))
    return length <= 0 or vote_for_first(poses, legs, [leg["upper_arm"] for leg in legs], tips, length) > -0.02
