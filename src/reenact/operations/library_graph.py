"""The cluster graph of a library: built once, kept among its derived results, extended when clips were added."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from reenact.analysis.metrics.effectors import EffectorParameters
from reenact.compute.executor import Executor, executor_for
from reenact.core.joint_weights import JointWeights
from reenact.errors import LibraryError, ParameterError
from reenact.graph.building import DescribedClip, describe_clip, graph_of_described
from reenact.graph.cluster_graph import ClusterGraph, GraphClip
from reenact.graph.extending import extend_cluster_graph
from reenact.graph.features import FrameMetric, frame_metric
from reenact.graph.frame_table import FrameTable
from reenact.graph.graph_parameters import GraphParameters
from reenact.graph.search import Waypoint, waypoint, waypoints_of
from reenact.graph.storage import graph_from_arrays, graph_to_arrays, read_about, settings_from_json, settings_to_json
from reenact.library.cells import faults_named
from reenact.library.derived import derived_key, write_derived
from reenact.library.kept_plants import plants_digests
from reenact.operations.mapped_source import can_be_mapped, check_trees, library_source

if TYPE_CHECKING:
    from reenact.library.entries import Entry
    from reenact.library.store import Library

KIND = "cluster-graph"
"""Kind under which a graph is kept among the derived results of its clips."""

CLIPS_WORTH_A_PROCESS = 24
"""Starting a process takes about as long as describing this many clips of ordinary length."""

CODE = "3"
"""Raised when equal clips give another graph."""


Work = Callable[..., AbstractContextManager[Executor]]
_usual_work: Work = functools.partial(executor_for, None, worth=CLIPS_WORTH_A_PROCESS)


@dataclass(frozen=True, slots=True, eq=False)
class LibraryGraph:
    """A graph and how it came about.

    Attributes:
        graph: the graph; clip names are those of the library now.
        entries: (C',) the clips it is made of, without mirror images.
        made: kept (it was there), extended (clips were added to a kept one), rebuilt (likewise, but so much changed that its tree was
            built anew of the kept features) or built.
        added: clips that were added.
        disturbed: share of the frames that added clips disturbed, by which it was extended or rebuilt (see `graph.extending`).
        unkept: why it could not be kept in the library, so that it is built again the next time; empty when it was.
    """

    graph: ClusterGraph
    entries: tuple[Entry, ...]
    made: Literal["kept", "extended", "rebuilt", "built"]
    added: int
    disturbed: float = 0.0
    unkept: str = ""


def library_graph(
    library: Library,
    query: str = "",
    parameters: GraphParameters | None = None,
    *,
    measure: EffectorParameters | None = None,
    weights: JointWeights | None = None,
    rebuild: bool = False,
    progress: Callable[[int, int], None] | None = None,
    executor: Executor | str | None = None,
    jobs: int | None = None,
) -> LibraryGraph:
    """The cluster graph of the clips that answer a query (all of them without one).

    A kept graph of just these clips is taken as it is; one that lacks some of them is extended, which reads the new clips alone.
    `rebuild` makes it anew. Clips are described, and frames of every constraint state gathered, by an `executor` or its name ("serial",
    "processes:4", "tcp://host:port"; see `compute.executor`); without one by `jobs` processes, as many as there are processors.

    Raises:
        LibraryError: no clips, or clips on several skeletons; the message says what differs.
    """
    parameters, measure = parameters or GraphParameters(), measure or EffectorParameters()
    entries = library.entries(query)
    if not entries:
        what = f"no clip answers {query!r}" if query else "the library is empty"
        raise LibraryError(f"{what}; add clips with `reenact library add`", where=str(library.folder))
    counts = sorted({entry.joints for entry in entries})
    hint = f"; or choose one with --query joints={entries[0].joints}" if len(counts) > 1 else "; or choose with --query"
    check_trees(library, entries, mapped=parameters.map, hint=hint)
    settings = settings_to_json(parameters, measure, weights)
    work = functools.partial(executor_for, executor, jobs=jobs, worth=CLIPS_WORTH_A_PROCESS)
    if not rebuild:
        kept = _find_kept(library, entries, settings)
        if kept is not None:
            return _use_kept(library, entries, kept, settings, weights, query, progress, work)
    ordered = sorted(entries, key=lambda entry: entry.id)
    return _build(library, ordered, parameters, measure, weights, query, progress, work)


def _build(
    library: Library,
    entries: Sequence[Entry],
    parameters: GraphParameters,
    measure: EffectorParameters,
    weights: JointWeights | None,
    query: str,
    progress: Callable[[int, int], None] | None,
    work: Work,
) -> LibraryGraph:
    first = library.clip(entries[0])
    metric = frame_metric(first.skeleton, measure, weights)
    with work(count=len(entries)) as executor:
        described = _describe_all(library, entries, entries[0].name, metric, parameters, progress, executor)
        graph = graph_of_described(described, metric, parameters, executor)
    unkept = _keep(library, entries, graph, settings_to_json(parameters, measure, weights), weights, query)
    return LibraryGraph(graph, tuple(entries), "built", len(entries), unkept=unkept)


def newest_graph(
    library: Library,
    names: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
    *,
    mapped: bool = False,
    detector: str | None = None,
) -> LibraryGraph:
    """The graph kept last that holds these clips; when there is none, one of all clips on their skeleton is built.

    Clips on that skeleton which were added to the library since then are added to the graph. With `mapped`, clips of other skeletons
    count as well, brought onto that of the first clip named. With a `detector` only graphs count whose foot plants it found.
    """
    first = library.entry(names[0])
    check_trees(library, [library.entry(name) for name in names], mapped=mapped)
    on_tree = [entry for entry in library.entries() if entry.tree == first.tree]
    if mapped:
        on_tree = can_be_mapped(library, library.entries(), first)
    named = _keys(library, [library.entry(name) for name in dict.fromkeys(names)])
    rows = [row for row in library.derived_results(first) if row["kind"] == KIND and row["version"] == CODE]
    for row in sorted(rows, key=lambda row: row["made_at"], reverse=True):
        kept = _read(library, row["file"])
        if kept is None or not set(named) <= set(read_about(kept)["keys"]):
            continue
        settings = row["parameters"]["settings"]
        query = row["parameters"]["query"]
        weights = _weights_of(settings)
        if mapped and not settings["graph"].get("map"):
            continue
        if detector not in (None, settings_from_json(settings)[0].detector):
            continue
        trees = {entry.tree for entry in on_tree} if settings["graph"].get("map") else {first.tree}
        entries = on_tree if not query else [entry for entry in library.entries(query) if entry.tree in trees]
        keys = set(read_about(kept)["keys"])
        if keys <= set(_keys(library, entries)):
            return _use_kept(library, entries, kept, settings, weights, query, progress, _usual_work)
    entries = sorted(on_tree, key=lambda entry: (entry.tree != first.tree, entry.id))
    query = "" if mapped else f"joints={first.joints}"
    asked = GraphParameters(map=mapped, detector=detector or GraphParameters().detector)
    return _build(library, entries, asked, EffectorParameters(), None, query, progress, _usual_work)


_PLACE = re.compile(r"(?P<name>.+)@(?P<frame>-?\d+)(?:\.\.(?P<leave>-?\d+))?")


def clip_waypoint(library: Library, graph: ClusterGraph, text: str, *, first: bool = False) -> Waypoint:
    """What a person calls a waypoint: NAME, NAME@FRAME, NAME@IN..OUT, or a search such as `type:walk` of which any clip will do.

    A single frame is where the first clip is left, and what must be reached in the others; of two frames the first must be reached and
    the second is where the clip is left.

    Raises:
        ParameterError: the clip has no such frame, or nothing in the graph answers.
        LibraryError: there is no such clip.
    """
    name, frame, leave = _parse(library, text)
    if frame is not None and leave is None and first:
        frame, leave = None, frame
    if _is_search(library, name):
        if frame is not None or leave is not None:
            raise ParameterError("frames can be given for one clip, not for a search", where=text)
        return waypoints_of(graph, [entry.name for entry in library.entries(name)], text)
    return waypoint(graph, library.entry(name).name, frame, leave)


def named_clips(library: Library, texts: Sequence[str]) -> list[str]:
    """Clips that waypoints name, for searches the first clip that answers."""
    names: list[str] = []
    for text in texts:
        name, _, _ = _parse(library, text)
        if not _is_search(library, name):
            names.append(library.entry(name).name)
            continue
        found = library.entries(name, limit=1)
        if not found:
            raise LibraryError(f"no clip answers {name!r}; `reenact library search` shows what is there", where=text)
        names.append(found[0].name)
    return names


def _parse(library: Library, text: str) -> tuple[str, int | None, int | None]:
    """Name, frame and leaving frame of a waypoint."""
    if text in library or "@" not in text:
        return text, None, None
    found = _PLACE.fullmatch(text)
    if found is None:
        raise ParameterError(f"expected NAME@FRAME or NAME@IN..OUT with whole numbers, not {text!r}", where=text)
    leave = found["leave"]
    return found["name"], int(found["frame"]), None if leave is None else int(leave)


def _is_search(library: Library, name: str) -> bool:
    return ":" in name and name not in library


def _describe_all(
    library: Library,
    entries: Sequence[Entry],
    like: str,
    metric: FrameMetric,
    parameters: GraphParameters,
    progress: Callable[[int, int], None] | None,
    work: Executor,
) -> Iterator[DescribedClip]:
    """Clips as the graph sees them, the mirror images after all others."""
    task = functools.partial(_describe_one, library, like, metric, parameters)
    named = {entry.id: entry.name for entry in entries}
    mirrored: list[GraphClip] = []
    with FrameTable() as images:
        found = work.map(task, list(named), words="describing clips", label=lambda number: named[number])
        for done, copies in enumerate(found, 1):
            yield copies[0]
            for image in copies[1:]:
                mirrored.append(image.about)
                images.append(image.features, image.states)
            if progress is not None:
                progress(done, len(entries))
        start, features, states = 0, images.features(), images.states()
        for about in mirrored:
            end = start + about.frames
            yield DescribedClip(about, features[start:end], states[start:end])
            start = end


def _describe_one(
    library: Library,
    like: str,
    metric: FrameMetric,
    parameters: GraphParameters,
    number: int,
    shared: Mapping[str, Any],
) -> list[DescribedClip]:
    """A clip of a library and, where it is asked for, its mirror image."""
    source = library_source(library, library.entry(number).name, like, parameters.detector)
    return [
        describe_clip(source.clip, metric, source.plants, mirrored=mirrored, standing=parameters.standing)
        for mirrored in ((False, True) if parameters.mirrored else (False,))
    ]


def _find_kept(library: Library, entries: Sequence[Entry], settings: dict[str, Any]) -> dict[str, np.ndarray] | None:
    """The kept graph with these settings that holds most of these clips and no others."""
    wanted = set(_keys(library, entries))
    files: dict[str, str] = {}
    for entry in (min(entries, key=lambda one: one.id), max(entries, key=lambda one: one.id)):
        for row in library.derived_results(entry):
            if row["kind"] == KIND and row["version"] == CODE and row["parameters"]["settings"] == settings:
                files[row["file"]] = row["made_at"]
    best, most = None, 0
    for file in sorted(files, key=lambda file: files[file], reverse=True):
        kept = _read(library, file)
        if kept is None:
            continue
        keys = set(read_about(kept)["keys"])
        if keys <= wanted and len(keys) > most:
            best, most = kept, len(keys)
    return best


def _read(library: Library, file: str) -> dict[str, np.ndarray] | None:
    """A kept graph, or None when the file is gone or damaged."""
    try:
        with faults_named("the kept graph", file):
            with np.load(io.BytesIO((library.folder / file).read_bytes()), allow_pickle=False) as held:
                arrays = {name: held[name] for name in held.files}
            read_about(arrays)
            return arrays
    except (LibraryError, OSError):
        return None


def _use_kept(
    library: Library,
    entries: Sequence[Entry],
    kept: dict[str, np.ndarray],
    settings: dict[str, Any],
    weights: JointWeights | None,
    query: str,
    progress: Callable[[int, int], None] | None,
    work: Work,
) -> LibraryGraph:
    keys = list(dict.fromkeys(read_about(kept)["keys"]))
    by_hash = dict(zip(_keys(library, entries), entries, strict=True))
    graph = graph_from_arrays(kept, library.clip(by_hash[keys[0]]).skeleton)
    names = [by_hash[key].name for key in read_about(kept)["keys"]]
    graph = replace(graph, clips=tuple(replace(clip, name=name) for clip, name in zip(graph.clips, names, strict=True)))
    old = [by_hash[key] for key in keys]
    new = sorted((entry for key, entry in by_hash.items() if key not in set(keys)), key=lambda entry: entry.id)
    if not new:
        return LibraryGraph(graph, tuple(old), "kept", 0)
    like = by_hash[keys[0]].name
    with work(count=len(new)) as executor:
        added = list(_describe_all(library, new, like, graph.metric, graph.parameters, progress, executor))
        extension = extend_cluster_graph(graph, added, executor=executor)
    entries = (*old, *new)
    unkept = _keep(library, entries, extension.graph, settings, weights, query)
    return LibraryGraph(
        extension.graph,
        entries,
        "rebuilt" if extension.rebuilt else "extended",
        len(new),
        round(extension.disturbed, 4),
        unkept,
    )


def _keep(
    library: Library,
    entries: Sequence[Entry],
    graph: ClusterGraph,
    settings: dict[str, Any],
    weights: JointWeights | None,
    query: str,
) -> str:
    """Keep a graph in the library; gives why that could not be done, empty when it was."""
    if library.index.read_only:
        return "the library is open for reading only"
    by_name = dict(zip((entry.name for entry in entries), _keys(library, entries), strict=True))
    keys = tuple(by_name[clip.name] for clip in graph.clips)
    asked: dict[str, Any] = {"settings": settings, "query": query}
    if given := sorted({key for key in keys if "+" in key}):
        asked["plants"] = given
    # in the place of one that was kept before
    where = derived_key([(entry.id, entry.hash) for entry in entries], KIND, asked, CODE)
    try:
        path = write_derived(library.index, library.folder, where, graph_to_arrays(graph, keys, weights))
    except OSError as error:
        return f"it could not be written ({(error.strerror or str(error)).lower()})"
    return "" if path.exists() else "one of its clips was removed while it was built"


def _keys(library: Library, entries: Sequence[Entry]) -> list[str]:
    """What tells clips of a graph apart: their contents, and foot plants given by hand, for they change their states."""
    digests = plants_digests(library, entries)
    return [f"{entry.hash}+{digests[entry.id]}" if digests[entry.id] else entry.hash for entry in entries]


def _weights_of(settings: dict[str, Any]) -> JointWeights | None:
    return settings_from_json(settings)[2]
