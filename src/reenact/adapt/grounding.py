"""Feet kept from skating by the skin of their soles: `reenact ground`. Both methods of É. Lyard (2008), chapter 3, and a plain one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from reenact.adapt.adaptation import take_body
from reenact.adapt.rerooting import reroot
from reenact.adapt.root_travel import fit_height, moved_root, set_height, set_height_by_frame, slides, travel
from reenact.adapt.skin_planting import SkinPlanting, plant_by_skin, sole_skin
from reenact.analysis.carried_plants import known_plants
from reenact.body.standing import standing_still
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.role_finding import assign_roles
from reenact.errors import ParameterError
from reenact.solve.feet import find_feet
from reenact.solve.skeleton_map import map_motion

How = Literal["root", "legs"]
Height = Literal["scale", "frames", "keep"]


@dataclass(frozen=True, slots=True)
class GroundParameters:
    """How feet are kept from skating."""

    method: How = option(
        "root", "move the root alone, or hang the body on the planted foot and bend legs where it lands"
    )
    height: Height = option(
        "scale", "heights: one offset and one scale for the clip, frame by frame (as a reference), or keep them"
    )
    flight: bool = option(True, "one foot is planted in every frame, whatever the foot plants say", off="no-flight")
    lowered: float = option(0.01, "by legs: the body is lowered first, so that they bend", unit="m", low=0.0, high=0.1)

    def __post_init__(self) -> None:
        check_ranges(self)
        for where, value, choices in (
            ("method", self.method, ("root", "legs")),
            ("height", self.height, ("scale", "frames", "keep")),
        ):
            if value not in choices:
                raise ParameterError(f"{where} {value!r} is not one of {', '.join(choices)}", where=where)


def ground(clips: Sequence[Any], parameters: GroundParameters | None = None, plants: FootPlants | None = None) -> Made:
    """A motion on a body whose planted skin stays where it is.

    Args:
        clips: the motion and the character.
        parameters: see `GroundParameters`.
        plants: when its feet are planted; detected when not given, and edited by hand where that is needed: dances, leaps.

    Returns:
        The motion on the character's skeleton; how far planted skin slid before and after, how high it stood, what the height was scaled
        by. With the root alone, rotations are those of the mapped motion to the last bit.
    """
    asked = parameters or GroundParameters()
    clip, character = take_body(clips)
    if not len(clip):
        raise ParameterError("the clip has no frames", where=clip.name)
    character = replace(character, skeleton=assign_roles(character.skeleton)[0])
    known = known_plants(clip, plants)
    source = map_motion(clip, standing_still(character))
    floor = 0.0 if known is None else known.floor.height
    skin = sole_skin(character, source)
    planting = plant_by_skin(skin, source.root.astype(np.float64), source.fps, known if asked.flight else None)
    report: dict[str, Any] = {
        "stances": len(planting.intervals()),
        "flight": round(float(np.mean(planting.feet < 0)), 3),
    }
    if asked.method == "legs":
        made = reroot(source, skin, planting, find_feet(source.skeleton, source), floor, asked.lowered)
    else:
        root = travel(skin, source.root.astype(np.float64), planting)
        if asked.height == "scale":
            fit = fit_height(skin, root, planting, floor)
            root = set_height(root, fit)
            report |= {"height_offset_mm": round(1000 * fit.offset, 1), "height_scale": round(fit.scale, 3)}
            if fit.doubtful:
                report["doubts"] = [
                    "the height of the root would have to be scaled by far: the foot plants are probably wrong"
                ]
        elif asked.height == "frames":
            root = set_height_by_frame(skin, root, floor)
        made = moved_root(source, root)
    after = sole_skin(character, made)
    for when, one in (("before", skin), ("after", after)):
        slid = slides(one, planting)
        report[f"slid_mm_{when}"] = round(1000 * float(slid.sum()), 2)
        stands = np.flatnonzero(planting.points >= 0)
        high = one.places[stands, planting.points[stands], 1] - floor
        report[f"height_mm_{when}"] = round(1000 * float(np.abs(high).mean()), 1) if len(stands) else 0.0
    return Made(made, report, _as_plants(planting, known, source.fps), character)


def _as_plants(planting: SkinPlanting, known: FootPlants | None, fps: float) -> FootPlants:
    """The stances as foot plants: heel and ball as they were known, while the foot is the planted one."""
    feet = []
    for number, side in enumerate(("left", "right")):
        stands = planting.feet == number
        if known is None:
            feet.append(FootContact(stands, stands))
        else:
            contact = known.foot(side)
            feet.append(FootContact(contact.heel & stands, contact.ball & stands, contact.confidence))
    return (
        FootPlants(feet[0], feet[1], fps, source="carried")
        if known is None
        else replace(known, left=feet[0], right=feet[1])
    )
