"""Correlation of two motions by their feet: the plants of the same foot paired in order, with all alternates (reuse specification 3.11).

The single supports of both motions are paired first with first, second with second, and so on; a shift by a whole cycle is an alternate
correlation. Within a pair frames are mapped straight, and so are the frames between two pairs, whatever the gaits do there. Before the
first plant and after the last nothing is known.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from reenact.analysis.chains import group_joints
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.smoothing import smooth
from reenact.errors import ParameterError
from reenact.graft.chain_graph import chain_graph
from reenact.graft.coupling import calm_headings
from reenact.graft.single_supports import SingleSupport, find_single_supports
from reenact.graft.time_map import STEEPEST, TimeMap
from reenact.graph.cluster_graph import ClusterGraph

CROSSED = "one goes backwards, so steps of opposite feet belong together"
"""What a report says of crossed pairs."""

_BACKWARDS = -0.3  # of the way: with less forwards than this a motion goes backwards
_CALM = 0.1  # seconds, width of the low-pass over the way of the hips
_NEAR = 1.0  # frames: anchors nearer to each other than this, in either motion, are one


def correlate_plants(
    base: Clip,
    source: Clip,
    base_plants: FootPlants,
    source_plants: FootPlants,
    similar: float | None = None,
) -> tuple[TimeMap, ...]:
    """Every correlation of two motions by their feet, in the order of their shifts.

    Of a walk backwards and one forwards the steps of opposite feet are paired: while the left foot stands the right one is carried back in
    the one and forth in the other, and arms go with the legs.

    Args:
        base: whose legs are kept.
        source: on the same skeleton, at the same rate.
        base_plants: foot plants of the base.
        source_plants: foot plants of the source.
        similar: metres: pair only supports in which the legs are as alike as this, by the cluster graph of the legs; None: any.

    Raises:
        ParameterError: a motion without single supports, or no support in common.
    """
    ours, theirs = find_single_supports(base_plants), find_single_supports(source_plants)
    for clip, found, plants in ((base, ours, base_plants), (source, theirs, source_plants)):
        if not found:
            raise ParameterError(
                f"never stands on one foot alone{_why(plants)}, so no step can be told", where=clip.name
            )
    graph = None
    if similar is not None:
        legs = group_joints(base.skeleton)["lower"]
        other = source.renamed(f"{source.name}*") if source.name == base.name else source
        graph = chain_graph([base, other], legs, similar, [base_plants, source_plants])
    crossed = goes_backwards(base) != goes_backwards(source)
    maps = pair_supports(ours, theirs, graph, crossed=crossed)
    if not maps:
        raise ParameterError(
            f"{base.name!r} and {source.name!r} have no foot plant in common that could be paired", where=source.name
        )
    return maps


def goes_backwards(clip: Clip) -> bool:
    """Whether a motion travels the other way than it faces, most of its way."""
    if len(clip) < 2:
        return False
    hips = clip.world(np.float64).positions[:, clip.skeleton.roles.get("hips", 0)]
    steps, facing = np.diff(smooth(hips, _CALM * clip.fps), axis=0)[:, [0, 2]], calm_headings(clip)[:-1]
    ahead = np.sum(steps[:, 0] * np.sin(facing) + steps[:, 1] * np.cos(facing))
    return bool(ahead < _BACKWARDS * np.sum(np.hypot(*steps.T)))


def _why(plants: FootPlants) -> str:
    return " (no foot is ever planted)" if not (plants.left.plant | plants.right.plant).any() else ""


def pair_supports(
    ours: Sequence[SingleSupport],
    theirs: Sequence[SingleSupport],
    graph: ClusterGraph | None = None,
    *,
    crossed: bool = False,
) -> tuple[TimeMap, ...]:
    """The maps of all shifts at which supports of the same foot meet (`crossed`: of opposite feet); see `correlate_plants`.

    Of a shift at which feet meet in several stretches the longest counts.
    """
    found: list[tuple[int, TimeMap]] = []
    for offset in range(-(len(theirs) - 1), len(ours)):
        pairs = [(i, i - offset) for i in range(max(offset, 0), min(len(ours), len(theirs) + offset))]
        run = _longest_run([(ours[i].foot == theirs[j].foot) != crossed for i, j in pairs])
        made = _map_of(ours, theirs, pairs[slice(*run)], graph)
        if made is not None:
            found.append((offset, made))
    if not found:
        return ()
    first = min((offset for offset, _ in found), key=lambda offset: (abs(offset), -offset))
    return tuple(
        TimeMap(one.anchors, one.how, round((offset - first) / 2), one.pairs, one.feet, CROSSED if crossed else "")
        for offset, one in found
    )


def _longest_run(good: Sequence[bool]) -> tuple[int, int]:
    best, start = (0, 0), 0
    for n, one in enumerate((*good, False)):
        if not one:
            if n - start > best[1] - best[0]:
                best = start, n
            start = n + 1
    return best


def _map_of(
    ours: Sequence[SingleSupport],
    theirs: Sequence[SingleSupport],
    pairs: Sequence[tuple[int, int]],
    graph: ClusterGraph | None,
) -> TimeMap | None:
    pairs = [pair for pair in pairs if graph is None or _alike(graph, ours[pair[0]], theirs[pair[1]])]
    rows: list[tuple[float, float]] = []
    for i, j in pairs:
        a, b = ours[i], theirs[j]
        if a.begins and b.begins:
            rows.append((a.start, b.start))
        if a.ends and b.ends:
            rows.append((a.end, b.end))
    rows = _apart(rows)
    rows = _steady(rows)
    if len(rows) < 2:
        return None
    kept = [(i, j) for i, j in pairs if ours[i].start <= rows[-1][0] + _NEAR and ours[i].end >= rows[0][0] - _NEAR]
    if not kept:
        return None
    rows = _reaching_plants(rows, ours, theirs, kept)
    return TimeMap(np.array(rows), "plants", 0, tuple(kept), tuple(ours[i].foot for i, _ in kept))


def _alike(graph: ClusterGraph, ours: SingleSupport, theirs: SingleSupport) -> bool:
    """Whether two supports have a node of the legs' graph in common."""
    begin = int(graph.starts[1])
    nodes = graph.node_of_frame[ours.start : ours.end], graph.node_of_frame[begin + theirs.start : begin + theirs.end]
    return bool(np.intersect1d(*nodes).size)


def _apart(rows: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Anchors of which none is too near to the next: those become one, in the middle."""
    kept: list[tuple[float, float]] = []
    for row in rows:
        if kept and min(row[0] - kept[-1][0], row[1] - kept[-1][1]) < _NEAR:
            row = 0.5 * (row[0] + kept[-1][0]), 0.5 * (row[1] + kept[-1][1])
            kept.pop()
        kept.append(row)
    return kept


def _steady(rows: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The longest part of the anchors in which neither motion waits for the other: no step is played much faster or slower."""
    if len(rows) < 2:
        return list(rows)
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.pairwise(rows)]
    start, end = _longest_run([1 / STEEPEST <= slope <= STEEPEST for slope in slopes])
    return list(rows[start : end + 1]) if end > start else []


def _reaching_plants(
    rows: list[tuple[float, float]],
    ours: Sequence[SingleSupport],
    theirs: Sequence[SingleSupport],
    pairs: Sequence[tuple[int, int]],
) -> list[tuple[float, float]]:
    """The anchors carried on, as fast as beside them, to where the first plant begins and the last one ends in either motion."""
    slope = (rows[-1][1] - rows[0][1]) / (rows[-1][0] - rows[0][0])
    (i, j), (k, m) = pairs[0], pairs[-1]
    (a0, b0), (a1, b1) = rows[0], rows[-1]
    before = min(a0 - ours[i].planted[0], (b0 - theirs[j].planted[0]) / slope)
    after = min(ours[k].planted[1] - 1 - a1, (theirs[m].planted[1] - 1 - b1) / slope)
    if before >= _NEAR:
        rows = [(a0 - before, b0 - before * slope), *rows]
    if after >= _NEAR:
        rows = [*rows, (a1 + after, b1 + after * slope)]
    return rows
