"""The zero-moment point and the ground below the feet."""

from __future__ import annotations

import numpy as np
import pytest
from tests.capsule_body import capsule_body

from reenact.adapt.support_area import SupportAreas, convex_outline, nearest_inside, support_areas
from reenact.adapt.zmp import accelerations, low_passed, zero_moment, zero_moment_of
from reenact.analysis.free_flight import G
from reenact.body.masses import body_masses
from reenact.core.clip import Clip
from reenact.samples import make_sample


def test_a_body_at_rest_presses_below_its_centre():
    body = capsule_body()
    masses = body_masses(body)
    clip = Clip(
        body.skeleton, np.tile(body.skeleton.rest, (30, 1, 1)), np.tile(body.skeleton.offsets[0], (30, 1)), 60.0
    )
    world = clip.world(np.float64)
    found = zero_moment(masses, world, 60.0, cut=None)
    np.testing.assert_allclose(found.points, masses.centre(world)[:, ::2], atol=1e-12)
    np.testing.assert_allclose(found.weight, 1.0, atol=1e-12)


def test_one_mass_that_swings():
    rate, height, far, turn = 200.0, 0.9, 0.1, 2 * np.pi * 0.7
    t = np.arange(400) / rate
    places = np.stack([far * np.sin(turn * t), np.full(400, height), 0.3 * t], axis=1)[:, None]
    found = zero_moment_of(places, accelerations(places, rate), np.ones(1))
    expected = places[:, 0, 0] + height * turn**2 * places[:, 0, 0] / G
    np.testing.assert_allclose(found.points[5:-5, 0], expected[5:-5], atol=1e-4)
    np.testing.assert_allclose(found.points[5:-5, 1], places[5:-5, 0, 2], atol=1e-9)


def test_masses_twice_as_heavy_change_nothing():
    rng = np.random.default_rng(3)
    places, pulls, masses = rng.normal(size=(20, 5, 3)), rng.normal(size=(20, 5, 3)), rng.uniform(1, 2, 5)
    np.testing.assert_allclose(
        zero_moment_of(places, pulls, masses).points, zero_moment_of(places, pulls, 2 * masses).points
    )


def test_in_flight_there_is_no_such_point():
    places = np.zeros((9, 1, 3))
    pulls = np.tile((0.0, -G, 0.0), (9, 1, 1))
    found = zero_moment_of(places, pulls, np.ones(1))
    assert not found.defined.any()


def test_noise_is_taken_away_before_it_is_differentiated():
    rng = np.random.default_rng(4)
    still = np.zeros((600, 1, 3)) + (0, 0.9, 0) + rng.normal(0, 0.0005, (600, 1, 3))
    raw = zero_moment_of(still, accelerations(still, 120.0), np.ones(1)).points
    smooth = low_passed(still, 120.0, 6.0)
    calm = zero_moment_of(smooth, accelerations(smooth, 120.0), np.ones(1)).points
    assert np.nanstd(raw) > 0.5
    assert np.std(calm[20:-20]) < 0.02


def test_two_soles_enclose_what_lies_between_them():
    boxes = np.array([(0, 0), (0.1, 0), (0.1, 0.3), (0, 0.3), (0.4, 0), (0.5, 0), (0.5, 0.3), (0.4, 0.3)])
    areas = SupportAreas(np.tile(boxes, (3, 1, 1)), np.array([(True, True), (True, False), (False, False)]))
    np.testing.assert_allclose(areas.distances(np.tile((0.25, 0.15), (3, 1))), (0, 0.15, np.inf))
    assert len(areas.polygon(0)) == 4
    np.testing.assert_allclose(nearest_inside(areas.polygon(1), np.array((0.2, 0.4))), (0.1, 0.3))
    np.testing.assert_allclose(
        convex_outline(np.array([(0, 0), (1, 0), (0.5, 0.1), (1, 1), (0, 1)])), [(0, 0), (1, 0), (1, 1), (0, 1)]
    )


def test_the_sole_of_a_standing_foot_is_a_foot():
    body = capsule_body()
    sample = make_sample("walk_normal")
    clip = Clip(body.skeleton, sample.clip.rotations, sample.clip.root, sample.clip.fps)
    import reenact

    plants = reenact.detect_plants(clip)
    areas = support_areas(body, clip.world(np.float64), plants)
    one = np.flatnonzero(areas.stands.sum(axis=1) == 1)
    sizes = []
    for frame in one[:50]:
        x, y = areas.polygon(int(frame)).T
        sizes.append(0.5 * abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)))
    assert 0.003 < np.median(sizes) < 0.045


def test_mujoco_says_the_same():
    """Point masses on a free body, pushed as the motion asks: where MuJoCo's inverse dynamics put the push of the floor."""
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(7)
    bodies = "".join(
        f'<body name="m{n}"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>'
        f'<geom type="sphere" size="0.001" mass="{n + 1}" contype="0" conaffinity="0"/></body>'
        for n in range(4)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 -{G} 0"/><worldbody>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    for _ in range(20):
        places, pulls = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
        data.qpos[:], data.qvel[:], data.qacc[:] = places.ravel(), 0.0, pulls.ravel()
        mujoco.mj_inverse(model, data)
        force = data.qfrc_inverse.reshape(4, 3)
        moment = np.cross(places, force).sum(axis=0)
        down = force[:, 1].sum()
        expected = np.array([moment[2], -moment[0]]) / down
        found = zero_moment_of(places[None], pulls[None], np.arange(1.0, 5.0)).points[0]
        np.testing.assert_allclose(found, expected, atol=1e-3)
