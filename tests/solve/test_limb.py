"""Analytic limbs: they reach, keep their lengths and their plane, and never pop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.derivatives import differentiate_twice
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.loading import load
from reenact.samples import make_sample
from reenact.solve.limb import SOFT, Limb, LimbParameters, bend_limb, check_limb, limb_of, place_limb, soften_reach

ROOT, MID, END = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.6, 0.1]), np.array([0.0, 0.2, 0.0])


def vectors(low: float, high: float) -> st.SearchStrategy[np.ndarray]:
    return arrays(np.float64, (3,), elements=st.floats(low, high))


def test_wrong_limbs_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"softness must lie in 0 to 0\.2"):
        LimbParameters(softness=0.5)
    with pytest.raises(ParameterError, match="reach must be exact or soft"):
        LimbParameters(reach="hard")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="two links of some length"):
        bend_limb(ROOT, ROOT, END, END)
    skeleton = make_sample("stand").clip.skeleton
    with pytest.raises(ParameterError, match="no limb 'left_wing'; there are left_leg"):
        limb_of(skeleton, "left_wing")
    leg = limb_of(skeleton, "left_leg")
    with pytest.raises(SkeletonError, match="does not lie below"):
        check_limb(skeleton, Limb(leg.root, leg.end, leg.mid))
    with pytest.raises(SkeletonError, match="not a limb"):
        check_limb(skeleton, Limb(leg.root, leg.root, leg.end))


@given(vectors(-1, 1), vectors(-0.5, 0.5))
def test_reachable_targets_are_reached(target: np.ndarray, pole: np.ndarray) -> None:
    """Any target, near or far: lengths are kept, the residual is what it says, and is nothing within reach."""
    first, second = np.linalg.norm(MID - ROOT), np.linalg.norm(END - MID)
    for given_pole in (None, pole):
        bend = bend_limb(ROOT, MID, END, ROOT + target, pole=given_pole, softness=0.0)
        assert np.linalg.norm(bend.mid - ROOT) == pytest.approx(first, abs=1e-9)
        assert np.linalg.norm(bend.end - bend.mid) == pytest.approx(second, abs=1e-7)
        away = np.linalg.norm(target)
        missed = max(away - first - second, abs(first - second) - away, 0.0)
        assert bend.residual[0] == pytest.approx(missed, abs=1e-7)
        assert np.linalg.norm(bend.end - ROOT - target) == pytest.approx(bend.residual[0], abs=1e-9)
        # the turns really carry the old links onto the new ones
        np.testing.assert_allclose(R.rotate(bend.root_turn, MID - ROOT), bend.mid - ROOT, atol=1e-7)
        np.testing.assert_allclose(R.rotate(bend.mid_turn, END - MID), bend.end - bend.mid, atol=1e-7)


LENGTHS = st.floats(0.05, 0.6)


@given(st.integers(0, 2**32 - 1), LENGTHS, LENGTHS, st.floats(0, 1), st.floats(0, 9), st.booleans())
def test_by_default_what_can_be_reached_is_reached(
    seed: int, first: float, second: float, along: float, near: float, straight: bool
) -> None:
    """Within 0.1 mm, wherever the target lies between the nearest and the farthest reach, and however straight the limb has to be."""
    rng = np.random.default_rng(seed)
    full, least = first + second, abs(first - second)
    away = full * (1 - 10.0**-near) if straight else least + along * (full - least)
    away = min(max(away, least), full)
    aim, up, out = R.normalize(rng.normal(size=(3, 3)))
    skeleton = Skeleton(("hip", "knee", "ankle"), np.arange(-1, 2), np.array([[0, 0, 0], first * up, second * out]))
    turns = R.normalize(rng.normal(size=(1, 3, 4)))
    clip = Clip(skeleton, turns, rng.normal(size=(1, 3)), 30.0)
    target = clip.root.astype(np.float64) + away * aim
    rotations, residual = place_limb(clip, Limb(0, 1, 2), target)
    assert residual[0] < 1e-4
    reached = Clip(skeleton, rotations, clip.root, 30.0).world(np.float64).positions[0, 2]
    assert np.linalg.norm(reached - target[0]) < 1e-4 + 2e-6  # what single precision adds


def test_a_soft_reach_is_a_named_choice() -> None:
    target = ROOT - np.array([0.0, 0.8246, 0.0])
    soft = bend_limb(ROOT, MID, END, target, softness=SOFT).residual[0]
    assert soft > 1e-3 > 1e-4 > bend_limb(ROOT, MID, END, target).residual[0]
    assert LimbParameters(reach="soft").zone == SOFT
    assert LimbParameters(reach="soft", softness=0.03).zone == 0.03


def test_knees_of_recordings_do_not_pop(corpus) -> None:
    """Legs of recordings whose body is lowered while the ankles stay: knees accelerate no more than the recorded ones."""
    ratios, missed = [], []
    files = sorted(corpus.joinpath("cmu-bvh").rglob("*.bvh"))
    for place in np.random.default_rng(4).permutation(len(files))[:12]:
        clip = load(files[place])
        recorded = clip.world(np.float64)
        dip = 0.02 * np.sin(np.linspace(0, np.pi, len(clip))) ** 2
        lower = replace(clip, root=(clip.root - dip[:, None] * np.array([0, 1, 0])).astype(np.float32))
        for role in ("left_leg", "right_leg"):
            limb = limb_of(clip.skeleton, role)
            target, hip = recorded.positions[:, limb.end], lower.world(np.float64).positions[:, limb.root]
            links = [
                np.linalg.norm(recorded.positions[0, a] - recorded.positions[0, limb.mid])
                for a in (limb.root, limb.end)
            ]
            within = np.linalg.norm(target - hip, axis=1) <= sum(links)  # a raised leg can be too far from a lower hip
            rotations, residual = place_limb(lower, limb, target)
            missed.append(residual[within].max())
            if not within.all():
                continue
            made = replace(lower, rotations=rotations.astype(np.float32)).world(np.float64)
            before, after = (
                np.abs(differentiate_twice(_bend(world.positions, limb), clip.fps))[2:-2].max()
                for world in (recorded, made)
            )
            ratios.append(after / before)
    assert len(ratios) >= 20
    assert max(missed) < 1e-4
    assert max(ratios) < 1.1


def _bend(positions: np.ndarray, limb: Limb) -> np.ndarray:
    links = [R.normalize(positions[:, limb.mid] - positions[:, other]) for other in (limb.root, limb.end)]
    return np.arccos(np.clip(np.einsum("fi,fi->f", *links), -1, 1))


@given(vectors(-0.3, 0.3))
def test_the_plane_is_kept(shift: np.ndarray) -> None:
    """Without a pole the knee stays on its side; with one it points there."""
    shift = shift * [1, 0, 1] + [0, 0.1 + abs(shift[1]), 0]  # up, so that the limb has to bend
    bend = bend_limb(ROOT, MID, END, END + shift)
    aim = R.normalize(bend.end - ROOT)
    side = bend.mid - ROOT - np.sum((bend.mid - ROOT) * aim, axis=-1, keepdims=True) * aim
    assert (side @ (MID - 0.5 * (ROOT + END)) > 0).all()
    out = bend_limb(ROOT, MID, END, END + shift, pole=(1.0, 0.0, 0.0))
    assert (out.mid[:, 0] > 0.5 * (ROOT + out.end)[:, 0] - 1e-9).all()


def test_where_it_already_is_nothing_turns() -> None:
    bend = bend_limb(ROOT, MID, END, END, softness=0.0)
    for turn in (bend.root_turn, bend.mid_turn):
        assert R.angle_between(turn, R.identity(1)).max() < 1e-7


@pytest.mark.parametrize("role", ["left_leg", "right_leg", "left_arm", "right_arm"])
def test_a_goal_where_the_limb_is_gives_the_recorded_rotations_back(role: str) -> None:
    """To a millionth of a degree, in every frame of a walk and of a kick."""
    for name in ("walk_normal", "kick_left"):
        clip = make_sample(name).clip
        limb = limb_of(clip.skeleton, role)
        there = clip.world(np.float64).positions[:, limb.end]
        rotations, residual = place_limb(clip, limb, there, parameters=LimbParameters(softness=0.0))
        given = R.normalize(clip.rotations.astype(np.float64))
        gap = R.multiply(R.conjugate(given), R.normalize(rotations))
        assert np.degrees(2 * np.linalg.norm(gap[..., 1:], axis=-1)).max() < 1e-5
        assert residual.max() < 1e-9


def test_a_soft_limb_never_gets_straight_and_never_pops() -> None:
    """A target that moves away at constant speed, through the end of reach and back."""
    way = np.concatenate([np.linspace(0.7, 0.86, 200), np.linspace(0.86, 0.7, 200)])
    target = ROOT - way[:, None] * np.array([0.0, 1.0, 0.0])
    bends = {}
    for softness in (0.0, 0.03):
        bend = bend_limb(ROOT, MID, END, target, softness=softness)
        cosine = np.einsum("ij,ij->i", R.normalize(bend.mid - ROOT), R.normalize(bend.end - bend.mid))
        bends[softness] = np.arccos(np.clip(cosine, -1, 1))
    assert bends[0.0].min() < 1e-6
    assert bends[0.03].min() > np.radians(1)
    assert np.abs(np.diff(bends[0.03], 2)).max() < 0.25 * np.abs(np.diff(bends[0.0], 2)).max()


@given(st.floats(0, 3), st.floats(0.1, 1), st.floats(0.1, 1), st.floats(0, 0.2))
def test_softened_reach_is_bounded_and_monotone(asked: float, first: float, second: float, softness: float) -> None:
    near, far = soften_reach(np.array([asked, asked + 0.01]), first, second, softness)
    assert abs(first - second) - 1e-12 <= near <= far <= first + second + 1e-12
    assert near <= max(asked, abs(first - second)) + 1e-12


def test_straight_frames_take_the_side_of_the_others() -> None:
    frames = 21
    lift = np.abs(np.linspace(-0.1, 0.1, frames))  # bent, straight in the middle, bent again
    root = np.tile(ROOT, (frames, 1))
    half = np.sqrt(0.4**2 - lift**2)
    mid = root + np.stack([0 * lift, -half, lift], axis=1)
    end = mid + np.stack([0 * lift, -half, -lift], axis=1)
    bend = bend_limb(root, mid, end, end + np.array([0, 0.1, 0]))
    assert (bend.mid[:, 2] > 0.1).all()
    assert np.abs(bend.mid[:, 0]).max() < 1e-9
    never = bend_limb(root[:1], root[:1] - [0, 0.4, 0], root[:1] - [0, 0.8, 0], root[:1] - [0, 0.6, 0], softness=0.0)
    assert never.residual[0] < 1e-9


def test_placing_a_limb_of_a_clip() -> None:
    """The ankle comes to its target, the foot keeps its rotation in the world, nothing else moves."""
    clip = make_sample("walk_normal").clip
    for role, keep in (("left_leg", True), ("right_arm", False)):
        limb = limb_of(clip.skeleton, role)
        before = clip.world(np.float64)
        target = before.positions[:, limb.end] + [0.02, 0.05, -0.03]
        rotations, residual = place_limb(clip, limb, target, parameters=LimbParameters(softness=0.0, keep_end=keep))
        after = Clip(clip.skeleton, rotations, clip.root, clip.fps).world(np.float64)
        gap = np.linalg.norm(after.positions[:, limb.end] - target, axis=1)
        np.testing.assert_allclose(gap, residual, atol=2e-6)
        assert residual.max() < 1e-9
        others = [j for j in range(len(clip.skeleton)) if j not in clip.skeleton.subtree(limb.root)]
        assert np.array_equal(before.positions[:, others], after.positions[:, others])
        turned = R.angle_between(before.rotations[:, limb.end], after.rotations[:, limb.end])
        assert (turned.max() < 1e-5) == keep


def test_weight_and_twist_joints() -> None:
    """A joint between hip and knee rides along; weight 0 changes nothing, 0.5 goes half way."""
    names = ("hip", "twist", "knee", "shin", "ankle")
    offsets = np.array([[0, 1, 0], [0, -0.2, 0.0], [0, -0.2, 0.05], [0, -0.2, -0.02], [0, -0.2, -0.03]])
    skeleton = Skeleton(names, np.arange(-1, 4), offsets)
    clip = Clip(skeleton, R.identity(3, 5), np.tile([0.0, 1.0, 0.0], (3, 1)), 60.0)
    start = clip.world(np.float64).positions[:, 4]
    target = start + [0.1, 0.15, 0.05]
    rotations, _ = place_limb(
        clip, Limb(0, 2, 4), target, weight=np.array([0.0, 0.5, 1.0]), parameters=LimbParameters(softness=0.0)
    )
    ends = Clip(skeleton, rotations, clip.root, 60.0).world(np.float64).positions[:, 4]
    np.testing.assert_allclose(ends, start + np.array([[0.0], [0.5], [1.0]]) * (target - start), atol=1e-6)
    np.testing.assert_allclose(rotations[:, [1, 3]], R.identity(3, 2), atol=1e-12)
