"""Cluster graphs of parts of the body: similar frames by the joints of some chains alone (reuse specification 3.11 and 3.14.1).

The graphs are those of the room `graph`, with weights that count nothing but the chains. That of the legs keeps the constraint states of
the feet, so frames of different support never share a node; those of the upper body and the trunk know one state only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.analysis.constraint_states import STATES
from reenact.analysis.metrics.effectors import EffectorParameters
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.joint_weights import JointWeights
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError
from reenact.graph.building import DescribedClip, describe_clip, graph_of_described
from reenact.graph.cluster_graph import ClusterGraph, GraphClip
from reenact.graph.features import FrameMetric, frame_metric
from reenact.graph.graph_parameters import GraphParameters

LEG_ERROR = 1e3
"""Metres: a cut so coarse that only the states of the feet tell nodes apart, as the thesis takes it for correlation."""

EFFECTORS = ("head", "chest", "neck", "upper_arm", "hand", "lower_arm", "foot", "toes", "lower_leg")
"""Roles, of either side, by whose joints chains are compared."""

SAMPLED = 30.0
"""Frames a second that are clustered where whole libraries are."""


def chain_weights(skeleton: Skeleton, joints: Sequence[int]) -> JointWeights:
    """Weights by which only these joints count: the end effectors of the chains and the joints in their middle, each as much as the other.

    A skeleton whose roles say nothing of them gives the joints in which they end.
    """
    mine = set(joints)
    known = [joint for role, joint in skeleton.roles.items() if joint in mine and role.endswith(EFFECTORS)]
    ends = [joint for joint in sorted(mine) if not mine & set(skeleton.children[joint])]
    if not mine:
        raise ParameterError("a graph of chains needs at least one joint", where="chains")
    return JointWeights({skeleton.names[joint]: 1.0 for joint in known or ends})


def chain_metric(skeleton: Skeleton, joints: Sequence[int], *, moving: bool = True) -> FrameMetric:
    """How frames are compared by the joints of some chains; `moving`: velocities and accelerations count as well."""
    measure = EffectorParameters() if moving else EffectorParameters(look_ahead=0.0)
    return frame_metric(skeleton, measure, chain_weights(skeleton, joints))


def chain_graph(
    clips: Sequence[Clip],
    joints: Sequence[int],
    error: float,
    plants: Sequence[FootPlants | None] | None = None,
    *,
    moving: bool = True,
) -> ClusterGraph:
    """The cluster graph of clips on one skeleton, by the joints of some chains.

    Args:
        clips: motions of one body with different names.
        joints: those that count.
        error: metres at which the tree is cut; with infinity, nodes are the constraint states.
        plants: foot plants by which frames are kept apart; None: one state for all.
        moving: compare velocities and accelerations, too.
    """
    metric = chain_metric(clips[0].skeleton, joints, moving=moving)
    if plants is not None:
        described = [describe_clip(clip, metric, own, standing=0.0) for clip, own in zip(clips, plants, strict=True)]
    else:
        described = [describe_without_feet(clip, metric) for clip in clips]
    return graph_of_described(described, metric, GraphParameters(error=error, margin=0.0))


def describe_without_feet(clip: Clip, metric: FrameMetric) -> DescribedClip:
    """A clip as a graph of the upper body sees it: its feet do not count."""
    states = np.full(len(clip), STATES.index("B"), np.int8)
    return DescribedClip(GraphClip(clip.name, len(clip), float(clip.fps)), metric.features(clip), states)
