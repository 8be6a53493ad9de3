"""What a motion can be asked for: numbers measured on a clip, such as its speed, its turning radius, how high it reaches.

Every measure changes smoothly when the motion does, so that a blend can be searched for a value (Kovar and Gleicher 2004).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip
from reenact.core.heading import find_headings
from reenact.core.smoothing import smooth
from reenact.errors import ParameterError

Measure = Callable[[Clip], "float | Float64"]
"""A number, or a few, measured on a clip."""

_SWAY = 0.4  # seconds, width of the low-pass that takes the sway of a gait out of its path
_STRIDE = 1.1  # seconds, about one stride of a walk
_STILL = 1e-3  # metres; a shorter path has no curvature


@dataclass(frozen=True, slots=True)
class MotionParameter:
    """A named measure.

    Attributes:
        name: what it is asked for by.
        measure: the number on a clip, in metres, seconds and radians.
        unit: the unit people see.
        scale: what the number is multiplied by for people.
        inverted: people name the inverse (a turning radius), which has no value for the straight.
        help: one line.
    """

    name: str
    measure: Measure
    unit: str
    help: str
    scale: float = 1.0
    inverted: bool = False

    def shown(self, value: float) -> float:
        """A measured number as people see it."""
        if self.inverted:
            return float("inf") if value == 0 else self.scale / value
        return self.scale * value

    def asked(self, value: float) -> float:
        """What has to be measured for a number that people asked for."""
        if self.inverted:
            if value == 0:
                raise ParameterError(f"{self.name} 0 is no motion; ask for inf for the straight", where="value")
            return 0.0 if np.isinf(value) else self.scale / value
        return value / self.scale


def floor_path(clip: Clip) -> Float:
    """(F, 2) metres: x and z of the hips without the sway of the gait."""
    hips = clip.skeleton.roles.get("hips", 0)
    points = clip.root.astype(np.float64) if hips == 0 else clip.world(np.float64).positions[:, hips]
    return _without_sway(points[:, [0, 2]], clip.fps)


def _without_sway(values: Float, fps: float) -> Float:
    """Values (F, ...) low-passed; what the filter took away is filtered once more and put back, so that arcs keep their radius."""
    once = smooth(values, _SWAY * fps)
    return once + smooth(values - once, _SWAY * fps)


def path_length(clip: Clip) -> float:
    """Metres walked, without sway."""
    return float(np.linalg.norm(np.diff(floor_path(clip), axis=0), axis=1).sum())


def turned(clip: Clip) -> float:
    """Radians the body turned from the first frame to the last, counter-clockwise, without sway.

    The hips swing with every stride, so headings are averaged over one at either end; what lies between is carried on to the ends.
    """
    angles = find_headings(clip).angles
    count = len(angles)
    stride = min(round(_STRIDE * clip.fps) + 1, count - count // 2)
    between = count - stride  # frames from the middle of the first average to the middle of the last
    if between <= 0:
        return 0.0
    return float(angles[-stride:].mean() - angles[:stride].mean()) * (count - 1) / between


def _seconds(clip: Clip) -> float:
    return max((len(clip) - 1) / clip.fps, 1e-9)


def measure_speed(clip: Clip) -> float:
    """Metres per second along the path."""
    return path_length(clip) / _seconds(clip)


def measure_turn(clip: Clip) -> float:
    """Radians per second, counter-clockwise."""
    return turned(clip) / _seconds(clip)


def measure_curvature(clip: Clip) -> float:
    """Radians per metre of path, to the left; its inverse is the turning radius."""
    length = path_length(clip)
    return turned(clip) / length if length > _STILL else 0.0


def measure_reach_height(clip: Clip) -> float:
    """Metres above the floor of the lowest foot joint that the higher hand reaches."""
    return _highest(clip, "hand") - _floor(clip)


def measure_jump_height(clip: Clip) -> float:
    """Metres by which the hips rise over where they are in the first frame."""
    hips = clip.skeleton.roles.get("hips", 0)
    height = clip.world(np.float64).positions[:, hips, 1]
    return float(height.max() - height[0])


def measure_distance(clip: Clip) -> float:
    """Metres between the places of the first and the last frame."""
    path = floor_path(clip)
    return float(np.linalg.norm(path[-1] - path[0]))


def _highest(clip: Clip, part: str) -> float:
    joints = [
        clip.skeleton.roles[f"{side}_{part}"] for side in ("left", "right") if f"{side}_{part}" in clip.skeleton.roles
    ]
    if not joints:
        clip.skeleton.require_roles(f"left_{part}", f"right_{part}")
    return float(clip.world(np.float64).positions[:, joints, 1].max())


def _floor(clip: Clip) -> float:
    feet = [joint for role, joint in clip.skeleton.roles.items() if role.endswith(("_foot", "_toes"))]
    heights = clip.world(np.float64).positions[:, feet or [0], 1]
    return float(heights.min())


PARAMETERS: Mapping[str, MotionParameter] = MappingProxyType(
    {
        one.name: one
        for one in (
            MotionParameter("speed", measure_speed, "m/s", "along the path, without the sway of the gait"),
            MotionParameter("turn", measure_turn, "degrees/s", "of the body, positive to the left", 180 / np.pi),
            MotionParameter(
                "radius", measure_curvature, "m", "turning radius, positive to the left; inf: straight", 1.0, True
            ),
            MotionParameter("distance", measure_distance, "m", "from the first to the last frame"),
            MotionParameter("reach-height", measure_reach_height, "m", "of the higher hand above the floor"),
            MotionParameter("jump-height", measure_jump_height, "m", "the hips rise over the first frame"),
        )
    }
)
"""The named measures."""


def find_parameter(parameter: str | Measure) -> MotionParameter:
    """The measure of that name, or one made of a function."""
    if not isinstance(parameter, str):
        return MotionParameter(getattr(parameter, "__name__", "measure"), parameter, "", "")
    if parameter not in PARAMETERS:
        raise ParameterError(f"no parameter {parameter!r}; there are {', '.join(PARAMETERS)}", where="parameter")
    return PARAMETERS[parameter]


def measure_clip(parameter: MotionParameter, clip: Clip) -> Float64:
    """(P,) the measure as an array; refuses what is not finite."""
    values = np.atleast_1d(np.asarray(parameter.measure(clip), dtype=np.float64))
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ParameterError(f"{parameter.name} of {clip.name!r} is {values}: not finite numbers", where=clip.name)
    return values
