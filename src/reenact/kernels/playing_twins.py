"""Plain NumPy twins of `pose_playing`, `option_costs` and `nearest`, for their tests. They share no code with the kernels."""

from __future__ import annotations

import itertools
import math

import numpy as np

from reenact.kernels.option_costs import TERMS


def _times(a, b):
    w, x, y, z = a
    r, s, t, u = b
    return np.array(
        [
            w * r - x * s - y * t - z * u,
            w * s + x * r + y * u - z * t,
            w * t - x * u + y * r + z * s,
            w * u + x * t - y * s + z * r,
        ]
    )


def _inverse(a):
    return a * (1, -1, -1, -1)


def _log(q):
    q = q if q[0] >= 0 else -q
    size = np.linalg.norm(q[1:])
    return 2 * q[1:] if size < 1e-9 else 2 * math.atan2(size, q[0]) * q[1:] / size


def _exp(v):
    angle = np.linalg.norm(v)
    if angle < 1e-9:
        return np.array([1.0, *(0.5 * np.asarray(v))])
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * np.asarray(v) / angle)])


def stand(place, step):
    """Placement x, z, heading after a step."""
    turn = np.array([[math.cos(place[2]), math.sin(place[2])], [-math.sin(place[2]), math.cos(place[2])]])
    return np.array([*(np.asarray(place[:2]) + turn @ np.asarray(step[:2])), place[2] + step[2]])


def pose_in_world(motion, pose, place):
    """(J, 4) local rotations with the root's in the world, and the root's place (3,)."""
    rotations = motion.rotations[pose].astype(np.float64).copy()
    rotations[0] = _times(_exp([0.0, place[2], 0.0]), rotations[0])
    local = motion.positions[pose].astype(np.float64)
    x, z, _ = stand(place, (local[0], local[2], 0.0))
    return rotations, np.array([x, local[1], z])


def play_inertially(motion, poses, place, stiffness, dt):
    """One character without held feet: (F, 3) roots and (F, J, 4) rotations of all poses but the first, in which it begins."""
    slowest = min(6.0, stiffness)
    step = motion.increments[poses[0]]
    back = np.array([*(-np.asarray(stand((0, 0, -step[2]), step[:2].tolist() + [0.0]))[:2]), 0.0])
    before_place = stand(place, back)
    before_place[2] = place[2] - step[2]
    history = [pose_in_world(motion, poses[0] - 1, before_place), pose_in_world(motion, poses[0], place)]
    joints = motion.rotations.shape[1]
    x, v, rates = np.zeros((1 + joints, 3)), np.zeros((1 + joints, 3)), np.full(1 + joints, stiffness)
    place = np.asarray(place, dtype=np.float64)
    roots, turned = [], []
    for last, pose in itertools.pairwise(poses):
        stood = place
        place = stand(place, motion.increments[pose])
        rotations, root = pose_in_world(motion, pose, place)
        if pose != last + 1:
            was, was_root = pose_in_world(motion, pose - 1, stood)
            (early, early_root), (late, late_root) = history[-2:]
            x[0] = late_root - was_root
            v[0] = ((late_root - early_root) - (root - was_root)) / dt
            for j in range(joints):
                x[1 + j] = _log(_times(late[j], _inverse(was[j])))
                shown = _log(_times(late[j], _inverse(early[j])))
                v[1 + j] = (shown - _log(_times(rotations[j], _inverse(was[j])))) / dt
            far = np.maximum(np.linalg.norm(x, axis=1), 1e-6)
            rates = np.minimum(stiffness, np.maximum(math.e * motion.paces / far, slowest))
        a = v + rates[:, None] * x
        keep = np.exp(-rates * dt)[:, None]
        x, v = keep * (x + dt * a), keep * (v - rates[:, None] * dt * a)
        shown = np.array([_times(_exp(x[1 + j]), rotations[j]) for j in range(joints)])
        shown /= np.linalg.norm(shown, axis=1, keepdims=True)
        history.append((shown, root + x[0]))
        roots.append(root + x[0])
        turned.append(shown)
    return np.array(roots), np.array(turned)


def option_costs(options, state, first, last, place, wanted, circles, ends=()):
    """The columns of `option_costs.option_costs`."""
    rows = []
    for e in range(first, last):
        x, z, heading = stand(place, options.moves[e])
        goal = np.array([wanted.x, wanted.z])

        def beside(at, facing, goal=goal):
            to = goal - at
            return abs((math.atan2(*to) - facing + math.pi) % (2 * math.pi) - math.pi)

        end = np.array([x, z])
        far = np.linalg.norm(goal - end)
        row = np.zeros(TERMS + options.label_shares.shape[1])
        row[0] = far
        row[1] = 0.0 if far < 0.05 else math.degrees(beside(end, heading))
        row[3] = abs(np.linalg.norm(options.moves[e][:2]) / (max(options.frames[e], 1) / wanted.fps) - wanted.speed)
        row[4] = options.costs[e]
        if not math.isnan(wanted.heading):
            row[5] = math.degrees(abs((wanted.heading - heading + math.pi) % (2 * math.pi) - math.pi))
        row[TERMS:] = 1 - options.label_shares[e]
        at, stood, played, arrivals, near = state, np.asarray(place, dtype=np.float64), 0, [], 0.0
        for n in range(options.steps[e]):
            action = int(options.action_starts[at]) + int(options.sequences[e, n])
            stood = stand(stood, options.action_moves[action])
            frames = int(options.action_pose_starts[action + 1] - options.action_pose_starts[action])
            played += frames / wanted.fps
            at = int(options.action_to[action])
            left = np.linalg.norm(goal - stood[:2])
            if left <= wanted.radius:
                arrivals.append(played)
            for cx, cz, radius in circles:
                near = max(near, radius - math.hypot(stood[0] - cx, stood[1] - cz))
        left = np.linalg.norm(goal - stood[:2])
        if len(ends):
            arrivals = [ends[e - first]]
        elif left > wanted.radius:
            rest = (left - wanted.radius) / wanted.pace + beside(stood[:2], stood[2]) / wanted.turning
            arrivals.append(played + rest)
        row[2], row[6] = min(arrivals), near
        rows.append(row)
    return np.array(rows)


def nearest_row(table, usable, point):
    """(row, squared distance) of the nearest usable row."""
    gaps = np.sum((table.astype(np.float64) - point) ** 2, axis=1)
    gaps[~usable] = np.inf
    row = int(np.argmin(gaps))
    return row, float(gaps[row])
