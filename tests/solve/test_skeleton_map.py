"""Motions brought onto skeletons with other joints, other axes and other rest poses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import reenact
from reenact.analysis.plants import detect_plants
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames, leg_length
from reenact.core.skeleton import Skeleton
from reenact.edit.transition import TransitionParameters, make_transition
from reenact.errors import ParameterError, SkeletonError
from reenact.samples import make_sample
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.joint_pushes import joint_accelerations
from reenact.solve.planted_points import measure_slips
from reenact.solve.skeleton_map import MapParameters, map_motion, map_onto, map_with_plants

BONES = [
    (f"{side}_{near}", f"{side}_{far}")
    for side in ("left", "right")
    for near, far in (
        ("upper_arm", "lower_arm"),
        ("lower_arm", "hand"),
        ("upper_leg", "lower_leg"),
        ("lower_leg", "foot"),
    )
]


def with_other_axes(clip: Clip, seed: int = 3, scale: float = 1.0) -> Clip:
    """The same motion of a body whose joints have other axes (each turned at random), so its zero pose is a heap of bones."""
    skeleton, rng = clip.skeleton, np.random.default_rng(seed)
    turns = R.normalize(rng.normal(size=(len(skeleton), 4)))
    above = np.concatenate([R.identity(1), turns[skeleton.parents[1:]]])
    offsets = R.rotate(R.conjugate(above), skeleton.offsets) * scale
    ends = R.rotate(R.conjugate(turns[skeleton.end_joints]), skeleton.end_offsets) * scale
    other = Skeleton(
        tuple(f"bone{n}" for n in range(len(skeleton))),
        skeleton.parents,
        offsets,
        None,  # type: ignore[arg-type]
        skeleton.end_joints,
        ends,
        dict(skeleton.roles),
    )
    rotations = R.multiply(R.multiply(R.conjugate(above), clip.rotations.astype(np.float64)), turns)
    return Clip(other, rotations.astype(np.float32), clip.root * np.float32(scale), clip.fps, f"{clip.name}_turned")


def direction_errors(source: Clip, mapped: Clip) -> dict[str, np.ndarray]:
    """Degrees between the directions of bones, for each (F,)."""
    places = source.world(np.float64).positions, mapped.world(np.float64).positions
    errors = {}
    for near, far in BONES:
        ways = [
            R.normalize(at[:, clip.skeleton.roles[far]] - at[:, clip.skeleton.roles[near]])
            for at, clip in zip(places, (source, mapped), strict=True)
        ]
        errors[near] = np.degrees(np.arccos(np.clip(np.einsum("fi,fi->f", *ways), -1, 1)))
    return errors


def test_a_skeleton_whose_legs_are_not_known_is_refused() -> None:
    walk = make_sample("walk_normal").clip
    legless = walk.with_skeleton(walk.skeleton.scaled(1.1).with_roles({"hips": 0}))
    with pytest.raises(
        SkeletonError, match="cannot be mapped onto the skeleton of 'walk_normal': no joint is known for left_upper_leg"
    ):
        map_motion(legless, walk)
    with pytest.raises(
        ParameterError, match="takes a motion and a clip on the skeleton it is brought onto, 1 clips given"
    ):
        map_onto([walk])


def test_other_axes_are_found_from_the_motion_alone() -> None:
    walk = make_sample("walk_normal").clip
    other = with_other_axes(make_sample("walk_fast").clip)
    mapped = map_motion(walk, other)
    for bone, error in direction_errors(walk, mapped).items():
        assert error.max() < 0.05, bone
    # the body stands where it stood, faces where it faced, and its feet lie as they lay
    before, after = walk.world(np.float64), mapped.world(np.float64)
    for role in ("hips", "left_upper_leg", "right_upper_leg", "left_foot", "right_foot", "chest"):
        gap = np.linalg.norm(
            before.positions[:, walk.skeleton.roles[role]] - after.positions[:, other.skeleton.roles[role]], axis=1
        )
        assert gap.max() < 0.02, role


def test_the_same_motion_comes_back_from_other_axes() -> None:
    walk = make_sample("walk_normal").clip
    there = map_motion(walk, with_other_axes(walk))
    back = map_motion(there, walk)
    gap = np.linalg.norm(back.world(np.float64).positions - walk.world(np.float64).positions, axis=2)
    joints = [joint for role, joint in walk.skeleton.roles.items() if "hand" not in role]
    assert gap[:, joints].max() < 0.005


def test_a_body_of_another_size_walks_on_the_floor_with_scaled_steps() -> None:
    sample = make_sample("walk_normal")
    plants = detect_plants(sample.clip)
    other = with_other_axes(make_sample("walk_fast").clip, scale=0.7)
    mapped = map_motion(sample.clip, other, plants)
    assert leg_length(mapped) == pytest.approx(0.7 * leg_length(sample.clip))
    ways = [np.ptp(clip.root[:, [0, 2]], axis=0).max() for clip in (sample.clip, mapped)]
    assert ways[1] / ways[0] == pytest.approx(0.7, abs=0.02)
    assert max(slip["slip_mm"] for slip in measure_slips(mapped, plants)) < 3.0
    for foot in find_feet(mapped.skeleton, other):
        track, contact = track_foot(mapped.world(np.float64), foot), plants.foot(foot.side)
        assert np.abs(track.ball[contact.ball][:, 1] - plants.floor.height).max() < 0.02


def test_missing_and_added_joints() -> None:
    """Without toes and collar bones on one side, with a spine of more joints on the other, the limbs still point the same way."""
    walk = make_sample("walk_normal").clip
    for role in ("left_toes", "left_shoulder"):
        poorer = walk.skeleton.with_roles({name: j for name, j in walk.skeleton.roles.items() if name != role})
        mapped = map_motion(walk, with_other_axes(make_sample("walk_fast").clip.with_skeleton(poorer)))
        assert all(error.max() < 0.05 for error in direction_errors(walk, mapped).values())


def test_the_report_of_a_mapping() -> None:
    walk, other = make_sample("walk_normal").clip, with_other_axes(make_sample("run").clip, scale=1.2)
    made = map_onto([walk, other], MapParameters())
    assert (made.report["by_role"], made.report["joints"]) == (21, 22)
    assert made.report["scale"] == pytest.approx(1.2, abs=1e-3)
    assert len(made.report["without_partner"]) == 1
    assert made.plants is not None
    assert len(made.plants) == len(made.clip) == len(walk)
    free = map_onto([walk, other], MapParameters(feet=False))
    assert free.plants is None
    assert "slip_mm" not in free.report


@pytest.mark.parametrize(
    ("source", "target", "frames"),
    [
        ("noncommercial/lafan1/test2.bvh", "cmu-bvh/07_01.bvh", (600, 800)),
        ("cmu-bvh/02_03.bvh", "noncommercial/lafan1/test2.bvh", None),
        ("noncommercial/bandai-namco/dataset-1_bow_normal_001.bvh", "cmu-bvh/07_01.bvh", None),
        ("cmu-bvh/16_35.bvh", "noncommercial/bandai-namco/dataset-1_walk_normal_001.bvh", None),
        ("cmu-asfamc/02_03.amc", "cmu-bvh/07_01.bvh", None),
        ("cmu-bvh/07_01.bvh", "", None),
    ],
)
def test_recordings_of_one_skeleton_on_another(corpus, source, target, frames) -> None:
    clip = reenact.load(corpus / source)
    like = reenact.load(corpus / target) if target else make_sample("walk_normal").clip
    clip = clip if frames is None else cut_frames(clip, *frames)
    plants = detect_plants(clip)
    free = map_motion(clip, like)
    held, kept = map_with_plants(clip, like, plants)
    assert kept is not None
    bones = direction_errors(clip, free)
    assert all(error.max() < 0.1 for bone, error in bones.items() if "leg" not in bone)
    # legs are spread by a constant angle, and knees that stand bent backwards are straightened
    assert all(error.max() < 14 for bone, error in bones.items() if "leg" in bone)
    arms = [error.max() for bone, error in direction_errors(clip, held).items() if "arm" in bone]
    legs = [error.mean() for bone, error in direction_errors(clip, held).items() if "leg" in bone]
    assert max(arms) < 0.1
    assert max(legs) < 9  # feet that skate in the recording are held, which moves legs
    slips = [slip["slip_mm"] for slip in measure_slips(held, kept, feet=find_feet(held.skeleton, like))]
    assert np.percentile(slips, 90) < 5
    assert joint_accelerations(held).max() < 1.5 * joint_accelerations(clip).max()
    assert held.skeleton is like.skeleton
    assert len(held) == len(clip)


def test_a_transition_between_skeletons(corpus) -> None:
    walk, other = reenact.load(corpus / "cmu-bvh/07_01.bvh"), reenact.load(corpus / "noncommercial/lafan1/test2.bvh")
    other = cut_frames(other, 600, 800)
    with pytest.raises(
        SkeletonError, match=r"differ \(31 joints against 22.*21 of 31 joints correspond by role.*--map"
    ):
        make_transition(walk, other)
    made = make_transition(walk, other, TransitionParameters(map=True))
    assert made.report["mapped"]
    assert made.report["slip_mm"] < 5
    assert made.report["acceleration_ratio"] < 1.5
    assert made.clip.skeleton.same_tree(walk.skeleton)


def test_plants_and_frames_stay_together() -> None:
    walk = make_sample("walk_normal").clip
    plants = detect_plants(walk)
    short = replace(walk, rotations=walk.rotations[:-5], root=walk.root[:-5])
    with pytest.raises(ParameterError, match="plants have"):
        make_transition(short, walk, None, plants)
