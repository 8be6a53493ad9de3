"""The up axis: standing, lying, travelling, without limbs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.sampling import sample_world
from reenact.analysis.up_axis import UpAxisGuess, detect_up_axis
from reenact.core.clip import Clip
from reenact.core.rotations import conjugate, multiply, rotate
from reenact.core.skeleton import Skeleton

_HALF = np.sqrt(0.5)
TURNS = {"y": (1, 0, 0, 0), "z": (_HALF, _HALF, 0, 0), "x": (_HALF, 0, 0, -_HALF)}
Make = Callable[..., Clip]


def turned(clip: Clip, axis: str) -> Clip:
    """The clip as a file with another up axis would hold it, offsets and all."""
    turn = np.array(TURNS[axis], float)
    rotations = multiply(multiply(turn, clip.rotations.astype(float)), conjugate(turn))
    skeleton = replace(clip.skeleton, offsets=rotate(turn, clip.skeleton.offsets))
    return replace(clip, skeleton=skeleton, rotations=rotations, root=rotate(turn, clip.root.astype(float)))


def guess(clip: Clip) -> UpAxisGuess:
    return detect_up_axis(clip, sample_world(clip))


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_a_standing_body_tells_its_up_axis(axis: str, nameless: Skeleton, standing: Make) -> None:
    found = guess(turned(standing(nameless, np.tile([0.3, 0.93, -2.0], (30, 1))), axis))
    assert (found.axis, found.confidence) == (axis, pytest.approx(1.0))
    assert [f.code for f in found.findings("a.bvh")] == ["up-axis.detected"]


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_a_crawling_body_is_not_taken_for_a_standing_one(axis: str, body: Skeleton, standing: Make) -> None:
    """Head first along +Z, belly down, from one end of the room to the other."""
    root = np.stack([np.zeros(60), np.full(60, 0.2), np.linspace(-2, 2, 60)], axis=1)
    clip = standing(body, root)
    rotations = clip.rotations.copy()
    rotations[:, 0] = (_HALF, _HALF, 0, 0)
    assert guess(turned(replace(clip, rotations=rotations), axis)).axis == axis


def test_a_root_turned_against_the_rest_pose_is_seen_by_the_floor(body: Skeleton, standing: Make) -> None:
    """Z up although the rest pose stands along Y: a converter that only turned the root."""
    root = np.stack([np.linspace(-2, 2, 60), np.linspace(0, 3, 60), np.full(60, 0.93)], axis=1)
    clip = standing(body, root)
    rotations = clip.rotations.copy()
    rotations[:, 0] = TURNS["z"]
    assert guess(replace(clip, rotations=rotations)).axis == "z"


def test_lying_still_is_y_but_unsure(body: Skeleton, standing: Make) -> None:
    clip = standing(body, np.tile([1.0, 0.1, 3.0], (20, 1)))
    rotations = clip.rotations.copy()
    rotations[:, 0] = (_HALF, _HALF, 0, 0)
    found = guess(replace(clip, rotations=rotations))
    assert found.axis == "y"
    (finding,) = found.findings("a.bvh")
    assert (finding.code, finding.severity) == ("up-axis.unsure", "warning")
    assert "--up" in finding.message


def test_without_limbs_it_is_y_and_unsure(standing: Make) -> None:
    rope = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 0, 1.0]]))
    found = guess(standing(rope, np.zeros((5, 3))))
    assert found.axis == "y"
    assert found.confidence < 0.5


def test_a_given_axis_makes_the_finding_unapplied() -> None:
    (finding,) = UpAxisGuess("z", 0.9, "because").findings("a.bvh", applied=False)
    assert not finding.fixed


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
@pytest.mark.parametrize("frames", [0, 3])
def test_damaged_and_missing_frames_are_unsure(bad: float, frames: int, body: Skeleton, standing: Make) -> None:
    found = guess(standing(body, np.full((frames, 3), bad)))
    assert found.axis == "y"
    assert found.findings("a")[0].code == "up-axis.unsure"
