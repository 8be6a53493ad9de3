"""Clips of a library on the skeleton of a graph: as they are, or mapped where their skeletons differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reenact.core.correspondence import match_joints
from reenact.core.foot_plants import FootPlants
from reenact.errors import LibraryError
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.joining import Source
from reenact.library.gaits import clip_plants
from reenact.solve.bringing import put_on_skeleton

if TYPE_CHECKING:
    from reenact.library.entries import Entry
    from reenact.library.store import Library


def kept_plants(library: Library, name: str, detector: str = "adaptive") -> FootPlants | None:
    """Foot plants of a clip, found once and kept, or given by hand; None for a skeleton without feet."""
    roles = library.clip(name).skeleton.roles
    return clip_plants(library, name, detector) if "left_foot" in roles or "right_foot" in roles else None


def library_source(library: Library, name: str, like: str | None = None, detector: str = "adaptive") -> Source:
    """A clip with its foot plants, which are kept; brought onto the skeleton of the clip `like` where its own differs from that."""
    clip, plants = library.clip(name), kept_plants(library, name, detector)
    if like is None:
        return Source(clip, plants)
    target = library.clip(like)
    if clip.same_body(target):
        return Source(clip, plants)
    brought = put_on_skeleton(clip, target, plants, kept_plants(library, like, detector))
    return Source(brought.clip, brought.plants)


def graph_source(library: Library, graph: ClusterGraph, name: str) -> Source:
    """A clip as the graph holds it: of a graph of mapped clips, on the skeleton of its first clip."""
    like = graph.clips[0].name if graph.parameters.map else None
    return library_source(library, name, like, graph.parameters.detector)


def check_trees(library: Library, entries: Sequence[Entry], *, mapped: bool, hint: str = "") -> None:
    """Raise an error that says what differs where clips stand on skeletons that cannot be in one graph.

    Args:
        library: where they are.
        entries: the first is the one whose skeleton counts.
        mapped: clips with other joints are to be mapped.
        hint: what else could be done.
    """
    first, seen = entries[0], {entries[0].tree}
    for entry in entries[1:]:
        if entry.tree in seen:
            continue
        seen.add(entry.tree)
        skeletons = library.clip(first).skeleton, library.clip(entry).skeleton
        found = match_joints(skeletons[1], skeletons[0])
        if mapped and found.possible:
            continue
        raise LibraryError(
            f"{first.name} and {entry.name} stand on different skeletons ({skeletons[0].difference(skeletons[1])}): a graph needs "
            f"one; {found.offer()}{hint}",
            where=entry.name,
        )


def can_be_mapped(library: Library, entries: Sequence[Entry], first: Entry) -> list[Entry]:
    """The entries whose clips can be brought onto the skeleton of `first`, those that stand on it in front."""
    trees = {entry.tree: entry for entry in reversed(entries)}
    skeleton = library.clip(first).skeleton
    good = {
        tree
        for tree, entry in trees.items()
        if tree == first.tree or match_joints(library.clip(entry).skeleton, skeleton).possible
    }
    kept = [entry for entry in entries if entry.tree in good]
    return sorted(kept, key=lambda entry: (entry.tree != first.tree, entry.id))
