"""A T-pose frame that a converter put before the recording."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.analysis.limbs import Limbs, find_limbs
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip
from reenact.core.findings import Finding

_FLAT = 35.0  # degrees between one arm and the other's continuation, and off square to the trunk
_LEAST_JUMP = 1.5  # degrees, mean over the joints
_JUMP = 4.0  # times the median change from frame to frame
_JUMP_OVER_FAST = 2.0  # times the 95th percentile of it
_MADE_JUMP = 2.5  # times the median, for a pose that was plainly made and not recorded
_MADE = 0.4  # share of joints without any rotation
_MOST = 300  # frames looked at


@dataclass(frozen=True, slots=True)
class AddedPoseGuess:
    """Whether frame 0 is a T-pose that does not belong to the recording.

    Attributes:
        present: True when it is.
        confidence: 0..1 of that answer.
        reason: what spoke for it.
    """

    present: bool
    confidence: float
    reason: str

    def findings(self, where: str, *, applied: bool = True) -> tuple[Finding, ...]:
        """`added-pose.dropped`, or `added-pose.kept` when it was left in (`applied` False); none without such a frame."""
        if not self.present:
            return ()
        code = "added-pose.dropped" if applied else "added-pose.kept"
        done = "dropped" if applied else "kept"
        message = f"frame 0 is a T-pose put before the recording and was {done}: {self.reason}"
        return (Finding(code, "info", where, message, applied, round(self.confidence, 2)),)


def detect_added_pose(clip: Clip) -> AddedPoseGuess:
    """Whether frame 0 of a clip is an added T-pose, in any units and axes.

    Three things must come together: the arms are spread in one line, square to the trunk; the pose then jumps; and the jump is
    far out of proportion to the motion, so that a recording that begins in a T-pose loses nothing. A pose in which many joints
    have no rotation at all was made, not recorded, and needs a smaller jump (the recording itself may begin with a fault).
    """
    if len(clip) < 2:
        return AddedPoseGuess(False, 1.0, "there is only one frame")
    change = frame_changes(clip.rotations[: _MOST + 1])
    jump = float(change[0])
    if jump < _LEAST_JUMP:
        return AddedPoseGuess(False, 1.0, f"frame 0 leads on to frame 1 ({jump:.2g} degrees a joint)")
    limbs = find_limbs(clip.skeleton)
    if limbs is None or not limbs.arms or limbs.head < 0:
        return AddedPoseGuess(False, 0.6, "the skeleton has no arms to tell a T-pose by")
    bend = spread_of_arms(clip, limbs)
    if bend > _FLAT:
        return AddedPoseGuess(False, 0.95, f"frame 0 is no T-pose (arms {bend:.0f} degrees off)")
    still = float((np.abs(clip.rotations[0, :, 0]) > 1 - 1e-7).mean())
    made = still >= _MADE
    usual = float(np.median(change[1:])) if len(change) > 1 else 0.0
    fast = float(np.percentile(change[1:], 95)) if len(change) > 1 else 0.0
    if not (jump > _JUMP * usual and jump > _JUMP_OVER_FAST * fast) and not (made and jump > _MADE_JUMP * usual):
        return AddedPoseGuess(False, 0.8, f"frame 0 leads on to frame 1 at the pace of the motion ({jump:.2g} degrees)")
    if len(change) == 1 and not made:
        return AddedPoseGuess(False, 0.5, "two frames are too few to tell")
    confidence = 1.0 if made and jump > _JUMP * usual else 0.9
    times = f", {jump / usual:.0f} times the usual change" if usual > 0 else ""
    return AddedPoseGuess(
        True, confidence, f"its joints turn by {jump:.1f} degrees on average to the next frame{times}"
    )


def frame_changes(rotations: Float) -> Float64:
    """(F - 1,) angle in degrees from each frame to the next, mean over the joints, of local rotations (F, J, 4)."""
    dots = np.abs(np.einsum("fji,fji->fj", rotations[:-1], rotations[1:]))
    # the angle by its sine, as float32 dot products near 1 have lost it: |a - b|^2 = 2 - 2 a.b
    apart = rotations[1:] - rotations[:-1]
    straight = np.einsum("fji,fji->fj", apart, apart)
    other = rotations[1:] + rotations[:-1]
    turned = np.einsum("fji,fji->fj", other, other)
    chord = np.sqrt(np.minimum(straight, turned))
    angles = np.where(dots > 0.99, 2 * chord, 2 * np.arccos(np.minimum(dots, 1.0)))
    return np.degrees(angles.mean(axis=1, dtype=np.float64))


def spread_of_arms(clip: Clip, limbs: Limbs) -> float:
    """Degrees by which the arms of frame 0 are away from one straight line square to the trunk: the larger of both."""
    moved = clip.translations
    first = replace(
        clip, rotations=clip.rotations[:1], root=clip.root[:1], translations=None if moved is None else moved[:1]
    )
    places = first.world(np.float64).positions[0]
    arms = places[list(limbs.hands)] - places[list(limbs.arms)]
    trunk = places[limbs.head] - places[list(limbs.thighs)].mean(axis=0)
    lengths = np.linalg.norm([*arms, trunk], axis=1)
    if np.any(lengths == 0):
        return 180.0
    left, right = arms / lengths[:2, None]
    trunk = trunk / lengths[2]
    apart = 180.0 - np.degrees(np.arccos(np.clip(left @ right, -1, 1)))
    tilt = np.degrees(np.arcsin(np.clip(np.abs([left @ trunk, right @ trunk]).max(), 0, 1)))
    return float(max(apart, tilt))
