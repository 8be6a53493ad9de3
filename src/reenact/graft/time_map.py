"""Which frame of the source belongs to a frame of the base: the map phi of the thesis, strictly rising, with a domain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reenact.blend.time_warp import fit_time_warp
from reenact.core.arrays import Float64, frozen
from reenact.errors import ParameterError

How = Literal["plants", "registration", "ranges", "natural"]

STEEPEST = 4.0
"""A source is never played faster than this many times its own speed, nor slower than by this factor."""

_KNOTS = 0.2  # seconds between the knots of the smooth curve
_SMOOTHING = 2.0  # how much it resists bending: a limb's speed follows the curve's slope
_STRAIGHT = 1e-6  # frames: anchors as near to a straight line as this are one


@dataclass(frozen=True, slots=True, eq=False)
class TimeMap:
    """phi: frames of the source for frames of the base, straight between anchors.

    Attributes:
        anchors: (N, 2) float64, frames of base and source that belong together, both strictly rising.
        how: "plants" that correspond, a "registration", given "ranges", or the source's "natural" speed.
        shift: whole cycles by which the pairing of plants is shifted against the first with the first.
        pairs: indices of the single supports of base and source that were paired, in order; empty unless made from plants.
        feet: the foot of each pair, "left" or "right".
        words: what a report says of how it came about.
    """

    anchors: Float64
    how: How
    shift: int = 0
    pairs: tuple[tuple[int, int], ...] = ()
    feet: tuple[str, ...] = ()
    words: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "anchors", frozen(self.anchors, np.float64, (None, 2), "anchors"))
        if len(self.anchors) < 2 or not np.all(np.diff(self.anchors, axis=0) > 0):
            raise ParameterError("a time map needs two anchors or more, in both motions one after the other")

    @property
    def start(self) -> float:
        """First frame of the base that has a partner."""
        return float(self.anchors[0, 0])

    @property
    def end(self) -> float:
        """Last frame of the base that has a partner."""
        return float(self.anchors[-1, 0])

    @property
    def frames(self) -> np.ndarray:
        """The whole frames of the base that have a partner, ascending."""
        return np.arange(int(np.ceil(self.start - 1e-9)), int(np.floor(self.end + 1e-9)) + 1)

    def at(self, frames: ArrayLike) -> Float64:
        """(N,) frames of the source; beyond its domain the map goes on straight, at its mean speed."""
        x = np.asarray(frames, dtype=np.float64)
        a, b = self.anchors[:, 0], self.anchors[:, 1]
        inside = np.interp(x, a, b)
        slope = (b[-1] - b[0]) / (a[-1] - a[0])
        return inside + slope * (np.minimum(x - a[0], 0.0) + np.maximum(x - a[-1], 0.0))

    @property
    def speeds(self) -> tuple[float, float]:
        """Slowest and fastest the source is played, as multiples of its own speed."""
        slopes = np.diff(self.anchors[:, 1]) / np.diff(self.anchors[:, 0])
        return float(slopes.min()), float(slopes.max())

    def within(self, base_frames: int, source_frames: int) -> TimeMap:
        """The map cut to frames that both clips have.

        Raises:
            ParameterError: less than two frames are left.
        """
        low = max(self.start, 0.0, self._inverse(0.0))
        high = min(self.end, base_frames - 1.0, self._inverse(source_frames - 1.0))
        if high - low < 1:
            raise ParameterError("the motions have less than two frames in common")
        inner = self.anchors[(self.anchors[:, 0] > low + 1e-9) & (self.anchors[:, 0] < high - 1e-9)]
        ends = np.clip(self.at([low, high]), 0.0, source_frames - 1.0)
        return replace(self, anchors=np.vstack([[low, ends[0]], inner, [high, ends[1]]]))

    def smoothed(self, fps: float) -> TimeMap:
        """The same without kinks, so that no limb changes its speed at once; a straight map stays what it is.

        The curve is the time warp of the room `blend`, nearest to this map; it keeps the ends and never stands still.
        """
        a, b = self.anchors.T
        straight = np.interp(a, [a[0], a[-1]], [b[0], b[-1]])
        if np.max(np.abs(straight - b)) < _STRAIGHT:
            return self
        dense = np.unique(np.concatenate([np.arange(np.ceil(a[0]), a[-1]), a[[0, -1]]]))
        path = np.column_stack([dense, np.interp(dense, a, b)])
        warp = fit_time_warp(path, int(STEEPEST) - 1, knot_spacing=_KNOTS * fps, smoothing=_SMOOTHING)
        found = warp.frames_at(warp.inverse(0, dense))[:, 1]
        found[[0, -1]] = b[[0, -1]]
        keep = np.concatenate([[True], np.diff(np.maximum.accumulate(found)) > 1e-9])
        keep[-1] = True
        rows = np.column_stack([dense, found])[keep]
        return replace(self, anchors=rows[np.concatenate([[True], np.diff(rows[:, 1]) > 0])])

    def _inverse(self, frame: float) -> float:
        """The frame of the base that belongs to a frame of the source, the map going on straight beyond its ends."""
        a, b = self.anchors[:, 0], self.anchors[:, 1]
        if b[0] <= frame <= b[-1]:
            return float(np.interp(frame, b, a))
        slope = (a[-1] - a[0]) / (b[-1] - b[0])
        return float(a[0] + slope * (frame - b[0]) if frame < b[0] else a[-1] + slope * (frame - b[-1]))
