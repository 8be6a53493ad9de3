"""Plain NumPy twins of the kernels in `kernels.legs`: the readable definition, and the reference of their tests."""

from __future__ import annotations

import numpy as np

from reenact.kernels.legs import AXIS_FROM, AXIS_TO, DAMPED, DEEP_FROM, DEEP_TO, EXACT, WRONG_FROM, WRONG_TO
from reenact.kernels.twins import multiply


def _dot(a, b):
    return np.einsum("...i,...i->...", a, b)


def _norm(v):
    return np.sqrt(_dot(v, v))


def _step(value, low, high):
    t = np.clip((value - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def bend_legs(hips, knees, ankles, targets, hinges, active, stretch=0.0):
    """Turns of hip and knee, metres missed, and stretch; see `kernels.legs.bend_legs`. Legs of no length are not for this twin."""
    upper, lower, way = knees - hips, ankles - knees, targets - hips
    far = _norm(way)
    longer = np.clip(far / (0.9995 * (_norm(upper) + _norm(lower))), 1.0, 1.0 + stretch)
    upper, lower = upper * longer[:, None], lower * longer[:, None]
    first, second = _norm(upper), _norm(lower)
    plane = np.cross(upper, lower)
    size = _norm(plane)
    trust = _step(size / (first * second), AXIS_FROM, AXIS_TO)
    scale = np.where(size > 1e-12, trust / np.maximum(size, 1e-12), 0.0) * np.where(_dot(plane, hinges) > 0, -1, 1)
    axis = plane * scale[:, None] - (1 - trust)[:, None] * hinges
    axis = np.where(_norm(axis)[:, None] < 1e-9, -hinges, axis)
    axis /= _norm(axis)[:, None]
    along = _dot(upper, axis) * _dot(lower, axis)
    even, odd = _dot(upper, lower) - along, _dot(upper, np.cross(axis, lower))
    swing = np.hypot(even, odd)
    bend = -np.arctan2(odd, even)
    wanted = np.maximum((0.5 * (far**2 - first**2 - second**2) - along) / np.maximum(swing, 1e-12), -1)
    new = np.arccos(np.minimum(wanted, 1))
    right = bend > -DAMPED
    exact = np.where(right, new, -new) - bend
    square = np.where(wanted <= 1, new**2, 2 * (1 - wanted))
    slow = np.hypot(bend, DAMPED) + np.sqrt(np.maximum(square, 0) + DAMPED**2)
    damped = np.maximum((square - bend**2) / slow, -np.abs(bend) - DAMPED)
    sure = np.where(right, _step(bend, -DAMPED, 0.0), _step(-bend, DAMPED, EXACT))
    angle = sure * exact + (1 - sure) * damped
    deep = _step(new + np.minimum(bend, 0), DEEP_FROM, DEEP_TO) * _step(bend, -WRONG_TO, -WRONG_FROM)
    angle += deep * (new - bend - angle)
    half = 0.5 * np.where(swing > 1e-12, angle, 0.0)[:, None]
    knee = np.concatenate([np.cos(half), np.sin(half) * axis], axis=1)
    turned = np.cross(knee[:, 1:], lower) * 2
    shank = lower + knee[:, :1] * turned + np.cross(knee[:, 1:], turned)
    end = upper + shank
    reach = _norm(end)
    swung = np.concatenate([(reach * far + _dot(end, way))[:, None], np.cross(end, way)], axis=1)
    swung /= _norm(swung)[:, None]
    still = np.array([1.0, 0, 0, 0])
    hip_turns = np.where(active[:, None], swung, still)
    knee_turns = np.where(active[:, None], multiply(swung, knee), still)
    return hip_turns, knee_turns, np.where(active, np.abs(far - reach), 0.0), np.where(active, longer, 1.0)


def turn_chain(world, above, joints, turns, active, rotations):
    """Write local rotations down a limb; see `kernels.legs.turn_chain`."""
    conjugate = np.array([1.0, -1, -1, -1])
    for n, (joint, parent) in enumerate(zip(joints, above, strict=True)):
        new = multiply(turns[n], world[:, joint])
        if parent >= 0:
            over = world[:, parent] if n == 0 else multiply(turns[n - 1], world[:, parent])
            new = multiply(over * conjugate, new)
        new /= _norm(new)[:, None]
        new *= np.where(_dot(new, rotations[:, joint]) < 0, -1, 1)[:, None]
        rotations[active, joint] = new[active]
