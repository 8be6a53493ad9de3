"""Chains of poses with a single way on, followed from every edge of a state to the next one."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _follow(pointers, targets, costs, increments, is_state, first_edges, ends, counts, totals, moves, poses):
    """Follow every edge to a state; returns the poses passed, or -1 for a chain without end. Writes `poses` where it has room."""
    passed = 0
    for action in range(len(first_edges)):
        edge = first_edges[action]
        x, z, heading, cost = 0.0, 0.0, 0.0, 0.0
        count = 0
        while True:
            pose = targets[edge]
            cost += costs[edge]
            sine, cosine = np.sin(heading), np.cos(heading)
            dx, dz = increments[pose, 0], increments[pose, 1]
            x += cosine * dx + sine * dz
            z += cosine * dz - sine * dx
            heading += increments[pose, 2]
            if passed < len(poses):
                poses[passed] = pose
            passed += 1
            count += 1
            if is_state[pose]:
                break
            if count > len(is_state) or pointers[pose + 1] == pointers[pose]:
                return -1
            edge = pointers[pose]
        ends[action], counts[action], totals[action] = pose, count, cost
        moves[action, 0], moves[action, 1], moves[action, 2] = x, z, heading
    return passed


def follow_chains(pointers, targets, costs, increments, is_state):
    """Every edge of a state followed along poses with one way on to the next state.

    Args:
        pointers: (N + 1,) int64, edges of pose v: pointers[v]..pointers[v + 1].
        targets: (E,) int32 poses.
        costs: (E,) float32.
        increments: (N, 3) float32 (dx, dz, dheading) of entering each pose.
        is_state: (N,) bool.

    Returns:
        for A actions in the order of their edges: ends (A,) int32 poses, starts (A + 1,) int64 of their poses, costs (A,) float64, moves
        (A, 3) float64, and the poses (P,) int32 of all of them, the state they leave excluded and the one they reach included. None
        when a chain has no end.
    """
    degrees = np.diff(pointers)
    first_edges = np.flatnonzero(np.repeat(is_state, degrees))
    count = len(first_edges)
    ends, counts = np.empty(count, np.int32), np.empty(count, np.int64)
    totals, moves = np.empty(count), np.empty((count, 3))
    poses = np.empty(0, np.int32)
    while True:
        given = (pointers, targets, costs, increments, is_state, first_edges, ends, counts, totals, moves, poses)
        passed = _follow(*given)
        if passed < 0:
            return None
        if passed <= len(poses):
            break
        poses = np.empty(passed, np.int32)
    return ends, np.concatenate([[0], np.cumsum(counts)]), totals, moves, poses
