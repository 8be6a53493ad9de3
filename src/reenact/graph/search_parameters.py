"""Parameters of a search on a cluster graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True)
class SearchParameters:
    """What a way from clip to clip costs. Costs have no unit: 1 is a switch between poses that are equal.

    A switch costs `hop` and, for poses that differ, `mismatch` times E / error^2: as much again when they differ by the error of the graph.
    With `speed`, motions that travel at different speeds cost the square of the difference in octaves. Where no frame is asked for, what is
    lost of a clip's action costs as well, and more than half of a clip is lost only where there is no other way.
    """

    via: Literal["auto", "direct", "any"] = option(
        "auto",
        "auto: through other clips only when there is no direct way; direct: never; any: whenever it is cheaper",
    )
    search: Literal["action", "anywhere"] = option(
        "action",
        "action: clips named are left late and entered early, so that they play mostly; anywhere: wherever it is cheapest",
    )
    hops: int = option(4, "most switches from one clip named to the next", low=1, high=20)
    hop: float = option(1.0, "cost of a switch", low=0)
    mismatch: float = option(1.0, "cost of poses that differ by the error of the graph", low=0)
    speed: float = option(
        0.0, "cost of going over into a motion that travels twice as fast, or half as fast, near the switch", low=0
    )
    exit: float = option(0.5, "cost of leaving a second before or after the frame asked for", low=0)
    entry: float = option(0.5, "cost of a second between the frame entered and the frame asked for", low=0)
    lost: float = option(4.0, "cost of losing the whole action of a clip named (search action)", low=0)
    played: float = option(0.2, "cost of a second of a clip that was not asked for", low=0)
    room: float = option(1.0, "cost of a switch so near a clip's end that nothing is left for the blend", low=0)
    mirror: float = option(0.25, "cost of taking a clip mirrored", low=0)
    window: float = option(0.8, "length of a blend; clips are played this long at least", unit="s", above=0, high=30)

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.via not in ("auto", "direct", "any"):
            raise ParameterError(f"via must be auto, direct or any, not {self.via!r}", where="via")
        if self.search not in ("action", "anywhere"):
            raise ParameterError(f"search must be action or anywhere, not {self.search!r}", where="search")
