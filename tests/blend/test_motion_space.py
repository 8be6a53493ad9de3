"""Families of clips as one motion with a knob."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.blend.motion_parameters import (
    PARAMETERS,
    find_parameter,
    measure_curvature,
    measure_reach_height,
    measure_speed,
    measure_turn,
)
from reenact.blend.motion_space import MotionSpace, SpaceMotionParameters, SpaceParameters, make_motion
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.errors import ParameterError
from reenact.samples import make_sample

FREE = SpaceParameters(enforce=False)


def sample(name: str, seconds: float | None = None) -> Clip:
    clip = make_sample(name).clip
    return clip if seconds is None else cut_frames(clip, 0, round(seconds * clip.fps))


def gliding(speed: float, turn: float, fps: float = 60.0, seconds: float = 4.0) -> Clip:
    """A stiff body that glides along an arc, facing where it goes; no gait, so that all is known exactly."""
    stiff = cut_frames(sample("stand"), 0, 1)
    count = round(seconds * fps) + 1
    time = np.arange(count) / fps
    heading = turn * time
    root = np.repeat(stiff.root, count, axis=0).astype(np.float64)
    root[:, 0] = np.cumsum(speed / fps * np.sin(heading))
    root[:, 2] = np.cumsum(speed / fps * np.cos(heading))
    rotations = np.repeat(stiff.rotations, count, axis=0).astype(np.float64)
    rotations[:, 0] = R.multiply(R.about_y(heading), rotations[:, 0])
    return replace(stiff, rotations=rotations.astype(np.float32), root=root.astype(np.float32), fps=fps)


def test_measures_of_a_known_arc() -> None:
    clip = gliding(1.4, 0.5)
    assert measure_speed(clip) == pytest.approx(1.4, rel=5e-3)
    assert measure_turn(clip) == pytest.approx(0.5, rel=1e-3)
    assert PARAMETERS["radius"].shown(measure_curvature(clip)) == pytest.approx(2.8, rel=5e-3)
    assert PARAMETERS["turn"].shown(measure_turn(clip)) == pytest.approx(np.degrees(0.5), rel=1e-3)
    assert measure_curvature(gliding(1.4, -0.5)) < 0  # to the right
    assert PARAMETERS["radius"].asked(np.inf) == 0.0
    assert PARAMETERS["radius"].shown(0.0) == np.inf


def test_measures_do_not_depend_on_rate_or_place() -> None:
    walk = sample("walk_normal")
    moved = replace(walk, root=walk.root + np.float32([40, 0, -70]))
    slow = make_sample("walk_normal", 30.0).clip
    for parameter in PARAMETERS.values():
        value = float(parameter.measure(walk))
        assert float(parameter.measure(moved)) == pytest.approx(value, abs=2e-4)
        assert float(parameter.measure(slow)) == pytest.approx(value, rel=5e-3, abs=5e-3)


def test_higher_hand_reaches_higher() -> None:
    assert measure_reach_height(sample("reach_standing")) > measure_reach_height(sample("stand")) + 0.3


@pytest.fixture(scope="module")
def walks() -> MotionSpace:
    clips = [sample(name) for name in ("walk_brisk", "walk_slow", "walk_fast", "walk_normal")]  # in no order
    return MotionSpace.build(clips, "speed", FREE)


def test_speed_in_between(walks: MotionSpace) -> None:
    low, high = walks.range[0]
    assert low < 0.85
    assert high > 1.7
    for share in (0.04, 0.3, 0.55, 0.83, 0.97):
        wanted = low + share * (high - low)
        made = walks.motion(wanted)
        assert made.report["value"] == pytest.approx(wanted, abs=0.003 * (high - low))
        assert measure_speed(made.clip) == pytest.approx(made.report["value"], abs=1e-6)
        assert made.report["unit"] == "m/s"
        weights = np.array(made.report["weights"])
        assert weights.sum() == pytest.approx(1)
        assert np.count_nonzero(weights) <= 2  # neighbours alone
        assert made.report["slide_m_s"] < 0.03  # steps blend with steps: feet hardly slide even when nothing holds them


def test_ends_are_the_clips_themselves(walks: MotionSpace) -> None:
    for value in walks.range[0]:
        assert max(walks.motion(float(value)).report["weights"]) == pytest.approx(1)


def test_lookup_by_samples_alone(walks: MotionSpace) -> None:
    wanted = 1.33
    weights = walks.weights_for(wanted)
    assert weights.sum() == pytest.approx(1)
    assert measure_speed(walks.blend(weights).clip) == pytest.approx(wanted, abs=0.01)


def test_out_of_reach_says_the_range(walks: MotionSpace) -> None:
    with pytest.raises(ParameterError, match=r"speed 4 is out of reach: the clips give 0\.8\d* to 1\.7\d* m/s"):
        walks.motion(4.0)
    with pytest.raises(ParameterError, match="finite"):
        walks.motion(float("nan"))
    with pytest.raises(ParameterError, match="1 finite number"):
        walks.motion([1.0, 2.0])


def test_turning_radius_from_left_to_right() -> None:
    names = ("walk_circle_medium_left", "walk_circle_wide_left", "walk_normal", "walk_circle_wide_right")
    space = MotionSpace.build([sample(name, 4.5) for name in names], "radius", FREE)
    found = []
    for radius in (3.2, 9.0, 1e6, -9.0):
        made = space.motion(space.parameter.asked(radius))
        found.append(measure_curvature(made.clip))
        assert found[-1] == pytest.approx(1 / radius, abs=0.002)
    assert found == sorted(found, reverse=True)


def test_two_parameters_at_once() -> None:
    def course(clip: Clip) -> np.ndarray:
        return np.array([measure_speed(clip), measure_turn(clip)])

    clips = [gliding(*pair) for pair in ((1.0, -0.4), (1.0, 0.4), (2.0, -0.4), (2.0, 0.4))]
    space = MotionSpace.build(clips, course, SpaceParameters(enforce=False, gate="off", trim="off"))
    for wanted in ((1.3, 0.1), (1.7, -0.2), (1.5, 0.3)):
        made = space.motion(wanted)
        np.testing.assert_allclose(course(made.clip), wanted, atol=0.01)
        assert len(made.report["value"]) == 2
    with pytest.raises(ParameterError, match="out of reach"):
        space.motion((3.0, 0.0))


def test_planted_feet_are_held(walks: MotionSpace) -> None:
    held = replace(walks, parameters=SpaceParameters())
    made = held.motion(1.0)
    assert made.report["slide_m_s"] <= 0.01
    assert made.report["value"] == pytest.approx(1.0, abs=0.01)


def test_operation_asks_for_a_value() -> None:
    clips = [sample("walk_slow", 4), sample("walk_fast", 4)]
    with pytest.raises(ParameterError, match=r"say a value of speed: the clips give 0\.\d+ to 1\.\d+ m/s"):
        make_motion(clips, SpaceMotionParameters(parameter="speed"))
    made = make_motion(clips, SpaceMotionParameters(parameter="speed", value=1.2))
    assert made.report["value"] == pytest.approx(1.2, abs=0.01)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"samples": 0}, "samples"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"trim": "some"}, "trim"),
        ({"gate": "shut"}, "gate"),
    ],
)
def test_parameters_have_ranges(change: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        SpaceParameters(**change)  # type: ignore[arg-type]


def test_what_can_not_be_asked() -> None:
    with pytest.raises(ParameterError, match="speed, turn, radius"):
        find_parameter("happiness")
    walk = sample("walk_normal", 3)
    with pytest.raises(ParameterError, match="the same in all clips"):
        MotionSpace.build([walk, walk], "speed", FREE)
    with pytest.raises(ParameterError, match="not finite"):
        MotionSpace.build([walk, sample("walk_slow", 3)], lambda clip: float("nan"), FREE)
    with pytest.raises(ParameterError):
        MotionSpace.build([walk], "speed", FREE)
