"""Joints of two skeletons that belong together."""

from __future__ import annotations

from dataclasses import replace

from reenact.core.correspondence import NEEDED, match_joints
from reenact.samples import make_sample


def skeleton():
    return make_sample("walk_normal").clip.skeleton


def test_a_skeleton_without_legs_is_not_offered_a_map() -> None:
    whole = skeleton()
    cut = whole.with_roles({role: joint for role, joint in whole.roles.items() if role != "left_lower_leg"})
    found = match_joints(cut, whole)
    assert not found.possible
    assert found.missing == ("left_lower_leg",)
    assert "cannot be mapped to each other: no joint is known for left_lower_leg on both" in found.offer()


def test_every_role_of_both_is_paired_once() -> None:
    whole = skeleton()
    renamed = replace(whole, names=tuple(f"x:{name.upper()}" for name in whole.names))
    found = match_joints(whole, renamed)
    assert {role for role, _, _ in found.by_role} == set(whole.roles)
    assert all(a == b for _, a, b in (*found.by_role, *found.by_name))
    assert len({b for _, _, b in (*found.by_role, *found.by_name)}) == len(found)
    assert f"{len(whole.roles)} of {len(whole)} joints correspond by role" in found.offer()
    assert "--map" in found.offer()


def test_joints_without_a_role_are_paired_by_their_plain_names() -> None:
    whole = skeleton()
    free = next(joint for joint in range(1, len(whole)) if joint not in whole.roles.values())
    other = replace(whole, names=tuple(f"rig:{name.lower()}_" for name in whole.names))
    assert [(a, b) for _, a, b in match_joints(whole, other).by_name] == [(free, free)]


def test_what_is_needed_is_known_on_the_samples() -> None:
    assert set(NEEDED) <= set(skeleton().roles)
