"""Still ankles (registration A8): the constants, hysteresis, gaps and shortest plants, feet on their own, recorded walks and runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.foot_points import find_foot_points
from reenact.analysis.plants import DETECTORS, detect_plants
from reenact.analysis.plants_static import StaticPlantParameters, detect_static
from reenact.core.clip import Clip
from reenact.core.foot_plants import mask_of
from reenact.core.resample import ResampleParameters, resample
from reenact.errors import ParameterError
from reenact.loading import load
from reenact.samples import make_sample

FPS = 60.0


def sliding(speeds: np.ndarray, heights: np.ndarray | None = None) -> Clip:
    """A body that stands stiff and is moved as a whole: both ankles have these speeds (F,) and heights (F,) over the floor."""
    stand = make_sample("stand", FPS).clip
    root = np.tile(stand.root[0], (len(speeds), 1)).astype(np.float64)
    root[:, 0] += np.cumsum(speeds) / FPS
    if heights is not None:
        root[:, 1] += heights
    return replace(
        stand,
        rotations=np.tile(stand.rotations[0], (len(speeds), 1, 1)),
        root=root.astype(np.float32),
        translations=None,
    )


def test_the_constants_of_the_specification() -> None:
    asked = StaticPlantParameters()
    assert (asked.speed, asked.height, asked.percentile, asked.least, asked.gap, asked.leave) == (
        0.45,
        0.05,
        5,
        0.1,
        0.1,
        1.3,
    )
    assert not asked.scaled
    with pytest.raises(ParameterError, match="leave must be 1 to 10"):
        StaticPlantParameters(leave=0.5)
    assert DETECTORS["static"] is detect_static


def plants_of(clip: Clip, **options: float) -> list[tuple[int, int]]:
    return detect_static(clip, StaticPlantParameters(**options)).left.intervals()  # type: ignore[arg-type]


def test_slow_enough_and_low_enough() -> None:
    speeds = np.full(120, 0.4)
    speeds[40:80] = 1.0
    ((a, b), (c, d)) = plants_of(sliding(speeds))
    assert (a, d) == (0, 120)
    assert abs(b - 40) <= 1
    assert abs(c - 80) <= 1
    assert plants_of(sliding(np.full(120, 0.46))) == []
    heights = np.zeros(120)
    heights[40:80] = 0.06
    high = plants_of(sliding(np.zeros(120), heights))
    assert [(s, e) for s, e in high if e <= 41 or s >= 79] == high
    heights[40:80] = 0.04
    assert plants_of(sliding(np.zeros(120), heights), speed=10.0) == [(0, 120)]


def test_a_plant_is_left_only_when_clearly_faster() -> None:
    speeds = np.full(120, 0.3)
    speeds[60:] = 0.55  # above 0.45, below 1.3 times that
    assert plants_of(sliding(speeds)) == [(0, 120)]
    assert plants_of(sliding(speeds), leave=1.0)[0][1] in (60, 61)
    assert plants_of(sliding(speeds[::-1].copy()))[0][0] in (59, 60, 61)  # it does not begin one


def test_short_breaks_are_closed_and_short_plants_dropped() -> None:
    for length, closed in ((5, True), (8, False)):  # 0.083 s and 0.133 s
        speeds = np.zeros(120)
        speeds[50 : 50 + length] = 2.0
        assert (plants_of(sliding(speeds)) == [(0, 120)]) == closed
    for length, kept in ((3, False), (12, True)):
        speeds = np.full(120, 2.0)
        speeds[50 : 50 + length] = 0.0
        assert bool(plants_of(sliding(speeds))) == kept


def test_feet_are_looked_at_on_their_own() -> None:
    """What the right leg does, raised or kicking, changes nothing on the left."""
    clip = make_sample("walk_normal").clip
    found = detect_static(clip)
    other = clip.rotations.copy()
    hip = clip.skeleton.roles["right_upper_leg"]
    other[:, hip] = [np.cos(0.4), np.sin(0.4), 0, 0]
    changed = detect_static(replace(clip, rotations=other), points=find_foot_points(clip.skeleton, clip))
    np.testing.assert_array_equal(changed.left.heel, found.left.heel)
    assert not np.array_equal(changed.right.heel, found.right.heel)


def test_toes_are_an_independent_kind() -> None:
    clip = make_sample("walk_normal").clip
    whole, toes = detect_static(clip), detect_static(clip, StaticPlantParameters(toes=True))
    np.testing.assert_array_equal(whole.left.heel, whole.left.ball)
    np.testing.assert_array_equal(toes.left.heel, whole.left.heel)
    assert not np.array_equal(toes.left.ball, toes.left.heel)


def test_the_rate_hardly_matters() -> None:
    clip = make_sample("walk_normal", 120.0).clip
    fine, coarse = detect_static(clip), detect_static(resample(clip, ResampleParameters(fps=30)))
    for side in ("left", "right"):
        spans = [np.array(one.foot(side).intervals()) / one.fps for one in (fine, coarse)]
        assert len(spans[0]) == len(spans[1])
        assert np.abs(spans[0] - spans[1]).max() < 0.06


def test_few_frames_and_numbers_that_are_none() -> None:
    clip = make_sample("walk_normal").clip
    for frames in (1, 2, 3):
        assert len(detect_static(replace(clip, rotations=clip.rotations[:frames], root=clip.root[:frames]))) == frames
    root = clip.root.copy()
    root[10:20] = np.nan
    assert not detect_static(replace(clip, root=root)).left.heel[10:20].any()


def test_recorded_walks_and_runs(corpus) -> None:
    """The durations that the specification gives: walks of subject 16 mostly 0.53 to 0.67 s, jogs about 0.1 s."""
    folder = corpus / "cmu-bvh"

    def lengths(names: list[str]) -> np.ndarray:
        found = []
        for name in names:
            clip = load(next(folder.rglob(f"{name}.bvh")))
            plants = detect_plants(clip, "static")
            for side in ("left", "right"):
                inside = [(s, e) for s, e in plants.foot(side).intervals() if s > 0 and e < len(clip)]
                found += [(e - s) / clip.fps for s, e in inside]
                np.testing.assert_array_equal(
                    mask_of(plants.foot(side).intervals(), len(clip)), plants.foot(side).plant
                )
        return np.array(found)

    walks = lengths(["16_11", "16_12", "16_13", "16_14", "16_15", "16_18", "16_20"])
    assert np.mean((walks > 0.52) & (walks < 0.68)) > 0.8
    jogs = lengths(["16_35", "16_37", "16_40", "16_44"])
    assert 0.1 <= np.median(jogs) < 0.15
