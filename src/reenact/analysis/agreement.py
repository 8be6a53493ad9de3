"""How well two readings of the same frames agree: a confusion matrix and its measures (Shanbhag, section 3.1.2, table 3.1), and the
adjusted Rand index of two partitions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.foot_plants import SIDES, FootPlants
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of frames; "observed" is what is held to be true, "computed" what is judged.

    Attributes:
        hits: observed and computed.
        missed: observed, not computed.
        invented: computed, not observed.
        free: neither.
    """

    hits: int
    missed: int
    invented: int
    free: int

    @property
    def precision(self) -> float:
        """Share of what was computed that was observed; nan when nothing was."""
        return _share(self.hits, self.hits + self.invented)

    @property
    def recall(self) -> float:
        """Share of what was observed that was computed."""
        return _share(self.hits, self.hits + self.missed)

    @property
    def specificity(self) -> float:
        """Share of what was not observed that was not computed."""
        return _share(self.free, self.free + self.invented)

    @property
    def accuracy(self) -> float:
        """Share of frames that are equal."""
        return _share(self.hits + self.free, self.hits + self.missed + self.invented + self.free)

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion(
            self.hits + other.hits,
            self.missed + other.missed,
            self.invented + other.invented,
            self.free + other.free,
        )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def compare_masks(observed: ArrayLike, computed: ArrayLike) -> Confusion:
    """Confusion of two masks of equal shape."""
    truth, found = np.asarray(observed, dtype=np.bool_), np.asarray(computed, dtype=np.bool_)
    if truth.shape != found.shape:
        raise ParameterError(f"masks of equal shape are needed, not {truth.shape} and {found.shape}")
    hits = int(np.count_nonzero(truth & found))
    missed, invented = int(np.count_nonzero(truth)) - hits, int(np.count_nonzero(found)) - hits
    return Confusion(hits, missed, invented, truth.size - hits - missed - invented)


def compare_plants(observed: FootPlants, computed: FootPlants) -> Confusion:
    """Confusion of the plants of both feet, frame by frame."""
    masks = [np.concatenate([plants.foot(side).plant for side in SIDES]) for plants in (observed, computed)]
    return compare_masks(*masks)


def adjusted_rand(first: ArrayLike, second: ArrayLike) -> float:
    """How well two partitions of the same things agree: 1 when they are equal, about 0 when one is random (Hubert and Arabie 1985).

    Args:
        first, second: (N,) whole numbers that name the part each thing lies in.
    """
    a, b = (np.unique(np.asarray(part), return_inverse=True)[1] for part in (first, second))
    if a.shape != b.shape or a.ndim != 1:
        raise ParameterError(f"partitions of the same things are needed, not {a.shape} and {b.shape}")
    both = np.unique(a.astype(np.int64) * (int(b.max(initial=0)) + 1) + b, return_counts=True)[1]
    together, alone = _pairs(both), [_pairs(np.bincount(part)) for part in (a, b)]
    chance = alone[0] * alone[1] / max(_pairs(np.array([len(a)])), 1.0)
    most = 0.5 * (alone[0] + alone[1])
    return 1.0 if most == chance else float((together - chance) / (most - chance))


def _pairs(counts: np.ndarray) -> float:
    counts = counts.astype(np.float64)
    return float(np.sum(counts * (counts - 1)) / 2)
