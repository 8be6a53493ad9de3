"""Checks of parameters: ranges, kinds and choices, whoever made the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest

from reenact.core.arrays import frozen
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Parameters:
    speed: float = option(1.0, "how fast", unit="m/s", above=0, high=10)
    count: int | None = option(None, "how many", low=1)
    way: Literal["near", "far"] = option("near", "which way")
    rule: Literal["auto"] | float = option("auto", "a number, or auto")
    on: bool = option(True, "whether")
    name: str = option("", "what it is called")
    pair: tuple[float, float] = option((0.0, 1.0), "from and to", low=-1, high=2)

    def __post_init__(self) -> None:
        check_ranges(self)


@pytest.mark.parametrize(
    "given",
    [
        {"speed": 2},
        {"speed": np.float32(2.5)},
        {"count": np.int64(3)},
        {"count": 3.0},
        {"way": "far"},
        {"rule": 0.5},
        {"rule": "auto"},
        {"on": np.True_},
        {"pair": (np.float64(0.5), 1)},
    ],
)
def test_what_fits_passes(given: dict) -> None:
    assert Parameters(**given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"speed": np.float32(-3)}, "above 0 and at most 10 m/s, not -3"),
        ({"speed": np.float64("nan")}, "not nan"),
        ({"speed": "fast"}, "a number, not 'fast'"),
        ({"speed": True}, "a number, not True"),
        ({"speed": None}, "a number, not None"),
        ({"count": np.int64(0)}, "at least 1, not 0"),
        ({"count": 2.5}, "a whole number, not 2.5"),
        ({"way": "bogus"}, "one of near, far, not 'bogus'"),
        ({"way": 1}, "one of near, far, not 1"),
        ({"rule": "never"}, "auto or a number, not 'never'"),
        ({"on": "yes"}, "true or false, not 'yes'"),
        ({"on": 1}, "true or false, not 1"),
        ({"name": 5}, "text, not 5"),
        ({"pair": (0.0, np.float32(3))}, "-1 to 2, not 3"),
    ],
)
def test_what_does_not_is_refused_by_name(given: dict, words: str) -> None:
    with pytest.raises(ParameterError, match="must be") as caught:
        Parameters(**given)
    assert words in str(caught.value)
    assert caught.value.where == next(iter(given))


@pytest.mark.parametrize("values", [[[1, 2], [3]], ["a"], object()])
def test_arrays_that_are_none_raise_our_error(values: object) -> None:
    with pytest.raises(ParameterError, match="positions must be numbers"):
        frozen(values, np.float32, (None, 3), "positions")


def test_arrays_of_another_shape_raise_our_error() -> None:
    with pytest.raises(ParameterError, match=r"positions must have shape \(\*, 3\), not \(2, 2\)"):
        frozen(np.zeros((2, 2)), np.float32, (None, 3), "positions")
