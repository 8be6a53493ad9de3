"""The system of equations for moving a body so that its knees are spared (`solve.body_moves`): one step of its iteration."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.banded import solve_threes
from reenact.kernels.compiling import kernel

_FAST = 1e30  # what holds a frame where it is


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
def _set_up(away, stay, calm_body, off, gradient, loose, calm_knee, bent, rows, right):
    frames, legs = off.shape
    for f in range(frames - 2):  # second differences of how far the body is away, and of what knees are bent by
        for i in range(3):
            bent[f, i] = calm_body[f] ** 2 * (away[f, i] - 2.0 * away[f + 1, i] + away[f + 2, i])
        for n in range(legs):
            bent[f, 3 + n] = calm_knee[f, n] ** 2 * (off[f, n] - 2.0 * off[f + 1, n] + off[f + 2, n])
    for f in range(frames):
        # what a frame and the next two have to do with each other by the second differences they are part of
        first = calm_body[f] ** 2 if f < frames - 2 else 0.0
        middle = calm_body[f - 1] ** 2 if 0 < f < frames - 1 else 0.0
        last = calm_body[f - 2] ** 2 if f > 1 else 0.0
        here, one, two = first + 4.0 * middle + last, -2.0 * (first + middle), first
        weight = stay[f] * stay[f]
        g = 3 * f
        for i in range(3):
            rows[g + i, 0] += weight + here
            rows[g + i, 3] += one
            rows[g + i, 6] += two
            value = -weight * away[f, i]
            if f < frames - 2:
                value -= bent[f, i]
            if 0 < f < frames - 1:
                value += 2.0 * bent[f - 1, i]
            if f > 1:
                value -= bent[f - 2, i]
            right[g + i] += value
        for n in range(legs):
            x, y, z = gradient[f, n, 0], gradient[f, n, 1], gradient[f, n, 2]
            if x == 0.0 and y == 0.0 and z == 0.0:
                continue
            first = calm_knee[f, n] ** 2 if f < frames - 2 else 0.0
            middle = calm_knee[f - 1, n] ** 2 if 0 < f < frames - 1 else 0.0
            last = calm_knee[f - 2, n] ** 2 if f > 1 else 0.0
            one, two = -2.0 * (first + middle), first
            weight = loose[f, n] * loose[f, n]
            value = -weight * off[f, n]
            if f < frames - 2:
                value -= bent[f, 3 + n]
            if 0 < f < frames - 1:
                value += 2.0 * bent[f - 1, 3 + n]
            if f > 1:
                value -= bent[f - 2, 3 + n]
            right[g] += value * x
            right[g + 1] += value * y
            right[g + 2] += value * z
            weight += first + 4.0 * middle + last
            rows[g, 0] += weight * x * x
            rows[g, 1] += weight * x * y
            rows[g, 2] += weight * x * z
            rows[g + 1, 0] += weight * y * y
            rows[g + 1, 1] += weight * y * z
            rows[g + 2, 0] += weight * z * z
            if f < frames - 1:
                p, q, r = (
                    one * gradient[f + 1, n, 0],
                    one * gradient[f + 1, n, 1],
                    one * gradient[f + 1, n, 2],
                )
                rows[g, 3] += p * x
                rows[g, 4] += q * x
                rows[g, 5] += r * x
                rows[g + 1, 2] += p * y
                rows[g + 1, 3] += q * y
                rows[g + 1, 4] += r * y
                rows[g + 2, 1] += p * z
                rows[g + 2, 2] += q * z
                rows[g + 2, 3] += r * z
            if f < frames - 2:
                p, q, r = two * gradient[f + 2, n, 0], two * gradient[f + 2, n, 1], two * gradient[f + 2, n, 2]
                rows[g, 6] += p * x
                rows[g, 7] += q * x
                rows[g, 8] += r * x
                rows[g + 1, 5] += p * y
                rows[g + 1, 6] += q * y
                rows[g + 1, 7] += r * y
                rows[g + 2, 4] += p * z
                rows[g + 2, 5] += q * z
                rows[g + 2, 6] += r * z


def set_up(away, stay, calm_body, off, gradient, loose, calm_knee):
    """Normal equations for the next step of a body: the lower bands (9, 3 F) of their matrix, and the right side (3 F,).

    Wanted little are: `stay` times how far the body is away, `calm_body` times its second difference over frames, `loose` times what
    knees are bent by, `calm_knee` times its second difference.

    Args:
        away: (F, 3) float64 metres the body is moved so far.
        stay: (F,) weights.
        calm_body: (F,) weights, each of the second difference that begins at its frame; the last two count nothing.
        off, gradient: see `bend_knees`.
        loose: (F, L) weights.
        calm_knee: (F, L) weights, likewise.
    """
    rows, right = np.zeros((away.size, 9)), np.zeros(away.size)
    bent = np.empty((len(away), 3 + off.shape[1]))
    _set_up(away, stay, calm_body, off, gradient, loose, calm_knee, bent, rows, right)
    return rows.T, right


@kernel
def _cost(moved, start, given, firm, off, stay, loose, calm_body, calm_knee, narrow):
    frames, legs = off.shape
    found = 0.0
    for f in range(frames):
        own = 0.0
        for i in range(3):
            away = moved[f, i] - start[f, i]
            own += away * away
        found += stay[f] * stay[f] * own
        for n in range(legs):
            found += (loose[f, n] * off[f, n]) ** 2
        if firm[f]:
            x, z = moved[f, 0] - given[f, 0], moved[f, 2] - given[f, 2]
            found += narrow * (x * x + z * z)
        if f < frames - 2:
            own = 0.0
            for i in range(3):
                away = moved[f, i] - start[f, i] - 2.0 * (moved[f + 1, i] - start[f + 1, i])
                away += moved[f + 2, i] - start[f + 2, i]
                own += away * away
            found += calm_body[f] ** 2 * own
            for n in range(legs):
                found += (calm_knee[f, n] * (off[f, n] - 2.0 * off[f + 1, n] + off[f + 2, n])) ** 2
    return found


def cost(moved, start, given, firm, off, stay, loose, calm_body, calm_knee, width):
    """How much there is of what is wanted little of (see `set_up`), with the body moved by `moved` (F, 3) metres.

    Args:
        moved: (F, 3) float64 metres.
        start: (F, 3) moves that cost nothing.
        given: (F, 3) where the body shall be over the ground, in frames that are `firm`.
        firm: (F,) such frames.
        off, stay, loose, calm_body, calm_knee: see `set_up`.
        width: metres from there that count 1.
    """
    return _cost(moved, start, given, firm, off, stay, loose, calm_body, calm_knee, 1.0 / width**2)


@kernel
def _spare_knees(
    ways, full, scale, own, active, start, given, firm, stay, loose, calm_body, calm_knee, narrow, reach_only, damped,
    halvings, settled, still, moved,
):  # fmt: skip
    frames, legs = full.shape
    off, other_off = np.empty((frames, legs)), np.empty((frames, legs))
    gradient, other_gradient = np.empty((frames, legs, 3)), np.empty((frames, legs, 3))
    away, tried, bent = np.empty((frames, 3)), np.empty((frames, 3)), np.empty((frames, 3 + legs))
    rows, step = np.empty((3 * frames + 6, 9)), np.empty(3 * frames + 6)
    known, stuck = False, -1.0
    for n in range(damped.shape[0]):
        if damped[n] == stuck:
            continue
        if not known:
            _bend_knees(ways, moved, full, scale, own, active, damped[n], reach_only, off, gradient)
        for g in range(3 * frames + 6):
            step[g] = 0.0
            for k in range(9):
                rows[g, k] = 0.0
        for f in range(frames):
            for i in range(3):
                away[f, i] = moved[f, i] - start[f, i]
        _set_up(away, stay, calm_body, off, gradient, loose, calm_knee, bent, rows, step)
        for f in range(frames):
            if still[f]:
                for i in range(3):
                    rows[3 * f + i, 0] += _FAST
            if firm[f]:
                for i in range(0, 3, 2):
                    rows[3 * f + i, 0] += narrow
                    step[3 * f + i] -= (moved[f, i] - given[f, i]) * narrow
        if not solve_threes(rows, step):
            return False
        before = _cost(moved, start, given, firm, off, stay, loose, calm_body, calm_knee, narrow)
        known, size = False, 1.0
        for _ in range(halvings):
            for f in range(frames):
                for i in range(3):
                    tried[f, i] = moved[f, i] + size * step[3 * f + i]
            _bend_knees(ways, tried, full, scale, own, active, damped[n], reach_only, other_off, other_gradient)
            if _cost(tried, start, given, firm, other_off, stay, loose, calm_body, calm_knee, narrow) < before:
                known = True
                break
            size *= 0.5
        if not known:  # nor would it be with the same damping again
            stuck = damped[n]
            continue
        most = 0.0
        for f in range(frames):
            for i in range(3):
                most = max(most, abs(size * step[3 * f + i]))
                moved[f, i] = tried[f, i]
        if damped[n] == damped[-1] and most < settled:
            break
        off, other_off = other_off, off
        gradient, other_gradient = other_gradient, gradient
        known = n + 1 < damped.shape[0] and damped[n + 1] == damped[n]
    return True


def spare_knees(
    ways, full, scale, own, active, start, given, firm, stay, loose, calm_body, calm_knee, width, reach_only, damped,
    halvings, settled, begun=None, still=None,
):  # fmt: skip
    """(F, 3) metres the body is moved by so that there is little of what is wanted little of (see `set_up`): Gauss and Newton's iteration.

    Args:
        ways, full, scale, own, active, reach_only: see `bend_knees`.
        start, given, firm, width: see `cost`; it begins with `start`.
        stay, loose, calm_body, calm_knee: see `set_up`.
        damped: (N,) float64 radians of bend below which it is damped, in each step.
        halvings: how often a step that does not lessen the cost is made shorter.
        settled: metres; it ends after a step of less everywhere, once the damping is the last.
        begun: (F, 3) metres that it begins with; default: `start`.
        still: (F,) frames in which the body is where it begins; default: none.

    Raises:
        numpy.linalg.LinAlgError: the equations have no solution.
    """
    moved = np.array(start if begun is None else begun, dtype=np.float64)
    still = np.zeros(len(moved), np.bool_) if still is None else still
    if not _spare_knees(
        ways, full, scale, own, active, start, given, firm, stay, loose, calm_body, calm_knee,
        1.0 / width**2, bool(reach_only), damped, int(halvings), float(settled), still, moved,
    ):  # fmt: skip
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    return moved
