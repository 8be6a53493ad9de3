"""Foot skate: how far and how fast planted points of the feet move over the floor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import Part, measured
from reenact.analysis.quality.limits import QualityLimits
from reenact.core.arrays import Bool, Float

_ENDS = 0.09  # seconds at either end of a plant in which the foot still lands or already lifts
_DIRECTIONS = np.stack([np.cos(np.arange(8) * np.pi / 8), np.sin(np.arange(8) * np.pi / 8)])
_SPEED_OVER = (
    0.1  # seconds; plants of less than two of them are all landing and lifting, and have no speed of their own
)
_USUAL, _USUAL_ASIDE, _USUAL_OF_FEW = (
    20.0,
    12.0,
    2.0,
)  # mm: no more is taken for the way a recording's feet slide anyway
_ENOUGH = 4  # plants that tell what is usual
_MOST = 12


@dataclass(frozen=True, slots=True)
class Slip:
    """How a planted foot moved.

    Attributes:
        foot: "left foot" or "right foot".
        frames: half-open range of the plant.
        skate_mm: how far it slid over the floor.
        aside_mm: how far of that across the foot; 0 for a foot of one point, which has no direction.
        speed: median speed over the floor, m/s; 0 for plants too short to have one.
    """

    foot: str
    frames: tuple[int, int]
    skate_mm: float
    aside_mm: float
    speed: float


def measure_slips(examined: Examined) -> list[Slip]:
    """Every plant of each foot, by the foot plants of the clip; broken frames and the ends of a plant do not count.

    A foot rolls from heel to ball: in each step the stiller of its planted points tells how the foot slides. The skate of a plant is
    how far these steps lead away, added up as vectors, so that noise cancels and drift does not.
    """
    plants, feet = examined.plants, examined.feet
    if plants is None or feet is None:
        return []
    ends = examined.samples(_ENDS)
    slips = []
    for n, side in enumerate(feet.sides):
        contact = plants.foot(side)
        floor = examined.foot_paths[:, 2 * n : 2 * n + 2][..., [0, 2]].astype(np.float64)
        for start, end in contact.intervals():
            cut = min(ends, (end - start) // 4)
            inner = slice(start + cut, end - cut)
            if inner.stop - inner.start < 3:
                continue
            moves = slide_steps(floor[inner], contact.heel[inner], contact.ball[inner])
            broken = examined.bad[inner]
            moves[broken[1:] | broken[:-1]] = 0.0
            way = np.concatenate([np.zeros((1, 2)), np.cumsum(moves, axis=0)])
            along = np.median(floor[inner, 1] - floor[inner, 0], axis=0)
            length = float(np.hypot(*along))
            aside = np.ptp(way @ np.array([along[1], -along[0]])) / length if length > 1e-6 else 0.0
            skate, aside = 1000 * extent(way), 1000 * float(aside)
            slips.append(Slip(f"{side} foot", (start, end), skate, aside, _slide_speed(way, examined)))
    return slips


def _slide_speed(way: Float, examined: Examined) -> float:
    """Median speed in m/s along a way (N, 2), each over a tenth of a second so that noise does not count; 0 for short ways."""
    span = examined.samples(_SPEED_OVER)
    if len(way) < 2 * span:
        return 0.0
    return float(np.median(np.linalg.norm(way[span:] - way[:-span], axis=1))) * examined.clip.fps / span


def slide_steps(floor: Float, heel: Bool, ball: Bool) -> Float:
    """(N - 1, 2) metres: from frame to frame the move of the stiller planted point, of heel and ball (N, 2, 2) over the floor."""
    moves = np.diff(floor, axis=0)
    length = np.linalg.norm(moves, axis=2)
    planted = np.stack([heel[1:] & heel[:-1], ball[1:] & ball[:-1]], axis=1)
    length = np.where(planted | ~planted.any(axis=1, keepdims=True), length, np.inf)
    stiller = np.argmin(length, axis=1)
    return moves[np.arange(len(moves)), stiller]


def _usual(values: list[float], most: float) -> float:
    """What mostly is, but not more than `most`."""
    return min(float(np.quantile(values, 0.5, method="lower")), most)


def extent(points: Float) -> float:
    """Largest distance between two points (N, 2), within 2 %: their widest extent along eight directions."""
    return float(np.ptp(points @ _DIRECTIONS, axis=0).max())


def check_skate(examined: Examined, limits: QualityLimits) -> Part:
    """Skate of every plant (`skate.plant`) and the fastest slide (`skate.speed`).

    Feet of recordings slide by 5 to 45 mm (soft shoes, marker and skeleton fits), and twice as far along the foot as across it: hence a
    limit of its own for sliding to the side. Both count from what is usual in the clip, so that a foot that slides out of line is found
    in rough recordings too.
    """
    slips = measure_slips(examined)
    names = ("skate_mm_max", "skate_mm_mean", "skate_aside_mm_max", "slide_m_s_max", "plants")
    part = Part(measures=dict.fromkeys(names))
    if examined.plants is not None:
        part.measures["plants"] = float(sum(len(examined.plants.foot(side).intervals()) for side in ("left", "right")))
    if not slips:
        return part
    enough = len(slips) >= _ENOUGH
    limit = limits.skate_mm * examined.scale + _usual(
        [slip.skate_mm for slip in slips], examined.scale * (_USUAL if enough else _USUAL_OF_FEW)
    )
    aside = limits.skate_aside_mm * examined.scale + _usual(
        [slip.aside_mm for slip in slips], examined.scale * (_USUAL_ASIDE if enough else _USUAL_OF_FEW)
    )
    fastest = limits.slide_speed * np.sqrt(examined.scale)
    part.bounds = {"skate_mm_max": limit, "skate_aside_mm_max": aside, "slide_m_s_max": float(fastest)}
    part.measures["skate_aside_mm_max"] = max(slip.aside_mm for slip in slips)
    part.measures["skate_mm_max"] = max(slip.skate_mm for slip in slips)
    part.measures["skate_mm_mean"] = float(np.mean([slip.skate_mm for slip in slips]))
    part.measures["slide_m_s_max"] = max(slip.speed for slip in slips)
    curve = np.full((2, len(examined.clip)), np.nan)
    for slip in slips:
        row = curve[0 if slip.foot.startswith("left") else 1, slip.frames[0] : slip.frames[1]]
        row[:] = np.fmax(row, slip.skate_mm)
    part.curves["left skate (mm)"], part.curves["right skate (mm)"] = curve
    over = [slip for slip in slips if slip.skate_mm > limit or slip.aside_mm > aside]
    over.sort(key=lambda slip: -slip.skate_mm)
    for slip in sorted(over[:_MOST], key=lambda slip: slip.frames):
        what, value, bound, name = "the planted foot skates", slip.skate_mm, limit, "skate_mm"
        if slip.skate_mm <= limit:
            what, value, bound, name = "the planted foot skates to its side", slip.aside_mm, aside, "skate_aside_mm"
        part.findings.append(
            measured(
                "skate.plant", "warning", what, value, bound, "mm", limits.reason(name), frames=slip.frames,
                joint=slip.foot,
            )
        )  # fmt: skip
    if len(over) > _MOST:
        rest = over[_MOST:]
        span = (min(slip.frames[0] for slip in rest), max(slip.frames[1] for slip in rest))
        part.findings.append(
            measured(
                "skate.plant", "warning", f"{len(rest)} more plants skate; the farthest", rest[0].skate_mm, limit, "mm",
                limits.reason("skate_mm"), frames=span,
            )
        )  # fmt: skip
    quick = max(slips, key=lambda slip: slip.speed)
    if quick.speed > fastest:
        part.findings.append(
            measured(
                "skate.speed", "warning", "the planted foot slides all the time", quick.speed, fastest, "m/s",
                limits.reason("slide_speed"), frames=quick.frames, joint=quick.foot,
            )
        )  # fmt: skip
    return part
