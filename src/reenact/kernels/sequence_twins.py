"""Plain twins of the kernels of `kernels.clustering` and `kernels.sequences`: brute force, for small input."""

from __future__ import annotations

import heapq

import numpy as np


def agglomerate(points, sizes=None, limit=np.inf, median=False):
    """See `kernels.clustering.agglomerate`: all pairs are compared before every merge."""
    places = list(np.array(points, dtype=np.float64))
    weights = [1.0] * len(places) if sizes is None else [float(size) for size in sizes]
    alive = list(range(len(places)))
    pairs, heights = [], []
    while len(alive) > 1:
        height, b, a = min(
            (float(np.sum((places[a] - places[b]) ** 2)), b, a) for n, b in enumerate(alive) for a in alive[:n]
        )
        if height > limit:
            break
        share = 0.5 if median else weights[b] / (weights[a] + weights[b])
        places.append((1 - share) * places[a] + share * places[b])
        weights.append(weights[a] + weights[b])
        alive = [cluster for cluster in alive if cluster not in (a, b)] + [len(places) - 1]
        pairs.append((a, b))
        heights.append(height)
    return np.array(pairs, np.int64).reshape(-1, 2), np.array(heights)


def largest_below(leaves, pairs, heights):
    """See `kernels.clustering.largest_below`."""
    out = []
    for (a, b), height in zip(pairs, heights, strict=True):
        below = [out[part - leaves] for part in (a, b) if part >= leaves]
        out.append(max([height, *below]))
    return np.array(out)


def _error(features, a, b):
    gap = features[a].astype(np.float64) - features[b]
    return float(gap @ gap)


def align_sequences(features, starts, ends, order, bounds):
    """See `kernels.sequences.align_sequences`: every tuple is tried."""
    from itertools import pairwise, product

    out = np.empty(len(starts), np.int64)
    for first, last in pairwise(bounds):
        members = order[first:last]
        choices = product(*(range(starts[s], ends[s]) for s in members))
        out[members] = min(choices, key=lambda frames: sum(_error(features, a, b) for a, b in pairwise(frames)))
    return out


def best_pairs(features, first, second, starts, ends, leave, enter, scale, apart):
    """See `kernels.sequences.best_pairs`."""
    pairs, costs, errors = [], [], []
    for s, t, gap in zip(first, second, apart, strict=True):
        found = [
            (leave[a] + enter[b] + scale * _error(features, a, b), a, b)
            for a in range(starts[s], ends[s])
            for b in range(starts[t], ends[t])
            if abs(a - b) >= gap and np.isfinite(leave[a] + enter[b])
        ]
        cost, a, b = min(found, default=(np.inf, -1, -1))
        pairs.append((a, b))
        costs.append(cost)
        errors.append(_error(features, a, b) if a >= 0 else np.inf)
    return np.array(pairs, np.int64).reshape(-1, 2), np.array(costs), np.array(errors)


def shortest_walks(
    features,
    joints,
    clips,
    nodes,
    order,
    bounds,
    leave,
    enter,
    played,
    least,
    rates,
    hop,
    scale,
    hops,
    fewest,
    wanted,
    edge,
):
    """See `kernels.sequences.shortest_walks`: Dijkstra without an estimate; only the costs are returned."""
    queue = [(leave[s], 0, 1, s) for s in range(len(joints)) if np.isfinite(leave[s])]
    heapq.heapify(queue)
    done, costs = set(), []
    while queue and len(costs) < wanted:
        cost, switches, phase, s = heapq.heappop(queue)
        if (switches, phase, s) in done:
            continue
        done.add((switches, phase, s))
        if phase == 2:
            costs.append(cost)
            continue
        on = [t for t in range(s + (phase == 1), len(joints)) if clips[t] == clips[s]]
        if phase == 0:
            on = [t for t in on if joints[t] >= joints[s] + least[clips[s]]]
        if on and (phase == 0 or switches > 0):
            heapq.heappush(queue, (cost + played * (joints[on[0]] - joints[s]) / rates[clips[s]], switches, 1, on[0]))
        if phase == 0 or switches == hops:
            continue
        for t in order[bounds[nodes[s]] : bounds[nodes[s] + 1]]:
            if clips[t] == clips[s] and abs(joints[t] - joints[s]) < least[clips[s]]:
                continue
            value = cost + hop + edge[s] + edge[t] + scale * _error(features, joints[s], joints[t])
            if np.isfinite(value + enter[t]) and switches + 1 >= fewest:
                heapq.heappush(queue, (value + enter[t], switches + 1, 2, int(t)))
            if np.isfinite(value):
                heapq.heappush(queue, (value, switches + 1, 0, int(t)))
    return np.array(costs)
