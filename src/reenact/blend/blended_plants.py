"""Foot plants of a blend: matched plants of the motions, their ends mixed with the weights (Kovar and Gleicher 2003).

A plant of the blend is on while u lies between the weighted means of its starts and ends. Plants without a partner stay only where their
motion has the weight to itself, so that the pure parts of a transition keep all of theirs, or where every other motion stands as well: what
stands everywhere stands in the blend, however the plants of bodies that shift about begin and end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from reenact.blend.interval_matching import Match
from reenact.blend.timing import Schedule
from reenact.blend.weights import others_of
from reenact.core.arrays import Bool
from reenact.core.foot_plants import SIDES, FootContact, FootPlants, intervals_of

POINTS = ("heel", "ball")
"""The two points of a foot; with a side they name the kinds of plants: "left_heel" and so on."""

_PURE = 1 - 1e-9  # weight from which a frame is that motion's own
_ALONE = 0.95  # weight from which a motion's plants without partners are kept
_STANDING = 0.1  # seconds from which on points stand in the blend because they do in every motion, matched or not
_HOLE = 0.04  # seconds between the heel's plant and the ball's that belong to one step


def blend_plants(
    matches: Mapping[str, Sequence[Match]],
    sources: Sequence[FootPlants | None],
    schedule: Schedule,
    fps: float,
    *,
    matched_only: bool = False,
) -> FootPlants | None:
    """The plants of a blend, or None when those of a motion that has weight are not known.

    Args:
        matches: for each kind ("left_heel", ...) the matched intervals in u.
        sources: the motions' own plants.
        schedule: where the frames of the blend lie.
        fps: frames per second of the blend.
        matched_only: leave out what stands in every motion and is no match, as a live blend does.
    """
    needed = [own for own, used in zip(sources, np.abs(schedule.weights).max(axis=0) > 0, strict=True) if used]
    known = [own for own in needed if own is not None]
    if not known or len(known) < len(needed):
        return None
    feet = []
    for side in SIDES:
        masks = [_kind(matches.get(f"{side}_{point}", ()), sources, schedule, side, point) for point in POINTS]
        for mask, point in zip(masks, POINTS, strict=True):
            if not matched_only:
                _stand_everywhere(mask, sources, schedule, side, point, _STANDING * fps)
        _close_holes(masks[0], masks[1], round(_HOLE * fps))
        feet.append(FootContact(masks[0], masks[1]))
    return FootPlants(feet[0], feet[1], fps, known[0].floor, "carried")


def blended_intervals(matches: Sequence[Match], schedule: Schedule) -> list[tuple[int, int]]:
    """Half-open ranges of frames in which matches are on, each one stretch; a match the schedule never meets is left out."""
    found = []
    for match in matches:
        starts, ends = (schedule.weights @ np.array([interval[n] for interval in match]) for n in (0, 1))
        on = np.flatnonzero((starts <= schedule.u) & (schedule.u <= ends))
        if len(on):
            found.append((int(on[0]), int(on[-1]) + 1))
    return found


def _kind(
    matches: Sequence[Match],
    sources: Sequence[FootPlants | None],
    schedule: Schedule,
    side: str,
    point: str,
) -> Bool:
    mask = np.zeros(len(schedule), np.bool_)
    for start, end in blended_intervals(matches, schedule):
        mask[start:end] = True
    others = others_of(schedule.weights)
    for motion, own in enumerate(sources):
        if own is None:
            continue
        nearest = np.clip(np.rint(schedule.frames[:, motion]).astype(int), 0, len(own) - 1)
        state = getattr(own.foot(side), point)
        alone = others[:, motion] <= 1 - _ALONE
        mask |= alone & _partnerless(state, nearest, [match[motion] for match in matches], schedule)
        pure = others[:, motion] <= 1 - _PURE
        mask[pure] = state[nearest[pure]]
    return mask


def _stand_everywhere(
    mask: Bool, sources: Sequence[FootPlants | None], schedule: Schedule, side: str, point: str, least: float
) -> None:
    """Let a point stand in mixed frames in which it stands in every motion that has weight, `least` frames or more; in place."""
    everywhere = schedule.mixed
    for motion, own in enumerate(sources):
        if own is not None:
            nearest = np.clip(np.rint(schedule.frames[:, motion]).astype(int), 0, len(own) - 1)
            everywhere = everywhere & (getattr(own.foot(side), point)[nearest] | (schedule.weights[:, motion] == 0))
    for start, end in intervals_of(everywhere):
        if end - start >= least:
            mask[start:end] = True


def _partnerless(state: Bool, nearest: np.ndarray, matched: Sequence[tuple[float, float]], schedule: Schedule) -> Bool:
    """(N,) frames of the blend that lie in a plant of the motion which no match holds."""
    inside = np.zeros(len(schedule), np.bool_)
    for start, end in intervals_of(state):
        here = (nearest >= start) & (nearest < end)
        u = schedule.u[here]
        if len(u) and not any(low < u[-1] and high > u[0] for low, high in matched):
            inside |= here
    return inside


def _close_holes(heel: Bool, ball: Bool, longest: int) -> None:
    """Let heel and ball of one step follow each other without a moment in which neither is planted; in place."""
    planted = intervals_of(heel | ball)
    for (_, before), (after, _) in pairwise(planted):
        if after - before <= longest:
            for mask in (heel, ball):
                mask[before:after] |= mask[after]
