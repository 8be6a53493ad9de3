"""Choosing the error of a cut so that a gait cycle falls into a given number of sequences (reuse 3.5.5: threshold and weights are one
calibration problem).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from reenact.analysis.constraint_states import STATES
from reenact.errors import ParameterError
from reenact.graph.cluster_tree import ClusterTree

if TYPE_CHECKING:
    from reenact.graph.cluster_graph import GraphClip

WANTED = 8.0
"""Sequences per gait cycle; the thesis speaks of 5 to 10 clusters."""

_SHORTEST, _LONGEST = 0.5, 2.0  # seconds of a gait cycle


def gait_cycles(states: np.ndarray, clips: Sequence[GraphClip]) -> np.ndarray:
    """(G, 2) int64 frames [start, end) from one plant of the left foot to the next, of cycles in which the right foot stood alone."""
    planted = np.isin(states, [STATES.index(name) for name in ("L", "LB", "RB", "B")])
    right = states == STATES.index("R")
    found: list[tuple[int, int]] = []
    start = 0
    for clip in clips:
        span = slice(start, start + clip.frames)
        strikes = start + 1 + np.flatnonzero(~planted[span][:-1] & planted[span][1:])
        for a, b in itertools.pairwise(strikes):
            if _SHORTEST <= (b - a) / clip.fps <= _LONGEST and right[a:b].any():
                found.append((int(a), int(b)))
        start += clip.frames
    return np.array(found, np.int64).reshape(-1, 2)


def sequences_per_cycle(nodes: np.ndarray, cycles: np.ndarray) -> float:
    """Number of sequences in a gait cycle, the mean of the middle half of the cycles; nodes (N,) of frames, cycles (G, 2).

    A median is a whole number over wide ranges of errors: a tenth of a millimetre of noise would move the error chosen by it by a fifth.
    """
    changes = np.concatenate([[0], np.cumsum(np.diff(nodes) != 0)])
    counts = np.sort(changes[cycles[:, 1] - 1] - changes[cycles[:, 0]] + 1)
    quarter = len(counts) // 4
    return float(np.mean(counts[quarter : len(counts) - quarter]))


def tune_error(tree: ClusterTree, states: np.ndarray, clips: Sequence[GraphClip], wanted: float = WANTED) -> float:
    """The error in metres at which a gait cycle falls into `wanted` sequences, as near as the tree allows.

    Raises:
        ParameterError: no gait cycle was found; an error must be given.
    """
    cycles = gait_cycles(states, clips)
    if not len(cycles):
        raise ParameterError("no gait cycle was found to choose the error by; give one in metres", where="error")
    low, high = 0.005, 0.5
    for _ in range(14):
        middle = float(np.sqrt(low * high))
        if sequences_per_cycle(tree.cut(min(middle, tree.limit)), cycles) > wanted:
            low = middle
        else:
            high = middle
    return round(high, 4)
