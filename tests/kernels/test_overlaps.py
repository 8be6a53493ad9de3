"""Depths of rounded volumes, and contacts of skins, against their twins and against plain sampling."""

from __future__ import annotations

import numpy as np
from tests.capsule_body import capsule_body

from reenact import kernels
from reenact.adapt.contact_body import contact_body
from reenact.adapt.volume_overlaps import volume_overlaps, volume_pairs
from reenact.body.volumes import limb_volumes
from reenact.kernels import overlaps_twins
from reenact.samples import make_sample


def test_depths_are_those_of_the_twin_and_of_sampling():
    rng = np.random.default_rng(0)
    starts, ends = rng.normal(size=(40, 12, 3)), rng.normal(size=(40, 12, 3))
    ends[:, 0] = starts[:, 0]  # a ball
    ends[:, 2] = starts[:, 2] + (ends[:, 1] - starts[:, 1])  # parallel to another
    radii = rng.uniform(0.1, 0.5, 12)
    pairs = np.array([(a, b) for a in range(12) for b in range(a)], np.int32)
    found = kernels.overlaps.capsule_depths(starts, ends, radii, pairs)
    np.testing.assert_allclose(found, overlaps_twins.capsule_depths(starts, ends, radii, pairs), atol=1e-9)
    back = kernels.overlaps.capsule_depths(starts, ends, radii, pairs[:, ::-1])
    np.testing.assert_allclose(found, back, atol=1e-9)
    share = np.linspace(0, 1, 60)
    for n in range(0, len(pairs), 9):
        a, b = pairs[n]
        p = starts[3, a] + share[:, None] * (ends[3, a] - starts[3, a])
        q = starts[3, b] + share[:, None] * (ends[3, b] - starts[3, b])
        sampled = radii[a] + radii[b] - np.linalg.norm(p[:, None] - q[None], axis=2).min()
        assert -1e-9 <= found[3, n] - sampled < 0.01


def test_contacts_are_those_of_the_twin():
    body = capsule_body()
    contacts = contact_body(body)
    world = make_sample("walk_normal").clip.world(np.float64)
    some = slice(0, 12, 4)
    places, turned = world.positions[some].copy(), world.rotations[some].copy()
    places[:, body.skeleton.subtree(body.skeleton.joint("LeftArm"))] -= (0.12, 0, 0)  # the arm into the chest
    found = kernels.skin_contacts.find_contacts(
        (places, turned), contacts.joints, contacts.fields, (contacts.first, contacts.last, contacts.probes), contacts.pairs,
        contacts.allowed, contacts.offsets, 0.0, 40000,
    )  # fmt: skip
    frames, depths, _, _, pairs = found
    expected = overlaps_twins.find_contacts(
        (places, turned), contacts.joints, contacts.fields, (contacts.first, contacts.last, contacts.probes), contacts.pairs,
        contacts.allowed, contacts.offsets, 0.0,
    )  # fmt: skip
    assert len(frames) > 30
    assert len(frames) == len(expected)
    np.testing.assert_array_equal(frames, [one[0] for one in expected])
    np.testing.assert_array_equal(pairs, [one[2] for one in expected])
    np.testing.assert_allclose(depths, [one[1] for one in expected], atol=1e-9)


def test_volumes_of_a_body_overlap_where_an_arm_is_in_the_chest():
    body = capsule_body()
    volumes = limb_volumes(body)
    pairs = volume_pairs(volumes)
    names = [(volumes[a].part.name, volumes[b].part.name) for a, b in pairs]
    assert not any("upper_arm" in b and a == "chest" for a, b in names)
    rest = volume_overlaps(volumes, body.rest_world())
    assert rest.max() < 0.01
