"""Feet led on another body: what is led again in parts is what leading as a whole gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.carried_plants import known_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.samples import make_sample
from reenact.solve.feet import find_feet
from reenact.solve.held_feet import let_go
from reenact.solve.joint_pushes import around, pushes_and_usual
from reenact.solve.leading import Leading

TIMES = 6


def long_walk(lower: float) -> tuple[Clip, FootPlants, Leading]:
    """A walk there and back for most of a minute, its ankles wanted lower while they are planted."""
    sample = make_sample("walk_normal")
    clip, plants = sample.clip, known_plants(sample.clip, None, wanted=True)
    assert plants is not None
    order = np.concatenate([np.arange(len(clip))[:: 1 if n % 2 == 0 else -1] for n in range(TIMES)])
    clip = replace(clip, rotations=clip.rotations[order], root=clip.root[order])
    plants = plants.picked(order)
    feet = find_feet(clip.skeleton, clip)
    rng = np.random.default_rng(5)
    shifts = np.zeros((len(clip), 2, 3))
    for n, foot in enumerate(feet):
        for start, end in plants.foot(foot.side).intervals():
            shifts[start:end, n] = [0.0, -lower, 0.0] + 0.01 * rng.normal(size=3)
    pushes, usual = pushes_and_usual(clip)
    return clip, plants, Leading(clip, feet, shifts, np.maximum(usual, around(pushes)))


@pytest.mark.parametrize("at", [0.02, 0.5, 0.97])
def test_parts_are_as_the_whole(at: float) -> None:
    clip, plants, leading = long_walk(0.02)
    before = leading.lead(plants)
    start = round(at * len(clip))
    free = np.zeros(len(clip), np.bool_)
    free[start : start + 20] = True
    fewer = let_go(plants, {"left": free, "right": free})
    part, whole = leading.lead(fewer, before), leading.lead(fewer)
    assert whole.whole
    assert not part.whole
    first, second = (one.clip.world(np.float64).positions for one in (part, whole))
    changed = np.abs(before.clip.world(np.float64).positions - second).max(axis=(1, 2))
    assert changed.max() > 0.002
    # how hard the body is mostly pushed, which tells how calm it has to be, is that of the clip before: that differs by a hair
    assert np.abs(first - second).max() < 0.03 * changed.max()
    np.testing.assert_allclose(part.ratios, whole.ratios, atol=0.02)


def test_what_stays_the_same_is_not_led_again() -> None:
    clip, plants, leading = long_walk(0.02)
    before = leading.lead(plants)
    again = leading.lead(plants, before)
    assert np.array_equal(again.clip.rotations, before.clip.rotations)
    assert np.array_equal(again.ratios, before.ratios)
    assert len(again.clip) == len(clip)


def test_gently_led_is_as_led_as_a_whole_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    _, plants, leading = long_walk(0.05)
    parts, in_parts = [], Leading._in_parts
    monkeypatch.setattr(
        Leading, "_in_parts", lambda self, *given: parts.append(given[-1].mean()) or in_parts(self, *given)
    )
    kept, made = leading.lead_gently(plants, 12)
    assert parts
    assert sum(kept.foot(side).plant.sum() for side in ("left", "right")) < sum(
        plants.foot(side).plant.sum() for side in ("left", "right")
    )
    lead = Leading.lead
    monkeypatch.setattr(Leading, "lead", lambda self, given, _=None: lead(self, given))
    same, plain = leading.lead_gently(plants, 12)
    for side in ("left", "right"):
        one, other = kept.foot(side), same.foot(side)
        assert isinstance(one, FootContact)
        assert np.array_equal(one.heel, other.heel)
        assert np.array_equal(one.ball, other.ball)
    assert np.array_equal(made.rotations, plain.rotations)
    assert np.array_equal(made.root, plain.root)
