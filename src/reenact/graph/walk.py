"""The cluster walk: assembling a motion by hand, from node to node (reuse 3.8.1, thesis appendix A.4 task 17).

    walk = ClusterWalk(graph)
    walk.start(graph.sequence_at("walk", 0).node)
    walk.out_clusters()                    # nodes that follow
    walk.continuations(12)                 # sequences here whose clips go on into node 12
    walk.choose(walk.continuations(12)[0])
    ...
    walk.build(sources)                    # the clip

A walk only holds a list: `entries` can be kept and given back to `ClusterWalk.replay`, which makes the same walk again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reenact.core.made import Made
from reenact.edit.transition import TransitionParameters
from reenact.errors import ParameterError
from reenact.graph.cluster_graph import ClusterGraph, SequenceInfo
from reenact.graph.joining import Sources, join_segments
from reenact.graph.planning import Segment


@dataclass(frozen=True, slots=True)
class NodeSummary:
    """A node as a list shows it."""

    node: int
    state: str
    frames: int
    sequences: int
    clips: tuple[str, ...]
    out_nodes: int


@dataclass(frozen=True, slots=True)
class WalkEntry:
    """One line of the motion list: `length` frames of a clip from `start` on, in `node`, going on into `next_node` (None: the last)."""

    node: int
    clip: str
    mirrored: bool
    start: int
    length: int
    sequence: int
    next_node: int | None

    def as_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "node": self.node,
            "clip": self.clip,
            "mirrored": self.mirrored,
            "start": self.start,
            "length": self.length,
            "sequence": self.sequence,
            "next_node": self.next_node,
        }


class ClusterWalk:
    """A walk in the making.

    Attributes:
        graph: on which.
        entries: what was chosen so far.
        node: where the walk is now; None before `start` and after `finish`.
    """

    def __init__(self, graph: ClusterGraph) -> None:
        self.graph = graph
        self.entries: list[WalkEntry] = []
        self.node: int | None = None

    def nodes(self, *, branching: bool = False) -> list[NodeSummary]:
        """Every node a walk can start in; `branching`: only those with several nodes after them."""
        rows = [summarize_node(self.graph, node) for node in range(self.graph.nodes)]
        return [row for row in rows if row.out_nodes > 1 or not branching]

    def start(self, node: int) -> None:
        """Begin anew in a node."""
        self.graph.state_of(node)  # raises when there is no such node
        self.entries, self.node = [], int(node)

    def out_clusters(self) -> tuple[int, ...]:
        """Nodes that recorded motion goes on into from here."""
        return self.graph.out_nodes(self._here())

    def continuations(self, node: int) -> tuple[SequenceInfo, ...]:
        """Sequences here whose clips go on into `node`."""
        found = self.graph.links(self._here(), node)
        if not found:
            choices = ", ".join(str(other) for other in self.out_clusters()) or "none"
            raise ParameterError(f"nothing goes from node {self.node} to node {node}; the nodes after it: {choices}")
        return found

    def choose(self, sequence: SequenceInfo | int) -> WalkEntry:
        """Append a sequence of the current node and go on into the node its clip goes on into."""
        here = self._here()
        one = self.graph.sequence(sequence) if isinstance(sequence, int) else sequence
        if one.node != here:
            raise ParameterError(f"sequence {one.index} lies in node {one.node}, the walk is in node {here}")
        if one.end == self.graph.clips[one.clip].frames:
            raise ParameterError(
                f"sequence {one.index} ends its clip; choose one that goes on, or finish the walk with it"
            )
        entry = self._entry(one, self.graph.sequence(one.index + 1).node)
        self.entries.append(entry)
        self.node = entry.next_node
        return entry

    def finish(self, sequence: SequenceInfo | int) -> WalkEntry:
        """Append a last sequence of the current node; the walk ends there."""
        here = self._here()
        one = self.graph.sequence(sequence) if isinstance(sequence, int) else sequence
        if one.node != here:
            raise ParameterError(f"sequence {one.index} lies in node {one.node}, the walk is in node {here}")
        entry = self._entry(one, None)
        self.entries.append(entry)
        self.node = None
        return entry

    def undo(self) -> None:
        """Take the last choice back."""
        if not self.entries:
            raise ParameterError("there is no choice to take back")
        self.node = self.entries.pop().node

    def transcript(self) -> list[dict[str, Any]]:
        """The motion list in its JSON form."""
        return [entry.as_dict() for entry in self.entries]

    @classmethod
    def replay(cls, graph: ClusterGraph, entries: Sequence[WalkEntry]) -> ClusterWalk:
        """The walk that a list describes.

        Raises:
            ParameterError: the list does not fit the graph.
        """
        walk = cls(graph)
        if entries:
            walk.start(entries[0].node)
        for entry in entries:
            made = walk.finish(entry.sequence) if entry.next_node is None else walk.choose(entry.sequence)
            if made != entry:
                raise ParameterError(f"the graph was built anew: {entry} is now {made}")
        return walk

    def segments(self) -> tuple[Segment, ...]:
        """What is played.

        A sequence that another clip's follows is not the one recorded after it: the walk leaves the recorded one at its alignment frame
        and goes on after that of the chosen one.
        """
        graph = self.graph
        found: list[Segment] = []
        start = self.entries[0].start if self.entries else 0
        for entry, following in zip(self.entries, [*self.entries[1:], None], strict=True):
            clip = graph.clip_index(entry.clip, entry.mirrored)
            end = entry.start + entry.length
            if following is None:
                found.append(Segment(clip, start, end))
            elif following.sequence == entry.sequence + 1:
                found.append(Segment(clip, start, end))
                start = following.start
            else:
                natural, chosen = graph.sequence(entry.sequence + 1), graph.sequence(following.sequence)
                found.append(Segment(clip, start, natural.align))
                start = chosen.align
        return tuple(found)

    def build(self, sources: Sources, parameters: TransitionParameters | None = None) -> Made:
        """The motion of the walk."""
        if not self.entries:
            raise ParameterError("the walk is empty: choose a node and sequences first")
        return join_segments(self.graph, self.segments(), sources, parameters)

    def _entry(self, one: SequenceInfo, next_node: int | None) -> WalkEntry:
        about = self.graph.clips[one.clip]
        return WalkEntry(one.node, about.name, about.mirrored, one.start, len(one), one.index, next_node)

    def _here(self) -> int:
        if self.node is None:
            raise ParameterError("the walk is nowhere: start it in a node first")
        return self.node


def summarize_node(graph: ClusterGraph, node: int) -> NodeSummary:
    """A node's state, size, clips and number of nodes after it."""
    members = graph.sequences_of(node)
    names = tuple(dict.fromkeys(graph.clips[member.clip].label for member in members))
    frames = sum(len(member) for member in members)
    return NodeSummary(node, graph.state_of(node), frames, len(members), names, len(graph.out_nodes(node)))
