"""The frame rate: whole clips of a made jump, and the weighing of evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.balance import NO_BALANCE, Balance
from reenact.analysis.frame_rate import FrameRateGuess, detect_frame_rate, weigh_evidence
from reenact.analysis.free_flight import Fall, Flight, G
from reenact.analysis.known_recordings import KNOWN, KnownSubject, find_known
from reenact.analysis.walking_strides import WalkingStrides
from reenact.core.clip import Clip
from reenact.core.skeleton import Skeleton
from reenact.samples import make_sample, sample_names

Make = Callable[..., Clip]
NO_STRIDES = WalkingStrides(np.empty(0), np.empty(0), 0.83)


def jumping(body: Skeleton, standing: Make, fps: float) -> Clip:
    """A jump of half a second between two rests, recorded at 60 Hz, whatever `fps` says."""
    times = np.arange(120) / 60 - 0.7
    height = np.where((times > 0) & (times < 0.5), G / 2 * times * (0.5 - times), 0.0)
    return standing(body, np.stack([0 * times, 0.93 + height, 0 * times], axis=1), fps)


@pytest.mark.parametrize(("header", "factor", "suggested"), [(60, 1, None), (120, 2, 60), (30, 0.5, 60), (240, 4, 60)])
@pytest.mark.parametrize("named", [True, False])
def test_a_jump_tells_the_rate(
    header: float,
    factor: float,
    suggested: float | None,
    named: bool,
    body: Skeleton,
    nameless: Skeleton,
    standing: Make,
) -> None:
    found = detect_frame_rate(jumping(body if named else nameless, standing, header))
    assert (found.factor, found.suggested_fps) == (factor, suggested)
    assert found.confidence > 0.8


def test_a_given_world_gives_the_same_answer(body: Skeleton, standing: Make) -> None:
    clip = jumping(body, standing, 120.0)
    assert detect_frame_rate(clip, clip.world()) == detect_frame_rate(clip)


def test_the_finding_says_what_to_do(body: Skeleton, standing: Make) -> None:
    found = detect_frame_rate(jumping(body, standing, 120.0))
    (finding,) = found.findings("a.bvh")
    assert (finding.code, finding.severity, finding.fixed) == ("frame-rate.suspect", "warning", False)
    assert "--fps 60" in finding.message
    assert "2 times too fast" in finding.message
    (finding,) = found.findings("a.bvh", applied=True)
    assert (finding.code, finding.fixed) == ("frame-rate.changed", True)


@pytest.mark.parametrize("frames", [0, 1, 2, 5, 30])
def test_standing_still_tells_nothing(frames: int, body: Skeleton, standing: Make) -> None:
    found = detect_frame_rate(standing(body, np.tile([0, 0.93, 0], (frames, 1)), 60.0))
    assert (found.suggested_fps, found.confidence) == (None, 0.0)
    assert found.findings("a") == ()


def test_a_rope_tells_nothing(standing: Make) -> None:
    rope = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1.0, 0]]))
    assert detect_frame_rate(standing(rope, np.zeros((50, 3)))).suggested_fps is None


def weigh(
    flights: list[Flight] | None = None,
    falls: list[Fall] | None = None,
    strides: WalkingStrides = NO_STRIDES,
    balance: Balance = NO_BALANCE,
    subject: KnownSubject | None = None,
) -> FrameRateGuess:
    return weigh_evidence(120.0, flights or [], falls or [], strides, balance, subject)


def test_a_flight_at_g_outweighs_hasty_strides_and_faults() -> None:
    hasty = WalkingStrides(np.full(6, 1.9), np.full(6, 1.2), 0.83)
    deep = Fall(0.1, 4 * G, 0.02, 30.0)
    assert weigh(falls=[deep], strides=hasty).factor == 2
    assert weigh([Flight(0.4, 10.0, 0.2)], [deep], hasty).factor == 1


def test_one_low_flight_is_not_enough() -> None:
    assert weigh([Flight(0.06, 4 * G, 0.018)]).factor == 1
    assert weigh([Flight(0.06, 4 * G, 0.018), Flight(0.06, 3.8 * G, 0.016)]).factor == 2
    assert weigh([Flight(0.5, G / 4, 0.08)]).factor == 1  # a step over a box looks the same
    assert weigh([Flight(0.8, G / 4, 0.2)]).factor == 0.5


@pytest.mark.parametrize(
    ("fall", "factor"),
    [
        (Fall(0.1, 3.8 * G, 0.03, 40.0), 2),
        (Fall(0.1, 3.8 * G, 0.3, 40.0), 1),  # rough: a fault
        (Fall(0.1, 3.8 * G, 0.03, 2.0), 1),  # nothing pushed off: a drift
        (Fall(0.1, 1.8 * G, 0.03, 40.0), 1),  # within the error of the centre of mass
    ],
)
def test_falls(fall: Fall, factor: float) -> None:
    assert weigh(falls=[fall]).factor == factor


@pytest.mark.parametrize(
    ("rate", "length", "count", "factor"),
    [(0.9, 1.3, 8, 1), (1.3, 1.6, 8, 1), (1.8, 1.3, 8, 2), (1.8, 1.3, 2, 1), (3.6, 1.3, 8, 4), (0.95, 0.7, 8, 1)],
)
def test_strides(rate: float, length: float, count: int, factor: float) -> None:
    assert weigh(strides=WalkingStrides(np.full(count, rate), np.full(count, length), 0.83)).factor == factor


@pytest.mark.parametrize(
    ("balance", "factor"),
    [
        (Balance(np.full(8, 0.75), (0.6, 0.8), 4.0, 0.3), 1),
        (Balance(np.full(8, 1.5), (1.2, 1.5), 4.0, 0.3), 1),  # the most that right recordings show
        (Balance(np.full(8, 3.0), (2.4, 3.2), 4.0, 0.3), 2),
        (Balance(np.full(1, 3.0), (0.4, 0.6), 4.0, 0.3), 1),  # one odd step in a calm clip
        (Balance(np.full(8, 12.0), (10.0, 13.0), 4.0, 0.3), 4),
        (Balance(np.empty(0), (9.0, 9.0), 4.0, 0.3), 1),  # loads alone are not enough: hands may carry
        (Balance(np.empty(0), (0.6, 0.9), 4.0, 1.8), 2),  # nobody sits down that fast
        (Balance(np.empty(0), (0.6, 0.9), 4.0, 1.2), 1),
    ],
)
def test_balance(balance: Balance, factor: float) -> None:
    found = weigh(balance=balance)
    assert found.factor == factor
    assert (found.suggested_fps is None) == (factor == 1)


def test_evidence_adds_up() -> None:
    """Neither strides nor steps would do alone."""
    hasty = WalkingStrides(np.full(6, 1.3), np.full(6, 1.1), 0.83)
    leaning = Balance(np.full(6, 2.0), (1.3, 1.9), 3.0, 0.2)
    assert weigh(strides=hasty).factor == 1
    assert weigh(balance=leaning).factor == 1
    both = weigh(strides=hasty, balance=leaning)
    assert both.factor == 2
    assert 0.88 <= both.confidence < 0.99
    calm = WalkingStrides(np.full(6, 0.9), np.full(6, 1.3), 0.83)
    assert weigh(strides=calm, balance=leaning).factor == 1
    assert weigh(strides=calm, balance=leaning).confidence > 0.5  # that the rate is right


def test_too_slow_needs_slow_strides_and_weak_pushes() -> None:
    slow = WalkingStrides(np.full(6, 0.45), np.full(6, 1.3), 0.83)
    weak = Balance(np.full(6, 0.18), (0.2, 0.3), 3.0, 0.2)
    assert weigh(strides=slow).factor == 1
    assert weigh(balance=weak).factor == 1
    assert weigh(strides=slow, balance=weak).factor == 0.5
    assert weigh(strides=slow, balance=weak).suggested_fps == 240


def test_known_bones_count_where_nothing_else_tells() -> None:
    subject = KNOWN[0]
    found = weigh(subject=subject)
    assert (found.factor, found.suggested_fps) == (2.0, 60.0)
    assert subject.name in found.evidence[-1]
    assert weigh([Flight(0.4, 10.0, 0.2)], subject=subject).factor == 1  # a flight at g outweighs them


def test_known_subjects_are_found_by_their_bones(body: Skeleton) -> None:
    subject = KNOWN[3]
    ends = [f"{side}_{bone}" for bone in ("lower_leg", "foot", "lower_arm", "hand") for side in ("left", "right")]
    offsets = body.offsets.copy()
    for role, length in zip(ends, subject.bones, strict=True):
        joint = body.roles[role]
        offsets[joint] *= length / np.linalg.norm(offsets[joint])
    same = replace(body, offsets=offsets)
    assert find_known(same, 120.0) == subject
    assert find_known(same, 60.0) is None  # their true rate
    assert find_known(same.scaled(1.02), 120.0) is None
    assert find_known(body, 120.0) is None
    assert find_known(same.with_roles({"hips": 0}), 120.0) is None
    clip = Clip(same, np.tile([1.0, 0, 0, 0], (30, len(same), 1)), np.tile([0, 0.93, 0.0], (30, 1)), 120.0)
    assert detect_frame_rate(clip).suggested_fps == 60.0
    assert detect_frame_rate(clip, known=False).suggested_fps is None


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_samples_at_wrong_rates(fps: float) -> None:
    """No sample raises an alarm at its own rate; every walk, run and jump does when it is said to be recorded twice as fast."""
    missed = []
    for name in sample_names():
        sample = make_sample(name, fps)
        assert detect_frame_rate(sample.clip).factor == 1, name
        found = detect_frame_rate(replace(sample.clip, fps=2 * fps)).factor
        assert found in (1, 2), name
        missed += [name] if sample.type in ("walk", "run", "jump") and found == 1 else []
    assert missed == []


def test_bodies_with_short_legs_are_no_people() -> None:
    """Their size is anybody's guess, and so is how fast they fall."""
    clip = make_sample("jump_up", 60.0).clip
    assert detect_frame_rate(replace(clip, fps=120.0)).factor == 2
    roles, offsets = clip.skeleton.roles, clip.skeleton.offsets.copy()
    for side in ("left", "right"):
        for bone in ("lower_leg", "foot"):
            offsets[roles[f"{side}_{bone}"]] *= 0.4
    short = replace(clip, skeleton=replace(clip.skeleton, offsets=offsets), fps=120.0)
    assert detect_frame_rate(short) == FrameRateGuess(None, 1.0, 0.0, ())


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
def test_damaged_numbers_suggest_nothing(bad: float, body: Skeleton, standing: Make) -> None:
    clip = jumping(body, standing, 120.0)
    root = clip.root.copy()
    root[40:60] = bad
    assert detect_frame_rate(standing(body, root, 120.0)).suggested_fps is None


@pytest.mark.parametrize("size", [0.05, 20.0])
def test_gravity_says_nothing_of_dwarfs_and_giants(size: float) -> None:
    """A body twenty times as large falls at twenty g on the same frames: its unit is wrong, not its frame rate."""
    clip = make_sample("jump_up").clip
    skeleton = clip.skeleton.scaled(size)
    guess = detect_frame_rate(replace(clip, skeleton=skeleton, root=clip.root * np.float32(size)))
    assert guess.suggested_fps is None
    assert guess.confidence == 0.0
