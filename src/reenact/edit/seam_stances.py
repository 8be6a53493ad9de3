"""Feet that stand across the seam of a cycle: how unlike they stand at its two ends, and how high they stand while that goes away."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.foot_plants import FootPlants
from reenact.solve.feet import FootTrack

_LEAST = 0.35  # seconds in which a foot that stands across the seam comes back to its recorded height, at least


def seam_gap(tracks: Mapping[str, FootTrack], plants: FootPlants, start: int, end: int) -> float:
    """Metres by which feet that stand across the seam of frames [start, end) have to stand higher or lower than recorded, at the most.

    Args:
        tracks: side -> the foot in the recording.
        plants: of the recording.
        start, end: the cycle.
    """
    worst = 0.0
    for side, track in tracks.items():
        spans = _spans(plants.foot(side).plant[start:end])
        if spans is not None:
            gap = max(abs(float(path[end, 1] - path[start, 1])) for path in (track.heel, track.ball))
            worst = max(worst, gap * min(spans) / sum(spans))
    return worst


def heights_across(track: FootTrack, stands: Bool, start: int, end: int, fps: float) -> tuple[Float, Float]:
    """(period,) metres each, how high heel and ball are in every frame of a cycle: as recorded, but where the foot stands across the seam
    what the two ends differ by goes away while it stands, most of it on the side on which it stands shorter.

    Args:
        track: the foot in the recording.
        stands: (period,) frames of the cycle in which it is planted.
        start, end: the cycle.
        fps: frames per second.
    """
    spans, found = _spans(stands), []
    for path in (track.heel, track.ball):
        heights, gap = path[start:end, 1].copy(), float(path[end, 1] - path[start, 1])
        if spans is not None:
            after, before = spans
            least = 0.0 if stands.all() else _LEAST * fps
            frames = np.arange(1, end - start + 1)
            later, sooner = (1.0 - frames[:span] / max(span, least) for span in spans)
            heights[:after] += gap * before / (after + before) * later
            heights[len(heights) - before :] -= gap * after / (after + before) * sooner[::-1]
        found.append(heights)
    return found[0], found[1]


def _spans(stands: Bool) -> tuple[int, int] | None:
    """Frames for which a foot stands after and has stood before the seam, half a cycle each when it never lifts; None: it does not."""
    if not (stands[0] and stands[-1]):
        return None
    lifted = np.flatnonzero(~stands)
    if not len(lifted):
        return len(stands) // 2, len(stands) - len(stands) // 2
    return int(lifted[0]), len(stands) - 1 - int(lifted[-1])
