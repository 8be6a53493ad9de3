"""Feet that look as if they stood, held or not: what an onlooker sees sliding.

The plants of a detector are what is held; an onlooker does not know them. Here every heel or ball that is low and slow for a moment stands.
What such points move by says what a clean-up has left: plants that were let go, feet that turn, shuffle or step on slowly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.solve.feet import Foot
from reenact.solve.gliding import Glide, find_glides
from reenact.solve.result_quality import LIMITS

_MANY = 0.2  # of the stands, that go without a word


def describe_standing(result: Clip, feet: Sequence[Foot], asked: FootPlants, held: FootPlants) -> dict[str, Any]:
    """`standing`: how feet that look planted move.

    Args:
        result: the motion that was made.
        feet: the feet.
        asked: the plants that were to be held.
        held: those that are.

    Returns:
        `stands`, how many; `drift_mm`, the median of what they move by on the ground; and `sliding`, a row for each that moves by
        more than the limit of slips: foot, point, start, end, drift_mm and why.
    """
    glides = find_glides(result, feet)
    rows = [
        {
            "foot": glide.foot,
            "point": glide.point,
            "start": glide.start,
            "end": glide.end,
            "drift_mm": round(glide.millimetres, 1),
            "why": _why(asked, held, glide),
        }
        for glide in glides
        if glide.millimetres > LIMITS["slip_mm"][1]
    ]
    return {
        "stands": len(glides),
        "drift_mm": round(float(np.median([glide.millimetres for glide in glides] or [0.0])), 2),
        "sliding": sorted(rows, key=lambda row: -row["drift_mm"]),
    }


def doubt_standing(standing: Mapping[str, Any]) -> list[str]:
    """In words, that a good part of what looks planted slides; empty when it does not."""
    rows, count, limit = standing["sliding"], standing["stands"], LIMITS["slip_mm"][1]
    if not rows or (len(rows) < _MANY * count and standing["drift_mm"] <= limit):
        return []
    worst = rows[0]
    where = f"{worst['foot']} {worst['point']}, frames {worst['start']} to {worst['end']}: {worst['why']}"
    return [
        f"in {len(rows)} of {count} stands a point that looks planted moves by more than {limit:g} mm, "
        f"by {worst['drift_mm']:.0f} mm at most ({where})"
    ]


def _why(asked: FootPlants, held: FootPlants, glide: Glide) -> str:
    """Why a point that looks planted is not still."""
    before, after, frames = asked.foot(glide.foot), held.foot(glide.foot), slice(glide.start, glide.end)
    if np.mean(before.plant[frames] & ~after.plant[frames]) > 0.1:
        return "let go"
    point = getattr(before, glide.point)[frames]
    if np.mean(point) < 0.5:
        return "it turns about the other end of the foot" if np.mean(before.plant[frames]) > 0.5 else "not planted"
    return (
        "it stands in several places"
        if len(intervals_of(getattr(after, glide.point)[frames])) > 1
        else "it comes and goes slowly"
    )
