"""The system of equations for moving a body so that its knees are spared (`solve.body_moves`): one step of its iteration."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _bend_knees(ways, moved, full, scale, own, active, damped, reach_only, off, gradient):
    for f in range(ways.shape[0]):
        for n in range(ways.shape[1]):
            off[f, n] = 0.0
            for k in range(3):
                gradient[f, n, k] = 0.0
            if not active[f]:
                continue
            x, y, z = ways[f, n, 0] - moved[f, 0], ways[f, n, 1] - moved[f, 1], ways[f, n, 2] - moved[f, 2]
            reach = max(math.sqrt(x * x + y * y + z * z), 1e-9)
            square = (full[f, n] * full[f, n] - reach * reach) / scale[
                f, n
            ]  # (2 sin(bend / 2))^2, below zero beyond reach
            inside = max(square, 0.0)
            wide = inside + damped * damped
            root = math.sqrt(wide)
            bend = square / root if square > 0.0 else square / damped
            slope = (0.5 * inside + damped * damped) / (wide * root) * (-2.0 * reach / scale[f, n])
            if reach_only:
                if bend >= damped:
                    continue
                off[f, n] = bend - damped
            else:
                square = (full[f, n] * full[f, n] - own[f, n] * own[f, n]) / scale[f, n]
                off[f, n] = bend - (square / math.sqrt(square + damped * damped) if square > 0.0 else square / damped)
            factor = -slope / reach
            gradient[f, n, 0], gradient[f, n, 1], gradient[f, n, 2] = factor * x, factor * y, factor * z


def bend_knees(ways, moved, full, scale, own, active, damped, reach_only=False):
    """What knees are bent by when the body is moved: (radians (F, L), their gradient by the body's place (F, L, 3)).

    Near a straight leg a damped bend stands for the bend; beyond reach it goes on below zero, as steeply as it got there.

    Args:
        ways: (F, L, 3) float64 metres from the hips to where the ankles shall be.
        moved: (F, 3) metres the body is moved.
        full: (F, L) metres, the lengths of the legs.
        scale: (F, L) square metres, thigh times shank.
        own: (F, L) metres, how far the ankles are from the hips as they are.
        active: (F,) frames that count; nothing in others.
        damped: radians of bend below which it is damped.
        reach_only: only legs that are too short count.
    """
    off, gradient = np.empty(ways.shape[:2]), np.empty(ways.shape)
    _bend_knees(ways, moved, full, scale, own, active, float(damped), bool(reach_only), off, gradient)
    return off, gradient


@kernel
def _set_up(away, stay, calm_body, off, gradient, loose, calm_knee, lower, right):
    frames, legs = off.shape
    body, knee = calm_body * calm_body, calm_knee * calm_knee
    parts = (1.0, -2.0, 1.0)
    for f in range(frames):
        weight = stay[f] * stay[f]
        for i in range(3):
            lower[0, 3 * f + i] += weight
            right[3 * f + i] -= weight * away[f, i]
        for n in range(legs):
            weight = loose[f, n] * loose[f, n]
            for i in range(3):
                right[3 * f + i] -= weight * gradient[f, n, i] * off[f, n]
                for j in range(i, 3):
                    lower[j - i, 3 * f + i] += weight * gradient[f, n, i] * gradient[f, n, j]
    for f in range(frames - 2):
        for i in range(3):
            bent = body * (away[f, i] - 2.0 * away[f + 1, i] + away[f + 2, i])
            for a in range(3):
                right[3 * (f + a) + i] -= parts[a] * bent
                for b in range(a, 3):
                    lower[3 * (b - a), 3 * (f + a) + i] += body * parts[a] * parts[b]
        for n in range(legs):
            bent = off[f, n] - 2.0 * off[f + 1, n] + off[f + 2, n]
            for a in range(3):
                for i in range(3):
                    row = knee * parts[a] * gradient[f + a, n, i]
                    if row == 0.0:
                        continue
                    right[3 * (f + a) + i] -= row * bent
                    for j in range(i, 3):
                        lower[j - i, 3 * (f + a) + i] += row * parts[a] * gradient[f + a, n, j]
                    for b in range(a + 1, 3):
                        for j in range(3):
                            lower[3 * (b - a) + j - i, 3 * (f + a) + i] += row * parts[b] * gradient[f + b, n, j]


def set_up(away, stay, calm_body, off, gradient, loose, calm_knee):
    """Normal equations for the next step of a body: the lower bands (9, 3 F) of their matrix, and the right side (3 F,).

    Wanted little are: `stay` times how far the body is away, `calm_body` times its second difference over frames, `loose` times what
    knees are bent by, `calm_knee` times its second difference.

    Args:
        away: (F, 3) float64 metres the body is moved so far.
        stay: (F,) weights.
        calm_body: a weight.
        off, gradient: see `bend_knees`.
        loose: (F, L) weights.
        calm_knee: a weight.
    """
    lower, right = np.zeros((9, away.size)), np.zeros(away.size)
    _set_up(away, stay, float(calm_body), off, gradient, loose, float(calm_knee), lower, right)
    return lower, right
