"""Hands that are on the floor lie on it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.analysis.carried_plants import known_plants
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.samples import make_sample
from reenact.solve.flesh import Flesh
from reenact.solve.retarget_wrists import bend_wrists
from reenact.solve.retargeting import flesh_of_body, reach_of, retarget_motion
from reenact.solve.target_body import TargetBody, body_of_character

HANDS = ("left_hand", "right_hand")


def lowest(clip: Clip, body: TargetBody) -> float:
    return float(flesh_of_body(body, reach_of(clip)).lowest(clip.world(np.float64), HANDS).min())


def on_floor(clip: Clip, share: float = 1.0) -> dict[str, np.ndarray]:
    return {side: np.full(len(clip), share) for side in ("left", "right")}


@pytest.fixture(scope="module")
def sunk() -> tuple[TargetBody, Clip]:
    """A man who stands so deep in the floor that only his fingers, which hang down, are in it as far as they go."""
    body = body_of_character(reenact.humanoid())
    clip = retarget_motion(cut_frames(make_sample("stand").clip, 0, 90), body).clip
    return body, replace(clip, root=clip.root - np.array([0.0, lowest(clip, body) + 0.08, 0.0], np.float32))


def test_hands_above_the_floor_are_left_alone(sunk: tuple[TargetBody, Clip]) -> None:
    body, clip = sunk
    above = replace(clip, root=clip.root + np.array([0.0, 0.3, 0.0], np.float32))
    skin = flesh_of_body(body, reach_of(clip))
    assert bend_wrists(above, skin, body.clip, on_floor(above)) is above
    assert bend_wrists(clip, Flesh({}, {}), body.clip, on_floor(clip)) is clip
    assert (
        bend_wrists(clip, skin, body.clip, on_floor(clip, 0.0)) is clip
    )  # those that only swing low are raised by their arms


def test_fingers_in_the_floor_are_bent_backwards_out_of_it(sunk: tuple[TargetBody, Clip]) -> None:
    body, clip = sunk
    made = bend_wrists(clip, flesh_of_body(body, reach_of(clip)), body.clip, on_floor(clip))
    assert lowest(clip, body) < -0.07
    assert lowest(made, body) > -0.015
    before, after = clip.world(np.float64), made.world(np.float64)
    roles = clip.skeleton.roles
    assert np.abs(after.positions - before.positions)[:, [roles[hand] for hand in HANDS]].max() < 1e-6
    bent = R.angle_between(before.rotations[:, roles["left_hand"]], after.rotations[:, roles["left_hand"]])
    assert np.radians(10.0) < np.median(bent) <= np.radians(86.0)


@pytest.mark.parametrize("preset", ["adult", "heavy"])
def test_who_turns_a_cartwheel_stands_on_his_palms(corpus: Path, preset: str) -> None:
    """The hands of the recording do not bend; straight they would be 20 cm in the floor."""
    clip = reenact.load(corpus / "cmu-bvh/49_06.bvh")
    body = body_of_character(reenact.humanoid(preset=preset))
    made = retarget_motion(clip, body, known_plants(clip, None, wanted=True)).clip
    assert lowest(made, body) > -0.04
