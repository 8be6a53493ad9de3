"""Matching the foot plants of registered motions, each kind by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from reenact.blend.interval_matching import GapRule, Interval, Matching, match_all
from reenact.blend.registration_curve import MATCH_KEYS, RegistrationCurve
from reenact.core.foot_plants import intervals_of
from reenact.errors import ParameterError

OverlapRule = Literal["close", "any"]
OVERLAP_RULES = ("close", "any")
LEAST_OVERLAP, MOST_APART = 0.4, 0.2
"""The rule "close": share of the time of all plants of a match that they must have in common; seconds their starts, and their ends, may lie
apart."""


@dataclass(frozen=True, slots=True, eq=False)
class PlantMatching:
    """Plants of registered motions before and after matching.

    Attributes:
        intervals: for each kind and motion the plants as (start, end) in u.
        kinds: for each kind the matching.
    """

    intervals: dict[str, tuple[tuple[Interval, ...], ...]]
    kinds: dict[str, Matching]

    def describe(self) -> dict[str, Any]:
        """Plain values for reports: for each kind how many matches, cuts, and plants dropped of each motion."""
        return {
            kind: {
                "matches": len(found.matches),
                "cuts": found.cuts,
                "dropped": [len(lost) for lost in found.dropped],
            }
            for kind, found in self.kinds.items()
        }


def plants_on_curve(curve: RegistrationCurve, kind: str, motion: int) -> tuple[Interval, ...]:
    """The plants of one kind ("left_heel", ...) of a motion as (start, end) in u, half a frame wider, held to the curve."""
    own = curve.plants[motion]
    if own is None:
        return ()
    side, _, point = kind.partition("_")
    found = []
    for start, end in intervals_of(getattr(own.foot(side), point)):
        low, high = np.clip(curve.warp.inverse(motion, np.array([start - 0.5, end - 0.5])), 0.0, curve.length)
        if high - low > 1e-6:
            found.append((float(low), float(high)))
    return tuple(found)


def match_plants(
    curve: RegistrationCurve, rule: GapRule = "ratio", overlap: OverlapRule = "close"
) -> tuple[RegistrationCurve, PlantMatching]:
    """The curve with its plants matched, and how that went. Pieces shorter than a frame are dropped.

    Args:
        curve: the motions.
        rule: how longer plants are cut, see `match_all`.
        overlap: "any": plants that overlap are matched, however little (registration specification A9). "close": matches of plants that
            hardly overlap are dropped: while such a plant is on in the blend one of the motions swings its foot, and holding the foot
            would fight the swing.

    Raises:
        ParameterError: an unknown rule.
    """
    if overlap not in OVERLAP_RULES:
        raise ParameterError(f"overlap must be one of {', '.join(OVERLAP_RULES)}, not {overlap!r}", where="overlap")
    intervals = {
        kind: tuple(plants_on_curve(curve, kind, motion) for motion in range(curve.motions)) for kind in MATCH_KEYS
    }
    kinds = {kind: match_all(lists, rule, shortest=1.0) for kind, lists in intervals.items()}
    if overlap == "close":
        kinds = {kind: _keep_overlapping(found, MOST_APART * curve.fps) for kind, found in kinds.items()}
    matches = {kind: list(found.matches) for kind, found in kinds.items()}
    return replace(curve, matches=matches), PlantMatching(intervals, kinds)


def _keep_overlapping(found: Matching, apart: float) -> Matching:
    """The matches whose plants have enough of their time in common and begin and end together; the others are dropped."""
    kept, lost = [], [list(own) for own in found.dropped]
    for match in found.matches:
        starts, ends = [start for start, _ in match], [end for _, end in match]
        common, whole = min(ends) - max(starts), max(ends) - min(starts)
        if common >= LEAST_OVERLAP * whole and max(max(starts) - min(starts), max(ends) - min(ends)) <= apart:
            kept.append(match)
        else:
            for motion, interval in enumerate(match):
                lost[motion].append(interval)
    return replace(found, matches=tuple(kept), dropped=tuple(tuple(sorted(own)) for own in lost))
