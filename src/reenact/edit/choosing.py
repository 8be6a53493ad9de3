"""Where to join two clips: the pair of frames whose poses, speeds and contacts are most alike.

Poses are compared where they stand, without place and heading (the neutral frame of reuse specification 3.5.1): joint positions in metres
and velocities over a short time, root mean square over the joints that have a role. A foot planted in one clip and not in the other
counts like a difference of some centimetres, and so does motion that would be lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.derivatives import differentiate
from reenact.core.foot_plants import FootPlants
from reenact.core.placement import find_headings
from reenact.errors import ParameterError

_VELOCITY = 0.12  # seconds: what a difference of 1 m/s counts in metres is this
_CONTACT = 0.04  # metres a foot in another state counts
_LOST = 0.004  # metres a second of motion left out counts
_COARSE = 30.0  # frames per second of the first search


@dataclass(frozen=True, slots=True)
class FramePair:
    """Two frames to be joined.

    Attributes:
        at: frame of the first clip.
        into: frame of the second.
        cost: metres, how unlike they are; 0 for the same pose at the same speed in the same state of contact.
    """

    at: int
    into: int
    cost: float


def choose_frames(
    a: Clip,
    b: Clip,
    at: int | None = None,
    into: int | None = None,
    half: int = 0,
    plants_a: FootPlants | None = None,
    plants_b: FootPlants | None = None,
    *,
    one_sided: bool = False,
    bounds: tuple[int | None, int | None] = (None, None),
) -> FramePair:
    """The best pair of frames; what is given stays.

    Args:
        a, b: clips of one tree of joints at one rate.
        at, into: frames that are already chosen.
        half: frames a blend needs on either side (as far as the clips are long enough).
        plants_a, plants_b: contacts, compared when both are known.
        one_sided: the blend needs frames only after `into`, none after `at`.
        bounds: earliest frame of the first clip, latest of the second.
    """
    first = _candidates(len(a), at, half, 1 if one_sided else half, 0 if one_sided else half)
    second = _candidates(len(b), into, half, 0 if one_sided else half, 2 * half if one_sided else half)
    if at is None and bounds[0] is not None:
        first = _bounded(first, first >= bounds[0], a, f"from frame {bounds[0]} on", "earliest")
    if into is None and bounds[1] is not None:
        second = _bounded(second, second <= bounds[1], b, f"up to frame {bounds[1]}", "latest")
    pose_a, pose_b = pose_features(a), pose_features(b)
    state_a, state_b = _states(plants_a, len(a)), _states(plants_b, len(b))
    if plants_a is None or plants_b is None:
        state_a, state_b = np.zeros((len(a), 1)), np.zeros((len(b), 1))

    def costs(rows: np.ndarray, columns: np.ndarray) -> Float:
        apart = _distances(pose_a[rows], pose_b[columns])
        apart += _CONTACT * np.abs(state_a[rows][:, None] - state_b[columns][None]).sum(axis=2)
        lost = (len(a) - 1 - rows)[:, None] / a.fps + columns[None] / b.fps
        return apart + _LOST * lost

    stride = max(1, round(a.fps / _COARSE))
    rows, columns = _thin(first, stride), _thin(second, stride)
    found = costs(rows, columns)
    row, column = np.unravel_index(int(np.argmin(found)), found.shape)
    rows = first[np.abs(first - rows[row]) < stride]
    columns = second[np.abs(second - columns[column]) < stride]
    found = costs(rows, columns)
    row, column = np.unravel_index(int(np.argmin(found)), found.shape)
    i, j = int(rows[row]), int(columns[column])
    alike = float(_distances(pose_a[[i]], pose_b[[j]])[0, 0])
    alike += _CONTACT * float(np.abs(state_a[i] - state_b[j]).sum())
    return FramePair(i, j, alike)


def pose_features(clip: Clip) -> Float:
    """(F, D) positions (metres) and scaled velocities of joints seen from where the body stands and faces, over the root of D / 6."""
    world = clip.world(np.float64).positions
    joints = sorted({*clip.skeleton.roles.values()}) or list(range(len(clip.skeleton)))
    heading = find_headings(clip).angles
    away = R.about_y(-heading)[:, None]
    stand = world[:, clip.skeleton.roles.get("hips", 0)] * (1.0, 0.0, 1.0)
    places = R.rotate(away, world[:, joints] - stand[:, None])
    speeds = R.rotate(away, differentiate(world[:, joints], clip.fps)) * _VELOCITY
    both = np.concatenate([places, speeds], axis=1).reshape(len(clip), -1)
    return both / np.sqrt(len(joints))


def _candidates(count: int, given: int | None, half: int, before: int, after: int) -> np.ndarray:
    if given is not None:
        return np.array([given])
    low, high = before, count - 1 - after
    if low > high:  # too short for the window asked for: the window will be made shorter, round the middle
        middle = min(max((low * (count - 1)) // max(before + after, 1), 1), count - 2)
        return np.array([middle])
    return np.arange(low, high + 1)


def _bounded(frames: np.ndarray, allowed: np.ndarray, clip: Clip, said: str, where: str) -> np.ndarray:
    if not allowed.any():
        raise ParameterError(
            f"{clip.name!r} has no room for a blend {said} (possible: {frames[0]} to {frames[-1]})", where=where
        )
    return frames[allowed]


def _thin(frames: np.ndarray, stride: int) -> np.ndarray:
    return frames[::stride]


def _states(plants: FootPlants | None, frames: int) -> Float:
    """(F, 2) planted or not, left and right."""
    if plants is None:
        return np.zeros((frames, 2))
    return np.stack([plants.left.plant, plants.right.plant], axis=1).astype(np.float64)


def _distances(a: Float, b: Float) -> Float:
    """(N, M) distances of rows, by one matrix product."""
    squared = np.einsum("ij,ij->i", a, a)[:, None] + np.einsum("ij,ij->i", b, b)[None] - 2 * (a @ b.T)
    return np.sqrt(np.maximum(squared, 0.0))
