"""Which of several correlations is taken: the one that lets the upper body pass from one motion to the other where both look alike.

Transition points are frames in which the upper bodies of both motions lie in one node of their cluster graph. Of all shifts the one is
chosen that brings the source's transition point nearest to the base's, s* = argmin abs(phi_s(t_A) - t_G); of equals the one with the longer
domain (reuse specification 3.12). Where the points are in phase with the steps they meet; where they are not, the feet stay in step all
the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core.clip import Clip
from reenact.errors import ParameterError
from reenact.graft.chain_graph import SAMPLED, chain_graph
from reenact.graft.sampling import every_frame
from reenact.graft.time_map import TimeMap
from reenact.graph.cluster_graph import ClusterGraph

UPPER_ERROR = 0.15
"""Metres at which the graph of the upper body is cut: about half the way that a hand swings in a walk."""

_TIE = 0.5  # frames: transition points this near to each other are equally near
_ENOUGH = 0.8  # of the longest domain: a shift that leaves less is taken only when it is asked for


@dataclass(frozen=True, slots=True)
class TransitionPoint:
    """Frames of base and source in which their upper bodies are alike, and how far apart they are (sqrt(E), metres)."""

    base: int
    source: int
    error: float


def find_transition_points(
    base: Clip, source: Clip, joints: Sequence[int], error: float = UPPER_ERROR
) -> tuple[TransitionPoint, ...]:
    """All pairs of alignment frames that the graph of these joints has in one node, the earliest in both motions first.

    Args:
        base: the base.
        source: on the same skeleton, at the same rate; clips longer than needed are compared at 30 frames a second.
        joints: the chains that are grafted.
        error: metres at which the graph is cut.
    """
    step = max(round(base.fps / SAMPLED), 1)
    other = source.renamed(f"{source.name}*") if source.name == base.name else source
    graph = chain_graph([every_frame(base, step), every_frame(other, step)], joints, error)
    found = [
        TransitionPoint(step * one.align, step * two.align, _error(graph, one.align, two.align))
        for node in range(graph.nodes)
        for one in graph.sequences_of(node)
        if one.clip == 0
        for two in graph.sequences_of(node)
        if two.clip == 1
    ]
    return tuple(sorted(found, key=lambda point: (point.base + point.source, point.base)))


def _error(graph: ClusterGraph, one: int, two: int) -> float:
    return graph.error_between(one, int(graph.starts[1]) + two)


def choose_shift(maps: Sequence[TimeMap], point: TransitionPoint | None, shift: int | None = None) -> TimeMap:
    """The correlation that is taken.

    Args:
        maps: all shifts, see `correlate_plants`.
        point: the transition point; None: the longest domain is taken.
        shift: the one asked for instead.

    Raises:
        ParameterError: there is no such shift; the message says which there are.
    """
    if shift is not None:
        for one in maps:
            if one.shift == shift:
                return one
        there = ", ".join(str(one.shift) for one in maps)
        raise ParameterError(f"no correlation is shifted by {shift} cycles; there are {there}", where="shift")
    longest = max(len(one.frames) for one in maps)
    able = [one for one in maps if len(one.frames) >= _ENOUGH * longest]
    if point is None:
        return max(able, key=lambda one: len(one.frames))
    distances = [transition_distance(one, point) for one in able]
    nearest = min(distances)
    ties = [one for one, distance in zip(able, distances, strict=True) if distance <= nearest + _TIE]
    return max(ties, key=lambda one: len(one.frames))


def transition_distance(one: TimeMap, point: TransitionPoint) -> float:
    """Frames of the source between its transition point and the partner of the base's: abs(phi(t_A) - t_G)."""
    return float(np.abs(one.at(point.base) - point.source))
