"""Markers of planted feet: where they stand, how their weights run, and that files carry them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reenact
from reenact.blend.clean import CleanParameters, clean
from reenact.blend.markers import SCENE, place_markers, weight_curve
from reenact.core.clip import Clip
from reenact.core.foot_plants import Floor, FootContact, FootPlants
from reenact.errors import SkeletonError
from reenact.samples import make_sample
from reenact.solve.feet import find_feet
from reenact.solve.holding import hold_foot
from reenact.solve.stances import HoldParameters


def walk() -> tuple[Clip, FootPlants]:
    """A sample that slides over the ground, and its plants from the plan."""
    sample = make_sample("walk_normal")
    feet = [FootContact(foot.heel, foot.ball) for foot in (sample.truth.left, sample.truth.right)]
    root = sample.clip.root + sample.clip.times[:, None] * np.array([0.02, 0.0, 0.05])
    clip = replace(sample.clip, root=root.astype(np.float32))
    return clip, FootPlants(feet[0], feet[1], clip.fps, Floor(), "plan")


@given(st.integers(0, 60), st.integers(1, 40), st.sampled_from([24.0, 30.0, 120.0]))
def test_a_weight_is_one_in_its_plant_and_smooth_beside(start: int, length: int, fps: float) -> None:
    weight = weight_curve(start, start + length, 120, fps)
    assert weight.min() >= 0.0
    assert weight.max() == 1.0
    assert (weight[start : start + length] == 1.0).all()
    away = np.arange(120)
    far = (away < start - 0.13 * fps) | (away > start + length - 1 + 0.13 * fps)
    assert not weight[far].any()


def test_a_weight_has_no_jump_in_its_slope() -> None:
    fine = weight_curve(4000, 6000, 10_000, 10_000.0)
    assert np.abs(np.diff(fine)).max() < 1.6 / 1300
    assert np.abs(np.diff(fine, 2)).max() < 1e-5


def test_ground_markers_stand_and_ankle_markers_follow() -> None:
    clip, plants = walk()
    world = clip.world(np.float64)
    holds = [
        hold_foot(world, foot, plants.foot(foot.side), clip.fps, HoldParameters(), plants.floor)
        for foot in find_feet(clip.skeleton, clip)
    ]
    markers = place_markers(holds, clip.fps)
    assert [m.name for m in markers.ankles] == ["ankle_L", "ankle_R"]
    assert [m.name for m in markers.ground if m.foot == "left"][:2] == ["plant_L_00", "plant_L_01"]
    for marker in markers.ground:
        side = plants.foot(marker.foot)
        assert side.plant[marker.start : marker.end].all()
        ankle = clip.skeleton.roles[f"{marker.foot}_foot"]
        mean = world.positions[marker.start : marker.end, ankle].mean(axis=0)
        np.testing.assert_allclose(marker.place, mean, atol=1e-6)
        assert abs(marker.heading) < np.radians(25)  # it walks along +Z
    for marker in markers.ankles:
        np.testing.assert_allclose(
            marker.path, world.positions[:, clip.skeleton.roles[f"{marker.foot}_foot"]], atol=1e-4
        )


@pytest.mark.parametrize("ending", ["bvh", "glb"])
def test_files_carry_markers(tmp_path: Path, ending: str) -> None:
    clip, plants = walk()
    free = clip.world(np.float64)
    plain = clean(clip, None, plants)
    made = clean(clip, CleanParameters(markers=True), plants)
    assert len(made.report["markers"]) == sum(len(plants.foot(side).intervals()) for side in ("left", "right"))
    body = made.clip.world(np.float64).positions[:, 1 : len(clip.skeleton) + 1]
    np.testing.assert_allclose(body, plain.clip.world(np.float64).positions, atol=1e-5)
    path = tmp_path / f"marked.{ending}"
    reenact.save(made.clip, path)
    back = reenact.load(path)
    assert len(back) == len(clip)
    world = back.world(np.float64)
    for told in made.report["markers"]:
        joint = back.skeleton.joint(told["name"])
        np.testing.assert_allclose(world.positions[:, joint], np.tile(told["place"], (len(clip), 1)), atol=1e-4)
        weight = world.positions[:, back.skeleton.joint(f"{told['name']}_weight")] - world.positions[:, joint]
        wanted = weight_curve(told["start"], told["end"], len(clip), clip.fps)
        np.testing.assert_allclose(weight, wanted[:, None] * (0.0, 1.0, 0.0), atol=1e-4)
    for letter, foot in (("L", "left_foot"), ("R", "right_foot")):
        path_back = world.positions[:, back.skeleton.joint(f"ankle_{letter}")]
        np.testing.assert_allclose(path_back, free.positions[:, clip.skeleton.roles[foot]], atol=1e-4)
    hips = world.positions[:, back.skeleton.joint(clip.skeleton.names[0])]
    np.testing.assert_allclose(hips, plain.clip.root, atol=1e-4)


def test_names_that_are_taken_are_named() -> None:
    clip, plants = walk()
    names = (SCENE, *clip.skeleton.names[1:])
    other = clip.with_skeleton(replace(clip.skeleton, names=names))
    with pytest.raises(SkeletonError, match="has a joint 'scene' already"):
        clean(other, CleanParameters(markers=True), plants)
