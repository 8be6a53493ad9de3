"""Bodies of another size: what cannot be scaled, segments one by one, meshes that follow or are kept, motions."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from reenact.body.character import Character, rest_world
from reenact.body.humanoid import humanoid
from reenact.body.scaling import (
    SEGMENTS,
    ScaleParameters,
    scale_character,
    scale_clip,
    scale_skeleton,
    skeleton_height,
)
from reenact.body.skinning import skin
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.samples import make_sample

CHANGED = {
    "shoulders": ("Shoulder", "Arm"),
    "upper_arm": ("Arm", "ForeArm"),
    "forearm": ("ForeArm", "Hand"),
    "thigh": ("UpLeg", "Leg"),
    "shank": ("Leg", "Foot"),
}


@cache
def person() -> Character:
    return humanoid()


def bones(skeleton: Skeleton) -> dict[str, float]:
    return dict(zip(skeleton.names, np.linalg.norm(skeleton.offsets, axis=1), strict=True))


def test_wrong_sizes_and_unknown_segments_are_refused():
    with pytest.raises(ParameterError, match="height"):
        ScaleParameters(height=-1)
    with pytest.raises(ParameterError, match="give one of them"):
        ScaleParameters(height=1.8, factor=2)
    with pytest.raises(ParameterError, match="tail"):
        scale_skeleton(person().skeleton, tail=2)
    chain = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1.0, 0]]))
    for change in ({"thigh": 2.0}, {"height": 1.8}):
        with pytest.raises(SkeletonError, match="needs the roles"):
            scale_skeleton(chain, **change)
    np.testing.assert_allclose(scale_skeleton(chain, factor=3.0).offsets, 3 * chain.offsets)


@pytest.mark.parametrize("segment", list(CHANGED))
def test_a_limb_changes_its_own_bones_alone(segment):
    before = person().skeleton
    after = scale_skeleton(before, **{segment: 1.5})
    near, far = CHANGED[segment]
    for name, length in bones(after).items():
        changed = name in (f"Left{far}", f"Right{far}")
        expected = 1.5 if changed else 1.0
        if name != "Hips":  # which is lifted so that the feet stay on the floor
            assert length == pytest.approx(expected * bones(before)[name], rel=1e-9), name
    assert near
    feet = [before.roles["left_foot"], before.roles["right_toes"]]
    low = [rest_world(one).positions[0, feet, 1] for one in (before, after)]
    np.testing.assert_allclose(low[0], low[1], atol=1e-9)


def test_waist_and_back_change_the_trunk_and_carry_the_shoulders():
    before = person().skeleton
    waist, back = scale_skeleton(before, waist=2.0), scale_skeleton(before, back=1.5)
    differ = [name for name, length in bones(waist).items() if length != pytest.approx(bones(before)[name])]
    assert differ == ["Spine"]
    rest = [rest_world(one).positions[0] for one in (before, back)]
    spine, head, arm, hips = (before.roles[role] for role in ("spine", "head", "left_upper_arm", "hips"))
    np.testing.assert_allclose(rest[1][hips], rest[0][hips], atol=1e-9)
    assert rest[1][head, 1] - rest[1][spine, 1] == pytest.approx(1.5 * (rest[0][head, 1] - rest[0][spine, 1]), rel=1e-3)
    assert rest[1][arm, 1] > rest[0][arm, 1] + 0.05
    assert rest[1][arm, 0] == pytest.approx(rest[0][arm, 0], abs=0.01)  # no broader


def test_a_character_is_brought_to_a_height_and_looks_the_same():
    body = person()
    tall = scale_character(body, height=2.1)
    assert np.ptp(tall.vertices[:, 1]) == pytest.approx(2.1, rel=1e-5)
    factor = 2.1 / np.ptp(body.vertices[:, 1])
    world = tall.bind_world()
    np.testing.assert_allclose(world.positions, factor * body.bind_world().positions, atol=1e-6)
    np.testing.assert_allclose(skin(tall, world).vertices[0], tall.vertices, atol=1e-5)


@pytest.mark.parametrize("segment", SEGMENTS)
def test_a_mesh_follows_its_bones_and_is_bound_to_them_again(segment):
    body = person()
    made = scale_character(body, **{segment: 1.4})
    np.testing.assert_allclose(skin(made, made.bind_world()).vertices[0], made.vertices, atol=1e-5)
    assert abs(made.vertices[:, 1].min() - body.vertices[:, 1].min()) < 0.003
    sizes = np.ptp(made.vertices, axis=0) / np.ptp(body.vertices, axis=0)
    if segment in ("thigh", "shank"):
        assert 1.05 < sizes[1] < 1.2
    if segment in ("upper_arm", "forearm", "shoulders"):
        assert sizes[0] > 1.03
        assert sizes[1] == pytest.approx(1, abs=1e-3)
    # no limb gets thicker: the skin around the middle of the shank is as far from its bone as before
    shank = body.skeleton.roles["left_lower_leg"], body.skeleton.roles["left_foot"]
    girths = []
    for one in (body, made):
        a, b = one.bind_world().positions[0, shank]
        way = (one.vertices - a) @ (b - a) / ((b - a) @ (b - a))
        off = np.linalg.norm(one.vertices - (a + way[:, None] * (b - a)), axis=1)
        girths.append(np.median(off[(way > 0.45) & (way < 0.55) & (off < 0.12)]))
    assert girths[1] == pytest.approx(girths[0], rel=0.05)


def test_a_mesh_that_has_its_shape_already_is_kept():
    body = person()
    kept = scale_character(body, thigh=1.3, mesh="kept")
    np.testing.assert_array_equal(kept.vertices, body.vertices)
    np.testing.assert_allclose(skin(kept, kept.bind_world()).vertices[0], body.vertices, atol=1e-5)
    hip, knee = (kept.skeleton.roles[role] for role in ("left_upper_leg", "left_lower_leg"))
    thighs = [
        np.linalg.norm(one.positions[0, knee] - one.positions[0, hip]) for one in (body.bind_world(), kept.bind_world())
    ]
    assert thighs[1] == pytest.approx(1.3 * thighs[0], rel=1e-6)


def test_a_motion_of_another_size_is_similar():
    clip = make_sample("walk_normal").clip
    made = scale_clip(clip, ScaleParameters(factor=1.7))
    world, scaled = clip.world(np.float64), made.clip.world(np.float64)
    np.testing.assert_allclose(scaled.positions, 1.7 * world.positions, atol=1e-5)
    np.testing.assert_array_equal(made.clip.rotations, clip.rotations)
    assert made.report["way"] == 1.7
    tall = scale_clip(clip, ScaleParameters(height=2.0)).clip
    assert skeleton_height(tall.skeleton) == pytest.approx(2.0)


def test_longer_legs_go_farther_and_feet_stay_on_the_floor():
    clip = make_sample("walk_normal").clip
    made = scale_clip(clip, ScaleParameters(thigh=1.25, shank=1.25))
    travelled = [np.linalg.norm(one.root[-1] - one.root[0]) for one in (clip, made.clip)]
    ratio = travelled[1] / travelled[0]
    assert 1.2 < ratio <= 1.25
    feet = [clip.skeleton.roles["left_foot"], clip.skeleton.roles["right_foot"]]
    low = [one.world().positions[:, feet, 1].min(axis=(0, 1)) for one in (clip, made.clip)]
    assert abs(low[1] - low[0]) < 0.02  # ankles keep their height
    plants = make_sample("walk_normal").clip.plants
    assert plants is None or made.plants is plants


def test_materials_morph_targets_and_attachments_come_along(looks):
    body = looks.dressed(person().skeleton)
    made = scale_character(body, factor=2.0, thigh=1.2)
    assert made.materials == body.materials
    assert (len(made.attachments), made.parts) == (len(body.attachments), body.parts)
    plain = scale_character(body, factor=2.0)
    np.testing.assert_allclose(plain.vertices, 2 * body.vertices)
    for one, other in zip(plain.morphs, body.morphs, strict=True):
        np.testing.assert_allclose(one.moves, 2 * other.moves)
    for one, other in zip(plain.attachments, body.attachments, strict=True):
        np.testing.assert_allclose(one.place[:3, 3], 2 * other.place[:3, 3])
