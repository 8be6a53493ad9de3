"""Feet in the floor and feet above it."""

from __future__ import annotations

import numpy as np

from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import Part, measured, noted
from reenact.analysis.quality.limits import QualityLimits
from reenact.analysis.quality.support_level import check_support_level
from reenact.core.arrays import Float
from reenact.core.foot_plants import intervals_of

_ENDS = 0.04  # seconds at either end of a plant
_LEAST = 0.025  # seconds that a foot must be in the floor
_MOST = 8
_OFFSET = 0.1  # metres: a floor farther from height 0 is mentioned


def check_floor(examined: Examined, limits: QualityLimits) -> Part:
    """Penetration (`floor.penetration`), floating plants (`floor.floating`), plants on other levels (`floor.level`, an info), bodies that
    stand above or below the floor for a while (`floor.support`).

    Heights are those of heel and ball over the floor of the foot plants, less the height at which each point mostly stands: where
    exactly the sole is no skeleton says.
    """
    part = Part(
        measures={
            "penetration_mm_max": None,
            "float_mm_max": None,
            "support_mm_max": None,
            "floor_height_m": None,
            "floor_tilt_deg": None,
        }
    )
    plants, feet = examined.plants, examined.feet
    if plants is None or feet is None or not any(plants.foot(side).plant.any() for side in feet.sides):
        return part
    floor = plants.floor
    part.measures["floor_height_m"] = float(floor.height)
    part.measures["floor_tilt_deg"] = float(np.degrees(np.arccos(np.clip(floor.normal[1], -1, 1))))
    if abs(floor.height) > _OFFSET * max(1.0, examined.scale):
        part.findings.append(
            noted("floor.offset", "info", f"the floor lies at a height of {floor.height:.3f} m, not at 0")
        )
    heights = floor.above(examined.foot_paths)  # (F, 2 S)
    deviations = np.full(heights.shape, np.nan)
    good = ~examined.bad
    for n, side in enumerate(feet.sides):
        contact = plants.foot(side)
        for point, mask in enumerate((contact.heel, contact.ball)):
            column = 2 * n + point
            standing = mask & good
            if standing.any():
                deviations[:, column] = heights[:, column] - np.median(heights[standing, column])
    deviations[~good] = np.nan
    _check_below(part, examined, deviations, limits)
    _check_above(part, examined, deviations, limits)
    reported = [found.frames for found in part.findings if found.frames is not None]
    check_support_level(part, examined, deviations, reported, limits)
    return part


def _check_below(part: Part, examined: Examined, deviations: Float, limits: QualityLimits) -> None:
    lowest = 1000 * np.nanmin(np.where(np.isnan(deviations), 0.0, deviations), axis=1)
    deep = -lowest
    part.curves["lowest foot over its level (mm)"] = lowest
    part.measures["penetration_mm_max"] = float(max(deep.max(), 0.0))
    limit, least = limits.penetration_mm * examined.scale, examined.samples(_LEAST)
    part.bounds["penetration_mm_max"] = limit
    feet = examined.feet
    assert feet is not None
    found = 0
    for start, end in intervals_of(deep > limit):
        if end - start < least:
            continue
        found += 1
        if found > _MOST:
            break
        worst = start + int(np.argmax(deep[start:end]))
        column = int(np.nanargmin(deviations[worst]))
        joint = f"{feet.sides[column // 2]} {'heel' if column % 2 == 0 else 'ball'}"
        if _still_at(examined, column, start, end) and deep[worst] > limits.level_mm * examined.scale:
            message = f"the foot stands {deep[worst]:.0f} mm below the floor: a step down"
            part.findings.append(noted("floor.level", "info", message, frames=(start, end), joint=joint))
            continue
        part.findings.append(
            measured(
                "floor.penetration", "warning", "the foot is in the floor", float(deep[worst]), limit, "mm",
                limits.reason("penetration_mm"), frames=(start, end), joint=joint,
            )
        )  # fmt: skip


def _still_at(examined: Examined, column: int, start: int, end: int) -> bool:
    """True when the point is planted in half of these frames."""
    plants, feet = examined.plants, examined.feet
    assert plants is not None
    assert feet is not None
    contact = plants.foot(feet.sides[column // 2])
    return float((contact.heel if column % 2 == 0 else contact.ball)[start:end].mean()) > 0.5


def _check_above(part: Part, examined: Examined, deviations: Float, limits: QualityLimits) -> None:
    plants, feet = examined.plants, examined.feet
    assert plants is not None
    assert feet is not None
    ends = examined.samples(_ENDS)
    limit, level = limits.float_mm * examined.scale, limits.level_mm * examined.scale
    part.bounds["float_mm_max"] = limit
    highest = 0.0
    told = 0
    for n, side in enumerate(feet.sides):
        contact = plants.foot(side)
        masks = (contact.heel, contact.ball)
        for start, end in intervals_of(contact.plant):
            inner = slice(start + ends, end - ends) if end - start > 2 * ends + 2 else slice(start, end)
            over = np.stack(
                [np.where(mask[inner], deviations[inner, 2 * n + k], np.nan) for k, mask in enumerate(masks)]
            )
            known = ~np.isnan(over).all(axis=0)
            if not known.any():
                continue
            value = 1000 * float(np.median(np.nanmin(over[:, known], axis=0)))
            highest = max(highest, value if value < level else 0.0)
            if value <= limit or told >= _MOST:
                continue
            told += 1
            if value >= level:
                message = f"the foot stands {value:.0f} mm above the floor: a step or a slope"
                part.findings.append(noted("floor.level", "info", message, frames=(start, end), joint=side))
                continue
            part.findings.append(
                measured(
                    "floor.floating", "warning", "the foot stands above the floor", value, limit, "mm",
                    limits.reason("float_mm"), frames=(start, end), joint=f"{side} foot",
                )
            )  # fmt: skip
    part.measures["float_mm_max"] = highest
