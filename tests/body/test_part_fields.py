"""Distances to the skin of parts."""

from __future__ import annotations

import numpy as np
import pytest
from tests.capsule_body import bones, capsule, capsule_body

from reenact import kernels
from reenact.body.part_fields import part_fields
from reenact.body.part_skin import body_skin, closed_faces, open_edges
from reenact.errors import ParameterError


def test_a_body_without_a_mesh_is_refused():
    from dataclasses import replace

    body = capsule_body()
    with pytest.raises(ParameterError, match="no mesh"):
        body_skin(replace(body, faces=np.zeros((0, 3), np.int32)))


def test_a_capsule_is_as_far_as_its_formula_says():
    body = capsule_body()
    skin = body_skin(body)
    fields = part_fields(skin)
    start, end, radius = bones(body.skeleton)["LeftLeg"]
    number = skin.number("left_shank")
    rng = np.random.default_rng(0)
    share = rng.uniform(0.4, 0.65, 400)[:, None]
    points = start + share * (end - start) + rng.normal(0, 0.03, (400, 3))
    along = np.clip((points - start) @ (end - start) / np.sum((end - start) ** 2), 0, 1)[:, None]
    true = np.linalg.norm(points - start - along * (end - start), axis=1) - radius
    found = fields.distances(number, points - start)
    known = np.isfinite(found) & (true > -0.03)
    assert known.mean() > 0.7  # the others are off the grid, or deep inside
    assert np.abs(found - true)[known].max() < 0.006
    assert np.array_equal((found < 0)[known & (np.abs(true) > 0.006)], (true < 0)[known & (np.abs(true) > 0.006)])


def test_winding_numbers_tell_inside_from_outside():
    places, faces = capsule((0, 0, 0), (0, 1, 0), 0.2)
    points = np.array([(0, 0.5, 0), (0.1, 0.9, 0), (0.3, 0.5, 0), (0, 1.3, 0), (5, 5, 5.0)])
    np.testing.assert_allclose(kernels.skin_contacts.winding_numbers(places[faces], points), (1, 1, 0, 0, 0), atol=0.02)


def test_holes_are_closed():
    places, faces = capsule((0, 0, 0), (0, 1, 0), 0.2)
    opened = faces[(places[faces][:, :, 1] > 0.3).any(axis=1)]
    assert len(open_edges(opened)) == 20
    more, closed = closed_faces(places, opened)
    assert not len(open_edges(closed))
    assert len(more) == len(places) + 1
