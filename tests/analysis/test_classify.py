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
from numpy.typing import NDArray

from reenact import load
from reenact.analysis.classify import CLASSIFIERS, classify, detect_and_classify
from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootContact, FootPlants
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
    for classifier in CLASSIFIERS:
        found = classify(joined(first, second), classifier=classifier)
        assert found.type == "walk", classifier
        assert found.frames == len(first) + len(second)


def joined(first: Clip, second: Clip) -> Clip:
    """Two clips of one body end to end."""
    last = first.root[-1]
    second = place_at(second, (float(last[0]), float(last[2])), float(headings(first)[-1]))
    return replace(
        first,
        rotations=np.concatenate([first.rotations, second.rotations]),
        root=np.concatenate([first.root, second.root]),
    )


@pytest.mark.parametrize("turn", ["turn_90_right", "turn_180_left"])
def test_a_walk_that_turns_on_the_spot_at_its_end_is_a_walk(turn: str) -> None:
    walk, around = (make_sample(name, 60.0).clip for name in ("start_walk_left", turn))
    assert classify(around).type == "other"
    assert classify(joined(walk, around)).type == "walk"


def planted(plants: FootPlants, change: Callable[[str, NDArray[np.bool_]], NDArray[np.bool_]]) -> FootPlants:
    """Plants of which each foot's were changed."""
    left, right = (change(side, plants.foot(side).plant.copy()) for side in ("left", "right"))
    return FootPlants(FootContact(left, left), FootContact(right, right), plants.fps, plants.floor)


@pytest.mark.parametrize("name", ["jog", "jog_circle_left"])
def test_a_run_without_flight_is_told_by_its_bounce(name: str) -> None:
    """Plants that last so long that each foot lands before the other lifts, as in a walk; but the hips are highest then."""
    clip = make_sample(name, 120.0).clip

    def prolong(_: str, plant: NDArray[np.bool_]) -> NDArray[np.bool_]:
        for _ in range(round(0.18 * clip.fps)):
            plant[1:] |= plant[:-1].copy()
        return plant

    plants = planted(detect_plants(clip), prolong)
    assert not (~plants.left.plant & ~plants.right.plant).any()
    assert np.mean(plants.left.plant & plants.right.plant) > 0.05
    assert classify(clip, plants).type == "run"
    walk = make_sample("walk_fast", 120.0).clip
    assert classify(walk).type == "walk"


@pytest.mark.parametrize("late", [0.1, 0.2, 0.25])
def test_a_jump_whose_second_foot_lands_late_is_a_jump(late: float) -> None:
    clip = make_sample("jump_forward", 120.0).clip
    plants = detect_plants(clip)
    flight = np.flatnonzero(~plants.left.plant & ~plants.right.plant)

    def delay(side: str, plant: NDArray[np.bool_]) -> NDArray[np.bool_]:
        if side == "right":
            plant[flight[0] : flight[-1] + 1 + round(late * clip.fps)] = False
        return plant

    found = classify(clip, planted(plants, delay))
    assert found.type == "jump"
    assert set(found.labels[flight]) == {"jump"}


def test_a_jump_that_the_clip_cuts_off_in_the_air_is_a_jump() -> None:
    sample = make_sample("jump_forward", 120.0)
    plants = detect_plants(sample.clip)
    flight = np.flatnonzero(~plants.left.plant & ~plants.right.plant)
    part = slice(int(flight[0]) - 60, int(flight[-1]) - 5)
    clip = replace(sample.clip, rotations=sample.clip.rotations[part], root=sample.clip.root[part])
    assert classify(clip).type == "jump"


# Recordings


def test_the_rule(rule: ModuleType) -> None:
    assert rule.plain_gait("walk, veer left") == "walk"
    assert rule.plain_gait("run/jog, 90-degree left turn") == "run"
    assert rule.plain_gait("JumpForward") == "jump"
    assert rule.plain_gait("hopBothLegs1hops") == "jump"
    assert rule.plain_gait("jogLeftCircle4StepsRstart") == "run"
    assert rule.plain_gait("walk-turn-left") == "walk"
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
    """CMU, HDM05 and Bandai-Namco: of each gait 95 % get their type in either half, and none gets another gait's."""
    rows = {gait: tallies[half, gait] for gait in GAITS}
    assert sum(row.right for row in rows.values()) >= 0.95 * sum(row.frames for row in rows.values())
    for gait, row in rows.items():
        assert row.clips >= 10
        assert row.types[gait] >= 0.95 * row.clips, (gait, row.types)
        assert row.types[gait] + row.types["other"] == row.clips, gait


def test_recordings_whose_text_says_nothing_else(tallies: dict[tuple[str, str], Tally]) -> None:
    for gait in GAITS:
        both = [tallies[half, f"exactly {gait}"] for half in ("tune", "test")]
        clips = sum(row.clips for row in both)
        assert clips >= 5
        assert sum(row.types[gait] for row in both) >= 0.95 * clips, gait


ONCE_OTHER = {
    "run with little flight": ("hdm05-asfamc/HDM_bd_jogLeftCircle4StepsRstart_001_120.amc", "run"),
    "run that starts with double supports": ("cmu-bvh/16_55.bvh", "run"),
    "run that brakes in a turn": ("cmu-bvh/16_42.bvh", "run"),
    "run that stops, turns round and walks back": ("cmu-bvh/141_34.bvh", "run"),
    "walk that leaves the floor once": ("cmu-bvh/132_29.bvh", "walk"),
    "jump that lands on one foot first": ("cmu-bvh/83_61.bvh", "jump"),
    "jump that ends as the first foot lands": ("hdm05-asfamc/HDM_bd_hopBothLegs1hops_001_120.amc", "jump"),
    "jump with steps back": ("cmu-bvh/75_06.bvh", "jump"),
    "jumps with steps between them": ("cmu-bvh/141_04.bvh", "jump"),
}
"""Recordings that were "other" for what they are like."""


@pytest.mark.parametrize("like", ONCE_OTHER)
def test_recordings_that_once_were_other(like: str, rule: ModuleType, corpus: Path) -> None:
    file, kind = ONCE_OTHER[like]
    options = LoadOptions(fps=rule.true_rate(Path(file).stem)) if file.startswith("cmu") else LoadOptions()
    assert classify(load(corpus / file, options)).type == kind


@pytest.mark.parametrize(("name", "start", "end", "step"), [("83_36", 254, 678, 2), ("16_29", 0, 282, 2)])
def test_recorded_walks_that_turn(name: str, start: int, end: int, step: int, corpus: Path) -> None:
    """At their end, and in the middle at a lower rate, where a pivot on one foot looks like a hop."""
    clip = load(corpus / "cmu-bvh" / f"{name}.bvh")
    part = slice(start, end, step)
    part_of = replace(clip, rotations=clip.rotations[part], root=clip.root[part], fps=clip.fps / step)
    assert classify(part_of).type == "walk"


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
