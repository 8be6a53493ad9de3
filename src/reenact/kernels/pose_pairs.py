"""Pairs of poses whose distance is small, for the edges of a pose graph: exact, without a matrix.

A pose is a record of terms of which each is a metric, and their sum is the distance K (see `mobility.transition_cost`). Terms are added
until the sum is too large, the most telling first; a chord stands for its arc until all others are added. The cost of a jump is the mean of
two distances that lie one behind the other on a diagonal of the matrix of K, so the smaller one is at most the cost: every pair of poses
that is near enough is looked at with its two neighbours on the diagonal, and no other.
"""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel

SEGMENT = 4
"""Poses that follow each other and are looked at as one first."""

BLOCK = 48
"""Segments on a side of a tile: the records of two sides stay in the cache."""


@inlined_kernel
def _length(vectors, a, b, at):
    x = vectors[a, at] - vectors[b, at]
    y = vectors[a, at + 1] - vectors[b, at + 1]
    z = vectors[a, at + 2] - vectors[b, at + 2]
    return np.sqrt(x * x + y * y + z * z)


@inlined_kernel
def _chord(rotations, a, b, at):
    """Length of the chord between two unit quaternions of either sign, at most the square root of 2."""
    w = rotations[a, at] - rotations[b, at]
    x = rotations[a, at + 1] - rotations[b, at + 1]
    y = rotations[a, at + 2] - rotations[b, at + 2]
    z = rotations[a, at + 3] - rotations[b, at + 3]
    square = w * w + x * x + y * y + z * z
    return np.sqrt(max(min(square, np.float32(4.0) - square), np.float32(0.0)))


@kernel
def _distance(vectors, rotations, weights, a, b, limit):
    """K of two poses, or something above `limit` when it is above."""
    total = _length(vectors, a, b, 0)
    for term in range(1, vectors.shape[1] // 3):
        if total > limit:
            return total
        total += _length(vectors, a, b, 3 * term)
    if total > limit:
        return total
    arcs = total
    for joint in range(len(weights)):
        total += np.float32(2.0) * weights[joint] * _chord(rotations, a, b, 4 * joint)
        if total > limit:
            return total
    for joint in range(len(weights)):
        half = np.float32(0.5) * _chord(rotations, a, b, 4 * joint)
        arcs += np.float32(4.0) * weights[joint] * np.arcsin(min(half, np.float32(1.0)))
    return arcs


@inlined_kernel
def _keep(nearest, source, cost):
    """Put a cost among the lowest of a source, which are sorted; the last is its bound."""
    most = nearest.shape[1]
    if most == 0 or cost >= nearest[source, most - 1]:
        return
    at = most - 1
    while at > 0 and nearest[source, at - 1] > cost:
        nearest[source, at] = nearest[source, at - 1]
        at -= 1
    nearest[source, at] = cost


@inlined_kernel
def _bound(nearest, source, limit):
    """The cost up to which jumps from a source are wanted."""
    most = nearest.shape[1]
    if most == 0:
        return limit
    return min(limit, nearest[source, most - 1] * np.float32(1.001) + np.float32(0.004))


@inlined_kernel
def _allowed(clips, contacts, exclude, i, j):
    """Whether one may jump from pose i to pose j; both are known to have a pose after and before them."""
    if clips[i] == clips[j] and abs(j - (i + 1)) <= exclude:
        return False
    return j != i + 1 and contacts[i + 1] == contacts[j]


@kernel
def _radii(vectors, rotations, weights, segments):
    """(S,) distance of the farthest pose of a segment from the one in its middle."""
    poses = len(vectors)
    for segment in range(len(segments)):
        first, last = segment * SEGMENT, min((segment + 1) * SEGMENT, poses)
        middle = (first + last) // 2
        farthest = np.float32(0.0)
        for pose in range(first, last):
            if pose != middle:
                a, b = min(pose, middle), max(pose, middle)
                farthest = max(farthest, _distance(vectors, rotations, weights, a, b, np.float32(np.inf)))
        segments[segment] = farthest


@kernel
def _search(vectors, rotations, weights, clips, contacts, exclude, first, last, caps, nearest, out, costs):
    """Propose jumps of all pairs a < b with a in first..last; returns how many, or -1 when there is no room for them.

    Segments of a few poses whose middles are farther apart than the limit and both radii hold no pair that is near enough.
    """
    poses = len(clips)
    count = (poses + SEGMENT - 1) // SEGMENT
    found = 0
    bounds = np.empty(poses, np.float32)
    for pose in range(poses):
        bounds[pose] = _bound(nearest, pose, caps[pose])
    radii, wanted = np.empty(count, np.float32), np.empty(count, np.float32)
    _radii(vectors, rotations, weights, radii)
    for segment in range(count):
        wanted[segment] = np.float32(0.0)
        for pose in range(max(segment * SEGMENT - 1, 0), min((segment + 1) * SEGMENT, poses)):
            wanted[segment] = max(wanted[segment], bounds[pose])
    for left in range(first // SEGMENT, (last + SEGMENT - 1) // SEGMENT, BLOCK):
        for right in range(left, count, BLOCK):
            for low in range(left, min(left + BLOCK, (last + SEGMENT - 1) // SEGMENT)):
                middle = (low * SEGMENT + min((low + 1) * SEGMENT, poses)) // 2
                for high in range(max(right, low), min(right + BLOCK, count)):
                    if high > low:
                        other = (high * SEGMENT + min((high + 1) * SEGMENT, poses)) // 2
                        apart = max(wanted[low], wanted[high]) + radii[low] + radii[high] + np.float32(0.004)
                        if _distance(vectors, rotations, weights, middle, other, apart) > apart:
                            continue
                    for a in range(max(low * SEGMENT, first), min((low + 1) * SEGMENT, last)):
                        for b in range(max(high * SEGMENT, a + 1), min((high + 1) * SEGMENT, poses)):
                            near = max(bounds[a], bounds[b])
                            if a > 0:
                                near = max(near, max(bounds[a - 1], bounds[b - 1]))
                            k = _distance(vectors, rotations, weights, a, b, near)
                            if k > near:
                                continue
                            for side in range(2):
                                # the diagonal before the pair, and that behind it: jumps (p -> q + 1) and (q -> p + 1)
                                p, q = a - 1 + side, b - 1 + side
                                if p < 0 or q + 1 >= poses or clips[p] != clips[p + 1] or clips[q] != clips[q + 1]:
                                    continue
                                most = max(bounds[p], bounds[q])
                                x, y = (p, q) if side == 0 else (p + 1, q + 1)
                                gap = _distance(vectors, rotations, weights, x, y, np.float32(2.0) * most - k)
                                cost = np.float32(0.5) * (k + gap)
                                # each is found from the nearer of its two pairs, so that it is found once
                                if cost > most or gap < k or (side == 0 and gap == k):
                                    continue
                                for turn in range(2):
                                    i, j = (p, q + 1) if turn == 0 else (q, p + 1)
                                    if cost > bounds[i] or not _allowed(clips, contacts, exclude, i, j):
                                        continue
                                    if found == len(out):
                                        return -1
                                    out[found, 0], out[found, 1], costs[found] = i, j, cost
                                    found += 1
                                    _keep(nearest, i, cost)
                                    bounds[i] = _bound(nearest, i, caps[i])
    return found


@kernel
def _guess(vectors, rotations, weights, clips, contacts, exclude, near, caps, nearest):
    """Lower the caps of poses to the costs of jumps beside the poses `near` them; the last of `nearest` is what they have found."""
    poses = len(clips)
    for i in range(poses):
        if i + 1 >= poses or clips[i + 1] != clips[i]:
            continue
        for m in range(near.shape[1]):
            j = near[i + 1, m]
            if j < 1 or clips[j - 1] != clips[j] or not _allowed(clips, contacts, exclude, i, j):
                continue
            cost = np.float32(0.0)
            for step in range(2):
                a, b = i + 1 - step, j - step
                if a != b:
                    cost += _distance(vectors, rotations, weights, min(a, b), max(a, b), np.float32(np.inf))
            _keep(nearest, i, np.float32(0.5) * cost)
        caps[i] = _bound(nearest, i, caps[i])


def first_caps(vectors, rotations, weights, clips, contacts, exclude, limit, most, near):
    """(N,) float32: what the `most` cheapest jumps of each pose cost at most, told by some of them; `limit` where too few are known.

    Args:
        vectors: this and the next ones as in `search_pairs`.
        rotations: likewise.
        weights: likewise.
        clips: likewise.
        contacts: likewise.
        exclude: likewise.
        limit: likewise.
        most: likewise.
        near: (N, G) int32 poses that are probably like each pose, each named once; -1: none.
    """
    caps = np.full(len(clips), limit, np.float32)
    nearest = np.full((len(clips), most), np.inf, np.float32)
    _guess(vectors, rotations, weights, clips, contacts, int(exclude), near, caps, nearest)
    return caps


def search_pairs(vectors, rotations, weights, clips, contacts, exclude, first, last, caps, most):
    """Jumps that are within a limit and among the cheapest of their source, and some that are a little dearer.

    Args:
        vectors: (N, 3 T) float32, terms whose Euclidean distances are added; the most telling first.
        rotations: (N, 4 M) float32 unit quaternions; `weights` (M,) float32, cost of a radian of the full angle between them.
        weights: see `rotations`.
        clips: (N,) int32, ascending: jumps neither leave the last pose of a clip nor enter the first.
        contacts: (N,) uint8; a jump i -> j needs those of i + 1 and j to be equal.
        exclude: no jump within a clip to fewer than this many poses beside the next.
        first, last: of every pair at least the earlier pose lies in this half-open range.
        last: see `first`.
        caps: (N,) float32, highest cost of a jump from each pose.
        most: how many of the cheapest of each source are wanted; 0: all.

    Returns:
        sources, targets (P,) int32 and costs (P,) float32, rounded as float32 rounds.
    """
    room = 1 << 16
    while True:
        out, costs = np.empty((room, 2), np.int32), np.empty(room, np.float32)
        nearest = np.full((len(clips), most), np.inf, np.float32)
        given = (vectors, rotations, weights, clips, contacts, int(exclude), int(first), int(last), caps)
        found = _search(*given, nearest, out, costs)
        if found >= 0:
            return out[:found, 0].copy(), out[:found, 1].copy(), costs[:found].copy()
        room *= 4


@kernel
def _is_least(vectors, rotations, weights, clips, sources, targets, reach, out):
    poses = len(clips)
    side = 2 * reach + 1
    block = np.empty((side + 1, side + 1), np.float32)
    for pair in range(len(sources)):
        i, j = sources[pair], targets[pair]
        # block[r, c] is K(i - reach + r, j - 1 - reach + c), for tau of sources i - reach.. and targets j - reach..
        for r in range(side + 1):
            for c in range(side + 1):
                a, b = i - reach + r, j - 1 - reach + c
                inside = 0 <= a < poses and 0 <= b < poses
                if not inside or clips[a] != clips[i] or clips[b] != clips[j]:
                    block[r, c] = np.inf
                elif a == b:
                    block[r, c] = np.float32(0.0)
                else:
                    block[r, c] = _distance(vectors, rotations, weights, min(a, b), max(a, b), np.float32(np.inf))
        own = np.float32(0.5) * (block[reach + 1, reach + 1] + block[reach, reach])
        out[pair] = True
        for r in range(side):
            for c in range(side):
                cost = np.float32(0.5) * (block[r + 1, c + 1] + block[r, c])
                # of equal neighbours the first counts
                earlier = r < reach or (r == reach and c < reach)
                if cost < own or (earlier and cost == own):
                    out[pair] = False


def are_least(vectors, rotations, weights, clips, sources, targets, reach):
    """(P,) bool: a jump costs less than all whose source and target lie within `reach` poses of its own, in the same two clips.

    Args:
        vectors: as in `search_pairs`.
        rotations: likewise.
        weights: likewise.
        clips: likewise.
        sources: (P,) int32 poses that are left; `targets` (P,) those that are entered.
        targets: see `sources`.
        reach: poses.
    """
    out = np.empty(len(sources), np.bool_)
    _is_least(vectors, rotations, weights, clips, sources, targets, int(reach), out)
    return out
