"""The unit of length, from the legs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.analysis.sampling import sample_world
from reenact.analysis.units import UNITS, UnitGuess, detect_unit
from reenact.core.clip import Clip, JointTranslations
from reenact.core.skeleton import Skeleton

Make = Callable[..., Clip]


def guess(clip: Clip) -> UnitGuess:
    return detect_unit(clip, sample_world(clip), "y")


def still(skeleton: Skeleton) -> Clip:
    return Clip(skeleton, np.tile([1.0, 0, 0, 0], (3, len(skeleton), 1)), np.zeros((3, 3)), 30.0)


@pytest.mark.parametrize("unit", ["m", "dm", "cm", "mm", "inch"])
@given(size=st.floats(0.85, 1.2))
def test_people_of_any_size_in_every_unit(unit: str, nameless: Skeleton, size: float) -> None:
    """Legs of 0.71 to 1 m, on a body without names."""
    found = guess(still(nameless.scaled(size / UNITS[unit])))
    assert (found.name, found.metres_per_unit) == (unit, UNITS[unit])
    assert found.findings("a")[0].code == "units.detected"


@given(size=st.floats(0.75, 1.25))
def test_cmu_names_speak_for_the_cmu_unit(body: Skeleton, size: float) -> None:
    scaled = body.scaled(size / UNITS["cmu"])
    renamed = {"spine": "LowerBack", "left_upper_arm": "LHipJoint", "right_upper_arm": "RHipJoint"}
    names = tuple(renamed.get(name, name) for name in body.names)
    found = guess(still(Skeleton(names, body.parents, scaled.offsets, roles=body.roles)))
    assert found.name == "cmu"


def test_a_size_between_two_units_is_unsure(body: Skeleton) -> None:
    """As in files of unknown origin whose hips stand 24 units high."""
    found = guess(still(body.scaled(21.7 / 0.83)))
    (finding,) = found.findings("a")
    assert found.name == "inch"
    assert (finding.code, finding.severity) == ("units.unsure", "warning")
    assert "--unit" in finding.message


@pytest.mark.parametrize("leg", [0.02, 260.0, 9000.0])
def test_an_impossible_size_is_made_a_persons(leg: float, body: Skeleton) -> None:
    found = guess(still(body.scaled(leg / 0.83)))
    assert found.name == "unknown"
    assert found.metres_per_unit * leg == pytest.approx(0.83)
    assert found.confidence < 0.2


def test_bones_that_come_with_the_frames_are_measured_there(body: Skeleton, standing: Make) -> None:
    """Offsets of 0 and every joint's place in position channels."""
    offsets = body.offsets[1:] * 100
    flat = Skeleton(body.names, body.parents, np.zeros((len(body), 3)), roles=body.roles)
    moved = JointTranslations(np.arange(1, len(body)), np.tile(offsets, (4, 1, 1)))
    clip = Clip(flat, np.tile([1.0, 0, 0, 0], (4, len(body), 1)), np.zeros((4, 3)), 30.0, translations=moved)
    assert guess(clip).name == "cm"


@pytest.mark.parametrize(("length", "unit"), [(25.0, "cm"), (0.9, "m"), (800.0, "mm")])
def test_without_legs_the_size_decides_and_is_unsure(length: float, unit: str) -> None:
    rope = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, length, 0]]))
    found = guess(still(rope))
    assert found.name == unit
    assert found.findings("a")[0].code == "units.unsure"


def test_a_single_point_is_a_guess_too() -> None:
    found = guess(still(Skeleton(("a",), np.array([-1]), np.zeros((1, 3)))))
    assert found.name == "cm"


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
@pytest.mark.parametrize("frames", [0, 3])
def test_damaged_and_missing_frames_are_unsure_or_told_by_the_bones(bad: float, frames: int, body: Skeleton) -> None:
    clip = Clip(body, np.tile([1.0, 0, 0, 0], (frames, len(body), 1)), np.full((frames, 3), bad), 30.0)
    found = guess(clip)
    assert 0 < found.metres_per_unit < np.inf
    assert found.findings("a")[0].code == ("units.detected" if frames == 0 else "units.unsure")
