"""Segment masses and the centre of mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.body.segments import LIMB_SEGMENTS, body_mass, centre_of_mass
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.errors import SkeletonError
from reenact.samples import make_sample, sample_skeleton


def rest_clip(**changes: object) -> Clip:
    skeleton = sample_skeleton()
    return replace(Clip(skeleton, skeleton.rest[None], skeleton.offsets[:1], 60.0), **changes)


def test_the_table_adds_up() -> None:
    assert body_mass() == pytest.approx(1.0, abs=0.005)
    assert sum(s.mass for s in LIMB_SEGMENTS if s.near.endswith("leg") or s.near == "foot") == pytest.approx(0.161)


def test_missing_roles_are_named() -> None:
    skeleton = sample_skeleton()
    bare = skeleton.with_roles({role: joint for role, joint in skeleton.roles.items() if role != "neck"})
    with pytest.raises(SkeletonError, match="neck"):
        centre_of_mass(rest_clip(skeleton=bare))


def test_a_standing_person() -> None:
    """With hanging arms the centre lies at about 56 % of the height (Winter 2009 gives 0.53 to 0.57), in the middle."""
    sample = make_sample("stand")
    centre = centre_of_mass(sample.clip)
    assert 0.53 < centre[:, 1].mean() / 1.75 < 0.59
    assert np.abs(centre[:, 0]).max() < 0.03
    np.testing.assert_allclose(centre, sample.truth.centre_of_mass, atol=1e-5)


def test_it_moves_and_turns_with_the_body() -> None:
    clip = rest_clip()
    turn = R.about_y(0.7)
    rotations = clip.rotations.copy()
    rotations[:, 0] = turn
    moved = replace(clip, rotations=rotations, root=clip.root + np.array([1.0, 0.5, -2.0], np.float32))
    expected = R.rotate(turn, centre_of_mass(clip) - clip.root) + moved.root
    np.testing.assert_allclose(centre_of_mass(moved), expected, atol=1e-6)


def test_a_raised_arm_raises_it_by_its_mass() -> None:
    clip = rest_clip()
    rotations = clip.rotations.copy()
    shoulder = clip.skeleton.joint("left_upper_arm")
    rotations[:, shoulder] = R.from_axis_angle([0.0, 0.0, 1.0], np.pi / 2)
    upper, fore = (
        np.linalg.norm(clip.skeleton.offsets[clip.skeleton.joint(r)]) for r in ("left_lower_arm", "left_hand")
    )
    rise = 0.028 * 0.436 * upper + 0.022 * (upper + 0.682 * fore)
    change = centre_of_mass(replace(clip, rotations=rotations)) - centre_of_mass(clip)
    np.testing.assert_allclose(change[0], [-rise, rise, 0], atol=1e-5)


def test_toes_and_chest_may_be_missing() -> None:
    skeleton = sample_skeleton()
    few = {role: joint for role, joint in skeleton.roles.items() if not role.endswith("toes") and role != "chest"}
    gap = centre_of_mass(rest_clip(skeleton=skeleton.with_roles(few))) - centre_of_mass(rest_clip())
    assert np.linalg.norm(gap) < 0.01
