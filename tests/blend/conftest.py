"""What the tests of blending share: clips, and how motions are compared."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from reenact.core.clip import Clip
from reenact.loading import load
from reenact.samples import make_sample


@cache
def _sample(name: str) -> Clip:
    return make_sample(name).clip


@pytest.fixture
def sample() -> Callable[[str], Clip]:
    """Makes a sample clip by name."""
    return _sample


@pytest.fixture(scope="session")
def recording(corpus: Path) -> Callable[[str], Clip]:
    """Loads a clip of the CMU folder by name."""
    return cache(lambda name: load(corpus / "cmu-bvh" / f"{name}.bvh"))


def rigid_error(a: Clip, b: Clip) -> float:
    """Metres, root mean square distance of all joints over all frames after the one best turn and shift of the whole clip on the floor."""
    p, q = (clip.world(np.float64).positions.reshape(-1, 3) for clip in (a, b))
    p, q = p - p.mean(axis=0) * (1, 0, 1), q - q.mean(axis=0) * (1, 0, 1)
    turn = np.arctan2(np.sum(p[:, 0] * q[:, 2] - p[:, 2] * q[:, 0]), np.sum(p[:, 0] * q[:, 0] + p[:, 2] * q[:, 2]))
    x = np.cos(turn) * q[:, 0] + np.sin(turn) * q[:, 2]
    z = np.cos(turn) * q[:, 2] - np.sin(turn) * q[:, 0]
    return float(np.sqrt(np.mean((p[:, 0] - x) ** 2 + (p[:, 1] - q[:, 1]) ** 2 + (p[:, 2] - z) ** 2)))


@pytest.fixture
def distance() -> Callable[[Clip, Clip], float]:
    """Measures how far two motions lie apart, wherever they stand."""
    return rigid_error
