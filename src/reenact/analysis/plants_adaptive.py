"""The default detector of foot plants: no thresholds to set.

A point of a foot is planted while it is slow for the way the body moves and low over the ground. Limits grow with the leg and with the
speed of the body (a runner's foot never stops quite); contacts begin and end by hysteresis, and their ends are trimmed to where the
point is at the place it stands at, within what the recording's own noise and skating allow. Feet that stand higher than the floor
(stairs, boxes) are planted when they carry the body: while the other foot moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact import kernels
from reenact.analysis.floor import fit_floor
from reenact.analysis.foot_points import FootPoint, FootPoints, find_foot_points, point_paths
from reenact.core.arrays import Bool, Float, Float32
from reenact.core.clip import Clip
from reenact.core.foot_plants import SIDES, FootContact, FootPlants, intervals_of
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


_FEW = 3  # frames: too few to be sure of anything
_CORE = 0.3  # score of frames that tell where a contact stands
_PLACE = 0.1  # seconds of them at either end
_SLOW = 0.12  # metres per second: slower samples show how still a standing point is
_NOISE = 0.5  # deviation from its place over second difference, of a point that stands and shakes
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
    asked = parameters or AdaptivePlantParameters()
    points = points or find_foot_points(clip.skeleton, clip)
    if not points.leg > 0:
        raise SkeletonError("the legs have no length, so nothing says how large a step is")
    scale, fps = points.leg / ADULT_LEG, clip.fps
    wanted = [point for side in points.sides for point in (points.heel[side], points.ball[side])]
    paths = point_paths(clip, [*wanted, FootPoint(points.hips, np.zeros(3))])
    feet, hips = np.ascontiguousarray(paths[:, :-1]), paths[:, -1]
    speeds = kernels.point_paths.slope_speeds(feet, fps, _frames(asked.smoothing, fps))
    travel = kernels.point_paths.travel_speeds(hips, fps, _frames(_TRAVEL, fps))
    fit = fit_floor(feet, speeds, _FLOOR_SPEED * scale, scale)
    limits = (asked.speed * scale, asked.speed_share, asked.height * scale)
    plane = (fit.floor.normal, fit.floor.height, fit.offsets)
    ground = np.zeros(speeds.shape, np.float32)
    scores, heights, longest = kernels.contacts.contact_scores(feet, speeds, travel, *plane, ground, *limits)
    if longest >= _frames(_RAISED, fps) and _find_raised(
        heights, speeds, travel, limits, hips, feet, points, fps, ground
    ):
        scores, heights, _ = kernels.contacts.contact_scores(feet, speeds, travel, *plane, ground, *limits)
    window = max(2, round(_PLACE * fps))
    shake, spread = kernels.contacts.stillness(feet, speeds, _SLOW * scale, window)
    drift = max(0.0, spread - _NOISE * shake) if np.isfinite(spread) else _UNKNOWN_DRIFT * scale
    tolerance = asked.tolerance * scale + _ROLL * drift
    if not points.on_sole:
        tolerance = max(tolerance, _ESTIMATED * scale)
    mask = kernels.contacts.hold_contacts(
        scores,
        heights,
        feet,
        enter=1.0,
        leave=asked.leave,
        gap=_frames(asked.gap, fps),
        lift=1.3 * limits[2],
        core=_CORE,
        window=window,
        tolerance=tolerance,
        deviations=asked.deviations,
        least=asked.least * fps,
    )
    high = mask & (heights + ground + fit.offsets.astype(np.float32) > _HIGH * scale)
    if high.any():  # beyond both nothing is planted, whatever its neighbours are
        mask &= ~(high & (kernels.point_paths.slope_speeds(feet, fps, 1) > _FAST * scale))
    contacts = _contacts(mask, scores, points.sides, len(clip))
    return FootPlants(contacts["left"], contacts["right"], fps, fit.floor, "adaptive")


def _frames(seconds: float, fps: float) -> int:
    return max(1, round(seconds * fps))


def _find_raised(
    heights: Float32,
    speeds: Float32,
    travel: Float32,
    limits: tuple[float, float, float],
    hips: Float,
    feet: Float,
    points: FootPoints,
    fps: float,
    ground: Float32,
) -> bool:
    """Write the level of raised contacts into `ground` (F, P); False when there are none."""
    still = np.less(speeds, (limits[0] + limits[1] * travel)[:, None])
    raised = still & (heights > limits[2])
    if not raised.any() or len(points.sides) < 2:
        return False
    least, spread = _frames(_RAISED, fps), _frames(_SPREAD, fps)
    below = hips[:, None, 1] - feet[..., 1] > _BELOW_HIPS * points.leg
    found = False
    for n in range(raised.shape[1]):
        other = slice(2, 4) if n < 2 else slice(0, 2)
        moving = ~np.any(still[:, other], axis=1)
        for start, end in intervals_of(raised[:, n] & below[:, n]):
            if end - start < least or np.count_nonzero(moving[start:end]) < least:
                continue
            level = np.float32(np.median(heights[start:end, n]))
            if np.ptp(heights[start:end, n]) > limits[2]:
                continue
            a, b = max(0, start - spread), min(len(raised), end + spread)
            ground[a:b, n] = level
            found = True
    return found


def _contacts(mask: Bool, scores: Float32, sides: tuple[str, ...], frames: int) -> dict[str, FootContact]:
    """Contacts by side; a foot that is not there is never planted, with certainty."""
    contacts = {side: FootContact(np.zeros(frames, np.bool_), np.zeros(frames, np.bool_)) for side in SIDES}
    for n, side in enumerate(sides):
        heel, ball = mask[:, 2 * n], mask[:, 2 * n + 1]
        sure = kernels.contacts.contact_confidences(scores, mask, 2 * n, 0.5 if frames < _FEW else 1.0)
        contacts[side] = FootContact(heel, ball, sure)
    return contacts
