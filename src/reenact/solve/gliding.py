"""Feet that glide: points of the feet that stay low and slow, as if they stood, and how far they get over the floor meanwhile.

Plants are what a detector is sure of, and what is held of them. A foot that is let go, or that the detector did not take for planted,
may still look as if it stood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core import filters
from reenact.core.arrays import Bool
from reenact.core.clip import Clip
from reenact.core.derivatives import differentiate
from reenact.core.foot_plants import intervals_of
from reenact.solve.feet import Foot, track_foot
from reenact.solve.planted_points import ground_diameter

_SLOW = 0.35  # m/s below which a point seems to stand
_LOW = 0.04  # metres above its level, the height below which it is in 5 % of the frames
_CALM = 0.05  # seconds of the running mean before speeds are taken
_BREAK = 0.08  # seconds of a faster moment within one stand
_LEAST = 0.12  # seconds of a stand
_EDGE = 0.03  # seconds at its ends that do not count: it comes to rest and leaves


@dataclass(frozen=True, slots=True)
class Glide:
    """A point of a foot that seems to stand.

    Attributes:
        foot: "left" or "right".
        point: "heel" or "ball".
        start, end: half-open range of frames.
        millimetres: the farthest two of its places lie apart on the floor.
    """

    foot: str
    point: str
    start: int
    end: int
    millimetres: float


def find_glides(clip: Clip, feet: Sequence[Foot], within: tuple[int, int] | None = None) -> list[Glide]:
    """Every stretch of frames in which a point of the feet seems to stand, and how far it gets.

    Args:
        clip: the motion.
        feet: its feet.
        within: half-open range of frames into which stands have to reach, and by which it is told what is low; default: all.
    """
    first, last = (0, len(clip)) if within is None else within
    world, found = clip.world(np.float64), []
    edge, fps = round(_EDGE * clip.fps), clip.fps
    for foot in feet:
        track = track_foot(world, foot)
        for point in ("heel",) if foot.single else ("heel", "ball"):
            calm = max(round(_CALM * fps), 1) | 1
            path = filters.mean(getattr(track, point), calm, axis=0, edge="nearest")
            slow = np.linalg.norm(differentiate(path, fps), axis=1) < _SLOW if len(path) > 2 else True
            low = path[:, 1] < np.percentile(path[first:last, 1], 5) + _LOW
            for start, end in intervals_of(_closed(slow & low, int(_BREAK * fps))):
                if end - start > _LEAST * fps and start < last and end > first:
                    places = getattr(track, point)[start + edge : end - edge][:, [0, 2]]
                    found.append(Glide(foot.side, point, start, end, 1000 * ground_diameter(places)))
    return found


def _closed(mask: Bool, frames: int) -> Bool:
    """The mask with gaps of less than so many frames closed."""
    closed = mask.copy()
    for start, end in intervals_of(~mask):
        if end - start < frames and start > 0 and end < len(mask):
            closed[start:end] = True
    return closed
