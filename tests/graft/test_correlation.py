from __future__ import annotations

import itertools

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.core.pose_sampling import sample_poses_of
from reenact.errors import ParameterError
from reenact.graft.correlation import CROSSED, correlate_plants, goes_backwards
from reenact.graft.single_supports import cycle_frames, find_single_supports


def plants_of(left: list[tuple[int, int]], right: list[tuple[int, int]], frames: int, fps: float = 100.0) -> FootPlants:
    """Plants by their intervals."""
    feet = []
    for spans in (left, right):
        mask = np.zeros(frames, bool)
        for start, end in spans:
            mask[start:end] = True
        feet.append(FootContact(mask, mask))
    return FootPlants(feet[0], feet[1], fps)


def gait(cycles: int, cycle: int, stance: float, start: int = 0) -> FootPlants:
    """A regular gait: the left foot first; a stance above half a cycle is a walk, below it a run."""
    length, half = round(cycle * stance), cycle // 2
    left = [(start + n * cycle, start + n * cycle + length) for n in range(cycles)]
    right = [(a + half, b + half) for a, b in left]
    return plants_of(left, right, start + cycles * cycle + half + length)


def clip_for(plants: FootPlants, name: str, like: Clip) -> Clip:
    return Clip(
        like.skeleton, np.tile(like.rotations[:1], (len(plants), 1, 1)), np.zeros((len(plants), 3)), plants.fps, name
    )


def test_a_motion_without_plants_is_refused(sample) -> None:
    walk, none = gait(3, 100, 0.6), plants_of([], [], 100)
    a, b = clip_for(walk, "walk", sample("stand")), clip_for(none, "floats", sample("stand"))
    with pytest.raises(ParameterError, match=r"floats.*never stands on one foot alone \(no foot is ever planted\)"):
        correlate_plants(a, b, walk, none)


def test_a_motion_on_both_feet_is_refused(sample) -> None:
    walk, stand = gait(3, 100, 0.6), plants_of([(0, 100)], [(0, 100)], 100)
    a, b = clip_for(walk, "walk", sample("stand")), clip_for(stand, "stands", sample("stand"))
    with pytest.raises(ParameterError, match="never stands on one foot alone, so"):
        correlate_plants(a, b, walk, stand)


def test_feet_that_never_meet_are_refused(sample) -> None:
    left, right = plants_of([(10, 40)], [], 60), plants_of([], [(10, 40)], 60)
    a, b = clip_for(left, "left", sample("stand")), clip_for(right, "right", sample("stand"))
    with pytest.raises(ParameterError, match="no foot plant in common"):
        correlate_plants(a, b, left, right)


def test_shifts_differ_by_one_cycle_and_the_feet_always_match(sample) -> None:
    walk, run = gait(5, 120, 0.6), gait(4, 80, 0.35, start=7)
    a, b = clip_for(walk, "walk", sample("stand")), clip_for(run, "run", sample("stand"))
    maps = correlate_plants(a, b, walk, run)
    ours, theirs = find_single_supports(walk), find_single_supports(run)
    assert 0 in [one.shift for one in maps]
    assert [one.shift for one in maps] == sorted({one.shift for one in maps})
    for one in maps:
        assert all(ours[i].foot == theirs[j].foot == foot for (i, j), foot in zip(one.pairs, one.feet, strict=True))
        assert np.all(np.diff(one.anchors, axis=0) > 0)
    cycle = cycle_frames(theirs)
    assert cycle == pytest.approx(80, abs=1)
    for one, other in itertools.pairwise(maps):
        at = 0.5 * (max(one.start, other.start) + min(one.end, other.end))
        assert one.at(at) - other.at(at) == pytest.approx(cycle, abs=8)
        assert other.shift - one.shift == 1


def test_drop_outs_of_a_detector_do_not_change_the_pairing(sample) -> None:
    walk = gait(4, 120, 0.6)
    left = [(a, b) for a, b in walk.left.intervals()]
    torn = plants_of([*left[:1], (left[1][0], left[1][0] + 30), (left[1][0] + 33, left[1][1]), *left[2:]],
                     walk.right.intervals(), len(walk))  # fmt: skip
    assert [one.foot for one in find_single_supports(torn)] == [one.foot for one in find_single_supports(walk)]


def test_nothing_before_the_first_plant_or_after_the_last_has_a_partner(sample) -> None:
    walk = gait(3, 100, 0.6, start=25)
    a = clip_for(walk, "walk", sample("stand"))
    one = next(one for one in correlate_plants(a, a.renamed("again"), walk, walk) if one.shift == 0)
    assert one.start >= 25
    planted = np.flatnonzero(walk.left.plant | walk.right.plant)
    assert one.end <= planted[-1] + 1
    np.testing.assert_allclose(one.at(one.frames), one.frames, atol=1e-9)


@pytest.mark.parametrize("strength", [0.15, 0.3])
def test_a_warped_copy_of_a_walk_is_found_again(recording, strength: float) -> None:
    walk = recording("16_15")
    u = np.arange(len(walk)) / (len(walk) - 1)
    warp = (len(walk) - 1) * (u + strength * np.sin(2 * np.pi * u) / (2 * np.pi))  # the copy's frame f shows warp[f]
    copy = sample_poses_of(walk, warp).as_clip(walk.fps, "copy")
    plants, copied = detect_plants(walk), detect_plants(copy)
    maps = correlate_plants(walk, copy, plants, copied)
    best = max(maps, key=lambda one: len(one.frames))
    true = np.interp(best.frames, warp, np.arange(len(walk)))  # the copy's frame that shows a frame of the walk
    for one in (best, best.smoothed(walk.fps)):
        assert np.mean(np.abs(one.at(best.frames) - true)) <= 3
    assert len(best.frames) > 0.8 * len(walk)


def test_walk_and_run_are_paired_foot_by_foot(recording) -> None:
    walk, run = recording("16_15"), recording("16_35")
    plants, others = detect_plants(walk), detect_plants(run)
    maps = correlate_plants(walk, run, plants, others)
    assert len(maps) >= 3
    for one in maps:
        for (i, j), foot in zip(one.pairs, one.feet, strict=True):
            ours, theirs = find_single_supports(plants)[i], find_single_supports(others)[j]
            assert ours.foot == theirs.foot == foot
        inner = one.anchors[1:-1]
        ours, theirs = find_single_supports(plants), find_single_supports(others)
        edges = {
            (e, f) for i, j in one.pairs for e, f in ((ours[i].start, theirs[j].start), (ours[i].end, theirs[j].end))
        }
        assert {tuple(row) for row in inner} <= edges  # a foot begins or ends to stand alone in both


def test_legs_that_look_alike_can_be_asked_for(recording) -> None:
    walk, stride = recording("08_01"), recording("08_07")
    plants, others = detect_plants(walk), detect_plants(stride)
    every = correlate_plants(walk, stride, plants, others)
    assert correlate_plants(walk, stride, plants, others, similar=1e3)[0].pairs == every[0].pairs
    with pytest.raises(ParameterError, match="no foot plant in common"):
        correlate_plants(walk, stride, plants, others, similar=1e-4)


def test_who_goes_backwards(sample, recording) -> None:
    assert goes_backwards(sample("walk_backwards_normal"))
    assert goes_backwards(recording("113_01"))
    for name in ("walk_normal", "run", "walk_circle_tight_left", "stand", "turn_180_left"):
        assert not goes_backwards(sample(name))


def test_backwards_and_forwards_pair_opposite_feet(sample) -> None:
    base, source = sample("walk_backwards_normal"), sample("walk_normal")
    plants = detect_plants(base), detect_plants(source)
    ours, theirs = map(find_single_supports, plants)
    for one in correlate_plants(base, source, *plants):
        assert one.words == CROSSED
        assert all(ours[i].foot != theirs[j].foot for i, j in one.pairs)
    same = correlate_plants(base, base.renamed("again"), plants[0], plants[0])
    assert all(ours[i].foot == ours[j].foot for one in same for i, j in one.pairs)
