"""The inside of a mesh as cells of a grid, also of meshes with holes and of several shells, and ways through it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from reenact import kernels
from reenact.core.arrays import Bool, Float, Float64, Int, Int32
from reenact.errors import ParameterError

_AROUND = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)])
_LEAK = 0.7  # of the cells that are closed in from all sides: fewer inside, and the outside has come in through a hole
_SAMPLES = 4_000_000  # points on triangles at a time


@dataclass(frozen=True, eq=False)
class Solid:
    """Cells inside a mesh and on its surface.

    Attributes:
        corner: (3,) where the first cell of the grid begins.
        size: metres along the edge of a cell.
        numbers: (X, Y, Z) int32, the number of each cell among the filled ones; -1 where there is none.
        cells: (N, 3) int32, their places in the grid.
        surface: (N,) whether a cell holds a part of the surface.
    """

    corner: Float64
    size: float
    numbers: Int32
    cells: Int32
    surface: Bool

    @cached_property
    def centres(self) -> Float64:
        """(N, 3) metres."""
        return self.corner + (self.cells + 0.5) * self.size

    @cached_property
    def neighbours(self) -> Int32:
        """(N, 26) the cells around each; -1 where there is none."""
        wide: Any = np.pad(self.numbers, 1, constant_values=-1)
        found = np.empty((len(self.cells), len(_AROUND)), np.int32)
        for place, step in enumerate(_AROUND):
            found[:, place] = wide[tuple((self.cells + step + 1).T)]
        return found

    @cached_property
    def steps(self) -> Float64:
        """(26,) metres to the cells around."""
        return self.size * np.linalg.norm(_AROUND, axis=1)

    @cached_property
    def depths(self) -> Float64:
        """(N,) metres to the surface, the longest way through cells."""
        start = np.where(self.surface, 0.0, np.inf)
        return self.distances(start)

    def distances(self, start: Float64, slowness: Float64 | None = None) -> Float64:
        """(N,) metres through the cells from those with a given distance; infinite where none leads."""
        slow = np.ones(len(self.cells)) if slowness is None else slowness
        return kernels.geodesics.spread(self.neighbours, self.steps, slow, start)

    def cell_of(self, points: Float) -> Int32:
        """(P,) the cell in which each point lies; -1 outside."""
        at = np.floor((np.asarray(points, np.float64) - self.corner) / self.size).astype(np.int64)
        inside: Any = ((at >= 0) & (at < self.numbers.shape)).all(axis=1)
        at = np.where(inside[:, None], at, 0)
        return np.where(inside, self.numbers[tuple(at.T)], -1).astype(np.int32)

    def nearest(self, points: Float) -> tuple[Int, Float64]:
        """(P,) the filled cell nearest to each point, and how far its centre is."""
        from scipy.spatial import KDTree

        far, cells = KDTree(self.centres).query(points)
        return np.asarray(cells), np.asarray(far, np.float64)


def fill(vertices: Float, faces: Int, resolution: int = 96) -> Solid:
    """The cells of a mesh, so many along its longest side.

    Inside is what the outside does not reach; where it comes in through a hole, what has surface on five of six sides.

    Raises:
        ParameterError: there are no faces, or they have no extent.
    """
    points = np.asarray(vertices, np.float64)[np.unique(faces)] if len(faces) else np.zeros((0, 3))
    extent = np.ptp(points, axis=0) if len(points) else np.zeros(3)
    if not len(points) or extent.max() <= 0:
        raise ParameterError("the mesh has no faces that could be filled", where="mesh")
    size = float(extent.max()) / resolution
    corner = points.min(axis=0) - 1.5 * size
    shape = np.ceil(extent / size).astype(int) + 4
    surface: Bool = np.zeros(tuple(shape), bool)
    for part in _surface_points(np.asarray(vertices, np.float64), faces, 0.45 * size):
        surface[tuple(((part - corner) / size).astype(int).T)] = True
    regions = connected(~surface)
    inside = ~surface & (regions != regions[0, 0, 0])
    closed = _closed_in(surface)
    if inside.sum() < _LEAK * (closed == 6).sum():
        inside |= ~surface & (closed >= 5)
    filled = surface | inside
    cells = np.argwhere(filled).astype(np.int32)
    numbers = np.full(shape, -1, np.int32)
    numbers[filled] = np.arange(len(cells), dtype=np.int32)
    return Solid(corner, size, numbers, cells, surface[filled])


def connected(cells: Bool, corners: bool = False) -> Int:
    """(X, Y, Z) the number of the connected region of each cell, from 1; 0 where there is none.

    Args:
        cells: (X, Y, Z).
        corners: whether cells that meet at an edge or a corner are connected.
    """
    from scipy import ndimage

    found: Any = ndimage.label(cells, np.ones((3, 3, 3)) if corners else None)
    return found[0]


def _closed_in(surface: Bool) -> Int:
    """(X, Y, Z) in how many of six directions along the axes each cell meets the surface."""
    found = np.zeros(surface.shape, np.int8)
    for axis in range(3):
        found += np.maximum.accumulate(surface, axis=axis)
        found += np.flip(np.maximum.accumulate(np.flip(surface, axis), axis=axis), axis)
    return found


def _surface_points(vertices: Float64, faces: Int, spacing: float) -> Iterator[Float64]:
    """Points on all triangles, near enough to each other that no cell between them is missed."""
    corners = vertices[faces]
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    parts = np.maximum(np.ceil(edges / spacing).astype(int), 1)
    for count in np.unique(parts):
        first, second = np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij")
        inside = first + second <= count
        shares = np.stack([first[inside], second[inside], (count - first - second)[inside]], axis=1) / count
        chosen = corners[parts == count]
        block = max(1, _SAMPLES // len(shares))
        for start in range(0, len(chosen), block):
            yield np.einsum("sk,tkx->tsx", shares, chosen[start : start + block]).reshape(-1, 3)
