"""Bodies of other girth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.capsule_body import bones, capsule_body

from reenact.body.growth import MOVED, GrowthParameters, grow, grow_parts
from reenact.body.limb_parts import limb_parts, part_of_vertices
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError


def test_girths_that_are_none_are_refused():
    with pytest.raises(ParameterError, match=r"0\.4"):
        GrowthParameters(girth=0.1)
    with pytest.raises(ParameterError, match="no part 'tail'"):
        grow_parts(capsule_body(), {"tail": 1.2})


def test_what_is_no_body_is_refused():
    with pytest.raises(SkeletonError, match="hips"):
        limb_parts(Skeleton(("a", "b"), (-1, 0), ((0, 0, 0), (0, 1, 0))))


def test_girth_one_changes_nothing():
    body = capsule_body()
    same = grow(body, GrowthParameters())
    np.testing.assert_allclose(same.vertices, body.vertices, atol=1e-7)
    np.testing.assert_allclose(same.skeleton.offsets, body.skeleton.offsets, atol=1e-12)


def test_a_grown_limb_is_scaled_across_its_bone_and_not_along():
    body = capsule_body()
    grown = grow_parts(body, {"left_thigh": 1.5})
    start, end, _ = bones(body.skeleton)["LeftUpLeg"]
    way = (end - start) / np.linalg.norm(end - start)
    own = np.flatnonzero(body.weight_joints[:, 0] == body.skeleton.joint("LeftUpLeg"))
    before, after = body.vertices[own] - start, grown.vertices[own] - start
    np.testing.assert_allclose(after @ way, before @ way, atol=1e-5)
    across = [np.linalg.norm(p - (p @ way)[:, None] * way, axis=1) for p in (before, after)]
    np.testing.assert_allclose(across[1], 1.5 * across[0], atol=1e-5)
    others = np.setdiff1d(np.arange(len(body.vertices)), own)
    np.testing.assert_array_equal(grown.vertices[others], body.vertices[others])


def test_a_grown_trunk_moves_six_joints_and_no_others():
    body = capsule_body()
    grown = grow(body, GrowthParameters(girth=1.0, trunk=1.6))
    moved = {
        name
        for name, a, b in zip(body.skeleton.names, body.skeleton.offsets, grown.skeleton.offsets, strict=True)
        if np.abs(a - b).max() > 1e-9
    }
    roles = body.skeleton.roles
    assert moved == {body.skeleton.names[roles[f"{side}_{part}"]] for side in ("left", "right") for part in MOVED}
    still = grow(body, GrowthParameters(trunk=1.6, joints=False))
    np.testing.assert_array_equal(still.skeleton.offsets, body.skeleton.offsets)


def test_the_grown_body_in_its_rest_pose_is_its_mesh():
    grown = grow(capsule_body(), GrowthParameters(girth=1.4))
    np.testing.assert_allclose(grown.skinned(grown.rest_world())[0], grown.vertices, atol=1e-5)


def test_vertices_belong_to_the_bones_they_were_made_around():
    body = capsule_body()
    parts = limb_parts(body.skeleton)
    names = np.array([part.name for part in parts])[part_of_vertices(body, parts)]
    forearm = body.weight_joints[:, 0] == body.skeleton.joint("RightForeArm")
    assert set(names[forearm]) == {"right_forearm"}
    assert {part.kind for part in parts} == {"trunk", "head", "upper_arm", "forearm", "hand", "thigh", "shank", "foot"}
