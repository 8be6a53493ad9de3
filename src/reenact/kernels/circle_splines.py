"""Curves of circle splines at given times, and axes carried along with a limb (`adapt.circle_splines`, `adapt.degrees`)."""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import kernel

BISECTIONS = 40
"""Halvings in which the place of a time on a piece is found."""


@kernel
def _tangent(points, a, b, c, out):
    """Unit tangent at point b of the circle through points a, b and c; those beyond the ends are mirrored."""
    count, width = points.shape
    first = second = 0.0
    for d in range(width):
        at = points[b, d]
        before = points[a, d] if a >= 0 else 2 * points[0, d] - points[1, d]
        after = points[c, d] if c < count else 2 * points[count - 1, d] - points[count - 2, d]
        first += (at - before) ** 2
        second += (after - at) ** 2
    total = 0.0
    for d in range(width):
        at = points[b, d]
        before = points[a, d] if a >= 0 else 2 * points[0, d] - points[1, d]
        after = points[c, d] if c < count else 2 * points[count - 1, d] - points[count - 2, d]
        out[d] = (at - before) / max(first, 1e-30) + (after - at) / max(second, 1e-30)
        total += out[d] * out[d]
    total = max(math.sqrt(total), 1e-30)
    for d in range(width):
        out[d] /= total


@kernel
def _place(points, k, u, way, length, first, mirrored, between, out):
    width = points.shape[1]
    weight = math.sin(0.5 * math.pi * u) ** 2
    along = 0.0
    for d in range(width):
        if between < 1e-9:
            out[d] = first[d]
        else:
            out[d] = (
                math.sin((1 - weight) * between) * first[d] + math.sin(weight * between) * mirrored[d]
            ) / math.sin(between)
        along += out[d] * way[d]
    along = min(max(along, -1.0), 1.0)
    angle = math.acos(along)
    size = 0.0
    for d in range(width):
        out[d] -= along * way[d]
        size += out[d] * out[d]
    size = math.sqrt(size)
    share = u if angle < 1e-8 else math.sin(u * angle) / math.sin(angle)
    left = (1 - u) * angle
    cosine, sine = math.cos(left), math.sin(left)
    for d in range(width):
        across = out[d] / size if size > 1e-12 else 0.0
        out[d] = points[k, d] + length * share * (cosine * way[d] + sine * across)


@kernel
def _curve_at(points, times, halvings, found):
    count, width = points.shape
    way, first, second, mirrored, out = (
        np.empty(width),
        np.empty(width),
        np.empty(width),
        np.empty(width),
        np.empty(width),
    )
    k, known = 0, -1
    between = length = 0.0
    flat = False
    for n in range(len(times)):
        time = times[n]
        while k < count - 2 and points[k + 1, 0] <= time:
            k += 1
        while k > 0 and points[k, 0] > time:
            k -= 1
        if k != known:
            known = k
            flat = True
            square = 0.0
            for d in range(width):
                way[d] = points[k + 1, d] - points[k, d]
                square += way[d] * way[d]
                if d > 0:
                    for j in range(max(k - 1, 0), min(k + 3, count)):
                        if points[j, d] != points[k, d]:
                            flat = False
            length = math.sqrt(square)
            for d in range(width):
                way[d] /= max(length, 1e-30)
            if not flat:
                _tangent(points, k - 1, k, k + 1, first)
                _tangent(points, k, k + 1, k + 2, second)
                along = cosine = 0.0
                for d in range(width):
                    along += second[d] * way[d]
                for d in range(width):
                    mirrored[d] = 2 * along * way[d] - second[d]
                    cosine += first[d] * mirrored[d]
                between = math.acos(min(max(cosine, -1.0), 1.0))
        if flat:
            for d in range(1, width):
                found[n, d - 1] = points[k, d]
            continue
        low, high = 0.0, 1.0
        for _ in range(halvings):
            middle = 0.5 * (low + high)
            _place(points, k, middle, way, length, first, mirrored, between, out)
            if out[0] < time:
                low = middle
            else:
                high = middle
        _place(points, k, 0.5 * (low + high), way, length, first, mirrored, between, out)
        for d in range(1, width):
            found[n, d - 1] = out[d]


def curve_at(points, times):
    """(N, D - 1) values at times (N,) of the curve through points (K, D), K at least 2, whose first column is time and rises."""
    found = np.empty((len(times), points.shape[1] - 1))
    _curve_at(np.ascontiguousarray(points, np.float64), np.ascontiguousarray(times, np.float64), BISECTIONS, found)
    return found


@kernel
def _carry(ways, start, found):
    axis = start.copy()
    for f in range(len(ways)):
        along = 0.0
        for k in range(3):
            along += axis[k] * ways[f, k]
        size = 0.0
        for k in range(3):
            axis[k] -= along * ways[f, k]
            size += axis[k] * axis[k]
        if size < 1e-12:  # the direction has turned a right angle within a frame
            before = max(f - 1, 0)
            axis[0] = ways[f, 1] * ways[before, 2] - ways[f, 2] * ways[before, 1]
            axis[1] = ways[f, 2] * ways[before, 0] - ways[f, 0] * ways[before, 2]
            axis[2] = ways[f, 0] * ways[before, 1] - ways[f, 1] * ways[before, 0]
            size = max(axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2, 1e-24)
        size = math.sqrt(size)
        for k in range(3):
            axis[k] /= size
            found[f, k] = axis[k]


def carry_axis(ways, start):
    """(F, 3) unit vectors across unit directions (F, 3), each the one before turned along with the direction; `start` (3,) begins."""
    found = np.empty((len(ways), 3))
    _carry(np.ascontiguousarray(ways, np.float64), np.ascontiguousarray(start, np.float64), found)
    return found
