"""The path of a blend over the floor: what each motion would do is averaged step by step, never the places (Kovar and Gleicher 2003).

Motions laid over the reference agree with each other, but all of them together may be moved by any transform G of the floor. A motion
alone would keep its own total transform G A_j as it is, so its vote for the change of G over a frame is A_j(before) A_j(now)^-1. The votes
are averaged about the mean of the aligned roots, which makes the result independent of where the origin lies.
"""

from __future__ import annotations

import numpy as np

from reenact.blend.alignment_curve import turn_floor
from reenact.blend.weights import others_of
from reenact.core.arrays import Float64
from reenact.core.heading import wrap
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth

_SWAY = 0.25  # seconds, width of the low-pass that takes the sway of a gait out of a path
_STANDING, _WALKING = 0.1, 0.3  # m/s: below the first a pace is not corrected, above the second wholly
_MOST_LONGER = 1.1


def travel(placements: Float64, roots: Float64, weights: Float64, start: Float64 | None = None) -> Float64:
    """The transforms G of the floor, (N, 3) turn, x, z; turns run on.

    Args:
        placements: (N, k, 3) transforms A_j that lay each motion on the reference.
        roots: (N, k, 2) metres, x and z of the aligned roots.
        weights: (N, k) of sum 1.
        start: (3,) the first transform; None: none, the blend starts where the reference does.
    """
    moves = np.zeros((len(placements), 3))
    moves[0] = 0.0 if start is None else start
    if len(placements) > 1:
        moves[1:] = mean_votes(placements[:-1], placements[1:], roots[1:], weights[1:])
    turns = np.cumsum(moves[:, 0])
    steps = moves[:, 1:].copy()
    steps[1:] = turn_floor(moves[1:, 1:], turns[:-1])
    return np.column_stack([turns, np.cumsum(steps, axis=0)])


def mean_votes(before: Float64, now: Float64, roots: Float64, weights: Float64) -> Float64:
    """(N, 3) weighted means of A_j(before) A_j(now)^-1 about the mean root; arguments as in `travel`."""
    turns = wrap(before[..., 0] - now[..., 0])
    pivot = np.einsum("nk,nki->ni", weights, roots)
    # where each vote takes the pivot: back to the motion's own place, then out again by the transform before
    own = turn_floor(pivot[:, None] - now[..., 1:], -now[..., 0])
    taken = turn_floor(own, before[..., 0]) + before[..., 1:]
    turn = np.einsum("nk,nk->n", weights, turns)
    shift = np.einsum("nk,nki->ni", weights, taken - pivot[:, None])
    return np.column_stack([turn, pivot + shift - turn_floor(pivot, turn)])


def chain(first: Float64, then: Float64) -> Float64:
    """The transform `first` applied after `then`: (..., 3) turn, x, z."""
    out = np.empty(np.broadcast_shapes(first.shape, then.shape))
    out[..., 0] = first[..., 0] + then[..., 0]
    out[..., 1:] = turn_floor(then[..., 1:], first[..., 0]) + first[..., 1:]
    return out


def mean_placement(votes: Float64, pivot: Float64, weights: Float64) -> Float64:
    """(3,) the weighted mean of transforms (N, 3) about a point (2,) of the floor: where they take it is averaged, and how they turn it."""
    heavy = int(np.argmax(weights))
    turn = votes[heavy, 0] + float(weights @ wrap(votes[:, 0] - votes[heavy, 0]))
    point = np.array([0.0, *pivot])
    taken = weights @ chain(votes, point)[:, 1:]
    return np.array([turn, *(taken - chain(np.array([turn, 0.0, 0.0]), point)[1:])])


def invert(placements: Float64) -> Float64:
    """(..., 3) the transforms that take placements back."""
    back, away = np.zeros_like(placements), np.zeros_like(placements)
    back[..., 0], away[..., 1:] = -placements[..., 0], -placements[..., 1:]
    return chain(back, away)


def keep_pace(path: Float64, sources: Float64, weights: Float64, fps: float) -> Float64:
    """(N, 2) the path made longer where its motions head different ways: the mean of two steps is shorter than the mean of their lengths.

    Args:
        path: (N, 2) metres, x and z of the blended root.
        sources: (N, k, 2) metres, the roots of the motions as recorded, at the frames of the blend.
        weights: (N, k) of sum 1.
        fps: frames per second.
    """
    if len(path) < 3:
        return path

    def pace(way: Float64) -> Float64:
        return np.linalg.norm(np.gradient(smooth(way, _SWAY * fps), axis=0), axis=-1) * fps

    own = pace(path)
    wanted = np.einsum("nk,nk->n", weights, np.column_stack([pace(way) for way in np.moveaxis(sources, 1, 0)]))
    longer = np.clip(wanted / np.maximum(own, 1e-6), 1.0, _MOST_LONGER) - 1.0
    mixed = others_of(weights).min(axis=1) > 0
    longer *= rise((wanted - _STANDING) / (_WALKING - _STANDING)) * mixed
    factor = 1.0 + smooth(longer, 0.5 * _SWAY * fps) * mixed
    steps = np.diff(path, axis=0) * (0.5 * (factor[1:] + factor[:-1]))[:, None]
    return path[0] + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
