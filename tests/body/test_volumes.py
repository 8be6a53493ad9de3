"""Volumes that stand for limbs, and masses, on a body whose radii and volumes are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.capsule_body import bones, capsule_body

from reenact.body.masses import CALIBRATION, DENSITIES, body_masses, calibration
from reenact.body.part_skin import body_skin
from reenact.body.volumes import allocate_vertices, limb_volumes
from reenact.errors import ParameterError

LIMBS = {
    "left_forearm": "LeftForeArm",
    "right_shank": "RightLeg",
    "left_thigh": "LeftUpLeg",
    "right_upper_arm": "RightArm",
}


def test_masses_from_nowhere_are_refused():
    with pytest.raises(ParameterError, match="no source"):
        body_masses(capsule_body(), "guessed")


def test_radii_of_limbs_are_those_they_were_made_with():
    body = capsule_body()
    volumes = {volume.part.name: volume for volume in limb_volumes(body)}
    for part, joint in LIMBS.items():
        assert volumes[part].radius == pytest.approx(bones(body.skeleton)[joint][2], rel=0.06)


def test_the_average_of_the_variances_is_no_radius():
    """The formula as printed gives a square; what is taken instead is exact on the wall of a cylinder."""
    from reenact.body.volumes import _spread

    turns = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    wall = np.array([(7 * np.cos(t), h, 7 * np.sin(t)) for h in np.linspace(0, 30, 20) for t in turns])
    radius, _, halves = _spread(wall, np.ones(len(wall)), np.array([0.0, 1.0, 0.0]))
    assert radius == pytest.approx(7.0, abs=1e-9)
    np.testing.assert_allclose(halves, 7.0)
    assert np.mean(np.linalg.eigvalsh(np.cov(wall[:, [0, 2]].T, bias=True))) == pytest.approx(24.5)


def test_a_finer_mesh_has_the_same_radii():
    body = capsule_body()
    corners = body.vertices[body.faces]
    middles = corners.mean(axis=1)
    count = len(body.vertices)
    numbers = count + np.arange(len(body.faces))
    a, b, c = body.faces.T
    left = middles[:, 0] > 0  # one side only is made finer
    finer = np.concatenate(
        [body.faces[~left], *(np.column_stack([x, y, numbers])[left] for x, y in ((a, b), (b, c), (c, a)))]
    )
    fine = replace(
        body,
        vertices=np.concatenate([body.vertices, middles]),
        faces=finer,
        weight_joints=np.concatenate([body.weight_joints, body.weight_joints[body.faces[:, 0]]]),
        weights=np.ones((count + len(middles), 1)),
    )
    for one, other in zip(limb_volumes(body), limb_volumes(fine), strict=True):
        assert other.radius == pytest.approx(one.radius, rel=0.02)


def test_vertices_stay_with_their_bones():
    skin = body_skin(capsule_body())
    owner = allocate_vertices(skin)
    shank = skin.number("left_shank")
    own = skin.part == shank
    start, end, _ = bones(capsule_body().skeleton)["LeftLeg"]
    share = (skin.places[own] - start) @ (end - start) / np.sum((end - start) ** 2)
    assert np.all(owner[own][(share > 0.001) & (share < 0.999)] == shank)
    assert not np.any(owner[skin.part == skin.number("left_upper_arm")] == skin.number("chest"))


def test_what_the_skin_holds_is_what_was_put_in():
    body = capsule_body()
    masses = body_masses(body)
    for part, joint in LIMBS.items():
        start, end, radius = bones(body.skeleton)[joint]
        true = np.pi * radius**2 * np.linalg.norm(end - start) + 4 / 3 * np.pi * radius**3
        number = masses.names.index(part)
        kind = part.partition("_")[2]
        assert masses.masses[number] == pytest.approx(DENSITIES[kind] * true, rel=0.04)
        place = body.rest_world().positions[0, masses.joints[number]]
        np.testing.assert_allclose(masses.centres[number], 0.5 * (start + end) - place, atol=1e-3)


@pytest.mark.parametrize("source", ["cylinder", "capsule", "ellipsoid", "table"])
def test_shares_are_near_those_that_were_put_in(source):
    body = capsule_body()
    truth, found = body_masses(body).shares(), body_masses(body, source).shares()
    assert sum(found.values()) == pytest.approx(1)
    limbs = [
        limb for limb in truth if limb not in ("trunk", "head")
    ]  # the capsules of this trunk lie within each other
    for limb in limbs:
        share = [shares[limb] / sum(shares[one] for one in limbs) for shares in (truth, found)]
        assert abs(share[1] - share[0]) < 0.06
    assert body_masses(body, source, total=64).total == pytest.approx(64)


def test_the_squared_table_of_the_thesis():
    """Radius factors are roots of shares (table 5.5 of tables 5.1 and 5.2)."""
    measured = {"head": 4690, "right_arm": 4846, "left_arm": 4570, "trunk": 29955, "left_leg": 9766, "right_leg": 10154}
    found = {
        "cylinder": {
            "head": 5043,
            "right_arm": 3981,
            "left_arm": 4325,
            "trunk": 19772,
            "left_leg": 8027,
            "right_leg": 8077,
        },
        "ellipsoid": {
            "head": 2498,
            "right_arm": 1340,
            "left_arm": 1393,
            "trunk": 18794,
            "left_leg": 4579,
            "right_leg": 3995,
        },
    }
    for shape, grams in found.items():
        shares = {limb: mass / sum(grams.values()) for limb, mass in grams.items()}
        true = {limb: mass / sum(measured.values()) for limb, mass in measured.items()}
        factors = calibration(true, shares)
        for limb, factor in CALIBRATION[shape].items():
            assert round(factors[limb], 2) == pytest.approx(factor, abs=0.0101)
        scaled = {limb: grams[limb] * factor**2 for limb, factor in CALIBRATION[shape].items()}
        total = sum(scaled.values())
        assert max(abs(scaled[limb] / total - true[limb]) for limb in true) < 0.0015
