"""Plain twins of the kernels of pose graphs and mobility maps: brute force, for small input."""

from __future__ import annotations

import itertools

import numpy as np

from reenact.kernels.twins import multiply


def distances(vectors, rotations, weights):
    """(N, N) float64 distance of any two records, see `kernels.pose_pairs`."""
    poses = len(vectors)
    terms = np.asarray(vectors, np.float64).reshape(poses, -1, 3)
    total = np.linalg.norm(terms[:, None] - terms[None], axis=-1).sum(axis=-1)
    for joint, weight in enumerate(np.asarray(weights, np.float64)):
        q = np.asarray(rotations, np.float64).reshape(poses, -1, 4)[:, joint]
        between = multiply((q * (1.0, -1.0, -1.0, -1.0))[:, None], q[None])
        total += weight * 2 * np.arctan2(np.linalg.norm(between[..., 1:], axis=-1), np.abs(between[..., 0]))
    return total


def jump_costs(vectors, rotations, weights, clips, contacts, exclude):
    """(N, N) float64 cost of every jump, infinite where it is out of the question."""
    k, poses = distances(vectors, rotations, weights), len(clips)
    costs = np.full((poses, poses), np.inf)
    for i, j in itertools.product(range(poses - 1), range(1, poses)):
        inside = clips[i] == clips[i + 1] and clips[j] == clips[j - 1]
        near = clips[i] == clips[j] and abs(j - (i + 1)) <= exclude
        if inside and not near and j != i + 1 and contacts[i + 1] == contacts[j]:
            costs[i, j] = 0.5 * (k[i + 1, j] + k[i, j - 1])
    return costs


def search_pairs(vectors, rotations, weights, clips, contacts, exclude, caps, most):
    """See `kernels.pose_pairs.search_pairs`, of all pairs, without those that are a little dearer: a set of (source, target)."""
    costs = jump_costs(vectors, rotations, weights, clips, contacts, exclude)
    found = set()
    for i, row in enumerate(costs):
        fit = np.flatnonzero(row <= caps[i])
        fit = fit[np.argsort(row[fit], kind="stable")][: most or None]
        found |= {(i, int(j)) for j in fit}
    return found


def are_least(vectors, rotations, weights, clips, sources, targets, reach):
    """See `kernels.pose_pairs.are_least`."""
    k, poses = distances(vectors, rotations, weights), len(clips)
    out = []
    for i, j in zip(sources, targets, strict=True):

        def cost(a, b, i=i, j=j):
            if not (0 <= a < poses - 1 and 0 < b < poses):
                return np.inf
            same = clips[a] == clips[a + 1] == clips[i] and clips[b] == clips[b - 1] == clips[j]
            return 0.5 * (k[a + 1, b] + k[a, b - 1]) if same else np.inf

        around = itertools.product(range(-reach, reach + 1), repeat=2)
        out.append(all(cost(i + a, j + b) >= cost(i, j) for a, b in around))
    return np.array(out, np.bool_)


def strong_components(pointers, targets, kept=None):
    """See `kernels.components.strong_components`, by what can reach what; the numbers are those of the lowest nodes."""
    nodes = len(pointers) - 1
    reach = np.eye(nodes, dtype=np.bool_)
    for node in range(nodes):
        for edge in range(pointers[node], pointers[node + 1]):
            if kept is None or kept[edge]:
                reach[node, targets[edge]] = True
    for middle in range(nodes):
        reach |= reach[:, middle, None] & reach[middle]
    both = reach & reach.T
    lowest = both.argmax(axis=1)
    return len(np.unique(lowest)), lowest


def least_costs(pointers, targets, costs, frames, sources):
    """See `kernels.least_cost.least_costs`, by relaxing all edges again and again: costs and frames."""
    nodes = len(pointers) - 1
    found = [(np.inf, 0)] * nodes
    for source in sources:
        found[source] = (0.0, 0)
    for _ in range(nodes):
        before = list(found)
        for node in range(nodes):
            for edge in range(pointers[node], pointers[node + 1]):
                cost, count = found[node]
                new = (cost + costs[edge], count + int(frames[edge]))
                if new < found[targets[edge]]:
                    found[targets[edge]] = new
        if before == found:
            break
    reached = np.array([cost for cost, _ in found])
    return reached, np.array([count if np.isfinite(cost) else 0 for cost, count in found])


def follow_chains(pointers, targets, costs, increments, is_state):
    """See `kernels.state_actions.follow_chains`: for every action its end, cost, move and poses."""
    actions = []
    for state in np.flatnonzero(is_state):
        for edge in range(pointers[state], pointers[state + 1]):
            poses, cost = [], 0.0
            move = np.eye(3)
            while True:
                pose = int(targets[edge])
                dx, dz, turn = (float(number) for number in increments[pose])
                # in the plane (z, x) a heading is a usual angle
                step = np.array([[np.cos(turn), -np.sin(turn), dz], [np.sin(turn), np.cos(turn), dx], [0, 0, 1]])
                move = move @ step
                poses.append(pose)
                cost += float(costs[edge])
                if is_state[pose]:
                    break
                edge = pointers[pose]
            actions.append((poses[-1], cost, (move[1, 2], move[0, 2], np.arctan2(move[1, 0], move[0, 0])), poses))
    return actions


def unroll_entries(begins, parents, actions, owners, places, local, moves, frames, costs, counts, longest):
    """See `kernels.map_entries.unroll_entries`: (sequence, move, frames, cost, counts) of every entry."""
    entries = []
    for owner, place in zip(owners, places, strict=True):
        path, at = [], int(place)
        while at >= 0:
            path.append(int(actions[begins[owner] + at]))
            at = int(parents[begins[owner] + at])
        path.reverse()
        move = np.eye(3)
        for action in path:
            dx, dz, turn = (float(number) for number in moves[action])
            move = move @ np.array([[np.cos(turn), -np.sin(turn), dz], [np.sin(turn), np.cos(turn), dx], [0, 0, 1]])
        sequence = [int(local[action]) for action in path] + [0] * (longest - len(path))
        entries.append(
            (
                sequence,
                (move[1, 2], move[0, 2], np.arctan2(move[1, 0], move[0, 0])),
                sum(int(frames[action]) for action in path),
                sum(float(costs[action]) for action in path),
                [sum(int(counts[action][k]) for action in path) for k in range(np.shape(counts)[1])],
            )
        )
    return entries
