"""Strongly connected components of a directed graph by Tarjan's algorithm, without recursion."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _components(pointers, targets, limits, component):
    """Number of components; edges p of v are pointers[v]..pointers[v + 1], of which those with limits[p] true count."""
    nodes = len(pointers) - 1
    entered = np.zeros(nodes, np.int64)  # depth-first number, from 1; 0: not yet
    lowest = np.zeros(nodes, np.int64)
    following = pointers[:-1].copy()  # the next edge of a node that is looked at
    path, open_nodes = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    number, count = 0, 0
    for start in range(nodes):
        if entered[start] != 0:
            continue
        depth, opened = 0, 0
        path[0] = open_nodes[0] = start
        depth = opened = 1
        number += 1
        entered[start] = lowest[start] = number
        component[start] = -1
        while depth > 0:
            node = path[depth - 1]
            if following[node] < pointers[node + 1]:
                edge = following[node]
                following[node] += 1
                if not limits[edge]:
                    continue
                other = targets[edge]
                if entered[other] == 0:
                    number += 1
                    entered[other] = lowest[other] = number
                    component[other] = -1
                    path[depth] = open_nodes[opened] = other
                    depth += 1
                    opened += 1
                elif component[other] == -1:
                    lowest[node] = min(lowest[node], entered[other])
                continue
            depth -= 1
            if depth > 0:
                lowest[path[depth - 1]] = min(lowest[path[depth - 1]], lowest[node])
            if lowest[node] == entered[node]:
                while True:
                    opened -= 1
                    member = open_nodes[opened]
                    component[member] = count
                    if member == node:
                        break
                count += 1
    return count


def strong_components(pointers, targets, kept=None):
    """Components of a graph: how many, and (N,) int32 the one of each node, numbered as they are completed.

    Args:
        pointers: (N + 1,) int64, the edges of node v are those from pointers[v] up to pointers[v + 1].
        targets: (E,) int32 nodes that edges lead to.
        kept: (E,) bool, edges that count; None: all.
    """
    component = np.empty(len(pointers) - 1, np.int32)
    limits = np.ones(len(targets), np.bool_) if kept is None else np.ascontiguousarray(kept, np.bool_)
    count = _components(np.asarray(pointers, np.int64), np.asarray(targets, np.int32), limits, component)
    return int(count), component
