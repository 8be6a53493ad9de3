"""The live walk filter: bad input, nothing asked, known answers on generated walks, and recorded ones."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reenact import load
from reenact.analysis.carried_plants import known_plants
from reenact.core.clip import Clip, JointTranslations
from reenact.core.foot_plants import FootContact, FootPlants, intervals_of
from reenact.core.rooting import add_root
from reenact.errors import ParameterError, SkeletonError
from reenact.samples import make_sample
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.planted_points import measure_slips
from reenact.walk.live_walk import LiveWalk, WalkTargets, contacts_of


def sample(name: str = "walk_normal", fps: float = 60.0) -> tuple[Clip, FootPlants]:
    made = make_sample(name, fps)
    feet = [FootContact(foot.heel, foot.ball) for foot in (made.truth.left, made.truth.right)]
    return made.clip, FootPlants(feet[0], feet[1], made.clip.fps)


@pytest.fixture(scope="module")
def walk() -> tuple[Clip, FootPlants]:
    return sample()


def strides(clip: Clip, plants: FootPlants) -> np.ndarray:
    """(N, 3) from each plant of a ball to its next."""
    world, found = clip.world(np.float64), []
    for foot in find_feet(clip.skeleton, clip):
        ball = track_foot(world, foot).ball
        places = [ball[a:b].mean(axis=0) for a, b in intervals_of(plants.foot(foot.side).ball)]
        found += [b - a for a, b in itertools.pairwise(places)]
    return np.array(found)


def test_what_is_refused(walk: tuple[Clip, FootPlants]) -> None:
    clip, plants = walk
    with pytest.raises(SkeletonError, match="two legs"):
        LiveWalk(clip.skeleton.with_roles({}), clip.with_skeleton(clip.skeleton.with_roles({})))
    other = make_sample("walk_normal", 60.0).clip
    renamed = replace(other.skeleton, names=tuple(f"x{name}" for name in other.skeleton.names))
    with pytest.raises(SkeletonError, match="another skeleton"):
        LiveWalk(renamed, clip)
    with pytest.raises(ParameterError, match="no frames"):
        LiveWalk(clip.skeleton, replace(clip, rotations=clip.rotations[:0], root=clip.root[:0]))
    with pytest.raises(ParameterError, match="smoothing"):
        LiveWalk(clip.skeleton, clip, smoothing=-1)
    filter = LiveWalk(clip.skeleton, clip, plants)
    for name, value in (("stride", 0.0), ("stride", np.nan), ("lift", -1.0), ("incline", 1.5)):
        with pytest.raises(ParameterError, match=name):
            setattr(filter, name, value)
    assert filter.targets == WalkTargets()
    with pytest.raises(ValueError, match="broadcast"):
        filter.push(clip.root[0], clip.rotations[0, :5], (True, True, False, False))
    with pytest.raises(ParameterError, match="Hz"):
        filter.run(replace(clip, fps=30.0))
    with pytest.raises(ParameterError, match="targets"):
        filter.run(clip, plants, [WalkTargets()] * 3)
    with pytest.raises(SkeletonError, match="another skeleton"):
        filter.run(replace(clip, skeleton=renamed))
    moving = JointTranslations(np.array([3], np.int32), np.zeros((len(clip), 1, 3), np.float32))
    with pytest.raises(ParameterError, match="joints move"):
        filter.run(replace(clip, translations=moving), plants)


@pytest.mark.parametrize("name", ["walk_normal", "walk_circle_tight_left", "walk_backwards_normal", "stand", "run"])
def test_nothing_asked_changes_nothing(name: str) -> None:
    clip, plants = sample(name)
    made = LiveWalk(clip.skeleton, clip, plants).run(clip, plants)
    assert np.abs(made.clip.world(np.float64).positions - clip.world(np.float64).positions).max() < 1e-5


def test_frame_by_frame_is_the_whole_clip(walk: tuple[Clip, FootPlants]) -> None:
    clip, plants = walk
    filter = LiveWalk(clip.skeleton, clip, plants)
    asked = [WalkTargets(1.0 + 0.3 * (n > 150), 1.2, 0.1 * (n > 200)) for n in range(len(clip))]
    made = filter.run(clip, plants, asked)
    filter.reset()
    contacts = contacts_of(plants)
    for n in range(len(clip)):
        filter.targets = asked[n]
        root, rotations = filter.push(clip.root[n], clip.rotations[n], contacts[n])
        assert np.abs(root - made.clip.root[n]).max() < 1e-5
        assert np.abs(rotations - made.clip.rotations[n]).max() < 1e-5
    assert filter.missed < 0.001


def test_the_past_does_not_depend_on_the_future(walk: tuple[Clip, FootPlants]) -> None:
    clip, plants = walk
    filter = LiveWalk(clip.skeleton, clip, plants)
    whole = filter.run(clip, plants, WalkTargets(1.2))
    half = replace(clip, rotations=clip.rotations[:200], root=clip.root[:200])
    part = filter.run(half, plants.cut(0, 200), WalkTargets(1.2))
    assert np.array_equal(part.clip.rotations, whole.clip.rotations[:200])


@pytest.mark.parametrize("stride", [0.6, 0.8, 1.1, 1.3])
def test_strides_are_as_long_as_asked_and_as_wide_as_they_were(walk: tuple[Clip, FootPlants], stride: float) -> None:
    clip, plants = walk
    made = LiveWalk(clip.skeleton, clip, plants).run(clip, plants, WalkTargets(stride=stride))
    before, after = strides(clip, plants), strides(made.clip, plants)
    long = np.linalg.norm(before, axis=1) > 0.8 * np.median(np.linalg.norm(before, axis=1))
    axis = (clip.root[-1] - clip.root[0]) * (1, 0, 1)
    axis /= np.linalg.norm(axis)
    assert np.abs((after[long] @ axis) / (before[long] @ axis) - stride).max() < 0.03 * stride
    aside = np.cross(axis, [0, 1, 0])
    wider = np.abs(after @ aside - before @ aside)
    assert np.median(wider) < 0.006
    assert wider.max() < 0.03  # the first step: a body that begins to walk goes aside before it goes ahead
    slips = [slip["slip_mm"] for slip in measure_slips(made.clip, plants, feet=find_feet(clip.skeleton, clip))]
    assert np.median(slips) < 2
    assert max(slips) < 6
    assert made.report["missed_mm"] < 1


def test_a_stride_that_changes_makes_steps_between(walk: tuple[Clip, FootPlants]) -> None:
    clip, plants = walk
    middle = len(clip) // 2
    asked = [WalkTargets(stride=1.0 if n < middle else 0.5) for n in range(len(clip))]
    made = LiveWalk(clip.skeleton, clip, plants).run(clip, plants, asked)
    ratio = np.linalg.norm(strides(made.clip, plants), axis=1) / np.linalg.norm(strides(clip, plants), axis=1)
    assert (ratio > 0.45).all()
    assert (ratio < 1.05).all()
    assert np.any(np.abs(ratio - 0.75) < 0.15)  # half a step as before and half a step as after
    slips = [slip["slip_mm"] for slip in measure_slips(made.clip, plants, feet=find_feet(clip.skeleton, clip))]
    assert np.median(slips) < 3


@pytest.mark.parametrize("lift", [0.7, 1.3])
def test_feet_in_the_air_are_lifted_and_planted_ones_stay_down(walk: tuple[Clip, FootPlants], lift: float) -> None:
    clip, plants = walk
    made = LiveWalk(clip.skeleton, clip, plants).run(clip, plants, WalkTargets(lift=lift))
    for foot in find_feet(clip.skeleton, clip):
        before, after = (track_foot(one.world(np.float64), foot) for one in (clip, made.clip))
        contact = plants.foot(foot.side)
        edges = contact.intervals()
        for (_, end), (start, _) in itertools.pairwise(edges):
            raised = after.ankle[end:start, 1] - before.ankle[end:start, 1]
            assert raised.max() > 0.01 if lift > 1 else raised.min() < -0.003
        assert np.abs(after.ball[contact.ball, 1] - before.ball[contact.ball, 1]).max() < 0.008
        lowest = min(before.ball[:, 1].min(), before.heel[:, 1].min())
        assert min(after.ball[:, 1].min(), after.heel[:, 1].min()) > lowest - 0.006


@pytest.mark.parametrize("incline", [np.radians(10), np.radians(-5)])
def test_the_ground_rises_and_feet_lie_on_it(walk: tuple[Clip, FootPlants], incline: float) -> None:
    clip, plants = walk
    made = LiveWalk(clip.skeleton, clip, plants).run(clip, plants, WalkTargets(incline=incline))
    axis = (clip.root[-1] - clip.root[0]) * (1, 0, 1)
    axis /= np.linalg.norm(axis)
    for foot in find_feet(clip.skeleton, clip):
        before, after = (track_foot(one.world(np.float64), foot) for one in (clip, made.clip))
        for a, b in intervals_of(plants.foot(foot.side).heel & plants.foot(foot.side).ball)[1:]:
            middle = (a + b) // 2
            above = after.ball[middle, 1] - before.ball[middle, 1]
            assert above == pytest.approx(np.tan(incline) * ((after.ball[middle] - clip.root[0]) @ axis), abs=0.03)
            sole = after.ball[middle] - after.heel[middle]
            own = before.ball[middle] - before.heel[middle]
            tilted = np.arctan2(sole[1], sole @ axis) - np.arctan2(own[1], own @ axis)
            assert tilted == pytest.approx(incline, abs=0.03)
    way = strides(made.clip, plants)
    assert np.median(np.linalg.norm(way, axis=1)) == pytest.approx(
        np.median(np.linalg.norm(strides(clip, plants), axis=1)), rel=0.02
    )


def test_a_root_above_the_hips(walk: tuple[Clip, FootPlants]) -> None:
    clip, plants = walk
    rooted = add_root(clip)
    plain = LiveWalk(clip.skeleton, clip, plants).run(clip, plants, WalkTargets(1.2, 1.2, 0.1))
    made = LiveWalk(rooted.skeleton, rooted, plants).run(rooted, plants, WalkTargets(1.2, 1.2, 0.1))
    gap = made.clip.world(np.float64).positions[:, 1:] - plain.clip.world(np.float64).positions
    assert np.abs(gap).max() < 1e-4


def test_a_body_that_is_put_elsewhere_walks_on_there(walk: tuple[Clip, FootPlants]) -> None:
    clip, plants = walk
    root = clip.root.copy()
    root[200:] += (5.0, 0.0, -3.0)
    filter = LiveWalk(clip.skeleton, clip, plants)
    made = filter.run(replace(clip, root=root), plants, WalkTargets(1.2))
    before = filter.run(clip, plants, WalkTargets(1.2))
    assert np.abs(made.clip.root[:200] - before.clip.root[:200]).max() < 1e-6
    legs = made.clip.world(np.float64).positions[200:] - made.clip.root[200:, None]
    assert np.linalg.norm(legs, axis=2).max() < 1.5  # no foot is left behind
    assert made.report["missed_mm"] < 1


def test_what_goes_along(walk: tuple[Clip, FootPlants]) -> None:
    clip, plants = walk
    made = LiveWalk(clip.skeleton, clip, plants).run(clip, plants, WalkTargets(1.2))
    assert made.plants is not None
    assert np.array_equal(made.plants.left.heel, plants.left.heel)
    assert made.report["targets"] == {"stride": 1.2, "lift": 1.0, "incline": 0.0}


@pytest.mark.parametrize("name", ["02_01", "16_15", "35_28", "39_01"])
def test_recorded_walks(corpus: Path, name: str) -> None:
    clip = load(corpus / "cmu-bvh" / f"{name}.bvh")
    plants = known_plants(clip, None)
    assert plants is not None
    filter = LiveWalk(clip.skeleton, clip, plants)
    for stride in (0.8, 1.1):
        made = filter.run(clip, plants, WalkTargets(stride=stride))
        ratio = np.linalg.norm(strides(made.clip, plants), axis=1) / np.linalg.norm(strides(clip, plants), axis=1)
        assert np.median(np.abs(ratio / stride - 1)) < 0.02
        slips = [slip["slip_mm"] for slip in measure_slips(made.clip, plants, feet=find_feet(clip.skeleton, clip))]
        assert np.median(slips) < 2.5
        assert made.report["missed_mm"] < 1
