"""What legs cannot do is said in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import reenact
from reenact.samples import make_sample
from reenact.walk.leg_limits import FOLDED, measure_legs
from reenact.walk.walk_study import knee_bends, knee_turns, study_walk


@pytest.fixture(scope="module")
def walk():
    return make_sample("walk_normal", 120.0).clip


def test_a_recording_does_nothing_that_it_does_not(walk) -> None:
    study = study_walk(walk)
    found = measure_legs(study, study.world)
    assert found.backward <= 1e-9
    assert found.folded == 0.0
    assert found.high == 0.0
    assert found.doubts() == []


def test_turns_about_the_hinge_are_the_bends_of_a_knee(walk) -> None:
    study = study_walk(walk)
    for foot in study.feet:
        bends, turns = knee_bends(foot, study.base), knee_turns(foot, study.world)
        np.testing.assert_allclose(turns[bends > 0.3], bends[bends > 0.3], atol=0.02)


def test_a_knee_that_bends_backwards_is_named(walk) -> None:
    """The leg mirrored about the line from hip to ankle."""
    study = study_walk(walk)
    world = study.clip.world(np.float64)
    foot = study.feet[0]
    places = world.positions.copy()
    hip, knee, ankle = (places[:, joint] for joint in (foot.leg.root, foot.leg.mid, foot.leg.end))
    line = (ankle - hip) / np.linalg.norm(ankle - hip, axis=1, keepdims=True)
    beside = (knee - hip) - np.einsum("fi,fi->f", knee - hip, line)[:, None] * line
    places[:, foot.leg.mid] -= 2 * beside
    found = measure_legs(study, type(world)(places, world.rotations))
    assert found.backward > 0.2
    assert any("bends backwards" in doubt for doubt in found.doubts())


@pytest.mark.parametrize("asked", [{"stairs": "0.5x0.3x2"}, {"obstacle": "1.5,1,0.2"}])
def test_feet_that_have_to_go_too_high(walk, asked: dict) -> None:
    made = reenact.walk(walk, **asked)
    assert any("folded by" in doubt for doubt in made.report["doubts"])


def test_a_foot_at_its_hip_is_named(walk) -> None:
    study = study_walk(walk)
    world = study.clip.world(np.float64)
    places, foot = world.positions.copy(), study.feet[0]
    places[40, foot.leg.end, 1] = places[40, foot.leg.root, 1]
    found = measure_legs(study, type(world)(places, world.rotations))
    assert found.high > 0.0
    assert found.frame == 40
    assert any("raised to its hip" in doubt for doubt in replace(found, folded=0.0).doubts())


def test_usual_stairs_are_no_matter(walk) -> None:
    made = reenact.walk(walk, stairs="0.17x0.29x3")
    assert not any("folded" in doubt or "hip" in doubt for doubt in made.report["doubts"])
    assert np.degrees(FOLDED) > made.report["knee_folded_degrees"] > 60
