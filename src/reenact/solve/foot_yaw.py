"""Feet that snap round: how much faster a foot turns over the floor than it does in what it was made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.solve.feet import FootTrack
from reenact.solve.joint_pushes import around
from reenact.solve.shown import Shown

_SNAP = 0.1  # seconds within which a turn is one snap
_AROUND = 0.5  # seconds around the frames shown in which sources tell how fast the foot turns
_FLAT = 0.5  # of its length that a foot must have over the floor to point anywhere


def yaw_snap(
    track: FootTrack, tracks: Sequence[FootTrack], sources: Sequence[Shown], changed: tuple[int, int], fps: float
) -> tuple[float, int]:
    """(degrees, frame) of the fastest turn of a foot over the floor within a tenth of a second, beyond what it does in its sources.

    Args:
        track: the foot in the result.
        tracks: the same foot in each source.
        sources: what the result shows of them.
        changed: half-open range of frames that are looked at.
        fps: frames per second.
    """
    span = slice(max(changed[0], 0), max(changed[1], 0))
    own = _turns(track, fps)[span]
    if not len(own):
        return 0.0, 0
    theirs = np.zeros(len(own))
    for source, one in zip(sources, tracks, strict=True):
        at = source.frames[span]
        shown = at >= 0
        most = around(_turns(one, fps)[:, None], round(_AROUND * fps))[:, 0]
        theirs[shown] = np.maximum(theirs[shown], most[at[shown]])
    frame = int(np.argmax(own - theirs))
    return float(np.degrees(max(own[frame] - theirs[frame], 0.0))), span.start + frame


def _turns(track: FootTrack, fps: float) -> Float:
    """(F,) radians that a foot turns over the floor within a tenth of a second about each frame; 0 where it points up or down."""
    way = (track.ball - track.heel)[:, [0, 2]]
    flat: Bool = np.linalg.norm(way, axis=1) > _FLAT * np.linalg.norm(track.ball - track.heel, axis=1)
    half = max(round(_SNAP * fps / 2), 1)
    turns = np.zeros(len(way))
    if len(way) <= 2 * half:
        return turns
    before, after = way[: -2 * half], way[2 * half :]
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    found = np.abs(np.arctan2(cross, np.einsum("fi,fi->f", before, after)))
    turns[half:-half] = np.where(flat[: -2 * half] & flat[2 * half :] & flat[half:-half], found, 0.0)
    return turns
