"""Pictures of a cluster graph: the poses of a node, and the two poses of every switch of a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.mirror import mirror
from reenact.core.placement import place_at
from reenact.errors import ParameterError
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.explain import overlay_poses
from reenact.graph.gaps import GappedPlan
from reenact.graph.planning import Plan
from reenact.operations.mapped_source import graph_source
from reenact.render import StripParameters, save_picture
from reenact.solve.skeleton_map import map_motion

if TYPE_CHECKING:
    from reenact.library.store import Library

MOST_POSES = 8
"""Sequences of a node that are drawn."""


def graph_clip(library: Library, graph: ClusterGraph, index: int) -> Clip:
    """A clip of the graph as it stands there: mapped and mirrored when it is."""
    about = graph.clips[index]
    clip = graph_source(library, graph, about.name).clip
    return mirror(clip) if about.mirrored else clip


def node_poses(library: Library, graph: ClusterGraph, node: int, most: int = MOST_POSES) -> list[Clip]:
    """The alignment poses of a node's sequences at one place and heading, on one skeleton; at most `most`, of different clips first."""
    members = graph.sequences_of(node)
    firsts = {member.clip: member for member in reversed(members)}
    chosen = [*firsts.values(), *(one for one in members if one not in firsts.values())][:most]
    like, poses = graph_clip(library, graph, 0), []
    for one in chosen:
        clip = graph_clip(library, graph, one.clip)
        pose = cut_frames(map_motion(clip, like), one.align, one.align + 1)
        poses.append(place_at(pose, (0.0, 0.0), 0.0).renamed(f"{graph.clips[one.clip].label} {one.align}"))
    return poses


def save_node_picture(library: Library, graph: ClusterGraph, node: int, path: Path) -> None:
    """The poses of a node laid over one another (.png)."""
    if path.suffix.lower() != ".png":
        raise ParameterError(f"unknown ending {path.suffix!r} for a picture of poses; known is .png", where=str(path))
    look = StripParameters(mode="row", count=1, height=420, traces=False, caption=False, figure="sticks")
    save_picture(node_poses(library, graph, node), path, look)


def save_switch_pictures(library: Library, graph: ClusterGraph, plan: Plan | GappedPlan, output: Path) -> list[Path]:
    """The two poses of every switch laid over one another, beside the motion: OUT.switch1.png and so on."""
    paths = []
    for number, switch in enumerate(plan.switches, 1):
        leave, enter = graph_clip(library, graph, switch.leave_clip), graph_clip(library, graph, switch.enter_clip)
        poses = overlay_poses(leave, switch.leave_frame, enter, switch.enter_frame)
        labels = (
            f"{graph.clips[switch.leave_clip].label} frame {switch.leave_frame}",
            f"{graph.clips[switch.enter_clip].label} frame {switch.enter_frame}",
        )
        path = output.with_name(f"{output.stem}.switch{number}.png")
        named = [pose.renamed(label) for pose, label in zip(poses, labels, strict=True)]
        save_picture(named, path, StripParameters(mode="row", count=1, height=420, traces=False, figure="sticks"))
        paths.append(path)
    return paths
