"""Plants on tilted ground: a point that rises a millimetre off the floor must not slip over the map when the floor is laid on a slope.

A footprint is tilted as a rigid thing, and a point above its plane then moves sideways by its height times the sine of the slope. What
the planted points of a foot rise together is taken out by moving the foot back over the map; what is left, because heel and ball rise by
different amounts, decides whether a point still counts as planted.
"""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.foot_plants import CARRIED, FootContact, FootPlants
from reenact.core.smoothing import smooth
from reenact.walk.footprints import Footprint
from reenact.walk.step_plan import PlannedPrint, WalkPlan
from reenact.walk.walk_study import WalkStudy

_RISES = 0.0005  # metres over the map
_CALM = 0.03  # seconds, width of the low-pass over what a foot rises by
_UP = np.array([0.0, 1.0, 0.0])


def over_the_map(study: WalkStudy, one: PlannedPrint) -> Float:
    """(N, 3) metres by which a foot on a tilted footprint is moved so that what its planted points rise by does not shift them."""
    risen = _risen(study, one.old)
    return -risen[:, None] * (R.rotate(one.tilt, _UP) * (1.0, 0.0, 1.0))


def carried_plants(study: WalkStudy, plan: WalkPlan) -> FootPlants:
    """The plants of the motion on its new footprints: without points that have left sloping ground by more than others of their foot."""
    feet = {}
    for side in ("left", "right"):
        contact = study.plants.foot(side)
        masks = {"heel": contact.heel.copy(), "ball": contact.ball.copy()}
        for one in plan.prints:
            slope = float(np.linalg.norm((R.rotate(one.tilt, _UP))[[0, 2]]))
            if one.old.side != side or slope < 1e-3:
                continue
            frames = np.arange(one.old.start, one.old.end)
            risen = _risen(study, one.old)
            for name, mask in masks.items():
                down = mask[frames]
                if down.any():
                    left = np.abs(_heights(study, one.old, name)[down] - risen[down]) * slope > _RISES
                    mask[frames[down][left]] = False
        feet[side] = FootContact(masks["heel"], masks["ball"], contact.confidence)
    return FootPlants(feet["left"], feet["right"], study.plants.fps, study.plants.floor, CARRIED)


def _heights(study: WalkStudy, one: Footprint, name: str) -> Float:
    """(N,) metres by which a point is higher than it mostly is while it is planted on a footprint."""
    frames = slice(one.start, one.end)
    heights, down = getattr(study.tracks[one.side], name)[frames, 1], getattr(study.plants.foot(one.side), name)[frames]
    return heights - np.median(heights[down])


def _risen(study: WalkStudy, one: Footprint) -> Float:
    """(N,) metres by which the planted points of a foot are higher on the average than they mostly are."""
    contact, frames = study.plants.foot(one.side), slice(one.start, one.end)
    total, counts = np.zeros(one.end - one.start), np.zeros(one.end - one.start)
    for name, mask in (("heel", contact.heel[frames]), ("ball", contact.ball[frames])):
        if mask.any():
            total[mask] += _heights(study, one, name)[mask]
            counts[mask] += 1
    at = np.flatnonzero(counts)
    if not len(at):
        return total
    return smooth(np.interp(np.arange(len(total)), at, total[at] / counts[at]), _CALM * study.clip.fps)
