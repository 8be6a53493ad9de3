"""A result against recordings it is said to be made of: which of their frames it shows is found by its poses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.analysis.pose_features import pose_features
from reenact.core.arrays import Float, Int
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.resample import ResampleParameters, resample
from reenact.errors import ParameterError, SkeletonError
from reenact.solve.result_quality import ResultQuality, Shown, measure_result

_NEARER = 1.5  # times the nearest source's distance, and
_NEAR = 0.02  # metres more, within which a source is shown, too
_BLOCK = 1000  # frames compared at once


def measure_against(result: Clip, plants: FootPlants | None, sources: Sequence[Clip]) -> ResultQuality:
    """What a result is worth against its sources; see `measure_result`.

    Args:
        result: the motion.
        plants: its foot plants; without them only joints and shares are measured.
        sources: the recordings, with the same joints; rates may differ.

    Raises:
        SkeletonError: a source has other joints.
        ParameterError: there are no sources.
    """
    if not sources:
        raise ParameterError("nothing to compare with: give at least one source")
    for source in sources:
        if not source.skeleton.same_tree(result.skeleton):
            raise SkeletonError(
                f"{source.name!r} has other joints than {result.name!r} "
                f"({result.skeleton.difference(source.skeleton)}); results are compared joint by joint",
                where=source.name,
            )
    same_rate = [
        one if abs(one.fps - result.fps) <= 1e-6 * result.fps else resample(one, ResampleParameters(fps=result.fps))
        for one in sources
    ]
    return measure_result(result, plants, match_frames(result, same_rate), beyond=True)


def match_frames(result: Clip, sources: Sequence[Clip]) -> list[Shown]:
    """What the result shows of each source: for every frame the source's frame with the nearest pose and speed.

    A source counts as shown where no other is much nearer.
    """
    own = pose_features(result)
    found = [_nearest(own, pose_features(source)) for source in sources]
    least = np.min([away for _, away in found], axis=0)
    return [
        Shown(source, None, np.where(away <= _NEARER * least + _NEAR, at, -1))
        for source, (at, away) in zip(sources, found, strict=True)
    ]


def _nearest(rows: Float, columns: Float) -> tuple[Int, Float]:
    """For each row the nearest column (N,) and its distance (N,)."""
    at, away = np.empty(len(rows), np.int64), np.empty(len(rows))
    size = np.einsum("ij,ij->i", columns, columns)
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        squared = np.einsum("ij,ij->i", block, block)[:, None] + size - 2 * (block @ columns.T)
        best = np.argmin(squared, axis=1)
        at[start : start + _BLOCK] = best
        away[start : start + _BLOCK] = np.sqrt(np.maximum(squared[np.arange(len(block)), best], 0.0))
    return at, away
