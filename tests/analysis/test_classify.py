"""Types of clips: bad input, generated samples, and recordings that are plainly one gait."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from reenact import load
from reenact.analysis.classify import CLASSIFIERS, classify, detect_and_classify
from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.mirror import mirror
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.samples import make_sample, sample_names

GAITS = ("walk", "run", "jump")


@pytest.fixture(scope="module")
def rule() -> ModuleType:
    """tools/plain_gaits.py, the rule written down before tuning."""
    path = Path(__file__).parents[2] / "tools" / "plain_gaits.py"
    spec = importlib.util.spec_from_file_location("plain_gaits", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["plain_gaits"] = module
    spec.loader.exec_module(module)
    return module


# Bad input


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("frames", [0, 1, 2, 3])
def test_few_frames(classifier: str, frames: int, body: Skeleton, standing: Callable[..., Clip]) -> None:
    found = classify(standing(body, np.tile([0, 0.93, 0.0], (frames, 1))), classifier=classifier)
    assert found.frames == frames
    assert found.type == ("stand" if frames else "other")


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_numbers_that_are_none(classifier: str, body: Skeleton, standing: Callable[..., Clip]) -> None:
    root = np.tile([0, 0.93, 0.0], (60, 1))
    root[20:40] = np.nan
    assert classify(standing(body, root), classifier=classifier).frames == 60
    assert classify(standing(body, np.full((60, 3), np.nan)), classifier=classifier).type == "other"


def test_no_feet_wrong_names_and_wrong_plants(body: Skeleton, standing: Callable[..., Clip]) -> None:
    clip = standing(body, np.tile([0, 0.93, 0.0], (30, 1)))
    with pytest.raises(SkeletonError):
        classify(standing(body.with_roles({"hips": 0}), np.zeros((5, 3))))
    with pytest.raises(ParameterError, match="steps, thesis"):
        classify(clip, classifier="guess")
    with pytest.raises(ParameterError, match="10 frames"):
        classify(clip, detect_plants(clip).cut(0, 10))


def test_one_foot_and_all_zero(body: Skeleton, standing: Callable[..., Clip]) -> None:
    one = body.with_roles({role: joint for role, joint in body.roles.items() if "right" not in role})
    assert classify(standing(one, np.tile([0, 0.93, 0.0], (30, 1)))).type == "other"
    assert classify(Clip(body, np.zeros((30, len(body), 4)), np.zeros((30, 3)), 60.0)).frames == 30


# Known answers


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_every_sample_has_its_class(fps: float) -> None:
    wrong = {}
    for name in sample_names():
        sample = make_sample(name, fps)
        found = classify(sample.clip)
        if found.type != sample.type:
            wrong[name] = (sample.type, found.type)
    assert not wrong


@pytest.mark.parametrize(
    "name", ["start_walk_left", "stop_walk_right", "walk_corner_left", "jump_forward", "hop_left", "run"]
)
def test_segments_begin_and_end_where_they_were_planned(name: str) -> None:
    sample = make_sample(name)
    assert np.mean(classify(sample.clip).labels == sample.truth.labels) > 0.95


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_noise_does_not_change_the_class(fps: float) -> None:
    rng, wrong = np.random.default_rng(8), []
    for name in sample_names():
        sample = make_sample(name, fps)
        for _ in range(6):
            root = sample.clip.root + rng.normal(0, 0.002, sample.clip.root.shape).astype(np.float32)
            found = classify(replace(sample.clip, root=root)).type
            wrong += [(name, sample.type, found)] if found != sample.type else []
    assert not wrong


def test_noise_and_size_change_nothing() -> None:
    rng = np.random.default_rng(4)
    for name in ("walk_normal", "run", "jump_up", "hop_right", "turn_90_left", "stand_shift"):
        sample = make_sample(name)
        clip = sample.clip
        noisy = replace(clip, root=clip.root + rng.normal(0, 0.002, clip.root.shape))
        small = replace(clip, skeleton=clip.skeleton.scaled(0.5), root=clip.root * 0.5)
        assert {classify(noisy).type, classify(small).type, classify(mirror(clip)).type} == {sample.type}, name


# Recordings


def test_the_rule(rule: ModuleType) -> None:
    assert rule.plain_gait("walk, veer left") == "walk"
    assert rule.plain_gait("run/jog, 90-degree left turn") == "run"
    assert rule.plain_gait("JumpForward") == "jump"
    for text in (
        "Run Stop Run",
        "Walk and carry",
        "Walk to Run",
        "moonwalk",
        "",
        "run, leap",
        "walk on uneven terrain",
    ):
        assert rule.plain_gait(text) is None, text


@pytest.fixture(scope="module")
def confusion(rule: ModuleType, corpus: Path) -> dict[str, dict[str, Counter[str]]]:
    """Half -> gait -> how often each type was found, with the frames that were right under "right" and all under "frames"."""
    table: dict[str, dict[str, Counter[str]]] = {half: {gait: Counter() for gait in GAITS} for half in ("tune", "test")}
    for plain in rule.plain_clips(corpus):
        found = classify(plain.clip)
        row = table[plain.half][plain.gait]
        row[found.type] += 1
        row["right"] += int(np.count_nonzero(found.labels[plain.start : plain.end] == plain.gait))
        row["frames"] += plain.end - plain.start
    return table


@pytest.mark.parametrize("half", ["tune", "test"])
def test_plain_recordings(confusion: dict[str, dict[str, Counter[str]]], half: str) -> None:
    rows = confusion[half]
    assert sum(row["right"] for row in rows.values()) >= 0.95 * sum(row["frames"] for row in rows.values())
    clips = {gait: sum(row[kind] for kind in ("stand", *GAITS, "other")) for gait, row in rows.items()}
    assert sum(rows[gait][gait] for gait in GAITS) >= 0.9 * sum(clips.values())
    for gait in GAITS:
        assert rows[gait][gait] + rows[gait]["other"] == clips[gait], gait  # never another homogeneous type


def test_acrobatics_are_no_gait(corpus: Path) -> None:
    for name in ("49_06", "90_02", "90_08", "90_11", "127_23", "128_09", "140_02"):
        assert classify(load(corpus / "cmu-bvh" / f"{name}.bvh")).type == "other", name


def test_the_published_reading_on_its_own_clips(corpus: Path) -> None:
    wanted = {
        "08_01": "walk",
        "08_07": "walk",
        "16_15": "walk",
        "16_01": "jump",
        "16_05": "jump",
        "16_35": "run",
        "16_36": "run",
    }
    found = {name: classify(load(corpus / "cmu-bvh" / f"{name}.bvh"), classifier="thesis").type for name in wanted}
    assert found == wanted


@pytest.mark.parametrize("name", sample_names()[::9])
def test_both_at_once_is_one_after_the_other(name: str) -> None:
    clip = make_sample(name, 60.0).clip
    plants, found = detect_and_classify(clip)
    alone = detect_plants(clip)
    for side in ("left", "right"):
        np.testing.assert_array_equal(plants.foot(side).heel, alone.foot(side).heel)
        np.testing.assert_array_equal(plants.foot(side).ball, alone.foot(side).ball)
    assert found == classify(clip, alone)


def test_both_at_once_with_one_foot_and_without_frames() -> None:
    clip = make_sample("walk_normal", 60.0).clip
    roles = {role: joint for role, joint in clip.skeleton.roles.items() if role != "right_foot"}
    one = clip.with_skeleton(replace(clip.skeleton, roles=roles))
    plants, found = detect_and_classify(one)
    assert found == classify(one, plants)
    assert not plants.right.plant.any()
    for frames in (1, 2, 3):
        short = replace(clip, rotations=clip.rotations[:frames], root=clip.root[:frames])
        plants, found = detect_and_classify(short)
        assert found == classify(short, plants)
        assert found.frames == frames
