"""Points of the feet on skeletons of all kinds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reenact import load
from reenact.analysis.foot_points import find_foot_points
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError
from reenact.samples import sample_skeleton
from reenact.samples.skeleton import foot_points


def without_roles(skeleton: Skeleton, *roles: str) -> Skeleton:
    return skeleton.with_roles({role: joint for role, joint in skeleton.roles.items() if role not in roles})


def test_no_feet_is_an_error_that_says_so(body: Skeleton) -> None:
    with pytest.raises(SkeletonError, match="left_foot, right_foot"):
        find_foot_points(without_roles(body, "left_foot", "right_foot"))


def test_points_of_the_sample_person_are_exact() -> None:
    found = find_foot_points(sample_skeleton())
    assert found.on_sole
    for side in ("left", "right"):
        for part, point in (("heel", found.heel[side]), ("ball", found.ball[side])):
            joint, place = foot_points(side)[part]
            assert point.joint == joint
            np.testing.assert_allclose(point.place, place, atol=1e-12)


def test_heel_is_below_and_behind_the_ankle_at_the_level_of_the_toes(body: Skeleton) -> None:
    found = find_foot_points(body)
    assert not found.on_sole
    np.testing.assert_allclose(found.heel["left"].place, [0, -0.05, -0.4 * 0.14], atol=1e-12)
    assert found.ball["left"].joint == body.roles["left_toes"]
    assert found.leg == pytest.approx(0.83)


def test_a_foot_without_toes_has_one_point(body: Skeleton) -> None:
    bare = replace(body, parents=body.parents)
    keep = [j for j, name in enumerate(body.names) if not name.endswith("_toes")]
    place = {old: new for new, old in enumerate(keep)}
    parents = np.array([place.get(int(body.parents[j]), -1) for j in keep])
    roles = {role: place[joint] for role, joint in bare.roles.items() if joint in place}
    found = find_foot_points(Skeleton(tuple(body.names[j] for j in keep), parents, body.offsets[keep], roles=roles))
    assert found.single("left")
    assert found.single("right")


def test_one_foot_is_enough(body: Skeleton) -> None:
    found = find_foot_points(without_roles(body, "right_foot", "right_toes"))
    assert found.sides == ("left",)


def test_bones_along_one_axis_are_read_from_the_motion(corpus: Path) -> None:
    for name in ("noncommercial/lafan1/test2.bvh", "noncommercial/bandai-namco/dataset-1_walk_normal_001.bvh"):
        clip = load(corpus / name)
        found = find_foot_points(clip.skeleton, clip)
        lowest = np.percentile(found.paths(clip)[..., 1], 5, axis=0)
        assert np.ptp(lowest) < 0.03, name  # heels and balls stand at one height
