from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.core import rotations as R
from reenact.core.clip import Clip, JointTranslations
from reenact.graft.chain_choice import choose_chains
from reenact.graft.limb_exchange import exchange_limbs
from reenact.graft.time_map import TimeMap


def straight(start: int, end: int) -> TimeMap:
    """Frames of the source as they are."""
    return TimeMap(np.array([[start, start], [end - 1, end - 1]], float), "ranges")


def raised(clip: Clip, angle: np.ndarray) -> Clip:
    """A clip whose left upper arm is turned about one axis by these angles, and nothing else moves."""
    rotations = np.tile(clip.rotations[:1], (len(angle), 1, 1)).astype(np.float64)
    arm = clip.skeleton.roles["left_upper_arm"]
    rotations[:, arm] = R.multiply(rotations[:, arm], R.from_axis_angle((1.0, 0.0, 0.0), angle))
    return Clip(clip.skeleton, rotations, np.tile(clip.root[:1], (len(angle), 1)), 100.0, "raised")


@pytest.mark.parametrize(
    ("span", "ramps"), [((0, 200), (False, False)), ((50, 200), (True, False)), ((30, 160), (True, True))]
)
def test_limbs_pass_over_within_the_range_but_not_at_the_ends_of_the_base(sample, span, ramps) -> None:
    stand = sample("stand")
    base, source = raised(stand, np.zeros(200)), raised(stand, np.full(200, 1.0))
    made = exchange_limbs(
        base, source, source, straight(*span), choose_chains(stand.skeleton, "left_arm"), "local", 0.3
    )
    assert made.frames[0] == span[0]
    assert made.frames[-1] == span[1] - 1
    assert (made.shares[0] < 1, made.shares[-1] < 1) == ramps
    assert np.all(made.shares > 0)
    arm = stand.skeleton.roles["left_upper_arm"]
    turned = R.angle_between(made.clip.rotations[:, arm].astype(np.float64), base.rotations[:, arm].astype(np.float64))
    np.testing.assert_allclose(turned[made.frames], made.shares * 1.0, atol=1e-3)


def test_limbs_half_a_turn_apart_do_not_change_sides_within_a_blend(sample) -> None:
    stand = sample("stand")
    base = raised(stand, np.zeros(200))
    source = raised(stand, np.linspace(np.pi - 0.6, np.pi + 0.6, 200))  # passes the point opposite to the base
    made = exchange_limbs(
        base, source, source, straight(60, 200), choose_chains(stand.skeleton, "left_arm"), "local", 0.4
    )
    arm = stand.skeleton.roles["left_upper_arm"]
    steps = R.angle_between(*(made.clip.rotations[k : k + 199, arm].astype(np.float64) for k in (0, 1)))
    assert steps.max() < 0.2


def test_joints_that_move_in_their_parents_frame_move_as_in_the_source(sample) -> None:
    stand = sample("stand")
    base, source = raised(stand, np.zeros(120)), raised(stand, np.zeros(120))
    hand = stand.skeleton.roles["left_hand"]
    places = np.tile(stand.skeleton.offsets[hand] * 1.5, (120, 1, 1)).astype(np.float32)
    source = replace(source, translations=JointTranslations(np.array([hand]), places))
    chosen = choose_chains(stand.skeleton, "left_arm")
    made = exchange_limbs(base, source, source, straight(0, 120), chosen, "local", 0.0)
    np.testing.assert_array_equal(made.clip.translations.values[:, 0], places[:, 0])
    other = exchange_limbs(base, source, source, straight(0, 120), choose_chains(stand.skeleton, "head"), "local", 0.0)
    assert other.clip.translations is None


@pytest.mark.parametrize(("count", "seconds"), [(400, 1.2), (170, 0.4)])
def test_limbs_far_apart_take_their_time_where_there_is_some(sample, count: int, seconds: float) -> None:
    """An arm that hangs and one raised by 86 degrees, both still: a long range leaves time to raise it, a short one does not."""
    stand = sample("stand")
    base, source = raised(stand, np.zeros(count + 100)), raised(stand, np.full(count + 100, 1.5))
    chosen = choose_chains(stand.skeleton, "left_arm")
    made = exchange_limbs(base, source, source, straight(50, 50 + count), chosen, "local", None)
    assert int(np.argmax(made.shares == 1.0)) == round(seconds * 100)
    arm = stand.skeleton.roles["left_upper_arm"]
    assert made.haste[0] == arm
    steps = R.angle_between(*(made.clip.rotations[k : count + 99 + k, arm].astype(np.float64) for k in (0, 1)))
    np.testing.assert_allclose(made.haste[1] * 2.0, steps.max() * 100, rtol=1e-3)  # 2 rad/s are never fast
    assert (made.haste[1] < 1.15) == (seconds > 1.0)


def test_a_blend_that_is_asked_for_is_not_changed(sample) -> None:
    stand = sample("stand")
    base, source = raised(stand, np.zeros(500)), raised(stand, np.full(500, 1.5))
    chosen = choose_chains(stand.skeleton, "left_arm")
    made = exchange_limbs(base, source, source, straight(50, 450), chosen, "local", 0.2)
    assert int(np.argmax(made.shares == 1.0)) == 20
