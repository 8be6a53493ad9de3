"""What is let go of plants, and what is held again."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.core.foot_plants import intervals_of
from reenact.samples import make_sample
from reenact.solve import held_feet
from reenact.solve.feet import find_feet
from reenact.solve.letting_go import Cut, out_of_reach

FPS = 120.0


def test_a_long_plant_that_is_missed_for_a_moment_is_parted_not_given_up() -> None:
    planted, away = np.zeros(400, np.bool_), np.zeros(400)
    planted[50:350] = True
    away[200:206] = 0.004
    assert intervals_of(out_of_reach(planted, away, FPS)) == [(197, 209)]
    away[200:206] = 0.0015
    assert not out_of_reach(planted, away, FPS).any()


def test_what_is_left_beside_missed_frames_is_long_enough_to_stand_on() -> None:
    planted, away = np.zeros(400, np.bool_), np.zeros(400)
    planted[50:350] = True
    away[56:60], away[340:350] = 0.004, 0.004
    assert intervals_of(out_of_reach(planted, away, FPS)) == [(50, 63), (337, 350)]


def test_a_cut_has_helped_when_its_push_is_gone_or_much_less() -> None:
    cut, peaks = Cut("left", 100, 112, 106, 1.4), np.ones(300)
    assert cut.helped(peaks, FPS)
    peaks[108] = 1.25
    assert cut.helped(peaks, FPS)
    peaks[108] = 1.38
    assert not cut.helped(peaks, FPS)
    peaks[108], peaks[200] = 1.0, 3.0  # elsewhere
    assert cut.helped(peaks, FPS)


def test_plants_that_are_not_to_blame_for_a_push_are_held_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A joint that is pushed too hard whatever is let go: all plants are held in the end."""
    clip = make_sample("walk_normal", 60.0).clip
    plants = detect_plants(clip)
    pushes, seen = held_feet.joint_pushes, []

    def pushed(of, *others):  # type: ignore[no-untyped-def]
        found = pushes(of, *others)
        if of is not clip:
            seen.append(of)
            found[200, 5] = 1.3 * max(found[:, 5].max(), 2.0)
        return found

    monkeypatch.setattr(held_feet, "joint_pushes", pushed)
    feet = find_feet(clip.skeleton, clip)
    held = held_feet.hold_feet(clip, plants, feet)
    assert len(seen) > 1
    untouched, _ = held_feet.holdable_plants(plants, clip.world(np.float64), feet, clip.fps)
    for side in ("left", "right"):
        np.testing.assert_array_equal(held.plants.foot(side).plant, untouched.foot(side).plant)
