"""A result against recordings it is said to be made of: which of their frames it shows is found by its poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reenact.analysis.carried_plants import known_plants
from reenact.analysis.plants import DETECTORS
from reenact.analysis.pose_features import pose_features
from reenact.core import filters
from reenact.core.arrays import Bool, Float, Int
from reenact.core.clip import Clip
from reenact.core.correspondence import NEEDED
from reenact.core.cutting import leg_length
from reenact.core.foot_plants import SIDES, FootContact, FootPlants, intervals_of
from reenact.core.resample import ResampleParameters, resample
from reenact.errors import ParameterError, SkeletonError
from reenact.solve.result_quality import ResultQuality, measure_result
from reenact.solve.role_clips import common_roles, on_roles
from reenact.solve.shown import Shown

_NEARER = 1.5  # times the nearest source's distance, and
_NEAR = 0.02  # metres more, within which a source is shown, too
_GOES_OVER = 0.4  # seconds around where a source is nearest, in which it is still shown
_STEPS = ((1, 0.0), (0, 0.004), (2, 0.004), (3, 0.008))  # frames from one to the next, and metres that they cost
_JUMP = 0.5  # metres that going anywhere else costs
_LEAST = 0.1  # seconds of a plant
_MOST_CELLS = 30_000_000  # pairs of frames that are compared; of longer clips every n-th frame is
_BLOCK = 1000  # frames compared at once


def measure_against(result: Clip, plants: FootPlants | None, sources: Sequence[Clip]) -> ResultQuality:
    """What a result is worth against its sources; see `measure_result`.

    Args:
        result: the motion.
        plants: its foot plants; without them only joints and shares are measured.
        sources: the recordings; rates may differ. Those with other joints are compared by the joints whose roles are known on all,
            in the size of the result.

    Raises:
        SkeletonError: a source has other joints, and too few roles are known.
        ParameterError: there are no sources.
    """
    if not sources:
        raise ParameterError("nothing to compare with: give at least one source")
    result, sources = _with_common_joints(result, sources)
    same_rate = [
        one if abs(one.fps - result.fps) <= 1e-6 * result.fps else resample(one, ResampleParameters(fps=result.fps))
        for one in sources
    ]
    shown = [replace(one, plants=known_plants(one.clip, None)) for one in match_frames(result, same_rate)]
    if plants is not None and plants.source in DETECTORS:
        plants = _planted_in_sources(plants, shown)
    return measure_result(result, plants, shown, beyond=True)


def _with_common_joints(result: Clip, sources: Sequence[Clip]) -> tuple[Clip, Sequence[Clip]]:
    """Result and sources with the same joints: as they are, or by their roles."""
    other = next((source for source in sources if not source.skeleton.same_tree(result.skeleton)), None)
    if other is None:
        return result, sources
    roles = common_roles(result.skeleton, *(source.skeleton for source in sources))
    if not set(NEEDED) <= set(roles):
        raise SkeletonError(
            f"{other.name!r} has other joints than {result.name!r} ({result.skeleton.difference(other.skeleton)}), and too few of them "
            "are known by their roles on both; results are compared joint by joint",
            where=other.name,
        )
    size = leg_length(result)
    return on_roles(result, roles), [on_roles(source, roles, size / leg_length(source)) for source in sources]


def _planted_in_sources(plants: FootPlants, shown: Sequence[Shown]) -> FootPlants:
    """Plants that were detected on a result, as far as a source that is shown has them, too; parted where the frames shown are.

    A detector sees one plant where one of a clip goes over into one of the next, and begins and ends it a little sooner or later.
    """
    parted = np.zeros(len(plants), np.bool_)
    for source in shown:
        parted[1:] |= (np.abs(np.diff(source.frames)) > _STEPS[-1][0]) & (source.frames[1:] >= 0)
        parted[1:] |= np.diff(source.frames >= 0)

    def both(side: str, point: str) -> Bool:
        told = np.zeros(len(plants), np.bool_)
        for source in shown:
            if source.plants is not None:
                at = np.maximum(source.frames, 0)
                told |= (source.frames >= 0) & getattr(source.plants.foot(side), point)[at]
        mask = getattr(plants.foot(side), point) & told & ~parted
        for start, end in intervals_of(mask):
            if end - start < _LEAST * plants.fps:  # too short to tell how a foot stands
                mask[start:end] = False
        return mask

    feet = [FootContact(both(side, "heel"), both(side, "ball")) for side in SIDES]
    return replace(plants, left=feet[0], right=feet[1])


def match_frames(result: Clip, sources: Sequence[Clip]) -> list[Shown]:
    """What the result shows of each source: the source's frames in their order, wherever that goes, so that poses and speeds are nearest.

    A source counts as shown where no other is much nearer, and shortly before and after: there one goes over into the other.
    """
    own = _seen_from_hips(result)
    found = [_follow(own, _seen_from_hips(source)) for source in sources]
    least = np.min([away for _, away in found], axis=0)
    reach = round(_GOES_OVER * result.fps)
    return [
        Shown(source, None, np.where(filters.widened(away <= _NEARER * least + _NEAR, reach), at, -1))
        for source, (at, away) in zip(sources, found, strict=True)
    ]


def _seen_from_hips(clip: Clip) -> Float:
    """Poses and speeds of a clip, seen from its hips: clips are brought onto other floors."""
    places = clip.world(np.float64).positions
    hips = places[:, clip.skeleton.roles.get("hips", 0), 1]
    features = pose_features(clip, places).reshape(len(clip), -1, 3)  # places of all joints, then their speeds
    joints = features.shape[1] // 2
    features[:, :joints, 1] -= hips[:, None] / np.sqrt(joints)
    return features.reshape(len(clip), -1)


def _follow(rows: Float, columns: Float) -> tuple[Int, Float]:
    """For each row a column (N,) and its distance (N,), so that columns mostly follow one another; of long clips some frames tell."""
    thin = max(1, math.ceil(math.sqrt(len(rows) * len(columns) / _MOST_CELLS)))
    found = _cheapest_way(rows[::thin], columns[::thin])
    frames = np.arange(len(rows))
    at = np.minimum(found[frames // thin] * thin + frames % thin, len(columns) - 1)
    away = np.concatenate(
        [
            np.linalg.norm(rows[start : start + _BLOCK] - columns[at[start : start + _BLOCK]], axis=1)
            for start in range(0, len(rows), _BLOCK)
        ]
    )
    return at, away


def _cheapest_way(rows: Float, columns: Float) -> Int:
    """For each row a column (N,), by dynamic programming: distances add up, to stay or to skip up to two columns costs a little, to go
    anywhere else costs `_JUMP`.
    """
    count, others = len(rows), len(columns)
    size = np.einsum("ij,ij->i", columns, columns)
    came, jumped = np.zeros((count, others), np.uint8), np.zeros(count, np.int64)
    kept = np.empty((count, others), np.float32)
    total = np.zeros(others)
    for start in range(0, count, _BLOCK):
        block = rows[start : start + _BLOCK]
        squared = np.einsum("ij,ij->i", block, block)[:, None] + size - 2 * (block @ columns.T)
        kept[start : start + _BLOCK] = np.sqrt(np.maximum(squared, 0.0))
    for row in range(count):
        if row:
            jumped[row] = int(np.argmin(total))
            ways = np.full((len(_STEPS) + 1, others), np.inf)
            ways[-1] = total[jumped[row]] + _JUMP
            for n, (step, cost) in enumerate(_STEPS):
                ways[n, step:] = total[: others - step] + cost
            came[row] = np.argmin(ways, axis=0)
            total = np.take_along_axis(ways, came[row][None].astype(np.int64), axis=0)[0]
        total = total + kept[row]
    at = np.empty(count, np.int64)
    at[-1] = int(np.argmin(total))
    for row in range(count - 1, 0, -1):
        way = came[row, at[row]]
        at[row - 1] = jumped[row] if way == len(_STEPS) else at[row] - _STEPS[way][0]
    return at
