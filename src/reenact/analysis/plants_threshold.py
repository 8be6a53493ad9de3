"""Foot plants by height and speed thresholds (Shanbhag, *Motion Reuse, Synthesis and Scripting*, section 3.1.1).

The ankle and the joint of the toes stand for heel and ball. A joint is planted while it is within a height of where it rests and slower
than a speed; drop-outs are repaired; the foot is planted while either is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.analysis.debounce import debounce
from reenact.analysis.floor import fit_floor
from reenact.analysis.foot_points import FootPoint, FootPoints, find_foot_points, point_paths
from reenact.analysis.plants_adaptive import ADULT_LEG
from reenact.core.arrays import Bool, Float, Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import SIDES, Floor, FootContact, FootPlants
from reenact.core.parameters import check_ranges, option
from reenact.errors import SkeletonError

CMU_UNIT = 0.0254 / 0.45
"""Metres: the length unit of the recordings the published constants are for (0.056444 m)."""

_RESTING = 0.1  # metres over the lowest heights in which a joint is taken to rest


@dataclass(frozen=True, slots=True)
class ThresholdPlantParameters:
    """Thresholds; the defaults are those measured to work on recordings whose floor is not quite level."""

    height: float = option(0.028, "largest distance from the resting height", unit="m", above=0)
    speed: float = option(0.77, "a faster joint is not planted", unit="m/s", above=0)
    window: float = option(0.04, "half the time in which drop-outs are repaired", unit="s", low=0, high=1)
    floor: Literal["plane", "constant"] = option("plane", "resting height: a plane for each joint, or one number")
    scaled: bool = option(True, "scale height and speed by the leg over 0.82 m")

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.floor not in ("plane", "constant"):
            from reenact.errors import ParameterError

            raise ParameterError(f"floor must be plane or constant, not {self.floor!r}", where="floor")


THESIS = ThresholdPlantParameters(0.1 * CMU_UNIT, 6.8 * CMU_UNIT, 5 / 120, "constant", False)
"""The published constants: 0.1 and 6.8 in units of the recordings, read as lengths and lengths per second, converted to metres. The
text gives neither unit nor window; the window is 5 frames at 120 Hz."""


def detect_threshold(
    clip: Clip, parameters: ThresholdPlantParameters | None = None, points: FootPoints | None = None
) -> FootPlants:
    """Foot plants of a clip by thresholds of height and speed, with confidence 1 throughout.

    Raises:
        SkeletonError: no feet.
    """
    asked = parameters or ThresholdPlantParameters()
    signals = joint_signals(clip, asked.floor, asked.speed, asked.scaled, points)
    raw = (np.abs(signals.heights) < asked.height * signals.scale) & (signals.speeds < asked.speed * signals.scale)
    mask = debounce(raw, round(asked.window * clip.fps))
    return signals.plants(mask, clip.fps, "threshold")


@dataclass(frozen=True, slots=True, eq=False)
class JointSignals:
    """Ankle and toe joints of the feet there are: heel and ball by turns, in the order of `sides`.

    Attributes:
        positions: (F, P, 3) metres.
        heights: (F, P) metres over the height at which each joint rests.
        speeds: (F, P) metres per second, from the frame before.
        scale: of thresholds.
        sides: the feet there are.
        floor: mean plane.
    """

    positions: Float
    heights: Float64
    speeds: Float64
    scale: float
    sides: tuple[str, ...]
    floor: Floor

    def plants(self, mask: Bool, fps: float, source: str) -> FootPlants:
        """The contacts (F, P) as foot plants."""
        empty = np.zeros(len(mask), np.bool_)
        feet = {side: FootContact(empty, empty) for side in SIDES}
        for n, side in enumerate(self.sides):
            feet[side] = FootContact(mask[:, 2 * n], mask[:, 2 * n + 1])
        return FootPlants(feet["left"], feet["right"], fps, self.floor, source)


def joint_signals(
    clip: Clip, floor: str, speed: float, scaled: bool = True, points: FootPoints | None = None
) -> JointSignals:
    """Heights and speeds of ankles and toes; samples slower than `speed` (m/s) say where a joint rests."""
    points = points or find_foot_points(clip.skeleton, clip)
    if not points.leg > 0:
        raise SkeletonError("the legs have no length, so nothing says how large a step is")
    joints = [
        FootPoint(point.joint, point.place if _is_tip(clip, side, point) else np.zeros(3))
        for side in points.sides
        for point in (points.heel[side], points.ball[side])
    ]
    paths = point_paths(clip, joints).astype(np.float64)
    steps = np.zeros(paths.shape[:2])
    if len(paths) > 1:
        steps[1:] = np.sqrt(np.einsum("fpi,fpi->fp", *(2 * [np.diff(paths, axis=0)]))) * clip.fps
        steps[0] = steps[1]
    scale = points.leg / ADULT_LEG
    used = scale if scaled else 1.0
    fits = [fit_floor(paths[:, n : n + 1], steps[:, n : n + 1], speed * used, scale) for n in range(paths.shape[1])]
    if floor == "plane":
        heights = np.stack([fit.floor.above(paths[:, n]) for n, fit in enumerate(fits)], axis=1)
    else:
        heights = np.stack([_over_rest(paths[:, n, 1], steps[:, n], speed * used, scale) for n in range(len(fits))], 1)
    lowest = min(fits, key=lambda fit: fit.floor.height).floor
    return JointSignals(paths, heights, steps, used, points.sides, lowest)


def _is_tip(clip: Clip, side: str, point: FootPoint) -> bool:
    """True for the ball of a foot without toes, which is the tip of the foot and no joint."""
    foot = clip.skeleton.roles[f"{side}_foot"]
    return point.joint == foot and f"{side}_toes" not in clip.skeleton.roles and _points_ahead(point)


def _points_ahead(point: FootPoint) -> bool:
    return bool(np.any(point.place))


def _over_rest(height: Float64, speed: Float64, limit: float, scale: float) -> Float64:
    """Height over the one at which the joint rests: the median of slow samples near the lowest."""
    slow = height[(speed < limit) & np.isfinite(height)]
    if not len(slow):
        slow = height[np.isfinite(height)]
    if not len(slow):
        return np.full(len(height), np.nan)
    near = slow[slow < np.percentile(slow, 5) + _RESTING * scale]
    return height - np.median(near)
