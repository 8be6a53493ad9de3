"""The cluster graph: nodes of similar frames, clip-frame sequences in them, edges from recorded order (reuse 3.5.6, thesis chapter 4)."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reenact.analysis.action import density_of_energy
from reenact.analysis.constraint_states import STATES
from reenact.core.arrays import Float32, frozen
from reenact.errors import ParameterError
from reenact.graph.alignment import align_all
from reenact.graph.cluster_tree import ClusterTree
from reenact.graph.features import FrameMetric
from reenact.graph.graph_parameters import GraphParameters
from reenact.graph.switch_table import SwitchTable

_SPEED_WINDOW = 1.0  # seconds over which speeds are averaged: about a stride


@dataclass(frozen=True, slots=True)
class GraphClip:
    """A clip in a graph.

    Attributes:
        name: of the recording.
        frames: number of frames.
        fps: frames per second.
        mirrored: it stands here with left and right exchanged.
    """

    name: str
    frames: int
    fps: float
    mirrored: bool = False

    @property
    def label(self) -> str:
        """The name, marked when mirrored."""
        return f"{self.name} (mirrored)" if self.mirrored else self.name


@dataclass(frozen=True, slots=True)
class SequenceInfo:
    """A clip-frame sequence: consecutive frames [start, end) of a clip within one node; `align` is its alignment frame, in the clip."""

    index: int
    node: int
    clip: int
    start: int
    end: int
    align: int

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, eq=False)
class ClusterGraph:
    """Frames of C clips, end to end (N in all), gathered into K nodes.

    Frame numbers of the arrays count through all clips; `SequenceInfo` and `locate` give a clip's own.

    Attributes:
        clips: (C,) what is in it.
        metric: how frames are compared.
        features: (N, D) float32; squared distances of rows are frame errors E, square metres.
        states: (N,) int8 constraint states.
        tree: how the frames were merged.
        error: metres, the error of the cut.
        node_of_frame: (N,) int32.
        aligned: (S,) int64 alignment frames.
        parameters: what it was made with.
    """

    clips: tuple[GraphClip, ...]
    metric: FrameMetric
    features: Float32
    states: np.ndarray
    tree: ClusterTree
    error: float
    node_of_frame: np.ndarray
    aligned: np.ndarray
    parameters: GraphParameters

    def __post_init__(self) -> None:
        put = object.__setattr__
        count = int(sum(clip.frames for clip in self.clips))
        put(self, "features", frozen(self.features, np.float32, (count, None), "features"))
        put(self, "states", frozen(self.states, np.int8, (count,), "states"))
        put(self, "node_of_frame", frozen(self.node_of_frame, np.int32, (count,), "node_of_frame"))
        put(self, "aligned", frozen(self.aligned, np.int64, (len(self.sequence_starts),), "aligned"))

    def __repr__(self) -> str:
        return (
            f"ClusterGraph({len(self.clips)} clips, {self.frames} frames, {self.nodes} nodes, "
            f"{len(self.sequence_starts)} sequences, error {self.error:.3g} m)"
        )

    @property
    def frames(self) -> int:
        """N."""
        return len(self.node_of_frame)

    @cached_property
    def nodes(self) -> int:
        """K."""
        return int(self.node_of_frame.max()) + 1

    @cached_property
    def starts(self) -> np.ndarray:
        """(C + 1,) int64: clip c holds the frames starts[c] up to starts[c + 1]."""
        return np.concatenate([[0], np.cumsum([clip.frames for clip in self.clips])]).astype(np.int64)

    @cached_property
    def clip_of_frame(self) -> np.ndarray:
        """(N,) int32."""
        return np.repeat(np.arange(len(self.clips), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def rates(self) -> np.ndarray:
        """(C,) float64 frames per second."""
        return np.array([clip.fps for clip in self.clips], dtype=np.float64)

    @cached_property
    def switch_tables(self) -> dict[tuple[float, float, bytes], SwitchTable]:
        """Kept by searches: what switches cost, by what it was worked out for."""
        return {}

    @cached_property
    def search_rows(self) -> dict[tuple[float, float], np.ndarray]:
        """Kept by searches: rows by which frames are compared, by what they were worked out for."""
        return {}

    @cached_property
    def travel_speeds(self) -> np.ndarray | None:
        """(N,) m/s at which each clip travels over the floor round each frame, the mean over about a second; None when not known."""
        speeds = self.metric.travel_speeds(self.features)
        if speeds is None:
            return None
        means = np.empty_like(speeds)
        for clip, start, end in zip(self.clips, self.starts[:-1], self.starts[1:], strict=True):
            half = round(_SPEED_WINDOW / 2 * clip.fps)
            total = np.concatenate([[0.0], np.cumsum(speeds[start:end])])
            low = np.maximum(np.arange(end - start) - half, 0)
            high = np.minimum(np.arange(end - start) + half + 1, end - start)
            means[start:end] = (total[high] - total[low]) / (high - low)
        return means

    @cached_property
    def _actions(self) -> dict[int, np.ndarray]:
        return {}

    def action_of(self, clip: int) -> np.ndarray:
        """(F,) share of a clip's action that lies in each of its frames (`analysis.action`); of its time where that is not known."""
        if clip not in self._actions:
            about, start, end = self.clips[clip], self.starts[clip], self.starts[clip + 1]
            energies = self.metric.energies(self.features[start:end])
            even = np.full(about.frames, 1.0 / about.frames)
            self._actions[clip] = even if energies is None else density_of_energy(energies, about.fps)
        return self._actions[clip]

    # Sequences, numbered in the order of clips and frames

    @cached_property
    def sequence_starts(self) -> np.ndarray:
        """(S,) int64 first frame of every sequence."""
        return sequence_starts(self.node_of_frame, self.starts)

    @cached_property
    def sequence_ends(self) -> np.ndarray:
        """(S,) int64 the frame after the last of every sequence."""
        return np.append(self.sequence_starts[1:], self.frames).astype(np.int64)

    @cached_property
    def sequence_nodes(self) -> np.ndarray:
        """(S,) int64 the node of every sequence."""
        return self.node_of_frame[self.sequence_starts].astype(np.int64)

    @cached_property
    def sequence_clips(self) -> np.ndarray:
        """(S,) int64 the clip of every sequence."""
        return self.clip_of_frame[self.sequence_starts].astype(np.int64)

    @cached_property
    def sequence_of_frame(self) -> np.ndarray:
        """(N,) int64."""
        return np.repeat(np.arange(len(self.sequence_starts)), self.sequence_ends - self.sequence_starts)

    @cached_property
    def node_order(self) -> np.ndarray:
        """(S,) int64 sequences sorted by node, within a node by clip and frame."""
        return np.argsort(self.sequence_nodes, kind="stable").astype(np.int64)

    @cached_property
    def node_bounds(self) -> np.ndarray:
        """(K + 1,) int64: node k holds the sequences node_order[node_bounds[k]:node_bounds[k + 1]]."""
        return np.searchsorted(self.sequence_nodes[self.node_order], np.arange(self.nodes + 1)).astype(np.int64)

    def sequence(self, index: int) -> SequenceInfo:
        """One sequence."""
        if not 0 <= index < len(self.sequence_starts):
            raise ParameterError(f"no sequence {index}; the graph has 0 to {len(self.sequence_starts) - 1}")
        clip = int(self.sequence_clips[index])
        base = int(self.starts[clip])
        return SequenceInfo(
            int(index),
            int(self.sequence_nodes[index]),
            clip,
            int(self.sequence_starts[index]) - base,
            int(self.sequence_ends[index]) - base,
            int(self.aligned[index]) - base,
        )

    def sequences_of(self, node: int) -> tuple[SequenceInfo, ...]:
        """The sequences of a node, by clip and frame."""
        self._check_node(node)
        members = self.node_order[self.node_bounds[node] : self.node_bounds[node + 1]]
        return tuple(self.sequence(int(index)) for index in members)

    def sequence_at(self, clip: str | int, frame: int) -> SequenceInfo:
        """The sequence that holds a frame of a clip."""
        return self.sequence(int(self.sequence_of_frame[self.frame(clip, frame)]))

    def frames_of(self, node: int) -> np.ndarray:
        """All frames of a node, ascending."""
        self._check_node(node)
        return np.flatnonzero(self.node_of_frame == node)

    def state_of(self, node: int) -> str:
        """The constraint state that all frames of a node share."""
        self._check_node(node)
        first = self.node_order[self.node_bounds[node]]
        return STATES[int(self.states[self.sequence_starts[first]])]

    def centroid(self, node: int) -> np.ndarray:
        """(D,) float64 mean features of a node."""
        return self.features[self.frames_of(node)].astype(np.float64).mean(axis=0)

    # Edges

    @cached_property
    def edges(self) -> np.ndarray:
        """(L, 3) int64 links (node, next node, sequence): the sequence lies in `node` and its clip goes on into `next node`."""
        last = np.append(np.diff(self.sequence_clips) != 0, True)
        before = np.flatnonzero(~last)
        links = np.column_stack([self.sequence_nodes[before], self.sequence_nodes[before + 1], before])
        return links[np.lexsort((links[:, 2], links[:, 1], links[:, 0]))]

    def out_nodes(self, node: int) -> tuple[int, ...]:
        """Nodes that recorded motion goes on into from a node; more than one make it a branching point."""
        return tuple(int(other) for other in np.unique(self._links(node, 0)[:, 1]))

    def in_nodes(self, node: int) -> tuple[int, ...]:
        """Nodes that recorded motion comes from."""
        return tuple(int(other) for other in np.unique(self._links(node, 1)[:, 0]))

    def links(self, node: int, next_node: int) -> tuple[SequenceInfo, ...]:
        """The sequences of a node whose clips go on into `next_node`."""
        self._check_node(next_node)
        found = self._links(node, 0)
        return tuple(self.sequence(int(index)) for index in found[found[:, 1] == next_node][:, 2])

    def _links(self, node: int, column: int) -> np.ndarray:
        self._check_node(node)
        return self.edges[self.edges[:, column] == node]

    # Names

    def clip_index(self, which: str | int, mirrored: bool = False) -> int:
        """The number of a clip given by its name, or by its number."""
        if not isinstance(which, str):
            if not 0 <= which < len(self.clips):
                raise ParameterError(f"no clip {which}; the graph has 0 to {len(self.clips) - 1}")
            return int(which)
        for index, clip in enumerate(self.clips):
            if clip.name == which and clip.mirrored == mirrored:
                return index
        names = list(dict.fromkeys(clip.name for clip in self.clips))
        near = difflib.get_close_matches(which, names, n=3)
        hint = (
            f"did you mean {', '.join(near)}?" if near else f"it has {', '.join(names[:8])}{', ...' * (len(names) > 8)}"
        )
        raise ParameterError(f"no clip {which!r} in the graph; {hint}", where=which)

    def frame(self, clip: str | int, frame: int) -> int:
        """The number in the graph of a clip's frame; negative counts from its end."""
        index = self.clip_index(clip)
        count = self.clips[index].frames
        if not -count <= frame < count:
            raise ParameterError(
                f"no frame {frame}; the clip has frames 0 to {count - 1}", where=self.clips[index].name
            )
        return int(self.starts[index]) + frame % count

    def locate(self, frame: int) -> tuple[int, int]:
        """(clip, its own frame) of a frame of the graph."""
        if not 0 <= frame < self.frames:
            raise ParameterError(f"no frame {frame}; the graph has 0 to {self.frames - 1}")
        clip = int(self.clip_of_frame[frame])
        return clip, int(frame - self.starts[clip])

    def error_between(self, first: int, second: int) -> float:
        """sqrt(E) of two frames of the graph, metres."""
        gap = self.features[first].astype(np.float64) - self.features[second]
        return float(np.sqrt(gap @ gap))

    def _check_node(self, node: int) -> None:
        if not 0 <= node < self.nodes:
            raise ParameterError(f"no node {node}; the graph has 0 to {self.nodes - 1}")


def sequence_starts(node_of_frame: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """(S,) int64: the frames at which a clip begins or another node is entered."""
    begins = np.zeros(len(node_of_frame), np.bool_)
    begins[starts[:-1]] = True
    begins[1:] |= np.diff(node_of_frame) != 0
    return np.flatnonzero(begins).astype(np.int64)


def graph_from_tree(
    clips: Sequence[GraphClip],
    metric: FrameMetric,
    features: Float32,
    states: np.ndarray,
    tree: ClusterTree,
    error: float,
    parameters: GraphParameters,
) -> ClusterGraph:
    """Cut a tree at an error (metres) and align the sequences of every node."""
    nodes = tree.cut(error)
    starts = np.concatenate([[0], np.cumsum([clip.frames for clip in clips])]).astype(np.int64)
    first = sequence_starts(nodes, starts)
    ends = np.append(first[1:], len(nodes)).astype(np.int64)
    of = nodes[first].astype(np.int64)
    order = np.argsort(of, kind="stable").astype(np.int64)
    bounds = np.searchsorted(of[order], np.arange(int(nodes.max()) + 2)).astype(np.int64)
    inner, outer = _with_room(clips, starts, first, ends, parameters.margin)
    aligned = align_all(np.ascontiguousarray(features, np.float32), inner, outer, order, bounds, parameters.alignment)
    return ClusterGraph(tuple(clips), metric, features, states, tree, error, nodes, aligned, parameters)


def _with_room(
    clips: Sequence[GraphClip], starts: np.ndarray, first: np.ndarray, ends: np.ndarray, margin: float
) -> tuple[np.ndarray, np.ndarray]:
    """Sequences (S,), (S,) without the frames near their clips' ends, unless nothing would be left."""
    clip = np.searchsorted(starts, first, side="right") - 1
    room = np.round(margin * np.array([one.fps for one in clips]))[clip].astype(np.int64)
    inner, outer = np.maximum(first, starts[clip] + room), np.minimum(ends, starts[clip + 1] - room)
    some = inner < outer
    return np.where(some, inner, first), np.where(some, outer, ends)
