"""The gap between both legs below the knee, on legs whose places are known."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.analysis.leg_gaps import LegPlaces, leg_gaps


def stood(apart: float, ahead: float = 0.0, up: float = 0.0) -> LegPlaces:
    """Two upright legs; the left one `apart` to the side, `ahead` and `up` of the right one. Heels 6 cm behind, balls 14 cm before."""
    right = {
        "knees": (0.0, 0.5, 0.0),
        "ankles": (0.0, 0.09, 0.0),
        "heels": (0.0, 0.0, -0.06),
        "balls": (0.0, 0.0, 0.14),
    }
    shift = np.array([apart, up, ahead])
    return LegPlaces(**{name: np.array([[np.array(at) + shift, at]]) for name, at in right.items()})


@pytest.mark.parametrize(
    ("apart", "ahead", "gap"),
    [
        (0.2, 0.0, 0.14),
        (0.06, 0.0, 0.0),
        (0.02, 0.0, -0.04),
        (0.0, 0.3, 0.04),  # heel before toes: 0.1 between the points
        (0.03, 0.23, np.hypot(0.03, 0.03) - 0.06),
    ],
)
def test_known_gaps(apart: float, ahead: float, gap: float) -> None:
    np.testing.assert_allclose(leg_gaps(stood(apart, ahead), 0.03), gap, atol=1e-9)


def test_a_foot_meets_the_other_shin() -> None:
    crossing = stood(0.0, -0.14, 0.2)  # the raised ball in the other shin
    np.testing.assert_allclose(leg_gaps(crossing, 0.03), -0.06, atol=1e-9)


def test_a_push_opens_the_gap() -> None:
    legs = stood(0.02)
    push = np.array([[[0.05, 0.0, 0.0], [0.0, 0.0, 0.0]]])
    assert leg_gaps(legs.moved(push), 0.03)[0] > leg_gaps(legs, 0.03)[0] + 0.02
