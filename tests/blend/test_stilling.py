"""Twitches of recordings: bridged where motions are mixed, kept where one is shown alone; motions that are hurried through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reenact.blend.blend import BlendParameters, blend
from reenact.blend.poses import sample_poses
from reenact.blend.stilling import still_twitches, twitching_frames
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.solve.joint_pushes import joint_pushes

Find = Callable[[str], Clip]


def twitched(clip: Clip, frame: int, angle: float = 0.3) -> Clip:
    """An upper arm that jumps aside for a frame, and comes back."""
    joint = clip.skeleton.roles["left_upper_arm"]
    rotations = clip.rotations.copy()
    rotations[frame, joint] = R.multiply(R.about_y(angle), rotations[frame, joint])
    return replace(clip, rotations=rotations)


def test_a_twitch_is_bridged_and_nothing_else_changes(sample: Find) -> None:
    clip = cut_frames(sample("walk_normal"), 0, 300)
    made = still_twitches(twitched(clip, 150))
    assert joint_pushes(made).max() < 1.2 * joint_pushes(clip).max()
    assert np.abs(made.world().positions - clip.world().positions).max() < 0.01
    far = np.abs(np.arange(len(clip)) - 150) > 6
    assert np.array_equal(made.rotations[far], clip.rotations[far])


@pytest.mark.parametrize("frame", [1, 298])
def test_an_end_that_shakes_goes_straight_on(sample: Find, frame: int) -> None:
    """As the filters of some recordings leave it: the whole body moves off by 2 cm, and does not come back."""
    clip = cut_frames(sample("walk_normal"), 0, 300)
    root = clip.root.copy()
    root[: frame + 1] += np.float32(0.02) * (frame < 150)
    root[frame:] += np.float32(0.02) * (frame > 150)
    shaken = replace(clip, root=root)
    assert twitching_frames(shaken)[frame]
    assert joint_pushes(still_twitches(shaken)).max() < 1.2 * joint_pushes(clip).max()


@pytest.mark.parametrize("end", [300, 299, 290, 280])
def test_a_motion_without_twitches_is_given_back(sample: Find, end: int) -> None:
    """Also where a foot comes down in the last frames."""
    clip = cut_frames(sample("walk_normal"), 0, end)
    assert still_twitches(clip) is clip


def test_a_twitch_of_a_clip_is_not_blended_but_shown_where_it_is_alone(sample: Find) -> None:
    clip, other = (cut_frames(sample(name), 0, 300) for name in ("walk_normal", "walk_brisk"))
    shaken = twitched(clip, 150)
    mixed = blend([shaken, other], BlendParameters(trim="off", gate="off")).clip
    calm = blend([clip, other], BlendParameters(trim="off", gate="off")).clip
    assert joint_pushes(mixed).max() < 1.2 * joint_pushes(calm).max()
    alone = blend([shaken, other], BlendParameters(weights="1,0", trim="off", gate="off")).clip
    assert joint_pushes(alone).max() > 0.9 * joint_pushes(shaken).max()


def test_noise_is_not_hurried_through(sample: Find) -> None:
    """At three times the speed a pose stands for three frames: their noise averages out instead of being seen frame by frame."""
    clip = cut_frames(sample("stand"), 0, 300)
    noise = np.random.default_rng(3).normal(0, 0.001, clip.root.shape).astype(np.float32)
    noisy = replace(clip, root=clip.root + noise)
    at = np.arange(0, 299, 3.0)[:, None]
    hurried = sample_poses([noisy], at, calm=True).roots[:, 0] - sample_poses([clip], at, calm=True).roots[:, 0]
    assert hurried.std() < 0.8 * noise.std()
    played = np.arange(100.0)[:, None]
    assert np.array_equal(sample_poses([noisy], played, calm=True).roots[:, 0].astype(np.float32), noisy.root[:100])


@pytest.mark.corpus
@pytest.mark.parametrize(("a", "b"), [("16_38", "16_41"), ("35_18", "128_09")])
def test_ends_of_recordings_that_shake_do_not_throw_a_blend_about(corpus, a: str, b: str) -> None:
    """1.8 and 1.7 times as hard as in the recordings, with their ends as they are."""
    from reenact.loading import load

    report = blend([load(corpus / "cmu-bvh" / f"{name}.bvh") for name in (a, b)]).report
    assert report["quality"]["acceleration"] < 1.2


@pytest.mark.corpus
def test_a_blend_is_measured_against_the_whole_of_its_recordings(corpus) -> None:
    """Of 138_01 a bit more than half is used: that is what `played` says, as `reenact check` would."""
    from reenact.loading import load

    report = blend([load(corpus / "cmu-bvh" / f"{name}.bvh") for name in ("69_01", "138_01")]).report
    (start, end), whole = report["ranges"][1], 806
    assert report["quality"]["played"][1] <= (end - start) / whole < 0.7
