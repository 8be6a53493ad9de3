"""Least-cost sequences from one state to all others, and those of a few actions that they contain.

Sequences are ordered by cost, then frames, then the number of the last action, so that there is one answer. With whole costs the open
states lie in buckets (Dial), with others in a heap; recorded continuations are free, and buckets know that no free action leads back.
"""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel


@inlined_kernel
def _unlink(heads, following, preceding, bucket, node):
    if preceding[node] >= 0:
        following[preceding[node]] = following[node]
    else:
        heads[bucket] = following[node]
    if following[node] >= 0:
        preceding[following[node]] = preceding[node]


@inlined_kernel
def _link(heads, following, preceding, bucket, node):
    following[node], preceding[node] = heads[bucket], -1
    if heads[bucket] >= 0:
        preceding[heads[bucket]] = node
    heads[bucket] = node


@kernel
def _by_buckets(
    pointers, targets, costs, frames, free, source, cost_to, frames_to, last, heads, following, preceding, settled
):
    """Costs, frames and last actions of all nodes from a source; returns how many were reached, whose numbers are in `settled`."""
    nodes, buckets = len(pointers) - 1, len(heads)
    never = np.int32(2147483647)
    for node in range(nodes):
        cost_to[node], frames_to[node], last[node] = never, 0, -1
    for bucket in range(buckets):
        heads[bucket] = -1
    cost_to[source] = 0
    _link(heads, following, preceding, 0, source)
    waiting, done, cost, bucket = 1, 0, np.int32(0), 0
    while waiting > 0:
        if heads[bucket] < 0:
            cost += np.int32(1)
            bucket += 1
            if bucket == buckets:
                bucket = 0
            continue
        first, end = done, done
        node = heads[bucket]
        while node >= 0:
            settled[end] = node
            end += 1
            node = following[node]
        heads[bucket] = -1
        waiting -= end - first
        # free actions first: they stay in the bucket
        at = first
        while at < end:
            node = settled[at]
            at += 1
            while free[node] >= 0:
                action = free[node]
                other = targets[action]
                count = frames_to[node] + frames[action]
                if cost_to[other] > cost:
                    if cost_to[other] != never:
                        _unlink(heads, following, preceding, cost_to[other] % buckets, other)
                        waiting -= 1
                    settled[end] = other
                    end += 1
                elif (
                    cost_to[other] < cost
                    or other == source
                    or not (count < frames_to[other] or (count == frames_to[other] and action < last[other]))
                ):
                    break
                cost_to[other], frames_to[other], last[other] = cost, count, action
                node = other
        for at in range(first, end):
            node = settled[at]
            for action in range(pointers[node], pointers[node + 1]):
                other = targets[action]
                further = cost + costs[action]
                if further > cost_to[other] or costs[action] == 0:
                    continue
                count = frames_to[node] + frames[action]
                if further < cost_to[other]:
                    if cost_to[other] != never:
                        _unlink(heads, following, preceding, cost_to[other] % buckets, other)
                    else:
                        waiting += 1
                    _link(heads, following, preceding, further % buckets, other)
                    cost_to[other], frames_to[other], last[other] = further, count, action
                elif count < frames_to[other] or (count == frames_to[other] and action < last[other]):
                    frames_to[other], last[other] = count, action
        done = end
    return done


@inlined_kernel
def _sooner(costs, frames, a, b):
    return costs[a] < costs[b] or (costs[a] == costs[b] and frames[a] < frames[b])


@kernel
def _by_heap(pointers, targets, costs, frames, sources, cost_to, frames_to, last):
    """Costs, frames and last edges of all nodes from the nearest of some sources, with a heap that holds old entries, too."""
    nodes = len(pointers) - 1
    room = len(targets) + len(sources)
    keys, counts, members = np.empty(room), np.empty(room, np.int64), np.empty(room, np.int32)
    done = np.zeros(nodes, np.bool_)
    for node in range(nodes):
        cost_to[node], frames_to[node], last[node] = np.inf, 0, -1
    size = 0
    for source in sources:
        cost_to[source] = 0.0
        keys[size], counts[size], members[size] = 0.0, 0, source
        size += 1
    while size > 0:
        node = members[0]
        size -= 1
        key, count, member = keys[size], counts[size], members[size]
        at = 0
        while 2 * at + 1 < size:
            child = 2 * at + 1
            if child + 1 < size and _sooner(keys, counts, child + 1, child):
                child += 1
            if not (keys[child] < key or (keys[child] == key and counts[child] < count)):
                break
            keys[at], counts[at], members[at] = keys[child], counts[child], members[child]
            at = child
        keys[at], counts[at], members[at] = key, count, member
        if done[node]:
            continue
        done[node] = True
        for action in range(pointers[node], pointers[node + 1]):
            other = targets[action]
            if done[other]:
                continue
            key, count = cost_to[node] + costs[action], frames_to[node] + frames[action]
            if key > cost_to[other]:
                continue
            if key == cost_to[other]:
                if count > frames_to[other]:
                    continue
                if count == frames_to[other]:
                    if action < last[other]:
                        last[other] = action
                    continue
            cost_to[other], frames_to[other], last[other] = key, count, action
            at = size
            size += 1
            while at > 0:
                parent = (at - 1) // 2
                if keys[parent] < key or (keys[parent] == key and counts[parent] <= count):
                    break
                keys[at], counts[at], members[at] = keys[parent], counts[parent], members[parent]
                at = parent
            keys[at], counts[at], members[at] = key, count, other


@kernel
def _cut_tree(sources_of, targets, last, horizon, depths, order, path, where, tree, room):
    """The nodes of a tree down to a depth, by depth and number: (node, place of its parent, action) in `tree`; returns how many, or -1."""
    nodes = len(last)
    for node in range(nodes):
        depths[node] = -1
    levels = np.zeros(horizon + 2, np.int64)
    for start in range(nodes):
        count, node = 0, start
        while depths[node] < 0 and last[node] >= 0:
            path[count] = node
            count += 1
            node = sources_of[last[node]]
        depth = depths[node]
        if depth < 0:  # the root, or a node that is not reached
            depths[node] = depth = 0
        while count > 0:
            count -= 1
            depth += 1
            depths[path[count]] = depth
    for node in range(nodes):
        if last[node] >= 0 and depths[node] <= horizon:
            levels[depths[node] + 1] += 1
    total = 0
    for depth in range(horizon + 2):
        total += levels[depth]
        levels[depth] = total
    if total > room:
        return -1
    for node in range(nodes):
        if last[node] >= 0 and depths[node] <= horizon:
            at = levels[depths[node]]
            levels[depths[node]] += 1
            order[at] = node
            where[node] = at
    for at in range(total):
        node = order[at]
        parent = sources_of[last[node]]
        tree[at, 0] = node
        tree[at, 1] = -1 if depths[node] == 1 else where[parent]
        tree[at, 2] = last[node]
    return total


@kernel
def _cut_trees(
    pointers, targets, whole, costs, frames, free, sources_of, first, last, horizon, buckets, trees, counts, levels
):
    """Trees of the sources first..last cut at the horizon, one after the other; returns their nodes, or -1 when there is no room."""
    nodes = len(pointers) - 1
    whole_to, times, edges = np.empty(nodes, np.int32), np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    cost_to, times_to = np.empty(nodes), np.empty(nodes, np.int64)
    heads, following, preceding = np.empty(buckets, np.int32), np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    settled, depths, order = np.empty(nodes, np.int32), np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    path, where, one = np.empty(nodes, np.int32), np.empty(nodes, np.int32), np.empty(1, np.int32)
    used = 0
    for source in range(first, last):
        if buckets > 0:
            _by_buckets(
                pointers,
                targets,
                whole,
                frames,
                free,
                source,
                whole_to,
                times,
                edges,
                heads,
                following,
                preceding,
                settled,
            )
        else:
            one[0] = source
            _by_heap(pointers, targets, costs, frames, one, cost_to, times_to, edges)
        room = len(trees) - used
        count = _cut_tree(sources_of, targets, edges, horizon, depths, order, path, where, trees[used:], room)
        if count < 0:
            return -1
        counts[source - first] = count
        for at in range(used, used + count):
            levels[at] = depths[trees[at, 0]]
        used += count
    return used


def least_costs(pointers, targets, costs, frames, sources):
    """The least-cost way to every node from the nearest of some sources: costs (inf: none) and frames (N,), and last edges (N,), -1: none.

    Args:
        pointers: (N + 1,) int64, edges of node v: pointers[v]..pointers[v + 1].
        targets: (E,) int32 nodes.
        costs: (E,) float64, at least 0.
        frames: (E,) int32, at least 1.
        sources: (K,) int32 nodes.
    """
    nodes = len(pointers) - 1
    cost_to, frames_to, last = np.empty(nodes), np.empty(nodes, np.int64), np.empty(nodes, np.int32)
    _by_heap(pointers, targets, costs, frames, sources, cost_to, frames_to, last)
    return cost_to, frames_to, last


def least_whole_costs(pointers, targets, costs, frames, free, source):
    """Costs (-1: none), frames and last edges (N,) int32 of the ways from one source, by buckets.

    Args:
        pointers: as in `least_costs`.
        targets: likewise.
        costs: (E,) int32, at least 0.
        frames: (E,) int32, at least 1.
        free: (N,) int32, the one edge of a node that costs nothing, or -1; free edges make no ring.
        source: a node.
    """
    nodes, buckets = len(pointers) - 1, int(costs.max(initial=0)) + 1
    found = [np.empty(nodes, np.int32) for _ in range(3)]
    rest = [np.empty(size, np.int32) for size in (buckets, nodes, nodes, nodes)]
    _by_buckets(pointers, targets, costs, frames, free, int(source), *found, *rest)
    found[0][found[0] == 2147483647] = -1
    return tuple(found)


def cut_trees(pointers, targets, whole, costs, frames, free, first, last, horizon, exact):
    """Least-cost trees of the sources first..last, of each the nodes at most `horizon` edges deep.

    Args:
        pointers: this and the next ones as in `least_whole_costs`.
        targets: likewise.
        whole: (E,) int32 costs as whole numbers.
        costs: (E,) float64 costs.
        frames: likewise.
        free: likewise.
        first: first source; `last` the one after the last.
        last: see `first`.
        horizon: edges.
        exact: whether `costs` decide, else `whole`.

    Returns:
        trees (T, 3) int32: node, place of its parent in its tree (-1: the source), edge to it; in every tree by depth, then number.
        counts (last - first,) int64 nodes of each tree; depths (T,) int32.
    """
    sources_of = np.repeat(np.arange(len(pointers) - 1, dtype=np.int32), np.diff(pointers))
    buckets = 0 if exact else int(whole.max(initial=0)) + 1
    room = 512 * (last - first) + len(pointers)
    while True:
        trees, levels = np.empty((room, 3), np.int32), np.empty(room, np.int32)
        counts = np.zeros(last - first, np.int64)
        given = (
            pointers,
            targets,
            whole,
            costs,
            frames,
            free,
            sources_of,
            int(first),
            int(last),
            int(horizon),
            buckets,
        )
        used = _cut_trees(*given, trees, counts, levels)
        if used >= 0:
            return trees[:used], counts, levels[:used]
        room *= 4
