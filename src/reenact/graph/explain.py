"""Why a switch was chosen: what its cost is made of, joint by joint, and the two poses laid over one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.core.placement import place_at
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.features import KINDS
from reenact.graph.search import Option, Switch
from reenact.solve.skeleton_map import map_motion

_IN_WORDS = {
    "L": "left foot planted",
    "LB": "both feet planted after the left",
    "LN": "in the air after the left foot",
    "R": "right foot planted",
    "RB": "both feet planted after the right",
    "RN": "in the air after the right foot",
    "N": "in the air after both feet",
    "B": "both feet planted",
}


def describe_state(state: str) -> str:
    """A constraint state in words."""
    return _IN_WORDS[state]


@dataclass(frozen=True, slots=True)
class JointShare:
    """Part of one end effector in a frame error: its share of E (0..1) and sqrt(E) by kind, metres."""

    joint: str
    share: float
    position: float
    velocity: float
    acceleration: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """What speaks for a switch.

    Attributes:
        switch: which.
        joints: shares in the error, largest first.
        node_frames: frames of the node; `node_sequences` and `node_clips` likewise.
        limit: metres, the graph's error.
    """

    switch: Switch
    joints: tuple[JointShare, ...]
    node_frames: int
    node_sequences: int
    node_clips: int
    limit: float

    def as_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "node": self.switch.node,
            "state": self.switch.state,
            "error_m": round(self.switch.error, 5),
            "limit_m": self.limit,
            "node_frames": self.node_frames,
            "node_sequences": self.node_sequences,
            "node_clips": self.node_clips,
            "joints": [
                {
                    "joint": one.joint,
                    "share": round(one.share, 4),
                    **{f"{kind}_m": round(getattr(one, kind), 5) for kind in KINDS},
                }
                for one in self.joints
            ],
        }


def explain_switch(graph: ClusterGraph, switch: Switch) -> Explanation:
    """Cost by joint, and the node that the switch goes through."""
    a = graph.frame(switch.leave_clip, switch.leave_frame)
    b = graph.frame(switch.enter_clip, switch.enter_frame)
    parts = graph.metric.split_error(graph.features[a], graph.features[b])
    total = float(parts.sum()) or 1.0
    shares = [
        JointShare(name, float(parts[:, n].sum()) / total, *(float(value) ** 0.5 for value in parts[:, n]))
        for n, name in enumerate(graph.metric.effectors)
    ]
    members = graph.sequences_of(switch.node)
    return Explanation(
        switch,
        tuple(sorted(shares, key=lambda share: -share.share)),
        sum(len(member) for member in members),
        len(members),
        len({member.clip for member in members}),
        graph.error,
    )


def explain_option(graph: ClusterGraph, option: Option) -> list[str]:
    """An option in lines for people."""
    reasons = ", ".join(f"{name} {value:.2f}" for name, value in option.parts.items() if value)
    lines = [f"{option.kind}, cost {option.cost:.2f} ({reasons})"]
    for switch in option.switches:
        why = explain_switch(graph, switch)
        leave, enter = graph.clips[switch.leave_clip], graph.clips[switch.enter_clip]
        lines.append(
            f"{leave.label} frame {switch.leave_frame} ({switch.leave_frame / leave.fps:.2f} s) -> "
            f"{enter.label} frame {switch.enter_frame} ({switch.enter_frame / enter.fps:.2f} s): {describe_state(switch.state)}; "
            f"poses differ by {100 * switch.error:.1f} cm (the graph was cut at {100 * graph.error:.1f} cm)"
        )
        lines.append(
            f"  node {switch.node}: {why.node_frames} frames in {why.node_sequences} sequences of {why.node_clips} clips; "
            + "error from "
            + ", ".join(f"{one.joint} {one.share:.0%}" for one in why.joints if one.share >= 0.005)
        )
    return lines


def overlay_poses(leave: Clip, leave_frame: int, enter: Clip, enter_frame: int) -> tuple[Clip, Clip]:
    """The two poses of a switch as clips of one frame at one place, on the first clip's skeleton, for a picture."""
    first = cut_frames(leave, leave_frame, leave_frame + 1)
    second = cut_frames(map_motion(enter, leave), enter_frame, enter_frame + 1)
    return place_at(first, (0.0, 0.0), 0.0), place_at(second, (0.0, 0.0), 0.0)


def contact_words(plants: FootPlants, frame: int) -> str:
    """Which points of the feet are planted in a frame."""
    words = [
        f"{side} {point}"
        for side in ("left", "right")
        for point in ("heel", "ball")
        if bool(getattr(plants.foot(side), point)[frame])
    ]
    return ", ".join(words) or "none"
