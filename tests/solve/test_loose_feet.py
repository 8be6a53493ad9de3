"""Rigs whose feet hang on no leg, and twist joints beside a bone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.body.character import Character, rigid_inverse
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.rest_pose import pose_at_rest
from reenact.core.role_finding import find_roles
from reenact.core.skeleton import Skeleton
from reenact.samples import make_sample
from reenact.solve.loose_feet import hang_clip, hang_feet, let_feet_loose
from reenact.solve.retarget_pose import local_rotations
from reenact.solve.retargeting import retarget_motion
from reenact.solve.standing_pose import rest_of
from reenact.solve.target_body import body_of_character


def with_loose_feet(skeleton: Skeleton) -> Skeleton:
    """The skeleton with its feet hung on the root, as rigs have them whose legs only point to them."""
    places, turned = pose_at_rest(skeleton)
    parents, offsets, rest = skeleton.parents.copy(), skeleton.offsets.copy(), skeleton.rest.copy()
    for side in ("left", "right"):
        foot = skeleton.roles[f"{side}_foot"]
        back = R.conjugate(turned[0])
        parents[foot] = 0
        offsets[foot] = R.rotate(back, places[foot] - places[0])
        rest[foot] = R.multiply(back, turned[foot])
    loose = replace(skeleton, parents=parents, offsets=offsets, rest=rest, roles={})
    return loose.with_roles(find_roles(loose, places[None]).roles)


def rig(skeleton: Skeleton) -> Character:
    """A bare rig."""
    places, turned = pose_at_rest(skeleton)
    none = np.zeros((0, 1), np.float32)
    return Character(
        skeleton,
        np.zeros((0, 3), np.float32),
        np.zeros((0, 3), np.int32),
        none.astype(np.int32),
        none,
        rigid_inverse(places, turned),
    )


def test_a_skeleton_whose_feet_hang_on_its_legs_needs_nothing() -> None:
    clip = make_sample("walk_normal").clip
    assert hang_feet(clip.skeleton, rest_of(clip).world(np.float64)) is None


def test_loose_feet_are_hung_below_the_shins_and_let_loose_again() -> None:
    clip = make_sample("walk_normal").clip
    loose = with_loose_feet(clip.skeleton)
    assert "left_foot" not in loose.roles
    pose = Clip(loose, loose.rest[None].astype(np.float32), np.zeros((1, 3), np.float32), 30.0)
    hung = hang_feet(loose, pose.world(np.float64))
    assert hung is not None
    assert hung.skeleton.has_roles("left_foot", "right_foot")
    assert hung.skeleton.names[hung.skeleton.parents[hung.skeleton.roles["left_foot"]]] == "LeftLeg"
    standing = hang_clip(pose, hung)
    np.testing.assert_allclose(
        standing.world(np.float64).positions[0], pose.world(np.float64).positions[0][hung.order], atol=1e-5
    )
    back = let_feet_loose(standing, hung)
    np.testing.assert_allclose(back.world(np.float64).positions, pose.world(np.float64).positions, atol=1e-5)


def test_a_walk_on_loose_feet_is_the_walk() -> None:
    clip = make_sample("walk_normal").clip
    body = body_of_character(rig(with_loose_feet(clip.skeleton)))
    assert body.hung is not None
    made = retarget_motion(clip, body, hands="off", floor=False).clip
    assert made.translations is not None
    gap = made.world(np.float64).positions - clip.world(np.float64).positions
    gap -= gap.mean(axis=(0, 1)) * (0.0, 1.0, 0.0)
    assert np.linalg.norm(gap, axis=2).max() < 2e-3
    # and the motion of such a rig is brought onto one whose feet hang on its legs
    again = retarget_motion(made, body_of_character(rig(clip.skeleton)), hands="off", floor=False).clip
    gap = again.world(np.float64).positions - clip.world(np.float64).positions
    gap -= gap.mean(axis=(0, 1)) * (0.0, 1.0, 0.0)
    assert np.linalg.norm(gap, axis=2).max() < 4e-3


@pytest.mark.parametrize("share", [0.25, 0.75])
def test_a_twist_joint_beside_the_bone_takes_its_share_of_the_twist_and_no_bend(share: float) -> None:
    clip = make_sample("walk_normal").clip
    skeleton = clip.skeleton
    near, far = skeleton.roles["left_lower_arm"], skeleton.roles["left_hand"]
    with_twist = Skeleton(
        (*skeleton.names, "LeftForeArmTwist"),
        np.append(skeleton.parents, near).astype(np.int32),
        np.concatenate([skeleton.offsets, share * skeleton.offsets[far : far + 1]]),
        np.concatenate([skeleton.rest, R.identity(1)]),
        skeleton.end_joints,
        skeleton.end_offsets,
        dict(skeleton.roles),
    )
    still = Clip(with_twist, with_twist.rest[None].astype(np.float32), np.zeros((1, 3), np.float32), 30.0)
    _, rest = pose_at_rest(with_twist)
    axis = R.normalize(skeleton.offsets[far])
    turned = {joint: rest[joint][None] for joint in skeleton.roles.values()}
    turned[far] = R.multiply(rest[near], R.from_axis_angle(axis, 0.8))[None]
    own = local_rotations(still, turned)[0, -1]
    np.testing.assert_allclose(R.angle_between(own, R.from_axis_angle(axis, share * 0.8)), 0.0, atol=1e-6)
    across = R.normalize(np.cross(axis, (0.3, 0.5, 0.8)))
    turned[far] = R.multiply(rest[near], R.from_axis_angle(across, 0.8))[None]
    np.testing.assert_allclose(R.angle_between(local_rotations(still, turned)[0, -1], R.identity()), 0.0, atol=1e-6)
