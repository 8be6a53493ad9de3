"""Limbs of a blend bend as far as in its sources, and no farther."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.core import rotations as R
from reenact.edit.limb_range import find_hinges, keep_bends, measure_bend
from reenact.samples import make_sample


def stretched_through(angle: float):
    """A walk whose left knee is turned back about its hinge by an angle (F,) that comes and goes, and its hinges."""
    walk = make_sample("walk_normal").clip
    hinges = find_hinges(walk.skeleton, [walk])  # in the frame of the hip joint, which the knee hangs on
    knee = next(h for h in hinges if h.limb.mid == walk.skeleton.roles["left_lower_leg"])
    rotations = walk.rotations.astype(np.float64)
    turn = angle * np.sin(np.linspace(0, np.pi, len(walk)))
    rotations[:, knee.limb.mid] = R.multiply(R.from_axis_angle(knee.axis, turn), rotations[:, knee.limb.mid])
    return walk, replace(walk, rotations=rotations.astype(np.float32)), hinges, knee


def test_all_four_limbs_are_found_and_bend_the_right_way() -> None:
    walk = make_sample("walk_normal").clip
    hinges = find_hinges(walk.skeleton, [walk])
    assert len(hinges) == 4
    for hinge in hinges:
        assert measure_bend(walk.world(np.float64), hinge).mean() > np.radians(3)


def test_a_motion_within_its_own_range_is_not_touched() -> None:
    walk = make_sample("walk_normal").clip
    assert keep_bends(walk, [walk], find_hinges(walk.skeleton, [walk])) is walk


@pytest.mark.parametrize("degrees", [20.0, 60.0, 120.0])
def test_a_knee_that_is_bent_through_comes_back(degrees: float) -> None:
    walk, bad, hinges, knee = stretched_through(np.radians(degrees))
    least = measure_bend(walk.world(np.float64), knee).min()
    before = measure_bend(bad.world(np.float64), knee)
    assert before.min() < least - np.radians(10)
    good = keep_bends(bad, [walk], hinges)
    after = measure_bend(good.world(np.float64), knee)
    assert after.min() > least - np.radians(5.01)
    # frames that were within the range stay what they are, and only that knee is changed
    inside = before >= least
    np.testing.assert_allclose(after[inside], before[inside], atol=1e-5)
    others = [joint for joint in range(len(walk.skeleton)) if joint != knee.limb.mid]
    np.testing.assert_array_equal(good.rotations[:, others], bad.rotations[:, others])
    # and nothing jumps
    assert np.abs(np.diff(after)).max() <= np.abs(np.diff(before)).max() + 1e-6


def test_a_knee_that_is_folded_too_far_opens() -> None:
    walk, bad, hinges, knee = stretched_through(np.radians(-160.0))
    after = measure_bend(keep_bends(bad, [walk], hinges).world(np.float64), knee)
    assert np.unwrap(after).max() < np.radians(145.1)
