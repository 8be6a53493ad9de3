"""Feet that are held as high and as pitched as what they were made of, frame by frame."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.core.foot_plants import Floor, FootContact, FootPlants, intervals_of
from reenact.samples import make_sample
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.held_feet import hold_feet
from reenact.solve.stances import HoldParameters


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
