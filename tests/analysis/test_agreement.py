"""Confusion matrices and their measures."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reenact.analysis.agreement import Confusion, adjusted_rand, compare_masks, compare_plants
from reenact.analysis.plants import detect_plants
from reenact.errors import ParameterError
from reenact.samples import make_sample


def test_the_published_matrix() -> None:
    table = Confusion(hits=5422, missed=152, invented=167, free=2279)
    measures = (table.precision, table.recall, table.specificity, table.accuracy)
    assert [round(number, 6) for number in measures] == [0.970120, 0.972731, 0.931725, 0.960224]


def test_counting() -> None:
    assert compare_masks([1, 1, 0, 0, 1], [1, 0, 1, 0, 1]) == Confusion(2, 1, 1, 1)
    assert compare_masks([1], [1]) + compare_masks([0], [1]) == Confusion(1, 0, 1, 0)
    assert math.isnan(compare_masks([], []).accuracy)
    with pytest.raises(ParameterError, match="shape"):
        compare_masks([1, 0], [1])


def test_plants_agree_with_themselves() -> None:
    plants = detect_plants(make_sample("walk_normal").clip)
    assert compare_plants(plants, plants).accuracy == 1.0
    assert compare_plants(plants, plants.mirrored()).accuracy < 0.8


def test_adjusted_rand() -> None:
    """Equal partitions under other names, a known value, and chance."""
    assert adjusted_rand([0, 0, 1, 1], [5, 5, 2, 2]) == 1.0
    assert adjusted_rand([0, 0, 1, 2], [0, 0, 1, 1]) == pytest.approx(4 / 7)
    assert adjusted_rand([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(-0.5)
    rng = np.random.default_rng(0)
    assert abs(adjusted_rand(rng.integers(0, 9, 5000), rng.integers(0, 9, 5000))) < 0.01
    assert adjusted_rand([], []) == 1.0
    with pytest.raises(ParameterError, match="same things"):
        adjusted_rand([1, 2], [1])
