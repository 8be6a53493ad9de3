"""What the options of one state of a mobility map are worth for a goal (mobility A9, A13).

Each kind of cost is a column of a table, not yet weighted, so that a decision can be explained.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel

DISTANCE, DEVIATION, ARRIVAL, SPEED, SMOOTH, FACING, AWAY = range(7)
TERMS = 7
"""Columns: metres from the goal at the end; degrees that the body faces beside it there; seconds until the goal is reached, as well as
can be told;
metres per second off the wanted speed; sum of the transition costs; degrees off the wanted heading at the end; metres too near to what is
to be kept away from. Then a column for each label: the share of poses that do not carry it."""

_AT_GOAL = 0.05  # metres from a goal within which no direction leads to it


class Options(NamedTuple):
    """Arrays of `mobility.mobility_map.MobilityMap`, by the same names."""

    moves: np.ndarray
    frames: np.ndarray
    costs: np.ndarray
    steps: np.ndarray
    sequences: np.ndarray
    action_starts: np.ndarray
    action_to: np.ndarray
    action_moves: np.ndarray
    action_pose_starts: np.ndarray
    label_shares: np.ndarray


class Wanted(NamedTuple):
    """The goal: x, z, radius, heading (NaN: any); the speed wanted; how fast the library walks (m/s) and turns (rad/s); frames per
    second.
    """

    x: float
    z: float
    radius: float
    heading: float
    speed: float
    pace: float
    turning: float
    fps: float


@inlined_kernel
def _wrapped(angle):
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@inlined_kernel
def _left_to_do(wanted, x, z, heading):
    """Seconds that are needed from a stand: the rest of the way at the library's pace, and turning towards it."""
    dx, dz = wanted.x - x, wanted.z - z
    far = math.sqrt(dx * dx + dz * dz)
    if far <= wanted.radius:
        return 0.0
    beside = abs(_wrapped(math.atan2(dx, dz) - heading))
    return (far - wanted.radius) / wanted.pace + beside / wanted.turning


@kernel
def option_costs(options, state, first, last, place, wanted, circles, ends, terms):
    """Fill the columns for the options `first` to `last` of a state.

    Args:
        options: see `Options`.
        state: number of the state.
        place: (3,) x, z, heading of the body.
        wanted: see `Wanted`.
        circles: (K, 3) x, z, radius of what is to be kept away from, the body's own width counted in.
        ends: (last - first,) effort to the goal by way of each option; (0,): seconds are estimated.
        terms: (last - first, TERMS + L) float64; written.
    """
    sine, cosine = math.sin(place[2]), math.cos(place[2])
    for e in range(first, last):
        row = terms[e - first]
        move = options.moves[e]
        x = place[0] + cosine * move[0] + sine * move[1]
        z = place[1] + cosine * move[1] - sine * move[0]
        heading = place[2] + move[2]
        dx, dz = wanted.x - x, wanted.z - z
        far = math.sqrt(dx * dx + dz * dz)
        row[DISTANCE] = far
        row[DEVIATION] = 0.0 if far < _AT_GOAL else math.degrees(abs(_wrapped(math.atan2(dx, dz) - heading)))
        seconds = max(options.frames[e], 1) / wanted.fps
        row[SPEED] = abs(math.sqrt(move[0] ** 2 + move[1] ** 2) / seconds - wanted.speed)
        row[SMOOTH] = options.costs[e]
        row[FACING] = 0.0 if math.isnan(wanted.heading) else math.degrees(abs(_wrapped(wanted.heading - heading)))
        for k in range(options.label_shares.shape[1]):
            row[TERMS + k] = 1.0 - options.label_shares[e, k]
        # along the way: when it passes the goal, and how near it comes to what is to be kept away from
        x, z, heading, at = place[0], place[1], place[2], state
        played = 0.0
        arrival, near = np.inf, 0.0
        for n in range(options.steps[e]):
            action = options.action_starts[at] + options.sequences[e, n]
            step = options.action_moves[action]
            s, c = math.sin(heading), math.cos(heading)
            x, z = x + c * step[0] + s * step[1], z + c * step[1] - s * step[0]
            heading += step[2]
            played += (options.action_pose_starts[action + 1] - options.action_pose_starts[action]) / wanted.fps
            at = options.action_to[action]
            if arrival == np.inf and (wanted.x - x) ** 2 + (wanted.z - z) ** 2 <= wanted.radius**2:
                arrival = played
            for k in range(circles.shape[0]):
                gap = math.sqrt((x - circles[k, 0]) ** 2 + (z - circles[k, 1]) ** 2)
                near = max(near, circles[k, 2] - gap)
        if ends.shape[0] > 0:
            row[ARRIVAL] = ends[e - first]
        else:
            row[ARRIVAL] = min(arrival, played + _left_to_do(wanted, x, z, heading))
        row[AWAY] = near
