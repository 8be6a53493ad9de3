"""What is made of recordings, measured from outside: files go in and come out through the command line, and the measures are our own
(`bvh_motion`). Every case here once came out wrong, each in a way that the package's own figures did not show.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reenact.cli.main import main

sys.path.insert(0, str(Path(__file__).parent))
import bvh_motion as bvh
from joined_motion import Joined

pytestmark = pytest.mark.corpus


@dataclass(frozen=True)
class Studio:
    """Recordings by name, and a folder for what is made of them; each is made once."""

    recordings: Path
    folder: Path
    known: dict[tuple[str, ...], tuple[bvh.Motion, dict[str, Any]]]

    def file(self, name: str) -> Path:
        """Of a recording."""
        return self.recordings / f"{name}.bvh"

    def run(self, *words: object) -> tuple[int, dict[str, Any]]:
        """Exit code and answer of a command."""
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            code = main([*map(str, words), "--json"])
        return code, json.loads(told.getvalue())

    def make(self, *words: object) -> tuple[bvh.Motion, dict[str, Any]]:
        """What a command makes, and its report."""
        key = tuple(map(str, words))
        if key not in self.known:
            out = self.folder / f"made{len(self.known)}.bvh"
            code, answer = self.run(*words, "-o", out)
            assert code == 0, answer
            self.known[key] = bvh.read_motion(out), answer["report"]
        return self.known[key]


@pytest.fixture(scope="module")
def studio(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Studio:
    return Studio(corpus / "cmu-bvh", tmp_path_factory.mktemp("made"), {})


@cache
def recording(file: Path) -> bvh.Motion:
    """A recording without the T-pose in front of it."""
    return bvh.read_motion(file, first=1)


def join(studio: Studio, pair: str) -> Joined:
    files = [studio.file(name) for name in pair.split()]
    made, report = studio.make("transition", *files)
    return Joined(recording(files[0]), recording(files[1]), made, report)


def said_push(report: dict[str, Any]) -> float:
    """The figure of a report that says how hard joints are pushed."""
    return report["quality"]["acceleration"] if "quality" in report else report["acceleration_ratio"]


@pytest.mark.parametrize("name", ["90_02", "16_29", "141_31"])
def test_a_pop_is_in_the_report(studio: Studio, name: str) -> None:
    """The hardest joint of the loop was divided by the hardest of any joint: a knee that popped 9 times as hard was reported as 1.0."""
    made, report = studio.make("loop", studio.file(name))
    push, _ = bvh.hardest_push(made, [recording(studio.file(name))])
    assert said_push(report) > 0.9 * push
    assert push < 1.5


def test_a_glitch_of_a_recording_is_no_licence(studio: Studio) -> None:
    """One frame in which a hand is elsewhere, far from the blend, made any push small."""
    first, second = studio.file("16_20"), studio.file("16_14")
    glitch = np.zeros(len(recording(first)))
    glitch[20] = 80.0
    bvh.write_changed(first, studio.folder / "glitch.bvh", {("LeftForeArm", "Yrotation"): glitch})
    bvh.write_changed(first, studio.folder / "plain.bvh", {})
    frames = ("--at", 360, "--into", 40)
    made = {}
    for name in ("plain", "glitch"):
        made[name], report = studio.make("transition", studio.folder / f"{name}.bvh", second, *frames)
        made[name, "said"] = said_push(report)
    push, _ = bvh.hardest_push(made["glitch"], [recording(first), recording(second)], slice(300, 420))
    assert push < 1.5
    assert made["glitch", "said"] > 0.8 * made["plain", "said"]


@pytest.mark.parametrize("pair", ["16_20 16_14", "16_11 16_26"])
def test_no_knee_pops_in_a_transition(studio: Studio, pair: str) -> None:
    """Three times as hard as in the recordings."""
    assert join(studio, pair).push() < 1.5


@pytest.mark.parametrize("pair", ["08_04 16_18", "143_25 13_35", "118_09 83_51", "79_25 136_25"])
def test_a_clip_of_somebody_else_stands_on_the_floor(studio: Studio, pair: str) -> None:
    """It floated or sank by 13 to 43 mm."""
    assert join(studio, pair).floor_shift() < 10


@pytest.mark.parametrize("pair", ["143_25 13_35", "16_15 143_40", "16_01 83_61", "82_10 83_34"])
def test_feet_of_somebody_else_are_flat(studio: Studio, pair: str) -> None:
    """They were tilted by 14 to 15 degrees where they stand flat in the recording."""
    assert join(studio, pair).pitch() < 6


@pytest.mark.parametrize("pair", ["16_26 16_29", "143_19 143_41", "16_29 16_12", "127_17 16_35", "127_25 16_05"])
def test_no_foot_is_planted_in_the_air(studio: Studio, pair: str) -> None:
    """Feet were held 35 to 48 mm above where they stand in the recordings."""
    assert join(studio, pair).held_height() < 12


@pytest.mark.parametrize("pair", ["16_24 16_20", "16_57 16_17", "127_25 37_01", "16_55 16_44"])
def test_something_holds_the_body_inside_a_blend(studio: Studio, pair: str) -> None:
    """Plants were dropped, and the body glided for 0.13 to 0.32 s."""
    assert join(studio, pair).slides() < 0.1


@pytest.mark.parametrize("pair", ["143_13 143_10", "49_01 49_06", "16_55 16_44", "127_25 16_05"])
def test_most_of_the_second_clip_plays(studio: Studio, pair: str) -> None:
    """The frames that are most alike lay near its end: 67 to 92 % were lost."""
    assert join(studio, pair).lost() < 0.5


@pytest.mark.parametrize("name", ["113_01", "133_16", "141_31"])
def test_a_twitch_of_a_foot_does_not_throw_the_knee(studio: Studio, name: str) -> None:
    """Each cycle, 4 to 8 times as hard as anywhere in the recording."""
    made, _ = studio.make("loop", studio.file(name))
    source = recording(studio.file(name))
    for knee in ("LeftLeg", "RightLeg"):
        joint = source.names.index(knee)
        assert made.accelerations[:, joint].max() < 1.5 * source.accelerations[:, joint].max()


@pytest.mark.parametrize("name", ["79_36", "141_16", "136_21", "143_10", "104_19", "10_04"])
def test_a_clean_up_does_not_jolt_the_body(studio: Studio, name: str) -> None:
    """Hips, spine, shoulders or knees were pushed 4 to 9 times as hard as recorded."""
    made, _ = studio.make("clean", studio.file(name))
    assert bvh.hardest_push(made, [recording(studio.file(name))])[0] < 1.5


@pytest.mark.parametrize("name", ["79_36", "104_19", "10_04"])
def test_a_clean_up_does_not_throw_the_hips(studio: Studio, name: str) -> None:
    """The longest way of the hips from frame to frame was 1.6 to 3.2 times the recorded one."""
    made, _ = studio.make("clean", studio.file(name))
    steps = [
        np.linalg.norm(np.diff(motion.joint("Hips"), axis=0), axis=1).max()
        for motion in (made, recording(studio.file(name)))
    ]
    assert steps[0] < 1.25 * steps[1]


@pytest.mark.parametrize("pair", ["137_29 136_25", "69_01 136_25"])
def test_a_walk_forwards_is_not_blended_with_one_backwards(studio: Studio, pair: str) -> None:
    """Either nothing is made, or parts that go the same way."""
    files = [studio.file(name) for name in pair.split()]
    assert bvh.forward_way(recording(files[0]), slice(None)) > 1
    assert bvh.forward_way(recording(files[1]), slice(None)) < -1
    code, answer = studio.run("blend", *files, "-o", studio.folder / "made.bvh")
    assert code in (0, 2)
    if code == 0:
        ways = [
            bvh.forward_way(recording(file), slice(*part))
            for file, part in zip(files, answer["report"]["ranges"], strict=True)
        ]
        assert ways[0] * ways[1] > 0
    else:
        assert "do not correspond" in answer["error"]["message"]


@pytest.mark.parametrize("name", ["69_06", "69_20", "16_20", "83_37"])
def test_a_walk_is_looped_and_not_its_turn(studio: Studio, name: str) -> None:
    """The steps that were looped turned by 93 to 125 degrees a cycle."""
    made, report = studio.make("loop", studio.file(name), "--count", 2)
    angles = bvh.facing(made)
    assert abs(angles[report["end"] - report["start"]] - angles[0]) < 20


def test_ends_that_lie_apart_are_looped_where_the_loop_is_good(studio: Studio) -> None:
    """It was refused for ends 8 to 9 cm apart."""
    made, report = studio.make("loop", studio.file("10_03"))
    assert bvh.hardest_push(made, [recording(studio.file("10_03"))])[0] < 1.5
    assert report["doubts"] == []


@pytest.mark.parametrize("name", ["127_21", "141_14", "93_06"])
def test_a_refusal_agrees_with_its_own_figure(studio: Studio, name: str) -> None:
    """What has no cycle came "back to within 0.069 m, the limit is 0.08 m"."""
    code, answer = studio.run("loop", studio.file(name), "-o", studio.folder / "none.bvh")
    assert code == 2
    nearest, limit = re.findall(r"(\d\.\d+) m\b", answer["error"]["message"])
    assert float(nearest) > float(limit)


@pytest.mark.parametrize(
    ("name", "kind", "fps"),
    [("16_42", "run", 120), ("16_43", "run", 120), ("16_55", "run", 120), ("141_34", "run", 60), ("83_61", "jump", 120)]
    + [("141_04", "jump", 60), ("131_07", "jump", 120)],
)  # fmt: skip
def test_recordings_are_what_they_are_called(studio: Studio, name: str, kind: str, fps: int) -> None:
    code, answer = studio.run("classify", studio.file(name), "--fps", fps)
    assert (code, answer["type"]) == (0, kind)


def test_every_wrong_frame_rate_is_named(studio: Studio, corpus: Path) -> None:
    """28 of 58 were not."""
    with (corpus / "index.csv").open(newline="", encoding="utf-8") as stream:
        marked = [corpus / row["path"] for row in csv.DictReader(stream) if "really about 60 Hz" in row["notes"]]
    assert len(marked) > 50
    _, answer = studio.run("info", *marked)
    silent = [Path(file["path"]).stem for file in answer["files"] if "frame-rate.suspect" not in json.dumps(file)]
    assert silent == []


def smooth_step(frames: int, start: int, long: int) -> np.ndarray:
    """(F,) from 0 to 1."""
    share = np.clip((np.arange(frames) - start) / long, 0.0, 1.0)
    return share * share * (3 - 2 * share)


def spoilt(kind: str, frames: int) -> dict[tuple[str, str], np.ndarray]:
    """What is added to the channels of a walk to make a bad result of it."""
    middle = frames // 2
    if kind == "stands too high":
        lifted = smooth_step(frames, middle - 80, 24) - smooth_step(frames, middle + 60, 24)
        return {("Hips", "Yposition"): 0.025 * lifted}
    if kind == "slides on its feet":
        return {("Hips", "Xposition"): 0.15 * smooth_step(frames, middle, 36)}
    pop = np.zeros(frames)
    for cycle in range(middle - 120, middle + 121, 120):
        pop[cycle : cycle + 2] = 3.0
    return {("LeftUpLeg", "Xrotation"): -pop, ("LeftLeg", "Xrotation"): 2 * pop, ("LeftFoot", "Xrotation"): -pop}


def compare(studio: Studio, made: Path, source: Path) -> int:
    """The exit code of the check of a result against its source, in the words that this version has for it."""
    code, answer = studio.run("check", made, "--against", source)
    if code == 2 and "No such option" in answer["error"]["message"]:
        code, _ = studio.run("check", source, made, "--compare")
    return code


@pytest.mark.parametrize("kind", ["stands too high", "slides on its feet", "pops in its knee"])
@pytest.mark.parametrize("name", ["16_15", "07_01"])
def test_the_check_tells_a_bad_result_from_its_source(studio: Studio, name: str, kind: str) -> None:
    """It looked at no planted height, at no joint against itself and at no support that slides."""
    plain, made = studio.folder / "plain.bvh", studio.folder / "spoilt.bvh"
    bvh.write_changed(studio.file(name), plain, {})
    bvh.write_changed(studio.file(name), made, spoilt(kind, len(recording(studio.file(name)))))
    assert compare(studio, plain, plain) == 0
    assert compare(studio, made, plain) == 1
