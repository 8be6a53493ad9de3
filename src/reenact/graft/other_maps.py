"""Maps of time for motions whose feet do not tell: given ranges, the source's own speed, or a registration of the whole motions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.blend.registration import RegistrationParameters, register
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.errors import ParameterError
from reenact.graft.synchronising import TransitionPoint
from reenact.graft.time_map import TimeMap

_LEAST = 2  # frames of a range
_ENOUGH = 0.5  # of the frames that motions have in common when they begin together


def parse_range(text: str, clip: Clip, name: str) -> tuple[int, int] | None:
    """[start, end) of "START:END" in a clip's frames; either may be left out, negative ones count from the end; None of an empty text.

    Raises:
        ParameterError: it is no range, or holds less than two frames of the clip.
    """
    if not text.strip():
        return None
    first, colon, last = (part.strip() for part in text.partition(":"))
    try:
        start, end = int(first) if first else 0, int(last) if last else len(clip)
    except ValueError:
        colon = ""
        start = end = 0
    if not colon:
        raise ParameterError(f"{name} must be START:END in frames, not {text!r}", where=name)
    start, end = (one + len(clip) if one < 0 else one for one in (start, end))
    if not 0 <= start <= end - _LEAST <= len(clip) - _LEAST:
        raise ParameterError(
            f"{text} holds less than {_LEAST} frames of {clip.name!r}, which has frames 0 to {len(clip)}", where=name
        )
    return start, end


def map_ranges(base: tuple[int, int], source: tuple[float, float]) -> TimeMap:
    """The straight map of one range of frames to another, ends to ends; both half-open."""
    return TimeMap(np.array([[base[0], source[0]], [base[1] - 1, source[1] - 1]]), "ranges")


def map_naturally(base: Clip, source: Clip, points: Sequence[TransitionPoint] = (), speed: float = 1.0) -> TimeMap:
    """The source at its own speed (times `speed`), laid so that most of both motions is used.

    Among the transition points the one is met that leaves the longest domain, of equals that in which the bodies are most alike. Where none
    leaves half of what could be had the motions begin together.
    """
    chosen = TransitionPoint(0, 0, 0.0)
    low, high = _extent(base, source, chosen, speed)
    best = _ENOUGH * (high - low)
    for point in points:
        low, high = _extent(base, source, point, speed)
        worth = high - low - 1e-3 * point.error
        if worth > best:
            chosen, best = point, worth
    return map_through(base, source, chosen, speed)


def map_through(base: Clip, source: Clip, point: TransitionPoint, speed: float = 1.0) -> TimeMap:
    """The source at its own speed (times `speed`), laid so that two frames meet.

    Raises:
        ParameterError: less than two frames are in common.
    """
    low, high = _extent(base, source, point, speed)
    if high - low < 1:
        raise ParameterError("the motions have less than two frames in common", where=source.name)
    rows = [[at, point.source + speed * (at - point.base)] for at in (low, high)]
    return TimeMap(np.array(rows), "natural")


def _extent(base: Clip, source: Clip, point: TransitionPoint, speed: float) -> tuple[float, float]:
    low = max(0.0, point.base - point.source / speed)
    return low, min(len(base) - 1.0, point.base + (len(source) - 1 - point.source) / speed)


def map_by_registration(
    base: Clip, source: Clip, base_plants: FootPlants | None, source_plants: FootPlants | None
) -> TimeMap:
    """The map that a registration of both motions by their legs gives.

    Raises:
        ParameterError: the motions do not correspond; the message says why.
    """
    curve = register([base, source], RegistrationParameters(weights="lower-body"), [base_plants, source_plants])
    warp = curve.warp
    u = np.linspace(0.0, warp.length, max(len(warp.values) * 4, 8))
    rows = warp.frames_at(u) + np.array([kept[0] for kept in curve.ranges], dtype=np.float64)
    return TimeMap(rows, "registration", words=curve.part)
