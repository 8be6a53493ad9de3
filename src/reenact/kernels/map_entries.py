"""The sequences of a mobility map, written out from trees that share their beginnings."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _unroll(
    begins, parents, actions, owners, places, local, moves, frames, costs, counts, out, ends, times, sums, carried
):
    path = np.empty(out.shape[1], np.int64)
    for entry in range(len(places)):
        begin = begins[owners[entry]]
        at, length = np.int64(places[entry]), 0
        while at >= 0:
            path[length] = at
            length += 1
            at = np.int64(parents[begin + at])
        x, z, heading, cost = 0.0, 0.0, 0.0, 0.0
        time = 0
        for step in range(length):
            action = actions[begin + path[length - 1 - step]]
            out[entry, step] = local[action]
            sine, cosine = np.sin(heading), np.cos(heading)
            dx, dz = moves[action, 0], moves[action, 1]
            x += cosine * dx + sine * dz
            z += cosine * dz - sine * dx
            heading += moves[action, 2]
            cost += costs[action]
            time += frames[action]
            for label in range(counts.shape[1]):
                carried[entry, label] += counts[action, label]
        ends[entry, 0], ends[entry, 1], ends[entry, 2] = x, z, heading
        times[entry], sums[entry] = time, cost


def unroll_entries(begins, parents, actions, owners, places, local, moves, frames, costs, counts, longest):
    """Actions, ends and totals of places in trees.

    Args:
        begins: (S + 1,) int64, the tree of state s is rows begins[s]..begins[s + 1] of the next two.
        parents: (T,) int32 place of the parent in its tree, -1: the root.
        actions: (T,) int32 action from the parent.
        owners: (E,) int32 state whose tree is meant; `places` (E,) int32 places in it.
        places: see `owners`.
        local: (A,) uint16, number of each action among those of its state.
        moves: (A, 3) float32 (dx, dz, dheading) of each action.
        frames: (A,) int32.
        costs: (A,) float32.
        counts: (A, L) int32, what is counted of each action.
        longest: most actions of a sequence.

    Returns:
        sequences (E, longest) uint16, filled up with 0; ends (E, 3) float64; frames (E,) int32; costs (E,) float64; counts (E, L) int64.
    """
    entries = len(places)
    out = np.zeros((entries, longest), np.uint16)
    ends, times, sums = np.empty((entries, 3)), np.empty(entries, np.int32), np.empty(entries)
    carried = np.zeros((entries, counts.shape[1]), np.int64)
    given = (begins, parents, actions, owners, places, local, moves, frames, costs, counts)
    _unroll(*given, out, ends, times, sums, carried)
    return out, ends, times, sums, carried
