"""Shortest ways through a net of cells: how far every cell is from some that are given."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _spread(neighbours, steps, slowness, far):
    count, width = neighbours.shape
    heap = np.empty(count * 2 + 16, np.int64)
    keys = np.empty(count * 2 + 16, np.float64)
    size = 0
    for start in range(count):
        if far[start] == np.inf:
            continue
        # put in
        at = size
        size += 1
        while at > 0 and keys[(at - 1) // 2] > far[start]:
            heap[at], keys[at] = heap[(at - 1) // 2], keys[(at - 1) // 2]
            at = (at - 1) // 2
        heap[at], keys[at] = start, far[start]
    while size > 0:
        cell, key = heap[0], keys[0]
        size -= 1
        moved, moved_key, at = heap[size], keys[size], 0
        while True:
            below = 2 * at + 1
            if below >= size:
                break
            if below + 1 < size and keys[below + 1] < keys[below]:
                below += 1
            if keys[below] >= moved_key:
                break
            heap[at], keys[at] = heap[below], keys[below]
            at = below
        heap[at], keys[at] = moved, moved_key
        if key > far[cell]:
            continue
        for n in range(width):
            other = neighbours[cell, n]
            if other < 0:
                continue
            reached = key + steps[n] * 0.5 * (slowness[cell] + slowness[other])
            if reached < far[other] - 1e-12:
                far[other] = reached
                if size + 1 >= heap.shape[0]:
                    wider_heap = np.empty(heap.shape[0] * 2, np.int64)
                    wider_keys = np.empty(heap.shape[0] * 2, np.float64)
                    for i in range(size):
                        wider_heap[i], wider_keys[i] = heap[i], keys[i]
                    heap, keys = wider_heap, wider_keys
                at = size
                size += 1
                while at > 0 and keys[(at - 1) // 2] > reached:
                    heap[at], keys[at] = heap[(at - 1) // 2], keys[(at - 1) // 2]
                    at = (at - 1) // 2
                heap[at], keys[at] = other, reached


def spread(neighbours, steps, slowness, start):
    """Distances (N,) of all cells, by Dijkstra's algorithm; infinite where no way leads.

    Args:
        neighbours: (N, K) int32, the cells next to each; -1 where there is none.
        steps: (K,) how far the neighbour in each place is.
        slowness: (N,) what a step costs within each cell.
        start: (N,) distances that are given, infinite elsewhere.
    """
    far = np.array(start, np.float64)
    _spread(neighbours, np.asarray(steps, np.float64), np.asarray(slowness, np.float64), far)
    return far
