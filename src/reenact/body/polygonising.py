"""Meshes of fields: dual contouring on cells of two sizes, then evened out on the surface.

After Ju, Losasso, Schaefer and Warren, *Dual contouring of Hermite data* (2002), with the mean of the crossings as the vertex of a cell
(surface nets, Gibson 1998): for each edge of the grid that the surface crosses, the vertices of the cells around it make a face. Edges
between small and large cells are those of the small ones, so the mesh is closed where the sizes meet.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reenact.body.implicit import Field
from reenact.body.mesh_normals import vertex_normals
from reenact.core.arrays import Bool, Float64, Int32
from reenact.errors import ReenactError

_BLOCK = 8  # small units of the largest cells that are looked at
_SURE = 1.5  # of half a block's diagonal: farther away by the field there is no surface in the block
_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.int64)
_SHIFT = np.array([0.0, -0.29, -0.21])  # of a cell: the middle of a body lies between cells, flat soles do not
_ROUNDS = 4  # of evening out
_OFFSET = 1 << 20  # lattice coordinates are packed into one number


def polygonise(
    field: Field, low: Float64, high: Float64, step: float, is_fine: Callable[[Float64], Bool], even: int = _ROUNDS
) -> tuple[Float64, Int32]:
    """Vertices (V, 3) and triangles (T, 3) of the surface where a field is zero: closed, every edge between two triangles.

    Args:
        field: negative inside.
        low, high: (3,) metres, a box that holds the surface.
        step: metres, edge of the cells.
        is_fine: whether cells around points (N, 3) are half as large; looked at in the middle of each large cell.
        even: rounds of evening out.

    Raises:
        ReenactError: the surface leaves the box.
    """
    origin = np.floor(low / step - 1) * step + _SHIFT * step
    vertices, faces = _Grid(field, origin, step, is_fine).contour(high)
    if not len(faces) or not is_closed(faces):
        raise ReenactError("the surface is not closed within its box")
    vertices = _evened(field, vertices, faces, 0.25 * step, even)
    return vertices, _triangles(vertices, faces)


def is_closed(faces: Int32) -> bool:
    """Whether every edge lies between two faces that run through it in opposite directions. A quad whose last two are one is a triangle."""
    count = faces.shape[1]
    starts = faces.ravel().astype(np.int64)
    ends = np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    real = starts != ends
    keys = starts[real] * (int(faces.max()) + 1) + ends[real]
    back = ends[real] * (int(faces.max()) + 1) + starts[real]
    return count > 0 and len(np.unique(keys)) == len(keys) and bool(np.isin(keys, back).all())


class _Grid:
    """Cells around a surface. Lattice coordinates count half steps."""

    def __init__(self, field: Field, origin: Float64, step: float, is_fine: Callable[[Float64], Bool]) -> None:
        self.field, self.origin, self.unit, self.is_fine = field, origin, 0.5 * step, is_fine

    def contour(self, high: Float64) -> tuple[Float64, Int32]:
        cells = self._near_surface(high)
        fine = self._fine(cells)
        small = (cells[fine][:, None] + _CORNERS).reshape(-1, 3)
        edges = [
            self._edges(corners, axis, size) for axis in range(3) for corners, size in ((small, 1), (cells[~fine], 2))
        ]
        starts, ends, leaves = (np.concatenate(part) for part in zip(*edges, strict=True))
        keys, place = np.unique(np.concatenate([_pack(starts), _pack(ends)]), return_inverse=True)
        before, after = self.field(self._places(_unpack(keys)))[place].reshape(2, -1)
        crossed = (before < 0) != (after < 0)
        starts, ends, leaves, before, after = (part[crossed] for part in (starts, ends, leaves, before, after))
        share = (before / (before - after))[:, None]
        points = self._places(starts) * (1 - share) + self._places(ends) * share
        inside = before < 0  # the field grows along the edge: the face looks that way
        leaves = np.where(inside[:, None], leaves, leaves[:, ::-1])
        return _meshed(leaves, points, np.where(inside, _pack(starts), _pack(ends)))

    def _near_surface(self, high: Float64) -> np.ndarray:
        counts = np.ceil((high - self.origin) / (_BLOCK * self.unit)).astype(int) + 1
        cells = _BLOCK * np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)
        size = _BLOCK
        while True:
            middle = self._places(cells) + 0.5 * size * self.unit
            cells = cells[np.abs(self.field(middle)) <= _SURE * 0.5 * np.sqrt(3) * size * self.unit]
            if size == 2:
                return cells
            size //= 2
            cells = (cells[:, None] + size * _CORNERS).reshape(-1, 3)

    def _places(self, lattice: np.ndarray) -> Float64:
        return self.origin + lattice * self.unit

    def _fine(self, cells: np.ndarray) -> Bool:
        return self.is_fine(self._places(cells) + self.unit)

    def _edges(self, cells: np.ndarray, axis: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Edges of cells along an axis, each once: their ends, (N, 3) each, and (N, 4) packed cells around them."""
        one, two = (axis + 1) % 3, (axis + 2) % 3
        starts = np.repeat(cells[:, None], 4, axis=1)
        starts[:, 1::2, one] += size
        starts[:, 2:, two] += size
        starts = _unpack(np.unique(_pack(starts.reshape(-1, 3))))
        around = np.repeat(starts[:, None], 4, axis=1)
        around[:, 1:3, one] -= size
        around[:, 2:, two] -= size
        parents = around - around % 2
        known, place = np.unique(_pack(parents.reshape(-1, 3)), return_inverse=True)
        fine = self._fine(_unpack(known))[place].reshape(-1, 4)
        # the edge of a large cell beside a small one is two edges of small ones
        ours = ~fine.any(axis=1) if size == 2 else fine.any(axis=1)
        starts, parents, around, fine = starts[ours], parents[ours], around[ours], fine[ours]
        ends = starts.copy()
        ends[:, axis] += size
        leaves = np.where(fine[..., None], 2 * around + 1, 2 * parents)
        return starts, ends, _pack(leaves.reshape(-1, 3)).reshape(-1, 4)


def _pack(lattice: np.ndarray) -> np.ndarray:
    moved = lattice + _OFFSET // 2
    return (moved[:, 0] * _OFFSET + moved[:, 1]) * _OFFSET + moved[:, 2]


def _unpack(keys: np.ndarray) -> np.ndarray:
    return np.stack([keys // _OFFSET**2, keys // _OFFSET % _OFFSET, keys % _OFFSET], axis=1) - _OFFSET // 2


def _meshed(cells: np.ndarray, points: Float64, inner: np.ndarray) -> tuple[Float64, Int32]:
    """Vertices at the mean of the crossings of each cell, and quads; a quad of three cells repeats its last.

    Where the surface runs through a cell twice, the cell has two vertices: two faces that meet between the same two cells belong together
    when their edges of the grid have the same end inside.

    Args:
        cells: (N, 4) packed cells around each crossed edge.
        points: (N, 3) the crossings.
        inner: (N,) packed ends of the edges that lie inside.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    quads = cells.copy()
    for k in range(4):  # repeated cells to the end, the direction kept
        same = quads[:, k] == quads[:, (k + 1) % 4]
        quads[same] = np.roll(quads[same], 2 - k, axis=1)
    count = len(quads)
    corner = np.arange(4 * count).reshape(-1, 4)
    corner[:, 3] = np.where(quads[:, 2] == quads[:, 3], corner[:, 2], corner[:, 3])
    here, there = quads.ravel(), np.roll(quads, -1, axis=1).ravel()
    mine, next_one = corner.ravel(), np.roll(corner, -1, axis=1).ravel()
    real = here != there
    forward = here[real] < there[real]
    low, high = np.where(forward, (mine[real], next_one[real]), (next_one[real], mine[real]))
    pair = np.stack([np.minimum(here[real], there[real]), np.maximum(here[real], there[real])])
    inner = np.repeat(inner, 4)[real]
    order = np.lexsort((inner, pair[1], pair[0]))
    first, second = order[0::2], order[1::2]  # an even number of faces meets there
    links = np.concatenate([np.stack([low[first], low[second]]), np.stack([high[first], high[second]])], axis=1)
    graph = coo_array((np.ones(links.shape[1]), (links[0], links[1])), shape=(4 * count, 4 * count))
    _, named = connected_components(graph, directed=False)
    used, faces = np.unique(named[corner], return_inverse=True)
    faces = faces.reshape(-1, 4)
    real_corner = np.arange(4) < np.where(faces[:, 2] == faces[:, 3], 3, 4)[:, None]
    owners = np.repeat(np.arange(count), 4).reshape(-1, 4)[real_corner]
    counts = np.bincount(faces[real_corner], minlength=len(used))
    vertices = np.stack(
        [np.bincount(faces[real_corner], points[owners, axis], len(used)) / counts for axis in range(3)], axis=1
    )
    halves = np.flatnonzero(real)
    return _parted(vertices, faces, halves[first], halves[second])


def _parted(vertices: Float64, faces: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[Float64, Int32]:
    """Two vertices with more than one edge between them get a vertex in the middle of each further one.

    Args:
        vertices, faces: of the mesh.
        first, second: for each edge of the mesh the two sides of faces it is made of, counted through all faces.
    """
    ends = np.sort(np.stack([faces.ravel(), np.roll(faces, -1, axis=1).ravel()], axis=1)[first], axis=1)
    place = np.unique(ends, axis=0, return_inverse=True)[1]
    place = place.ravel()
    order = np.argsort(place, kind="stable")
    again = order[1:][place[order[1:]] == place[order[:-1]]]
    if not len(again):
        return vertices, faces.astype(np.int32)
    added = vertices[ends[again]].mean(axis=1)
    inserted: dict[int, dict[int, int]] = {}
    for number, edge in enumerate(again):
        for side in (int(first[edge]), int(second[edge])):
            inserted.setdefault(side // 4, {})[side % 4] = len(vertices) + number
    more = []
    for face, middles in inserted.items():
        ring: list[int] = []
        for k in range(4):
            if k == 3 and faces[face, 3] == faces[face, 2]:
                continue
            ring.append(int(faces[face, k]))
            side = 3 if k == 2 and faces[face, 3] == faces[face, 2] else k
            if side in middles:
                ring.append(middles[side])
        start = ring.index(next(iter(middles.values())))
        ring = ring[start:] + ring[:start]
        more += [(ring[0], ring[k], ring[k + 1], ring[k + 1]) for k in range(1, len(ring) - 1)]
    kept = np.delete(faces, list(inserted), axis=0)
    return np.concatenate([vertices, added]), np.concatenate([kept, np.array(more)]).astype(np.int32)


def _evened(field: Field, vertices: Float64, faces: Int32, probe: float, rounds: int) -> Float64:
    """Vertices moved along the surface to the middle of their neighbours, and onto the surface."""
    from scipy.sparse import coo_array

    starts, ends = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    real = starts != ends
    count = len(vertices)
    ring = coo_array((np.ones(real.sum()), (starts[real], ends[real])), shape=(count, count)).tocsr()
    degree = np.asarray(ring.sum(axis=1)).reshape(-1, 1)
    halves = np.concatenate([faces[:, :3], faces[:, [0, 2, 3]]])
    for _ in range(rounds):
        way = ring @ vertices / degree - vertices
        normals = vertex_normals(vertices, halves).astype(np.float64)
        vertices = vertices + 0.6 * (way - normals * np.einsum("vi,vi->v", way, normals)[:, None])
        vertices = vertices - normals * np.clip(field(vertices), -probe, probe)[:, None]
    return onto_surface(field, vertices, probe)


def onto_surface(field: Field, vertices: Float64, probe: float) -> Float64:
    """One step of Newton's method towards the surface, at most `probe` metres long."""
    small = 0.05 * probe
    tries = np.concatenate([vertices, *(vertices + small * axis for axis in np.eye(3))])
    here, *there = field(tries).reshape(4, -1)
    slope = (np.stack(there, axis=1) - here[:, None]) / small
    move = -here[:, None] * slope / np.maximum((slope * slope).sum(axis=1, keepdims=True), 1e-2)
    length = np.linalg.norm(move, axis=1, keepdims=True)
    return vertices + move * np.minimum(1.0, probe / np.maximum(length, 1e-12))


def _triangles(vertices: Float64, quads: Int32) -> Int32:
    """Quads cut along the diagonal that leaves the flatter pair of triangles."""
    whole = quads[:, 2] != quads[:, 3]
    a, b, c, d = (vertices[quads[whole, k]] for k in range(4))

    def bend(first: Float64, second: Float64) -> Float64:
        lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
        return np.einsum("ni,ni->n", first, second) / np.maximum(lengths, 1e-15)

    over_ac = bend(np.cross(b - a, c - a), np.cross(c - a, d - a))
    over_bd = bend(np.cross(c - b, d - b), np.cross(d - b, a - b))
    q = quads[whole]
    other = over_bd > over_ac
    first = np.where(other[:, None], q[:, [1, 2, 3]], q[:, [0, 1, 2]])
    second = np.where(other[:, None], q[:, [1, 3, 0]], q[:, [0, 2, 3]])
    return np.concatenate([quads[~whole][:, :3], first, second]).astype(np.int32)
