"""Parameters of a mobility map: which sequences it offers, and which states it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reenact.core.parameters import check_ranges, option

Reading = Literal["exact", "window", "within"]
Pruning = Literal["single_pass", "strict"]
Profile = Literal["robust", "thesis"]


@dataclass(frozen=True, slots=True)
class MapParameters:
    """Which sequences a state offers, and which states are kept.

    The thesis' profile: sequences of exactly 25 actions, states with fewer than 30 of them dropped once, every jump within the limit. The
    robust one drops until every state has 30, and takes the smallest window (25 - w, 25) of actions with which enough states stay; jumps
    are the local minima of their cost.
    """

    profile: Profile = option(
        "robust", "what is not given otherwise: as in the thesis, or so that the map keeps its promises"
    )
    horizon: int = option(25, "actions of a sequence", low=1, high=255)
    reading: Reading | None = option(
        None,
        "exact: of just so many actions; window: of so many and up to `window` fewer; within: of any number up to it; default: by profile",
    )
    window: int | None = option(
        None, "of the reading window: how many actions fewer; default: as few as keep enough states", low=0, high=254
    )
    prune: Pruning | None = option(
        None, "single_pass: drop poor states once; strict: until every state left is rich enough; default: by profile"
    )
    options: int = option(30, "sequences that a state must offer", low=1, high=100_000)
    keep_by: Literal["count", "spread"] = option(
        "count", "what makes a state rich: the number of sequences, or how many places around it they reach as well"
    )
    cells: int = option(
        6, "of keep_by=spread: cells of 8 directions and 3 distances that must be reached", low=1, high=24
    )
    keep: float = option(0.4, "share of the states, that a window chosen by itself must keep", above=0, high=1)
    exact: bool = option(
        False, "add up costs exactly, with a heap; else in 1023 parts of the dearest action, with buckets"
    )

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def how_read(self) -> Reading:
        """The reading, the profile's where none is given."""
        return self.reading or ("exact" if self.profile == "thesis" else "window")

    @property
    def how_pruned(self) -> Pruning:
        """The pruning, the profile's where none is given."""
        return self.prune or ("single_pass" if self.profile == "thesis" else "strict")
