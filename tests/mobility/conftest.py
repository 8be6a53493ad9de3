"""Poses, graphs and maps that several test files look at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reenact.core.clip import Clip
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.core.skeleton import Skeleton
from reenact.loading import load
from reenact.mobility.gathering import GatheringParameters, build_pose_database
from reenact.mobility.map_building import BuiltMap, build_mobility_map
from reenact.mobility.map_parameters import MapParameters
from reenact.mobility.mobility_map import MobilityMap
from reenact.mobility.pose_database import PoseDatabase
from reenact.mobility.pose_graph import PruningParameters
from reenact.mobility.transition_cost import MetricTable, make_metric_table
from reenact.samples import make_sample, sample_names

SAMPLES = (
    "stand",
    "walk_normal",
    "walk_fast",
    "walk_slow",
    "start_walk_left",
    "stop_walk_left",
    "turn_180_left",
    "walk_corner_left",
    "jog",
)
LOCOMOTION = ("walk", "run", "jog", "turn", "stand", "start", "stop", "side")
RECORDED = ("16_11", "16_13", "16_17", "16_19", "16_31", "69_01", "69_20", "69_24", "16_35", "16_41", "39_11", "136_21")


@pytest.fixture(scope="session")
def walks() -> list[Clip]:
    """Generated motions."""
    return [make_sample(name).clip for name in SAMPLES]


@pytest.fixture(scope="session")
def poses(walks: list[Clip]) -> PoseDatabase:
    """Their poses, and mirror images."""
    return build_pose_database(walks)


@pytest.fixture(scope="session")
def table(poses: PoseDatabase) -> MetricTable:
    """What they are compared by."""
    return make_metric_table(poses)


@pytest.fixture(scope="session")
def built(poses: PoseDatabase) -> BuiltMap:
    """Their map."""
    return build_mobility_map(poses, MapParameters(options=8), pruning=PruningParameters(dearest=8.0))


@pytest.fixture(scope="session")
def recordings(corpus: Path) -> list[Clip]:
    """Walks, turns and runs of several people."""
    return [load(corpus / "cmu-bvh" / f"{name}.bvh") for name in RECORDED]


@pytest.fixture(scope="session")
def recorded_poses(recordings: list[Clip]) -> PoseDatabase:
    """Their poses."""
    return build_pose_database(recordings, GatheringParameters())


@pytest.fixture(scope="session")
def recorded_map(recorded_poses: PoseDatabase) -> BuiltMap:
    """Their map."""
    return build_mobility_map(recorded_poses, MapParameters(options=12))


@pytest.fixture(scope="session")
def stick() -> Skeleton:
    """Three joints whose roles are known: hips, a hip joint, a shoulder."""
    return Skeleton(
        ("Hips", "LeftUpLeg", "LeftArm"),
        np.array([-1, 0, 0], np.int32),
        np.array([[0, 1, 0], [0.1, 0, 0], [0.2, 0.5, 0]]),
        roles={"hips": 0, "left_upper_leg": 1, "left_upper_arm": 2},
    )


@pytest.fixture(scope="session")
def walking() -> PoseDatabase:
    """All generated walks, runs, turns and stands with their true foot plants, and mirror images."""
    clips, plants = [], []
    for name in (one for one in sample_names() if one.startswith(LOCOMOTION)):
        made = make_sample(name, 60.0)
        feet = [FootContact(foot.heel, foot.ball) for foot in (made.truth.left, made.truth.right)]
        clips.append(made.clip)
        plants.append(FootPlants(feet[0], feet[1], made.clip.fps))
    return build_pose_database(clips, plants=plants)


@pytest.fixture(scope="session")
def small_map(walking: PoseDatabase) -> MobilityMap:
    """Their map."""
    return build_mobility_map(walking, MapParameters(options=8), pruning=PruningParameters(tau_max=4.0)).map
