"""Cycles in place: generated walks and runs whose way is taken away, and clips that stay where they are for other reasons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reenact import load
from reenact.analysis.body_motion import observe_body
from reenact.analysis.classify import classify, detect_and_classify
from reenact.analysis.foot_points import find_foot_points
from reenact.analysis.in_place import put_on_ground
from reenact.analysis.plants import detect_plants, foot_findings
from reenact.core.clip import Clip
from reenact.samples import make_sample, sample_names

GAITS = ("walk_slow", "walk_normal", "walk_fast", "walk_backwards_normal", "sneak", "march", "jog", "run")


def on_belt(clip: Clip, labels: np.ndarray, gait: str) -> tuple[Clip, np.ndarray]:
    """The steady middle of a gait without its mean velocity over the floor, and that velocity (3,) in metres per second."""
    going = np.flatnonzero(labels == gait)
    first, last = going[len(going) // 4], going[3 * len(going) // 4]
    root = clip.root[first:last].astype(float)
    time = np.arange(len(root)) / clip.fps
    velocity = np.polyfit(time, root, 1)[0] * [1, 0, 1]
    return replace(clip, rotations=clip.rotations[first:last], root=root - time[:, None] * velocity), velocity


def laid(clip: Clip) -> Clip | None:
    points = find_foot_points(clip.skeleton, clip)
    return put_on_ground(clip, detect_plants(clip), points, observe_body(clip, points))


@pytest.mark.parametrize("frames", [0, 1, 2, 5])
def test_few_frames(frames: int) -> None:
    clip = make_sample("walk_normal", 60.0).clip
    short = replace(clip, rotations=clip.rotations[:frames], root=clip.root[:frames])
    assert classify(short).frames == frames
    foot_findings(short, detect_plants(short))


def test_numbers_that_are_none() -> None:
    sample = make_sample("walk_normal", 60.0)
    clip, _ = on_belt(sample.clip, sample.truth.labels, sample.type)
    root = clip.root.copy()
    root[20:30] = np.nan
    assert laid(replace(clip, root=root)) is None


@pytest.mark.parametrize("fps", [30.0, 60.0])
@pytest.mark.parametrize("name", GAITS)
def test_gaits_on_a_belt(name: str, fps: float) -> None:
    sample = make_sample(name, fps)
    clip, velocity = on_belt(sample.clip, sample.truth.labels, sample.type)
    assert classify(clip).type == sample.type
    plants, found = detect_and_classify(clip)
    assert found == classify(clip, plants)
    ground = laid(clip)
    assert ground is not None
    way = (ground.root[-1] - ground.root[0]) * clip.fps / (len(clip) - 1)
    assert np.linalg.norm((way - velocity)[[0, 2]]) < 0.25 * np.linalg.norm(velocity)
    assert "plants.in-place" in [finding.code for finding in foot_findings(clip, plants)]


def test_nothing_else_is_in_place() -> None:
    assert [name for name in sample_names() if laid(make_sample(name, 60.0).clip) is not None] == []


def test_recordings_are_not_in_place(corpus: Path) -> None:
    for name in ("02_01", "13_33", "16_01", "49_06", "90_02", "11_01", "05_02", "143_35", "83_27"):
        assert laid(load(corpus / "cmu-bvh" / f"{name}.bvh")) is None, name


@pytest.mark.corpus
def test_a_cycle_of_a_character(corpus: Path) -> None:
    clip = load(corpus / "characters" / "khronos" / "CesiumMan.glb")
    assert classify(clip).type == "walk"
