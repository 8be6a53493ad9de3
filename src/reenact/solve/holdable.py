"""Plants that can be held: what detectors find, without what a foot cannot do.

Four things. A planted foot that is elsewhere from one frame to the next stands in two places: holding one over a jump of the recording
would move the body by as much within a frame. A heel that has risen stands no longer. A foot that rolls over its ball does not
stand on its heel as well. And contacts flicker: a point that is let go for
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

_ROLLED = 0.09  # radians of pitch that a foot may be from how it stands on heel and ball
_ROLLED_FAR = 0.3  # radians of the same in the middle of a stance
_RAISED = 0.008  # metres that the point which is let go for that is higher than it stands
_QUICKLY = 0.15  # seconds in which a foot rolls; one that is pitched otherwise for longer stands so
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
        if risen is not None and not foot.single:
            _end_when_rolled(masks, track, fps)
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


def _end_when_rolled(masks: dict[str, Bool], track: FootTrack, fps: float) -> None:
    """Let a foot that rolls while it stands on heel and ball keep the point it rolls on: at either end, and wherever it rolls far."""
    for start, end in intervals_of(masks["heel"] & masks["ball"]):
        way = track.ball[start:end] - track.heel[start:end]
        pitch = np.arctan2(way[:, 1], np.hypot(way[:, 0], way[:, 2]))
        away = np.abs(pitch - np.median(pitch))
        stands = np.flatnonzero(away <= max(_ROLLED, away.min()))  # few frames may all be off their median
        ends = (slice(0, int(stands[0])), slice(int(stands[-1]) + 1, end - start))
        parts = [part for part in ends if 0 < part.stop - part.start <= _QUICKLY * fps]
        parts += [slice(*run) for run in intervals_of(away > _ROLLED_FAR)]
        for part in parts:
            raised = {
                name: float(height[part].min() - np.median(height))
                for name, height in ((name, getattr(track, name)[start:end, 1]) for name in masks)
            }
            higher, other = sorted(masks, key=lambda name: -raised[name])
            here = slice(start + part.start, start + part.stop)
            if raised[higher] > _RAISED:
                masks[higher][here] &= ~masks[other][here]  # one of them stands


def _close_flickers(mask: Bool, path: Float, fps: float) -> None:
    """Let two plants of a point in one place with a few frames between be one."""
    runs = intervals_of(mask)
    for (start, first), (second, end) in pairwise(runs):
        there, here = path[second:end, ::2].mean(axis=0), path[start:first, ::2].mean(axis=0)
        if second - first <= _FLICKER * fps and float(np.linalg.norm(there - here)) < _NO_FARTHER:
            mask[first:second] = True
