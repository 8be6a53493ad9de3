"""Frames to join: alike, late in the first clip, early in the second; what is lost is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.action import action_density
from reenact.core.clip import Clip
from reenact.core.cutting import CutParameters, concatenate, cut
from reenact.core.foot_plants import FootPlants
from reenact.edit.choosing import Keep, choose_frames
from reenact.edit.transition import TransitionParameters, make_transition, transition
from reenact.errors import ParameterError
from reenact.samples import make_sample

Planted = Callable[[str], tuple[Clip, FootPlants]]


def late_jump() -> Clip:
    """A jump after a long stand, and a longer stand after it that looks just like the one before."""
    stand = make_sample("stand").clip
    parts = [cut(stand, CutParameters(0, 100)), make_sample("jump_up").clip, cut(stand, CutParameters(0, 300))]
    return replace(concatenate(parts), name="late_jump")


def test_the_action_of_the_second_clip_is_played(planted: Planted) -> None:
    """Anywhere is as good as before the jump, where only poses count; what is lost decides."""
    walk, jump = planted("walk_normal")[0], late_jump()
    made = make_transition(walk, jump)
    assert made.report["into"] < 150
    assert made.report["action_of_second"] > 0.8
    assert made.report["played_of_second"] == pytest.approx(1 - made.report["into"] / len(jump), abs=1e-4)
    assert made.report["played_of_first"] > 0.5
    assert "lost" not in made.report


def test_shares_of_given_frames_are_reported_without_a_word(planted: Planted) -> None:
    walk, plants = planted("walk_normal")
    made = make_transition(walk, walk, TransitionParameters(at=100, into=300), plants, plants)
    assert made.report["played_of_first"] == pytest.approx(101 / 420, abs=1e-4)
    assert made.report["played_of_second"] == pytest.approx(120 / 420, abs=1e-4)
    assert made.report["action_of_first"] == pytest.approx(action_density(walk)[:101].sum(), abs=1e-3)
    assert "lost" not in made.report


def test_anywhere_is_where_poses_are_most_alike(planted: Planted) -> None:
    """A run that goes over into a walk only at its end: alike there, but nearly all of it is lost."""
    walk, run = planted("walk_normal")[0], planted("run")[0]
    both = replace(concatenate([run, cut(walk, CutParameters(0, 150))]), name="run_walk")
    kept, alike = choose_frames(walk, both, half=20), choose_frames(walk, both, half=20, search="anywhere")
    assert alike.into > len(run)
    assert alike.cost < kept.cost
    assert kept.into <= len(both) / 2
    assert kept.action[1] >= 0.5
    assert "% of the action of 'run_walk' is lost: it is entered at frame" in alike.lost
    assert "search anywhere" in alike.lost
    assert kept.lost == ""
    made = make_transition(walk, both, TransitionParameters(search="anywhere"))
    assert (
        made.report["lost"] == choose_frames(walk, both, half=24, search="anywhere").lost
        or "run_walk" in made.report["lost"]
    )
    with pytest.raises(ParameterError, match="search must be one of action, anywhere, not 'best'"):
        TransitionParameters(search="best")  # type: ignore[arg-type]


def early_landing() -> Clip:
    """A jump that is over soon, and a long stand."""
    jump, stand = make_sample("jump_up").clip, make_sample("stand").clip
    parts = [cut(jump, CutParameters(60, len(jump))), *[cut(stand, CutParameters(0, 300))] * 2]
    return replace(concatenate(parts), name="early")


def test_a_shorter_blend_keeps_what_lies_near_an_end(planted: Planted) -> None:
    """Half of a long blend would be as long as the action."""
    walk, early = planted("walk_normal")[0], early_landing()
    half = int(np.searchsorted(np.cumsum(action_density(early)), 0.6))
    pair = choose_frames(walk, early, half=half)
    assert half / 4 - 1 <= pair.into < half
    assert pair.action[1] >= 0.5
    assert pair.lost == ""
    made = make_transition(walk, early, TransitionParameters(window=2 * half / walk.fps))
    assert made.report["shortened_to_s"] < 2 * half / walk.fps
    assert made.report["action_of_second"] >= 0.5


def test_where_nothing_else_is_possible_it_is_said(planted: Planted) -> None:
    """A clip whose action lies within a quarter of half the blend cannot keep it."""
    walk, early = concatenate([planted("walk_normal")[0]] * 3), early_landing()
    half = 5 * int(np.searchsorted(np.cumsum(action_density(early)), 0.6))
    assert 2 * half < len(early)
    pair = choose_frames(walk, early, half=half)
    assert pair.action[1] < 0.5
    assert half <= pair.into <= half + 60  # the least that can be lost
    assert "of the action of 'early' is lost" in pair.lost
    assert "no frame with room for the blend loses less" in pair.lost


@pytest.mark.parametrize("method", ["crossfade", "inertial", "dead", "one_sided"])
def test_no_clip_loses_more_than_half(planted: Planted, method: str) -> None:
    names = ("walk_normal", "run", "kick_right", "jump_up", "sit_down", "stand_shift")
    clips = {name: planted(name) for name in names}
    for first in names:
        for second in names:
            if first == second:
                continue
            (a, plants_a), (b, plants_b) = clips[first], clips[second]
            pair = choose_frames(a, b, None, None, 20, plants_a, plants_b, one_sided=method != "crossfade")
            assert min(*pair.played, *pair.action) >= 0.5 or pair.lost, (first, second)
            assert min(pair.played) >= 0.5, (first, second)


def test_clips_in_the_middle_of_a_chain_play_mostly(planted: Planted) -> None:
    clips = [planted(name)[0] for name in ("walk_normal", "kick_right", "walk_brisk", "run")]
    made = transition(clips)
    rows = [*made.report["before"], made.report]
    assert [row["played_of_first"] >= 0.5 for row in rows] == [True] * 3
    # the kick is entered in `rows[0]` and left in `rows[1]`: what is played of it lies in between
    length = len(clips[1])
    assert rows[1]["played_of_first"] == pytest.approx((rows[1]["at"] + 1 - rows[0]["at"]) / length, abs=0.01)
    assert rows[1]["action_of_first"] >= 0.5
    assert rows[0]["played_of_second"] >= 0.75
    assert all("lost" not in row for row in rows)


def test_what_was_lost_before_counts(planted: Planted) -> None:
    """A clip that has lost 40 % already is left so late that it loses no more than 10 % more."""
    walk, run = planted("walk_normal")[0], planted("run")[0]
    pair = choose_frames(walk, run, half=20, keep=Keep(since=50, lost=(0.4, 0.4)))
    assert pair.played[0] >= 0.5
    assert (len(walk) - 1 - pair.at) / (len(walk) - 50) * 0.6 <= 0.1 + 1e-6
    plain = choose_frames(walk, run, half=20)
    assert choose_frames(walk, run, half=20, keep=Keep(leaves=True)).played[1] >= max(0.75, 0.0)
    assert plain.played[1] >= 0.5


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("first", "second"),
    [("90_08", "13_39"), ("14_21", "143_23"), ("69_18", "10_03"), ("90_02", "143_12")],
)
def test_recordings_keep_their_action(recorded: Planted, first: str, second: str) -> None:
    """A jump, punches, a kick, a walk to a box: they were entered when they were over."""
    (a, plants_a), (b, plants_b) = recorded(first), recorded(second)
    pair = choose_frames(a, b, None, None, 48, plants_a, plants_b)
    assert min(pair.played) >= 0.5
    assert min(pair.action) >= 0.5
    old = choose_frames(a, b, None, None, 48, plants_a, plants_b, search="anywhere")
    assert old.action[1] < 0.5
    assert old.lost
