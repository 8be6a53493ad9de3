"""Making a cluster graph of clips."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from reenact.analysis.carried_plants import known_plants
from reenact.analysis.constraint_states import STATES, constraint_states
from reenact.analysis.metrics.effectors import EffectorParameters
from reenact.analysis.plants import detect_plants
from reenact.core.arrays import Float32
from reenact.core.clip import Clip
from reenact.core.correspondence import match_joints
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.core.joint_weights import JointWeights
from reenact.core.mirror import mirror
from reenact.errors import ParameterError, SkeletonError
from reenact.graph.calibration import gait_cycles, tune_error
from reenact.graph.cluster_graph import ClusterGraph, GraphClip, graph_from_tree
from reenact.graph.cluster_tree import ClusterTree, build_cluster_tree
from reenact.graph.features import FrameMetric, frame_metric
from reenact.graph.frame_table import FrameTable
from reenact.graph.graph_parameters import THESIS_ERROR, GraphParameters
from reenact.solve.bringing import put_on_skeleton

if TYPE_CHECKING:
    from reenact.compute.executor import Executor

FLOOR = 0.05
"""Metres: a floor found lower or higher than this is taken as another floor; less is within what a floor is found to."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class DescribedClip:
    """A clip as the graph sees it: features (F, D) float32 and constraint states (F,) int8."""

    about: GraphClip
    features: Float32
    states: np.ndarray


def describe_clip(
    clip: Clip,
    metric: FrameMetric,
    plants: FootPlants | None = None,
    *,
    mirrored: bool = False,
    standing: float = 0.5,
    detector: str = "adaptive",
) -> DescribedClip:
    """Features and states of a clip.

    Args:
        clip: the motion as recorded.
        metric: how frames are compared.
        plants: its foot plants; found when not given. A skeleton without feet has one state.
        mirrored: exchange left and right first.
        standing: seconds, see `GraphParameters.standing`.
        detector: by which plants are found.
    """
    if plants is None and any(role in clip.skeleton.roles for role in ("left_foot", "right_foot")):
        plants = detect_plants(clip, detector)
    if plants is not None and len(plants) != len(clip):
        raise ParameterError(f"{len(plants)} frames of foot plants for {len(clip)} frames", where=clip.name)
    if mirrored:
        clip, plants = mirror(clip), None if plants is None else plants.mirrored()
    if plants is None:
        states = np.full(len(clip), STATES.index("B"), np.int8)
    else:
        states = merge_standing(constraint_states(plants), round(standing * clip.fps))
    floor = 0.0 if plants is None or plants.floor.normal[1] < 0.999 else float(plants.floor.height)
    floor = floor if abs(floor) >= FLOOR else 0.0
    return DescribedClip(
        GraphClip(clip.name, len(clip), float(clip.fps), mirrored), metric.features(clip, floor), states
    )


def merge_standing(states: np.ndarray, frames: int) -> np.ndarray:
    """States in which both feet planted for at least `frames` frames is B: standing, not a step; 0 leaves all as they are.

    The thesis keeps LB and RB however long ago the single support was, so two people standing alike would never be compared.
    """
    merged = states.copy()
    if frames > 0:
        both = np.isin(states, [STATES.index(name) for name in ("LB", "RB", "B")])
        for start, end in intervals_of(both):
            if end - start >= frames:
                merged[start:end] = STATES.index("B")
    return merged


def check_clips(clips: Sequence[Clip], *, mapped: bool = False) -> None:
    """Raise an error that names the first clip which cannot stand in one graph with the others (`mapped`: not even when it is mapped)."""
    if not clips:
        raise ParameterError("a cluster graph needs at least one clip, there is none")
    seen: set[str] = set()
    for clip in clips:
        if len(clip) == 0:
            raise ParameterError("the clip has no frames", where=clip.name)
        if clip.name in seen:
            raise ParameterError(f"two clips are called {clip.name!r}; names tell them apart", where=clip.name)
        seen.add(clip.name)
        if not clips[0].skeleton.same_tree(clip.skeleton):
            found = match_joints(clip.skeleton, clips[0].skeleton)
            if mapped and found.possible:
                continue
            raise SkeletonError(
                f"its skeleton differs from that of {clips[0].name!r} ({clips[0].skeleton.difference(clip.skeleton)}); {found.offer()}",
                where=clip.name,
            )


def build_cluster_graph(
    clips: Sequence[Clip],
    parameters: GraphParameters | None = None,
    *,
    plants: Sequence[FootPlants | None] | None = None,
    measure: EffectorParameters | None = None,
    weights: JointWeights | None = None,
    progress: Progress | None = None,
) -> ClusterGraph:
    """The cluster graph of clips on one joint tree, or brought onto that of the first (`GraphParameters.map`).

    Args:
        clips: motions with different names; lengths of bones and frame rates may differ.
        parameters: how frames are gathered.
        plants: foot plants of each clip; those that are None are found.
        measure: time scales of the comparison.
        weights: of joints in the comparison.
        progress: called with steps done and steps in all.
    """
    parameters = parameters or GraphParameters()
    check_clips(clips, mapped=parameters.map)
    if plants is not None and len(plants) != len(clips):
        raise ParameterError(f"foot plants of {len(plants)} clips for {len(clips)} clips", where="plants")
    metric = frame_metric(clips[0].skeleton, measure, weights)
    described = []
    copies = (False, True) if parameters.mirrored else (False,)
    given: list[FootPlants | None] = [None] * len(clips) if plants is None else list(plants)
    if any(not clip.same_body(clips[0]) for clip in clips):
        given[0] = known_plants(clips[0], given[0], detector=parameters.detector)
    sources = [
        _on_skeleton(clip, clips[0], own, given[0], parameters.detector) for clip, own in zip(clips, given, strict=True)
    ]
    for mirrored in copies:
        for clip, known in sources:
            described.append(
                describe_clip(
                    clip,
                    metric,
                    known,
                    mirrored=mirrored,
                    standing=parameters.standing,
                    detector=parameters.detector,
                )
            )
            if progress is not None:
                progress(len(described), len(copies) * len(clips) + 1)
    graph = graph_of_described(described, metric, parameters)
    if progress is not None:
        progress(len(described) + 1, len(described) + 1)
    return graph


def _on_skeleton(
    clip: Clip, like: Clip, plants: FootPlants | None, like_plants: FootPlants | None, detector: str
) -> tuple[Clip, FootPlants | None]:
    """A clip with its plants as they are known; mapped where its skeleton differs from that of `like`."""
    if clip.same_body(like):
        return clip, plants
    brought = put_on_skeleton(clip, like, known_plants(clip, plants, detector=detector), like_plants)
    return brought.clip, brought.plants


def graph_of_described(
    described: Iterable[DescribedClip],
    metric: FrameMetric,
    parameters: GraphParameters,
    executor: Executor | None = None,
) -> ClusterGraph:
    """The cluster graph of clips whose features and states are known, one after the other.

    Args:
        described: the clips; their features are taken over one by one, so that they need not be in memory together.
        metric: by which they were described.
        parameters: how frames are gathered.
        executor: gathers the frames of every constraint state; default: this process.
    """
    about: list[GraphClip] = []
    with FrameTable() as table:
        for one in described:
            about.append(one.about)
            table.append(one.features, one.states)
        if not about:
            raise ParameterError("a cluster graph needs at least one clip, there is none")
        features, states = table.features(), table.states()
        tree = build_cluster_tree(features, states, linkage=parameters.linkage, executor=executor)
    return graph_of_frames(about, metric, features, states, tree, parameters)


def graph_of_frames(
    about: Sequence[GraphClip],
    metric: FrameMetric,
    features: Float32,
    states: np.ndarray,
    tree: ClusterTree,
    parameters: GraphParameters,
) -> ClusterGraph:
    """The cluster graph of frames whose tree is known, cut at the error that is asked for or chosen."""
    error = _chosen_error(tree, states, about) if parameters.error == "auto" else float(parameters.error)
    return graph_from_tree(about, metric, features, states, tree, error, parameters)


def _chosen_error(tree: ClusterTree, states: np.ndarray, about: Sequence[GraphClip]) -> float:
    if not len(gait_cycles(states, about)):
        return round(THESIS_ERROR, 4)
    return tune_error(tree, states, about)


def recut(graph: ClusterGraph, error: float) -> ClusterGraph:
    """The same frames at another error (metres)."""
    parameters = replace(graph.parameters, error=error)
    return graph_from_tree(graph.clips, graph.metric, graph.features, graph.states, graph.tree, error, parameters)
