"""Where one set of registered motions can go over into another while they play: pairs of places at which both look alike.

Registration specification A17.3. Both curves are looked at 30 times a second; what counts is the mean distance of every motion of the one
to every motion of the other over the whole time in which they are blended, by the weights of the moment. All distances are measured once.
"""

from __future__ import annotations

import numpy as np

from reenact.blend.distance_grid import DistanceGrid, describe_samples, measure_grid
from reenact.blend.loop_points import LoopPoint
from reenact.blend.registration_curve import RegistrationCurve
from reenact.core.arrays import Float64

_RATE = 30.0
_ROOM = 1.6  # a crossing takes as long as it takes the fastest motion: so many times its length is left before the curve ends
_LOST = 1.0  # entering a motion that is played once at its end costs so many times what entering at its start does, and as much again


class LiveLinks:
    """All distances between two curves, and the best entry from any place.

    Attributes:
        leaving: samples (U,) of u on the curve that is left.
        entering: samples (V,) of u on the curve that is entered.
    """

    def __init__(
        self, gone: RegistrationCurve, coming: RegistrationCurve, crossing: float, loop: LoopPoint | None
    ) -> None:
        """Measure.

        Args:
            gone: the motions that are left.
            coming: the motions that are entered.
            crossing: seconds in which the ones are blended into the others.
            loop: where the entered motions begin again; None: they are played once.
        """
        rates = [min(_RATE, curve.fps) for curve in (gone, coming)]
        steps = [curve.fps / rate for curve, rate in zip((gone, coming), rates, strict=True)]
        self.leaving, self.entering = (
            np.arange(0.0, curve.length + 1e-9, step) for curve, step in zip((gone, coming), steps, strict=True)
        )
        self._step = steps[0]
        wide = max(round(crossing * _RATE), 2)
        described = []
        for curve, u, rate in zip((gone, coming), (self.leaving, self.entering), rates, strict=True):
            frames = curve.warp.frames_at(u)
            described.append([describe_samples(clip, frames[:, n], rate) for n, clip in enumerate(curve.clips)])
        metric = described[0][0][0]
        self._grids: list[list[DistanceGrid]] = [
            [measure_grid(metric, one, other) for _, other in described[1]] for _, one in described[0]
        ]
        self._costs = np.array([[_mean_along(grid.distances, wide) for grid in row] for row in self._grids])
        self._middle = wide // 2
        end = len(self.entering) - 1 - round(_ROOM * wide)
        if loop is not None:
            end = min(end, int(loop.leave / steps[1]) - round(_ROOM * wide))
        self._last = max(end, 0)
        late = np.arange(self._last + 1) / max(self._last, 1)
        self._factor = np.ones(self._last + 1) if loop is not None else 1.0 + _LOST * late

    def costs(self, gone: Float64, coming: Float64) -> Float64:
        """(U, V') metres, mean distances over a crossing from each place to each that may be entered, by the weights of both sets.

        Of motions that are played once, late entries cost more: what lies before them is lost.
        """
        shares = np.outer(np.maximum(gone, 0.0), np.maximum(coming, 0.0))
        found = np.einsum("ij,ijuv->uv", shares / shares.sum(), self._costs[..., : self._last + 1])
        return found * self._factor

    def row(self, u: float) -> int:
        """The sample nearest to a place on the curve that is left."""
        return min(max(round(u / self._step), 0), len(self.leaving) - 1)

    def placements(self, row: int, column: int) -> Float64:
        """(k, m, 3) turn, x, z that lay each motion of the entered set over each of the set that is left, half way through the crossing."""
        shape = self._grids[0][0].shape
        cell = np.array([[min(row + self._middle, shape[0] - 1), min(column + self._middle, shape[1] - 1)]])
        aligned = [[grid.align_cells(cell) for grid in own] for own in self._grids]
        return np.array([[[a.turn[0], *a.shift[0]] for a in own] for own in aligned], dtype=np.float64)


def _mean_along(grid: np.ndarray, wide: int) -> np.ndarray:
    """(U, V) float32 means along the diagonal over `wide` cells from each on, held at the borders."""
    rows, columns = np.arange(grid.shape[0])[:, None], np.arange(grid.shape[1])[None]
    total = np.zeros(grid.shape)
    for n in range(wide + 1):
        total += grid[np.minimum(rows + n, grid.shape[0] - 1), np.minimum(columns + n, grid.shape[1] - 1)]
    return (total / (wide + 1)).astype(np.float32)
