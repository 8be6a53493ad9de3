"""Which axis of a file points up: nobody writes it into a BVH file, so it is read from the body and its motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.limbs import Limbs, find_limbs, rest_positions
from reenact.core.arrays import Float64
from reenact.core.clip import Clip, World
from reenact.core.findings import Finding
from reenact.core.origin import UpAxis
from reenact.core.skeleton import Skeleton

AXES: tuple[UpAxis, UpAxis, UpAxis] = ("x", "y", "z")

_REST = 0.8  # what a rest pose that stands along an axis counts, against 1 for a body that stands so all the time
_FLOOR = 1.5  # what is taken off for a floor that moves by one leg length
_GROUND = 0.1  # what a floor at height 0 counts
_CUSTOM = 0.15  # what the custom counts: most files are Y up
_SURE = 0.6


@dataclass(frozen=True, slots=True)
class UpAxisGuess:
    """The axis that points up.

    Attributes:
        axis: "x", "y" or "z".
        confidence: 0..1.
        reason: what spoke for it.
    """

    axis: UpAxis
    confidence: float
    reason: str

    def findings(self, where: str, *, applied: bool = True) -> tuple[Finding, ...]:
        """`up-axis.detected`, or the warning `up-axis.unsure`; `applied` False when another axis was given by hand."""
        sure = self.confidence >= _SURE
        code = "up-axis.detected" if sure else "up-axis.unsure"
        advice = "" if sure else "; give it with --up if that is wrong"
        message = f"{self.axis.upper()} is up: {self.reason}{advice}"
        return (Finding(code, "info" if sure else "warning", where, message, applied, round(self.confidence, 2)),)


@np.errstate(invalid="ignore", over="ignore")  # damaged numbers end in the unsure answer
def detect_up_axis(clip: Clip, world: World) -> UpAxisGuess:
    """The up axis of a clip in the file's own axes; `world` may hold a sample of its frames.

    Four things are weighed for each axis: how far the head stands over the feet along it, on average over the frames; whether
    the rest pose stands along it; how still the floor is (the lowest point of the body along the axis: a lying, crawling or
    rolling body moves along the other two); and a floor at height 0. Without a body to look at, the answer is Y, unsure.
    """
    limbs = find_limbs(clip.skeleton)
    if limbs is None or limbs.head < 0 or limbs.leg <= 0 or len(world.positions) == 0:
        return UpAxisGuess("y", 0.3, "assumed, there are no legs and head to tell by")
    positions = world.positions.astype(np.float64)
    trunk = positions[:, limbs.head] - positions[:, limbs.feet].mean(axis=1)
    reach = np.percentile(np.sqrt(np.einsum("fi,fi->f", trunk, trunk)), 90)
    if not (np.isfinite(reach) and reach > 0):
        return UpAxisGuess("y", 0.3, "assumed, head and feet have no distance")
    standing = trunk.mean(axis=0) / reach
    lowest = positions[:, list(_extremities(clip.skeleton, limbs))].min(axis=1)
    moving = np.minimum(lowest.std(axis=0) / limbs.leg, 1.0)
    ground = np.abs(np.median(lowest, axis=0)) < 0.15 * limbs.leg
    rest = rest_standing(clip.skeleton, limbs)
    custom = np.array([0.0, 1.0, 0.0])
    score = standing + _REST * rest - _FLOOR * moving + _GROUND * ground + _CUSTOM * custom
    best = int(np.argmax(score))
    margin = float(score[best] - np.max(np.delete(score, best)))
    confidence = float(np.clip(0.3 + 0.7 * margin, 0.3, 1.0))
    reasons = [f"the head is {100 * standing[best]:.0f} % of its reach over the feet"]
    if rest[best] > 0:
        reasons.append("the rest pose stands along it")
    reasons.append(f"the floor moves by {100 * moving[best]:.0f} % of a leg")
    return UpAxisGuess(AXES[best], confidence, ", ".join(reasons))


def rest_standing(skeleton: Skeleton, limbs: Limbs) -> Float64:
    """(3,) 1 for the axis along which the rest pose stands, feet to head; all 0 when the rest pose is no standing body.

    Some files have every bone along one axis (Bandai-Namco, LAFAN1), so feet and head must lie on opposite sides of the hips
    and both legs must point the same way.
    """
    places = rest_positions(skeleton)
    hips = places[list(limbs.thighs)].mean(axis=0)
    head, legs = places[limbs.head] - hips, places[list(limbs.feet)] - places[list(limbs.thighs)]
    lengths = np.linalg.norm([head, *legs], axis=1)
    found = np.zeros(3)
    if np.any(lengths == 0):
        return found
    head, legs = head / lengths[0], legs / lengths[1:, None]
    axis = int(np.argmax(np.abs(head)))
    if head[axis] > 0.8 and np.all(legs[:, axis] < -0.8):
        found[axis] = 1.0
    return found


def _extremities(skeleton: Skeleton, limbs: Limbs) -> set[int]:
    """Joints one of which touches the floor in any pose; never a motionless root on the floor, as Bandai-Namco's."""
    return {*limbs.feet, *limbs.soles, *limbs.knees, *limbs.hands, limbs.hips, limbs.head}
