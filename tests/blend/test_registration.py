"""Registration of real and generated motions: known warps, free ends, many motions, quality, presets, bad input."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.blend.distance_grid import describe_samples, measure_grid, sample_frames
from reenact.blend.registration import THESIS, RegistrationParameters, merge_paths, register
from reenact.blend.trimming import find_strikes
from reenact.blend.warp_path import find_path, longest_run
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.heading import wrap
from reenact.core.placement import move_rigidly
from reenact.core.resample import ResampleParameters, resample, sample_at
from reenact.errors import ParameterError, SkeletonError

Find = Callable[[str], Clip]
WHOLE = RegistrationParameters(trim="off", gate="off")


def _tool() -> ModuleType:
    """The script that prints the table of known pairs, as a module."""
    file = Path(__file__).parents[2] / "tools" / "measure_registration.py"
    spec = importlib.util.spec_from_file_location("measure_registration", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


TOOL = _tool()


def part_of(recording: Find, name: str) -> Clip:
    """A recording, or a part of one: `NAME[first:end]` in frames at 30 Hz."""
    plain, _, kept = name.partition("[")
    return TOOL.part_of(recording(plain), kept)


def warped(clip: Clip, longer: float, sway: float, waves: float) -> tuple[Clip, np.ndarray]:
    """The clip at a changing pace, `longer` times as long, and for each of its frames the frame of the clip that it shows."""
    count = round(longer * (len(clip) - 1)) + 1
    at = np.linspace(0, 1, count)
    pace = 1 + sway * np.sin(2 * np.pi * waves * at + 0.7)
    shown = np.concatenate([[0], np.cumsum(0.5 * (pace[1:] + pace[:-1]))])
    shown *= (len(clip) - 1) / shown[-1]
    return sample_at(clip, shown, clip.fps), shown


@pytest.mark.corpus
@pytest.mark.parametrize("longer", [0.7, 1.0, 1.4])
@pytest.mark.parametrize("sway", [0.0, 0.45])
def test_a_known_warp_is_found(recording: Find, longer: float, sway: float) -> None:
    clip = resample(recording("16_11"), ResampleParameters(fps=30))
    other, shown = warped(clip, longer, sway, 2.0)
    rates = np.diff(shown)
    assert 0.38 <= rates.min() <= rates.max() <= 2.1
    other = move_rigidly(other, (3.0, 0.0, -7.0), 2.1)
    curve = register([clip, other], WHOLE)
    frames = curve.warp.frames_at(np.linspace(0, curve.length, 500))
    error = np.abs(frames[:, 0] - np.interp(frames[:, 1], np.arange(len(shown)), shown))
    assert error.mean() <= 0.4
    assert error.max() <= 1.2
    turns = curve.grids[1].align_cells(curve.path).turn
    assert np.abs(wrap(turns + 2.1)).max() <= 0.06
    u = np.linspace(0, curve.length, 200)
    assert np.abs(wrap(curve.alignment.turns_at(u)[:, 1] + 2.1)).max() <= 0.06


@pytest.mark.corpus
def test_a_known_warp_is_found_under_noise(recording: Find) -> None:
    from reenact.blend.distance_grid import marker_points
    from reenact.blend.time_warp import fit_time_warp

    clip = resample(recording("16_11"), ResampleParameters(fps=30))
    other, shown = warped(clip, 1.2, 0.3, 2.0)
    rng = np.random.default_rng(1)
    metric, _ = describe_samples(clip, np.arange(len(clip), dtype=float), 30.0)
    features = []
    for motion in (clip, move_rigidly(other, (3.0, 0.0, -7.0), 2.1)):
        points = marker_points(motion)
        features.append(metric.describe_points(points + rng.normal(scale=0.01, size=points.shape), 30.0))
    grid = measure_grid(metric, *features)
    path = find_path(grid.distances, 3)
    warp = fit_time_warp(path, 3)
    frames = warp.frames_at(np.linspace(0, warp.length, 500))
    error = np.abs(frames[:, 0] - np.interp(frames[:, 1], np.arange(len(shown)), shown))
    assert error.mean() <= 0.4
    assert error.max() <= 1.2
    assert np.abs(wrap(grid.align_cells(path).turn + 2.1)).max() <= 0.06


@pytest.mark.corpus
@pytest.mark.parametrize("names", TOOL.PILOT)
def test_quality_of_known_pairs(recording: Find, names: tuple[str, str]) -> None:
    clips = [part_of(recording, name) for name in names]
    mean, q = TOOL.PILOT[names]
    sampled = [describe_samples(clip, sample_frames(len(clip), clip.fps, 30.0), 30.0) for clip in clips]
    grid = measure_grid(sampled[0][0], sampled[0][1], sampled[1][1])
    path = find_path(grid.distances, 3)
    assert grid.along(path).mean() == pytest.approx(mean, abs=0.005)
    assert grid.along(path).mean() / grid.mean == pytest.approx(q, abs=0.02)
    # on one skeleton and one floor they are a little nearer: 77_28 was recorded 3 cm lower than 16_15
    curve = register(clips, WHOLE)
    assert curve.quality.q == pytest.approx(q, abs=0.055)
    assert curve.quality.q <= q + 0.02
    assert longest_run(curve.path) <= 3


@pytest.mark.corpus
@pytest.mark.parametrize("names", [("16_11", "16_13"), ("16_15", "16_17"), ("07_01", "08_01"), ("16_35", "09_01")])
def test_feet_that_strike_in_one_motion_strike_in_the_other(recording: Find, names: tuple[str, str]) -> None:
    curve = register([recording(name) for name in names], RegistrationParameters(trim="steps"))
    strikes = [find_strikes(p) for p in curve.plants if p is not None]
    assert [s.side for s in strikes[0]] == [s.side for s in strikes[1]]
    u = curve.warp.inverse(0, [s.frame for s in strikes[0]])
    late = (curve.warp.frames_at(u)[:, 1] - [s.frame for s in strikes[1]]) / curve.fps
    assert np.abs(late).max() < 0.075  # seconds; plants have no part in the path
    assert np.abs(late).mean() < 0.03


@pytest.mark.corpus
def test_greedy_is_flagged_and_breaks_its_limit(recording: Find) -> None:
    clips = [recording("16_17"), recording("16_19")]
    exact = register(clips, WHOLE)
    greedy = register(clips, replace(WHOLE, path="greedy"))
    assert not any(f.code == "registration.greedy" for f in exact.findings)
    found = next(f for f in greedy.findings if f.code == "registration.greedy")
    run = longest_run(greedy.path)
    assert run > 3
    assert f"breaks its limit of 3 with {run} steps in a row" in found.message


@pytest.mark.corpus
def test_a_larger_slope_limit_never_costs_more(recording: Find) -> None:
    clips = [recording("16_15"), recording("16_17")]
    costs = []
    for limit in (1, 2, 3, 5, 8, 15):
        curve = register(clips, replace(WHOLE, slope_limit=limit))
        assert longest_run(curve.path) <= limit
        costs.append(float(curve.grids[1].along(curve.path).sum()))
        slopes = curve.warp.slopes_at(np.linspace(0, curve.length, 2000))
        assert (slopes[:, 0] / slopes[:, 1]).max() <= limit + 1 + 1e-9
        assert (slopes[:, 1] / slopes[:, 0]).max() <= limit + 1 + 1e-9
    assert all(b <= a + 1e-6 for a, b in itertools.pairwise(costs))


@pytest.mark.corpus
def test_free_ends_find_the_common_part(recording: Find) -> None:
    clip = resample(recording("16_11"), ResampleParameters(fps=30))
    odd = resample(recording("79_08"), ResampleParameters(fps=30))
    around = [odd.rotations[10:30], clip.rotations, odd.rotations[60:80]]
    root = np.concatenate([odd.root[10:30], clip.root, odd.root[60:80]])
    longer = replace(clip, rotations=np.concatenate(around), root=root)
    curve = register([clip, longer], replace(WHOLE, ends="free", slack=0.2))
    assert np.abs(curve.warp.start - (0, 20)).max() <= 2
    assert np.abs(curve.warp.end - (len(clip) - 1, len(clip) + 19)).max() <= 2


@pytest.mark.corpus
def test_a_little_slack_brings_veering_walks_much_nearer(recording: Find) -> None:
    clips = [recording("16_11"), recording("16_13")]
    fixed = register(clips, WHOLE).quality.mean_distance
    free = register(clips, replace(WHOLE, ends="free", slack=0.1)).quality.mean_distance
    assert free < 0.7 * fixed


def three_copies(clip: Clip) -> tuple[list[Clip], list[np.ndarray]]:
    plans = [(1.0, 0.0, 0.0), (0.8, 0.25, 1.0), (1.25, 0.3, 2.0)]
    made = [warped(clip, *plan) for plan in plans]
    moved = [move_rigidly(c, (2.0 * n, 0.0, -n), 1.1 * n) for n, (c, _) in enumerate(made)]
    return moved, [shown for _, shown in made]


def test_three_copies_of_one_motion(sample: Find) -> None:
    clip = resample(sample("walk_normal"), ResampleParameters(fps=30))
    clip = cut_frames(clip, 0, min(len(clip), 120))
    copies, shown = three_copies(clip)
    for reference in (None, 0, 2):
        curve = register(copies, replace(WHOLE, reference=reference))
        assert reference is None or curve.reference == reference
        frames = curve.warp.frames_at(np.linspace(0, curve.length, 400))
        source = np.column_stack([np.interp(frames[:, j], np.arange(len(s)), s) for j, s in enumerate(shown)])
        assert np.ptp(source, axis=1).max() <= 1.0
        np.testing.assert_allclose(curve.warp.start, 0, atol=1e-9)
        np.testing.assert_allclose(curve.warp.end, [len(c) - 1 for c in copies], atol=1e-6)
        turns = curve.alignment.turns_at(np.linspace(0, curve.length, 50))
        for j in range(3):
            assert np.abs(wrap(turns[:, j] - 1.1 * (curve.reference - j))).max() < 0.06


@pytest.mark.corpus
def test_two_motions_are_many_motions(recording: Find) -> None:
    clips = [recording("16_15"), recording("16_17")]
    curve = register(clips, WHOLE)
    grid = curve.grids[1]
    pair = find_path(grid.distances, 3)
    assert curve.path.tolist() == pair.tolist()
    third = register([*clips, clips[0]], replace(WHOLE, reference=0))
    kept = {tuple(row) for row in third.path[:, :2].tolist()}
    assert kept == {tuple(row) for row in pair.tolist()}
    np.testing.assert_allclose(third.warp.frames_at(third.warp.length)[0], len(clips[0]) - 1, atol=1e-6)


def test_merging_runs_evenly() -> None:
    one = np.array([[0, 0], [1, 1], [1, 2], [1, 3], [2, 4]])
    other = np.array([[0, 0], [1, 0], [1, 1], [2, 2], [2, 3]])
    merged = merge_paths([None, one, other], 0)
    assert merged.tolist() == [[0, 0, 0], [1, 1, 0], [1, 2, 0.5], [1, 3, 1], [2, 4, 2], [2, 4, 3]]
    with pytest.raises(ParameterError, match="no stretch of the reference in common"):
        merge_paths([None, one[:2], other[3:]], 0)


def test_the_motion_nearest_to_the_others_is_the_reference(sample: Find) -> None:
    clips = [cut_frames(sample(name), 0, 240) for name in ("walk_slow", "walk_normal", "walk_brisk")]
    curve = register(clips, WHOLE)
    costs = np.zeros(3)
    for i in range(3):
        for j in range(3):
            if i != j:
                costs[i] += register([clips[i], clips[j]], WHOLE).quality.mean_distance
    assert curve.reference == int(np.argmin(costs))


def test_a_motion_of_middling_length_can_join_a_short_and_a_long_one(sample: Find) -> None:
    walk = cut_frames(sample("walk_normal"), 0, 400)
    short, middling, long = (warped(walk, longer, 0.0, 0.0)[0] for longer in (0.3, 0.8, 2.0))
    with pytest.raises(ParameterError, match="the smallest limit that can is"):
        register([short, long], WHOLE)
    curve = register([short, long, middling], WHOLE)
    assert curve.reference == 2
    np.testing.assert_allclose(curve.warp.end, [len(c) - 1 for c in curve.clips], atol=1e-6)
    with pytest.raises(ParameterError, match="the smallest limit that can is"):
        register([short, long, long], WHOLE)


@pytest.mark.corpus
def test_the_thesis_preset(recording: Find) -> None:
    clips = [recording("16_15"), recording("16_17")]
    curve = register(clips, THESIS)
    assert curve.grids[1].shape == (70, 70)
    assert [len(s) for s in curve.samples] == [70, 70]
    for clip, at in zip(clips, curve.samples, strict=True):
        assert at[0] == 0
        assert at[-1] == len(clip) - 1
        np.testing.assert_allclose(np.diff(at), (len(clip) - 1) / 69)
    assert curve.path[[0, -1]].tolist() == [[0, 0], [69, 69]]
    assert any(f.code == "registration.greedy" for f in curve.findings)
    assert (THESIS.slope_limit, THESIS.ends, THESIS.weights) == (3, "fixed", "equal")


@pytest.mark.corpus
def test_unrelated_motions_are_refused_and_told_why(recording: Find) -> None:
    walk, punch = recording("16_15"), recording("79_08")
    with pytest.raises(
        ParameterError, match=r"do not correspond .*79_08 stays where it is, 16_15 travels at 1\.\d m/s"
    ):
        register([walk, punch])
    warned = register([walk, punch], RegistrationParameters(gate="warn"))
    assert warned.quality.verdict == "refused"
    assert any(f.code == "registration.refused" and f.severity == "warning" for f in warned.findings)
    silent = register([walk, punch], RegistrationParameters(gate="off"))
    assert not any(f.code.startswith("registration.refused") for f in silent.findings)


@pytest.mark.corpus
def test_doubtful_pairs_are_registered_with_a_warning(recording: Find) -> None:
    clips = [part_of(recording, name) for name in ("07_01", "77_28[580:730]")]
    curve = register(clips, RegistrationParameters(trim="off"))
    assert curve.quality.verdict == "doubtful"
    found = next(f for f in curve.findings if f.code == "registration.doubtful")
    assert "4 steps in 07_01 against 8 in 77_28" in found.message
    assert "at the slope limit" in found.message


@pytest.mark.corpus
def test_opposite_phase_is_named(recording: Find) -> None:
    clip = recording("16_15")
    plants = detect_plants(clip)
    curve = register([clip, clip], WHOLE, [plants, plants.mirrored()])
    assert any(why.startswith("opposite phase") for why in curve.quality.reasons)
    assert not any(
        why.startswith("opposite") for why in register([clip, clip], WHOLE, [plants, plants]).quality.reasons
    )


def test_two_ways_of_standing_correspond(sample: Find) -> None:
    curve = register([sample("stand"), sample("stand_look")])
    assert curve.quality.q > 0.75  # nothing stands out, as any frame would do
    assert curve.quality.verdict == "good"
    assert curve.findings == ()


def test_frames_count_at_the_first_clips_rate(sample: Find) -> None:
    clip = cut_frames(sample("walk_normal"), 0, 200)
    slower = resample(clip, ResampleParameters(fps=clip.fps / 2))
    curve = register([clip, slower], WHOLE)
    assert curve.fps == clip.fps
    assert {c.fps for c in curve.clips} == {clip.fps}
    np.testing.assert_allclose(curve.warp.end, [len(c) - 1 for c in curve.clips], atol=1e-6)
    assert curve.quality.q < 0.1
    rough = register([slower, clip], WHOLE)
    assert rough.fps == slower.fps


def test_weights_of_the_points(sample: Find) -> None:
    clips = [cut_frames(sample(name), 0, 200) for name in ("walk_normal", "walk_brisk")]
    found = {
        w: register(clips, replace(WHOLE, weights=w)).quality.mean_distance for w in ("equal", "lower-body", "mass")
    }
    assert len(set(found.values())) == 3


def test_weights_joint_by_joint(sample: Find, tmp_path: Path) -> None:
    """What a flailing arm does to the correspondence of two walks goes when the arm counts nothing."""
    clip = cut_frames(sample("walk_normal"), 0, 240)
    arm = clip.skeleton.subtree(clip.skeleton.roles["left_upper_arm"])
    rng = np.random.default_rng(3)
    turned = clip.rotations.copy()
    turned[:, arm[0]] = R.exp(np.cumsum(rng.normal(scale=0.05, size=(len(clip), 3)), axis=0))
    other = replace(clip, rotations=turned.astype(np.float32))
    without = ",".join(f"{clip.skeleton.names[joint]}=0" for joint in arm) + ",others=1"
    file = tmp_path / "weights.txt"
    file.write_text("\n".join(part.replace("=", " ") for part in without.split(",")))
    equal, text, read = (
        register([clip, other], replace(WHOLE, **asked)) for asked in ({}, {"weights": without}, {"weights_file": file})
    )
    assert equal.quality.mean_distance > 0.03
    assert text.quality.mean_distance < 1e-3
    assert np.array_equal(text.path, read.path)
    assert text.quality == read.quality
    both = register(
        [clip, other], replace(WHOLE, weights=without, trim="steps")
    )  # steps are chosen by the same distances
    assert both.quality.mean_distance < 1e-3


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("heavy", "weights must be equal, lower-body, mass or joints such as left_foot=2"),
        ("left_foot=heavy", "not a joint and its weight"),
        ("left_foot=0", "no joint has a position weight above zero"),
    ],
)
def test_bad_weights_of_points(weights: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        RegistrationParameters(weights=weights)


def test_weights_of_joints_that_are_not_there(sample: Find) -> None:
    clips = [cut_frames(sample(name), 0, 200) for name in ("walk_normal", "walk_brisk")]
    with pytest.raises(SkeletonError, match="tail"):
        register(clips, replace(WHOLE, weights="tail=1"))


@pytest.mark.parametrize("through", [(150, 200), (200, 150), (121, 163)])
def test_given_frames_are_made_to_correspond(sample: Find, through: tuple[int, int]) -> None:
    clips = [cut_frames(sample(name), 0, 360) for name in ("walk_normal", "walk_brisk")]
    free = register(clips, WHOLE)
    found = register(clips, replace(WHOLE, through=through))
    paired = [float(c.warp.frames_at(float(c.warp.inverse(0, through[0])))[1]) for c in (free, found)]
    assert abs(paired[0] - through[1]) > 5, "without being asked for they do not correspond"
    assert paired[1] == pytest.approx(through[1], abs=0.05)
    assert found.warp.start.tolist() == [0, 0]
    assert found.warp.end == pytest.approx([len(clip) - 1 for clip in clips])
    assert longest_run(found.path) <= 3
    assert np.all(found.warp.slopes_at(np.linspace(0, found.length, 500)) > 0)


def test_frames_that_cannot_correspond(sample: Find) -> None:
    clips = [cut_frames(sample(name), 0, 360) for name in ("walk_normal", "walk_brisk")]
    with pytest.raises(ParameterError, match="no path through cell"):
        register(clips, replace(WHOLE, through=(10, 350)))
    with pytest.raises(ParameterError, match="'walk_brisk' has 360 frames at the common rate, not 401"):
        register(clips, replace(WHOLE, through=(10, 400)))
    with pytest.raises(ParameterError, match="joins two motions, 3 given"):
        register([*clips, clips[0]], replace(WHOLE, through=(10, 10)))
    with pytest.raises(ParameterError, match="goes with path=exact"):
        replace(WHOLE, through=(10, 10), path="greedy")


def test_bad_input(sample: Find) -> None:
    clip = sample("walk_normal")
    with pytest.raises(ParameterError, match="two clips or more, 1 given"):
        register([clip])
    with pytest.raises(ParameterError, match="at least 4 frames, this has 1"):
        register([clip, cut_frames(clip, 0, 1)])
    other = clip.with_skeleton(replace(clip.skeleton, names=tuple(f"x{name}" for name in clip.skeleton.names)))
    with pytest.raises(SkeletonError, match="differ"):
        register([clip, other])
    broken = clip.root.copy()
    broken[3] = np.nan
    with pytest.raises(ParameterError, match="numbers that are none"):
        register([clip, replace(clip, root=broken)])
    with pytest.raises(ParameterError, match="1 sets of plants for 2 clips"):
        register([clip, clip], None, [None])
    with pytest.raises(ParameterError, match="reference must be 0 to 1, not 5"):
        register([clip, clip], replace(WHOLE, reference=5))
    with pytest.raises(ParameterError, match="the smallest limit that can is"):
        register([clip, cut_frames(clip, 0, 20)], WHOLE)
    with pytest.raises(ParameterError, match="slope_limit must be 1 to 15, not 16"):
        RegistrationParameters(slope_limit=16)
    with pytest.raises(ParameterError, match="ends must be one of fixed, free, not 'loose'"):
        RegistrationParameters(ends="loose")  # type: ignore[arg-type]


def test_standing_still_is_no_trouble(sample: Find) -> None:
    clip = cut_frames(sample("stand"), 0, 60)
    still = replace(clip, rotations=np.tile(clip.rotations[:1], (60, 1, 1)), root=np.tile(clip.root[:1], (60, 1)))
    curve = register([still, still], RegistrationParameters(gate="warn"))
    assert np.isfinite(curve.alignment.placements_at(np.linspace(0, curve.length, 20))).all()


@pytest.mark.corpus
def test_plants_of_a_recorded_walk(recording: Find) -> None:
    clip = recording("16_15")
    plants = detect_plants(clip)
    for side in ("left", "right"):
        spans = plants.foot(side).intervals()
        assert 3 <= len(spans) <= 5
        whole = [(b - a) / clip.fps for a, b in spans if a > 0 and b < len(clip)]  # the ends cut the others
        assert whole
        assert all(0.4 <= seconds <= 0.75 for seconds in whole)
