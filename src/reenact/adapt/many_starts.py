"""A good start for a stage whose objective has several valleys: a grid over its degrees of freedom, and a way through the best of it.

After É. Lyard (2008), section 4.4.2: of a forearm that shall point where it did there may be a ridge between no change at all and the best
one. With two degrees of freedom the box can be sampled. At every control point the lowest samples are kept, and those are chained so that
little changes from one control point to the next (dynamic programming); from there all control points are optimised at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.adapt.degrees import Degrees
from reenact.adapt.terms import Term
from reenact.core.arrays import Float, Float64

BEST = 10
"""Samples that are kept at every control point."""

STEP = 0.2
"""Radians between samples; 0.1 finds nothing else on arms, and takes four times as long."""

_CALM = 4.0  # of a radian from one control point to the next


def sides_of(degrees: Degrees, step: float = STEP) -> list[Float64]:
    """For each degree of freedom its samples within its bounds, zero among them."""
    return [
        np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
        for low, high in zip(degrees.low, degrees.high, strict=True)
    ]


def grid_of(sides: Sequence[Float]) -> Float64:
    """(G, D) all samples of the box; those of the last degree of freedom change fastest."""
    return np.stack([one.ravel() for one in np.meshgrid(*sides, indexing="ij")], axis=1).astype(np.float64)


def sampled_costs(degrees: Degrees, terms: Sequence[Term], grid: Float) -> Float64:
    """(F, G) the objective of every frame at every sample."""
    frames = len(degrees.clip)
    found = np.zeros((frames, len(grid)))
    for number, sample in enumerate(grid):
        posed = degrees.pose(np.tile(sample, (frames, 1)))
        for term in terms:
            one = term.residuals(posed)
            np.add.at(found[:, number], one.frames, 0.5 * one.values**2)
    return found


def chained(costs: Float, grid: Float, best: int = BEST, calm: float = _CALM) -> Float64:
    """(F, D) the way through the best samples of every frame that costs least together with its changes.

    Args:
        costs: (F, G) of every sample.
        grid: (G, D) samples.
        best: samples of a frame that are looked at.
        calm: of a radian squared, from one frame to the next.
    """
    best = min(best, len(grid))
    kept = np.argsort(costs, axis=1, kind="stable")[:, :best]  # (F, B)
    total = np.take_along_axis(costs, kept, axis=1)
    came = np.zeros_like(kept)
    for frame in range(1, len(costs)):
        apart = grid[kept[frame]][:, None] - grid[kept[frame - 1]][None]
        ways = total[frame - 1][None] + 0.5 * calm**2 * np.sum(apart**2, axis=2)
        came[frame] = ways.argmin(axis=1)
        total[frame] += ways.min(axis=1)
    at = int(total[-1].argmin())
    path = np.zeros(len(costs), np.int64)
    for frame in range(len(costs) - 1, -1, -1):
        path[frame] = kept[frame, at]
        at = int(came[frame, at])
    return grid[path].astype(np.float64)
