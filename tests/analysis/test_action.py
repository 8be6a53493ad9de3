"""Where the action of a clip is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.analysis.action import action_density, lost_after, lost_before
from reenact.core.cutting import CutParameters, concatenate, cut
from reenact.core.resample import ResampleParameters, resample
from reenact.samples import make_sample


def test_a_walk_is_action_throughout() -> None:
    density = action_density(make_sample("walk_normal").clip)
    assert density.sum() == pytest.approx(1.0)
    even = np.arange(1, len(density) + 1) / len(density)
    assert np.abs(np.cumsum(density) - even).max() < 0.03


def test_a_jump_between_stands_is_the_action() -> None:
    stand, jump = make_sample("stand").clip, make_sample("jump_up").clip
    clip = concatenate([cut(stand, CutParameters(0, 240)), jump, cut(stand, CutParameters(0, 240))])
    inside = action_density(clip)[240 : 240 + len(jump)].sum()
    assert len(jump) / len(clip) < 0.5
    assert inside > 0.75


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_the_rate_does_not_matter(fps: float) -> None:
    clip = make_sample("kick_right").clip
    other = action_density(resample(clip, ResampleParameters(fps=fps)))
    total, plain = np.cumsum(other), np.cumsum(action_density(clip))
    at = np.linspace(0, 1, 21)
    np.testing.assert_allclose(
        np.interp(at, np.linspace(0, 1, len(total)), total),
        np.interp(at, np.linspace(0, 1, len(plain)), plain),
        atol=0.03,
    )


def test_a_glitch_is_no_action() -> None:
    clip = make_sample("walk_normal").clip
    for frames in (slice(0, 1), slice(200, 202), slice(-1, None)):
        root = clip.root.copy()  # two metres too high
        root[frames, 1] += 2.0
        spoiled = action_density(replace(clip, root=root))
        assert np.abs(np.cumsum(spoiled) - np.cumsum(action_density(clip))).max() < 0.05


def test_what_is_lost() -> None:
    density = np.array([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(lost_before(density), [0.0, 0.1, 0.3, 0.6])
    np.testing.assert_allclose(lost_after(density), [0.9, 0.7, 0.4, 0.0])
    # a fade over a frame on either side: the mean of what is lost at its frames
    np.testing.assert_allclose(lost_before(density, 1, 1), [0.05, 0.4 / 3, 1.0 / 3, 1.9 / 3])
    np.testing.assert_allclose(lost_after(density, 1, 1), lost_before(density[::-1], 1, 1)[::-1])


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "within"), [("16_01", (90, 210)), ("13_39", (110, 250)), ("90_05", (180, 350))])
def test_recorded_jumps(corpus: Path, name: str, within: tuple[int, int]) -> None:
    """Three quarters of the action of a recorded jump lie in the jump."""
    clip = reenact.load(corpus / "cmu-bvh" / f"{name}.bvh")
    assert action_density(clip)[slice(*within)].sum() > 0.75
