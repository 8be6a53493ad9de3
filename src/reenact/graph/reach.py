"""What can be reached on a cluster graph, and what is missing where nothing can: breadth-first, without costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.constraint_states import STATES
from reenact.core.arrays import Bool
from reenact.errors import ReenactError
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.search import Waypoint, switch_room
from reenact.graph.search_parameters import SearchParameters

_COMPARED = 2500  # frames of either side, at most, that are compared for the nearest pair


class NoPathError(ReenactError, LookupError):
    """There is no way from one clip to another; the message says what is missing."""

    code = "no-path"


@dataclass(frozen=True, slots=True)
class Gap:
    """The narrowest gap between what the source reaches and what leads to the target.

    Attributes:
        here: (clip, frame) that can be reached.
        there: (clip, frame) from which the target can be reached.
        error: sqrt(E) between them, metres.
        states: their constraint states; when they differ no error joins them.
        enough: metres, the smallest error between frames of one state on either side; inf when there are none.
    """

    here: tuple[int, int]
    there: tuple[int, int]
    error: float
    states: tuple[str, str]
    enough: float


def reached_from(graph: ClusterGraph, source: Waypoint, parameters: SearchParameters) -> Bool:
    """(S,) sequences that can be left after fewer switches than are allowed, starting in the source."""
    joints, clips = graph.aligned, graph.sequence_clips
    inside = _inside(graph, parameters)
    ready = np.isin(clips, source.clips) & inside
    for _ in range(parameters.hops - 1):
        touched = np.zeros(graph.nodes, np.bool_)
        touched[graph.sequence_nodes[ready]] = True
        entered = touched[graph.sequence_nodes] & inside
        earliest = np.full(len(graph.clips), np.inf)
        np.minimum.at(earliest, clips[entered], joints[entered])
        more = ready | (inside & (joints >= earliest[clips] + _least(graph, parameters)[clips]))
        if np.array_equal(more, ready):
            break
        ready = more
    return ready


def leading_to(graph: ClusterGraph, target: Waypoint, parameters: SearchParameters) -> Bool:
    """(S,) sequences which, once entered, lead to the target within the switches that are allowed, or are part of it."""
    joints, clips = graph.aligned, graph.sequence_clips
    inside = _inside(graph, parameters)
    good = np.isin(clips, target.clips) & inside
    if target.frame is not None:
        good &= joints - graph.starts[clips] <= target.frame
    for _ in range(parameters.hops - 1):
        touched = np.zeros(graph.nodes, np.bool_)
        touched[graph.sequence_nodes[good]] = True
        ready = touched[graph.sequence_nodes] & inside
        latest = np.full(len(graph.clips), -np.inf)
        np.maximum.at(latest, clips[ready], joints[ready])
        more = good | (inside & (joints <= latest[clips] - _least(graph, parameters)[clips]))
        if np.array_equal(more, good):
            break
        good = more
    return good


def _inside(graph: ClusterGraph, parameters: SearchParameters) -> Bool:
    """(S,) sequences at whose alignment frame there is room for a blend."""
    return np.isfinite(switch_room(graph, parameters))


def _least(graph: ClusterGraph, parameters: SearchParameters) -> np.ndarray:
    return np.maximum(np.round(parameters.window * graph.rates), 1)


def find_gap(graph: ClusterGraph, source: Waypoint, target: Waypoint, parameters: SearchParameters) -> Gap | None:
    """The narrowest gap between source and target; None when no frame of either can be used."""
    here = _frames_of(graph, reached_from(graph, source, parameters))
    there = _frames_of(graph, leading_to(graph, target, parameters))
    if not len(here) or not len(there):
        return None
    a, b = graph.features[here].astype(np.float64), graph.features[there].astype(np.float64)
    middle = a.mean(axis=0)
    a, b = a - middle, b - middle
    errors = np.sum(a * a, axis=1)[:, None] + np.sum(b * b, axis=1) - 2 * (a @ b.T)
    same = graph.states[here][:, None] == graph.states[there]
    enough = float(np.sqrt(max(np.min(errors[same]), 0.0))) if np.any(same) else np.inf
    wanted = np.where(same, errors, np.inf) if np.isfinite(enough) else errors
    i, j = np.unravel_index(int(np.argmin(wanted)), errors.shape)
    return Gap(
        graph.locate(int(here[i])),
        graph.locate(int(there[j])),
        float(np.sqrt(max(errors[i, j], 0.0))),
        (STATES[graph.states[here[i]]], STATES[graph.states[there[j]]]),
        enough,
    )


def _frames_of(graph: ClusterGraph, sequences: Bool) -> np.ndarray:
    frames = np.flatnonzero(sequences[graph.sequence_of_frame])
    return frames[:: max(1, -(-len(frames) // _COMPARED))]


def no_path_error(graph: ClusterGraph, source: Waypoint, target: Waypoint, parameters: SearchParameters) -> NoPathError:
    """The error that says what is missing between two clips."""
    start = f"no way from {source.label} to {target.label} within {parameters.hops} switches at an error of {graph.error:g} m"
    gap = find_gap(graph, source, target, parameters)
    if gap is None:
        return NoPathError(f"{start}: one of them has no frame with room for a blend", where=target.label)
    here, there = (f"{graph.clips[clip].label} at frame {frame}" for clip, frame in (gap.here, gap.there))
    needed = (
        f"a clip that begins like {here} ({gap.states[0]}) and comes to a pose like {there} ({gap.states[1]}) would join them: "
        f"their nearest poses are {gap.error:.3f} m apart"
    )
    ways = []
    if np.isfinite(gap.enough) and gap.enough > graph.error:
        ways.append(f"a graph with an error of {gap.enough + 0.005:.2f} m")
    if not any(clip.mirrored for clip in graph.clips):
        ways.append("one with mirrored clips")
    ways.append("more switches (hops)")
    return NoPathError(f"{start}; {needed}. Other ways: {', '.join(ways)}", where=target.label)
