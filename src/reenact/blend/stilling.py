"""Twitches of a recording that are not blended: frames in which joints jump to and fro, and ends that shake.

Where a marker jumps, the recording jumps with it, and what the joints of a chain do against each other keeps the hand or the foot about
where it was. In a blend the chain is held otherwise, and the same twitch throws it about, harder than in either clip. So the poses of
these few frames are bridged before they are mixed: a cubic from the last good frame before them to the first after them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import intervals_of
from reenact.solve.joint_pushes import find_glitches, joint_pushes

_LONGEST = 0.13  # seconds that are bridged at once; what lasts longer is motion
_BESIDE = 2  # frames on either side that a twitch disturbs
_END = 0.06  # seconds at either end of a recording that may shake, as filters leave them
_AFTER = 0.2  # seconds next to that, which tell what is usual there
_HARDER = 3.0  # times the hardest push of the same joint there
_LEAST_PUSH = 30.0  # m/s^2


def twitching_frames(clip: Clip) -> Bool:
    """(F,) frames in which a joint jumps to and fro, or with which the recording shakes at its ends."""
    knees = [clip.skeleton.roles[role] for role in ("left_lower_leg", "right_lower_leg") if role in clip.skeleton.roles]
    landing = {joint for knee in knees for joint in clip.skeleton.subtree(knee)}  # what lands does not shake
    body = [joint for joint in range(len(clip.skeleton)) if joint not in landing]
    end, after = round(_END * clip.fps), round(_AFTER * clip.fps)
    pushes, glitches = joint_pushes(clip), find_glitches(clip)
    bad: Bool = np.asarray(glitches.any(axis=1))
    ends = np.r_[: min(end, len(bad)), max(len(bad) - end, 0) : len(bad)]
    bad[ends] = glitches[ends][:, body].any(axis=1)
    for frames in (slice(None), slice(None, None, -1)):
        own, here = pushes[frames], bad[frames]
        if len(own) < end + after:
            continue
        usual = own[end : end + after].max(axis=0)
        hard = (own[:end] > _HARDER * usual) & (own[:end] > _LEAST_PUSH)
        shakes = np.flatnonzero(hard[:, body].any(axis=1))
        if len(shakes):
            here[: shakes[-1] + 1] = True
    for start, stop in intervals_of(bad.copy()):
        bad[max(start - _BESIDE, 0) : stop + _BESIDE] = True
    return bad


def still_twitches(clip: Clip) -> Clip:
    """The clip with its twitches bridged; the same clip when it has none."""
    bad = twitching_frames(clip)
    runs = [run for run in intervals_of(bad) if run[1] - run[0] <= _LONGEST * clip.fps]
    runs = [run for run in runs if run[0] >= 2 or run[1] <= len(clip) - 2]
    if not runs:
        return clip
    turned = R.make_continuous(clip.rotations.astype(np.float64))
    root = clip.root.astype(np.float64)
    for start, stop in runs:
        for values in (turned, root):
            _bridge(values, start, stop)
    rotations, places = clip.rotations.copy(), clip.root.copy()
    for start, stop in runs:
        rotations[start:stop] = R.normalize(turned[start:stop])
        places[start:stop] = root[start:stop]
    return replace(clip, rotations=rotations, root=places)


def _bridge(values: Float, start: int, stop: int) -> None:
    """Frames [start, stop) of values (F, ...) by a cubic between their neighbours, or straight on at an end; in place."""
    before, after = start - 1, stop
    inside = np.arange(start, stop, dtype=np.float64).reshape(-1, *([1] * (values.ndim - 1)))
    if before < 1:
        values[start:stop] = values[after] + (inside - after) * (values[after + 1] - values[after])
        return
    if after > len(values) - 2:
        values[start:stop] = values[before] + (inside - before) * (values[before] - values[before - 1])
        return
    long = after - before
    t = (inside - before) / long
    leaves, arrives = long * (values[before] - values[before - 1]), long * (values[after + 1] - values[after])
    values[start:stop] = (
        (2 * t**3 - 3 * t**2 + 1) * values[before]
        + (t**3 - 2 * t**2 + t) * leaves
        + (3 * t**2 - 2 * t**3) * values[after]
        + (t**3 - t**2) * arrives
    )
