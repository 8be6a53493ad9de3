"""How far points are from the skin of each part of a body: distances on a grid in the frame of the part's joint, kept once per body.

A grid holds signed distances to the skin of the whole limb, seen from one of its parts: inside the limb, holes at its ends closed, they are
below zero. Beside the ends of a part the grids of neighbours overlap, so that a limb has no gaps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact import kernels
from reenact.body.limb_parts import GROUPS
from reenact.body.part_skin import BodySkin, closed_faces, has_skin
from reenact.core.arrays import Bool, Float, Float32, Float64, Int, Int32

_CELLS = 26  # along the longest side of a grid
_BESIDE = 0.04  # metres of grid around the skin of a part, for a body of 1.7 m: as far as distances are known
_BODY = 1.7  # metres
_SAMPLE = 0.5  # of a cell: samples of the skin lie this near
_MOST_SAMPLES = 24  # along an edge


@dataclass(frozen=True, slots=True, eq=False)
class PartFields:
    """Grids of signed distances, one behind the other.

    Attributes:
        values: (G,) float32 metres.
        starts: (P,) where the grid of each part begins; -1 for a part without skin.
        shapes: (P, 3) nodes along x, y and z.
        corners: (P, 3) metres, the first node, in the frame of the part's joint.
        cells: (P,) metres from node to node.
        centres, radii: (P, 3) and (P,), a ball around the skin of each part, in the frame of its joint.
    """

    values: Float32
    starts: Int32
    shapes: Int32
    corners: Float64
    cells: Float64
    centres: Float64
    radii: Float64

    def distances(self, part: int, points: Float) -> Float:
        """(N,) metres from points (N, 3) in the frame of a part's joint to its skin; infinite outside its grid."""
        found = np.full(len(points), np.inf)
        kernels.skin_contacts.field_distances(self, part, np.asarray(points, np.float64), found)
        return found


def part_fields(skin: BodySkin, cells: int = _CELLS) -> PartFields:
    """Grids of all parts of a body.

    Args:
        skin: the body's skin.
        cells: nodes along the longest side of a grid.
    """
    size = float(np.ptp(skin.places, axis=0).max()) / _BODY
    count = len(skin.parts)
    values, starts = [], np.full(count, -1, np.int32)
    shapes, corners = np.zeros((count, 3), np.int32), np.zeros((count, 3))
    steps, centres, radii = np.ones(count), np.zeros((count, 3)), np.zeros(count)
    used = 0
    for group in range(len(GROUPS)):
        numbers = [n for n in np.flatnonzero(skin.of_groups == group) if has_skin(skin, int(n))]
        if not numbers:
            continue
        faces = skin.faces[np.isin(skin.face_part, numbers)]
        names, flat = np.unique(faces, return_inverse=True)
        flat = flat.reshape(faces.shape)
        outer = _outer(skin.places[names], flat, _BESIDE * size * 0.05)
        for n in numbers:
            joint = skin.parts[n].joint
            local = skin.local(names, joint)
            own = local[np.unique(flat[skin.face_part[np.isin(skin.face_part, numbers)] == n])]
            low, high = own.min(axis=0) - _BESIDE * size, own.max(axis=0) + _BESIDE * size
            cell = float((high - low).max()) / (cells - 1)
            shape = np.ceil((high - low) / cell).astype(np.int32) + 1
            grid = _distances(local, flat, outer, low, cell, shape)
            starts[n], shapes[n], corners[n], steps[n] = used, shape, low, cell
            centres[n] = 0.5 * (own.min(axis=0) + own.max(axis=0))
            radii[n] = np.linalg.norm(own - centres[n], axis=1).max()
            values.append(grid.astype(np.float32).ravel())
            used += grid.size
    return PartFields(np.concatenate(values), starts, shapes, corners, steps, centres, radii)


def _outer(places: Float, faces: Int, over: float) -> Bool:
    """(T,) faces that are the outside of a limb: where it is put together from shells, ends of one lie within the next."""
    closed, all_faces = closed_faces(places, faces)
    corner = places[faces]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-15)
    found = kernels.skin_contacts.winding_numbers(closed[all_faces], corner.mean(axis=1) + over * normal) < 0.5
    return found if found.any() else np.ones(len(faces), np.bool_)


def _distances(places: Float, faces: Int, outer: Bool, low: Float, cell: float, shape: Int) -> Float:
    """Signed distances at the nodes of a grid: how far from samples of the skin, and whether the closed skin winds around."""
    from scipy.spatial import KDTree

    axes = [low[k] + cell * np.arange(shape[k]) for k in range(3)]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    reach = cell * float(np.linalg.norm(shape))
    near = (
        (places[faces].min(axis=1) < nodes.max(axis=0) + 0.5 * reach) & (places[faces].max(axis=1) > low - 0.5 * reach)
    ).all(axis=1)
    near &= outer
    samples, normals = _sampled(places, faces[near] if near.any() else faces, _SAMPLE * cell)
    far, which = KDTree(samples).query(nodes)
    over = np.abs(((nodes - samples[which]) * normals[which]).sum(axis=1))
    aside = np.sqrt(np.maximum(far * far - over * over, 0.0))
    flat = np.hypot(over, np.maximum(aside - _SAMPLE * cell, 0.0))
    closed, all_faces = closed_faces(places, faces)
    winding = kernels.skin_contacts.winding_numbers(closed[all_faces], nodes)
    return np.where(winding > 0.5, -flat, flat).reshape(shape)


def _sampled(places: Float, faces: Int, apart: float) -> tuple[Float, Float]:
    """Points all over faces, at most so far apart, and the normals there."""
    corner = places[faces]
    cross = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    lengths = np.linalg.norm(cross, axis=1, keepdims=True)
    normal = np.divide(cross, lengths, out=np.zeros_like(cross), where=lengths > 0)
    longest = np.linalg.norm(corner - np.roll(corner, 1, axis=1), axis=2).max(axis=1)
    count = np.clip(np.ceil(longest / apart), 1, _MOST_SAMPLES).astype(int)
    points, normals = [], []
    for n in np.unique(count):
        some = count == n
        i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
        keep = i + j <= n
        share = np.column_stack([i[keep], j[keep], n - i[keep] - j[keep]]) / n
        points.append(np.einsum("sc,tci->tsi", share, corner[some]).reshape(-1, 3))
        normals.append(np.repeat(normal[some], len(share), axis=0))
    return np.concatenate(points), np.concatenate(normals)
