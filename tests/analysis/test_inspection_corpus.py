"""The inspection on every recording: units, up axis, added T-pose and frame rate, with the known truth of each folder."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from reenact.analysis.added_pose import AddedPoseGuess, detect_added_pose
from reenact.analysis.frame_rate import FrameRateGuess, detect_frame_rate
from reenact.analysis.free_flight import G, find_flights, mass_weights
from reenact.analysis.limbs import find_limbs
from reenact.analysis.sampling import sample_world
from reenact.analysis.units import UnitGuess, detect_unit
from reenact.analysis.up_axis import UpAxisGuess, detect_up_axis
from reenact.core.clip import Clip
from reenact.core.role_finding import assign_roles
from reenact.core.space import from_file_space
from reenact.formats import amc, bvh
from reenact.formats.loaded import ReadOptions

pytestmark = pytest.mark.corpus

SLOW_SUBJECTS = {"74", "75", "93", "141", "143"}
"""CMU subjects whose header says 120 Hz and whose motion says about 60."""

SLOW_CLIPS = {"77_11", "90_08", "90_11", "60_10", "61_10", "62_07", "77_14", "77_19"}
"""Clips of other subjects that fall at 4 g as well (the first three), or whose steps push from 3 times as far out as the foot stands."""

UNTOLD = {"77_16", "77_34", "79_06", "79_08", "79_25", "79_36", "79_38", "79_44", "80_10"}
"""Clips whose marker files say 60 Hz, like those of the clips above, and whose motion holds too little that tells."""

Z_UP = {"fair1_dab", "fair1_jumping", "bvh_example", "walk1", "tpose"}
INCHES = {"fair1_dab", "fair1_jumping", "bvh_example", "AV_8Walk_Meredith_HVHA_Rep1"}
DECIMETRES = {"walk1", "tpose"}
ADDED = {"pirouette", "aitviewer_sample"}


@dataclass(frozen=True)
class Inspected:
    """One file: its clip in metres and Y up without an added T-pose, and what was found."""

    name: str
    clip: Clip
    up: UpAxisGuess
    unit: UnitGuess
    pose: AddedPoseGuess
    rate: FrameRateGuess


def inspect(path: Path) -> Inspected:
    clip = bvh.read(path, ReadOptions()).clips[0]
    clip = clip.with_skeleton(assign_roles(clip.skeleton)[0])
    world = sample_world(clip)
    up = detect_up_axis(clip, world)
    unit = detect_unit(clip, world, up.axis)
    pose = detect_added_pose(clip)
    clip = from_file_space(clip, unit.metres_per_unit, up.axis)
    if pose.present:
        moved = clip.translations
        rest = slice(1, None)
        clip = replace(
            clip,
            rotations=clip.rotations[rest],
            root=clip.root[rest],
            translations=None if moved is None else moved[rest],
        )
    return Inspected(path.stem, clip, up, unit, pose, detect_frame_rate(clip))


@pytest.fixture(scope="module")
def cmu(corpus: Path) -> list[Inspected]:
    return [inspect(path) for path in sorted((corpus / "cmu-bvh").glob("*.bvh"))]


@pytest.fixture(scope="module")
def others(corpus: Path) -> list[Inspected]:
    folders = ("bvh-other", "noncommercial/bandai-namco", "noncommercial/lafan1", "characters/makehuman")
    return [inspect(path) for folder in folders for path in sorted((corpus / folder).glob("*.bvh"))]


def names(found: Iterator[Inspected]) -> list[str]:
    return [one.name for one in found]


def test_every_cmu_file_is_y_up_in_cmu_units_with_an_added_pose(cmu: list[Inspected]) -> None:
    assert len(cmu) > 200
    assert names(one for one in cmu if one.up.axis != "y" or one.up.confidence < 0.8) == []
    assert names(one for one in cmu if one.unit.name != "cmu" or one.unit.confidence < 0.9) == []
    assert names(one for one in cmu if not one.pose.present) == []


def test_only_the_added_frame_goes(cmu: list[Inspected]) -> None:
    """What is left has no second one: recordings that begin in a T-pose keep it.

    Only 07_12 seems to have two: its recording begins with a frame of zeros at the origin, a fault that stays for the report.
    """
    assert names(one for one in cmu if detect_added_pose(one.clip).present and one.name != "07_12") == []


def test_other_files(others: list[Inspected]) -> None:
    assert len(others) > 50
    for one in others:
        assert one.up.axis == ("z" if one.name in Z_UP else "y"), one.name
        expected = "inch" if one.name in INCHES else "dm" if one.name in DECIMETRES else "cm"
        assert one.unit.name == ("cmu" if one.name == "jumping_jacks" else expected), one.name
        assert one.pose.present == (one.name in ADDED), one.name
        unsure = {f.code for guess in (one.up, one.unit) for f in guess.findings("") if f.severity == "warning"}
        if one.name == "rotation_first_root":
            assert unsure == {"up-axis.unsure", "units.unsure"}
        else:
            assert unsure == ({"units.unsure"} if one.name.startswith("fair1") else set()), one.name


def is_slow(name: str) -> bool:
    """Whether a CMU clip was recorded at 60 Hz."""
    return name.split("_")[0] in SLOW_SUBJECTS or name in SLOW_CLIPS | UNTOLD


def test_right_frame_rates_raise_no_alarm(cmu: list[Inspected], others: list[Inspected]) -> None:
    right = [one for one in cmu if not is_slow(one.name)]
    assert len(right) > 200
    assert names(one for one in (*right, *others) if one.rate.suggested_fps is not None) == []


def marked_clips(corpus: Path) -> set[str]:
    with (corpus / "index.csv").open(newline="", encoding="utf-8") as stream:
        return {Path(row["path"]).stem for row in csv.DictReader(stream) if "really about 60 Hz" in row["notes"]}


def test_every_marked_frame_rate_is_found(cmu: list[Inspected], corpus: Path) -> None:
    marked = marked_clips(corpus)
    assert len(marked) >= 50
    assert {one.name.split("_")[0] for one in cmu if one.name in marked} == SLOW_SUBJECTS
    assert names(one for one in cmu if one.name in marked and one.rate.suggested_fps != 60.0) == []


def test_most_marked_frame_rates_are_found_by_the_motion_alone(cmu: list[Inspected], corpus: Path) -> None:
    """All but waves, punches, kicks, poses, a ladder and two quiet ways of sitting down, whatever the skeleton."""
    marked = marked_clips(corpus) | SLOW_CLIPS
    guesses = {one.name: detect_frame_rate(one.clip, known=False) for one in cmu if one.name in marked}
    assert {guess.factor for guess in guesses.values()} <= {1.0, 2.0}
    missed = {name for name, guess in guesses.items() if guess.suggested_fps is None}
    assert missed <= {"141_15", "141_16", "143_18", "143_23", "143_24", "143_25", "143_37", "75_20", "93_01"}


def test_claimed_rates_of_right_clips_are_found(cmu: list[Inspected]) -> None:
    """Of clips that are said to be twice as fast four fifths are found, of those said to be half as fast two fifths; none is told
    the wrong way.
    """
    right = [one for one in cmu if not is_slow(one.name)]
    fast = np.array([detect_frame_rate(replace(one.clip, fps=2 * one.clip.fps)).factor for one in right])
    slow = np.array([detect_frame_rate(replace(one.clip, fps=one.clip.fps / 2)).factor for one in right])
    assert fast.min() >= 1
    assert slow.max() <= 1
    assert np.mean(fast == 2.0) > 0.8
    assert np.mean(fast > 2.0) < 0.02
    assert np.mean(slow == 0.5) > 0.4


def test_parts_of_right_clips_raise_no_alarm(cmu: list[Inspected], others: list[Inspected]) -> None:
    """Parts of 1.5 to 5 seconds, also thinned to half and a quarter of the rate."""
    rng, alarms = np.random.default_rng(9), []
    for one in (*cmu, *others):
        clip = replace(one.clip, fps=60.0) if is_slow(one.name) else one.clip
        for _ in range(2):
            long = min(len(clip), int(rng.uniform(1.5, 5) * clip.fps))
            start, step = int(rng.integers(0, len(clip) - long + 1)), int(rng.integers(1, max(2, clip.fps // 30 + 1)))
            part = slice(start, start + long, step)
            moved = None if clip.translations is None else clip.translations[part]
            cut = replace(
                clip, rotations=clip.rotations[part], root=clip.root[part], translations=moved, fps=clip.fps / step
            )
            alarms += [one.name] if detect_frame_rate(cut, known=False).suggested_fps is not None else []
    assert alarms == []


def test_flights_of_right_clips_fall_at_g(cmu: list[Inspected], others: list[Inspected]) -> None:
    """Including the files in inches whose body is small for that: gravity says that they are inches."""
    by_name = {one.name: one for one in (*cmu, *others)}
    for name in ("16_05", "13_39", "49_04", "118_03", "fair1_jumping", "fair1_dab"):
        evidence = by_name[name].rate.evidence[0]
        fall = float(evidence.split(" falls at ")[1].split()[0])
        assert fall == pytest.approx(G, rel=0.1), (name, evidence)


@pytest.mark.parametrize("name", ["90_08", "90_11"])
def test_every_flight_of_a_clip_at_twice_its_rate_falls_at_four_g(cmu: list[Inspected], name: str) -> None:
    """Flips and springs turn about their mass: the hips say 26 to 40 m/s2, the centre of mass the same in each flight."""
    clip = next(one.clip for one in cmu if one.name == name)
    limbs = find_limbs(clip.skeleton)
    assert limbs is not None
    positions = clip.world(np.float64).positions[::2]
    mass = np.sum([share * positions[:, joint] for joint, share in mass_weights(limbs).items()], axis=0)
    flights = find_flights(mass, positions[:, [*limbs.feet, *limbs.soles, *limbs.hands]], limbs.leg, clip.fps / 2)
    assert len(flights) >= 2
    assert [flight.fall for flight in flights] == pytest.approx([4 * G] * len(flights), rel=0.1)


def test_acclaim_files_raise_no_alarm(corpus: Path) -> None:
    files = [*sorted((corpus / "hdm05-asfamc").glob("*.amc")), *sorted((corpus / "cmu-asfamc").glob("*.amc"))]
    assert files
    for path in files:
        clip = amc.read(path, ReadOptions()).clips[0]
        clip = clip.with_skeleton(assign_roles(clip.skeleton)[0])
        assert detect_frame_rate(clip).suggested_fps is None, path.name
        assert not detect_added_pose(clip).present, path.name
