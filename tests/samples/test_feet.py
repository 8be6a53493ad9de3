"""Planned feet: order of times, roll about fixed points, swings that join smoothly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.errors import ParameterError
from reenact.samples.feet import hermite, lowest_point, move_foot, swing
from reenact.samples.plan import FootPlan, Stance, left_share

BEFORE = Stance("left", (0.1, 0.0), 0.0, -1.0, -1.0, -0.3, 0.0, 0.0, -0.9)
AFTER = Stance("left", (0.12, 1.3), 0.1, 0.42, 0.55, 0.8, 1.1, 0.4, -0.9, "walk")
TIMES = np.arange(-60, 130) / 120


def test_wrong_plans_are_refused() -> None:
    with pytest.raises(ParameterError, match="must come in order"):
        replace(BEFORE, rise=-2.0)
    with pytest.raises(ParameterError, match="left foot strikes at"):
        FootPlan((BEFORE, replace(AFTER, strike=-0.1)), (), 0.0, 1.0)


def test_contacts_follow_the_roll() -> None:
    """Heel alone, then both, then ball alone, then air."""
    foot = move_foot((BEFORE, AFTER, replace(AFTER, strike=2.0, flat=2.1, rise=3.0, lift=3.1)), TIMES, 1.2)
    stance = (AFTER.strike <= TIMES) & (TIMES <= 1.08)
    heel, ball = foot.heel[stance], foot.ball[stance]
    phases = [(bool(h), bool(b)) for h, b in zip(heel, ball, strict=True)]
    order = [phase for k, phase in enumerate(phases) if k == 0 or phase != phases[k - 1]]
    assert order == [(True, False), (True, True), (False, True)]
    air = (TIMES > 0) & (AFTER.strike > TIMES)
    assert not foot.down[air].any()
    assert foot.air[air].max() == pytest.approx(1.0)
    assert np.isnan(foot.heel_place[air]).all()


@pytest.mark.parametrize("style", ["walk", "run", "plain", "jump"])
def test_swings_join_the_stances(style: str) -> None:
    """Places fit at both ends, velocities too, but for the speed at which a foot comes down on the floor."""
    after = replace(AFTER, style=style)
    foot = move_foot((BEFORE, after), TIMES, 1.5)
    assert np.linalg.norm(np.diff(foot.ankle, axis=0), axis=1).max() * 120 < 9.0
    fine = np.linspace(1e-5, 2e-4, 3)
    start, end = swing(BEFORE, after, fine, 1.5), swing(BEFORE, after, after.strike - fine, 1.5)
    planted = move_foot((BEFORE, after), np.array([0.0, after.strike]), 1.5)
    np.testing.assert_allclose(start[0, :3], planted.ankle[0], atol=1e-3)
    np.testing.assert_allclose(end[0, :3], planted.ankle[1], atol=1e-3)
    assert lowest_point(swing(BEFORE, after, np.linspace(0.001, 0.419, 200), 1.5)).min() > -1e-9


@given(*[st.floats(-2, 2)] * 6)
def test_quintic_ends(p0: float, v0: float, a0: float, p1: float, v1: float, a1: float) -> None:
    ends = [np.array([v]) for v in (p0, v0, a0, p1, v1, a1)]
    s, h = np.array([0.0, 0.5, 1.0]), 1e-4
    values = hermite(s, *ends)[:, 0]
    assert values[[0, 2]] == pytest.approx([p0, p1], abs=1e-9)
    near, far = hermite(np.array([0, h, 2 * h]), *ends)[:, 0], hermite(np.array([1 - 2 * h, 1 - h, 1]), *ends)[:, 0]
    assert [(near[1] - near[0]) / h, (far[2] - far[1]) / h] == pytest.approx([v0, v1], abs=0.01)
    assert [np.diff(near, 2)[0] / h**2, np.diff(far, 2)[0] / h**2] == pytest.approx([a0, a1], abs=0.1)


def test_weight_passes_from_foot_to_foot() -> None:
    def stance(side: str, strike: float, lift: float) -> Stance:
        return Stance(side, (0.0, 0.0), 0.0, strike, strike, lift, lift)

    walk = FootPlan(
        (stance("left", -3, 1.2), stance("left", 1.6, 5)), (stance("right", -3, 0.5), stance("right", 1.0, 5)), 0.0, 4.0
    )
    share = left_share(walk, np.array([-1.0, 0.5, 0.8, 1.0, 1.1, 1.2, 1.5, 3.0]))
    np.testing.assert_allclose(share, [0.5, 1, 1, 1, 0.5, 0, 0, 0.5], atol=1e-9)
    run = FootPlan(
        (stance("left", -3, 0.2), stance("left", 0.9, 3)),
        (stance("right", 0.35, 0.6), stance("right", 1.2, 3)),
        0.0,
        1.0,
    )
    assert left_share(run, np.array([0.2]))[0] == pytest.approx(1.0)
    assert left_share(run, np.array([0.4, 0.55])).max() < 1e-9
