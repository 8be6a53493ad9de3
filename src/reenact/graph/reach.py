"""What can be reached on a cluster graph, and what is missing where nothing can: breadth-first, without costs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.analysis.constraint_states import STATES
from reenact.core.arrays import Bool
from reenact.errors import ReenactError, Remedy
from reenact.graph.building import recut
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.explain import describe_state
from reenact.graph.search import Waypoint, find_options, switch_room
from reenact.graph.search_parameters import SearchParameters

_COMPARED = 2500  # frames of either side, at most, that are compared for the nearest pair
_MANY_HOPS = 12  # switches tried where fewer do not do
_COARSER = 10  # larger errors tried, up to thrice the graph's


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


def no_path_error(
    graph: ClusterGraph, source: Waypoint, target: Waypoint, parameters: SearchParameters, *, remedies: bool = True
) -> NoPathError:
    """The error that says what is missing between two clips: the clip that would be needed, and with `remedies` what helps without it."""
    start = f"no way from {source.label} to {target.label} within {parameters.hops} switches at an error of {graph.error:.3g} m"
    direct = replace(parameters, hops=1) if parameters.via == "direct" else parameters
    gap = find_gap(graph, source, target, direct)
    if gap is None:
        return NoPathError(f"{start}: {_no_room(graph, source, target, parameters)}", where=target.label)
    here, there = (
        f"{graph.clips[clip].label} at frame {frame} ({describe_state(state)})"
        for (clip, frame), state in zip((gap.here, gap.there), gap.states, strict=True)
    )
    needed = (
        f"needed is a clip that begins like {here} and comes to a pose like {there}; "
        f"these are the nearest poses, {gap.error:.3f} m apart"
    )
    ways = _what_helps(graph, source, target, parameters) if remedies else []
    helps = f". What helps: {'; '.join(way.text for way in ways)}" if ways else ""
    return NoPathError(
        f"{start}; {needed}{helps}", where=target.label, remedies=[way for way in ways if way.parameters]
    )


def _no_room(graph: ClusterGraph, source: Waypoint, target: Waypoint, parameters: SearchParameters) -> str:
    """Which of both has no frame in which it could be left or entered."""
    usable = graph.sequence_clips[_inside(graph, parameters)]
    for point in (source, target):
        if not np.isin(usable, point.clips).any():
            longest = max((graph.clips[clip] for clip in point.clips), key=lambda one: one.frames / one.fps)
            return f"{point.label} is too short for a blend ({longest.frames} frames, {longest.frames / longest.fps:.2f} s)"
    return f"{target.label} has no frame with room for a blend before frame {target.frame}; ask for a later one"


def _what_helps(graph: ClusterGraph, source: Waypoint, target: Waypoint, parameters: SearchParameters) -> list[Remedy]:
    """Changes of the search or the graph that were tried and give a way; mirror images are only proposed."""
    ways = []
    if parameters.via != "direct" and parameters.hops < _MANY_HOPS:
        more = find_options(graph, source, target, replace(parameters, hops=_MANY_HOPS), 1)
        if more:
            hops = len(more[0].switches)
            ways.append(Remedy(f"more switches (--hops {hops})", {"hops": hops}))
    if parameters.via == "direct" and find_options(graph, source, target, replace(parameters, via="any"), 1):
        ways.append(Remedy("other clips on the way (--via auto)", {"via": "auto"}))
    error = find_joining_error(graph, source, target, parameters)
    if error is not None:
        ways.append(Remedy(f"a coarser graph (--error {error:g})", {"error": error}))
    if not any(clip.mirrored for clip in graph.clips):
        ways.append(Remedy("mirrored clips may do (graph build --mirrored)", {}))
    return ways


def find_joining_error(
    graph: ClusterGraph, source: Waypoint, target: Waypoint, parameters: SearchParameters
) -> float | None:
    """Metres, an error hardly larger than it must be at which the same tree, cut there, has a way; None when none up to thrice does."""
    for step in range(1, _COARSER + 1):
        error = float(f"{graph.error * 3.0 ** (step / _COARSER):.2g}")
        if error > graph.tree.limit:
            return None
        if error > graph.error and find_options(recut(graph, error), source, target, parameters, 1):
            return error
    return None
