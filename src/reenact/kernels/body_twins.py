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
