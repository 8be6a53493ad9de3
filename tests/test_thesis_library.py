"""Everything that the library of the thesis offers (its appendix B) can be done here; the table of docs/api.md says with what.

Scripts come with their own method.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.analysis.metrics.effectors import EffectorMetric
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.joint_matrices import joint_matrices
from reenact.core.pose_sampling import sample_between, sample_poses_of
from reenact.graft.composition_rules import allowed_pairs, count_allowed
from reenact.graft.correlation import correlate_plants
from reenact.graft.synchronising import choose_shift, find_transition_points, transition_distance
from reenact.graph.building import build_cluster_graph, recut
from reenact.graph.cluster_graph import ClusterGraph
from reenact.samples import make_sample
from reenact.solve.dof import project_to_axes
from reenact.solve.limb import limb_of, place_limb
from reenact.walk.walk import WalkParameters, make_plan
from reenact.walk.walk_study import study_walk

DOCS = Path(__file__).parents[1] / "docs" / "api.md"


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make_sample("walk_normal", 60.0).clip


@pytest.fixture(scope="module")
def fast() -> Clip:
    return make_sample("walk_fast", 60.0).clip


@pytest.fixture(scope="module")
def graph(walk, fast) -> ClusterGraph:
    return build_cluster_graph([walk, fast])


def test_every_name_of_the_table_is_there() -> None:
    table = DOCS.read_text().partition("## What the thesis' library has, here")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    names = [name for row in rows for name in re.findall(r"`([\w.]+)`", row)]
    assert len(names) > 15
    for name in names:
        _find(name.removeprefix("reenact."))


def _find(name: str) -> object:
    """What a name below `reenact` stands for, wherever modules end and attributes begin."""
    words = name.split(".")
    for end in range(len(words), 0, -1):
        try:
            found = import_module(".".join(["reenact", *words[:end]]))
        except ImportError:
            continue
        break
    else:
        found, end = reenact, 0
    for word in words[end:]:
        found = getattr(found, word)
    return found


def test_matrices_of_a_clip_and_frame_with_their_inverses(walk) -> None:
    found = joint_matrices(walk, 12)
    for matrix, inverse in ((found.modelling, found.modelling_inverse), (found.world, found.world_inverse)):
        np.testing.assert_allclose(matrix @ inverse, np.tile(np.eye(4), (len(walk.skeleton), 1, 1)), atol=1e-9)
    np.testing.assert_allclose(found.world[:, :3, 3], walk.world(np.float64).positions[12], atol=1e-6)


def test_rotations_in_degrees_of_any_order(walk) -> None:
    for order in ("XYZ", "ZYX", "YXZ"):
        angles = np.degrees(R.to_euler(walk.rotations[3], order))
        np.testing.assert_allclose(
            np.abs(np.sum(R.from_euler(np.radians(angles), order) * walk.rotations[3], axis=-1)), 1, atol=1e-5
        )


def test_joints_are_a_tree_that_is_found_by_name(walk) -> None:
    skeleton = walk.skeleton
    foot = skeleton.joint("LeftFoot")
    assert skeleton.ancestors(foot)[-1] == 0
    assert foot in skeleton.subtree(skeleton.joint("LeftUpLeg"))
    assert foot in skeleton.children[skeleton.parents[foot]]


def test_degrees_of_freedom_are_read_and_set(walk) -> None:
    knee = walk.skeleton.joint("LeftLeg")
    bent, lost = project_to_axes(walk.rotations[:, knee], "xyz", ("x",))
    turned = walk.rotations.copy()
    turned[:, knee] = bent
    changed = replace(walk, rotations=turned)
    assert np.max(np.abs(R.to_euler(changed.rotations[:, knee], "xyz")[:, 1:])) < 1e-5
    assert lost.shape == (len(walk),)


def test_playback_between_frames_and_clips(walk, fast) -> None:
    half = sample_poses_of(walk, 10.5)
    np.testing.assert_allclose(half.root[0], (walk.root[10] + walk.root[11]) / 2, atol=1e-5)
    mixed = sample_between(walk, fast, 10.5, 4.25, 0.0)
    np.testing.assert_allclose(mixed.root, half.root, atol=1e-6)
    assert sample_between(walk, fast, 10.5, 4.25, 0.5, root="relative").rotations.shape == half.rotations.shape


def test_frames_of_clips_have_an_order(graph) -> None:
    frames = [graph.locate(frame) for frame in range(0, graph.frames, 40)]
    assert frames == sorted(frames)
    assert graph.locate(graph.frame("walk_fast", 7)) == (1, 7)


def test_sequences_and_clusters(graph, walk) -> None:
    here = graph.sequence_at("walk_normal", 60)
    assert here.start <= 60 < here.end
    assert here.start <= here.align < here.end
    members = graph.frames_of(here.node)
    assert graph.frame("walk_normal", 60) in members
    assert {one.node for one in graph.sequences_of(here.node)} == {here.node}
    assert graph.centroid(here.node).shape == (graph.features.shape[1],)
    assert graph.error_between(int(members[0]), int(members[-1])) >= 0
    for next_node in graph.out_nodes(here.node):
        assert here.node in graph.in_nodes(next_node)
        assert graph.links(here.node, next_node)


def test_a_cluster_tree_is_cut_at_an_error(graph) -> None:
    coarse, fine = recut(graph, 2 * graph.error), recut(graph, graph.error / 2)
    assert coarse.nodes < graph.nodes < fine.nodes
    assert graph.tree.node_count(graph.error) <= graph.nodes


def test_effector_positions(walk) -> None:
    described = EffectorMetric().describe(walk)
    assert len(described.values) == len(walk)


def test_a_limb_of_two_links_reaches_its_goal(walk) -> None:
    limb = limb_of(walk.skeleton, "left_leg")
    world = walk.world(np.float64)
    goal = world.positions[:, limb.end] + np.array([0.02, 0.03, 0.0])
    turned, residual = place_limb(walk, limb, goal, world=world)
    reached = replace(walk, rotations=turned.astype(np.float32)).world(np.float64).positions[:, limb.end]
    np.testing.assert_allclose(np.linalg.norm(reached - goal, axis=1), residual, atol=1e-4)
    assert np.median(residual) < 1e-3


@pytest.mark.parametrize("ending", ["bvh", "amc"])
def test_readers(walk, tmp_path: Path, ending: str) -> None:
    reenact.save(walk, tmp_path / f"walk.{ending}")
    found = reenact.load(tmp_path / f"walk.{ending}", reenact.LoadOptions(fps=60.0))
    assert len(found) == len(walk)
    feet = [clip.world().positions[:, clip.skeleton.roles["left_foot"]] for clip in (walk, found)]
    np.testing.assert_allclose(feet[0], feet[1], atol=2e-3)


def test_steps_are_correlated_and_synchronised(walk, fast) -> None:
    """Frames of one walk for frames of another, all alternates, and the one that brings the transition point nearest."""
    plants = [reenact.detect_plants(clip) for clip in (walk, fast)]
    maps = correlate_plants(walk, fast, *plants)
    assert len(maps) > 1
    for one in maps:
        assert np.all(np.diff(one.at(np.arange(one.start, one.end))) > 0)
    arms = [joint for joint, name in enumerate(walk.skeleton.names) if "arm" in name.lower()]
    points = find_transition_points(walk, fast, arms)
    chosen = choose_shift(maps, points[0])
    long_enough = [one for one in maps if len(one.frames) >= 0.8 * max(len(other.frames) for other in maps)]
    assert transition_distance(chosen, points[0]) == pytest.approx(
        min(transition_distance(one, points[0]) for one in long_enough), abs=1.0
    )


def test_allowed_grafts_are_enumerated() -> None:
    pairs = allowed_pairs({"a": "walk", "b": "run", "c": "stand"})
    assert ("a", "b") in pairs
    assert len(pairs) == count_allowed({"walk": 1, "run": 1, "stand": 1})


def test_goals_and_root_of_changing_steps_and_of_stairs(walk) -> None:
    """What a step scale, its change and a lift scale make of a walk, and what stairs do: where feet and body go, before any leg is bent."""
    study = study_walk(walk)
    plan = make_plan(study, WalkParameters(stride=1.1, stride_end=0.7, lift=1.2))
    steps = np.diff([one.along for one in plan.prints]) / study.steps
    np.testing.assert_allclose(steps[[0, -1]], [1.1, 0.7], atol=1e-6)
    assert plan.points.shape == (len(study.clip), 2)
    climbed = make_plan(study, WalkParameters(stairs="0.15x0.3x4"))
    heights = [one.place[1] - one.old.place[1] for one in climbed.prints]
    np.testing.assert_allclose(np.unique(np.round(heights, 6))[:4], [0.0, 0.15, 0.3, 0.45])
    np.testing.assert_allclose(np.diff([one.along for one in climbed.prints])[2:4], 0.3)
