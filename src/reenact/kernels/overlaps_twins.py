"""Plain NumPy twins of `kernels.overlaps` and of the contacts of `kernels.skin_contacts`."""

from __future__ import annotations

import numpy as np


def capsule_depths(starts, ends, radii, pairs):
    """See `kernels.overlaps.capsule_depths`: the nearest of the ends of each line against the other, and of the lines inside both."""
    first, second = pairs.T
    p, q, u, v = starts[:, first], starts[:, second], (ends - starts)[:, first], (ends - starts)[:, second]

    def to_line(point, start, way):
        square = np.maximum((way * way).sum(axis=-1), 1e-18)
        share = np.clip(((point - start) * way).sum(axis=-1) / square, 0, 1)
        return np.linalg.norm(point - start - share[..., None] * way, axis=-1)

    near = np.minimum.reduce([to_line(p, q, v), to_line(p + u, q, v), to_line(q, p, u), to_line(q + v, p, u)])
    w = p - q
    a, b, c = (u * u).sum(axis=-1), (u * v).sum(axis=-1), (v * v).sum(axis=-1)
    d, e = (u * w).sum(axis=-1), (v * w).sum(axis=-1)
    cross = a * c - b * b
    safe = np.where(cross > 1e-12 * a * c, cross, 1.0)
    s, t = (b * e - c * d) / safe, (a * e - b * d) / safe
    inside = (cross > 1e-12 * a * c) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    lines = np.linalg.norm(w + s[..., None] * u - t[..., None] * v, axis=-1)
    return radii[first] + radii[second] - np.where(inside, np.minimum(near, lines), near)


def find_contacts(world, joints, fields, probes, pairs, allowed, offsets, reach):
    """Frames, depths and pairs of the contacts that `kernels.skin_contacts.find_contacts` finds, by the same grids."""
    positions, rotations = world
    first, last, points = probes
    found = []
    for f in range(len(positions)):
        turns = [_matrix(rotations[f, joint]) for joint in joints]
        for n, (a, b) in enumerate(pairs):
            centres = [turns[n] @ fields.centres[n] + positions[f, joints[n]] for n in (a, b)]
            if np.linalg.norm(centres[0] - centres[1]) > fields.radii[a] + fields.radii[b] + reach:
                continue  # beyond that the neighbours of these parts have pairs of their own
            own = points[first[a] : last[a]]
            there = own @ turns[a].T + positions[f, joints[a]]
            local = (there - positions[f, joints[b]]) @ turns[b]
            free = allowed[offsets[n] : offsets[n] + len(own)]
            depths = reach - _trilinear(fields, b, local) - free
            found += [
                (f, float(depth), n) for depth, ease in zip(depths, free, strict=True) if depth > 0 and ease < 1e8
            ]
    return found


def _matrix(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _trilinear(fields, part, points):
    shape = fields.shapes[part]
    grid = fields.values[fields.starts[part] :][: np.prod(shape)].reshape(shape)
    place = (points - fields.corners[part]) / fields.cells[part]
    known = ((place >= 0) & (place.astype(int) < shape - 1)).all(axis=1)
    found = np.full(len(points), np.inf)
    for n in np.flatnonzero(known):
        low = place[n].astype(int)
        cell = grid[tuple(slice(i, i + 2) for i in low)].astype(np.float64)
        for share in place[n] - low:
            cell = cell[0] * (1 - share) + cell[1] * share
        found[n] = cell
    return found
