"""Which states of a raw map are kept (A8, M21, M43)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.kernels.components import strong_components
from reenact.mobility.map_parameters import MapParameters

DIRECTIONS, RINGS = 8, (0.5, 1.5)
"""Cells around a state: directions, and metres between the three distances."""


@dataclass(frozen=True, slots=True, eq=False)
class RawMap:
    """Options before pruning, in the order of states.

    Attributes:
        states: S.
        owners: (E,) int32 state of each option.
        targets: (E,) int32 state at its end.
        cells: (E,) int8 cell around the state in which it ends; None where nobody asks.
    """

    states: int
    owners: np.ndarray
    targets: np.ndarray
    cells: np.ndarray | None = None

    def rich(self, used: Bool, options: int, cells: int) -> Bool:
        """(S,) states with enough of the options `used`."""
        counts = np.bincount(self.owners[used], minlength=self.states)
        enough = counts >= options
        if self.cells is not None:
            pairs = np.unique(self.owners[used].astype(np.int64) * 64 + self.cells[used])
            enough &= np.bincount(pairs // 64, minlength=self.states) >= cells
        return enough


@dataclass(frozen=True, slots=True, eq=False)
class Pruned:
    """What is left.

    Attributes:
        alive: (S,) states of the map.
        used: (E,) options of the map.
        rounds: times that states were dropped.
        options: sequences that were asked of a state in the end.
    """

    alive: Bool
    used: Bool
    rounds: int
    options: int

    @property
    def states(self) -> int:
        """How many states are left."""
        return int(np.count_nonzero(self.alive))


def cell_of(moves: Float) -> np.ndarray:
    """(E,) int8 cell in which each move (dx, dz, dheading) ends: direction and distance."""
    directions = np.floor((np.arctan2(moves[:, 0], moves[:, 1]) / (2 * np.pi) + 0.5 / DIRECTIONS) % 1 * DIRECTIONS)
    distances = np.digitize(np.hypot(moves[:, 0], moves[:, 1]), RINGS)
    return (np.minimum(directions, DIRECTIONS - 1) * (len(RINGS) + 1) + distances).astype(np.int8)


def prune(raw: RawMap, parameters: MapParameters) -> Pruned:
    """Drop poor states, then all but the largest strongly connected component; strictly: until all that are left are rich."""
    strict = parameters.how_pruned == "strict"
    used = np.ones(len(raw.owners), np.bool_)
    alive = np.ones(raw.states, np.bool_)
    rounds = 0
    while True:
        rounds += 1
        before = int(np.count_nonzero(alive))
        alive &= raw.rich(used, parameters.options, parameters.cells)
        used &= alive[raw.owners] & alive[raw.targets]
        alive = _largest_component(raw, used)
        used &= alive[raw.owners] & alive[raw.targets]
        if not strict or not alive.any() or int(np.count_nonzero(alive)) == before:
            return Pruned(alive, used, rounds, parameters.options)


def _largest_component(raw: RawMap, used: Bool) -> Bool:
    """(S,) the states of the largest strongly connected component; none when no component has two."""
    pointers = np.searchsorted(raw.owners, np.arange(raw.states + 1))
    count, component = strong_components(pointers, raw.targets, used)
    sizes = np.bincount(component, minlength=count)
    if sizes.max(initial=0) < 2:
        return np.zeros(raw.states, np.bool_)
    return component == int(np.argmax(sizes))
