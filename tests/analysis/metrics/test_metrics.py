"""The three metrics: bad input, brute force, closed form against optimisation, invariance, and the rules of the specifications."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from reenact.analysis.metrics import (
    ANGLE_WEIGHTS,
    AngleMetric,
    AngleParameters,
    EffectorMetric,
    PointCloudMetric,
    PointCloudParameters,
    describe_clips,
    distance_matrix,
    iterate_tiles,
    nearest_frames,
    transition_costs,
)
from reenact.core.clip import Clip
from reenact.core.cutting import CutParameters, cut
from reenact.core.joint_weights import JointWeights
from reenact.core.mirror import mirror
from reenact.core.placement import move_rigidly
from reenact.core.rotations import angle_between
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError
from reenact.samples import make_sample

METRICS = {
    "effectors": EffectorMetric(),
    "clouds": PointCloudMetric(),
    "wide clouds": PointCloudMetric(PointCloudParameters(frames=10, span=0, taper="triangle")),
    "angles": AngleMetric(),
}


@pytest.fixture(scope="module")
def walk() -> Clip:
    return cut(make_sample("walk_normal").clip, CutParameters(start=20, end=110))


@pytest.fixture(scope="module")
def jog() -> Clip:
    return cut(make_sample("jog").clip, CutParameters(start=30, end=95))


@pytest.fixture(params=list(METRICS))
def metric(request: pytest.FixtureRequest):
    return METRICS[request.param]


def shortened(clip: Clip, frames: int) -> Clip:
    return replace(clip, rotations=clip.rotations[:frames], root=clip.root[:frames])


def test_bad_parameters(walk: Clip, jog: Clip) -> None:
    with pytest.raises(ParameterError, match="taper must be"):
        PointCloudParameters(taper="round")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="frames must be"):
        PointCloudParameters(frames=0)
    with pytest.raises(ParameterError, match="joint_speed must be"):
        AngleParameters(joint_speed=-1)
    with pytest.raises(ParameterError, match="tile must be"):
        list(iterate_tiles(METRICS["angles"], METRICS["angles"].describe(walk), tile=0))
    features = METRICS["angles"].describe(walk)
    with pytest.raises(ParameterError, match="out must have shape"):
        distance_matrix(METRICS["angles"], features, out=np.zeros((3, 3), np.float32))
    with pytest.raises(ParameterError, match="no clip"):
        describe_clips(METRICS["angles"], [])
    with pytest.raises(ParameterError, match="none of the weighted joints"):
        EffectorMetric(JointWeights({"left_hand": 1.0})).describe(
            walk.with_skeleton(walk.skeleton.with_roles({"hips": 0}))
        )
    metric = PointCloudMetric()
    with pytest.raises(ParameterError, match="different frame rates"):
        metric.join([metric.describe(walk), metric.describe(replace(jog, fps=120.0))])


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_few_frames(metric, walk: Clip, frames: int) -> None:
    features = metric.describe(shortened(walk, frames))
    distances = distance_matrix(metric, features)
    assert distances.shape == (frames, frames)
    assert np.all(np.isfinite(distances))
    assert np.all(np.diag(distances) == 0)


def test_skeleton_without_roles(metric, nameless: Skeleton) -> None:
    rng = np.random.default_rng(1)
    rotations = rng.normal(size=(6, len(nameless), 4))
    rotations /= np.linalg.norm(rotations, axis=2, keepdims=True)
    distances = distance_matrix(metric, metric.describe(Clip(nameless, rotations, np.zeros((6, 3)), 30.0)))
    assert np.all(distances[~np.eye(6, dtype=bool)] > 0)


def test_symmetric_and_zero_on_the_diagonal(metric, walk: Clip) -> None:
    features = metric.describe(walk)
    distances = distance_matrix(metric, features, tile=17)
    np.testing.assert_array_equal(distances, distances.T)
    assert np.all(np.diag(distances) == 0)
    assert np.all(distances >= 0)
    general = distance_matrix(metric, features, features, tile=23)
    np.testing.assert_allclose(general, distances, atol=2e-4)


def test_tiles_do_not_matter(metric, walk: Clip, jog: Clip) -> None:
    a, b = metric.describe(walk), metric.describe(jog)
    whole = distance_matrix(metric, a, b)
    np.testing.assert_allclose(distance_matrix(metric, a, b, tile=13), whole, atol=1e-6)
    joined = distance_matrix(metric, describe_clips(metric, [walk, jog]), tile=31)
    np.testing.assert_allclose(joined[: len(walk), len(walk) :], whole, atol=2e-5)
    out = np.empty(whole.shape, np.float32)
    assert distance_matrix(metric, a, b, out=out) is out


def test_place_and_direction_do_not_matter(metric, walk: Clip, jog: Clip) -> None:
    moved = move_rigidly(jog, (3.0, 0.0, -7.0), 2.2)
    before = distance_matrix(metric, metric.describe(walk), metric.describe(jog))
    after = distance_matrix(metric, metric.describe(walk), metric.describe(moved))
    np.testing.assert_allclose(after, before, atol=5e-4 if metric.unit == "rad" else 2e-6)


@pytest.mark.parametrize(("turned", "most"), [(False, 1e-9), (True, 1e-7)])
def test_squared_distances_do_not_change_with_place_and_direction(walk: Clip, turned: bool, most: float) -> None:
    """Moves that the storage holds exactly: metres of a power of two, half a turn.

    A turn is limited by the 24 bits of stored quaternions, which are of unit length to 1e-8 only.
    """
    metric = METRICS["effectors"]
    root = (np.round(walk.root * 2**18) / 2**18).astype(np.float32)
    w, x, y, z = np.moveaxis(walk.rotations[:, 0], 1, 0)
    rotations, sign = walk.rotations.copy(), np.float32([1, 1, 1])
    if turned:
        rotations[:, 0] = np.stack([-y, z, w, -x], axis=1)  # times (0, 0, 1, 0) from the left
        sign = np.float32([-1, 1, -1])
    here = metric.describe(replace(walk, root=root))
    there = metric.describe(replace(walk, rotations=rotations, root=root * sign + np.float32([4, 0, -8])))
    before, after = (((f.values[:, None] - f.values[None]) ** 2).sum(axis=2) for f in (here, there))
    np.testing.assert_allclose(after, before, rtol=0, atol=most)
    np.testing.assert_allclose(((here.values - there.values) ** 2).sum(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(distance_matrix(metric, here).astype(float) ** 2, before, rtol=1e-5, atol=1e-9)


def test_height_matters(walk: Clip) -> None:
    raised = move_rigidly(walk, (0, 0.1, 0))
    for metric in (METRICS["effectors"], METRICS["clouds"]):
        near, far = (distance_matrix(metric, metric.describe(walk), metric.describe(c)) for c in (walk, raised))
        assert np.diag(far).min() > 0.05 > np.diag(near).max()


def test_triangle_inequality_of_effectors(walk: Clip, jog: Clip) -> None:
    metric = METRICS["effectors"]
    d = distance_matrix(metric, describe_clips(metric, [walk, jog])).astype(np.float64)
    assert np.all(d[:, None, :] <= d[:, :, None] + d[None, :, :] + 1e-5)


def test_effectors_equal_the_formula(walk: Clip, jog: Clip) -> None:
    metric = METRICS["effectors"]
    a, b = metric.describe(walk), metric.describe(jog)
    brute = np.sqrt(((a.values[:, None] - b.values[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(distance_matrix(metric, a, b), brute, atol=1e-6)
    # one frame by hand: hips over the origin, facing +Z
    from reenact.core.placement import place_at

    home = place_at(walk, (0, 0), 0.0, frame=40)
    joint = walk.skeleton.joint("head")
    want = home.world(np.float64).positions[40, joint] * np.sqrt(
        1 / 4.2
    )  # weights sum to 4.2 before they are normalised
    found = a.values[40].reshape(3, -1, 3)[0]
    assert np.min(np.linalg.norm(found - want, axis=1)) < 1e-5


def test_hands_count_less_than_feet(walk: Clip) -> None:
    metric = METRICS["effectors"]

    def bent(*roles: str) -> Clip:
        rotations = walk.rotations.copy()
        for role in roles:
            rotations[:, walk.skeleton.roles[f"left_{role}"]] = walk.rotations[:, walk.skeleton.roles[f"right_{role}"]]
            rotations[:, walk.skeleton.roles[f"right_{role}"]] = walk.rotations[:, walk.skeleton.roles[f"left_{role}"]]
        return replace(walk, rotations=rotations)

    base = metric.describe(walk)
    arms = np.diag(distance_matrix(metric, base, metric.describe(bent("upper_arm", "lower_arm"))))
    legs = np.diag(distance_matrix(metric, base, metric.describe(bent("upper_leg", "lower_leg"))))
    assert np.mean(arms) < 0.7 * np.mean(legs)


def brute_cloud(metric: PointCloudMetric, p: np.ndarray, q: np.ndarray, i: int, j: int, fps: float):
    """Points of two windows and their weights."""
    offsets, weights = metric.parameters.offsets(fps), metric.parameters.weights()
    shifts = offsets - (offsets[-1] + 1) // 2
    a, b = (x[np.clip(n + shifts, 0, len(x) - 1)].reshape(-1, 3) for x, n in ((p, i), (q, j)))
    return a, b, np.repeat(weights, p.shape[1]) / p.shape[1]


@pytest.mark.parametrize(("i", "j"), [(0, 3), (50, 20), (89, 5), (33, 64), (10, 10)])
def test_clouds_equal_brute_force_and_optimisation(walk: Clip, jog: Clip, i: int, j: int) -> None:
    metric = METRICS["wide clouds"]
    a, b = metric.describe(walk), metric.describe(move_rigidly(jog, (50.0, 0, 20.0), 2.0))
    everything = slice(0, None)
    distance = metric.tile(a, b, everything, everything)[i, j]
    found = metric.align(a, b, everything, everything)
    p, q = walk.world(np.float64).positions, move_rigidly(jog, (50.0, 0, 20.0), 2.0).world(np.float64).positions
    left, right, w = brute_cloud(metric, p, q, i, j, walk.fps)

    def error(v: np.ndarray) -> float:
        turn, x, z = v
        laid = np.stack(
            [
                right[:, 0] * np.cos(turn) + right[:, 2] * np.sin(turn) + x,
                right[:, 1],
                -right[:, 0] * np.sin(turn) + right[:, 2] * np.cos(turn) + z,
            ],
            axis=1,
        )
        return float(w @ ((left - laid) ** 2).sum(axis=1))

    closed = error(np.array([found.turn[i, j], *found.shift[i, j]]))
    assert np.sqrt(closed) == pytest.approx(distance, abs=1e-5)
    start = np.array([found.turn[i, j], *found.shift[i, j]])
    for away in (0.0, 1.0, 2.5, -2.0):  # from anywhere, nothing better is found
        best = minimize(
            error, start + [away, 0.1, -0.1], method="Nelder-Mead", options={"maxiter": 4000, "xatol": 1e-9}
        )
        assert best.fun >= closed - 1e-9
    assert 0 <= found.confidence[i, j] <= 1


def test_alignment_recovers_a_known_move(walk: Clip) -> None:
    metric = METRICS["clouds"]
    a = metric.describe(walk)
    b = metric.describe(move_rigidly(walk, (4.0, 0.0, -7.0), 2.3))
    found = metric.align(a, b, slice(0, None), slice(0, None))
    np.testing.assert_allclose(np.diag(found.turn), -2.3, atol=1e-5)
    assert np.diag(found.confidence).min() > 0.999
    assert np.diag(metric.tile(a, b, slice(0, None), slice(0, None))).max() < 1e-3


def test_far_from_the_origin_nothing_is_lost(walk: Clip, jog: Clip) -> None:
    metric = METRICS["wide clouds"]
    p, q = walk.world(np.float64).positions, jog.world(np.float64).positions
    near = distance_matrix(metric, metric.describe_points(p, 60), metric.describe_points(q, 60))
    far = distance_matrix(metric, metric.describe_points(p + [1000, 0, -500], 60), metric.describe_points(q, 60))
    np.testing.assert_allclose(far, near, atol=1e-5)


def test_cloud_weights_choose_joints(walk: Clip, jog: Clip) -> None:
    feet = PointCloudMetric(joint_weights=JointWeights({"left_foot": 1.0, "right_foot": 1.0}))
    assert feet.describe(walk).points.shape[1] == 6
    swung = walk.rotations.copy()
    swung[:, walk.skeleton.joint("left_upper_arm")] = [1, 0, 0, 0]
    other = feet.describe(replace(walk, rotations=swung))
    np.testing.assert_allclose(np.diag(distance_matrix(feet, feet.describe(walk), other)), 0, atol=1e-4)


def test_angles_equal_the_formula(walk: Clip, jog: Clip) -> None:
    metric = AngleMetric(parameters=AngleParameters(0.1, 0.5))
    a, b = metric.describe(walk), metric.describe(jog)
    angles = angle_between(a.rotations[:, None].astype(np.float64), b.rotations[None].astype(np.float64)) @ a.weights
    apart = np.linalg.norm(a.speeds[:, None] - b.speeds[None], axis=3)
    brute = angles + 0.1 * (apart[..., :-1] @ a.weights) + 0.5 * apart[..., -1]
    np.testing.assert_allclose(distance_matrix(metric, a, b), brute, rtol=2e-5, atol=2e-5)


def test_angles_are_whole_angles(walk: Clip) -> None:
    metric = AngleMetric(JointWeights({"left_upper_arm": 1.0}), AngleParameters(0, 0))
    turned = walk.rotations.copy()
    joint = walk.skeleton.joint("left_upper_arm")
    turned[:, joint] = [1, 0, 0, 0]
    turned[1:, joint] = [np.cos(0.4), np.sin(0.4), 0, 0]
    features = metric.describe(replace(walk, rotations=turned))
    assert distance_matrix(metric, features)[0, 5] == pytest.approx(0.8, abs=1e-6)


def test_sign_of_a_quaternion_does_not_matter(walk: Clip) -> None:
    signs = np.where(np.arange(len(walk)) % 2, -1, 1)[:, None, None].astype(np.float32)
    flipped = replace(walk, rotations=walk.rotations * signs)
    metric = METRICS["angles"]
    distances = distance_matrix(metric, metric.describe(walk), metric.describe(flipped))
    assert np.diag(distances).max() < 1e-3


def test_balanced_weights(walk: Clip, jog: Clip) -> None:
    features = describe_clips(METRICS["angles"], [walk, jog])
    balanced = AngleMetric().balanced(features, pairs=5000)
    assert 0.01 < balanced.parameters.joint_speed < 2
    assert 0.01 < balanced.parameters.root_speed < 20
    still = replace(walk, rotations=np.repeat(walk.rotations[:1], 5, 0), root=np.repeat(walk.root[:1], 5, 0))
    assert AngleMetric().balanced(AngleMetric().describe(still)).parameters == AngleParameters(0, 0)
    assert set(ANGLE_WEIGHTS.position) <= set(walk.skeleton.roles)


def test_transition_costs(metric, walk: Clip, jog: Clip) -> None:
    features = describe_clips(metric, [walk, jog])
    everything = slice(0, None)
    costs = transition_costs(metric, features, features, everything, everything)
    for first, last in pairwise(features.starts):
        assert np.all(np.diag(costs, 1)[first : last - 1] == 0)  # the recorded way is free
        assert np.all(np.isinf(costs[last - 1]))
        assert np.all(np.isinf(costs[:, first]))
    distances = distance_matrix(metric, features, features)
    assert costs[10, 100] == pytest.approx(0.5 * (distances[11, 100] + distances[10, 99]), abs=1e-5)
    part = transition_costs(metric, features, features, slice(5, 20), slice(60, 130))
    np.testing.assert_allclose(part, costs[5:20, 60:130], atol=1e-5)
    assert transition_costs(metric, features, features, slice(3, 3), everything).shape == (0, len(features))


def test_nearest_frames(metric, walk: Clip, jog: Clip) -> None:
    a, b = metric.describe(walk), metric.describe(jog)
    which, distances = nearest_frames(metric, a, b, 4, tile=19)
    whole = distance_matrix(metric, a, b)
    np.testing.assert_allclose(distances, np.sort(whole, axis=1)[:, :4], atol=1e-6)
    np.testing.assert_allclose(np.take_along_axis(whole, which, 1), distances, atol=1e-6)
    with pytest.raises(ParameterError, match="count must be"):
        nearest_frames(metric, a, b, 0)


def test_mirrored_walk_is_half_a_cycle_away(metric, walk: Clip) -> None:
    other = metric.describe(mirror(walk))
    distances = distance_matrix(metric, metric.describe(walk), other)
    best = np.argmin(distances[45])
    assert distances[45, best] < 0.6 * distances[45, 45]


@given(st.integers(1, 12), st.integers(1, 9), st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_random_clouds(a: int, b: int, window: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    metric = PointCloudMetric(PointCloudParameters(frames=window, span=0))
    p, q = rng.normal(size=(a, 4, 3)), rng.normal(size=(b, 4, 3))
    found = distance_matrix(metric, metric.describe_points(p, 30.0), metric.describe_points(q, 30.0))
    i, j = rng.integers(a), rng.integers(b)
    left, right, w = brute_cloud(metric, p, q, i, j, 30.0)
    turns = np.linspace(-np.pi, np.pi, 721)
    centred = [x - w @ x * [1, 0, 1] for x in (left, right)]
    values = []
    for turn in turns:
        c, s = np.cos(turn), np.sin(turn)
        laid = centred[1] @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
        values.append(w @ ((centred[0] - laid) ** 2).sum(axis=1))
    assert np.sqrt(min(values)) >= found[i, j] - 1e-5
    assert np.sqrt(min(values)) == pytest.approx(found[i, j], abs=0.02)
