"""`reenact graph ...`: the cluster graph of a library. The JSON is documented in docs/cluster-graph.md."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from reenact.analysis.metrics.effectors import EffectorParameters
from reenact.analysis.plant_choice import PlantChoice
from reenact.cli.graph_cycles import cycles
from reenact.cli.library_output import simple_bar
from reenact.cli.options import expand
from reenact.cli.output import Json, print_json
from reenact.cli.workers import WorkerOptions
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.graph_parameters import GraphParameters
from reenact.graph.walk import NodeSummary, summarize_node
from reenact.library.gaits import keep_given_plants
from reenact.library.store import Library
from reenact.operations.library_graph import LibraryGraph, library_graph, newest_graph

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Gather similar frames of a library into a cluster graph.",
)

Folder = Annotated[Path, typer.Argument(metavar="LIB", help="Library folder.", show_default=False)]


def build(
    folder: Folder,
    parameters: GraphParameters,
    measure: EffectorParameters,
    choice: PlantChoice,
    work: WorkerOptions,
    query: Annotated[
        str, typer.Option("--query", "-q", help="Only the clips that answer this search.", show_default=False)
    ] = "",
    weights: Annotated[
        Path | None,
        typer.Option(help="File of weights, lines `joint w [w' w'']`; default: root, head, toes 1, hands 0.1."),
    ] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build anew even if a graph is kept.")] = False,
    json: Json = False,
) -> None:
    """Build the cluster graph and keep it in the library. Clips added since the last time are added to the kept graph."""
    given = None
    if weights is not None:
        from reenact.formats.weights_text import read_weights

        given = read_weights(weights)
    if choice.detector is not None:
        parameters = replace(parameters, detector=choice.detector)
    with Library(folder) as library, simple_bar("clips", hidden=json) as progress:
        keep_given_plants(library, choice)
        made = library_graph(
            library,
            query,
            parameters,
            measure=measure,
            weights=given,
            rebuild=rebuild,
            progress=progress,
            executor=work.scheduler,
            jobs=work.jobs,
        )
    _print_graph(folder, made, json)


app.command(name="build")(expand(build))
app.command(name="cycles")(expand(cycles))


@app.command()
def show(
    folder: Folder,
    node: Annotated[int | None, typer.Option("--node", "-n", help="Show one node.", show_default=False)] = None,
    clip: Annotated[
        str, typer.Option("--clip", "-c", help="The graph that holds this clip; default: any.", show_default=False)
    ] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Picture (.png) of the node's poses.", show_default=False)
    ] = None,
    top: Annotated[int, typer.Option("--top", help="How many of the largest nodes to list.", min=1)] = 10,
    json: Json = False,
) -> None:
    """Say what is in the graph of a library, or in one node of it."""
    from reenact.errors import LibraryError, ParameterError

    if output is not None and node is None:
        raise ParameterError("--output draws one node: say which with --node", where="--output")
    with Library(folder) as library:
        entries = library.entries()
        if not entries:
            raise LibraryError("the library is empty; add clips with `reenact library add`", where=str(folder))
        name = library.entry(clip).name if clip else _any_clip_of_a_graph(library)
        made = newest_graph(library, [name])
        if node is None:
            _print_graph(folder, made, json, top)
            return
        graph = made.graph
        summary = summarize_node(graph, node)
        if output is not None:
            from reenact.operations.graph_pictures import save_node_picture

            save_node_picture(library, graph, node, output)
    _print_node(graph, summary, json)


def _any_clip_of_a_graph(library: Library) -> str:
    """A clip of the graph kept last; the first clip when there is none."""
    from reenact.operations.library_graph import KIND

    entries = library.entries()
    found = [
        (row["made_at"], entry.name)
        for entry in entries
        for row in library.derived_results(entry)
        if row["kind"] == KIND
    ]
    return max(found)[1] if found else entries[0].name


def _print_graph(folder: Path, made: LibraryGraph, json: bool, top: int = 10) -> None:
    graph = made.graph
    lengths = graph.sequence_ends - graph.sequence_starts
    counts = np.diff(graph.node_bounds)
    shared = _nodes_of_several_clips(graph)
    largest = [summarize_node(graph, int(node)) for node in np.argsort(-counts, kind="stable")[:top]]
    about: dict[str, Any] = {
        "library": str(folder),
        "made": made.made,
        "added": made.added,
        "disturbed": made.disturbed,
        **({"not_kept": made.unkept} if made.unkept else {}),
        "clips": len(graph.clips),
        "frames": graph.frames,
        "error_m": graph.error,
        "nodes": graph.nodes,
        "sequences": len(lengths),
        "edges": len(np.unique(graph.edges[:, :2], axis=0)),
        "shared_nodes": shared,
        "sequence_frames_median": float(np.median(lengths)),
        "largest": [_summary(row) for row in largest],
    }
    if json:
        print_json(about)
        return
    how = f" ({made.disturbed:.1%} of the frames disturbed)" if made.made in ("extended", "rebuilt") else ""
    print(
        f"{folder}: {made.made}{how}; {about['clips']} clips, {about['frames']} frames, {about['nodes']} nodes, "
        f"{about['sequences']} sequences ({about['sequence_frames_median']:g} frames each), {about['edges']} edges; "
        f"error {graph.error:g} m; {shared} nodes hold several clips"
    )
    if made.unkept:
        print(f"warning: the graph was not kept and is built again the next time: {made.unkept}", file=sys.stderr)
    for row in largest:
        print(
            f"  node {row.node:5d}  {row.state:2s}  {row.frames:6d} frames  {row.sequences:4d} sequences of {len(row.clips)} clips"
        )


def _nodes_of_several_clips(graph: ClusterGraph) -> int:
    pairs = np.unique(np.column_stack([graph.sequence_nodes, graph.sequence_clips]), axis=0)
    return int(np.sum(np.bincount(pairs[:, 0], minlength=graph.nodes) > 1))


def _summary(row: NodeSummary) -> dict[str, Any]:
    return {
        "node": row.node,
        "state": row.state,
        "frames": row.frames,
        "sequences": row.sequences,
        "clips": list(row.clips),
        "out_nodes": row.out_nodes,
    }


def _print_node(graph: ClusterGraph, summary: NodeSummary, json: bool) -> None:
    rows = [
        {
            "sequence": one.index,
            "clip": graph.clips[one.clip].name,
            "mirrored": graph.clips[one.clip].mirrored,
            "start": one.start,
            "end": one.end,
            "align": one.align,
        }
        for one in graph.sequences_of(summary.node)
    ]
    if json:
        more = {"sequences": rows, "out": graph.out_nodes(summary.node), "in": graph.in_nodes(summary.node)}
        print_json({**_summary(summary), **more})
        return
    print(
        f"node {summary.node}: {summary.state}, {summary.frames} frames, {len(rows)} sequences, {len(summary.clips)} clips"
    )
    for row in rows:
        mark = " (mirrored)" if row["mirrored"] else ""
        print(f"  {row['clip']}{mark} {row['start']}-{row['end']}, joined at {row['align']}")
    print(f"from nodes {', '.join(map(str, graph.in_nodes(summary.node))) or 'none'}")
    print(f"to nodes {', '.join(map(str, graph.out_nodes(summary.node))) or 'none'}")
