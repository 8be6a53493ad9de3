"""Plants that can be held: what detectors find, without what a foot cannot do.

Three things. A planted foot that is elsewhere from one frame to the next stands in two places: holding one over a jump of the recording
would move the body by as much within a frame. A heel that has risen stands no longer. And contacts flicker: a point that is let go for
a few frames and planted in the same place again was planted all the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.clip import World
from reenact.core.foot_plants import FootContact, FootPlants, intervals_of
from reenact.solve.feet import Foot, FootTrack, track_foot

FASTEST = 4.0
"""Metres per second: faster no planted foot skates."""

FARTHEST = 0.025
"""Metres between two frames: less may be noise at high frame rates."""

_STANDS = 30.0  # per cent of a plant's frames that are lower than where it stands
_NO_FARTHER = 0.003  # metres between two places that are one
_FLICKER = 0.06  # seconds


def holdable_plants(
    plants: FootPlants, world: World, feet: Sequence[Foot], fps: float, risen: float | None = 0.03
) -> tuple[FootPlants, list[int]]:
    """The plants that can be held, and the frames in which the recording of a planted point jumps.

    Args:
        plants: as they were found.
        world: the motion, float64.
        feet: its feet.
        fps: frames per second.
        risen: metres a point is above where it stands when it stands no longer; None: only jumps count.
    """
    jumps: set[int] = set()
    contacts = {side: plants.foot(side) for side in ("left", "right")}
    for foot in feet:
        contact, track = contacts[foot.side], track_foot(world, foot)
        masks = {"heel": np.asarray(contact.heel).copy(), "ball": np.asarray(contact.ball).copy()}
        at = _jumps(track, contact, fps)
        frames = np.flatnonzero(at)
        jumps.update(int(frame) for frame in frames)
        for name, mask in masks.items():
            mask[frames], mask[frames - 1] = False, False
            path = getattr(track, name)
            if risen is None:
                continue
            if not foot.single:
                _end_when_risen(mask, path[:, 1], risen)
            _close_flickers(mask, path, fps)
        if any(np.any(masks[name] != getattr(contact, name)) for name in masks):
            contacts[foot.side] = FootContact(masks["heel"], masks["ball"], contact.confidence)
    same = all(contacts[side] is plants.foot(side) for side in contacts)
    kept = plants if same else FootPlants(contacts["left"], contacts["right"], plants.fps, plants.floor, plants.source)
    return kept, sorted(jumps)


def _jumps(track: FootTrack, contact: FootContact, fps: float) -> Bool:
    """(F,) frames in which a point that was planted in the frame before is planted elsewhere."""
    found = np.zeros(len(track), np.bool_)
    pairs: tuple[tuple[Float, Bool], ...] = ((track.heel, contact.heel), (track.ball, contact.ball))
    for path, mask in pairs:
        step = np.linalg.norm(np.diff(path[:, [0, 2]], axis=0), axis=1)
        found[1:] |= mask[1:] & mask[:-1] & (step > max(FARTHEST, FASTEST / fps))
    return found


def _end_when_risen(mask: Bool, heights: Float, risen: float) -> None:
    """Cut the plants of a point short where it has left the height it stands at."""
    for start, end in intervals_of(mask):
        low = np.flatnonzero(heights[start:end] < np.percentile(heights[start:end], _STANDS) + risen)
        mask[start : start + low[0]] = False
        mask[start + low[-1] + 1 : end] = False


def _close_flickers(mask: Bool, path: Float, fps: float) -> None:
    """Let two plants of a point in one place with a few frames between be one."""
    runs = intervals_of(mask)
    for (start, first), (second, end) in pairwise(runs):
        there, here = path[second:end, ::2].mean(axis=0), path[start:first, ::2].mean(axis=0)
        if second - first <= _FLICKER * fps and float(np.linalg.norm(there - here)) < _NO_FARTHER:
            mask[first:second] = True
