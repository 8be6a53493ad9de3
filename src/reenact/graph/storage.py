"""A cluster graph as named arrays, and back: what is kept of it on a disk. No pickle."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from reenact.analysis.metrics.effectors import EffectorParameters
from reenact.core.joint_weights import JointWeights
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError, ParameterError
from reenact.graph.cluster_graph import ClusterGraph, GraphClip
from reenact.graph.cluster_tree import ClusterTree
from reenact.graph.features import frame_metric
from reenact.graph.graph_parameters import GraphParameters

VERSION = 1
"""Of the layout of the arrays."""


def settings_to_json(
    parameters: GraphParameters, measure: EffectorParameters, weights: JointWeights | None
) -> dict[str, Any]:
    """Everything a graph was asked to be, with a JSON form."""
    given = None
    if weights is not None:
        parts = {part: dict(getattr(weights, part)) for part in ("position", "velocity", "acceleration")}
        given = {**parts, "others": weights.others}
    asked = dataclasses.asdict(parameters)
    if parameters.detector == GraphParameters().detector:
        del asked["detector"]  # as in graphs that were kept before there was a choice
    return {"graph": asked, "measure": dataclasses.asdict(measure), "weights": given}


def settings_from_json(held: Mapping[str, Any]) -> tuple[GraphParameters, EffectorParameters, JointWeights | None]:
    """What `settings_to_json` wrote."""
    given = held["weights"]
    weights = None
    if given is not None:
        parts = (given[part] for part in ("position", "velocity", "acceleration"))
        weights = JointWeights(*parts, others=given.get("others", 0.0))
    return GraphParameters(**held["graph"]), EffectorParameters(**held["measure"]), weights


def graph_to_arrays(
    graph: ClusterGraph, keys: tuple[str, ...], weights: JointWeights | None = None
) -> dict[str, np.ndarray]:
    """Arrays by name; `keys` (C,) tell the clips apart when the graph is read again, such as their content hashes."""
    if len(keys) != len(graph.clips):
        raise ParameterError(f"{len(keys)} keys for {len(graph.clips)} clips")
    about = {
        "version": VERSION,
        "settings": settings_to_json(graph.parameters, graph.metric.metric.parameters, weights),
        "clips": [dataclasses.asdict(clip) for clip in graph.clips],
        "keys": list(keys),
        "error": graph.error,
        "limit": None if np.isinf(graph.tree.limit) else graph.tree.limit,
        "disturbed": graph.tree.disturbed,
    }
    return {
        "about": np.frombuffer(json.dumps(about).encode("utf-8"), np.uint8),
        "features": graph.features,
        "states": graph.states,
        "pairs": graph.tree.pairs.astype(np.int32),
        "errors": graph.tree.errors,
        "bounds": graph.tree.bounds,
        "nodes": graph.node_of_frame,
        "aligned": graph.aligned.astype(np.int32),
    }


def read_about(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The head of a kept graph: version, settings, clips, keys, error, limit."""
    try:
        about = json.loads(np.asarray(arrays["about"]).tobytes())
        if about["version"] != VERSION:
            raise FormatError(f"a cluster graph of version {about['version']}, this reads version {VERSION}")
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"not a kept cluster graph: {error}") from error
    return about


def graph_from_arrays(arrays: Mapping[str, np.ndarray], skeleton: Skeleton) -> ClusterGraph:
    """The graph that `graph_to_arrays` took apart; `skeleton` is that of its first clip."""
    about = read_about(arrays)
    try:
        parameters, measure, weights = settings_from_json(about["settings"])
        clips = tuple(GraphClip(**clip) for clip in about["clips"])
        limit = np.inf if about["limit"] is None else float(about["limit"])
        nodes = np.asarray(arrays["nodes"])
        disturbed = float(about.get("disturbed", 0.0))
        tree = ClusterTree(len(nodes), arrays["pairs"], arrays["errors"], arrays["bounds"], limit, disturbed)
        metric = frame_metric(skeleton, measure, weights)
        return ClusterGraph(
            clips,
            metric,
            arrays["features"],
            arrays["states"],
            tree,
            about["error"],
            nodes,
            arrays["aligned"],
            parameters,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"a kept cluster graph is damaged: {error}") from error
