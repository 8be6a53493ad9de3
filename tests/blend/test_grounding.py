"""Keeping a blend on the floor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.blend.grounding import ground, lowest_points, stand_heights
from reenact.blend.plant_matching import match_plants
from reenact.blend.playing import play, schedule_curve
from reenact.blend.preparing import bring_together
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.timing import Schedule
from reenact.blend.weights import constant_weights
from reenact.core import rotations as R
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.solve.feet import find_feet, track_foot


def _played(clips, plants, weights, *, refined):
    curve, _ = match_plants(register(clips, RegistrationParameters(trim="off", gate="off"), plants))
    schedule = schedule_curve(curve, constant_weights(weights, 2), "blended", curve.fps)
    return curve, play(curve, schedule, "incremental", curve.fps, refined=refined)


def test_feet_are_as_high_as_their_sources(recording):
    clips, plants = bring_together([recording("69_31"), recording("69_28")])
    heights = []
    for refined in (False, True):
        curve, played = _played(clips, plants, [1, 1], refined=refined)
        feet = find_feet(clips[0].skeleton, *clips)
        heights.append(lowest_points(played.clip, feet))
    own = min(lowest_points(clip, feet).min() for clip in clips)
    assert heights[0].min() < own - 0.02, "without it the blend stands in the floor"
    assert heights[1].min() > own - 0.012
    assert curve.motions == 2


def test_one_motion_alone_does_not_change(sample):
    clips, plants = bring_together([sample("walk_normal"), sample("walk_brisk")])
    curve, played = _played(clips, plants, [1, 0], refined=False)
    assert ground(played.clip, curve.clips, played.schedule).root.tobytes() == played.clip.root.tobytes()


def test_only_the_height_changes(sample):
    clips, plants = bring_together([sample("walk_normal"), sample("jog")])
    curve, played = _played(clips, plants, [1, 1], refined=False)
    found = ground(played.clip, curve.clips, played.schedule)
    assert np.array_equal(found.root[:, [0, 2]], played.clip.root[:, [0, 2]])
    assert np.array_equal(found.rotations, played.clip.rotations)
    assert not np.array_equal(found.root[:, 1], played.clip.root[:, 1])


def test_a_foot_on_its_ball_is_pitched_as_its_sources_are_on_the_average(sample):
    """One foot flat, one nearly upright: half of the angle between them, which the mean of the heights does not give."""
    clip = cut_frames(sample("stand"), 0, 60)
    (foot,) = [one for one in find_feet(clip.skeleton, clip) if one.side == "left"]
    rotations = clip.rotations.copy()
    ankle = foot.leg.end
    across = R.from_axis_angle((1.0, 0.0, 0.0), np.radians(70.0))
    rotations[:, ankle] = R.multiply(rotations[:, ankle], across)
    sources = [clip, replace(clip, rotations=rotations)]
    tracks = [track_foot(source.world(np.float64), foot) for source in sources]
    ways = [track.ball - track.heel for track in tracks]
    pitches = [np.arcsin(way[:, 1] / np.linalg.norm(way, axis=1)) for way in ways]
    assert abs(pitches[0] - pitches[1]).min() > np.radians(40)
    frames = np.repeat(np.arange(60.0)[:, None], 2, axis=1)
    schedule = Schedule(np.arange(60.0), frames, np.full((60, 2), 0.5))
    on, off = np.ones(60, bool), np.zeros(60, bool)
    plants = FootPlants(FootContact(off, on), FootContact(on, on), clip.fps)
    heel, ball = stand_heights(sources, schedule, plants)["left"]
    assert np.allclose(ball, np.mean([track.ball[:, 1] for track in tracks], axis=0))
    length = np.linalg.norm(ways[0], axis=1)
    assert np.allclose(np.arcsin((ball - heel) / length), np.mean(pitches, axis=0), atol=1e-3)
    both = FootPlants(FootContact(on, on), FootContact(on, on), clip.fps)
    heel, _ = stand_heights(sources, schedule, both)["left"]
    assert np.allclose(heel, np.mean([track.heel[:, 1] for track in tracks], axis=0))
