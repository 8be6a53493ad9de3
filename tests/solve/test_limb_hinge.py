"""Limbs that bend about a known hinge: exact, on the right side, and smooth through straight and beyond."""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.samples import make_sample
from reenact.solve.limb import bend_limb, find_hinge, limb_of

HIP, KNEE, ANKLE = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.58, 0.06]), np.array([0.0, 0.16, 0.0])
HINGE = np.array([-1.0, 0.0, 0.0])  # a knee that bends forward


def test_ten_thousand_reachable_targets() -> None:
    rng = np.random.default_rng(1)
    first, second = np.linalg.norm(KNEE - HIP), np.linalg.norm(ANKLE - KNEE)
    way = R.normalize(rng.normal(size=(10_000, 3)) + [0, -1.5, 0])
    target = HIP + way * rng.uniform(0.2, 0.998 * (first + second), (10_000, 1))
    points = (np.tile(p, (len(target), 1)) for p in (HIP, KNEE, ANKLE))
    bend = bend_limb(*points, target, hinge=np.tile(HINGE, (len(target), 1)), softness=0.0)
    assert bend.residual.max() < 1e-6
    np.testing.assert_allclose(np.linalg.norm(bend.mid - HIP, axis=1), first, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(bend.end - bend.mid, axis=1), second, atol=1e-7)
    # the knee stays on its side: the plane was only turned the short way with the leg
    carried = R.rotate(R.between(np.tile(R.normalize(ANKLE - HIP), (len(way), 1)), way), HINGE)
    assert (np.einsum("ij,ij->i", np.cross(carried, way), bend.mid - HIP) > 0).all()
    far = bend_limb(HIP, KNEE, ANKLE, HIP + [0, -5.0, 0], hinge=HINGE[None], softness=0.0)
    assert np.isfinite(far.end).all()
    assert far.residual[0] > 4.0


def test_nothing_turns_where_it_already_is_even_stretched_through() -> None:
    for knee in (KNEE, KNEE * [1, 1, -1]):  # bent forward, and the wrong way
        bend = bend_limb(HIP, knee, ANKLE, ANKLE, hinge=HINGE[None], softness=0.0)
        assert R.angle_between(bend.root_turn, R.identity(1)).max() < 1e-6
        assert R.angle_between(bend.mid_turn, R.identity(1)).max() < 1e-6


def test_a_knee_stretched_through_comes_round_without_a_jump() -> None:
    knee = np.array([0.0, 0.58, -0.02])
    shorter = np.linspace(0, 0.1, 400)[:, None]
    target = ANKLE + shorter * [0, 1, 0]
    count = len(target)
    bend = bend_limb(
        np.tile(HIP, (count, 1)),
        np.tile(knee, (count, 1)),
        np.tile(ANKLE, (count, 1)),
        target,
        hinge=np.tile(HINGE, (count, 1)),
        softness=0.0,
    )
    assert np.linalg.norm(np.diff(bend.mid, axis=0), axis=1).max() < 0.01
    assert bend.mid[0, 2] < 0 < bend.mid[-1, 2]
    assert abs(bend.mid[-1, 0]) < 1e-9


def test_a_small_change_of_the_goal_moves_the_knee_little() -> None:
    rng = np.random.default_rng(2)
    target = ANKLE + rng.uniform(-0.2, 0.2, (2000, 3)) + [0, 0.15, 0]
    near = target + R.normalize(rng.normal(size=(2000, 3))) * 0.001
    knees = [
        bend_limb(HIP, KNEE, ANKLE, goal, hinge=np.tile(HINGE, (2000, 1)), softness=0.0).mid for goal in (target, near)
    ]
    assert np.linalg.norm(knees[0] - knees[1], axis=1).max() < 0.05


def test_hinges_are_found() -> None:
    """Both knees of a walk bend about the axis to the right; a leg that never bends takes it from the hips."""
    for name in ("walk_normal", "stand"):
        clip = make_sample(name).clip
        world = clip.world()
        for side in ("left", "right"):
            hinge = find_hinge(clip.skeleton, limb_of(clip.skeleton, f"{side}_leg"), [world])
            np.testing.assert_allclose(np.linalg.norm(hinge), 1.0)
            assert hinge @ [-1.0, 0.0, 0.0] > 0.9
