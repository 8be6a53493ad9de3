"""Displacement maps: a pose edited at a few frames, the edit spread smoothly over the frames around (reuse specification 3.21.1).

The recorded motion is kept, detail and all; what is added is a smooth curve through the edits (Bruderlin and Williams 1995, Witkin and
Popovic 1995). Rotations are displaced in their own frame, q'(t) = q(t) exp(b(t)), the root's place by a shift in the world. A joint can
also be scaled (a motion warp): how far it is turned away from its mean pose is multiplied by a smooth curve a(t) through the factors asked
for, before the displacement is added; that changes its detail, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.edit.splines import Spline, spread_keys
from reenact.errors import ParameterError

_MOST_SCALE = 10.0


@dataclass(frozen=True, slots=True)
class PoseKey:
    """An edit of the pose in one frame.

    Attributes:
        frame: where.
        turns: joint (role, name or index) -> rotation vector (3,) in radians, in the joint's own axes, added to what it does there.
        shift: (3,) metres the root is moved by in the world; None leaves its path to other keys.
        scales: joint -> how many times as far as recorded it is turned away from its mean pose: 1 changes nothing, 0 is the mean pose.
    """

    frame: int
    turns: Mapping[str | int, Sequence[float]] = field(default_factory=dict)
    shift: Sequence[float] | None = None
    scales: Mapping[str | int, float] = field(default_factory=dict)


def key_to_pose(clip: Clip, frame: int, rotations: ArrayLike, root: ArrayLike | None = None) -> PoseKey:
    """The edit that turns a frame of a clip into a given pose.

    Args:
        clip: the motion.
        frame: where.
        rotations: (J, 4) local rotations wanted.
        root: (3,) metres, root position wanted; None keeps it.
    """
    _check_frame(clip, frame)
    wanted = np.asarray(rotations, dtype=np.float64)
    if wanted.shape != (len(clip.skeleton), 4):
        raise ParameterError(
            f"a pose has {len(clip.skeleton)} rotations of 4 numbers, not {wanted.shape}", where="rotations"
        )
    change = R.log(R.multiply(R.conjugate(clip.rotations[frame].astype(np.float64)), wanted))
    turns: dict[str | int, Sequence[float]] = {
        joint: change[joint].tolist() for joint in range(len(change)) if np.abs(change[joint]).max() > 1e-9
    }
    shift = None if root is None else (np.asarray(root, dtype=np.float64) - clip.root[frame]).tolist()
    return PoseKey(frame, turns, shift)


def displace(
    clip: Clip,
    keys: Sequence[PoseKey],
    *,
    start: int | None = None,
    end: int | None = None,
    reach: float = 0.5,
    spline: Spline = "multiresolution",
) -> Clip:
    """The clip with edits at keys, exact there, spread between, and nothing outside frames (start, end).

    Every joint has its own keys: a joint that is not named in a key is not held there.

    Args:
        clip: the motion.
        keys: edits; of one joint no two in the same frame.
        start: last frame that stays as it was; default: `reach` before the first key of each joint.
        end: first frame that stays as it was; default: `reach` after the last key of each joint.
        reach: seconds.
        spline: see `splines`.
    """
    if not keys:
        raise ParameterError("nothing to edit: give at least one key", where="keys")
    for key in keys:
        _check_frame(clip, key.frame)
    ordered = sorted(keys, key=lambda key: key.frame)
    low = ordered[0].frame - 1 if start is None else start
    high = ordered[-1].frame + 1 if end is None else end
    if not (low < ordered[0].frame and ordered[-1].frame < high):
        raise ParameterError(
            f"keys at frames {ordered[0].frame} to {ordered[-1].frame} must lie between start {low} and end {high}",
            where="start",
        )
    frames, around = np.arange(len(clip), dtype=np.float64), max(1, round(reach * clip.fps))

    def spread(places: Float, values: Float) -> Float:
        first = places[0] - around if start is None else start
        last = places[-1] + around if end is None else end
        return spread_keys(places, values, first, last, frames, spline)

    rotations = clip.rotations.astype(np.float64)
    for joint, (places, values) in _by_joint(clip, [(key.frame, key.scales) for key in ordered], _factor).items():
        gains = 1.0 + spread(places, values - 1.0)[:, 0]
        _scale_turns(rotations, joint, gains)
    for joint, (places, values) in _by_joint(clip, [(key.frame, key.turns) for key in ordered], _vector).items():
        offsets = spread(places, values)
        touched = np.any(offsets != 0, axis=1)
        rotations[touched, joint] = R.normalize(R.multiply(rotations[touched, joint], R.exp(offsets[touched])))
    root = clip.root.astype(np.float64)
    shifts = [(key.frame, np.asarray(key.shift, dtype=np.float64)) for key in ordered if key.shift is not None]
    if shifts:
        places = np.array([frame for frame, _ in shifts], dtype=np.float64)
        root = root + spread(places, np.array([_vector(v) for _, v in shifts]))
    return replace(clip, rotations=rotations.astype(np.float32), root=root.astype(np.float32))


def edited_joints(clip: Clip, keys: Sequence[PoseKey]) -> set[int]:
    """Joints any key turns or scales."""
    return {clip.skeleton.joint(joint) for key in keys for joint in (*key.turns, *key.scales)}


def _scale_turns(rotations: Float, joint: int, gains: Float) -> None:
    """Multiply how far a joint is turned away from its mean pose by the gains (F,), in place."""
    touched = gains != 1.0
    mean = R.normalize(R.mean(rotations[:, joint]))
    away = R.make_continuous(R.multiply(R.conjugate(mean), rotations[:, joint]))
    away = away * np.where(away[len(away) // 2, 0] < 0, -1.0, 1.0)
    scaled = R.multiply(mean, R.exp(gains[touched, None] * R.log(away[touched])))
    rotations[touched, joint] = R.normalize(scaled)


def _by_joint(
    clip: Clip, keys: Sequence[tuple[int, Mapping[str | int, Any]]], read: Callable[[Any], Float]
) -> dict[int, tuple[Float, Float]]:
    """Joint -> the frames of its keys (K,) and what they ask for (K, D)."""
    found: dict[int, list[tuple[int, Float]]] = {}
    for at, asked in keys:
        for name, value in asked.items():
            joint = clip.skeleton.joint(name)
            edits = found.setdefault(joint, [])
            if any(frame == at for frame, _ in edits):
                raise ParameterError(f"joint {clip.skeleton.names[joint]!r} has two keys in frame {at}", where="keys")
            edits.append((at, read(value)))
    return {
        joint: (np.array([frame for frame, _ in edits], dtype=np.float64), np.array([v for _, v in edits]))
        for joint, edits in found.items()
    }


def _vector(values: ArrayLike) -> Float:
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise ParameterError(f"an edit is 3 finite numbers, not {values!r}", where="keys")
    return vector


def _factor(value: float) -> Float:
    if not (np.isfinite(value) and abs(value) <= _MOST_SCALE):
        raise ParameterError(f"a scale must lie in -{_MOST_SCALE:g} to {_MOST_SCALE:g}, not {value!r}", where="keys")
    return np.array([float(value)])


def _check_frame(clip: Clip, frame: int) -> None:
    if not 0 <= frame < len(clip):
        raise ParameterError(
            f"key at frame {frame} is not a frame of {clip.name!r}, which has frames 0 to {len(clip) - 1}", where="keys"
        )
