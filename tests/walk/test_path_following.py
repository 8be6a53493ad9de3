"""Motions bent to curves and set on footprints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.core.foot_plants import intervals_of
from reenact.errors import FormatError, ParameterError
from reenact.formats.places_text import read_footprints
from reenact.samples import make_sample
from reenact.solve.feet import find_feet, track_foot
from reenact.walk.path_following import PathParameters, follow_path, read_through
from reenact.walk.travel_path import find_path, tightest_turn, to_the_left, unit
from reenact.walk.walk_study import knee_bends, study_walk
from reenact.walk.ways import balance, circle, curvature, curve_through, feet_outside, lean_into


@pytest.fixture(scope="module")
def walk():
    return make_sample("walk_normal", 120.0).clip


def tracks_of(made):
    """Side -> where the foot is."""
    world = made.clip.world(np.float64)
    return {foot.side: track_foot(world, foot) for foot in find_feet(made.clip.skeleton, made.clip)}


def slips(made) -> float:
    """Metres, the farthest two places of a planted point lie apart on the floor, by its own paths."""
    worst = 0.0
    world = made.clip.world(np.float64)
    for foot in find_feet(made.clip.skeleton, made.clip):
        track = track_foot(world, foot)
        contact = made.plants.foot(foot.side)
        for path, mask in ((track.heel, contact.heel), (track.ball, contact.ball)):
            for start, end in intervals_of(mask):
                places = path[start:end][:, [0, 2]]
                worst = max(worst, float(np.linalg.norm(places[:, None] - places[None], axis=2).max()))
    return worst


class TestBadInput:
    def test_one_path_is_asked_for(self) -> None:
        with pytest.raises(ParameterError, match="give one of along, through, radius and footprints"):
            PathParameters()
        with pytest.raises(ParameterError, match="not through and radius"):
            PathParameters(through="1,1", radius=2.0)

    @pytest.mark.parametrize("text", ["1", "1,2,3", "a,b"])
    def test_points(self, text: str) -> None:
        with pytest.raises(ParameterError, match="a point is x,z"):
            read_through(text)

    def test_a_path_too_tight_says_what_can_be_walked(self, walk) -> None:
        with pytest.raises(ParameterError, match=r"radius of 0\.30 m .* tightest that can be walked is"):
            follow_path(walk, PathParameters(radius=0.3))

    def test_a_stand_is_no_walk(self) -> None:
        with pytest.raises(ParameterError, match="not a walk"):
            follow_path(make_sample("stand").clip, PathParameters(radius=3.0))

    def test_steps_no_leg_reaches(self, walk) -> None:
        with pytest.raises(ParameterError, match=r"legs of .* reach"):
            follow_path(walk, PathParameters(radius=30.0, stride=2.9))

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("left,0,0\nright,0,0.6", "at least 3"),
            ("left,0,0\nmiddle,0,1\nleft,0,2", "stones.csv:2: .*left or right"),
            ("left,0,0\nright,0,x\nleft,0,2", "stones.csv:2: expected numbers"),
        ],
    )
    def test_tables_of_footprints(self, walk, tmp_path: Path, text: str, said: str) -> None:
        table = tmp_path / "stones.csv"
        table.write_text(text)
        with pytest.raises(FormatError, match=said):
            follow_path(walk, PathParameters(footprints=table))

    def test_footprints_too_far_apart_are_named(self, walk, tmp_path: Path) -> None:
        prints = study_walk(walk).prints
        lines = [f"{one.side},{one.place[0]},{one.place[2] + (1.5 if n > 2 else 0.0)}" for n, one in enumerate(prints)]
        table = tmp_path / "stones.csv"
        table.write_text("\n".join(lines))
        with pytest.raises(ParameterError, match=r"footprint 4 lies .* m from footprint 3"):
            follow_path(walk, PathParameters(footprints=table))


class TestWays:
    @pytest.mark.parametrize("radius", [3.0, -1.5])
    def test_a_circle_is_one(self, radius: float) -> None:
        way = circle((1.0, 2.0), 0.4, radius, 5.0)
        left = np.array([np.cos(0.4), -np.sin(0.4)])
        centre = np.array([1.0, 2.0]) + radius * left
        np.testing.assert_allclose(np.linalg.norm(way.points - centre, axis=1), abs(radius), atol=1e-4)
        np.testing.assert_allclose(curvature(way, np.array([1.0, 3.0])), 1 / radius, atol=1e-6)

    def test_a_curve_passes_its_points(self) -> None:
        points = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 3.0], [2.0, 4.0]])
        way = curve_through(points)
        for point in points:
            assert np.min(np.linalg.norm(way.points - point, axis=1)) < 0.011
        steps = np.linalg.norm(np.diff(way.points, axis=0), axis=1)
        np.testing.assert_allclose(steps, np.diff(way.along), atol=1e-4)

    def test_bodies_lean_into_curves_and_not_far(self) -> None:
        way = circle((0.0, 0.0), 0.0, 2.0, 10.0)
        balanced = balance(way, np.linspace(0.0, 6.0, 400), 120.0)
        lean, outside = (of(balanced, 120.0)[100:-100] for of in (lean_into, feet_outside))
        np.testing.assert_allclose(balanced[100:-100], np.arctan(1.8**2 / 2.0 / 9.81), rtol=0.02)
        assert np.all((lean > 0.3 * balanced[100:-100]) & (lean < 0.4 * balanced[100:-100]))
        assert np.all((outside > 0.8 * balanced[100:-100]) & (outside < 0.9 * balanced[100:-100]))
        fast = balance(way, np.linspace(0.0, 60.0, 400), 120.0)
        assert lean_into(fast, 120.0).max() < 0.151


class TestCurves:
    @pytest.mark.parametrize("radius", [3.0, -2.0])
    def test_planted_feet_stay_and_the_body_is_on_the_curve(self, walk, radius: float) -> None:
        made = follow_path(walk, PathParameters(radius=radius))
        assert slips(made) < 0.002
        start = study_walk(walk).path
        way = circle(start.points[0], float(start.directions[0]), radius, start.length + 2)
        walked = find_path(made.clip).points[40:-40]
        away = np.min(np.linalg.norm(walked[:, None] - way.points[None], axis=2), axis=1)
        assert away.max() < 0.06
        assert made.report["off_direction_degrees"] < 15
        turned = find_path(made.clip).directions
        assert (turned[-40] - turned[40]) * radius > 0.5 * start.length

    def test_the_path_error_leaves_out_recorded_sway(self, walk) -> None:
        """Measured anew: how far the hips are from the circle against how far they were beside their own way."""
        made, study = follow_path(walk, PathParameters(radius=2.0)), study_walk(walk)
        start, heading = study.path.points[0], float(study.path.directions[0])
        left = np.array([np.cos(heading), -np.sin(heading)])
        hips = walk.skeleton.roles["hips"]
        own, new = (one.world(np.float64).positions[:, hips][:, [0, 2]] for one in (study.base, made.clip))
        beside = 2.0 - np.linalg.norm(new - (start + 2.0 * left), axis=1)
        ways = study.path.directions
        more = beside - np.einsum("fi,fi->f", own - study.path.points, np.stack([np.cos(ways), -np.sin(ways)], axis=1))
        assert made.report["path_error_m"] < 0.05
        assert made.report["path_error_m"] == pytest.approx(np.percentile(np.abs(more), 95), abs=0.012)

    @pytest.mark.parametrize("radius", [1.5, -1.5])
    def test_bodies_lean_to_the_inside_with_their_feet_outside(self, walk, radius: float) -> None:
        """By the places of hips, neck and planted feet in the world, against the same without a lean."""
        leans, asides = [], []
        for amount in (0.0, 1.0):
            made = follow_path(walk, PathParameters(radius=radius, lean=amount))
            start = study_walk(walk).path
            middle = start.points[0] + radius * to_the_left(unit(start.directions[0]))
            places = made.clip.world(np.float64).positions
            hips, neck = (places[:, walk.skeleton.roles[role]] for role in ("hips", "neck"))
            away = np.linalg.norm(hips[:, [0, 2]] - middle, axis=1)
            leans.append(np.mean((away - np.linalg.norm(neck[:, [0, 2]] - middle, axis=1)) / (neck[:, 1] - hips[:, 1])))
            feet = []
            for side, track in tracks_of(made).items():
                down = made.plants.foot(side).ball
                feet.append(np.mean(np.linalg.norm(track.ball[down][:, [0, 2]] - middle, axis=1) - away[down]))
            asides.append(np.mean(feet) / np.mean(hips[:, 1]))
        balanced = 1.2**2 / 1.5 / 9.81
        assert 0.25 * balanced < leans[1] - leans[0] < 0.5 * balanced
        assert 0.6 * balanced < asides[1] - asides[0] < 1.1 * balanced

    def test_joints_above_the_hips_are_untouched(self, walk) -> None:
        made = follow_path(walk, PathParameters(radius=3.0))
        legs = {j for foot in find_feet(walk.skeleton, walk) for j in (foot.leg.root, foot.leg.mid, foot.leg.end)}
        others = [j for j in range(1, len(walk.skeleton)) if j not in legs]
        np.testing.assert_array_equal(made.clip.rotations[:, others], study_walk(walk).base.rotations[:, others])

    def test_a_curve_can_be_fitted(self, walk, tmp_path: Path) -> None:
        start = study_walk(walk).path
        length = 0.85 * start.length
        ahead = np.array([np.sin(start.directions[0]), np.cos(start.directions[0])])
        table = tmp_path / "curve.csv"
        table.write_text("x,z\n" + "\n".join(f"{p[0]},{p[1]}" for p in (t * length * ahead for t in (0, 0.3, 0.7, 1))))
        made = follow_path(walk, PathParameters(along=table, fit=True))
        assert made.report["way_m"] == pytest.approx(length, abs=0.03)

    def test_speed_sets_the_steps(self, walk) -> None:
        slow = follow_path(walk, PathParameters(radius=5.0, speed=0.8))
        assert slow.report["way_m"] / walk.seconds == pytest.approx(0.8, rel=0.03)


def test_footprints_are_met(walk, tmp_path: Path) -> None:
    prints = study_walk(walk).prints
    wanted = [(one.side, one.place[0] + 0.02 * n, one.place[2] * 0.95) for n, one in enumerate(prints)]
    table = tmp_path / "stones.csv"
    table.write_text("# stones\n" + "\n".join(f"{side},{x},{z}" for side, x, z in wanted))
    made = reenact.path(walk, footprints=table)
    world = made.clip.world(np.float64)
    tracks = {foot.side: track_foot(world, foot) for foot in find_feet(walk.skeleton, walk)}
    for one, (side, x, z) in zip(prints, wanted, strict=True):
        down = np.flatnonzero(made.plants.foot(side).ball[one.start : one.end]) + one.start
        if len(down) > 5:
            np.testing.assert_allclose(tracks[side].ball[down].mean(axis=0)[[0, 2]], (x, z), atol=0.004)
    assert slips(made) < 0.002


def test_footprints_are_written_as_they_are_read(walk, tmp_path: Path) -> None:
    """Those of the motion itself, which change nothing much when it is set on them, and those of a result."""
    table = tmp_path / "prints.csv"
    made = reenact.path(walk, write_footprints=table)
    assert made.report["changed"] is False
    assert np.array_equal(made.clip.rotations, walk.rotations)
    prints = study_walk(walk).prints
    assert [row[0] for row in read_footprints(table)] == [one.side for one in prints]
    again = reenact.path(walk, footprints=table)
    for one, row in zip(prints, read_footprints(table), strict=True):
        np.testing.assert_allclose(row[1:3], one.place[[0, 2]], atol=1e-4)
    assert np.abs(again.clip.world().positions - walk.world().positions).max() < 0.06
    curved = tmp_path / "curved.csv"
    bent = reenact.path(walk, radius=3.0, write_footprints=curved)
    assert bent.report["footprints_file"] == str(curved)
    assert reenact.path(walk, footprints=curved).report["doubts"] == bent.report["doubts"]


def test_nothing_asked_is_refused() -> None:
    with pytest.raises(ParameterError, match="give one of along, through, radius and footprints"):
        PathParameters()


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "radius"), [("16_30", 3.0), ("16_20", 2.0), ("16_21", -1.5), ("45_01", 3.0)])
def test_recorded_turns_are_unrolled(corpus: Path, name: str, radius: float) -> None:
    """Feet in the air turn with the way: legs reach them, knees neither bend far nor pop."""
    clip = reenact.load(corpus / "cmu-bvh" / f"{name}.bvh")
    study = study_walk(clip)
    made = follow_path(clip, PathParameters(radius=radius))
    for foot in study.feet:
        bent = knee_bends(foot, made.clip).max() - knee_bends(foot, study.base).max()
        assert np.degrees(bent) < 6
    assert made.report["knee_acceleration"] < 1.5
    assert made.report["acceleration"] < 1.5
    assert slips(made) < 0.002


@pytest.mark.corpus
def test_turns_on_the_spot_are_doubted(corpus: Path) -> None:
    clip = reenact.load(corpus / "cmu-bvh" / "111_36.bvh")
    made = follow_path(clip, PathParameters(radius=3.0))
    assert any("turns by" in doubt and "on the spot" in doubt for doubt in made.report["doubts"])
    assert tightest_turn(study_walk(reenact.load(corpus / "cmu-bvh" / "16_15.bvh")).path).angle < 0.2


def test_a_body_that_begins_to_walk_turns_without_a_jerk(walk) -> None:
    """Standing, then off to the side: the direction of the way has no corner where the body sets off."""
    still = np.repeat(walk.root[:1], 120, axis=0)
    clip = replace(
        walk,
        root=np.concatenate([still, walk.root]),
        rotations=np.concatenate([np.repeat(walk.rotations[:1], 120, axis=0), walk.rotations]),
    )
    directions = find_path(clip).directions
    assert np.abs(np.diff(directions, 2)).max() * clip.fps**2 < 30.0


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["16_15", "02_01", "35_02", "07_01", "39_01"])
def test_recorded_walks_bend(corpus: Path, name: str) -> None:
    clip = reenact.load(corpus / "cmu-bvh" / f"{name}.bvh")
    made = follow_path(clip, PathParameters(radius=3.0))
    assert slips(made) < 0.0022
    assert made.report["path_error_m"] < 0.05
    assert made.report["knee_acceleration"] < 1.6
    assert made.report["off_direction_degrees"] < 15
