"""Resampling: exact on frames, right in between, no aliasing when smooth."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.core.clip import Clip, JointTranslations
from reenact.core.resample import ResampleParameters, resample, sample_at
from reenact.core.rotations import angle_between, exp
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError

PAIR = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1.0, 0]]))


def turning(frames: int, fps: float, hertz: float = 0.5) -> Clip:
    t = np.arange(frames) / fps
    angle = np.sin(2 * np.pi * hertz * t)
    rotations = exp(np.stack([np.outer(angle, [1, 0.5, 0]), np.outer(angle, [0, 1, 1])], axis=1))
    root = np.stack([t, np.sin(t), np.cos(2 * t)], axis=-1)
    return Clip(PAIR, rotations, root, fps, "turning", JointTranslations(np.array([1]), root[:, None] * 0.1))


@pytest.mark.parametrize("method", ["linear", "smooth"])
def test_same_rate_gives_the_same_frames(method: str) -> None:
    clip = turning(50, 30)
    for parameters in (ResampleParameters(fps=30, method=method), ResampleParameters(frames=50, method=method)):  # type: ignore[arg-type]
        same = resample(clip, parameters)
        np.testing.assert_allclose(same.rotations, clip.rotations, atol=0 if method == "linear" else 1e-6)
        np.testing.assert_allclose(same.root, clip.root, atol=0 if method == "linear" else 1e-6)
        assert same.fps == clip.fps


@pytest.mark.parametrize(("old", "new"), [(30, 60), (120, 30), (24, 30), (30, 29.97), (25, 1000)])
def test_counts_and_end_times(old: float, new: float) -> None:
    clip = turning(100, old)
    made = resample(clip, ResampleParameters(fps=new))
    assert made.fps == new
    last = (len(made) - 1) / new
    assert last <= 99 / old + 1e-9 < last + 1 / new + 1e-9


@pytest.mark.parametrize(("method", "error"), [("linear", 4e-3), ("smooth", 5e-5)])
def test_against_the_true_motion(method: str, error: float) -> None:
    clip, truth = turning(61, 30), turning(241, 120)
    made = resample(clip, ResampleParameters(fps=120, method=method))  # type: ignore[arg-type]
    inner = slice(8, -8)
    assert angle_between(made.rotations[inner], truth.rotations[inner]).max() < error * 3
    assert np.abs(made.root[inner] - truth.root[inner]).max() < error
    assert made.translations is not None
    assert truth.translations is not None
    assert np.abs(made.translations.values[inner] - truth.translations.values[inner]).max() < error


def test_up_and_down_again_gives_the_frames_back() -> None:
    clip = turning(40, 30)
    back = resample(resample(clip, ResampleParameters(fps=120)), ResampleParameters(fps=30))
    np.testing.assert_array_equal(back.rotations, clip.rotations)
    np.testing.assert_array_equal(back.root, clip.root)


def test_smooth_removes_what_the_new_rate_cannot_hold() -> None:
    slow = turning(1201, 120)
    mixed = Clip(PAIR, slow.rotations, slow.root + 0.05 * np.sin(2 * np.pi * 27 * slow.times)[:, None], 120)
    made = resample(mixed, ResampleParameters(fps=10, method="smooth"))
    truth = resample(slow, ResampleParameters(fps=10))
    aliased = np.abs(resample(mixed, ResampleParameters(fps=10)).root[3:-3] - truth.root[3:-3]).max()
    assert np.abs(made.root[3:-3] - truth.root[3:-3]).max() < 0.3 * aliased


def test_rotations_stay_unit_and_signs_do_not_matter() -> None:
    clip = turning(30, 30)
    flipped = clip.rotations.copy()
    flipped[::2] *= -1
    odd = Clip(PAIR, flipped, clip.root, 30)
    for method in ("linear", "smooth"):
        made = resample(odd, ResampleParameters(fps=77, method=method))
        np.testing.assert_allclose(np.linalg.norm(made.rotations, axis=-1), 1, atol=1e-6)
        same = resample(Clip(PAIR, clip.rotations, clip.root, 30), ResampleParameters(fps=77, method=method))
        assert angle_between(made.rotations, same.rotations).max() < 1e-3


@pytest.mark.parametrize("frames", [1, 2, 3])
@pytest.mark.parametrize("method", ["linear", "smooth"])
def test_very_short_clips(frames: int, method: str) -> None:
    clip = turning(frames, 30)
    assert np.isfinite(resample(clip, ResampleParameters(fps=60, method=method)).root).all()  # type: ignore[arg-type]
    assert len(resample(clip, ResampleParameters(frames=5, method=method))) == 5  # type: ignore[arg-type]


def test_times_outside_hold_the_ends() -> None:
    clip = turning(10, 30)
    made = sample_at(clip, np.array([-3.0, 20.0]), 30)
    np.testing.assert_array_equal(made.root, clip.root[[0, -1]])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "either fps or frames"),
        ({"fps": 30, "frames": 3}, "either"),
        ({"fps": 0}, "above 0"),
        ({"fps": float("nan")}, "fps must be"),
        ({"frames": 0}, "at least 1"),
    ],
)
def test_bad_parameters(given: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        ResampleParameters(**given)
