"""Weights for a mesh that has none, from where it lies around a skeleton.

Both methods ask how far every part of the mesh is from every bone on ways inside the mesh (`body.solid`), so that a hand on the hip does
not follow the hip; holes, several shells and badly connected faces do not matter.

voxel: weights fall with that distance (after Dionne and de Lasa, *Geodesic voxel binding*, 2013).
heat: each vertex is heated by its nearest bone, and the heat spreads over the surface (after Baran and Popovic 2007, "Pinocchio"; which
bone is nearest is told by the ways inside instead of lines of sight).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.body.character import rest_world
from reenact.body.influences import table_of_influences
from reenact.body.solid import Solid
from reenact.core.arrays import Float, Float32, Float64, Int, Int32
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError

WeightMethod = Literal["heat", "voxel"]

MOST = 4
"""Joints that a vertex follows."""

_FALL = 8.0  # power of the distance by which voxel weights fall
_NEAR = 0.4  # of a cell, added to distances, so that what touches a bone does not follow it alone at once
_HEAT = 4.0  # how much a bone heats against how much spreads; 1 in the paper, where elbows come out softer than modellers make them
_LEAST = 0.02  # weights below do not count
_LEAF = 0.4  # of the bone above: how far the last bone of a chain goes on where nothing tells its end
_BESIDE = 0.05  # of the extent of the mesh: bones outside, farther from it, have no skin
_MOST_SOLVED = 400_000


@dataclass(frozen=True, slots=True, eq=False)
class AutoWeights:
    """Weights that were found.

    Attributes:
        joints: (V, K) int32.
        weights: (V, K) float32, rows add up to 1.
        bare: joints that nothing follows, because their bones lie outside the mesh.
    """

    joints: Int32
    weights: Float32
    bare: tuple[int, ...]


def find_weights(
    vertices: Float, faces: Int, skeleton: Skeleton, solid: Solid, method: WeightMethod = "heat"
) -> AutoWeights:
    """Weights of a mesh that lies around the rest pose of a skeleton.

    Args:
        vertices: (V, 3) metres.
        faces: (T, 3).
        skeleton: its bones go from each joint to its children and end sites.
        solid: the inside of the mesh.
        method: see the module.

    Raises:
        SkeletonError: no bone of the skeleton lies in the mesh.
    """
    far, skinned = bone_distances(vertices, skeleton, solid)
    if not len(skinned):
        raise SkeletonError("no bone of the skeleton lies in the mesh: they are not in one place, or not of one size")
    if method == "voxel":
        dense = _fall_off(far, solid.size)
    else:
        dense = _spread_heat(np.asarray(vertices, np.float64), faces, far, solid.size)
    return AutoWeights(*_strongest(dense, skinned), tuple(sorted({*range(len(skeleton))} - {*skinned.tolist()})))


def bone_distances(vertices: Float, skeleton: Skeleton, solid: Solid) -> tuple[Float64, Int]:
    """(V, B) metres from each vertex to each bone inside the mesh, and the joint (B,) of each."""
    places = rest_world(skeleton)
    cells, beyond = solid.nearest(vertices)
    columns, joints = [], []
    extent = float(np.ptp(solid.centres, axis=0).max())
    for joint in range(len(skeleton)):
        start = _seeds(_bones_of(skeleton, places, joint), solid, extent, leaf=not skeleton.children[joint])
        if start is not None:
            columns.append(solid.distances(start))
            joints.append(joint)
    if not columns:
        return np.zeros((len(vertices), 0)), np.zeros(0, int)
    every = _reach_islands(np.stack(columns, axis=1), solid)
    return every[cells] + beyond[:, None], np.array(joints)


def _bones_of(skeleton: Skeleton, world, joint: int) -> list[tuple[Float64, Float64]]:
    """The ends of the bones that turn with a joint."""
    here = world.positions[0, joint]
    ends = [world.positions[0, child] for child in skeleton.children[joint]]
    hanging = np.flatnonzero(skeleton.end_joints == joint)
    ends += [world.point(joint, skeleton.end_offsets[end])[0] for end in hanging]
    if not ends:
        parent = int(skeleton.parents[joint])
        above = np.zeros(3) if parent < 0 else here - world.positions[0, parent]
        ends.append(here + _LEAF * above)
    return [(here, end) for end in ends]


def _seeds(bones: list[tuple[Float64, Float64]], solid: Solid, extent: float, *, leaf: bool) -> Float64 | None:
    """(N,) distances of the cells along bones, infinite elsewhere; None where they lie outside."""
    start = np.full(len(solid.cells), np.inf)
    for here, there in bones:
        count = max(2, int(np.ceil(2 * np.linalg.norm(there - here) / solid.size)))
        points = here + np.linspace(0, 1, count)[:, None] * (there - here)
        cells = solid.cell_of(points)
        inside = cells >= 0
        if not inside.any() and leaf:
            nearest, far = solid.nearest(points)
            close = far < _BESIDE * extent
            np.minimum.at(start, nearest[close], far[close])
        away = np.linalg.norm(points[inside] - solid.centres[cells[inside]], axis=1)
        np.minimum.at(start, cells[inside], away)
    return start if np.isfinite(start).any() else None


def _reach_islands(far: Float64, solid: Solid) -> Float64:
    """Distances for shells that no bone lies in: those of the nearest cell that has some, and the way to it."""
    reached = np.isfinite(far).any(axis=1)
    if not reached.all():
        from scipy.spatial import KDTree

        away, nearest = KDTree(solid.centres[reached]).query(solid.centres[~reached])
        far[~reached] = far[np.flatnonzero(reached)[nearest]] + np.asarray(away)[:, None]
    return far


def _fall_off(far: Float64, cell: float) -> Float64:
    near = far.min(axis=1, keepdims=True) + _NEAR * cell
    return (near / (far + _NEAR * cell)) ** _FALL


def _spread_heat(vertices: Float64, faces: Int, far: Float64, cell: float) -> Float64:
    """(V, B) heat of each bone in balance: what the nearest bones give and what flows over the surface."""
    from scipy.sparse import csc_array, diags_array
    from scipy.sparse.linalg import splu

    _, first, welded = np.unique(
        np.round(vertices / (1e-5 * max(np.ptp(vertices), 1e-12))).astype(np.int64),
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    welded = welded.reshape(-1)
    points, far = vertices[first], far[first]
    flow, areas = _cotangents(points, welded[faces])
    near = far.min(axis=1)
    gives = far <= near[:, None] * 1.0001 + 1e-9
    heat = _HEAT * areas / np.maximum(near, 0.5 * cell) ** 2
    heat = np.maximum(heat, 1e-9 * heat.max())
    share = gives / gives.sum(axis=1, keepdims=True)
    solved = splu(csc_array(flow + diags_array(heat)), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    return np.maximum(solved.solve(heat[:, None] * share), 0)[welded]


def _cotangents(points: Float64, faces: Int):
    """The cotangent Laplacian (positive) without negative weights, and the area (V,) around each vertex."""
    from scipy.sparse import coo_array, diags_array

    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    corners = points[faces]
    rows, columns, values = [], [], []
    areas = np.zeros(len(points))
    doubled = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    for n in range(3):
        a, b = faces[:, (n + 1) % 3], faces[:, (n + 2) % 3]
        one, other = corners[:, (n + 1) % 3] - corners[:, n], corners[:, (n + 2) % 3] - corners[:, n]
        cotangent = np.einsum("tk,tk->t", one, other) / np.maximum(doubled, 1e-12)
        weight = np.clip(0.5 * cotangent, 1e-3, 50)
        rows += [a, b]
        columns += [b, a]
        values += [weight, weight]
        areas += np.bincount(faces[:, n], doubled / 6, len(points))
    row, column, value = np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
    between = coo_array((value, (row, column)), shape=(len(points), len(points))).tocsc()
    return diags_array(np.asarray(between.sum(axis=1)).reshape(-1)) - between, np.maximum(areas, 1e-12)


def _strongest(dense: Float64, joints: Int) -> tuple[Int32, Float32]:
    """A table (V, K) of the strongest joints with weights that add up to 1."""
    count, width = dense.shape
    kept = min(MOST, width)
    columns = np.argpartition(-dense, kept - 1, axis=1)[:, :kept]
    values = np.take_along_axis(dense, columns, 1)
    values = values / np.maximum(values.sum(axis=1, keepdims=True), 1e-300)
    values = np.where(values < _LEAST, 0, values)
    best = values.argmax(axis=1)
    values[np.arange(count), best] = np.maximum(values[np.arange(count), best], 1e-6)
    values = values / values.sum(axis=1, keepdims=True)
    used = values > 0
    vertices = np.repeat(np.arange(count), kept).reshape(count, kept)[used].astype(np.int32)
    return table_of_influences(vertices, joints[columns[used]].astype(np.int32), values[used].astype(np.float32), count)
