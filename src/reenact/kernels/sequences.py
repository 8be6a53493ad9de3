"""Clip-frame sequences: the best frames to join them at, and shortest ways from sequence to sequence."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel


@inlined_kernel
def _gap(features, a, b):
    total = 0.0
    for k in range(features.shape[1]):
        gap = features[a, k] - features[b, k]
        total += gap * gap
    return total


@kernel
def _align(features, starts, ends, order, bounds, out):
    longest = 0
    for s in range(len(starts)):
        longest = max(longest, ends[s] - starts[s])
    before, now = np.zeros(longest), np.zeros(longest)
    for node in range(len(bounds) - 1):
        first, last = bounds[node], bounds[node + 1]
        total = 0
        for p in range(first, last):
            total += ends[order[p]] - starts[order[p]]
        back = np.zeros(total, np.int32)
        at = ends[order[first]] - starts[order[first]]
        before[:at] = 0.0
        for p in range(first + 1, last):
            s, t = order[p - 1], order[p]
            for b in range(ends[t] - starts[t]):
                best, choice = np.inf, 0
                for a in range(ends[s] - starts[s]):
                    if before[a] >= best:
                        continue
                    cost = before[a] + _gap(features, starts[s] + a, starts[t] + b)
                    if cost < best:
                        best, choice = cost, a
                now[b] = best
                back[at + b] = choice
            at += ends[t] - starts[t]
            before, now = now, before
        s = order[last - 1]
        choice = 0
        for a in range(1, ends[s] - starts[s]):
            if before[a] < before[choice]:
                choice = a
        for p in range(last - 1, first - 1, -1):
            s = order[p]
            at -= ends[s] - starts[s]
            out[s] = starts[s] + choice
            choice = back[at + choice]


def align_sequences(features, starts, ends, order, bounds):
    """(S,) int64 for each sequence the frame at which it is joined to others of its node: least sum of E from one to the next (Viterbi).

    Args:
        features: (N, D) rows whose squared distances are frame errors.
        starts: (S,) first frame of each sequence; `ends` (S,) the frame after its last.
        ends: see `starts`.
        order: (S,) sequences, those of one node together.
        bounds: (K + 1,) node k holds order[bounds[k]:bounds[k + 1]].
    """
    out = np.empty(len(starts), np.int64)
    _align(features, starts, ends, order, bounds, out)
    return out


@kernel
def _best_pairs(features, first, second, starts, ends, leave, enter, scale, apart, pairs, costs, errors):
    for p in range(len(first)):
        s, t = first[p], second[p]
        best, at_a, at_b, error = np.inf, -1, -1, np.inf
        for a in range(starts[s], ends[s]):
            if leave[a] >= best:
                continue
            for b in range(starts[t], ends[t]):
                cost = leave[a] + enter[b]
                if cost >= best or abs(a - b) < apart[p]:
                    continue
                gap = 0.0
                k = 0
                room = (best - cost) / scale
                while k < features.shape[1] and gap < room:
                    stop = min(k + 9, features.shape[1])
                    while k < stop:
                        step = features[a, k] - features[b, k]
                        gap += step * step
                        k += 1
                if cost + scale * gap < best:
                    best, at_a, at_b, error = cost + scale * gap, a, b, gap
        pairs[p, 0], pairs[p, 1], costs[p], errors[p] = at_a, at_b, best, error


def best_pairs(features, first, second, starts, ends, leave, enter, scale, apart):
    """For pairs of sequences the frames (a, b) of least leave[a] + enter[b] + scale E(a, b).

    Args:
        features: (N, D) rows whose squared distances are frame errors E.
        first: (P,) sequences that are left; `second` (P,) those that are entered.
        second: see `first`.
        starts: (S,) first frames of sequences; `ends` (S,) frames after their last.
        ends: see `starts`.
        leave: (N,) cost of leaving at a frame, inf where that is not allowed.
        enter: (N,) cost of entering there.
        scale: cost of an error of 1.
        apart: (P,) int64; frames of a pair must be this far apart at least (a jump to the same frame is none).

    Returns:
        pairs (P, 2) int64 frames, -1 where none is allowed; costs (P,); errors (P,).
    """
    count = len(first)
    pairs, costs, errors = np.empty((count, 2), np.int64), np.empty(count), np.empty(count)
    _best_pairs(features, first, second, starts, ends, leave, enter, float(scale), apart, pairs, costs, errors)
    return pairs, costs, errors


@kernel
def _before(keys, states, a, b):
    return keys[a] < keys[b] or (keys[a] == keys[b] and states[a] < states[b])


@kernel
def _sift_up(keys, states, at):
    while at > 0:
        above = (at - 1) // 2
        if not _before(keys, states, at, above):
            break
        keys[at], keys[above] = keys[above], keys[at]
        states[at], states[above] = states[above], states[at]
        at = above


@kernel
def _sift_down(keys, states, count):
    at = 0
    while True:
        below = 2 * at + 1
        if below >= count:
            break
        if below + 1 < count and _before(keys, states, below + 1, below):
            below += 1
        if not _before(keys, states, below, at):
            break
        keys[at], keys[below] = keys[below], keys[at]
        states[at], states[below] = states[below], states[at]
        at = below


@inlined_kernel
def _least_sum(table, row, values, scale):
    """Least scale * table[row + p] + values[p]; four at a time, because each minimum waits for the one before."""
    a, b, c, d = np.inf, np.inf, np.inf, np.inf
    count, p = len(values), 0
    while p + 3 < count:
        a = min(a, scale * table[row + p] + values[p])
        b = min(b, scale * table[row + p + 1] + values[p + 1])
        c = min(c, scale * table[row + p + 2] + values[p + 2])
        d = min(d, scale * table[row + p + 3] + values[p + 3])
        p += 4
    while p < count:
        a = min(a, scale * table[row + p] + values[p])
        p += 1
    return min(min(a, b), min(c, d))


@kernel
def _cost_to_go(
    joints,
    clips,
    order,
    bounds,
    leave,
    enter,
    played,
    least,
    rates,
    hop,
    scale,
    fewest,
    nearest,
    edge,
    table,
    base,
    go,
    onward,
):
    """Fill go[h, phase, s]: least that is still to pay with h switches left.

    Exact where a node's pairs are in the table; elsewhere a switch is taken to cost the mean of the least at its two ends.
    """
    count, hops = len(joints), go.shape[0] - 1
    go[0] = np.inf
    for left in range(1, hops + 1):
        arrives = hops - left + 1 >= fewest
        for node in range(len(bounds) - 1):
            first, last = bounds[node], bounds[node + 1]
            ahead, best = onward[: last - first], np.inf
            for p in range(first, last):
                t = order[p]
                value = go[left - 1, 0, t]
                if arrives and enter[t] < value:
                    value = enter[t]
                value += edge[t]
                if base[node] < 0:
                    value += 0.5 * scale * nearest[t]
                ahead[p - first] = value
                best = min(best, value)
            for p in range(first, last):
                s = order[p]
                if best == np.inf or edge[s] == np.inf or (left == hops and leave[s] == np.inf):
                    go[left, 1, s] = np.inf
                elif base[node] < 0:
                    go[left, 1, s] = hop + edge[s] + 0.5 * scale * nearest[s] + best
                else:
                    row = base[node] + (p - first) * (last - first)
                    go[left, 1, s] = hop + edge[s] + _least_sum(table, row, ahead, scale)
        for s in range(count - 2, -1, -1):
            if (
                clips[s + 1] == clips[s] and left < hops
            ):  # the source is left where it is: it does not cost to play on in it
                on = go[left, 1, s + 1] + played * (joints[s + 1] - joints[s]) / rates[clips[s]]
                go[left, 1, s] = min(go[left, 1, s], on)
        r = 0
        for s in range(count):
            r = max(r, s)
            while r < count and clips[r] == clips[s] and joints[r] < joints[s] + least[clips[s]]:
                r += 1
            if r < count and clips[r] == clips[s]:
                go[left, 0, s] = go[left, 1, r] + played * (joints[r] - joints[s]) / rates[clips[s]]
            else:
                go[left, 0, s] = np.inf


@kernel
def _keep_best(goals, count, value):
    """Put a value among the `len(goals)` smallest, ascending; returns how many there are."""
    if count == len(goals):
        if value >= goals[count - 1]:
            return count
        count -= 1
    at = count
    while at > 0 and goals[at - 1] > value:
        goals[at] = goals[at - 1]
        at -= 1
    goals[at] = value
    return count + 1


@kernel
def _drop(goals, count, value):
    """Take a value out that was found before; returns how many there are."""
    for at in range(count):
        if goals[at] == value:
            for later in range(at + 1, count):
                goals[later - 1] = goals[later]
            return count - 1
    return count


@kernel
def _walk(
    points,
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
    fewest,
    goals,
    edge,
    go,
    cost,
    before,
    table,
    base,
    place,
):
    """A* over states (switches so far, phase, sequence); phases: 0 entered, 1 may be left, 2 arrived. Fills `goals`, gives their number."""
    wanted, count, hops = len(goals), len(joints), go.shape[0] - 1
    width = 3 * count
    keys, heap_states = np.empty(4 * count + 64), np.empty(4 * count + 64, np.int64)
    heap = 0
    done = np.zeros(len(cost), np.bool_)
    reached, known = np.empty(wanted), 0
    found = 0
    for s in range(count):
        if leave[s] + go[hops, 1, s] < np.inf:
            cost[count + s] = leave[s]
            keys[heap], heap_states[heap] = leave[s] + go[hops, 1, s], count + s
            heap += 1
            _sift_up(keys, heap_states, heap - 1)
    while heap > 0 and found < wanted:
        state = heap_states[0]
        heap -= 1
        keys[0], heap_states[0] = keys[heap], heap_states[heap]
        _sift_down(keys, heap_states, heap)
        if done[state]:
            continue
        done[state] = True
        paid = cost[state]
        switches = state // width
        phase = (state % width) // count
        s = state % count
        if phase == 2:
            goals[found] = state
            found += 1
            continue
        left = hops - switches
        on = s + 1
        if phase == 0:
            on = s
            while on < count and clips[on] == clips[s] and joints[on] < joints[s] + least[clips[s]]:
                on += 1
        first, last = bounds[nodes[s]], bounds[nodes[s] + 1]
        row = base[nodes[s]] + place[s] * (last - first) - first
        listed = base[nodes[s]] >= 0
        if phase == 0:
            first = last
        for p in range(first, last + 1):
            for arrive in range(2):
                if p == last:  # play on
                    if arrive == 1 or (phase == 1 and switches == 0) or on >= count or clips[on] != clips[s]:
                        continue
                    value = paid + played * (joints[on] - joints[s]) / rates[clips[s]]
                    target, ahead = switches * width + count + on, go[left, 1, on]
                else:
                    t = order[p]
                    ahead = enter[t] if arrive == 1 else go[left - 1, 0, t]
                    if ahead + edge[s] + edge[t] == np.inf or (arrive == 1 and switches + 1 < fewest):
                        continue
                    if clips[t] == clips[s] and abs(joints[t] - joints[s]) < least[clips[s]]:
                        continue
                    target = (switches + 1) * width + (2 * count if arrive == 1 else 0) + t
                    value = paid + hop + edge[s] + edge[t] + (ahead if arrive == 1 else 0.0)
                    ahead = 0.0 if arrive == 1 else ahead
                    room = cost[target] - value
                    if known == wanted:
                        room = min(room, reached[wanted - 1] - value - ahead)
                    gap, k = 0.0, 0
                    if listed:
                        gap, k = table[row + p], points.shape[1]
                    while k < points.shape[1] and scale * gap <= room:
                        stop = min(k + 9, points.shape[1])
                        while k < stop:
                            step = points[s, k] - points[t, k]
                            gap += step * step
                            k += 1
                    value += scale * gap
                if value >= cost[target] or (known == wanted and value + ahead > reached[wanted - 1]):
                    continue
                old = cost[target]
                cost[target] = value
                before[target] = state
                if target % width >= 2 * count:
                    known = _keep_best(reached, _drop(reached, known, old), value)
                if heap == len(keys):
                    more_keys, more_states = np.empty(2 * heap), np.empty(2 * heap, np.int64)
                    for n in range(heap):
                        more_keys[n], more_states[n] = keys[n], heap_states[n]
                    keys, heap_states = more_keys, more_states
                keys[heap], heap_states[heap] = value + ahead, target
                heap += 1
                _sift_up(keys, heap_states, heap - 1)
    return found


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
    table,
    base,
    place,
    nearest,
):
    """Cheapest ways over the sequences of a cluster graph: play on in a clip, or switch to another sequence of the node.

    A* whose estimate is the exact cost of the rest wherever the table tells what switches cost, worked out backwards from the goals: of
    the states hardly any are tried that are not on one of the ways found.

    Args:
        features: (N, D) rows whose squared distances are frame errors E.
        joints: (S,) frame at which each sequence is left and entered; sequences are in the order of clips and frames.
        clips: (S,) the clip of each sequence.
        nodes: (S,) its node.
        order: (S,) sequences, those of one node together.
        bounds: (K + 1,) node k holds order[bounds[k]:bounds[k + 1]].
        leave: (S,) cost of leaving the source there, inf for sequences that are no source.
        enter: (S,) cost of arriving there, inf for sequences that are no goal.
        played: cost of a second played in between.
        least: (C,) frames that are played of a clip before it is left again.
        rates: (C,) frames per second.
        hop: cost of a switch.
        scale: cost of an error of 1 at a switch.
        hops: most switches.
        fewest: fewest switches.
        wanted: how many goals.
        edge: (S,) cost of a switch at either end, such as for the nearness of the clip's end; inf where there can be none.
        table: errors E of all pairs of the sequences of a node, row by row, one node after the other; inf where there is no switch.
        base: (K,) where a node's pairs begin in the table; -1 where they are worked out from the features.
        place: (S,) the number of each sequence within its node.
        nearest: (S,) no switch to or from a sequence has a smaller E.

    Returns:
        costs (W,), and for each way its states as a list of (switches so far, phase, sequence); phases 0 entered, 1 may be left, 2 arrived.
    """
    count = len(joints)
    go = np.full((hops + 1, 2, count), np.inf)
    onward = np.empty(int(np.diff(bounds).max(initial=0)))
    nearest = np.where(np.isfinite(nearest), nearest, 0.0)
    _cost_to_go(
        joints, clips, order, bounds, leave, enter, float(played), least, rates, float(hop), float(scale), int(fewest), nearest, edge,
        table, base, go, onward,
    )  # fmt: skip
    go *= 1.0 - 1e-7  # rounding must not make the estimate too large
    if not np.any(np.isfinite(leave + go[hops, 1])):
        return np.empty(0), []
    cost = np.full(3 * count * (hops + 1), np.inf)
    before = np.full(len(cost), -1, np.int64)
    goals = np.empty(int(wanted), np.int64)
    found = _walk(
        features[joints], joints, clips, nodes, order, bounds, leave, enter, float(played), least, rates, float(hop),
        float(scale), int(fewest), goals, edge, go, cost, before, table, base, place,
    )  # fmt: skip
    goals, walks = goals[:found], []
    for goal in goals:
        states, state = [], int(goal)
        while state >= 0:
            states.append((state // (3 * count), state % (3 * count) // count, state % count))
            state = int(before[state])
        walks.append(states[::-1])
    return cost[goals], walks
