"""Parameters of a cluster graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reenact.analysis.plants import require_detector
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError
from reenact.graph.alignment import Alignment
from reenact.graph.cluster_tree import Linkage

UNIT = 0.0564444
"""Metres in one unit of length of the CMU files, in which the thesis gives its errors."""

THESIS_ERROR = 2.0**0.5 * UNIT
"""Metres: sqrt of the "Cluster Max Error" 2.0 of the thesis' dialog. Taken where there is no gait to choose an error by."""


@dataclass(frozen=True, slots=True)
class GraphParameters:
    """How frames are gathered into nodes."""

    error: float | Literal["auto"] = option(
        "auto",
        "error of the cut: sqrt(E) in metres, a weighted distance of end effectors; auto: about eight sequences per gait cycle",
    )
    standing: float = option(
        0.5,
        "both feet planted for this long is standing, whichever foot came before; 0: never, as in the thesis",
        unit="s",
        low=0,
    )
    linkage: Linkage = option(
        "centroid", "a cluster is represented by the mean of its frames (centroid) or of its two parts (median)"
    )
    alignment: Alignment = option(
        "viterbi", "frames at which sequences of a node are joined: viterbi (best of all), greedy (as in the thesis)"
    )
    margin: float = option(
        0.4,
        "alignment frames keep this far from a clip's ends where they can, to leave room for a blend",
        unit="s",
        low=0,
    )
    mirrored: bool = option(False, "also take every clip with left and right exchanged")
    map: bool = option(False, "bring clips with other joints onto the skeleton of the first")
    detector: str = option("adaptive", "how foot plants are found that are not given", hidden=True)

    def __post_init__(self) -> None:
        check_ranges(self)
        require_detector(self.detector)
        if isinstance(self.error, str):
            if self.error != "auto":
                raise ParameterError(f"error must be a number of metres or auto, not {self.error!r}", where="error")
        elif not self.error > 0:
            raise ParameterError(f"error must be above 0 m, not {self.error:g}", where="error")
        for name, choices in (("linkage", ("centroid", "median")), ("alignment", ("viterbi", "greedy"))):
            if getattr(self, name) not in choices:
                raise ParameterError(f"{name} must be {' or '.join(choices)}, not {getattr(self, name)!r}", where=name)
