"""Feet kept from skating by the skin of their soles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.capsule_body import capsule_body

import reenact
from reenact.adapt.grounding import GroundParameters
from reenact.adapt.root_travel import fit_height, set_height, set_height_by_frame, slides, travel
from reenact.adapt.skin_planting import plant_by_skin, sole_skin
from reenact.adapt.transfer import crossing_time, cubic_through, integral, real_roots, travelled_share, value_at
from reenact.errors import ParameterError, SkeletonError
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def body():
    return capsule_body()


@pytest.fixture(scope="module")
def walk():
    return make_sample("walk_normal")


def scaled(clip, by):
    root = clip.root.astype(np.float64)
    wide = root.copy()
    wide[:, [0, 2]] = root[0, [0, 2]] + by * (root[:, [0, 2]] - root[0, [0, 2]])
    return replace(clip, root=wide)


def test_bad_questions_are_refused(body, walk):
    with pytest.raises(ParameterError, match="feet"):
        GroundParameters(method="feet")
    skin = sole_skin(body, walk.clip)
    with pytest.raises(ParameterError, match="frames"):
        plant_by_skin(
            skin, walk.clip.root, walk.clip.fps, reenact.detect_plants(reenact.cut(walk.clip, start=0, end=50).clip)
        )
    feet = [body.skeleton.roles[f"{side}_{part}"] for side in ("left", "right") for part in ("foot", "toes")]
    hips = np.where(np.isin(body.weight_joints, feet), 0, body.weight_joints)
    with pytest.raises(SkeletonError, match="no sole"):
        sole_skin(replace(body, weight_joints=hips), walk.clip)


def test_roots_of_cubics():
    rng = np.random.default_rng(0)
    kinds = set()
    for _ in range(2000):
        coefficients = rng.normal(size=4)
        found = real_roots(coefficients)
        true = np.roots(coefficients[::-1])
        true = np.sort(true[np.abs(true.imag) < 1e-9].real)
        kinds.add(len(found))
        assert len(found) == len(true)
        np.testing.assert_allclose(found, true, rtol=1e-7, atol=1e-9)
    assert kinds == {1, 3}
    np.testing.assert_allclose(real_roots((2.0, -3.0, 1.0, 0.0)), (1, 2))
    np.testing.assert_allclose(real_roots((-1.0, 2.0, 0.0, 0.0)), (0.5,))
    assert not len(real_roots((1.0, 0.0, 0.0, 0.0)))


def test_the_moment_of_transfer():
    true = 0.3
    times = np.array([-1.0, 0, 1, 2])
    assert crossing_time(0.5 + (times - true), 0.5 - (times - true)) == pytest.approx(true, abs=1e-9)
    assert crossing_time(np.ones(4), np.zeros(4)) == 0.5
    assert travelled_share(np.full(4, 2.0), 0.37) == pytest.approx(0.37)
    assert travelled_share(np.zeros(4), 0.37) == 0.37
    curve = cubic_through((1.0, 2.0, 4.0, 3.0))
    assert value_at(curve, 0.0) == 2.0
    assert value_at(curve, 1.0) == pytest.approx(4.0)
    samples = np.linspace(0, 0.7, 20001)
    assert integral(curve, 0.7) == pytest.approx(np.trapezoid([value_at(curve, q) for q in samples], samples), abs=1e-8)


def test_the_planted_foot_is_found_whatever_the_root_does(body, walk):
    truth = np.stack(
        [walk.truth.left.heel | walk.truth.left.ball, walk.truth.right.heel | walk.truth.right.ball], axis=1
    )
    for by in (1.0, 0.7, 1.3):
        clip = scaled(walk.clip, by)
        found = plant_by_skin(sole_skin(body, clip), clip.root.astype(np.float64), clip.fps)
        stands = truth.any(axis=1)
        right = truth[np.arange(len(truth)), found.feet]
        assert np.mean(right[stands]) > 0.94  # the rest is the moment of transfer


def test_planted_skin_does_not_slide_and_limbs_stay(body, walk):
    clip = scaled(walk.clip, 1.3)
    skin = sole_skin(body, clip)
    planting = plant_by_skin(skin, clip.root.astype(np.float64), clip.fps)
    root = travel(skin, clip.root.astype(np.float64), planting)
    moved = replace(skin, places=skin.places + (root - clip.root)[:, None])
    assert slides(skin, planting).sum() > 0.3
    assert slides(moved, planting).max() < 1e-6
    ways = [np.linalg.norm((one[-1] - one[0])[[0, 2]]) for one in (walk.clip.root, root)]
    assert ways[1] == pytest.approx(ways[0], rel=0.05)  # the way that these legs make
    made = reenact.ground(clip, body)
    assert np.array_equal(made.clip.rotations, clip.rotations)
    assert made.report["slid_mm_after"] < 0.1 * made.report["slid_mm_before"]


def test_a_motion_without_skating_is_hardly_changed(body, walk):
    skin = sole_skin(body, walk.clip)
    root = travel(
        skin, walk.clip.root.astype(np.float64), plant_by_skin(skin, walk.clip.root.astype(np.float64), walk.clip.fps)
    )
    assert (
        np.linalg.norm((root - walk.clip.root)[:, [0, 2]], axis=1).max() < 0.15
    )  # of 9 m: feet that are capsules roll


def test_height_is_the_best_offset_and_scale(body, walk):
    skin = sole_skin(body, walk.clip)
    root = walk.clip.root.astype(np.float64) + (0, 0.03, 0)
    skin = replace(skin, places=skin.places + (0, 0.03, 0))
    planting = plant_by_skin(skin, root, walk.clip.fps)
    fit = fit_height(skin, root, planting)
    made = set_height(root, fit)
    at = np.arange(len(root))
    heights = skin.places[at, planting.points, 1] - root[:, 1] + made[:, 1]
    assert abs(heights.mean()) < 1e-9
    line = np.polyfit(root[:, 1], made[:, 1], 1)
    np.testing.assert_allclose(np.polyval(line, root[:, 1]), made[:, 1], atol=1e-9)
    if not fit.doubtful:
        for scale in np.linspace(0.3, 3, 28):
            other = replace(fit, scale=float(scale))
            tried = skin.places[at, planting.points, 1] - root[:, 1] + set_height(root, other)[:, 1]
            assert np.sum(heights**2) <= np.sum(tried**2) + 1e-12
    by_frame = set_height_by_frame(skin, root)
    lowest = skin.places[:, :, 1].min(axis=1) - root[:, 1] + by_frame[:, 1]
    np.testing.assert_allclose(lowest, 0, atol=1e-12)


def test_the_body_hung_on_its_foot(body, walk):
    clip = scaled(walk.clip, 1.2)
    made = reenact.ground(clip, body, method="legs")
    before, after = clip.world(np.float64), made.clip.world(np.float64)
    for side in ("left", "right"):
        ankle = clip.skeleton.roles[f"{side}_foot"]
        stands = made.plants.foot(side).plant
        inner = stands[1:] & stands[:-1]
        steps = [np.linalg.norm(np.diff(w.positions[:, ankle], axis=0), axis=1)[inner] for w in (before, after)]
        assert np.median(steps[1]) < 0.1 * max(np.median(steps[0]), 1e-4) + 1e-5
    legs = [f"{side}_{part}" for side in ("left", "right") for part in ("upper_leg", "lower_leg", "foot")]
    rest = np.setdiff1d(np.arange(len(clip.skeleton)), [clip.skeleton.roles[role] for role in legs])
    assert np.array_equal(made.clip.rotations[:, rest], clip.rotations[:, rest])


def test_frames_in_flight_keep_their_steps(body, walk):
    clip = walk.clip
    plants = reenact.detect_plants(clip)
    none = np.zeros(len(clip), np.bool_)
    empty = replace(
        plants, left=replace(plants.left, heel=none, ball=none), right=replace(plants.right, heel=none, ball=none)
    )
    made = reenact.ground(clip, body, height="keep", plants=empty)
    np.testing.assert_allclose(made.clip.root, clip.root, atol=1e-6)
    assert made.report["flight"] == 1.0
