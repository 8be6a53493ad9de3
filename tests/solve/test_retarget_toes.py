"""Toes that stand level, and shoes that do not dig into the floor."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.analysis.carried_plants import known_plants
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.loading import load_all
from reenact.samples import make_sample
from reenact.solve.feet import track_foot
from reenact.solve.flesh import Flesh
from reenact.solve.retarget_toes import clear_floor
from reenact.solve.retargeting import Retargeted, flesh_of_body, reach_of, retarget_motion
from reenact.solve.target_body import TargetBody, body_of_character


@cache
def walked(preset: str) -> tuple[TargetBody, Retargeted]:
    """A walk on a generated person, its toes stiff as those of many recordings are."""
    clip = make_sample("walk_normal").clip
    rotations = clip.rotations.copy()
    for side in ("left", "right"):
        rotations[:, clip.skeleton.roles[f"{side}_toes"]] = (1.0, 0.0, 0.0, 0.0)
    body = body_of_character(reenact.humanoid(preset=preset))
    return body, retarget_motion(replace(clip, rotations=rotations), body, known_plants(clip, None, wanted=True))


def lowest(clip: Clip, body: TargetBody) -> float:
    skin = flesh_of_body(body, reach_of(clip))
    return float(skin.lowest(clip.world(np.float64), ("left_toes", "right_toes")).min())


@pytest.mark.parametrize("preset", ["adult", "child", "giant"])
def test_toes_are_not_in_the_floor(preset: str) -> None:
    body, made = walked(preset)
    assert lowest(made.clip, body) > -0.02 * reach_of(made.clip)


def test_nor_are_those_of_another_maker_with_a_recording(corpus: Path) -> None:
    """Its toes reach 7 cm deep otherwise."""
    clip = reenact.load(corpus / "cmu-bvh/07_01.bvh")
    body = body_of_character(load_all(corpus / "characters/mesh2motion/human-male.glb").characters[0])
    made = retarget_motion(clip, body, known_plants(clip, None, wanted=True)).clip
    assert lowest(made, body) > -0.02 * reach_of(made)


def test_toes_are_level_while_the_ball_alone_stands() -> None:
    body, made = walked("adult")
    assert made.plants is not None
    world, seen = made.clip.world(np.float64), 0
    for foot in body.feet:
        contact, stance = made.plants.foot(foot.side), body.stances[foot.side]
        alone = np.flatnonzero(contact.ball & ~contact.heel)
        seen += len(alone)
        up = R.rotate(R.conjugate(stance.toes_turn), stance.up)
        tilt = np.degrees(np.arccos(np.clip(R.rotate(world.rotations[alone, foot.toes], up)[:, 1], -1.0, 1.0)))
        assert np.median(tilt) < 6.0
        pitch = track_foot(world, foot)
        assert np.ptp((pitch.heel - pitch.ball)[alone, 1]) > 0.05  # while the foot rolls over them
    assert seen > 20


def test_what_is_out_of_the_floor_is_left_alone() -> None:
    body, made = walked("adult")
    raised = replace(made.clip, root=made.clip.root + np.array([0.0, 0.2, 0.0], np.float32))
    skin = flesh_of_body(body, reach_of(raised))
    assert clear_floor(raised, skin, body.feet, made.plants) is raised
    assert clear_floor(raised, Flesh({}, {}), body.feet, None) is raised


def test_held_feet_stay_where_they_are() -> None:
    body, made = walked("adult")
    sunk = replace(made.clip, root=made.clip.root - np.array([0.0, 0.03, 0.0], np.float32))
    cleared = clear_floor(sunk, flesh_of_body(body, reach_of(sunk)), body.feet, made.plants)
    assert cleared is not sunk
    assert made.plants is not None
    before, after = sunk.world(np.float64), cleared.world(np.float64)
    for foot in body.feet:
        held = made.plants.foot(foot.side).ball
        gap = track_foot(after, foot).ball[held] - track_foot(before, foot).ball[held]
        assert np.abs(gap).max() < 1e-6
    np.testing.assert_allclose(after.positions[:, 0], before.positions[:, 0], atol=1e-7)
