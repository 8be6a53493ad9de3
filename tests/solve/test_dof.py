"""Rotations from places, and what a joint of few degrees of freedom can make of them."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.core import rotations as R
from reenact.errors import ParameterError
from reenact.solve.dof import align_offset, align_x, euler_near, project_to_axes, recover_rotation

RNG = np.random.default_rng(5)


def directions(count: int) -> np.ndarray:
    found = R.normalize(RNG.normal(size=(count, 3)))
    found[:2] = [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]  # both poles
    return found


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="no direction"):
        recover_rotation(R.identity(), np.zeros(3), np.ones(3))
    with pytest.raises(ParameterError, match="some length"):
        align_x(np.zeros(3))
    with pytest.raises(ParameterError, match="axis 'w' is not one of z, y, x"):
        project_to_axes(R.identity(), "zyx", ("w",))


def test_the_x_axis_is_aligned_with_any_direction() -> None:
    wanted = directions(10_000)
    np.testing.assert_allclose(R.rotate(align_x(wanted), np.array([1.0, 0, 0])), wanted, atol=1e-12)
    offsets = directions(10_000)[::-1]
    np.testing.assert_allclose(R.rotate(align_offset(offsets, wanted), offsets), wanted, atol=1e-12)


def test_a_recovered_rotation_reaches_and_keeps_the_twist() -> None:
    rotation, offset, target = (
        R.normalize(RNG.normal(size=(500, 4))),
        RNG.normal(size=(500, 3)),
        RNG.normal(size=(500, 3)),
    )
    found = recover_rotation(rotation, offset, target)
    np.testing.assert_allclose(R.rotate(found, R.normalize(offset)), R.normalize(target), atol=1e-9)
    same = recover_rotation(rotation, offset, R.rotate(rotation, offset))
    assert R.angle_between(same, rotation).max() < 1e-6
    # the thesis' way forgets the twist about the bone, this one does not
    twisted = R.multiply(rotation, R.from_axis_angle(offset, 0.7))
    kept = recover_rotation(twisted, offset, R.rotate(rotation, offset))
    np.testing.assert_allclose(R.angle_between(kept, rotation), 0.7, atol=1e-6)


def test_a_knee_keeps_what_it_can_turn() -> None:
    bend, noise = R.from_euler(np.array([0.0, 0.0, 0.9]), "zyx"), R.from_euler(np.array([0.1, -0.05, 0.0]), "zyx")
    found, lost = project_to_axes(bend, "zyx", ("x",))
    assert R.angle_between(found, bend) < 1e-9
    assert lost < 1e-9
    _, lost = project_to_axes(R.multiply(noise, bend), "zyx", ("x",))
    assert 0.05 < lost < 0.2
    limited, lost = project_to_axes(bend, "zyx", ("x",), limits=np.array([[-3, 3], [-3, 3], [0.0, 0.5]]))
    np.testing.assert_allclose(R.to_euler(limited, "zyx"), [0, 0, 0.5], atol=1e-9)
    np.testing.assert_allclose(lost, 0.4, atol=1e-9)
    frame = R.from_euler(np.array([0.3, 0.2, 0.1]), "xyz")
    inside = R.multiply(R.multiply(frame, bend), R.conjugate(frame))
    found, lost = project_to_axes(inside, "zyx", ("x",), axis=frame)
    assert lost < 1e-9


@pytest.mark.parametrize("order", R.EULER_ORDERS)
def test_angles_follow_the_frame_before(order: str) -> None:
    """Angles that pass through gimbal lock and beyond half a turn come back without a jump."""
    t = np.linspace(0, 1, 200)
    middle = 0.3 + 2.0 * t  # through pi / 2
    path = np.stack([4.0 * t, middle, -3.0 * t], axis=1)
    found = [path[0]]
    for angles in path[1:]:
        found.append(euler_near(R.from_euler(angles, order), order, found[-1]))
    assert np.abs(np.diff(found, axis=0)).max() < 0.2
    assert R.angle_between(R.from_euler(np.array(found), order), R.from_euler(path, order)).max() < 1e-6
