"""Cutting and joining: exact algebra, placement at the seams, other bodies and rates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.core.clip import Clip
from reenact.core.cutting import CutParameters, JoinParameters, concatenate, cut, match_rate
from reenact.core.placement import placement_of
from reenact.errors import ParameterError, SkeletonError


@pytest.fixture(scope="module")
def walks(corpus: Path) -> list[Clip]:
    return [reenact.load(corpus / "cmu-bvh" / f"{name}.bvh") for name in ("16_15", "16_35", "08_01")]


def test_cut_keeps_a_half_open_range(walks: list[Clip]) -> None:
    part = cut(walks[0], CutParameters(10, 30))
    assert len(part) == 20
    np.testing.assert_array_equal(part.rotations, walks[0].rotations[10:30])
    np.testing.assert_array_equal(cut(walks[0], CutParameters(-5)).root, walks[0].root[-5:])
    np.testing.assert_array_equal(cut(walks[0], CutParameters(0, -5)).root, walks[0].root[:-5])
    assert not part.pristine


@pytest.mark.parametrize(("start", "end"), [(5, 5), (9, 3), (0, 100_000), (-100_000, None), (100_000, None)])
def test_cut_outside_names_the_range(walks: list[Clip], start: int, end: int | None) -> None:
    with pytest.raises(ParameterError, match=r"frames .* not a part of the clip, which has frames 0 to \d+"):
        cut(walks[0], CutParameters(start, end))


def test_cut_that_ends_before_it_begins_says_so(walks: list[Clip]) -> None:
    with pytest.raises(ParameterError, match="begins before it ends"):
        cut(walks[0], CutParameters(9, 3))


def test_cutting_a_join_gives_the_parts_back(walks: list[Clip]) -> None:
    a, b = walks[0], walks[1]
    both = concatenate([a, b], JoinParameters(place="keep"))
    assert len(both) == len(a) + len(b)
    for part, (start, end) in ((a, (0, len(a))), (b, (len(a), len(a) + len(b)))):
        again = cut(both, CutParameters(start, end))
        np.testing.assert_array_equal(again.rotations, part.rotations)
        np.testing.assert_array_equal(again.root, part.root)
    assert both.name == "16_15+16_35"


def test_continuing_goes_on_by_one_step(walks: list[Clip]) -> None:
    a, b = walks[0], walks[1]
    both = concatenate([a, b, a])
    steps = np.linalg.norm(np.diff(both.root[:, [0, 2]], axis=0), axis=1)
    usual = max(np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=1).max() for clip in (a, b))
    for seam in (len(a) - 1, len(a) + len(b) - 1):
        assert steps[seam] <= 1.5 * usual
        before, after = placement_of(both, seam), placement_of(both, seam + 1)
        assert abs(before.heading - after.heading) < np.radians(5)


def test_other_bodies_are_refused(walks: list[Clip]) -> None:
    with pytest.raises(SkeletonError, match=r"'08_01' and '16_15' differ .other lengths or directions of bones"):
        concatenate([walks[0], walks[2]])


def test_other_rates_are_resampled(walks: list[Clip]) -> None:
    slow = replace(walks[1], fps=60.0)
    assert len(match_rate(slow, walks[0])) == 2 * len(slow) - 1
    assert match_rate(walks[1], walks[0]) is walks[1]
    assert concatenate([walks[0], slow]).fps == 120


def test_other_trees_say_what_differs(walks: list[Clip], corpus: Path) -> None:
    other = reenact.load(corpus / "bvh-other" / "pirouette.bvh")
    with pytest.raises(SkeletonError, match=r"skeletons of 'pirouette' and '16_15' differ \(31 joints against"):
        concatenate([walks[0], other])


def test_nothing_to_join() -> None:
    with pytest.raises(ParameterError, match="at least one clip"):
        concatenate([])


def test_moving_joints_survive_joins(corpus: Path) -> None:
    files = sorted((corpus / "noncommercial" / "bandai-namco").glob("dataset-1_walk_*.bvh"))[:2]
    a, b = (reenact.load(file) for file in files)
    assert a.translations is not None
    both = concatenate([a, b], JoinParameters(place="keep"))
    np.testing.assert_allclose(both.world().positions[: len(a)], a.world().positions, atol=1e-5)
