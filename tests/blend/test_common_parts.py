"""Parts that motions have in common where the whole of them does not correspond: what is taken, what is said, what stays refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reenact.blend.blend import blend
from reenact.blend.common_parts import SHORTEST
from reenact.blend.grounding import lowest_points
from reenact.blend.jumps import find_jumps
from reenact.blend.local_path import find_local_path
from reenact.blend.preparing import bring_together
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.registration_quality import GOING, pace
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootContact, FootPlants, mask_of
from reenact.errors import ParameterError
from reenact.solve.feet import find_feet

Find = Callable[[str], Clip]


class TestJumps:
    def plants(self, clip: Clip, air: tuple[int, int]) -> FootPlants:
        mask = ~mask_of([air], len(clip))
        return FootPlants(FootContact(mask, mask), FootContact(mask, mask), clip.fps)

    def risen(self, clip: Clip, start: int, end: int, metres: float) -> Clip:
        root = clip.root.copy()
        share = np.linspace(0, np.pi, end - start)
        root[start:end, 1] += metres * np.sin(share).astype(np.float32)
        return replace(clip, root=root)

    def test_a_body_that_rises_in_the_air_jumps(self, sample: Find) -> None:
        clip = self.risen(sample("stand"), 100, 140, 0.2)
        (jump,) = find_jumps(clip, self.plants(clip, (100, 140)))
        assert (jump.start, jump.end) == (100, 140)
        assert jump.rise == pytest.approx(0.2, abs=0.03)

    def test_the_flight_of_a_run_is_none(self, sample: Find) -> None:
        clip = self.risen(sample("stand"), 100, 140, 0.03)
        assert not find_jumps(clip, self.plants(clip, (100, 140)))

    def test_a_jump_that_is_not_seen_whole_is_none(self, sample: Find) -> None:
        clip = self.risen(sample("stand"), 0, 40, 0.2)
        assert not find_jumps(clip, self.plants(clip, (0, 40)))


class TestLocalPath:
    def test_a_stripe_is_found_whole(self) -> None:
        gains = np.full((30, 40), -1.0)
        cells = np.column_stack([np.arange(8, 21), np.arange(15, 28)])
        gains[cells[:, 0], cells[:, 1]] = 0.5
        assert np.array_equal(find_local_path(gains, 3), cells)

    def test_nothing_is_found_where_nothing_gains(self) -> None:
        assert len(find_local_path(np.full((5, 7), -0.1), 3)) == 0

    def test_corners_gain_nothing(self) -> None:
        """All cells alike: every path from corner to corner is worth the same, and none is worth more than the longest."""
        path = find_local_path(np.full((6, 6), 1.0), 3)
        assert tuple(path[0]) == (0, 0)
        assert tuple(path[-1]) == (5, 5)

    @pytest.mark.parametrize("seed", range(8))
    def test_the_limit_is_kept_and_no_path_gains_more(self, seed: int) -> None:
        gains = np.random.default_rng(seed).normal(-0.2, 1.0, (5, 6))
        path = find_local_path(gains, 2)
        assert _gain(gains, path) == pytest.approx(_best(gains, 2))
        assert _allowed(path, 2)


def _gain(gains: np.ndarray, path: np.ndarray) -> float:
    diagonal = np.concatenate([[True], (np.diff(path, axis=0) == 1).all(axis=1)])
    return float((gains[path[:, 0], path[:, 1]] * np.where(diagonal, 2, 1)).sum())


def _allowed(path: np.ndarray, limit: int) -> bool:
    steps = ["d" if (a, b) == (1, 1) else "v" if a else "h" for a, b in np.diff(path, axis=0).tolist()]
    return all(c * (limit + 1) not in "".join(steps) for c in "vh")


def _best(gains: np.ndarray, limit: int) -> float:
    """By trying every path."""

    def on(i: int, j: int, kind: str, run: int) -> float:
        best = 0.0
        for down, right, name in ((1, 1, "d"), (1, 0, "v"), (0, 1, "h")):
            a, b, again = i + down, j + right, run + 1 if name == kind else 1
            if a < len(gains) and b < gains.shape[1] and (name == "d" or again <= limit):
                best = max(best, (2 if name == "d" else 1) * gains[a, b] + on(a, b, name, again))
        return best

    return max(2 * gains[i, j] + on(i, j, "d", 0) for i in range(len(gains)) for j in range(gains.shape[1]))


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("a", "b", "what"),
    [
        ("16_35", "16_57", "travel"),  # a run x a run that stops
        ("16_39", "16_42", "steps"),  # a run that veers x one that turns
        ("16_07", "118_03", "the jump"),  # two jumps, one with a long way before it
    ],
)
def test_what_motions_have_in_common_is_used(recording: Find, a: str, b: str, what: str) -> None:
    clips = [recording(a), recording(b)]
    with pytest.raises(ParameterError, match="do not correspond"):
        register(clips, RegistrationParameters(trim="off"))
    curve = register(clips)
    assert curve.quality.verdict != "refused"
    assert curve.quality.q <= RegistrationParameters().most_q
    assert what in curve.part
    assert "above the limit" in curve.part  # why the rest is left out
    lengths = [(end - start) / curve.fps for start, end in curve.ranges]
    assert np.mean(lengths) >= SHORTEST
    for clip, own, (start, end) in zip(curve.clips, curve.plants, curve.ranges, strict=True):
        assert 0 <= start < end
        assert f"frames {start} to {end}" in curve.part
        if what == "the jump":
            assert own is not None
            assert find_jumps(clip, own)
        else:
            assert pace(clip, 0, len(clip)) > GOING


@pytest.mark.corpus
@pytest.mark.parametrize(("a", "b"), [("127_09", "127_05"), ("127_09", "128_05")])  # runs x a run that stops
def test_two_steps_are_held_to_the_limit_of_gaits_in_step(recording: Find, a: str, b: str) -> None:
    curve = register([recording(a), recording(b)])
    limits = RegistrationParameters()
    assert limits.most_q < curve.quality.q <= limits.most_q_in_step
    assert "2 steps with the same feet" in curve.part
    assert all(pair.in_step for pair in curve.quality.pairs)
    with pytest.raises(ParameterError, match="no part of use corresponds"):
        register([recording(a), recording(b)], RegistrationParameters(most_q_in_step=limits.most_q))


@pytest.mark.corpus
def test_a_jump_is_found_in_a_take_that_is_much_longer(recording: Find) -> None:
    """4 s and 38 s: no path can join the whole of them."""
    clips = [recording("118_09"), recording("86_01")]
    with pytest.raises(ParameterError, match="cannot be matched"):
        register(clips, RegistrationParameters(trim="off"))
    curve = register(clips)
    assert "the jump" in curve.part
    assert "cannot be matched" in curve.part
    with pytest.raises(ParameterError, match="cannot be matched"):
        register(clips, RegistrationParameters(gate="off"))


@pytest.mark.corpus
def test_a_blend_says_which_part_it_uses(recording: Find) -> None:
    report = blend([recording("16_39"), recording("16_42")]).report
    assert report["part"].startswith("only a part of these motions is used, 2 steps with the same feet")


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("16_14", "141_31"),  # forward x backward walk
        ("132_29", "143_39"),
        ("143_38", "143_39"),  # of one subject
        ("69_20", "141_33"),  # forward x sideways
        ("16_17", "128_09"),  # a walk x the way up to a roll: in step, yet q is 0.80
        ("16_28", "128_09"),  # and here one is more than twice as fast
        ("136_25", "15_01"),  # q 0.78, backwards x about a room
        ("143_17", "77_19"),  # stairs x limping
        ("83_40", "90_05"),  # a hop x a jump kick: q 0.84
    ],
)
def test_what_has_nothing_of_use_in_common_stays_refused(recording: Find, a: str, b: str) -> None:
    """Bodies stand alike before they walk off in different directions: no reason to blend that."""
    with pytest.raises(ParameterError, match="no part of use corresponds"):
        register([recording(a), recording(b)])


@pytest.mark.corpus
def test_a_jump_is_not_left_out(recording: Find) -> None:
    """The steps up to a jump may be like those of a run; the jump is what the clip is there for."""
    clips, plants = bring_together([recording("16_35"), recording("127_25")])
    assert plants[1] is not None
    assert find_jumps(clips[1], plants[1])
    with pytest.raises(ParameterError, match="no part of use corresponds"):
        register(clips, None, plants)


@pytest.mark.corpus
def test_a_step_off_a_stair_is_not_on_the_floor(recording: Find) -> None:
    """Half of a stair is nothing to stand on: what is left of these two are the steps after it."""
    curve = register([recording("143_17"), recording("143_32")])
    high = [float(lowest_points(clip, find_feet(clip.skeleton, clip))[:10].mean()) for clip in curve.clips]
    assert abs(high[0] - high[1]) < 0.08


@pytest.mark.corpus
def test_a_turn_in_the_air_is_no_other_way(recording: Find) -> None:
    """A body that turns while it jumps flies on as it took off: 17 % of this pair were taken for going astray."""
    curve = register([recording("91_46"), recording("13_11")], RegistrationParameters(trim="off"))
    assert curve.quality.pairs[0].astray < 0.05
    assert curve.quality.verdict == "good"
