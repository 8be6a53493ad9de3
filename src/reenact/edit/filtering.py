"""Filtering motion curves: smoothing, and bands of detail made stronger or weaker (multi-resolution filtering).

A motion is split into bands of ever slower change; each can be given a gain (Bruderlin and Williams 1995): less than 1 in the fast bands
calms a nervous recording, more than 1 in the middle ones exaggerates it. Rotations are filtered as rotation vectors about each joint's
mean rotation, the root's height beside them; the way over the floor is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.heading import find_headings
from reenact.core.smoothing import smooth
from reenact.errors import ParameterError


def split_bands(values: Float, count: int) -> list[Float]:
    """Bands of curves (F, ...), fastest first; the last is what is slower than all others. Their sum is the curves.

    Band k holds changes of about 2^k to 2^(k+1) frames.
    """
    bands, rest = [], np.asarray(values, dtype=np.float64)
    for k in range(count - 1):
        slower = smooth(rest, 0.6 * 2**k)
        bands.append(rest - slower)
        rest = slower
    return [*bands, rest]


def filter_bands(clip: Clip, gains: Sequence[float], joints: Sequence[str | int] | None = None) -> Clip:
    """The clip with bands of its joints' rotations and of the root's height multiplied by gains.

    Args:
        clip: the motion.
        gains: one for each band, fastest first; bands beyond the last gain, and the slowest of all, stay.
        joints: roles, names or indices; None for all, with the root's height.
    """
    if not gains:
        raise ParameterError("give at least one gain", where="bands")
    if len(clip) < 3:
        return clip
    return _filtered(clip, lambda curves: _with_gains(curves, gains), joints)


def smooth_motion(clip: Clip, seconds: float, joints: Sequence[str | int] | None = None) -> Clip:
    """The clip with its joints' rotations and the root's height low-passed.

    Args:
        clip: the motion.
        seconds: width (sigma) of the Gaussian.
        joints: roles, names or indices; None for all, with the root's height.
    """
    return _filtered(clip, lambda curves: smooth(curves, seconds * clip.fps), joints)


def _with_gains(curves: Float, gains: Sequence[float]) -> Float:
    bands = split_bands(curves, len(gains) + 1)
    return sum((gain * band for gain, band in zip(gains, bands, strict=False)), bands[-1])


def _filtered(clip: Clip, change: Callable[[Float], Float], joints: Sequence[str | int] | None) -> Clip:
    which = list(range(len(clip.skeleton))) if joints is None else sorted({clip.skeleton.joint(j) for j in joints})
    rotations = clip.rotations.astype(np.float64)
    heading = find_headings(clip).angles
    if 0 in which:  # the heading is part of the way over the floor
        rotations[:, 0] = R.multiply(R.about_y(-heading), rotations[:, 0])
    mean = R.mean(rotations[:, which])
    vectors = _unwrapped(R.multiply(R.conjugate(mean), rotations[:, which]))
    rotations[:, which] = R.multiply(mean, R.exp(change(vectors)))
    if 0 in which:
        rotations[:, 0] = R.multiply(R.about_y(heading), rotations[:, 0])
    root = clip.root.astype(np.float64)
    if joints is None:
        root[:, 1] = change(root[:, 1:2])[:, 0]
    result = clip.rotations.copy()
    result[:, which] = R.normalize(rotations[:, which])
    return replace(clip, rotations=result, root=root.astype(np.float32))


def _unwrapped(turns: Float) -> Float:
    """(F, J, 3) rotation vectors that go on from frame to frame, also beyond half a turn."""
    q = R.make_continuous(turns)
    sine = np.linalg.norm(q[..., 1:], axis=-1)
    angle = 2 * np.arctan2(sine, q[..., 0])
    axis = q[..., 1:] / np.maximum(sine, 1e-12)[..., None]
    vectors = axis * angle[..., None]
    other = axis * (angle - 2 * np.pi)[..., None]
    result = np.empty_like(vectors)
    near = np.linalg.norm(vectors[0], axis=-1) <= np.linalg.norm(other[0], axis=-1)
    result[0] = np.where(near[:, None], vectors[0], other[0])
    for frame in range(1, len(vectors)):
        to_first = np.linalg.norm(vectors[frame] - result[frame - 1], axis=-1)
        to_other = np.linalg.norm(other[frame] - result[frame - 1], axis=-1)
        result[frame] = np.where((to_first <= to_other)[:, None], vectors[frame], other[frame])
    return result
