"""Bodies that lurch and legs that whip are seen, in any size, and nothing is seen where nothing is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.samples import make_sample
from reenact.solve.result_quality import ResultQuality, measure_result
from reenact.solve.shown import Shown

START, END = 200, 260


@pytest.fixture(scope="module")
def walk() -> tuple[Clip, FootPlants]:
    clip = make_sample("walk_normal").clip
    return clip, detect_plants(clip)


def measured(result: Clip, walk: tuple[Clip, FootPlants], source: Clip | None = None) -> ResultQuality:
    clip, plants = walk
    return measure_result(result, plants, [Shown(source or clip, plants, np.arange(len(clip)))], (START, END))


def sunk(clip: Clip, metres: float) -> Clip:
    """The clip with its body lowered for half a second, smoothly."""
    root = clip.root.copy()
    root[START:END, 1] -= (metres * np.sin(np.linspace(0, np.pi, END - START)) ** 2).astype(np.float32)
    return replace(clip, root=root)


def swung(clip: Clip, degrees: float, frames: int) -> Clip:
    """The clip with its left leg swung forward and back within so many frames."""
    rotations, leg = clip.rotations.copy(), clip.skeleton.roles["left_upper_leg"]
    here = slice(START + 10, START + 10 + frames)
    turn = R.from_axis_angle((1.0, 0.0, 0.0), np.radians(degrees) * np.sin(np.linspace(0, np.pi, frames)) ** 2)
    rotations[here, leg] = R.multiply(turn, rotations[here, leg].astype(np.float64)).astype(np.float32)
    return replace(clip, rotations=rotations)


def larger(clip: Clip, times: float) -> Clip:
    """The clip of a body that is so many times as large."""
    skeleton = replace(clip.skeleton, offsets=(times * clip.skeleton.offsets).astype(np.float32))
    return replace(clip, skeleton=skeleton, root=(times * clip.root).astype(np.float32))


def test_a_clip_against_itself_neither_lurches_nor_whips(walk) -> None:
    found = measured(walk[0], walk)
    assert (found.hurry_ms, found.sinks_mm, found.whips_ms) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("metres", [0.1, -0.1])
def test_hips_that_sink_or_rise(walk, metres: float) -> None:
    """Deeper than they get anywhere near: what they do by themselves there is no fault."""
    found = measured(sunk(walk[0], metres), walk)
    assert 60 < found.sinks_mm <= 100
    assert any("lower or higher than they get in any source" in doubt for doubt in found.doubts())


def test_hips_within_what_they_do_nearby(walk) -> None:
    """A centimetre lower for a moment is what the hips of a walk do by themselves."""
    assert measured(sunk(walk[0], 0.01), walk).sinks_mm < 20


def test_a_leg_that_whips_through(walk) -> None:
    found = measured(swung(walk[0], 60.0, 16), walk)
    assert found.whips_ms > 1.2
    assert any("swings" in doubt for doubt in found.doubts())


def test_a_leg_that_swings_as_slowly_as_others(walk) -> None:
    assert measured(swung(walk[0], 3.0, 40), walk).whips_ms < 0.6


@pytest.mark.parametrize("times", [0.7, 1.4])
def test_bodies_of_another_size(walk, times: float) -> None:
    """A source of another size is compared in the size of the result."""
    clip, source = walk[0], larger(walk[0], times)
    assert not source.same_body(clip)
    alike = measured(clip, walk, source)
    assert alike.sinks_mm < 5
    assert alike.whips_ms < 0.05
    assert measured(sunk(clip, 0.1), walk, source).sinks_mm > 55
    assert measured(swung(clip, 60.0, 16), walk, source).whips_ms > 1.2


def test_frames_that_show_no_source_tell_nothing_of_heights(walk) -> None:
    clip, plants = walk
    frames = np.where((np.arange(len(clip)) >= START) & (np.arange(len(clip)) < END), -1, np.arange(len(clip)))
    found = measure_result(sunk(clip, 0.1), plants, [Shown(clip, plants, frames)], (START, END))
    assert found.sinks_mm == 0.0
