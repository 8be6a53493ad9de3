"""Skeletons: what they refuse, and how joints are found."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError


def body(**more) -> Skeleton:
    return Skeleton(("hip", "Knee", "foot", "arm"), np.array([-1, 0, 1, 0]), np.arange(12.0).reshape(4, 3), **more)


@pytest.mark.parametrize(
    ("names", "parents", "words"),
    [
        ((), [], "at least one joint"),
        (("a", "a"), [-1, 0], "'a' stands twice"),
        (("a", "b"), [0, -1], "parents must come before"),
        (("a", "b"), [-1, -1], "only joint 0 may be a root"),
        (("a", "b"), [-1, 1], "parents must come before"),
        (("a", "b"), [-1, 7], "parents must come before"),
    ],
)
def test_trees_that_are_none(names: tuple[str, ...], parents: list[int], words: str) -> None:
    with pytest.raises(SkeletonError, match=words):
        Skeleton(names, np.array(parents, np.int32), np.zeros((len(names), 3)))


def test_wrong_shapes_say_what_was_wanted() -> None:
    with pytest.raises(ValueError, match=r"offsets must have shape \(2, 3\), not \(3, 3\)"):
        Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((3, 3)))


def test_arrays_are_read_only_and_the_callers_are_not() -> None:
    offsets = np.zeros((1, 3))
    skeleton = Skeleton(("a",), np.array([-1], np.int32), offsets)
    with pytest.raises(ValueError, match="read-only"):
        skeleton.offsets[0] = 1
    offsets[0] = 1


def test_joint_by_role_name_case_or_index() -> None:
    skeleton = body(roles={"left_foot": 2})
    assert [skeleton.joint(which) for which in ("left_foot", "foot", "knee", 3)] == [2, 2, 1, 3]
    with pytest.raises(SkeletonError, match="no joint or role 'head'; there are left_foot, hip"):
        skeleton.joint("head")
    with pytest.raises(SkeletonError, match="joints 0 to 3"):
        skeleton.joint(4)
    with pytest.raises(SkeletonError, match=r"roles head.*found: left_foot"):
        skeleton.require_roles("left_foot", "head")


def test_family() -> None:
    skeleton = body()
    assert skeleton.children == ((1, 3), (2,), (), ())
    assert skeleton.ancestors(2) == (2, 1, 0)
    assert skeleton.subtree(1) == (1, 2)


def test_difference_names_what_differs() -> None:
    assert body().difference(body()) == ""
    other = Skeleton(("hip", "Knee", "toe", "arm"), np.array([-1, 0, 1, 0]), np.zeros((4, 3)))
    assert "'foot' against 'toe'" in body().difference(other)
    smaller = Skeleton(("hip",), np.array([-1]), np.zeros((1, 3)))
    assert "4 joints against 1" in body().difference(smaller)
    moved = Skeleton(("hip", "Knee", "foot", "arm"), np.array([-1, 0, 1, 1]), np.zeros((4, 3)))
    assert "parent of 'arm'" in body().difference(moved)
