"""Samples with their true plants, and recordings with detected ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import reenact
from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import Floor, FootContact, FootPlants
from reenact.samples import make_sample

Planted = tuple[Clip, FootPlants]


@cache
def planted_sample(name: str) -> Planted:
    """A sample and its plants from the plan."""
    sample = make_sample(name)
    feet = [FootContact(foot.heel, foot.ball) for foot in (sample.truth.left, sample.truth.right)]
    return sample.clip, FootPlants(feet[0], feet[1], sample.clip.fps, Floor(), "plan")


@pytest.fixture
def planted() -> Callable[[str], Planted]:
    """Makes a sample with its plants by name."""
    return planted_sample


@pytest.fixture
def recorded(corpus: Path) -> Callable[[str], Planted]:
    """Loads a recording of the CMU folder with its plants by name."""

    @cache
    def load(name: str) -> Planted:
        clip = reenact.load(next(iter(corpus.glob(f"cmu-bvh/**/{name}.bvh"))))
        return clip, detect_plants(clip)

    return load
