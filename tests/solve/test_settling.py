"""Feet held again for other plants: what is settled beside what changed is what settling all gives."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.core import rotations as R
from reenact.solve import holding, settling
from reenact.solve.feet import FootTrack
from reenact.solve.holding import HeldBefore, hold_track
from reenact.solve.stances import HoldParameters

FPS = 60.0
KEPT = HoldParameters(on_floor="keep")
STEP, STEPS = 60, 30


def walked() -> tuple[FootTrack, np.ndarray, np.ndarray]:
    """A foot that walks for half a minute, that slides and trembles, and when its heel and its ball are down."""
    rng, count = np.random.default_rng(3), STEP * STEPS
    at = np.arange(count) % STEP
    roll = np.interp(at, [0, 8, 24, 36, 48, 60], [14.0, 0.0, -2.0, -35.0, 5.0, 14.0])
    turn = R.from_axis_angle(np.array([1.0, 0.0, 0.0]), -np.radians(roll + 0.2 * rng.normal(size=count)))
    swing = np.interp(at, [0, 36, 60], [0.0, 0.03, 0.7]) + np.floor(np.arange(count) / STEP) * 0.7
    ball = np.stack(
        [0.002 * rng.normal(size=count), 0.02 + 0.1 * np.sin(np.pi * np.clip((at - 36) / 24, 0, 1)), swing], 1
    )
    heel, ankle = (ball + R.rotate(turn, np.array(one)) for one in ([0.0, 0.0, -0.15], [0.0, 0.08, -0.13]))
    return FootTrack(ankle, turn, turn, heel, ball), at < 22, (at > 7) & (at < 36)


@pytest.mark.parametrize("frames", [(0, 15), (905, 925), (1025, 1030), (1750, 1800)])
def test_settled_beside_what_changed_is_settled_as_a_whole(
    frames: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    track, heel, ball = walked()
    hip = track.ankle + np.array([0.0, 0.75, 0.0])
    known = HeldBefore()
    before = hold_track(track, (heel, ball), FPS, KEPT, hip=hip, known=known)
    fewer = heel.copy(), ball.copy()
    for mask in fewer:
        mask[slice(*frames)] = False
    asked: list[int] = []
    settle = settling.settle
    for module in (holding, settling):
        monkeypatch.setattr(module, "settle", lambda one, *rest: asked.append(len(one.track)) or settle(one, *rest))
    part = hold_track(track, fewer, FPS, KEPT, hip=hip, known=known)
    assert asked
    assert max(asked) < 0.5 * len(track)
    whole = hold_track(track, fewer, FPS, KEPT, hip=hip)
    np.testing.assert_allclose(part.shift, whole.shift, atol=1e-9)
    np.testing.assert_allclose(part.turn, whole.turn, atol=1e-9)
    assert np.abs(before.shift - whole.shift).max() > 1e-3
    assert [(run.point, run.start, run.end) for run in part.runs] == [
        (run.point, run.start, run.end) for run in whole.runs
    ]


def test_what_is_felt_far_away_is_settled_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    track, heel, ball = walked()
    known = HeldBefore()
    hold_track(track, (heel, ball), FPS, KEPT, known=known)
    fewer = heel.copy()
    fewer[900:920] = False
    monkeypatch.setattr(settling, "_FELT", 1.0)  # so little is looked at that it has not faded at its rims
    monkeypatch.setattr(settling, "_LOOKS", -0.1)
    part = hold_track(track, (fewer, ball), FPS, KEPT, known=known)
    whole = hold_track(track, (fewer, ball), FPS, KEPT)
    assert np.array_equal(part.shift, whole.shift)
    assert np.array_equal(part.turn, whole.turn)
