"""The weight over the feet: known distances, and when a body is at rest."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.analysis.support import Support, find_support
from reenact.core.arrays import Bool, Float

FPS = 60.0
FRAMES = 60


def stood(place: tuple[float, float], speed: float = 0.0, planted: Bool | None = None, hips: float = 0.9) -> Support:
    """Two feet 0.2 m apart, from z = -0.1 to 0.1 (toes to 0.22), and a centre of mass at x, z that moves along x."""
    mass = np.tile([place[0], 1.0, place[1]], (FRAMES, 1))
    mass[:, 0] += speed * np.arange(FRAMES) / FPS
    down = np.ones(FRAMES, np.bool_) if planted is None else planted
    feet: list[tuple[Float, Float, Bool]] = [
        (np.tile([x, 0.0, -0.1], (FRAMES, 1)), np.tile([x, 0.0, 0.1], (FRAMES, 1)), down) for x in (0.1, -0.1)
    ]
    return find_support(mass, feet, np.full(FRAMES, hips), 0.85, FPS, beyond=0.03)


@pytest.mark.parametrize(
    ("place", "distance", "inwards"),
    [
        ((0.0, 0.0), -0.13, (0.0, 0.0)),
        ((0.2, 0.0), 0.07, (-0.07, 0.0)),
        ((0.0, -0.2), 0.07, (0.0, 0.07)),
        ((0.0, 0.35), 0.10, (0.0, -0.10)),
    ],
)
def test_known_distances(place: tuple[float, float], distance: float, inwards: tuple[float, float]) -> None:
    support = stood(place)
    np.testing.assert_allclose(support.distance, distance, atol=1e-9)
    np.testing.assert_allclose(support.inwards, np.tile(inwards, (FRAMES, 1)), atol=1e-9)
    assert support.rest.all()


def test_the_way_inwards_leads_to_the_edge_from_a_corner_too() -> None:
    place = np.array([0.3, 0.5])
    inwards = stood((0.3, 0.5)).inwards[0]
    there = stood(tuple((place + inwards).tolist()))
    assert abs(there.distance[0]) < 0.002
    assert np.linalg.norm(inwards) < 1.1 * stood((0.3, 0.5)).distance[0]


def test_only_slow_bodies_on_their_feet_rest() -> None:
    assert not stood((0.0, 0.0), speed=0.3).rest.any()
    assert not stood((0.0, 0.0), hips=0.4).rest.any()
    moment = np.zeros(FRAMES, np.bool_)
    moment[20:32] = True  # a fifth of a second
    short = stood((0.0, 0.0), planted=moment)
    assert not short.rest.any()
    assert np.isinf(short.distance[~moment]).all()
    assert not short.inwards[~moment].any()
