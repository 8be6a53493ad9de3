"""The metric of frames (A06)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.metrics.effectors import EffectorParameters
from reenact.core import rotations as R
from reenact.core.derivatives import differentiate, differentiate_twice
from reenact.core.joint_weights import JointWeights
from reenact.core.placement import headings, move_rigidly
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.graph.features import frame_metric
from reenact.samples import make_sample
from reenact.solve.skeleton_map import map_motion


@pytest.fixture(scope="module")
def walk():
    return make_sample("walk_normal").clip


def _errors(features):
    values = features.astype(np.float64)
    gaps = values[:, None] - values[None]
    return np.einsum("abd,abd->ab", gaps, gaps)


def test_error_is_a_squared_distance(walk) -> None:
    errors = _errors(frame_metric(walk.skeleton).features(walk)[::20])
    np.testing.assert_array_equal(np.diag(errors), 0)
    np.testing.assert_allclose(errors, errors.T)
    roots = np.sqrt(errors)
    assert np.all(roots[:, :, None] <= roots[:, None] + roots.T[None] + 1e-9)


def test_place_and_heading_do_not_count(walk) -> None:
    metric = frame_metric(walk.skeleton)
    moved = move_rigidly(walk, (3.0, 0.0, -7.0), 2.1)
    gap = metric.features(moved) - metric.features(walk)
    assert np.max(np.abs(gap)) < 2e-4  # roots stored in float32, accelerations at 60 Hz


def test_height_counts_and_the_floor_takes_it_away(walk) -> None:
    metric = frame_metric(walk.skeleton)
    raised = move_rigidly(walk, (0.0, 0.5, 0.0))
    base = metric.features(walk)
    assert np.linalg.norm(metric.features(raised)[50] - base[50]) > 0.4
    np.testing.assert_allclose(metric.features(raised, 0.5), base, atol=2e-4)


def test_hands_count_less_than_feet(walk) -> None:
    """Frames whose hands are exchanged, and frames whose toes are: what left and right do differs as much, but counts less."""
    metric = frame_metric(walk.skeleton)
    names = list(metric.effectors)
    base = metric.features(walk).astype(np.float64)

    def exchanged(part):
        columns = [
            names.index(walk.skeleton.names[walk.skeleton.joint(f"{side}_{part}")]) for side in ("left", "right")
        ]
        other = base.reshape(len(walk), 3, len(names), 3).copy()
        other[:, :, columns] = other[:, :, columns[::-1]]
        return np.sum((other.reshape(base.shape) - base) ** 2, axis=1)

    assert exchanged("hand").mean() < 0.5 * exchanged("toes").mean()


def test_error_is_that_of_the_equation(walk) -> None:
    """Positions, velocities and accelerations in the neutral frame, computed here by themselves, give the same errors."""
    metric = frame_metric(walk.skeleton, EffectorParameters(window=0))
    joints = [walk.skeleton.names.index(name) for name in metric.effectors]
    raw = {"hips": 1.0, "head": 1.0, "left_toes": 1.0, "right_toes": 1.0, "left_hand": 0.1, "right_hand": 0.1}
    weights = np.zeros(len(walk.skeleton))
    for role, weight in raw.items():
        weights[walk.skeleton.roles[role]] = weight / sum(raw.values())
    places = walk.world(np.float64).positions
    back = R.conjugate(R.about_y(headings(walk).astype(np.float64)))
    tau = EffectorParameters().look_ahead
    moves = differentiate(places, walk.fps)
    pushes = differentiate_twice(places, walk.fps)
    stand = places[:, [0]] * [1, 0, 1]
    kinds = (places - stand, moves, pushes)
    local = [R.rotate(back[:, None], kind)[:, joints] for kind in kinds]
    scales = (1.0, tau**2, (tau**2 / 2) ** 2)
    features = metric.features(walk).astype(np.float64)
    for i, j in ((20, 55), (100, 300), (41, 380)):
        error = sum(
            scale * np.sum(weights[joints] * np.sum((kind[i] - kind[j]) ** 2, axis=1))
            for scale, kind in zip(scales, local, strict=True)
        )
        np.testing.assert_allclose(np.sum((features[i] - features[j]) ** 2), error, rtol=1e-4)


def test_errors_do_not_change_with_place_and_heading(walk) -> None:
    """Moved by whole metres and turned about, with a root that float32 holds exactly both times.

    What is left comes from the rotations of the joints, which are unit quaternions to 6e-8 only.
    """
    rotations, turned = walk.rotations.copy(), walk.rotations.copy()
    rotations[:, 0], turned[:, 0] = (1, 0, 0, 0), (0, 0, 1, 0)  # half a turn about the up axis
    still = replace(walk, rotations=rotations, root=np.round(walk.root * 16384) / 16384)
    away = replace(still, rotations=turned, root=still.root * np.float32([-1, 1, -1]) + np.float32([8, 0, -16]))
    metric = frame_metric(walk.skeleton).metric
    here, there = (_errors(metric.describe(clip).values[::20]) for clip in (still, away))
    assert here.max() > 0.1
    np.testing.assert_allclose(there, here, rtol=0, atol=5e-8)


def test_shares_add_up(walk) -> None:
    metric = frame_metric(walk.skeleton)
    rows = metric.features(walk)[[10, 90]].astype(np.float64)
    parts = metric.split_error(rows[0], rows[1])
    assert parts.shape == (3, len(metric.effectors))
    np.testing.assert_allclose(parts.sum(), np.sum((rows[0] - rows[1]) ** 2))


def test_another_body_is_laid_on_the_reference(walk) -> None:
    metric = frame_metric(walk.skeleton)
    big = replace(walk, skeleton=walk.skeleton.scaled(1.2), root=walk.root * np.float32(1.2))
    with pytest.raises(SkeletonError, match="other lengths or directions of bones"):
        metric.features(big)
    np.testing.assert_allclose(metric.features(map_motion(big, walk)), metric.features(walk), atol=2e-3)


def test_weights_are_taken(walk) -> None:
    metric = frame_metric(walk.skeleton, EffectorParameters(), JointWeights({"head": 3.0, "left_hand": 1.0}))
    assert set(metric.effectors) == {walk.skeleton.names[walk.skeleton.joint(role)] for role in ("head", "left_hand")}


def test_a_skeleton_without_roles_has_its_root_and_leaves() -> None:
    bones = Skeleton(("a", "b", "c", "d"), np.array([-1, 0, 1, 0]), np.ones((4, 3)))
    assert frame_metric(bones).effectors == ("a", "c", "d")


def test_another_tree_is_refused(walk) -> None:
    other = Skeleton(("a", "b"), np.array([-1, 0]), np.ones((2, 3)))
    with pytest.raises(SkeletonError, match=r"22 joints against 2|2 joints against 22"):
        frame_metric(other).features(walk)


def test_numbers_that_are_none_are_named(walk) -> None:
    root = walk.root.copy()
    root[40] = np.nan
    with pytest.raises(ParameterError, match="frame"):
        frame_metric(walk.skeleton).features(replace(walk, root=root))
