"""Skeletons and weights for meshes that have none: what cannot be rigged, landmarks, given skeletons, weights."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from reenact.body.auto_weights import find_weights
from reenact.body.character import Character, rest_world
from reenact.body.fitting import scale_into
from reenact.body.humanoid import HumanoidParameters, humanoid
from reenact.body.landmarks import find_landmarks
from reenact.body.rigging import RigParameters, rig
from reenact.body.skinning import skin
from reenact.body.solid import fill
from reenact.core import rotations
from reenact.core.clip import Clip
from reenact.core.role_finding import ESSENTIAL
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError


@cache
def person(preset: str = "adult", **more: float) -> Character:
    return humanoid(HumanoidParameters(preset=preset, **more))  # type: ignore[arg-type]


def plain(body: Character, keep: np.ndarray | None = None, turn: float = 0.0) -> Character:
    """The mesh of a character alone, on one joint."""
    vertices = rotations.rotate(
        rotations.from_axis_angle(np.array([0, 1.0, 0]), turn), body.vertices.astype(np.float64)
    )
    return mesh_of(vertices, body.faces if keep is None else body.faces[keep])


def mesh_of(vertices: np.ndarray, faces: np.ndarray) -> Character:
    single = Skeleton(("root",), np.array([-1]), np.zeros((1, 3)))
    count = len(vertices)
    return Character(single, vertices, faces, np.zeros((count, 1)), np.ones((count, 1)), np.eye(4)[None], name="mesh")


def box(low: tuple[float, float, float], high: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * np.subtract(high, low) + low
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([part for a, b, c, d in quads for part in ((a, b, c), (a, c, d))])


def boxes(*spans: tuple[tuple[float, float, float], tuple[float, float, float]]) -> Character:
    parts = [box(*span) for span in spans]
    faces = [part[1] + 8 * number for number, part in enumerate(parts)]
    return mesh_of(np.vstack([part[0] for part in parts]), np.vstack(faces))


def chair() -> Character:
    legs = [((x, 0, z), (x + 0.05, 0.5, z + 0.05)) for x in (0, 0.4) for z in (0, 0.4)]
    return boxes(*legs, ((0, 0.45, 0), (0.45, 0.5, 0.45)), ((0, 0.5, 0), (0.45, 1.0, 0.05)))


def follows(body: Character, *roles: str) -> np.ndarray:
    """(T,) faces that follow these parts and what is below them."""
    joints = [joint for role in roles for joint in body.skeleton.subtree(body.skeleton.roles[role])]
    strongest = body.weight_joints[np.arange(len(body.weights)), body.weights.argmax(axis=1)]
    return np.isin(strongest[body.faces[:, 0]], joints)


def misses(places: dict[str, np.ndarray], body: Character, turn: float = 0.0) -> dict[str, float]:
    """How far landmarks are from the joints of a person, in body heights."""
    true = rotations.rotate(rotations.from_axis_angle(np.array([0, 1.0, 0]), turn), body.bind_world().positions[0])
    height = np.ptp(body.vertices[:, 1])
    return {
        role: float(np.linalg.norm(true[joint] - places[role]) / height)
        for role, joint in body.skeleton.roles.items()
        if role in places
    }


def test_a_chair_is_no_person_and_the_message_says_why():
    with pytest.raises(SkeletonError, match=r"stands on 4 legs.*give a skeleton"):
        rig(chair())


def test_a_block_is_no_person():
    with pytest.raises(SkeletonError, match="the left arm, the right arm, two legs that are apart could not be found"):
        rig(boxes(((0, 0, 0), (0.5, 1.7, 0.3))))


def test_something_that_lies_is_no_person():
    with pytest.raises(SkeletonError, match="times as deep as it is high"):
        rig(boxes(((0, 0, 0), (0.3, 0.3, 1.7))))


def test_two_heads_are_refused():
    body = person()
    head = follows(body, "head")
    part = body.faces[head]
    moved = body.vertices.astype(np.float64)
    both = [(moved + (out, 0.02, 0), part) for out in (-0.17, 0.17)]
    vertices = np.vstack([moved, *(one[0] for one in both)])
    faces = np.vstack([body.faces[~head], *(one[1] + len(moved) * (n + 1) for n, one in enumerate(both))])
    with pytest.raises(SkeletonError, match="2 heads"):
        rig(mesh_of(vertices, faces))


def test_without_faces_and_with_weights_of_its_own():
    with pytest.raises(ParameterError, match="no faces"):
        rig(mesh_of(np.zeros((3, 3)), np.zeros((0, 3), int)))
    with pytest.raises(ParameterError, match="22 joints and weights already"):
        rig(person())


def test_a_skeleton_elsewhere_is_refused_as_it_lies():
    far = person().skeleton
    far = replace(far, offsets=far.offsets + np.eye(len(far), 1) * (100.0, 0, 0))
    with pytest.raises(SkeletonError, match="no bone of the skeleton lies in the mesh"):
        rig(plain(person()), far, RigParameters(fit=False))


@pytest.mark.parametrize("preset", ["adult", "woman", "child", "heavy", "chibi"])
def test_joints_are_found_in_people_of_all_proportions(preset):
    body = person(preset)
    made = rig(plain(body))
    assert not made.findings
    off = misses(
        dict(zip(made.character.skeleton.names, made.character.rest_world().positions[0], strict=True))
        | {
            role: made.character.rest_world().positions[0, joint]
            for role, joint in made.character.skeleton.roles.items()
        },
        body,
    )
    assert np.mean(list(off.values())) < 0.035
    assert max(off.values()) < 0.075
    assert made.character.skeleton.has_roles(*ESSENTIAL)


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_people_are_found_whichever_way_they_face(degrees):
    body, turn = person(), float(np.radians(degrees))
    mesh = plain(body, turn=turn)
    found = find_landmarks(fill(mesh.vertices, mesh.faces, 80))
    np.testing.assert_allclose(
        found.forward,
        rotations.rotate(rotations.from_axis_angle(np.array([0, 1.0, 0]), turn), np.array([0, 0, 1.0])),
        atol=1e-9,
    )
    assert max(misses(found.places, body, turn).values()) < 0.06


def test_holes_and_loose_pieces_do_not_matter():
    body = person()
    rng = np.random.default_rng(3)
    middles = body.vertices[body.faces].mean(axis=1)
    high = body.vertices[:, 1].max()
    tattered = (
        (rng.random(len(body.faces)) > 0.08) & (np.abs(middles[:, 1] - 0.84 * high) > 0.01) & (middles[:, 1] > 0.01)
    )
    soup = body.faces[tattered]
    vertices = body.vertices[soup].reshape(-1, 3)  # no face is connected to another
    for method in ("heat", "voxel"):
        made = rig(mesh_of(vertices, np.arange(len(vertices)).reshape(-1, 3)), None, RigParameters(method=method))
        rest = made.character.rest_world().positions[0]
        off = misses({role: rest[joint] for role, joint in made.character.skeleton.roles.items()}, body)
        assert np.mean(list(off.values())) < 0.03
        assert not made.report["without_skin"]
        assert follows(made.character, "left_foot").any()


def test_a_missing_arm_is_told_and_the_rest_is_rigged():
    body = person()
    made = rig(plain(body, ~follows(body, "left_upper_arm")))
    (told,) = made.findings
    assert "the left arm could not be found" in told.message
    assert {"LeftForeArm", "LeftHand"} <= set(made.report["without_skin"])
    rest = made.character.rest_world().positions[0]
    off = misses({role: rest[joint] for role, joint in made.character.skeleton.roles.items()}, body)
    assert np.mean(list(off.values())) < 0.035
    for part in ("left_foot", "right_hand", "head"):
        assert follows(made.character, part).any()


def test_without_feet_the_legs_end_where_they_do():
    body = person()
    made = rig(plain(body, ~follows(body, "left_foot", "right_foot")))
    rest = made.character.rest_world().positions[0]
    off = misses({role: rest[joint] for role, joint in made.character.skeleton.roles.items()}, body)
    assert np.mean(list(off.values())) < 0.035


def wild(skeleton: Skeleton, frames: int = 12) -> Clip:
    """Every joint turned by some 15 degrees."""
    turns = np.random.default_rng(5).normal(scale=0.25, size=(frames, len(skeleton), 3))
    local = rotations.multiply(np.tile(skeleton.rest, (frames, 1, 1)), rotations.exp(turns))
    return Clip(skeleton, local.astype(np.float32), np.tile(skeleton.offsets[:1], (frames, 1)).astype(np.float32), 30.0)


@pytest.mark.parametrize("method", ["heat", "voxel"])
def test_weights_move_the_skin_as_those_it_was_made_with(method):
    """On its own joints a person moves within a few per cent of its height of what its own weights do."""
    body = person()
    made = rig(body, None, RigParameters(method=method, again=True))
    assert made.report["skeleton"] == "its own"
    clip = wild(body.skeleton)
    off = np.linalg.norm(
        skin(body, clip).vertices - skin(made.character, clip.with_skeleton(made.character.skeleton)).vertices, axis=2
    )
    assert off.mean() < 0.006 * np.ptp(body.vertices[:, 1])
    assert np.quantile(off, 0.95) < 0.025 * np.ptp(body.vertices[:, 1])
    np.testing.assert_allclose(made.character.weights.sum(axis=1), 1, atol=1e-5)
    assert (made.character.weights > 0).sum(axis=1).max() <= 4


def test_arms_do_not_follow_the_trunk_beside_them():
    """Two rods a finger apart: each follows its own bone, though the other's is nearer through the air."""
    rods = boxes(((-0.3, 0, 0), (0, 2, 0.3)), ((0.04, 0, 0), (0.1, 2, 0.06)), ((-0.3, 2, 0), (0.1, 2.1, 0.06)))
    skeleton = Skeleton(
        ("top", "thick", "thick_end", "thin", "thin_end"),
        np.array([-1, 0, 1, 0, 3]),
        np.array([[-0.1, 2.05, 0.03], [-0.05, -0.2, 0.1], [0, -1.8, 0], [0.17, -0.2, 0], [0, -1.8, 0]]),
    )
    solid = fill(rods.vertices, rods.faces, 120)
    for method in ("heat", "voxel"):
        found = find_weights(rods.vertices, rods.faces, skeleton, solid, method)
        own = found.joints[np.arange(len(rods.vertices)), found.weights.argmax(axis=1)]
        low = rods.vertices[:, 1] < 0.1
        assert set(own[low & (rods.vertices[:, 0] > 0.02)]) <= {3, 4}
        assert set(own[low & (rods.vertices[:, 0] < 0.01)]) <= {1, 2}


def test_a_given_skeleton_of_a_person_is_laid_on_the_joints():
    """Other proportions, other axes, twist joints and fingers: joints land where the mesh has them, and nothing is lost."""
    body, other = person(), person("child")
    bones = other.skeleton
    hand = bones.roles["left_hand"]
    forearm = bones.roles["left_lower_arm"]
    names = (*bones.names, "LeftTwist", "LeftFinger")
    twisted = Skeleton(
        names,
        np.append(bones.parents, [forearm, hand]),
        np.vstack([bones.offsets, 0.5 * bones.offsets[hand], [0.06, -0.04, 0.0]]),
        np.vstack([bones.rest, np.tile([1.0, 0, 0, 0], (2, 1))]),
        roles=bones.roles,
    )
    made = rig(plain(body), twisted)
    assert made.report["skeleton"] == "laid on the joints found in the shape of the mesh"
    assert made.character.skeleton.names == names
    rest = rest_world(made.character.skeleton).positions[0]
    off = misses({role: rest[joint] for role, joint in bones.roles.items()}, body)
    assert max(off.values()) < 0.06
    fingers = np.linalg.norm(rest[-1] - rest[hand]) / np.ptp(body.vertices[:, 1])
    assert 0.05 < fingers < 0.14  # the farthest thing on a hand goes to the tip of the fingers
    np.testing.assert_allclose(skin(made.character, made.character.rest_world()).vertices[0], body.vertices, atol=1e-4)


def test_a_skeleton_that_lies_in_the_mesh_is_taken_as_it_is():
    body = person()
    made = rig(plain(body), body)
    assert made.report["skeleton"] == "as it lies in the mesh"
    np.testing.assert_allclose(made.character.rest_world().positions, body.bind_world().positions, atol=1e-9)


def test_a_chair_takes_a_skeleton_of_its_own():
    ends = {"end_joints": np.array([1]), "end_offsets": np.array([[0, 0.45, 0]])}
    bones = Skeleton(("seat", "back"), np.array([-1, 0]), np.array([[0.22, 0.47, 0.4], [0, 0.03, -0.37]]), **ends)
    made = rig(chair(), bones)
    assert not made.findings
    own = made.character.weight_joints[np.arange(48), made.character.weights.argmax(axis=1)]
    high, low = made.character.vertices[:, 1] > 0.6, made.character.vertices[:, 1] < 0.1
    assert set(own[high]) == {1}
    assert (own[low] == 0).sum() >= 8


def test_a_skeleton_of_another_size_and_place_is_scaled_as_a_whole():
    body = person()
    bones = body.skeleton.scaled(7.0)
    moved = replace(bones, offsets=bones.offsets + np.eye(len(bones), 1) * (30.0, 4.0, 2.0))
    laid = rest_world(scale_into(moved, fill(body.vertices, body.faces, 80)))
    off = np.linalg.norm(laid.positions[0] - rest_world(body.skeleton).positions[0], axis=1)
    assert off.max() < 0.1 * np.ptp(body.vertices[:, 1])


def test_what_could_not_be_laid_in_is_told():
    ends = {"end_joints": np.array([1]), "end_offsets": np.array([[0, 5.0, 0]])}
    bones = Skeleton(("low", "high"), np.array([-1, 0]), np.array([[20.0, 4.7, 4.0], [0, 5.0, 0]]), **ends)
    made = rig(boxes(((0, 0, 0), (0.2, 1.0, 0.2))), bones)
    assert [finding.code for finding in made.findings] == ["rig.scaled"]
    low = made.character.vertices[:, 1] < 0.5
    own = made.character.weight_joints[np.arange(8), made.character.weights.argmax(axis=1)]
    assert (own == np.where(low, 0, 1)).all()


@pytest.mark.parametrize(
    "name", ["mesh2motion/human-male.glb", "khronos/CesiumMan.glb", "makehuman/base.obj", "khronos/RiggedFigure.glb"]
)
def test_weights_of_modellers_are_met(corpus, name):
    """On the bones of real characters the skin goes within 1 % of the height (mean) of where the modeller's weights take it."""
    from reenact.loading import load_all

    body = max(load_all(corpus / "characters" / name).characters, key=lambda one: len(one.vertices))
    made = rig(body, None, RigParameters(again=True)).character
    clip = wild(made.skeleton)
    off = np.linalg.norm(skin(body, clip.world()).vertices - skin(made, clip.world()).vertices, axis=2)
    assert off.mean() < 0.01 * np.ptp(body.vertices[:, 1])
