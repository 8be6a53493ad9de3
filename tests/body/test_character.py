"""Characters: checks and linear-blend skinning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.core import rotations
from reenact.core.clip import World
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, ReenactError


def make_character(seed: int = 0, joints: int = 5, vertices: int = 30, influences: int = 4) -> Character:
    rng = np.random.default_rng(seed)
    parents = np.array([-1, *(rng.integers(0, j) for j in range(1, joints))])
    rest = rotations.normalize(rng.normal(size=(joints, 4)))
    skeleton = Skeleton(tuple(f"j{j}" for j in range(joints)), parents, rng.normal(size=(joints, 3)), rest)
    weights = rng.random((vertices, influences)).astype(np.float32)
    world = rest_world(skeleton)
    return Character(
        skeleton,
        rng.normal(size=(vertices, 3)).astype(np.float32),
        rng.integers(0, vertices, (12, 3)).astype(np.int32),
        rng.integers(0, joints, (vertices, influences)).astype(np.int32),
        weights / weights.sum(axis=1, keepdims=True),
        rigid_inverse(world.positions[0], world.rotations[0]),
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"vertices": np.zeros((30, 2))}, "vertices must have shape"),
        ({"vertices": np.full((30, 3), np.nan)}, "vertices hold values that are not finite"),
        ({"faces": np.array([[0, 1, 30]])}, "faces name vertices"),
        ({"faces": np.array([[0, 1, -1]])}, "faces name vertices"),
        ({"weight_joints": np.full((30, 4), 5)}, "weights name joints"),
        ({"weights": np.full((30, 4), 0.5)}, "add up to 2"),
        ({"weights": np.tile([1.5, -0.5, 0, 0], (30, 1))}, "must not be negative"),
        ({"weights": np.ones((30, 3))}, "weights must have shape"),
        ({"inverse_binds": np.zeros((5, 4, 4))}, "last row"),
        ({"inverse_binds": np.tile(np.diag([1.0, 0, 1, 1]), (5, 1, 1))}, "cannot be inverted"),
        ({"normals": np.zeros((29, 3))}, "normals must have shape"),
        ({"color": (1, 1, 2, 1)}, "color must be"),
    ],
)
def test_wrong_values_are_named(change, said):
    with pytest.raises(ParameterError, match=said) as caught:
        replace(make_character(), **change)
    assert isinstance(caught.value, ReenactError)


def test_arrays_are_read_only_and_typed():
    character = make_character()
    assert character.vertices.dtype == np.float32
    assert character.faces.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        character.vertices[0] = 0


def test_the_rest_pose_leaves_the_mesh_where_it_is():
    character = make_character()
    for world in (character.rest_world(), character.bind_world()):
        assert np.abs(character.skinned(world)[0] - character.vertices).max() < 1e-5


@given(st.integers(0, 1000), st.integers(1, 6), st.integers(1, 5))
def test_skinning_is_the_weighted_sum_over_joints(seed, joints, influences):
    character = make_character(seed, joints, 20, influences)
    rng = np.random.default_rng(seed + 1)
    world = World(rng.normal(size=(3, joints, 3)), rotations.normalize(rng.normal(size=(3, joints, 4))))
    found = character.skinned(world)
    assert found.shape == (3, 20, 3)
    assert found.dtype == np.float32
    for frame in range(3):
        for vertex in range(20):
            expected = np.zeros(3)
            for joint, weight in zip(character.weight_joints[vertex], character.weights[vertex], strict=True):
                local = character.inverse_binds[joint] @ np.append(character.vertices[vertex], 1.0)
                expected += weight * (
                    world.positions[frame, joint] + rotations.rotate(world.rotations[frame, joint], local[:3])
                )
            assert np.abs(found[frame, vertex] - expected).max() < 2e-5


def test_a_moved_body_moves_every_vertex_alike():
    character = make_character()
    rest = character.rest_world()
    turn = rotations.from_axis_angle([0.0, 1.0, 0.0], 1.0)
    moved = World(rotations.rotate(turn, rest.positions) + (1, 2, 3), rotations.multiply(turn, rest.rotations))
    expected = rotations.rotate(turn, character.vertices.astype(np.float64)) + (1, 2, 3)
    assert np.abs(character.skinned(moved)[0] - expected).max() < 1e-5


def test_a_pose_of_another_skeleton_is_refused():
    with pytest.raises(ParameterError, match="4 joints, the character 5"):
        make_character().skinned(make_character(joints=4).rest_world())


def test_a_bare_rig_has_no_vertices():
    character = make_character()
    empty = replace(
        character,
        vertices=np.zeros((0, 3)),
        faces=np.zeros((0, 3)),
        weight_joints=np.zeros((0, 1)),
        weights=np.zeros((0, 1)),
    )
    assert empty.skinned(empty.rest_world()).shape == (1, 0, 3)
