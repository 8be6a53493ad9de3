"""What it takes from each state of a graph of actions to a goal, wherever that lies: value iteration.

Goals are kept at the points of a polar grid around the body: distances x angles, angle 0 ahead and growing to the left. In between values
are interpolated; beyond the last distance the rest of the way is added at the library's pace.
"""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel


@inlined_kernel
def _value_at(row, distances, angles, x, z, radius, pace):
    """The value of one state (D * A,) for a goal at x (left), z (ahead) of the body."""
    far = math.sqrt(x * x + z * z)
    if far <= radius:
        return 0.0
    last = distances.shape[0] - 1
    beyond = max(far - distances[last], 0.0)
    far = min(far, distances[last])
    low = 0
    while low < last - 1 and distances[low + 1] < far:
        low += 1
    if far <= distances[0]:
        low, part = 0, 0.0
    else:
        part = (far - distances[low]) / (distances[low + 1] - distances[low])
    turn = math.atan2(x, z) * angles / (2.0 * math.pi)
    whole = math.floor(turn)
    share = turn - whole
    first = int(whole) % angles
    second = (first + 1) % angles
    a = row[low * angles + first] + share * (row[low * angles + second] - row[low * angles + first])
    low += 1
    b = row[low * angles + first] + share * (row[low * angles + second] - row[low * angles + first])
    return a + part * (b - a) + beyond / pace


@kernel
def improve_values(pointers, targets, moves, efforts, distances, angles, radius, pace, values):
    """One sweep in place: the value of a state is that of its best action, its effort and then the value where it ends.

    Args:
        pointers: (S + 1,) int64, the actions of each state; targets (A,) int32 where they end; moves (A, 3) float32; efforts (A,) float32.
        distances: (D,) metres; angles: how many directions.
        radius: metres within which a goal is reached; pace: metres for one unit of effort, beyond the grid.
        values: (S, D * angles) float32; written.

    Returns:
        the largest change.
    """
    cells = distances.shape[0] * angles
    goals = np.empty((cells, 2))
    for d in range(distances.shape[0]):
        for a in range(angles):
            turn = 2.0 * math.pi * a / angles
            goals[d * angles + a, 0] = distances[d] * math.sin(turn)
            goals[d * angles + a, 1] = distances[d] * math.cos(turn)
    most = 0.0
    best = np.empty(cells)
    for n in range(pointers.shape[0] - 1):
        state = pointers.shape[0] - 2 - n  # natural actions lead ahead: what comes later is better known first
        best[:] = np.inf
        for e in range(pointers[state], pointers[state + 1]):
            move, effort = moves[e], efforts[e]
            s, c = math.sin(move[2]), math.cos(move[2])
            there = values[targets[e]]
            for g in range(cells):
                if effort >= best[g]:
                    continue
                dx, dz = goals[g, 0] - move[0], goals[g, 1] - move[1]
                rest = _value_at(there, distances, angles, c * dx - s * dz, c * dz + s * dx, radius, pace)
                best[g] = min(best[g], effort + rest)
        row = values[state]
        for g in range(cells):
            most = max(most, abs(row[g] - best[g]))
            row[g] = best[g]
    return most


@kernel
def ends_worth(
    moves, efforts, targets, first, last, place, goal_x, goal_z, distances, angles, radius, pace, values, out
):
    """The effort to a goal with each option, as the value of its end tells: out (last - first,)."""
    sine, cosine = math.sin(place[2]), math.cos(place[2])
    for e in range(first, last):
        move = moves[e]
        x = place[0] + cosine * move[0] + sine * move[1]
        z = place[1] + cosine * move[1] - sine * move[0]
        heading = place[2] + move[2]
        s, c = math.sin(heading), math.cos(heading)
        dx, dz = goal_x - x, goal_z - z
        rest = _value_at(values[targets[e]], distances, angles, c * dx - s * dz, c * dz + s * dx, radius, pace)
        out[e - first] = efforts[e] + rest
