"""Soles from the skin: feet that are missing or odd first, then shoes whose sole is known, then real characters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.body.sole_profile import sole_profile
from reenact.body.soles import Sole, soles
from reenact.core import rotations
from reenact.core.clip import World
from reenact.core.skeleton import Skeleton
from reenact.loading import load_all

HEEL, TIP, HALF = -0.08, 0.2, 0.05  # metres from the ankle; of a box shoe
ANKLE = 0.1
_ROLES = (
    "hips",
    *(f"{side}_{part}" for part in ("upper_leg", "lower_leg", "foot", "toes") for side in ("left", "right")),
)


def legs_skeleton(toes: bool = True) -> Skeleton:
    """Hips, and two legs that stand with the soles at height 0."""
    rows = [("hips", "", (0, 0.95, 0))]
    for side, x in (("left", 0.1), ("right", -0.1)):
        rows += [
            (f"{side}_upper_leg", "hips", (x, 0, 0)),
            (f"{side}_lower_leg", f"{side}_upper_leg", (0, -0.42, 0.01)),
            (f"{side}_foot", f"{side}_lower_leg", (0, ANKLE - 0.53, -0.01)),
        ]
        if toes:
            rows.append((f"{side}_toes", f"{side}_foot", (0, -0.07, 0.11)))
    names = [row[0] for row in rows]
    parents = [names.index(row[1]) if row[1] else -1 for row in rows]
    roles = {name: joint for joint, name in enumerate(names) if name in _ROLES}
    return Skeleton(tuple(names), np.array(parents), np.array([row[2] for row in rows], float), roles=roles)


def box(
    low: tuple[float, float, float], high: tuple[float, float, float], cuts: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """A closed box of quads cut along z, wound counter-clockwise from outside."""
    stations = np.linspace(low[2], high[2], cuts + 1)
    ring = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    points = np.array([(x, y, z) for z in stations for x, y in ring])
    faces = []
    for cut in range(cuts):
        for side in range(4):
            a, b = 4 * cut + side, 4 * cut + (side + 1) % 4
            faces += [(a, b, b + 4), (a, b + 4, a + 4)]
    last = 4 * cuts
    faces += [(0, 3, 2), (0, 2, 1), (last, last + 1, last + 2), (last, last + 2, last + 3)]
    return points, np.array(faces)


def shod(
    skeleton: Skeleton,
    parts: list[tuple[np.ndarray, np.ndarray, str]],
) -> Character:
    """Both feet of a body from parts of the left foot (points from the ankle, faces, the joint without its side)."""
    world = rest_world(skeleton)
    points, faces, joints, start = [], [], [], 0
    for side, mirrored in (("left", 1.0), ("right", -1.0)):
        ankle = world.positions[0, skeleton.roles[f"{side}_foot"]]
        for local, triangles, bone in parts:
            points.append(local * (mirrored, 1, 1) + ankle)
            faces.append((triangles if mirrored > 0 else triangles[:, ::-1]) + start)
            joints += [skeleton.roles[f"{side}_{bone}"]] * len(local)
            start += len(local)
    return Character(
        skeleton,
        np.concatenate(points).astype(np.float32),
        np.concatenate(faces).astype(np.int32),
        np.array(joints, np.int32)[:, None],
        np.ones((len(joints), 1), np.float32),
        rigid_inverse(world.positions[0], world.rotations[0]),
    )


def box_shoe(cuts: int = 8, bottom: float = -ANKLE) -> tuple[np.ndarray, np.ndarray]:
    return box((-HALF, bottom, HEEL), (HALF, bottom + 0.06, TIP), cuts)


def in_bind(character: Character, sole: Sole) -> np.ndarray:
    """(3, 3) heel, ball and toe in mesh space."""
    binds = np.linalg.inv(character.inverse_binds)
    return np.array([binds[p.joint, :3, :3] @ p.place + binds[p.joint, :3, 3] for p in sole.points])


def test_a_character_without_a_mesh_has_no_soles_and_says_so():
    bare = shod(legs_skeleton(), [(*box_shoe(), "foot")])
    bare = replace(
        bare,
        vertices=bare.vertices[:0],
        faces=bare.faces[:0],
        weights=bare.weights[:0],
        weight_joints=bare.weight_joints[:0],
    )
    found = soles(bare)
    assert found.sides == ()
    assert found.level is None
    assert [finding.code for finding in found.findings] == ["soles.missing"] * 2
    assert "has no mesh" in found.findings[0].message


def test_a_skeleton_without_feet_has_no_soles():
    chair = Skeleton(("seat", "back"), np.array([-1, 0]), np.array([[0, 0.5, 0], [0, 0.4, 0.0]]))
    points, faces = box_shoe()
    world = rest_world(chair)
    ones = np.ones((len(points), 1), np.float32)
    inverse = rigid_inverse(world.positions[0], world.rotations[0])
    found = soles(Character(chair, points, faces, np.zeros((len(points), 1), np.int32), ones, inverse))
    assert found.sides == ()
    assert "no joint is known" in found.findings[0].message


def test_skin_that_follows_no_foot_is_told_by_the_name_of_the_joint():
    found = soles(shod(legs_skeleton(), [(*box_shoe(), "lower_leg")]))
    assert found.sides == ()
    assert "'left_foot'" in found.findings[0].message


def test_one_foot_is_found_where_the_other_is_missing():
    whole = shod(legs_skeleton(), [(*box_shoe(), "foot")])
    joints = np.where(whole.vertices[:, :1] > 0, whole.weight_joints, 0)
    found = soles(replace(whole, weight_joints=joints))
    assert found.sides == ("left",)
    assert "right" in found.findings[0].message


def test_faces_wound_the_wrong_way_round_keep_the_sole():
    whole = shod(legs_skeleton(), [(*box_shoe(), "foot")])
    assert soles(replace(whole, faces=whole.faces[:, ::-1]))["left"].level == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("cuts", [1, 3, 12])
@pytest.mark.parametrize("toes", [True, False])
def test_the_sole_of_a_box_is_its_underside_whatever_its_mesh(cuts: int, toes: bool):
    character = shod(legs_skeleton(toes), [(*box_shoe(cuts), "foot")])
    found = soles(character)
    assert found.findings == ()
    for side, x in (("left", 0.1), ("right", -0.1)):
        sole = found[side]
        assert (sole.level, sole.ankle, sole.length) == pytest.approx((0, ANKLE, TIP - HEEL), abs=1e-6)
        heel, ball, toe = in_bind(character, sole)
        assert heel == pytest.approx((x, 0, HEEL), abs=1e-6)
        assert toe == pytest.approx((x, 0, TIP), abs=1e-6)
        assert ball == pytest.approx((x, 0, 0.11 if toes else HEEL + 0.7 * (TIP - HEEL)), abs=1e-6)
        assert sole.ball.joint == character.skeleton.roles[f"{side}_{'toes' if toes else 'foot'}"]
        lowest = np.flatnonzero((character.vertices[:, 1] < 1e-6) & (character.vertices[:, 0] * x > 0))
        assert sorted(sole.vertices) == sorted(lowest)


def test_a_thick_shoe_with_the_foot_still_inside_stands_on_the_shoe():
    bare = box((-0.03, -0.06, -0.05), (0.03, 0.0, 0.15), 6)
    shoe = box_shoe(8, -0.12)
    found = soles(shod(legs_skeleton(), [(*bare, "foot"), (*shoe, "foot")]))
    assert found["left"].ankle == pytest.approx(0.12)
    assert found["left"].level == pytest.approx(ANKLE - 0.12)
    count = len(bare[0])
    assert not np.any(found["left"].vertices < count)


def test_the_front_of_a_foot_may_be_a_part_of_its_own_on_the_toes():
    rear = box((-HALF, -ANKLE, HEEL), (HALF, -0.04, 0.11), 4)
    front = box((-HALF, -ANKLE, 0.11), (HALF, -0.04, TIP), 2)
    sole = soles(shod(legs_skeleton(), [(*rear, "foot"), (*front, "toes")]))["right"]
    assert sole.length == pytest.approx(TIP - HEEL)
    assert sole.how == "skin"


def test_a_foot_that_hangs_in_the_bind_pose_keeps_its_sole_and_tells_the_tilt():
    pitch = rotations.exp(np.array([0.5, 0, 0]))
    points, faces = box_shoe()
    character = shod(legs_skeleton(), [(rotations.rotate(pitch, points), faces, "foot")])
    sole = soles(character)["left"]
    assert sole.tilt == pytest.approx(-0.5, abs=0.01)
    assert sole.ankle == pytest.approx(ANKLE, abs=1e-3)


@pytest.mark.parametrize("turn", [0.6, -0.4])
def test_feet_that_point_outwards_are_measured_along_the_foot(turn: float):
    spin = rotations.exp(np.array([0, turn, 0]))
    skeleton = legs_skeleton()
    offsets = skeleton.offsets.copy()
    for side, sign in (("left", 1), ("right", -1)):
        toes = skeleton.roles[f"{side}_toes"]
        offsets[toes] = rotations.rotate(rotations.exp(np.array([0, sign * turn, 0])), offsets[toes])
    points, faces = box_shoe()
    character = shod(replace(skeleton, offsets=offsets), [(rotations.rotate(spin, points), faces, "foot")])
    for side in ("left", "right"):
        assert soles(character)[side].length == pytest.approx(TIP - HEEL, abs=1e-5)
        assert soles(character)[side].width == pytest.approx(2 * HALF, abs=1e-5)


def test_scale_and_turn_of_the_body_change_no_share():
    character = shod(legs_skeleton(), [(*box_shoe(), "foot")])
    small = soles(character)["left"]
    spin = rotations.exp(np.array([0, 1.1, 0]))
    skeleton = replace(character.skeleton.scaled(2), rest=np.vstack([spin, character.skeleton.rest[1:]]))
    world = rest_world(skeleton)
    turned = rotations.rotate(spin, 2 * character.vertices.astype(float)).astype(np.float32)
    inverse = rigid_inverse(world.positions[0], world.rotations[0])
    large = soles(replace(character, skeleton=skeleton, vertices=turned, inverse_binds=inverse))["left"]
    assert large.length == pytest.approx(2 * small.length, rel=1e-5)
    assert large.heel.place == pytest.approx(2 * small.heel.place, abs=1e-5)


def test_the_points_ride_on_the_skin_in_any_pose():
    character = shod(legs_skeleton(), [(*box_shoe(), "foot")])
    bind = character.bind_world()
    turn = rotations.exp(np.array([0.3, 0.8, -0.2]))
    pose = World(rotations.rotate(turn, bind.positions) + (1.0, 2.0, 3.0), rotations.multiply(turn, bind.rotations))
    sole = soles(character)["left"]
    heel = pose.point(sole.heel.joint, sole.heel.place)[0]
    skin = character.skinned(pose)[0, sole.vertices]
    assert np.min(np.linalg.norm(skin - heel, axis=1)) == pytest.approx(HALF, abs=1e-5)


def test_no_point_and_one_point_have_no_profile():
    assert sole_profile(np.zeros((0, 2))) is None
    assert sole_profile(np.ones((5, 2))) is None


@pytest.mark.parametrize("name", ["kaykit/Knight.glb", "khronos/CesiumMan.glb", "mesh2motion/human-male.glb"])
def test_real_characters_stand_with_both_soles_on_the_floor(corpus, name: str):
    character = load_all(corpus / "characters" / name).characters[0]
    found = soles(character)
    assert found.findings == ()
    for side in found.sides:
        heel, ball, toe = in_bind(character, found[side])
        assert np.abs([heel[1], ball[1], toe[1]]).max() < 0.012
        assert heel[2] < ball[2] < toe[2]
        assert 0 < found[side].ankle < 0.2
    left, right = (in_bind(character, found[side]) for side in ("left", "right"))
    assert np.abs(left * (-1, 1, 1) - right).max() < 2e-3
