"""Plain NumPy twins of the kernels in `kernels.body_moves`: the readable definition, and the reference of their tests."""

from __future__ import annotations

import numpy as np


def bend_knees(ways, moved, full, scale, own, active, damped, reach_only=False):
    """What knees are bent by, and its gradient; see `kernels.body_moves.bend_knees`."""

    def bend(reach):
        square = (full**2 - reach**2) / scale
        inside = np.maximum(square, 0.0)
        wide = inside + damped**2
        slope = (0.5 * inside + damped**2) / wide**1.5 * (-2 * reach / scale)
        return np.where(square > 0, square / np.sqrt(wide), square / damped), slope

    way = ways - moved[:, None]
    reach = np.maximum(np.linalg.norm(way, axis=2), 1e-9)
    new, slope = bend(reach)
    off, gradient = new - bend(own)[0], (-slope / reach)[..., None] * way
    if reach_only:
        short = new < damped
        off, gradient = np.where(short, new - damped, 0.0), np.where(short[..., None], gradient, 0.0)
    return np.where(active[:, None], off, 0.0), np.where(active[:, None, None], gradient, 0.0)


def set_up(away, stay, calm_body, off, gradient, loose, calm_knee):
    """Normal equations, by their rows; see `kernels.body_moves.set_up`."""
    frames, legs = off.shape
    size = 3 * frames
    rows = [np.repeat(stay, 3)[:, None] * np.eye(size)]
    values = [np.repeat(stay, 3) * away.ravel()]
    bend = np.zeros((frames * legs, size))
    for f in range(frames):
        for n in range(legs):
            bend[f * legs + n, 3 * f : 3 * f + 3] = gradient[f, n]
    rows.append(loose.reshape(-1, 1) * bend)
    values.append((loose * off).ravel())
    for weight, matrix, value, width in ((calm_body, np.eye(size), away, 3), (calm_knee, bend, off, legs)):
        by_frame = matrix.reshape(frames, width, size)
        each = np.repeat(weight.reshape(frames, -1)[:-2], width // weight.reshape(frames, -1).shape[1], axis=1).ravel()
        rows.append(each[:, None] * np.diff(by_frame, 2, axis=0).reshape(-1, size))
        values.append(each * np.diff(value, 2, axis=0).ravel())
    matrix, value = np.concatenate(rows), np.concatenate(values)
    square = matrix.T @ matrix
    lower = np.zeros((9, size))
    for down in range(min(9, size)):
        lower[down, : size - down] = np.diagonal(square, -down)
    return lower, -matrix.T @ value


def cost(moved, start, given, firm, off, stay, loose, calm_body, calm_knee, width):
    """How much there is of what is wanted little of; see `kernels.body_moves.cost`."""
    away = moved - start
    beside = (moved - given)[firm][:, [0, 2]] / width
    parts = (stay[:, None] * away, loose * off, beside)
    calm = (calm_body[:-2, None] * np.diff(away, 2, axis=0), calm_knee[:-2] * np.diff(off, 2, axis=0))
    return sum(float((part**2).sum()) for part in (*parts, *calm))


def spare_knees(
    ways, full, scale, own, active, start, given, firm, stay, loose, calm_body, calm_knee, width, reach_only, damped,
    halvings, settled, begun=None, still=None,
):  # fmt: skip
    """(F, 3) metres the body is moved by; see `kernels.body_moves.spare_knees`."""
    moved, size = (start if begun is None else begun).copy(), start.size
    free = np.ones(size, np.bool_) if still is None else ~np.repeat(still, 3)
    for one in damped:
        off, gradient = bend_knees(ways, moved, full, scale, own, active, one, reach_only)
        lower, right = set_up(moved - start, stay, calm_body, off, gradient, loose, calm_knee)
        for axis in (0, 2):
            lower[0, axis::3][firm] += 1 / width**2
            right[axis::3][firm] -= (moved - given)[firm, axis] / width**2
        matrix = sum(np.diag(lower[down, : size - down], -down) for down in range(min(9, size)))
        step = np.zeros(size)
        step[free] = np.linalg.solve((matrix + np.tril(matrix, -1).T)[np.ix_(free, free)], right[free])
        step = step.reshape(-1, 3)
        rest = start, given, firm
        before = cost(moved, *rest, off, stay, loose, calm_body, calm_knee, width)
        for _ in range(halvings):
            off = bend_knees(ways, moved + step, full, scale, own, active, one, reach_only)[0]
            if cost(moved + step, *rest, off, stay, loose, calm_body, calm_knee, width) < before:
                moved = moved + step
                break
            step = 0.5 * step
        else:
            continue
        if one == damped[-1] and float(np.abs(step).max()) < settled:
            break
    return moved
