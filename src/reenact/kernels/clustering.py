"""Agglomeration of points by their centroids without a matrix of distances: memory O(n), exact.

Every cluster remembers its nearest *older* cluster. A new cluster is the youngest, so its birth changes nobody's nearest; the death
of a nearest leaves the remembered distance a lower bound, and the search is only repeated when that bound comes up as the smallest
of all (the lazy idea of Muellner's generic algorithm, 2011, with ages instead of indices). Searches go through a k-d tree whose boxes
cover the first `BOXED` coordinates; a merged centroid takes the place of one of its parts and the boxes above it grow. The tree is
built anew when half of the clusters are gone.
"""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel

LEAF = 12
"""Most points in a leaf of the search tree."""

BOXED = 8
"""Leading coordinates that boxes cover; callers put those of largest variance first."""

_SLACK = 1.0 + 1e-12  # a box may be farther than a point in it by rounding alone


@kernel
def _build(points, order, ids, first, last, parent, left, right, leaf_of, low, high, youngest):
    """Split the points order[...] at medians; returns the number of tree nodes."""
    boxed = low.shape[1]
    count = 1
    first[0], last[0], parent[0] = 0, len(order), -1
    node = 0
    while node < count:
        a, b = first[node], last[node]
        smallest = ids[order[a]]
        for k in range(boxed):
            low[node, k] = high[node, k] = points[order[a], k]
        for p in range(a, b):
            smallest = min(smallest, ids[order[p]])
            for k in range(boxed):
                value = points[order[p], k]
                low[node, k] = min(low[node, k], value)
                high[node, k] = max(high[node, k], value)
        youngest[node] = smallest
        left[node] = right[node] = -1
        widest, width = 0, -1.0
        for k in range(boxed):
            if high[node, k] - low[node, k] > width:
                widest, width = k, high[node, k] - low[node, k]
        if b - a <= LEAF or width <= 0.0:
            for p in range(a, b):
                leaf_of[p] = node
        else:
            values = np.empty(b - a)
            for p in range(a, b):
                values[p - a] = points[order[p], widest]
            ranks = np.argsort(values, kind="mergesort")
            part = order[a:b].copy()
            for p in range(b - a):
                order[a + p] = part[ranks[p]]
            middle = (a + b) // 2
            left[node], right[node] = count, count + 1
            for child, start, stop in ((count, a, middle), (count + 1, middle, b)):
                first[child], last[child], parent[child] = start, stop, node
            count += 2
        node += 1
    return count


@kernel
def _nearest(points, ids, left, right, first, last, low, high, youngest, slot, limit, stack):
    """Nearest cluster older than the one in `slot`: (squared distance, its id), (inf, -1) when none is within `limit`."""
    boxed, width = low.shape[1], points.shape[1]
    me, best, found = ids[slot], limit, -1
    mine = points[slot]
    top = 0
    stack[0] = 0
    while top >= 0:
        node = stack[top]
        top -= 1
        if youngest[node] >= me:
            continue
        bound = 0.0
        for k in range(boxed):
            gap = max(low[node, k] - mine[k], mine[k] - high[node, k])
            if gap > 0.0:
                bound += gap * gap
        if bound > best * _SLACK or (bound == best and found >= 0 and youngest[node] >= found):
            continue
        if left[node] < 0:
            for p in range(first[node], last[node]):
                other = ids[p]
                if other < 0 or other >= me:
                    continue
                distance = 0.0
                k = 0
                while k < width and distance <= best:
                    stop = min(k + 8, width)
                    while k < stop:
                        gap = points[p, k] - mine[k]
                        distance += gap * gap
                        k += 1
                if k < width:
                    continue
                if distance < best or (distance == best and (found < 0 or other < found)):
                    best, found = distance, other
            continue
        a, b = left[node], right[node]
        near_a = near_b = 0.0
        for k in range(boxed):
            gap = max(low[a, k] - mine[k], mine[k] - high[a, k])
            if gap > 0.0:
                near_a += gap * gap
            gap = max(low[b, k] - mine[k], mine[k] - high[b, k])
            if gap > 0.0:
                near_b += gap * gap
        if near_a == near_b:  # inside both: the one whose middle is nearer
            for k in range(boxed):
                gap = 0.5 * (low[a, k] + high[a, k]) - mine[k]
                near_a += gap * gap
                gap = 0.5 * (low[b, k] + high[b, k]) - mine[k]
                near_b += gap * gap
        top += 2
        if near_a <= near_b:
            stack[top - 1], stack[top] = b, a
        else:
            stack[top - 1], stack[top] = a, b
    if found < 0:
        return np.inf, found
    return best, found


@kernel
def _push(keys, members, count, key, member):
    at = count
    while at > 0:
        above = (at - 1) // 2
        if keys[above] < key or (keys[above] == key and members[above] < member):
            break
        keys[at], members[at] = keys[above], members[above]
        at = above
    keys[at], members[at] = key, member
    return count + 1


@kernel
def _pop(keys, members, count):
    count -= 1
    key, member = keys[count], members[count]
    at = 0
    while 2 * at + 1 < count:
        below = 2 * at + 1
        other = below + 1
        if other < count and (
            keys[other] < keys[below] or (keys[other] == keys[below] and members[other] < members[below])
        ):
            below = other
        if key < keys[below] or (key == keys[below] and member < members[below]):
            break
        keys[at], members[at] = keys[below], members[below]
        at = below
    keys[at], members[at] = key, member
    return count


@kernel
def _agglomerate(points, sizes, limit, median, pairs, heights):
    count, width = points.shape
    boxed = min(BOXED, width)
    ids = np.arange(count)
    slot_of = np.full(2 * count, -1, np.int64)
    nearest = np.full(2 * count, -1, np.int64)
    room = 2 * (2 * count // LEAF + 8)
    first, last, parent = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    left, right = np.empty(room, np.int64), np.empty(room, np.int64)
    low, high = np.empty((room, boxed)), np.empty((room, boxed))
    youngest = np.empty(room, np.int64)
    leaf_of = np.empty(count, np.int64)
    keys, members = np.empty(2 * count), np.empty(2 * count, np.int64)
    stack = np.empty(512, np.int64)
    heap = 0
    alive, rebuilt_at = count, 0
    made = 0
    while True:
        if alive <= rebuilt_at // 2 or rebuilt_at == 0:
            order = np.empty(alive, np.int64)
            at = 0
            for slot in range(len(ids)):
                if ids[slot] >= 0:
                    order[at] = slot
                    at += 1
            _build(points, order, ids, first, last, parent, left, right, leaf_of, low, high, youngest)
            points = points[order]
            sizes = sizes[order]
            ids = ids[order]
            for slot in range(alive):
                slot_of[ids[slot]] = slot
            if rebuilt_at == 0:
                for cluster in range(1, count):
                    key, other = _nearest(
                        points, ids, left, right, first, last, low, high, youngest, slot_of[cluster], limit, stack
                    )
                    if other >= 0:
                        nearest[cluster] = other
                        heap = _push(keys, members, heap, key, cluster)
            rebuilt_at = max(alive, 2)
        if heap == 0:
            break
        key, cluster = keys[0], members[0]
        heap = _pop(keys, members, heap)
        if slot_of[cluster] < 0:
            continue
        other = nearest[cluster]
        if slot_of[other] < 0:
            key, other = _nearest(
                points, ids, left, right, first, last, low, high, youngest, slot_of[cluster], limit, stack
            )
            if other >= 0:
                nearest[cluster] = other
                heap = _push(keys, members, heap, key, cluster)
            continue
        a, b = slot_of[other], slot_of[cluster]
        share = 0.5 if median else sizes[b] / (sizes[a] + sizes[b])
        for k in range(width):
            points[a, k] = (1.0 - share) * points[a, k] + share * points[b, k]
        sizes[a] += sizes[b]
        slot_of[other] = slot_of[cluster] = -1
        new = count + made
        pairs[made, 0], pairs[made, 1] = other, cluster
        heights[made] = key
        made += 1
        ids[a], ids[b] = new, -1
        slot_of[new] = a
        alive -= 1
        node = leaf_of[a]
        while node >= 0:
            grown = False
            for k in range(boxed):
                value = points[a, k]
                if value < low[node, k]:
                    low[node, k] = value
                    grown = True
                if value > high[node, k]:
                    high[node, k] = value
                    grown = True
            if not grown:
                break
            node = parent[node]
        key, other = _nearest(points, ids, left, right, first, last, low, high, youngest, a, limit, stack)
        if other >= 0:
            nearest[new] = other
            heap = _push(keys, members, heap, key, new)
    return made


def agglomerate(points, sizes=None, limit=np.inf, median=False, own=False):
    """Merge the two nearest clusters until none are within `limit`; ties go to the oldest pair.

    Args:
        points: (n, d) float64; quickest when the coordinates of largest variance come first.
        sizes: (n,) weights of the points, such as the number of frames they stand for; default 1.
        limit: largest squared distance at which clusters are merged.
        median: a merged cluster lies midway between its parts instead of at their weighted mean.
        own: the points may be written over, which saves a copy of them.

    Returns:
        pairs (m, 2) int64: merge k joins two clusters into cluster n + k, the older one first; heights (m,) float64: their squared
        distances.
    """
    points = np.array(points, dtype=np.float64, order="C", ndmin=2, copy=None if own else True)
    count = len(points)
    pairs, heights = np.empty((max(count - 1, 0), 2), np.int64), np.empty(max(count - 1, 0))
    if count < 2:
        return pairs, heights
    weights = np.ones(count) if sizes is None else np.array(sizes, dtype=np.float64)
    made = _agglomerate(points, weights, float(limit), bool(median), pairs, heights)
    return pairs[:made].copy(), heights[:made].copy()


@kernel
def _largest_below(leaves, pairs, heights, out):
    for merge in range(len(pairs)):
        largest = heights[merge]
        for side in range(2):
            part = pairs[merge, side] - leaves
            if part >= 0:
                largest = max(largest, out[part])
        out[merge] = largest


def largest_below(leaves, pairs, heights):
    """(m,) for every merge the largest height in its subtree; merges (m, 2) come after their parts, ids below `leaves` are leaves."""
    out = np.empty(len(pairs))
    _largest_below(leaves, np.ascontiguousarray(pairs, np.int64), np.ascontiguousarray(heights, np.float64), out)
    return out
