"""Points of the skin within other parts of a body: distances on grids, and what they ask of the joints (`adapt.collisions`)."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import kernel

_FLAT, _STEEP = (
    0.3,
    1.5,
)  # slopes of distances are taken to be within these: where skin is equally far on two sides they are not known


@kernel
def _sample(values, start, shape, corner, cell, x, y, z, slope):
    """Distance and slope (3,) at a point in the grid's frame; FAR outside the grid."""
    u, v, w = (x - corner[0]) / cell, (y - corner[1]) / cell, (z - corner[2]) / cell
    if u < 0.0 or v < 0.0 or w < 0.0:
        return 1e9
    i, j, k = int(u), int(v), int(w)
    if i >= shape[0] - 1 or j >= shape[1] - 1 or k >= shape[2] - 1:
        return 1e9
    u, v, w = u - i, v - j, w - k
    along_j, along_i = shape[2], shape[1] * shape[2]
    at = start + i * along_i + j * along_j + k
    a000, a001 = values[at], values[at + 1]
    a010, a011 = values[at + along_j], values[at + along_j + 1]
    a100, a101 = values[at + along_i], values[at + along_i + 1]
    a110, a111 = values[at + along_i + along_j], values[at + along_i + along_j + 1]
    b00, b01 = a000 + (a001 - a000) * w, a010 + (a011 - a010) * w
    b10, b11 = a100 + (a101 - a100) * w, a110 + (a111 - a110) * w
    c0, c1 = b00 + (b01 - b00) * v, b10 + (b11 - b10) * v
    slope[0] = (c1 - c0) / cell
    slope[1] = ((b01 - b00) * (1 - u) + (b11 - b10) * u) / cell
    slope[2] = (
        ((a001 - a000) * (1 - v) + (a011 - a010) * v) * (1 - u) + ((a101 - a100) * (1 - v) + (a111 - a110) * v) * u
    ) / cell
    return c0 + (c1 - c0) * u


@kernel
def _field_distances(values, start, shape, corner, cell, points, found):
    slope = np.empty(3)
    for n in range(len(points)):
        value = _sample(values, start, shape, corner, cell, points[n, 0], points[n, 1], points[n, 2], slope)
        found[n] = value if value < 1e8 else np.inf


def field_distances(fields, part, points, found):
    """Distances (N,) into `found`, of points (N, 3) float64 in the frame of a part; infinite off its grid, and where it has none."""
    if fields.starts[part] < 0:
        found[:] = np.inf
        return
    _field_distances(
        fields.values, int(fields.starts[part]), fields.shapes[part], fields.corners[part], float(fields.cells[part]),
        points, found,
    )  # fmt: skip


@kernel
def _angles(corners, areas, first, last, x, y, z):
    """Solid angles of some triangles."""
    total = 0.0
    for t in range(first, last):
        ax, ay, az = corners[t, 0, 0] - x, corners[t, 0, 1] - y, corners[t, 0, 2] - z
        bx, by, bz = corners[t, 1, 0] - x, corners[t, 1, 1] - y, corners[t, 1, 2] - z
        cx, cy, cz = corners[t, 2, 0] - x, corners[t, 2, 1] - y, corners[t, 2, 2] - z
        mx, my, mz = (ax + bx + cx) / 3, (ay + by + cy) / 3, (az + bz + cz) / 3
        square = mx * mx + my * my + mz * mz
        nx, ny, nz = areas[t, 0], areas[t, 1], areas[t, 2]
        area = math.sqrt(nx * nx + ny * ny + nz * nz)
        if square > 36.0 * area:  # seen from afar a triangle is a speck
            total += (mx * nx + my * ny + mz * nz) / (square * math.sqrt(square))
            continue
        a, b, c = (
            math.sqrt(ax * ax + ay * ay + az * az),
            math.sqrt(bx * bx + by * by + bz * bz),
            math.sqrt(cx * cx + cy * cy + cz * cz),
        )
        volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        base = (
            a * b * c
            + (ax * bx + ay * by + az * bz) * c
            + (bx * cx + by * cy + bz * cz) * a
            + (cx * ax + cy * ay + cz * az) * b
        )
        total += 2.0 * math.atan2(volume, base)
    return total


@kernel
def _winding(corners, areas, bundles, middles, sums, points, found):
    for n in range(len(points)):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        total = 0.0
        for g in range(len(bundles)):
            mx, my, mz = middles[g, 0] - x, middles[g, 1] - y, middles[g, 2] - z
            square = mx * mx + my * my + mz * mz
            if square > 9.0 * middles[g, 3] * middles[g, 3]:  # seen from afar a bundle of triangles is a speck
                total += (mx * sums[g, 0] + my * sums[g, 1] + mz * sums[g, 2]) / (square * math.sqrt(square))
            else:
                total += _angles(corners, areas, bundles[g, 0], bundles[g, 1], x, y, z)
        found[n] = total / (4.0 * math.pi)


_BUNDLE = 24
"""Most triangles that are looked at as one from afar."""


def winding_numbers(corners, points):
    """How often a surface winds around each point, (N,): 1 inside a closed one, 0 outside (Jacobson et al. 2013).

    Args:
        corners: (T, 3, 3) float64, the corners of its triangles.
        points: (N, 3) float64.
    """
    bundles = _bundled(corners.mean(axis=1))
    order = np.concatenate(bundles)
    ends = np.cumsum([len(bundle) for bundle in bundles])
    corners = np.ascontiguousarray(corners[order])
    areas = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    ranges = np.column_stack([np.concatenate([[0], ends[:-1]]), ends])
    middles, sums = np.empty((len(ranges), 4)), np.empty((len(ranges), 3))
    for g, (first, last) in enumerate(ranges):
        some = corners[first:last].reshape(-1, 3)
        middles[g, :3] = some.mean(axis=0)
        middles[g, 3] = np.linalg.norm(some - middles[g, :3], axis=1).max()
        sums[g] = areas[first:last].sum(axis=0)
    found = np.empty(len(points))
    _winding(corners, areas, ranges, middles, sums, np.ascontiguousarray(points), found)
    return found


def _bundled(places):
    """Numbers of places in bundles of neighbours, halved across their longest side."""
    waiting, done = [np.arange(len(places))], []
    while waiting:
        some = waiting.pop()
        if len(some) <= _BUNDLE:
            done.append(some)
            continue
        axis = int(np.ptp(places[some], axis=0).argmax())
        order = some[np.argsort(places[some, axis], kind="stable")]
        waiting += [order[: len(order) // 2], order[len(order) // 2 :]]
    return done


@kernel
def _part_frames(positions, rotations, joints, places, turns):
    """World frames of the parts: `places` (F, P, 3), `turns` (F, P, 9)."""
    for f in range(positions.shape[0]):
        for p in range(len(joints)):
            j = joints[p]
            w, x, y, z = rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            places[f, p, 0], places[f, p, 1], places[f, p, 2] = (
                positions[f, j, 0],
                positions[f, j, 1],
                positions[f, j, 2],
            )
            turns[f, p, 0], turns[f, p, 1], turns[f, p, 2] = (
                1 - 2 * (y * y + z * z),
                2 * (x * y - w * z),
                2 * (x * z + w * y),
            )
            turns[f, p, 3], turns[f, p, 4], turns[f, p, 5] = (
                2 * (x * y + w * z),
                1 - 2 * (x * x + z * z),
                2 * (y * z - w * x),
            )
            turns[f, p, 6], turns[f, p, 7], turns[f, p, 8] = (
                2 * (x * z - w * y),
                2 * (y * z + w * x),
                1 - 2 * (x * x + y * y),
            )


@kernel
def _find(
    places, turns, values, starts, shapes, corners, cells, centres, radii,
    first, last, probes, pairs, allowed, offsets, reach, frames, depths, points, normals, whose,
):  # fmt: skip
    """Contacts in all frames; their number. See `find_contacts`."""
    slope = np.empty(3)
    count, room = 0, len(frames)
    for f in range(places.shape[0]):
        for n in range(len(pairs)):
            a, b = pairs[n, 0], pairs[n, 1]
            ca, cb = centres[a], centres[b]
            ta, tb, oa, ob = turns[f, a], turns[f, b], places[f, a], places[f, b]
            square = 0.0
            for k in range(3):
                apart = (
                    oa[k] + ta[3 * k] * ca[0] + ta[3 * k + 1] * ca[1] + ta[3 * k + 2] * ca[2]
                    - ob[k] - tb[3 * k] * cb[0] - tb[3 * k + 1] * cb[1] - tb[3 * k + 2] * cb[2]
                )  # fmt: skip
                square += apart * apart
            near = radii[a] + radii[b] + reach
            if square > near * near:
                continue
            for m in range(first[a], last[a]):
                free = allowed[offsets[n] + m - first[a]]
                if free > 1e8:
                    continue
                px = oa[0] + ta[0] * probes[m, 0] + ta[1] * probes[m, 1] + ta[2] * probes[m, 2]
                py = oa[1] + ta[3] * probes[m, 0] + ta[4] * probes[m, 1] + ta[5] * probes[m, 2]
                pz = oa[2] + ta[6] * probes[m, 0] + ta[7] * probes[m, 1] + ta[8] * probes[m, 2]
                dx, dy, dz = px - ob[0], py - ob[1], pz - ob[2]
                x = tb[0] * dx + tb[3] * dy + tb[6] * dz
                y = tb[1] * dx + tb[4] * dy + tb[7] * dz
                z = tb[2] * dx + tb[5] * dy + tb[8] * dz
                distance = _sample(values, starts[b], shapes[b], corners[b], cells[b], x, y, z, slope)
                depth = reach - distance - free
                if depth <= 0.0:
                    continue
                size = math.sqrt(slope[0] ** 2 + slope[1] ** 2 + slope[2] ** 2)  # about 1, but far from the skin
                if size < 1e-9 or count >= room:
                    continue
                length = min(max(size, _FLAT), _STEEP) / size
                frames[count], depths[count], whose[count] = f, depth, n
                points[count, 0], points[count, 1], points[count, 2] = px, py, pz
                for k in range(3):
                    normals[count, k] = length * (
                        tb[3 * k] * slope[0] + tb[3 * k + 1] * slope[1] + tb[3 * k + 2] * slope[2]
                    )
                count += 1
    return count


def find_contacts(world, joints, fields, probes, pairs, allowed, offsets, reach, room):
    """Points of the skin nearer to the skin of another part than `reach`, or within it.

    Args:
        world: positions (F, J, 3) and rotations (F, J, 4) float64.
        joints: (P,) int32, the joint of each part.
        fields: see `body.part_fields`.
        probes: (first (P,), last (P,), points (N, 3)): of each part its range of points, in the frame of its joint.
        pairs: (K, 2) int32: part whose points are looked at, and part whose skin they are looked for in.
        allowed: for each pair, from `offsets` on, for each point of its first part metres that it may be deeper; more than 1e8: it is
            not looked at.
        offsets: (K,) int32.
        reach: metres.
        room: most contacts that are found.

    Returns:
        frames (C,) int32, depths (C,) metres beyond what is allowed, points (C, 3), slopes (C, 3) of the distance to the other part,
        about 1 long, and number of the pair (C,) int32.
    """
    positions, rotations = world
    count, parts = len(positions), len(joints)
    places, turns = np.empty((count, parts, 3)), np.empty((count, parts, 9))
    _part_frames(positions, rotations, joints, places, turns)
    frames, whose = np.empty(room, np.int32), np.empty(room, np.int32)
    depths, points, normals = np.empty(room), np.empty((room, 3)), np.empty((room, 3))
    found = _find(
        places, turns, fields.values, fields.starts, fields.shapes, fields.corners, fields.cells, fields.centres, fields.radii,
        probes[0], probes[1], probes[2], pairs, allowed, offsets, float(reach), frames, depths, points, normals, whose,
    )  # fmt: skip
    return frames[:found], depths[:found], points[:found], normals[:found], whose[:found]


@kernel
def _slopes(frames, points, normals, whose, pairs, origins, spins, link_dof, moves, slopes):
    for c in range(len(frames)):
        f, a, b = frames[c], pairs[whose[c], 0], pairs[whose[c], 1]
        for d in range(slopes.shape[1]):
            slopes[c, d] = 0.0
        for n in range(len(link_dof)):
            side = int(moves[n, a]) - int(moves[n, b])
            if side == 0:
                continue
            rx, ry, rz = (
                points[c, 0] - origins[f, n, 0],
                points[c, 1] - origins[f, n, 1],
                points[c, 2] - origins[f, n, 2],
            )
            sx, sy, sz = spins[f, n, 0], spins[f, n, 1], spins[f, n, 2]
            along = (
                normals[c, 0] * (sy * rz - sz * ry)
                + normals[c, 1] * (sz * rx - sx * rz)
                + normals[c, 2] * (sx * ry - sy * rx)
            )
            slopes[c, link_dof[n]] -= side * along


def contact_slopes(frames, points, normals, whose, pairs, origins, spins, link_dof, moves, dofs):
    """(C, D) how the depth of each contact changes with each degree of freedom.

    Args:
        frames, points, normals, whose: of the contacts, see `find_contacts`.
        pairs: (K, 2) parts.
        origins: (F, L, 3) float64, places of the joints that turn, by link.
        spins: (F, L, 3) the axes they turn about in the world, per radian.
        link_dof: (L,) int32, the degree of freedom each link belongs to.
        moves: (L, P) bool, the parts that each link moves.
        dofs: D.
    """
    slopes = np.empty((len(frames), dofs))
    _slopes(frames, points, normals, whose, pairs, origins, spins, link_dof, moves, slopes)
    return slopes
