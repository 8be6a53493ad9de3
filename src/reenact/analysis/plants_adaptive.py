"""The default detector of foot plants: no thresholds to set.

A point of a foot is planted while it is slow for the way the body moves and low over the ground. Limits grow with the leg and with the
speed of the body (a runner's foot never stops quite); contacts begin and end by hysteresis, and their ends are trimmed to where the
point is at the place it stands at, within what the recording's own noise and skating allow. Feet that stand higher than the floor
(stairs, boxes) are planted when they carry the body: while the other foot moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from reenact import kernels
from reenact.analysis.floor import floor_limits
from reenact.analysis.foot_points import FootPoint, FootPoints, find_foot_points, point_paths
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import SIDES, Floor, FootContact, FootPlants
from reenact.core.parameters import check_ranges, option
from reenact.errors import SkeletonError

ADULT_LEG = 0.82
"""Metres, thigh and shank: lengths and speeds below are for such a leg and scale with it."""


@dataclass(frozen=True, slots=True)
class AdaptivePlantParameters:
    """Limits for a leg of 0.82 m; all lengths and speeds are scaled by the leg."""

    speed: float = option(0.22, "fastest contact of a body at rest", unit="m/s", above=0)
    speed_share: float = option(0.22, "of the body's speed is added to that", low=0, high=1)
    height: float = option(0.055, "highest contact over the ground", unit="m", above=0)
    leave: float = option(1.15, "how many times the limits a contact may reach before it ends", low=1, high=3)
    gap: float = option(0.05, "shorter breaks are closed", unit="s", low=0, high=1)
    least: float = option(0.045, "shorter contacts are dropped", unit="s", low=0, high=1)
    smoothing: float = option(0.025, "half the time over which a speed is measured", unit="s", low=0, high=0.2)
    tolerance: float = option(0.0004, "how far from its place a point may begin and end a contact", unit="m", low=0)
    deviations: float = option(1.6, "median deviations of the contact from its place that are added to it", low=0)

    def __post_init__(self) -> None:
        check_ranges(self)


_DEFAULTS = AdaptivePlantParameters()
_HERE = np.zeros(3)
_FEW = 3  # frames: too few to be sure of anything
_CORE = 0.3  # score of frames that tell where a contact stands
_PLACE = 0.1  # seconds of them at either end
_SLOW = 0.12  # metres per second: slower samples show how still a standing point is
_NOISE = 0.5  # deviation from its place over second difference, of a point that stands and shakes
_NOISY = 0.002  # metres: second difference of points that stand, from which on noise hides how they land and lift
_ROLL = 60.0  # what a point drifts in a tenth of a second of standing, times this, it may be away when it begins and ends to stand
_UNKNOWN_DRIFT = 0.0015  # metres: that drift where no point stands long enough to tell, as in most recorded runs
_ESTIMATED = 0.03  # metres that points whose place on the sole is an estimate may be away from it
_HIGH, _FAST = 0.09, 0.4  # metres and metres per second
_TRAVEL = 0.1  # half the seconds over which the body's speed is measured
_FLOOR_SPEED = 0.35  # metres per second: slower samples show the floor
_RAISED = 0.1  # seconds a raised foot must stand, and the other one move meanwhile
_BELOW_HIPS = 0.35  # of a leg: a foot that carries is at least this far below the hips
_SPREAD = 0.15  # seconds around a raised contact in which its level counts as ground


def detect_adaptive(
    clip: Clip, parameters: AdaptivePlantParameters | None = None, points: FootPoints | None = None
) -> FootPlants:
    """Foot plants of a clip, with a confidence for every frame and the floor.

    Raises:
        SkeletonError: no feet, or legs without length.
    """
    points = points or find_foot_points(clip.skeleton, clip)
    return detect_on_paths(point_paths(clip, watched_points(points)), clip.fps, points, parameters)


def watched_points(points: FootPoints) -> list[FootPoint]:
    """The points whose paths the detector looks at: heel and ball of each foot, and the hips."""
    feet = [point for side in points.sides for point in (points.heel[side], points.ball[side])]
    return [*feet, FootPoint(points.hips, _HERE)]


def detect_on_paths(
    paths: Float, fps: float, points: FootPoints, parameters: AdaptivePlantParameters | None = None
) -> FootPlants:
    """Foot plants from the paths of `watched_points` (F, P, 3); paths of further points after them do not matter.

    Raises:
        SkeletonError: legs without length.
    """
    asked = parameters or _DEFAULTS
    if not points.leg > 0:
        raise SkeletonError("the legs have no length, so nothing says how large a step is")
    scale, frames = points.leg / ADULT_LEG, len(paths)
    contact, floor = _limits(asked, fps, scale, points.on_sole, frames < _FEW)
    states, sure, normal, height, floor_sure = kernels.adaptive.detect_contacts(
        paths,
        len(points.sides),
        fps,
        points.leg,
        contact,
        floor,
    )
    contacts = {side: FootContact(states[2 * n], states[2 * n + 1], sure[n]) for n, side in enumerate(points.sides)}
    for side in SIDES:
        if side not in contacts:  # never planted, with certainty
            contacts[side] = FootContact(np.zeros(frames, np.bool_), np.zeros(frames, np.bool_))
    return FootPlants(contacts["left"], contacts["right"], fps, Floor(height, normal, floor_sure), "adaptive")


@lru_cache(maxsize=256)
def _limits(asked: AdaptivePlantParameters, fps: float, scale: float, on_sole: bool, few: bool) -> tuple[Any, Any]:
    """The limits in metres and frames; many clips of a library share rate and body."""
    contact = kernels.adaptive.ContactLimits(
        speed=asked.speed * scale,
        share=asked.speed_share,
        height=asked.height * scale,
        leave=asked.leave,
        gap=_frames(asked.gap, fps),
        least=asked.least * fps,
        smoothing=_frames(asked.smoothing, fps),
        travel=_frames(_TRAVEL, fps),
        core=_CORE,
        window=max(2, round(_PLACE * fps)),
        slow=_SLOW * scale,
        noise=_NOISE,
        noisy=_NOISY * scale,
        roll=_ROLL,
        unknown_drift=_UNKNOWN_DRIFT * scale,
        tolerance=asked.tolerance * scale,
        least_tolerance=0.0 if on_sole else _ESTIMATED * scale,
        deviations=asked.deviations,
        lift=1.3 * asked.height * scale,
        high=_HIGH * scale,
        fast=_FAST * scale,
        raised=_frames(_RAISED, fps),
        below_hips=_BELOW_HIPS,
        spread=_frames(_SPREAD, fps),
        most_sure=0.5 if few else 1.0,
    )
    return contact, floor_limits(_FLOOR_SPEED * scale, scale)


def _frames(seconds: float, fps: float) -> int:
    return max(1, round(seconds * fps))
