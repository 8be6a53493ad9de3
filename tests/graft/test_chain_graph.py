from __future__ import annotations

import numpy as np
import pytest

from reenact.analysis.chains import group_joints
from reenact.analysis.constraint_states import constraint_states
from reenact.analysis.plants import detect_plants
from reenact.errors import ParameterError
from reenact.graft.chain_choice import choose_chains
from reenact.graft.chain_graph import LEG_ERROR, chain_graph, chain_weights


def test_no_joints_are_no_graph(sample) -> None:
    with pytest.raises(ParameterError, match="at least one joint"):
        chain_weights(sample("stand").skeleton, ())


def test_a_coarse_graph_of_the_legs_has_the_states_of_the_feet_as_nodes(sample) -> None:
    clips = [sample("walk_normal"), sample("run")]
    plants = [detect_plants(clip) for clip in clips]
    graph = chain_graph(clips, group_joints(clips[0].skeleton)["lower"], LEG_ERROR, plants)
    states = np.concatenate([constraint_states(one) for one in plants])
    pairs = np.unique(np.column_stack([states, graph.node_of_frame]), axis=0)
    assert len(pairs) == len(np.unique(states)) == graph.nodes


def test_a_graph_of_the_upper_body_sees_no_legs(sample) -> None:
    walk, run = sample("walk_normal"), sample("run")
    skeleton = walk.skeleton
    lower = set(group_joints(skeleton)["lower"])
    graph = chain_graph([walk, run], choose_chains(skeleton, "upper").joints, 0.1)
    assert not {skeleton.names.index(name) for name in graph.metric.effectors} & lower
    assert len(np.unique(graph.states)) == 1
