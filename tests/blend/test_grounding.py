"""Keeping a blend on the floor."""

from __future__ import annotations

import numpy as np

from reenact.blend.grounding import ground, lowest_points
from reenact.blend.plant_matching import match_plants
from reenact.blend.playing import play, schedule_curve
from reenact.blend.preparing import bring_together
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.weights import constant_weights
from reenact.solve.feet import find_feet


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
