"""Alignment frames: one frame for each sequence of a node, so that any sequence can be left there for any other (reuse 3.6)."""

from __future__ import annotations

import itertools
from typing import Literal

import numpy as np

from reenact import kernels
from reenact.core.arrays import Float, Float64

Alignment = Literal["viterbi", "greedy"]

FIRST_LIST = 5
"""Pairs of frames that the greedy way keeps between neighbours at first; the thesis does not say."""


def align_all(
    features: Float, starts: np.ndarray, ends: np.ndarray, order: np.ndarray, bounds: np.ndarray, how: Alignment
) -> np.ndarray:
    """(S,) int64 alignment frames of the sequences of all nodes.

    Args:
        features: (N, D), see `graph.features`.
        starts: (S,) first frames of the sequences; `ends` (S,) the frames after their last.
        ends: see `starts`.
        order: (S,) sequences, those of one node together.
        bounds: (K + 1,) node k holds order[bounds[k]:bounds[k + 1]].
        how: "viterbi" finds the least sum of errors from each sequence to the next; "greedy" joins short lists as the thesis does.
    """
    if how == "viterbi":
        return kernels.sequences.align_sequences(features, starts, ends, order, bounds)
    found = np.empty(len(starts), np.int64)
    for first, last in itertools.pairwise(bounds):
        members = order[first:last]
        found[members] = align_greedily(features, starts[members], ends[members])
    return found


def align_greedily(features: Float, starts: np.ndarray, ends: np.ndarray, count: int = FIRST_LIST) -> np.ndarray:
    """(m,) alignment frames of one node's sequences by the thesis' join of lists (section 4.2.4, figure 4.6).

    Between neighbours the `count` best pairs of frames are kept; tuples are pairs that share a frame, one after the other. When none is
    left the lists are doubled; complete lists always join.
    """
    if len(starts) == 1:
        return np.array([(starts[0] + ends[0] - 1) // 2])
    errors = [
        _errors(features[starts[i] : ends[i]], features[starts[i + 1] : ends[i + 1]]) for i in range(len(starts) - 1)
    ]
    while True:
        joined = _join(errors, count)
        if joined is not None:
            return starts + joined
        count *= 2


def _join(errors: list[Float64], count: int) -> np.ndarray | None:
    """The cheapest tuple whose neighbouring pairs are all among the `count` best of theirs, or None."""
    costs = np.zeros(errors[0].shape[0])
    back: list[np.ndarray] = []
    for table in errors:
        listed = np.full(table.shape, np.inf)
        best = np.argsort(table, axis=None, kind="stable")[:count]
        listed.flat[best] = table.flat[best]
        total = costs[:, None] + listed
        back.append(np.argmin(total, axis=0))
        costs = np.min(total, axis=0)
    if not np.any(np.isfinite(costs)):
        return None
    frames = [int(np.argmin(costs))]
    for choice in reversed(back):
        frames.append(int(choice[frames[-1]]))
    return np.array(frames[::-1])


def _errors(first: Float, second: Float) -> Float64:
    gaps = first[:, None].astype(np.float64) - second[None]
    return np.einsum("abd,abd->ab", gaps, gaps)


def tuple_cost(features: Float, frames: np.ndarray) -> float:
    """Sum of frame errors E from each alignment frame of a node to the next, square metres."""
    gaps = np.diff(np.asarray(features)[frames].astype(np.float64), axis=0)
    return float(np.sum(gaps * gaps))
