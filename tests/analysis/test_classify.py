"""Types of clips: bad input, generated samples, and recordings that are plainly one gait."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from reenact import load
from reenact.analysis.classify import CLASSIFIERS, classify, detect_and_classify
from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.heading import headings
from reenact.core.mirror import mirror
from reenact.core.placement import place_at
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.loading import LoadOptions
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


def test_two_walks_end_to_end_are_a_walk() -> None:
    first, second = (make_sample(name, 60.0).clip for name in ("walk_few_steps", "walk_corner_left"))
    last = first.root[-1]
    second = place_at(second, (float(last[0]), float(last[2])), float(headings(first)[-1]))
    joined = replace(
        first,
        rotations=np.concatenate([first.rotations, second.rotations]),
        root=np.concatenate([first.root, second.root]),
    )
    for classifier in CLASSIFIERS:
        found = classify(joined, classifier=classifier)
        assert found.type == "walk", classifier
        assert found.frames == len(first) + len(second)


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


@dataclass
class Tally:
    """What was found in some clips of one gait: how often each type, and how many frames were right of how many."""

    types: Counter[str] = field(default_factory=Counter)
    right: int = 0
    frames: int = 0

    @property
    def clips(self) -> int:
        return self.types.total()


EXACT = {
    "walk": ("walk", "slow walk"),
    "run": ("run", "run/jog"),
    "jump": ("jump", "forward jump", "high jump"),
}
"""Texts of the index that say nothing but the gait."""


@pytest.fixture(scope="module")
def tallies(rule: ModuleType, corpus: Path) -> dict[tuple[str, str], Tally]:
    """(half, gait) -> tally of the plain clips; (half, "exactly " + gait) -> of those whose text is nothing else."""
    table: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for plain in rule.plain_clips(corpus):
        found = classify(plain.clip)
        assert [s.start for s in found.segments] == [0, *(s.end for s in found.segments[:-1])]
        assert found.frames == len(plain.clip)
        rows = [plain.gait] + [f"exactly {g}" for g in GAITS if plain.description.strip().lower() in EXACT[g]]
        for row in rows:
            tally = table[plain.half, row]
            tally.types[found.type] += 1
            tally.right += int(np.count_nonzero(found.labels[plain.start : plain.end] == plain.gait))
            tally.frames += plain.end - plain.start
    return table


@pytest.mark.parametrize("half", ["tune", "test"])
def test_plain_recordings(tallies: dict[tuple[str, str], Tally], half: str) -> None:
    rows = {gait: tallies[half, gait] for gait in GAITS}
    assert sum(row.right for row in rows.values()) >= 0.95 * sum(row.frames for row in rows.values())
    assert sum(row.types[gait] for gait, row in rows.items()) >= 0.9 * sum(row.clips for row in rows.values())
    for gait, row in rows.items():
        assert row.types[gait] + row.types["other"] == row.clips, gait  # never another homogeneous type


def test_recordings_whose_text_says_nothing_else(tallies: dict[tuple[str, str], Tally]) -> None:
    """On the half that no limit was set on."""
    for gait, least in (("walk", 0.95), ("run", 0.85), ("jump", 0.9)):
        row = tallies["test", f"exactly {gait}"]
        assert row.clips >= 2
        assert row.types[gait] >= least * row.clips, (gait, row.types)


def test_acrobatics_are_no_gait(corpus: Path) -> None:
    for name in ("49_06", "90_02", "90_08", "90_11", "127_23", "128_09", "140_02"):
        assert classify(load(corpus / "cmu-bvh" / f"{name}.bvh")).type == "other", name


HOMOGENEOUS = {
    "walk": ("02_01", "07_01", "08_01", "08_07", "16_15", "35_01", "135_04", "143_41"),  # a front kick, a sneak
    "jump": ("16_01", "16_05"),
    "run": ("16_35", "16_36"),
}
HETEROGENEOUS = ("11_01", "90_11", "90_32", "143_35")  # football, hand spring, moon walk, macarena


def test_the_published_reading_on_its_own_clips(rule: ModuleType, corpus: Path) -> None:
    def found(name: str) -> str:
        clip = load(corpus / "cmu-bvh" / f"{name}.bvh", LoadOptions(fps=rule.true_rate(name)))
        return classify(clip, classifier="thesis").type

    for kind, names in HOMOGENEOUS.items():
        assert {name: found(name) for name in names} == dict.fromkeys(names, kind)
    assert {name: found(name) for name in HETEROGENEOUS} == dict.fromkeys(HETEROGENEOUS, "other")


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
