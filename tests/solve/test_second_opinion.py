"""The second opinion about feet: it sees what it is for, says nothing of what is right, and does not repeat the first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.edit.transition import make_transition
from reenact.samples import make_sample
from reenact.solve.result_quality import ResultQuality
from reenact.solve.second_opinion import doubt_glides, doubt_otherwise
from reenact.solve.shown import Shown

NOTHING_FOUND = ResultQuality(1.0, "Hips", 0)


@pytest.fixture(scope="module")
def walk() -> tuple[Clip, FootPlants]:
    clip = make_sample("walk_normal").clip
    return clip, detect_plants(clip)


def moved(clip: Clip, metres: np.ndarray, axis: int) -> Clip:
    root = clip.root.copy()
    root[:, axis] += metres.astype(np.float32)
    return replace(clip, root=root)


def doubts(result: Clip, walk: tuple[Clip, FootPlants], changed: tuple[int, int], told=NOTHING_FOUND) -> list[str]:
    clip, plants = walk
    return doubt_otherwise(result, plants, [Shown(clip, plants, np.arange(len(clip)))], changed, told)


def test_a_clip_against_itself_leaves_no_doubt(walk) -> None:
    assert doubts(walk[0], walk, (60, 140)) == []


def test_a_floor_that_is_higher_after_the_change(walk) -> None:
    risen = moved(walk[0], np.where(np.arange(len(walk[0])) > 100, 0.02, 0.0), 1)
    said = doubts(risen, walk, (60, 101))
    assert any("floor under the feet is shifted by 20" in one for one in said)


def test_feet_held_in_the_air(walk) -> None:
    frames = np.arange(len(walk[0]))
    lifted = moved(walk[0], np.where((frames >= 60) & (frames < 140), 0.03, 0.0), 1)
    said = doubts(lifted, walk, (60, 140))
    assert any("a planted foot stands 30" in one for one in said)


def test_a_body_that_slides_on_its_feet(walk) -> None:
    seconds = np.clip(np.arange(len(walk[0])) - 60, 0, 60) / walk[0].fps
    slid = moved(walk[0], 0.8 * seconds, 0)
    said = doubts(slid, walk, (60, 120))
    assert any("slides on its feet for" in one for one in said)


def test_what_the_first_opinion_says_is_not_said_again(walk) -> None:
    frames = np.arange(len(walk[0]))
    lifted = moved(walk[0], np.where((frames >= 60) & (frames < 140), 0.03, 0.0), 1)
    told = replace(NOTHING_FOUND, height_mm=30.0, floor_mm=30.0, slides_s=1.0)
    assert doubts(lifted, walk, (60, 140), told) == []


def test_feet_that_glide_while_they_seem_to_stand(walk) -> None:
    clip, _ = walk
    assert doubt_glides(clip, clip) == []
    assert "glide by" in doubt_glides(moved(clip, 0.08 * np.arange(len(clip)) / clip.fps, 0), clip)[0]


def test_transitions_that_only_the_second_opinion_doubts_are_tried_otherwise_and_say_so(walk, monkeypatch) -> None:
    kick = make_sample("kick_left").clip
    alone = make_transition(walk[0], kick)
    assert alone.report["doubts"] == []
    monkeypatch.setattr("reenact.edit.crossing.doubt_otherwise", lambda *_: ["the floor is shifted"])
    doubted = make_transition(walk[0], kick)
    assert "the floor is shifted" in doubted.report["doubts"]
    assert doubted.report["tried"] > alone.report["tried"]
