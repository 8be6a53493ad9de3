"""Mirroring: positions are reflections of the opposite joints, twice is the original, on skeletons of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reenact
from reenact.core.clip import Clip, JointTranslations
from reenact.core.heading import headings, wrap
from reenact.core.mirror import MirrorParameters, measure_mirror, mirror
from reenact.core.mirror_map import find_mirror_map, find_partners
from reenact.core.placement import placement_of
from reenact.core.role_finding import assign_roles
from reenact.core.rotations import angle_between, conjugate, from_axis_angle, mean, multiply, normalize, rotate
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.loading import load_all

NAMES = (
    "Hips",
    "LeftUpLeg",
    "LeftLeg",
    "LeftFoot",
    "RightUpLeg",
    "RightLeg",
    "RightFoot",
    "Spine",
    "Head",
    "LeftArm",
    "LeftForeArm",
)
NAMES += ("LeftHand", "LeftThumb", "RightArm", "RightForeArm", "RightHand", "RightThumb")
PARENTS = np.array([-1, 0, 1, 2, 0, 4, 5, 0, 7, 7, 9, 10, 11, 7, 13, 14, 15])
OFFSETS = np.array(
    [
        *([0, 1, 0], [0.1, -0.05, 0.01], [0, -0.4, 0], [0.01, -0.4, -0.02], [-0.1, -0.05, 0.01], [0, -0.4, 0], [-0.01, -0.4, -0.02]),
        *([0, 0.3, -0.02], [0, 0.3, 0.02], [0.2, 0.2, 0], [0.28, 0, 0], [0.25, 0, 0], [0.02, 0, 0.05]),
        *([-0.2, 0.2, 0], [-0.28, 0, 0], [-0.25, 0, 0], [-0.02, 0, 0.05]),
    ]
)  # fmt: skip


def body(offsets: np.ndarray = OFFSETS) -> Skeleton:
    return assign_roles(Skeleton(NAMES, PARENTS, offsets))[0]


def dance(seed: int, skeleton: Skeleton, frames: int = 40) -> Clip:
    rng = np.random.default_rng(seed)
    pace, start = rng.uniform(0.5, 2, (len(skeleton), 3)), rng.uniform(0, 6, (len(skeleton), 3))
    angles = 0.5 * np.sin(np.linspace(0, 6, frames)[:, None, None] * pace + start)
    rotations = from_axis_angle(angles, np.linalg.norm(angles, axis=2))
    return Clip(skeleton, rotations, np.cumsum(rng.normal(0, 0.02, (frames, 3)), axis=0), 30.0, "dance")


def reframe(clip: Clip, turns: np.ndarray) -> Clip:
    """The same motion with each joint's frame turned by a fixed rotation: bones then lie along other axes of their frames."""
    skeleton = clip.skeleton
    before = turns[skeleton.parents]
    before[0] = (1, 0, 0, 0)
    offsets = rotate(conjugate(before), skeleton.offsets)
    local = multiply(multiply(conjugate(before), clip.rotations.astype(float)), turns)
    return replace(
        clip,
        skeleton=replace(skeleton, offsets=offsets, rest=np.tile([1.0, 0, 0, 0], (len(skeleton), 1))),
        rotations=local,
    )


def assert_mirrored(clip: Clip, tolerance: float = 1e-5) -> None:
    partners, _ = find_partners(clip.skeleton)
    wanted = clip.world(np.float64).positions[:, partners] * (-1, 1, 1)
    assert np.abs(mirror(clip).world(np.float64).positions - wanted).max() < tolerance


@given(st.integers(0, 10_000))
def test_joints_go_where_their_partners_images_are(seed: int) -> None:
    assert_mirrored(dance(seed, body()))


@given(st.integers(0, 10_000), st.sampled_from(["world", "start"]))
def test_twice_is_the_original(seed: int, place: str) -> None:
    clip = dance(seed, body())
    again = mirror(mirror(clip, MirrorParameters(place)), MirrorParameters(place))  # type: ignore[arg-type]
    assert angle_between(again.rotations.astype(float), clip.rotations.astype(float)).max() < 1e-3
    assert np.abs(again.root - clip.root).max() < 1e-5


def test_partners() -> None:
    partners, kept = find_partners(body())
    for a, b in (
        ("Hips", "Hips"),
        ("LeftFoot", "RightFoot"),
        ("Head", "Head"),
        ("LeftThumb", "RightThumb"),
        ("RightArm", "LeftArm"),
    ):
        assert partners[NAMES.index(a)] == NAMES.index(b)
    assert not kept.any()


def test_partners_without_names_come_from_roles_and_the_tree() -> None:
    skeleton = body()
    bare = replace(skeleton, names=tuple(f"j{n}" for n in range(len(skeleton))))
    assert np.array_equal(find_partners(bare)[0], find_partners(skeleton)[0])


def test_a_joint_of_one_side_alone_is_kept() -> None:
    names, parents, offsets = (*NAMES, "LeftSword"), np.append(PARENTS, 11), np.vstack([OFFSETS, [[0.1, 0, 0]]])
    clip = dance(3, assign_roles(Skeleton(names, parents, offsets))[0])
    assert measure_mirror(clip).kept == ("LeftSword",)
    assert np.allclose(mirror(clip).rotations[:, -1], clip.rotations[:, -1], atol=1e-6)
    assert measure_mirror(clip).error < 1e-5


def test_nothing_to_mirror() -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)))
    with pytest.raises(SkeletonError, match="no joint has a mirror image"):
        mirror(Clip(skeleton, np.tile([1.0, 0, 0, 0], (3, 2, 1)), np.zeros((3, 3)), 30.0))
    with pytest.raises(ParameterError, match="place must be one of world, start"):
        MirrorParameters("here")  # type: ignore[arg-type]


def test_start_keeps_place_and_heading_of_the_first_frame() -> None:
    clip = dance(5, body())
    mirrored = mirror(clip, MirrorParameters("start"))
    assert np.allclose(placement_of(mirrored).position, placement_of(clip).position, atol=1e-5)
    assert np.isclose(placement_of(mirrored).heading, placement_of(clip).heading, atol=1e-5)
    turns, mirrored_turns = headings(clip), headings(mirrored)
    assert np.allclose(mirrored_turns - mirrored_turns[0], -(turns - turns[0]), atol=1e-4)


def test_headings_change_sign() -> None:
    clip = dance(6, body())
    assert np.abs(wrap(headings(mirror(clip)) + headings(clip))).max() < 1e-5


def test_unequal_bones_are_reported() -> None:
    offsets = OFFSETS.copy()
    offsets[NAMES.index("LeftHand")] *= 1.2  # 5 cm longer
    report = measure_mirror(dance(7, body(offsets)))
    assert 0.045 < report.error < 0.055
    assert 0 < report.typical < report.error


def test_a_turned_rest_pose_is_as_good() -> None:
    """Rest rotations that give every joint its own frame: frames are then compared in the rest pose."""
    clip = dance(8, body())
    rng = np.random.default_rng(0)
    turns = normalize(rng.normal(size=(len(NAMES), 4)))
    framed = reframe(clip, turns)
    before = turns[PARENTS]
    before[0] = (1, 0, 0, 0)
    framed = replace(framed, skeleton=replace(framed.skeleton, rest=multiply(conjugate(before), turns)))
    assert np.abs(framed.world().positions - clip.world().positions).max() < 1e-5
    assert find_mirror_map(framed).basis == "rest"
    assert_mirrored(framed)
    assert np.abs(mirror(framed).world().positions - mirror(clip).world().positions).max() < 1e-5


def test_bones_along_x_without_a_rest_pose() -> None:
    """As in recordings whose rest pose is a line: left limbs along +X, right limbs along -X of their own frames."""
    clip = dance(9, body(), frames=400)
    turns = np.tile([1.0, 0, 0, 0], (len(NAMES), 1))
    down, up = from_axis_angle([0, 0, 1.0], -np.pi / 2), from_axis_angle([0, 0, 1.0], np.pi / 2)
    for j, name in enumerate(NAMES):
        if "Leg" in name or "Foot" in name:
            turns[j] = down if "Left" in name else up
        elif name in ("Hips", "Spine", "Head"):
            turns[j] = up
    framed = reframe(clip, turns)
    assert find_mirror_map(framed).basis == "motion"
    assert_mirrored(framed)
    assert np.abs(mirror(mirror(framed)).world().positions - clip.world().positions).max() < 1e-5
    tidy = multiply(mirror(framed).world(np.float64).rotations, conjugate(turns))
    assert (
        angle_between(tidy, mirror(clip).world(np.float64).rotations).max() < 1e-3
    )  # orientations too, not only positions


def test_translations_are_mirrored() -> None:
    clip = dance(10, body())
    joints = np.array([NAMES.index("LeftUpLeg"), NAMES.index("Spine")])
    values = OFFSETS[joints] + np.random.default_rng(1).normal(0, 0.02, (len(clip), 2, 3))
    moving = replace(clip, translations=JointTranslations(joints, values))
    mirrored = mirror(moving)
    assert mirrored.translations is not None
    assert mirrored.translations.joints.tolist() == sorted([NAMES.index("RightUpLeg"), NAMES.index("Spine")])
    assert_mirrored(moving)
    assert np.abs(mirror(mirrored).translations.values - moving.translations.values).max() < 1e-6  # type: ignore[union-attr]


# real recordings


def clips(corpus: Path) -> Iterator[Clip]:
    others = [
        *corpus.glob("bvh-other/*.bvh"),
        *corpus.glob("characters/makehuman/*.bvh"),
        *corpus.glob("noncommercial/*/*.bvh"),
    ]
    for path in (
        *sorted(others),
        *sorted(corpus.glob("cmu-bvh/*.bvh"))[::7],
        *sorted(corpus.glob("*asfamc/*.amc"))[::4],
    ):
        if path.name != "rotation_first_root.bvh":
            clip = reenact.load(path)
            yield clip.with_skeleton(assign_roles(clip.skeleton)[0])


SYMMETRIC = (
    "AV_8Walk",
    "Boxing",
    "aitviewer",
    "bvh_example",
    "custom_skeleton",
    "fair1",
    "dataset-",
    "test2",
    "tpose",
    "walk1",
    "jesse",
)


@pytest.mark.corpus
def test_recordings(corpus: Path) -> None:
    exact = 0
    for clip in clips(corpus):
        report, mirrored = measure_mirror(clip), mirror(clip)
        again = mirror(mirrored)
        assert np.abs(again.world().positions - clip.world().positions).max() < 1e-4, clip
        assert angle_between(again.rotations.astype(float), clip.rotations.astype(float)).max() < 2e-3, clip
        assert not report.kept, clip
        assert report.error < 0.12, clip  # people are not symmetric: up to 10 cm from hip to fingertip
        assert report.typical < 0.05, clip
        if clip.name.startswith(SYMMETRIC):
            assert report.error < 1e-3, clip
            exact += 1
    assert exact > 45


@pytest.mark.corpus
def test_frames_of_bones_along_x_are_told_alike_in_every_clip(corpus: Path) -> None:
    """One skeleton, forty motions (waves with one hand among them): the relation of left and right frames must not depend on them."""
    found = []
    for path in sorted(corpus.glob("noncommercial/bandai-namco/*.bvh")):
        clip = reenact.load(path)
        found.append(find_mirror_map(clip.with_skeleton(assign_roles(clip.skeleton)[0])).reflections)
    usual = np.median(found, axis=0)
    differing = np.abs(np.array(found) - usual).max(axis=(2, 3)) > 0.1
    assert differing.mean() < 0.005
    for name in (
        "UpperArm_L",
        "Hand_R",
        "UpperLeg_L",
        "Foot_R",
    ):  # frames of the two sides are images of each other in a point
        joint = reenact.load(next(corpus.glob("noncommercial/bandai-namco/*.bvh"))).skeleton.joint(name)
        assert np.allclose(usual[joint], -np.eye(3), atol=1e-6)


@pytest.mark.corpus
def test_mirrored_local_rotations_look_like_those_of_a_person(corpus: Path) -> None:
    """A knee bends about the same axis before and after: the mean local rotation of no leg joint turns over."""
    clip = reenact.load(corpus / "noncommercial/bandai-namco/dataset-1_walk_normal_001.bvh")
    clip = clip.with_skeleton(assign_roles(clip.skeleton)[0])
    mirrored = mirror(clip)
    for role in (
        "left_lower_leg",
        "right_lower_leg",
        "left_foot",
        "right_foot",
        "left_lower_arm",
        "right_lower_arm",
        "chest",
        "neck",
    ):
        joint = clip.skeleton.joint(role)
        means = [mean(one.rotations[:, joint].astype(float)) for one in (clip, mirrored)]
        assert angle_between(*means) < np.radians(25), role


@pytest.mark.corpus
def test_characters(corpus: Path) -> None:
    """Frames of every kind: a stylised knight, a robot drawn in an unequal rest pose, animals."""
    exact = {"kaykit/Knight.glb": 1e-4, "khronos/CesiumMan.glb": 1e-4, "khronos/RiggedFigure.glb": 1e-4}
    exact |= {"mesh2motion/fox-animations.glb": 1e-4, "khronos/Fox.glb": 0.1, "threejs/RobotExpressive.glb": 0.25}
    for file, tolerance in exact.items():
        for clip in load_all(corpus / "characters" / file).clips[:4]:
            size = float(np.ptp(clip.world().positions, axis=(0, 1)).max())
            again = mirror(mirror(clip))
            assert np.abs(again.world().positions - clip.world().positions).max() < 1e-5 * max(size, 1), clip
            assert measure_mirror(clip).error < tolerance, clip
