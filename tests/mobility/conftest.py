"""A pose database of generated walks, turns and stands; `small_map` a mobility map of them."""

from __future__ import annotations

import pytest

from reenact.core.foot_plants import FootContact, FootPlants
from reenact.mobility.gathering import GatheringParameters, build_pose_database
from reenact.mobility.pose_database import PoseDatabase
from reenact.samples import make_sample, sample_names

LOCOMOTION = ("walk", "run", "turn", "stand", "curve", "idle", "start", "stop", "side", "back", "circle")


@pytest.fixture(scope="session")
def walking() -> PoseDatabase:
    names = [name for name in sample_names() if name.startswith(LOCOMOTION)]
    clips, plants = [], []
    for name in names:
        made = make_sample(name, 60.0)
        feet = [FootContact(foot.heel, foot.ball) for foot in (made.truth.left, made.truth.right)]
        clips.append(made.clip)
        plants.append(FootPlants(feet[0], feet[1], made.clip.fps))
    return build_pose_database(clips, GatheringParameters(mirrored=True), plants)
