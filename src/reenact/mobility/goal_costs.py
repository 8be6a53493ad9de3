"""What counts when a character chooses between the options of a mobility map (A9, A13; M25, M38, M39, M47).

A cost is a weighted sum of terms. Weights may be changed while the character goes; the map stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float
from reenact.core.parameters import check_ranges, option
from reenact.core.placement import Placement
from reenact.errors import ParameterError
from reenact.mobility.goals import Goal
from reenact.mobility.labels import LABELS

NAMES = ("distance", "deviation", "arrival", "speed", "smooth", "facing", "away")
"""Terms in the order of the kernel's columns."""


@dataclass(frozen=True, slots=True)
class CostWeights:
    """How much each term counts.

    Attributes:
        labels: by name (stand, walk, run, turn_left, ...) what a pose without that label costs, if the whole option is without it: a reward
            for what carries it.
    """

    distance: float = option(0.0, "for each metre from the goal at the end of an option", low=0, high=1e6)
    deviation: float = option(0.0, "for each degree that the body faces beside the goal there", low=0, high=1e6)
    arrival: float = option(1.0, "for each second until the goal is reached, as well as can be told", low=0, high=1e6)
    speed: float = option(0.0, "for each metre per second off the wanted speed", low=0, high=1e6)
    smooth: float = option(0.02, "for the transition costs on the way", low=0, high=1e6)
    facing: float = option(0.0, "for each degree off the heading that the goal asks for", low=0, high=1e6)
    away: float = option(20.0, "for each metre too near to what is to be kept away from", low=0, high=1e6)
    standing: float = option(
        0.0, "for each second that will not be spent standing (where values are known)", low=0, high=1e6
    )
    wanted_speed: float = option(1.3, "the wanted speed", unit="m/s", low=0, high=10)
    labels: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_ranges(self)
        for name, value in self.labels.items():
            if name not in LABELS:
                raise ParameterError(f"no label {name!r}; there are {', '.join(LABELS)}", where="labels")
            if not (np.isfinite(value) and value >= 0):
                raise ParameterError(f"what a label counts must be 0 or more, not {value!r}", where=f"labels.{name}")

    def as_array(self) -> Float:
        """One weight for each column of the kernel's table."""
        weights = [float(getattr(self, name)) for name in NAMES]
        return np.array([*weights, *(float(self.labels.get(name, 0.0)) for name in LABELS)])


THESIS = CostWeights(distance=310.0, deviation=17.0, arrival=0.0, smooth=0.0, away=0.0)
"""Equation 5.1: 310 for each metre and 17 for each degree at the end of the option."""

HOLD = CostWeights(distance=0.3, arrival=0.0, smooth=0.02, facing=0.005, standing=1.0, labels={"stand": 2.0})
"""At a goal: to stand, near it, facing where it asks."""


class Situation(NamedTuple):
    """What a term of one's own may look at, for the k options of a state.

    Attributes:
        placement: where the body stands.
        goal: where to.
        ends: (k, 3) x, z, heading in the world where each option ends.
        entries: (k,) numbers of the options in the map.
        seconds: since the beginning.
    """

    placement: Placement
    goal: Goal
    ends: Float
    entries: np.ndarray
    seconds: float


Term = Callable[[Situation], ArrayLike]
"""A term of one's own: (k,) costs of the options, weighted already."""
