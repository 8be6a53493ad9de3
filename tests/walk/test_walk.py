"""Walks reshaped: stride, lift, slopes, stairs, obstacles, terrain and goals (reuse specification, acceptance A15)."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.core import rotations as R
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import intervals_of
from reenact.errors import FormatError, ParameterError
from reenact.samples import make_sample
from reenact.solve.feet import find_feet, track_foot
from reenact.walk.clearance import smoothest_raise
from reenact.walk.grounds import Stairs, read_stairs
from reenact.walk.knee_calming import smoothest
from reenact.walk.replanting import steadied
from reenact.walk.walk import WalkParameters, make_plan, walk
from reenact.walk.walk_model import bob_gain, hip_clearance
from reenact.walk.walk_study import knee_bends, knee_pushes, knee_turns, study_walk

RECORDED = ["16_15", "02_01", "35_02", "07_01", "08_04"]


@pytest.fixture(scope="module")
def sample():
    return make_sample("walk_normal", 120.0).clip


def recorded(corpus: Path, name: str):
    return reenact.load(corpus / "cmu-bvh" / f"{name}.bvh")


def tracks_of(made):
    world = made.clip.world(np.float64)
    return {foot.side: track_foot(world, foot) for foot in find_feet(made.clip.skeleton, made.clip)}


def slips(made) -> float:
    """Metres, the farthest two places of a planted point lie apart on the ground."""
    worst, tracks = 0.0, tracks_of(made)
    for side, track in tracks.items():
        contact = made.plants.foot(side)
        for path, mask in ((track.heel, contact.heel), (track.ball, contact.ball)):
            for start, end in intervals_of(mask):
                places = path[start:end][:, [0, 2]]
                worst = max(worst, float(np.linalg.norm(places[:, None] - places[None], axis=2).max()))
    return worst


def stand_places(made, study) -> np.ndarray:
    """(N, 3) metres, where the ball of each foot of the result stands while its recorded footprint lasts."""
    tracks, found = tracks_of(made), []
    for one in study.prints:
        down = np.flatnonzero(study.plants.foot(one.side).ball[one.start : one.end]) + one.start
        down = down if len(down) else np.arange(one.start, one.end)
        found.append(np.median(tracks[one.side].ball[down], axis=0))
    return np.array(found)


def step_lengths(places: np.ndarray) -> np.ndarray:
    """Metres over the floor from each place to the next but one: what one foot goes, free of the width of the walk."""
    return np.linalg.norm((places[2:] - places[:-2])[:, [0, 2]], axis=1)


def inner(study) -> slice:
    """Footprints that the recording shows from their beginning to their end."""
    return slice(1, len(study.prints) - 1)


class TestBadInput:
    def test_a_stand_is_no_walk(self) -> None:
        with pytest.raises(ParameterError, match="not a walk"):
            walk(make_sample("stand").clip, WalkParameters(stride=1.2))

    @pytest.mark.parametrize("name", ["jump_forward", "jump_forward_twice", "hop_left"])
    def test_jumps_and_hops_are_no_walk(self, name: str) -> None:
        with pytest.raises(ParameterError, match="not a walk"):
            walk(make_sample(name, 120.0).clip, WalkParameters(stride=0.8))

    @pytest.mark.parametrize("name", ["run", "run_fast", "walk_fast", "march", "walk_backwards_normal"])
    def test_runs_are_no_jumps(self, name: str) -> None:
        assert not study_walk(make_sample(name, 120.0).clip).jumps

    def test_no_plants(self, sample) -> None:
        plants = reenact.detect_plants(sample)
        none = type(plants)(
            *(type(plants.left)(*(np.zeros(len(sample), np.bool_) for _ in range(2)), np.ones(len(sample))) for _ in range(2)),
            plants.fps, plants.floor, "file",
        )  # fmt: skip
        with pytest.raises(ParameterError, match="no foot is planted"):
            walk(sample, WalkParameters(stride=1.2), none)

    def test_a_stride_no_leg_reaches_says_the_range(self, sample) -> None:
        with pytest.raises(ParameterError, match=r"step 1 would be .* reach steps of 0 to .* factor of up to"):
            walk(sample, WalkParameters(stride=2.9))

    @pytest.mark.parametrize("text", ["1", "axb", "0.17x0.29x4x2", "0.9x0.3x4", "0.17x0.05x4"])
    def test_stairs(self, text: str) -> None:
        with pytest.raises(ParameterError, match="stairs"):
            WalkParameters(stairs=text)

    @pytest.mark.parametrize("text", ["x", "1", "-1,0.2,0.1", "1,2,0.1"])
    def test_obstacles(self, text: str) -> None:
        with pytest.raises(ParameterError, match="obstacle"):
            WalkParameters(obstacle=text)

    def test_one_ground(self) -> None:
        with pytest.raises(ParameterError, match="one ground at a time, not stairs and incline"):
            WalkParameters(stairs="0.17x0.29x4", incline=0.1)

    def test_more_steps_eased_than_there_are(self, sample) -> None:
        with pytest.raises(ParameterError, match=r"too few to ease in over 40 and out over 3"):
            walk(sample, WalkParameters(ease_in=40, ease_out=3))

    def test_a_table_of_steps_that_is_none(self, sample, tmp_path: Path) -> None:
        table = tmp_path / "steps.csv"
        table.write_text("0.6\nlong\n")
        with pytest.raises(FormatError, match=r"steps\.csv:2"):
            walk(sample, WalkParameters(plan=table))

    def test_a_terrain_that_is_none(self, sample, tmp_path: Path) -> None:
        np.save(tmp_path / "field.npy", np.zeros(5))
        with pytest.raises(FormatError, match=r"field\.npy"):
            walk(sample, WalkParameters(terrain=tmp_path / "field.npy"))

    def test_frames_with_nan(self, sample) -> None:
        from dataclasses import replace

        root = sample.root.copy()
        root[10, 1] = np.nan
        with pytest.raises(ParameterError, match="NaN"):
            walk(replace(sample, root=root), WalkParameters(stride=1.2))


class TestPieces:
    def test_what_is_not_asked_is_not_changed(self, sample) -> None:
        made = walk(sample, WalkParameters())
        np.testing.assert_array_equal(made.clip.rotations, sample.rotations)
        np.testing.assert_array_equal(made.clip.root, sample.root)
        assert made.report["changed"] is False

    @pytest.mark.parametrize("model", ["balanced", "delta"])
    def test_a_factor_of_one_is_the_identity(self, sample, model: str) -> None:
        """A15: s = 1, f = 1, no slope changes nothing by a millimetre beside what holds the feet."""
        study = study_walk(sample)
        made = walk(sample, WalkParameters(stride=1.0, stride_end=1.0, model=model, ease_in=0))
        away = np.abs(made.clip.world(np.float64).positions - study.world.positions).max()
        assert away < 0.001

    def test_the_compass_model(self) -> None:
        assert hip_clearance(1.0, 0.0) == pytest.approx(1.0)
        assert hip_clearance(0.9, 0.8) == pytest.approx(math.sqrt(0.81 - 0.16))

    def test_recorded_bodies_bob_less_than_the_model(self, sample) -> None:
        assert 0.1 < bob_gain(study_walk(sample)) <= 1.0

    def test_stairs_are_read(self) -> None:
        assert read_stairs("0.17x0.29x6") == (0.17, 0.29, 6)
        stairs = Stairs(-0.2, 0.3, 3, 1.0)
        np.testing.assert_allclose(
            stairs.heights(np.zeros((5, 2)), np.array([0.9, 1.1, 1.4, 1.7, 9.0])), [0, -0.2, -0.4, -0.6, -0.6]
        )

    def test_the_smoothest_raise_clears_everything_and_begins_at_rest(self) -> None:
        needed = np.full(60, -0.1)
        needed[20:30] = 0.12
        needed[45] = 0.05
        raised = smoothest_raise(needed)
        assert np.all(raised >= needed - 1e-4)
        assert abs(raised[0]) < 0.002
        assert np.abs(np.diff(raised, 2)).max() < 0.004

    def test_the_calmed_curve_meets_its_ends(self) -> None:
        t = np.arange(50)
        corner = np.where(t < 30, 1.0 - t / 40.0, 0.25)
        calm = smoothest(corner, 3, 12.0)
        np.testing.assert_array_equal(calm[[0, 1, 2, -3, -2, -1]], corner[[0, 1, 2, -3, -2, -1]])
        assert np.abs(np.diff(calm, 2)).max() < 0.4 * np.abs(np.diff(corner, 2)).max()
        assert np.abs(calm - corner).max() < 0.03


@pytest.mark.corpus
@pytest.mark.parametrize("name", RECORDED)
class TestRecordings:
    @pytest.mark.parametrize("stride", [0.6, 0.8, 1.15])
    def test_stride(self, corpus: Path, name: str, stride: float) -> None:
        clip = recorded(corpus, name)
        study = study_walk(clip)
        made = walk(clip, WalkParameters(stride=stride))
        old = step_lengths(np.array([one.place for one in study.prints]))
        new = step_lengths(stand_places(made, study))
        part = slice(1, len(old) - 1)
        assert new[part].sum() / old[part].sum() == pytest.approx(stride, rel=0.02)
        assert slips(made) < 0.0022
        assert made.report["knee_acceleration"] < 1.5
        assert made.report["doubts"] == []

    @pytest.mark.parametrize("lift", [1.3, 1.6])
    def test_lift(self, corpus: Path, name: str, lift: float) -> None:
        """Feet are lifted as much higher as asked; planted ones stay where they stand."""
        clip = recorded(corpus, name)
        study = study_walk(clip)
        made = walk(clip, WalkParameters(lift=lift))
        tracks = tracks_of(made)
        ratios = []
        for swing in study.swings:
            side = study.prints[swing.before].side
            frames = np.arange(study.prints[swing.before].middle, study.prints[swing.after].start)
            level = np.interp(frames, [swing.start, swing.end], swing.rest)
            ratios.append(float(np.max(tracks[side].ankle[frames, 1] - level)) / swing.lift)
        assert np.mean(ratios) == pytest.approx(lift, rel=0.025)
        for side, track in tracks.items():
            down = made.plants.foot(side).plant
            assert np.abs(track.ankle[down, 1] - study.tracks[side].ankle[down, 1]).max() < 0.004
        assert slips(made) < 0.0022
        assert made.report["knee_acceleration"] < 1.5

    @pytest.mark.parametrize("degrees", [-10.0, 5.0, 12.0])
    def test_slopes(self, corpus: Path, name: str, degrees: float) -> None:
        """Planted soles lie on the slope, and the body rises with it."""
        clip = recorded(corpus, name)
        study = study_walk(clip)
        made = walk(clip, WalkParameters(incline=math.radians(degrees)))
        places = stand_places(made, study)[inner(study)]
        old = np.array([one.place for one in study.prints])[inner(study)]
        rises = places[:, 1] - old[:, 1]
        ways = np.array([one.along for one in study.prints])[inner(study)] * math.cos(math.radians(degrees))
        np.testing.assert_allclose(rises, math.tan(math.radians(degrees)) * ways, atol=0.01)
        hips = clip.skeleton.roles["hips"]
        body = made.clip.world(np.float64).positions[:, hips, 1] - study.world.positions[:, hips, 1]
        first, last = study.prints[1].middle, study.prints[-2].middle
        risen = math.tan(math.radians(degrees)) * (ways[-1] - ways[0])
        assert body[last] - body[first] == pytest.approx(risen, rel=0.12, abs=0.02)
        assert slips(made) < 0.003

    def test_stairs_up(self, corpus: Path, name: str) -> None:
        """Feet stand within their treads, and no foot runs through a step."""
        clip = recorded(corpus, name)
        made = walk(clip, WalkParameters(stairs="0.17x0.29x3"))
        heights = sorted({round(height / 0.17) for height in _levels(made)})
        assert heights[:4] == [0, 1, 2, 3]
        assert made.report["through_mm"] < 10
        assert made.report["sole_mm"] < 10
        assert slips(made) < 0.0022
        begin, end, height = made.report["treads_m"][1]
        study = study_walk(clip)
        on_tread = [  # heel and ball of whoever stands 0.34 m up, along the way
            (track.heel[start:end_, [0, 2]].mean(axis=0), track.ball[start:end_, [0, 2]].mean(axis=0))
            for side, track in tracks_of(made).items()
            for start, end_ in intervals_of(made.plants.foot(side).heel & made.plants.foot(side).ball)
            if abs(np.median(track.heel[start:end_, 1]) - np.percentile(study.tracks[side].heel[:, 1], 15) - height)
            < 0.04
        ]
        ahead = np.array([np.sin(study.path.directions[0]), np.cos(study.path.directions[0])])
        assert on_tread
        for heel, ball in on_tread:
            assert begin - 0.02 < (heel - study.path.points[0]) @ ahead
            assert (ball - study.path.points[0]) @ ahead < end + 0.02

    def test_the_upper_body_is_untouched(self, corpus: Path, name: str) -> None:
        clip = recorded(corpus, name)
        made = walk(clip, WalkParameters(stride=0.8, lift=1.3))
        legs = {j for foot in find_feet(clip.skeleton, clip) for j in (foot.leg.root, foot.leg.mid, foot.leg.end)}
        others = [j for j in range(1, len(clip.skeleton)) if j not in legs]
        np.testing.assert_array_equal(made.clip.rotations[:, others], study_walk(clip).clip.rotations[:, others])

    def test_knees_bend_forwards(self, corpus: Path, name: str) -> None:
        """No knee bends backwards: the knee lies before the line from hip to ankle wherever it is bent."""
        clip = recorded(corpus, name)
        study = study_walk(clip)
        for asked in (WalkParameters(stride=1.15), WalkParameters(lift=1.6), WalkParameters(incline=0.17)):
            made = walk(clip, asked)
            world = made.clip.world(np.float64)
            facing = np.array(
                [np.sin(study.path.directions), np.zeros(len(study.clip)), np.cos(study.path.directions)]
            ).T
            for foot in study.feet:
                hip, knee, ankle = (world.positions[:, j] for j in (foot.leg.root, foot.leg.mid, foot.leg.end))
                before = np.einsum("fi,fi->f", knee - 0.5 * (hip + ankle), facing)
                bent = knee_bends(foot, made.clip) > 0.35
                was = study.world.positions[:, foot.leg.mid] - 0.5 * (
                    study.world.positions[:, foot.leg.root] + study.world.positions[:, foot.leg.end]
                )
                straight = np.einsum("fi,fi->f", was, facing) > 0.02
                assert np.all(before[bent & straight] > 0)


def _levels(made) -> list[float]:
    """Metres, how high each planted ball stands over the lowest one."""
    found = []
    for side, track in tracks_of(made).items():
        for start, end in intervals_of(made.plants.foot(side).ball):
            if end - start > 10:
                found.append(float(np.median(track.ball[start:end, 1])))
    return [one - min(found) for one in found]


@pytest.mark.corpus
class TestWaysToAsk:
    def test_steps_follow_a_changing_stride(self, corpus: Path) -> None:
        """A15: step lengths follow the plan within 3 %."""
        clip = recorded(corpus, "16_15")
        made = walk(clip, WalkParameters(stride=1.15, stride_end=0.6))
        report = made.report
        np.testing.assert_allclose(report["steps_m"][1:-1], report["planned_m"][1:-1], rtol=0.03)
        assert report["planned_m"][-2] < 0.8 * report["planned_m"][1]

    def test_a_plan_sets_each_step(self, corpus: Path, tmp_path: Path) -> None:
        clip = recorded(corpus, "16_15")
        study = study_walk(clip)
        table = tmp_path / "steps.csv"
        table.write_text("length,lift\n" + "\n".join(["0.55,1", "0.5,1.4", "0.45,1", "0.6,1"]))
        made = walk(clip, WalkParameters(plan=table))
        places = stand_places(made, study)
        ways = np.array(
            [study.path.place(place[[0, 2]], one.middle)[0] for place, one in zip(places, study.prints, strict=True)]
        )
        assert made.report["steps_m"][:4] == pytest.approx([0.55, 0.5, 0.45, 0.6], abs=0.01)
        assert np.diff(ways)[1:3] == pytest.approx([0.5, 0.45], abs=0.03)

    def test_goals_are_met(self, corpus: Path) -> None:
        """A15: the body ends within a centimetre of any distance, measured on the result."""
        rng = np.random.default_rng(20)
        for name in ("16_15", "02_01", "07_01", "35_02"):
            clip = recorded(corpus, name)
            for distance in rng.uniform(1.0, 8.0, 3):
                made = reenact.walk(clip, to=float(distance))
                hips = made.clip.world(np.float64).positions[:, clip.skeleton.roles["hips"]][:, [0, 2]]
                assert np.linalg.norm(hips[-1] - hips[0]) == pytest.approx(distance, abs=0.05)  # hips sway
                assert made.report["off_goal_mm"] < 10
                assert slips(made) < 0.0025
                assert made.plants.left.plant[-1]  # not in mid-stride
                assert made.plants.right.plant[-1]

    def test_a_goal_too_far_says_how_far_it_can_be(self, corpus: Path) -> None:
        """Three footprints are no two steps to repeat: as long as they can be, they are all there is."""
        with pytest.raises(
            ParameterError, match=r"the walk goes .\... m, with the longest steps .\... m, and cannot be repeated"
        ):
            walk(cut_frames(recorded(corpus, "21_11"), 0, 120), WalkParameters(to=6.0))

    @pytest.mark.parametrize(("name", "note"), [("21_11", True), ("69_68", False)])
    def test_walks_without_a_cycle_are_repeated_by_their_steps(self, corpus: Path, name: str, note: bool) -> None:
        """21_11 never comes back to how it began; of 69_68 the best cycle is one in which somebody stands."""
        made = walk(recorded(corpus, name), WalkParameters(to=5.0))
        assert made.report["off_goal_mm"] < 10
        assert made.report["knee_acceleration"] < 1.5
        assert slips(made) < 0.002
        assert any("the seam may be seen" in doubt for doubt in made.report["doubts"]) == note

    @pytest.mark.parametrize("name", ["07_01", "55_04"])
    def test_repeated_walks_bend_no_knee_backwards(self, corpus: Path, name: str) -> None:
        """The seam of their loops bends a knee through by 2 degrees."""
        clip = recorded(corpus, name)
        made = walk(clip, WalkParameters(to=5.0))
        study, world = study_walk(clip), made.clip.world(np.float64)
        for foot in study.feet:
            assert np.degrees(knee_turns(foot, world).min()) > -0.5

    @pytest.mark.parametrize(
        ("asked", "least", "most"),
        [({"incline": 0.21}, 3.0, 8.0), ({"incline": -0.21}, -3.0, 0.0), ({"stride": 0.8}, 0.0, 0.0)],
    )
    def test_trunks_bend_into_slopes(self, corpus: Path, asked: dict, least: float, most: float) -> None:
        """Forward uphill, a little back downhill, and not at all where nothing is asked or on level ground."""
        clip = recorded(corpus, "16_15")
        study, skeleton = study_walk(clip), clip.skeleton
        hips, neck = skeleton.roles["hips"], skeleton.joint("neck")
        ahead = np.array([np.sin(study.path.directions), np.cos(study.path.directions)]).T

        def lean(one) -> float:
            places = one.world(np.float64).positions
            trunk = places[:, neck] - places[:, hips]
            return float(np.degrees(np.median(np.arctan2(np.einsum("fi,fi->f", trunk[:, [0, 2]], ahead), trunk[:, 1]))))

        for amount in (1.0, 0.0):
            made = walk(clip, WalkParameters(**asked, lean=amount))
            more = lean(made.clip) - lean(clip)
            assert amount * least - 0.3 <= more <= amount * most + 0.3

    def test_feet_are_lifted_over_what_is_there_and_nothing_else(self, corpus: Path) -> None:
        """Swings that do not pass the obstacle are those of the recording."""
        clip = recorded(corpus, "16_15")
        study = study_walk(clip)
        made = walk(clip, WalkParameters(obstacle="1.8,0.25,0.15"))
        tracks = tracks_of(made)
        raised = []
        for swing in study.swings:
            side, frames = study.prints[swing.before].side, slice(swing.start, swing.end)
            raised.append(float(np.max(tracks[side].ankle[frames, 1] - study.tracks[side].ankle[frames, 1])))
        assert sum(one > 0.08 for one in raised) == 2
        assert sum(one < 0.01 for one in raised) == len(raised) - 2

    def test_an_obstacle_is_cleared(self, corpus: Path) -> None:
        """No point of a foot is lower than the obstacle while it is above it."""
        clip = recorded(corpus, "16_15")
        made = walk(clip, WalkParameters(obstacle="1.8,0.25,0.15"))
        study = study_walk(clip)
        start, heading = study.path.points[0], study.path.directions[0]
        ahead = np.array([np.sin(heading), np.cos(heading)])
        passed = 0
        for track in tracks_of(made).values():
            for path in (track.heel, track.ball):
                along = (path[:, [0, 2]] - start) @ ahead
                over = (along > 1.8) & (along < 1.95)
                passed += int(over.any())
                assert not over.any() or path[over, 1].min() > 0.25
        assert passed == 4

    @pytest.mark.parametrize("depth", [0.03, 0.05])
    def test_thin_obstacles_are_seen(self, corpus: Path, depth: float) -> None:
        """A board on edge is thinner than the distance between two looks at a step."""
        clip = recorded(corpus, "02_02")
        made = walk(clip, WalkParameters(obstacle=f"1.8,0.25,{depth}"))
        study = study_walk(clip)
        start, heading = study.path.points[0], study.path.directions[0]
        ahead = np.array([np.sin(heading), np.cos(heading)])
        passed = 0
        for track in tracks_of(made).values():
            for share in np.linspace(0.0, 1.0, 20):
                path = track.heel + share * (track.ball - track.heel)
                along = (path[:, [0, 2]] - start) @ ahead
                over = (along > 1.8) & (along < 1.8 + depth)
                passed += int(over.any())
                assert not over.any() or path[over, 1].min() > 0.25
        assert passed > 10
        assert made.report["through_mm"] < 1

    def test_the_foot_that_goes_first_is_highest_over_the_obstacle(self, corpus: Path) -> None:
        """It is not kicked up behind the body: it is about as far before the obstacle as behind it when it is highest."""
        clip = recorded(corpus, "02_02")
        made = walk(clip, WalkParameters(obstacle="1.8,0.3,0.2"))
        study, track = study_walk(clip), tracks_of(made)["left"]
        start, heading = study.path.points[0], study.path.directions[0]
        along = (track.ankle[:, [0, 2]] - start) @ np.array([np.sin(heading), np.cos(heading)])
        highest = int(np.argmax(track.ankle[:, 1]))
        assert 1.6 < along[highest] < 2.2
        assert track.ankle[highest, 1] < 0.6

    @pytest.mark.parametrize("name", ["16_15", "02_02"])
    def test_terrain(self, corpus: Path, tmp_path: Path, name: str) -> None:
        """Feet stand on hills of a table of heights, and no heel or ball is in them."""
        x = np.arange(-8, 8, 0.1)
        field = 0.06 * np.sin(x / 0.5)[None] + 0.08 * np.sin(x / 0.45)[:, None]
        np.save(tmp_path / "hills.npy", field)
        clip = recorded(corpus, name)
        asked = WalkParameters(terrain=tmp_path / "hills.npy")
        made, study = walk(clip, asked), study_walk(clip)
        assert made.report["sole_mm"] < 10
        assert made.report["through_mm"] < 10
        assert np.ptp(_levels(made)) > 0.05
        ground = make_plan(study, asked).ground
        for side, track in tracks_of(made).items():
            for new, old in ((track.heel, study.tracks[side].heel), (track.ball, study.tracks[side].ball)):
                above = new[:, 1] - ground.heights(new[:, [0, 2]], np.zeros(len(new)))
                assert (above - np.minimum(old[:, 1], 0.0)).min() > -0.012

    @pytest.mark.parametrize(
        ("name", "asked"),
        [
            ("02_02", {"stairs": "-0.17x0.29x4"}),  # its pelvis trembles for a frame
            ("136_09", {"stride": 1.3}),  # crouched
            ("133_16", {"obstacle": "1.6,0.25,0.15"}),
            ("22_08", {"obstacle": "1.6,0.25,0.15"}),  # one step long
        ],
    )
    def test_no_knee_pops(self, corpus: Path, name: str, asked: dict) -> None:
        made = walk(recorded(corpus, name), WalkParameters(**asked))
        assert made.report["knee_acceleration"] < 1.5
        assert slips(made) < 0.002

    def test_feet_come_down_on_hills_without_a_bulge(self, corpus: Path, tmp_path: Path) -> None:
        """A foot that lands where the ground is not straight is not lifted to its knee for that."""
        x = np.arange(-12, 12, 0.1)
        np.save(tmp_path / "hills.npy", 0.07 * np.sin(x / 0.45)[None] + 0.07 * np.sin(x / 0.6)[:, None])
        made = walk(recorded(corpus, "133_16"), WalkParameters(terrain=tmp_path / "hills.npy"))
        assert made.report["knee_acceleration"] < 1.5
        assert made.report["knee_folded_degrees"] < 110
        assert made.report["through_mm"] < 10

    def test_easing_begins_and_ends_at_rest(self, corpus: Path) -> None:
        clip = recorded(corpus, "08_04")
        made = walk(clip, WalkParameters(ease_in=2, ease_out=2))
        steps = made.report["steps_m"]
        assert steps[0] < 0.4 * max(steps)
        assert steps[-1] < 0.4 * max(steps)

    def test_the_thesis_model_is_a_choice(self, corpus: Path) -> None:
        """The literal model carries the hips as high as its equations say: lower where both feet are down."""
        clip = recorded(corpus, "16_15")
        made = walk(clip, WalkParameters(stride=1.1, model="literal"))
        delta = walk(clip, WalkParameters(stride=1.1, model="delta"))
        hips = clip.skeleton.roles["hips"]
        bobs = [np.ptp(one.clip.world().positions[60:-60, hips, 1]) for one in (made, delta)]
        assert bobs[0] > 1.3 * bobs[1]

    def test_double_support_and_crossing(self, corpus: Path) -> None:
        """Both feet are planted once between each two steps of a walk, and never in a run."""
        study = study_walk(recorded(corpus, "16_15"))
        doubles = intervals_of(study.double_support)
        steps = [two.start for one, two in pairwise(study.prints) if one.side != two.side]
        assert len(doubles) >= len(steps) - 1
        assert make_plan(study, WalkParameters(stride=0.9)).ground.is_even


@pytest.mark.corpus
@pytest.mark.parametrize("name", RECORDED)
class TestDescents:
    def test_feet_land_on_the_ball(self, corpus: Path, name: str) -> None:
        """As in recorded descents: pitched downward when they come down, flat a fifth of a second later, on a knee that gives."""
        clip = recorded(corpus, name)
        study, made = study_walk(clip), walk(clip, WalkParameters(stairs="-0.17x0.29x3"))
        tracks, seen = tracks_of(made), 0
        levels = [track.ball[:, 1] - study.tracks[side].ball[:, 1] for side, track in tracks.items()]
        assert min(level.min() for level in levels) == pytest.approx(-0.51, abs=0.08)
        for foot in find_feet(clip.skeleton, clip):
            track, contact = tracks[foot.side], made.plants.foot(foot.side)
            bends = knee_bends(foot, made.clip)
            for start, end in intervals_of(contact.plant):
                if not start or contact.heel[start]:
                    continue
                pitch = track.heel[start:end, 1] - track.ball[start:end, 1]
                flat = np.flatnonzero(contact.heel[start:end])
                assert contact.ball[start]
                assert pitch[0] > pitch[flat[0]] + 0.02  # metres that the heel still has to sink
                assert flat[0] / clip.fps < 0.3
                assert 0.25 < bends[start] < 1.0
                seen += 1
        assert seen == 3
        assert made.report["knee_acceleration"] < 1.5
        assert slips(made) < 0.0022
        assert made.report["through_mm"] < 5

    def test_toes_stay_flat_under_a_pitched_foot(self, corpus: Path, name: str) -> None:
        clip = recorded(corpus, name)
        made = walk(clip, WalkParameters(stairs="-0.17x0.29x3"))
        for foot in find_feet(clip.skeleton, clip):
            track, contact = tracks_of(made)[foot.side], made.plants.foot(foot.side)
            for start, end in intervals_of(contact.ball):
                flat = np.flatnonzero(contact.heel[start:end])
                if not start or not len(flat) or contact.heel[start]:
                    continue
                w = abs(float(np.dot(track.toes[start + flat[0]], track.toes[start])))
                assert 2 * np.degrees(np.arccos(min(w, 1.0))) < 6.0


@pytest.mark.corpus
def test_level_steps_land_as_recorded(corpus: Path) -> None:
    """On level ground, uphill and upstairs the heel comes down first, as it did."""
    clip = recorded(corpus, "16_15")
    study = study_walk(clip)
    for asked in (WalkParameters(stride=0.8), WalkParameters(incline=0.1), WalkParameters(stairs="0.17x0.29x3")):
        made = walk(clip, asked)
        for side in ("left", "right"):
            assert not np.any(made.plants.foot(side).heel & ~study.plants.foot(side).heel)
            assert not np.any(made.plants.foot(side).ball & ~study.plants.foot(side).ball)


@pytest.mark.corpus
def test_who_stands_first_climbs_from_the_first_step(corpus: Path) -> None:
    """111_36 shifts from foot to foot before it walks: shuffles get no tread, and nobody runs through a riser."""
    made = walk(recorded(corpus, "111_36"), WalkParameters(stairs="0.17x0.29x4"))
    assert made.report["through_mm"] < 10
    levels = np.array(_levels(made))
    assert all(np.abs(levels - 0.17 * n).min() < 0.06 for n in range(5))


@pytest.mark.corpus
def test_no_foot_on_the_floor_stands_in_the_stairs(corpus: Path) -> None:
    """137_29 begins with its feet side by side, the right one ahead."""
    made = walk(recorded(corpus, "137_29"), WalkParameters(stairs="0.17x0.29x4"))
    assert made.report["through_mm"] < 10
    assert made.report["knee_acceleration"] < 1.5


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["111_36", "136_21", "15_01"])
def test_footprints_lie_where_the_body_passes_them(corpus: Path, name: str) -> None:
    """On ways that turn back, and of feet whose plants flicker: nobody steps two metres ahead and one back."""
    study = study_walk(recorded(corpus, name))
    assert study.steps.min() > -0.35
    assert study.steps.max() < 1.2
    for one in study.prints:
        gone = study.path.along[one.start : one.end]
        assert gone.min() - 0.8 < one.along < gone.max() + 0.8


@pytest.mark.parametrize("name", ["111_09", "143_18"])
def test_who_gets_up_from_a_chair_does_not_walk(corpus: Path, name: str) -> None:
    """The body goes ahead, the feet do not."""
    with pytest.raises(ParameterError, match=r"not a walk: .* footprints get 0\.\d\d m ahead"):
        walk(recorded(corpus, name), WalkParameters(stride=1.1))


class TestRecordingsThatClimb:
    """141_07 walks up and over something half a metre high, 74_18 up a slope."""

    @pytest.mark.parametrize(
        "asked", [{"lift": 0.7}, {"incline": 0.1}, {"stairs": "0.17x0.29x4"}, {"obstacle": "1.6,0.25"}]
    )
    @pytest.mark.parametrize("name", ["141_07", "74_18"])
    def test_no_other_ground_is_put_under_them(self, corpus: Path, name: str, asked: dict) -> None:
        with pytest.raises(ParameterError, match=r"no walk on one level: the (left|right) foot steps (up|down) by"):
            walk(recorded(corpus, name), WalkParameters(**asked))

    def test_strides_can_be_changed_with_a_word(self, corpus: Path) -> None:
        for made in (
            walk(recorded(corpus, "141_07"), WalkParameters(stride=0.9)),
            reenact.path(recorded(corpus, "141_07"), radius=3.0),
        ):
            assert any("no walk on one level" in doubt for doubt in made.report["doubts"])

    def test_walks_on_a_floor_do_not(self, corpus: Path) -> None:
        for name in RECORDED:
            assert not any(
                "level" in one for one in walk(recorded(corpus, name), WalkParameters(stride=0.9)).report["doubts"]
            )


@pytest.mark.parametrize("name", ["111_36", "69_24", "16_40"])
def test_held_feet_do_not_jerk_knees(corpus: Path, name: str) -> None:
    """A ball that slides at the end of its plant is let go sooner where holding it would bend the knee nearly twice as hard."""
    clip = recorded(corpus, name)
    study = study_walk(clip)
    assert (knee_pushes(study.feet, study.base) / study.knees).max() < 1.25
    assert study.plants.left.plant.sum() + study.plants.right.plant.sum() > 0.8 * (
        study.detected.left.plant.sum() + study.detected.right.plant.sum()
    )


def test_a_steadied_body_keeps_its_ends_and_hardly_moves(sample) -> None:
    made = steadied(sample, 1.2)
    np.testing.assert_array_equal(made.root[[0, -1]], sample.root[[0, -1]])
    assert np.abs(made.root - sample.root).max() < 0.003
    assert np.array_equal(made.rotations[:, 1:], sample.rotations[:, 1:])
    trembling = sample.rotations.copy()
    trembling[50, 0] = R.multiply(R.about_y(0.02), trembling[50, 0])
    calm = steadied(replace(sample, rotations=trembling), 1.2)
    assert R.angle_between(calm.rotations[50, 0], sample.rotations[50, 0]) < 0.01
