"""What the tests of grafting share: clips."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

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
