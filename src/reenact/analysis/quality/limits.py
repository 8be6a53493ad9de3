"""How much of each defect is allowed: default limits, set on recordings (docs/quality.md), each with its reason."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True)
class QualityLimits:
    """Limits of the quality report. Lengths and speeds are for a leg of 0.83 m and scale with the body's.

    The help of each field is the reason that findings give.
    """

    skate_mm: float = option(
        25.0,
        "beyond what the feet of this clip mostly slide, of which up to 20 mm are taken as usual",
        unit="mm",
        above=0,
    )
    skate_aside_mm: float = option(
        22.0,
        "across the foot, beyond what the feet of this clip mostly slide that way, of which up to 12 mm are taken as usual",
        unit="mm",
        above=0,
    )
    slide_speed: float = option(0.3, "planted feet of recordings drift at 0.02 to 0.15 m/s", unit="m/s", above=0)
    penetration_mm: float = option(
        42.0,
        "soles, floors and estimates of the foot give way by 10 to 35 mm; more goes through the floor",
        unit="mm",
        above=0,
    )
    float_mm: float = option(
        35.0, "a standing foot stays within 30 mm of the level it stands at in the rest of the clip", unit="mm", above=0
    )
    support_mm: float = option(
        20.0,
        "feet that carry the body stand at one level within a few mm, or four times what they mostly vary by in this clip",
        unit="mm",
        above=0,
    )
    support_spread: float = option(
        4.0,
        "how many times what the level of the feet mostly varies by in a clip is taken as usual",
        unit="times",
        above=0,
    )
    level_mm: float = option(
        90.0, "a foot that stands still this far from the floor stands on a step, not in the air", unit="mm", above=0
    )
    pop_deg: float = option(
        20.0, "no joint changes its turning by so much within a frame unless it is hit", unit="deg", above=0
    )
    knee_pop_deg: float = option(
        8.0, "at 120 Hz no knee changes its bend by so much within a frame, however straight it is", unit="deg", above=0
    )
    pop_mm: float = option(25.0, "no body changes its motion by so much within a frame", unit="mm", above=0)
    pop_ratio: float = option(9.0, "times the usual change around it", unit="times", above=1)
    flip_deg: float = option(110.0, "no joint turns that far within a frame", unit="deg", above=0, high=180)
    duplicate_share: float = option(
        0.03, "share of its neighbours' movement that a repeated frame may have", unit="", above=0, high=0.5
    )
    dropped_ratio: float = option(
        1.6, "a step with a frame missing is twice as long as its neighbours", unit="times", above=1
    )
    jitter_mm: float = option(
        1.5, "noise of the worst joint at 60 Hz and above; optical recordings have 0.1 to 0.6 mm", unit="mm", above=0
    )
    knee_deg: float = option(15.0, "a knee bends backwards by no more than this", unit="deg", low=0, high=90)
    elbow_deg: float = option(25.0, "an elbow bends backwards by no more than this", unit="deg", low=0, high=90)
    fold_deg: float = option(
        165.0, "thigh and shank, or the arm, cannot be folded further", unit="deg", above=90, high=180
    )
    head_deg: float = option(125.0, "a head cannot be turned further against the chest", unit="deg", above=45, high=180)
    bone_mm: float = option(8.0, "bones do not change their length; skin and rigs may by some mm", unit="mm", above=0)
    gravity: float = option(
        1.5, "in free flight a body falls at 9.81 m/s2; this factor is beyond the error of the estimate", unit="times",
        above=1,
    )  # fmt: skip
    overlap_mm: float = option(
        55.0, "flesh gives way by 20 to 50 mm; deeper, limbs run through each other", unit="mm", above=0
    )
    balance_mm: float = option(
        120.0, "a body at rest falls when its weight is beside its feet; estimates of both err by 5 to 10 cm", unit="mm",
        above=0,
    )  # fmt: skip
    speed_max: float = option(
        13.0, "nobody runs faster than 12.5 m/s: units or frame rate may be wrong", unit="m/s", above=0
    )

    def __post_init__(self) -> None:
        check_ranges(self)

    def reason(self, name: str) -> str:
        """Why a limit is what it is."""
        return next(field.metadata["help"] for field in dataclasses.fields(self) if field.name == name)

    def changed(self, values: Mapping[str, float]) -> QualityLimits:
        """The limits with some set anew; an unknown name is an error that suggests the nearest one."""
        known = {field.name for field in dataclasses.fields(self)}
        for name in values:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise ParameterError(f"no limit {name!r}{hint} There are {', '.join(sorted(known))}", where=name)
        return dataclasses.replace(self, **values)
