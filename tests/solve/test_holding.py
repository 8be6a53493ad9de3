"""Feet that are held as high and as pitched as what they were made of, frame by frame."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.core import rotations as R
from reenact.core.foot_plants import Floor, FootContact, FootPlants, intervals_of
from reenact.samples import make_sample
from reenact.solve.feet import FootTrack, find_feet, track_foot
from reenact.solve.held_feet import hold_feet
from reenact.solve.holding import hold_track
from reenact.solve.planted_points import ground_diameter
from reenact.solve.result_quality import LIMITS
from reenact.solve.stances import HoldParameters

KEPT = HoldParameters(on_floor="keep")
FPS = 120.0


@pytest.mark.parametrize("rolled", [0.0, 0.012])
def test_planted_feet_follow_the_heights_of_their_source(rolled: float) -> None:
    """A source whose floor falls by 15 mm over every stance, and whose heels come up by 12 mm meanwhile."""
    sample = make_sample("walk_normal")
    clip = sample.clip
    plants = FootPlants(
        *(FootContact(foot.heel, foot.ball) for foot in (sample.truth.left, sample.truth.right)),
        clip.fps,
        Floor(),
        "plan",
    )
    feet, world, heights = find_feet(clip.skeleton, clip), clip.world(np.float64), {}
    for foot in feet:
        track, falls = track_foot(world, foot), np.zeros(len(clip))
        for start, end in plants.foot(foot.side).intervals():
            falls[start:end] = np.linspace(0.0, 1.0, end - start)
        heights[foot.side] = (
            track.heel[:, 1] + (rolled - 0.015) * falls,
            track.ball[:, 1] - 0.015 * falls,
        )
    held = hold_feet(clip, plants, feet, HoldParameters(on_floor="keep"), heights=heights)
    done, off = held.clip.world(np.float64), []
    for foot in feet:
        track, contact = track_foot(done, foot), held.plants.foot(foot.side)
        both = contact.heel & contact.ball
        for start, end in intervals_of(both):
            if end - start > 10:
                inner = slice(start + 3, end - 3)
                off += [
                    np.abs(path[inner, 1] - wanted[inner]).max()
                    for path, wanted in zip((track.heel, track.ball), heights[foot.side], strict=True)
                ]
    assert len(off) > 8
    assert np.max(off) < 0.003


def rolling(pitches: np.ndarray, creep: float = 0.01) -> FootTrack:
    """A foot of 15 cm that is pitched by these degrees about its ball, which creeps forwards by so many metres in all."""
    turn = R.from_axis_angle(np.array([1.0, 0.0, 0.0]), -np.radians(pitches))
    ball = np.column_stack([np.zeros(len(turn)), np.full(len(turn), 0.02), np.linspace(0.0, creep, len(turn))])
    heel, ankle = (ball + R.rotate(turn, np.array(way)) for way in ([0.0, 0.0, -0.15], [0.0, 0.08, -0.13]))
    return FootTrack(ankle, turn, turn, heel, ball)


def pitches_of(track: FootTrack) -> np.ndarray:
    """Degrees by which the ball lies higher than the heel."""
    way = track.ball - track.heel
    return np.degrees(np.arctan2(way[:, 1], np.hypot(way[:, 0], way[:, 2])))


@pytest.mark.parametrize("frames", [12, 24, 60])
def test_a_stance_keeps_its_roll_however_short_it_is(frames: int) -> None:
    """The heel comes up by 5 degrees while it is planted, then the foot goes on over its ball."""
    pitches = -np.concatenate([np.linspace(12.0, 17.0, frames), np.linspace(17.0, 40.0, frames)])
    track, down = rolling(pitches), np.ones(2 * frames, np.bool_)
    held = hold_track(track, (np.arange(2 * frames) < frames, down), FPS, KEPT)
    done = track.moved(held.shift, held.turn)
    assert np.abs(pitches_of(done) - pitches).max() < 1.5
    for path in (done.heel[:frames], done.ball):
        assert ground_diameter(path[:, [0, 2]]) < 0.001 * LIMITS["slip_mm"][0]


def test_a_foot_is_pitched_as_in_its_source_on_its_heel_as_well() -> None:
    """Heel first, a step through the air, then on the ball: either plant takes on the pitch of the source."""
    own = np.concatenate([np.full(30, 14.0), np.linspace(14.0, -14.0, 60), np.full(30, -14.0)])
    track, wanted = rolling(own, creep=0.0), np.where(np.arange(120) < 60, 9.0, -19.0)
    heel, ball = np.arange(120) < 30, np.arange(120) >= 90
    higher = 0.15 * np.sin(np.radians(wanted))
    heights = (
        np.where(heel, track.heel[:, 1], track.ball[:, 1] - higher),
        np.where(heel, track.heel[:, 1] + higher, track.ball[:, 1]),
    )
    hip = track.ankle + (0.0, 0.8, 0.0)
    held = hold_track(track, (heel, ball), FPS, KEPT, hip=hip, heights=heights)
    done = pitches_of(track.moved(held.shift, held.turn))
    np.testing.assert_allclose(done[heel], wanted[heel], atol=0.1)
    np.testing.assert_allclose(
        done[ball], wanted[ball], atol=LIMITS["pitch_degrees"][0]
    )  # on its ball it spares the leg, too


def test_a_foot_is_pitched_for_its_leg_by_no_more_than_is_good() -> None:
    """A ball that slides by 12 cm while it is held would pull the leg straight."""
    pitches = np.full(60, -25.0)
    track, none = rolling(pitches, creep=0.12), np.zeros(60, np.bool_)
    held = hold_track(track, (none, ~none), FPS, KEPT, hip=track.ankle + (0.0, 0.7, 0.35))
    off = np.abs(pitches_of(track.moved(held.shift, held.turn)) - pitches)
    assert 1.0 < off.max() < LIMITS["pitch_degrees"][0] + 0.2
