"""A character's mesh in the poses of a motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.body.character import Character, rigid_inverse
from reenact.body.influences import compact_influences, table_of_influences
from reenact.body.mesh_normals import vertex_normals
from reenact.body.skinning import Method, skin
from reenact.core import rotations
from reenact.core.clip import Clip, World
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError


def make_tube(around: int = 24, along: int = 41) -> Character:
    """A tube of radius 0.1 m along +Y from 0 to 2 m, on two bones that meet at 1 m; weights pass over within 0.3 m."""
    height, turn = np.linspace(0, 2, along), np.linspace(0, 2 * np.pi, around, endpoint=False)
    points = np.stack(
        [
            0.1 * np.cos(np.tile(turn, along)),
            np.repeat(height, around),
            0.1 * np.sin(np.tile(turn, along)),
        ],
        axis=1,
    )
    faces = []
    for row in range(along - 1):
        for n in range(around):
            a, b = row * around + n, row * around + (n + 1) % around
            faces += [(a, a + around, b), (b, a + around, b + around)]
    share = np.clip((points[:, 1] - 0.85) / 0.3, 0, 1)
    skeleton = Skeleton(("low", "high"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1.0, 0]]))
    binds = rigid_inverse(np.array([[0, 0, 0], [0, 1.0, 0]]), np.tile([1.0, 0, 0, 0], (2, 1)))
    return Character(
        skeleton,
        points,
        np.array(faces),
        np.tile([0, 1], (len(points), 1)),
        np.stack([1 - share, share], axis=1),
        binds,
        normals=vertex_normals(points, np.array(faces)),
    )


def skin_and_normals(tube: Character, clip: Clip, frames: int, method: Method) -> tuple[np.ndarray, np.ndarray]:
    found = skin(tube, clip, frames, method, normals=True)
    assert found.normals is not None
    return found.vertices[0], found.normals[0]


def bent(axis: tuple[float, float, float], angle: float) -> Clip:
    turns = np.tile([1.0, 0, 0, 0], (2, 2, 1))
    turns[1, 1] = rotations.from_axis_angle(np.array(axis), angle)
    return Clip(make_tube().skeleton, turns, np.zeros((2, 3)), 30.0)


def test_other_joints_and_unknown_methods_are_refused():
    tube = make_tube()
    with pytest.raises(ParameterError, match="1 joints, the character 2"):
        skin(tube, World(np.zeros((1, 1, 3)), np.ones((1, 1, 4))))
    with pytest.raises(ParameterError, match="linear or dual"):
        skin(tube, bent((1, 0, 0), 1.0), method="cubic")  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["linear", "dual"])
def test_the_rest_pose_leaves_mesh_and_normals_where_they_are(method):
    tube = make_tube()
    vertices, normals = skin_and_normals(tube, bent((1, 0, 0), 1.0), 0, method)
    np.testing.assert_allclose(vertices, tube.vertices, atol=1e-6)
    assert tube.normals is not None
    np.testing.assert_allclose(normals, tube.normals, atol=1e-6)


def test_dual_quaternions_keep_a_twisted_tube_full_where_the_mean_of_matrices_thins_it():
    tube, middle = make_tube(), slice(20 * 24, 21 * 24)  # the ring at 1 m, half of each bone
    radius = {
        method: np.linalg.norm(skin(tube, bent((0, 1, 0), np.pi - 0.01), 1, method).vertices[0, middle, ::2], axis=1)
        for method in ("linear", "dual")
    }
    assert radius["linear"].max() < 0.001  # the candy wrapper
    np.testing.assert_allclose(radius["dual"], 0.1, atol=1e-5)


@pytest.mark.parametrize("method", ["linear", "dual"])
def test_normals_stand_on_the_faces_where_the_skin_is_rigid(method):
    tube = make_tube()
    vertices, found = skin_and_normals(tube, bent((1, 0, 0), 1.2), 1, method)
    rigid = (tube.vertices[:, 1] < 0.7) | (tube.vertices[:, 1] > 1.3)
    np.testing.assert_allclose(found[rigid], vertex_normals(vertices, tube.faces)[rigid], atol=2e-2)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    up = np.arange(len(tube.faces)) % 2 == 0  # faces whose first edge runs up the tube
    chosen = tube.faces[up & rigid[tube.faces].all(axis=1)]
    edges = vertices[chosen[:, 1]] - vertices[chosen[:, 0]]
    along = np.einsum("tk,tk->t", found[chosen[:, 0]], edges) / np.linalg.norm(edges, axis=1)
    assert np.abs(along).max() < 1e-4


@pytest.mark.parametrize("method", ["linear", "dual"])
def test_normals_of_stretched_binds_take_the_inverse_transpose(method):
    tube = make_tube()
    wide = np.diag([3.0, 1.0, 1.0, 1.0])
    stretched = replace(tube, inverse_binds=np.stack([wide @ bind for bind in tube.inverse_binds]))
    vertices, found = skin_and_normals(stretched, bent((1, 0, 0), 0.0), 1, method)
    np.testing.assert_allclose(vertices, tube.vertices * (3, 1, 1), atol=1e-6)
    across = tube.vertices[:, [0, 2]] / 0.1 / (3, 1)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    inner = slice(24, -24)  # the rings at the ends have faces on one side alone
    np.testing.assert_allclose(found[inner][:, [0, 2]], across[inner], atol=2e-3)


@given(st.integers(0, 500))
def test_one_joint_moves_rigidly_by_both_methods(seed):
    rng = np.random.default_rng(seed)
    tube = replace(make_tube(6, 5), weights=np.tile([1.0, 0.0], (30, 1)))
    world = World(rng.normal(size=(2, 2, 3)), rotations.normalize(rng.normal(size=(2, 2, 4))))
    first, second = skin(tube, world), skin(tube, world, method="dual")
    np.testing.assert_allclose(first.vertices, second.vertices, atol=2e-5)


def test_frames_are_chosen():
    tube, clip = make_tube(), bent((1, 0, 0), 1.0)
    every = skin(tube, clip).vertices
    np.testing.assert_array_equal(skin(tube, clip, [1, 0]).vertices, every[[1, 0]])
    np.testing.assert_array_equal(skin(tube, clip, slice(1, None)).vertices, every[1:])


@given(st.integers(0, 200))
def test_influences_are_the_table_without_what_counts_for_nothing(seed):
    rng = np.random.default_rng(seed)
    weights = rng.random((9, 4)) * (rng.random((9, 4)) < 0.6)
    weights[:, 0] += 0.1
    weights = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    joints = np.argsort(rng.random((9, 7)), axis=1)[:, :4].astype(np.int32)
    found = compact_influences(joints, weights)
    assert (found.weights > 0).all()
    dense, again = np.zeros((9, 7)), np.zeros((9, 7))
    np.add.at(dense, (np.arange(9)[:, None], joints), weights)
    table, shares = table_of_influences(found.vertices, found.joints, found.weights, 9)
    np.add.at(again, (np.arange(9)[:, None], table), shares)
    np.testing.assert_allclose(again, dense, atol=1e-6)
