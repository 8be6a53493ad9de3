"""Doubts: numbers that are none, units, axes and speeds that cannot be right."""

from __future__ import annotations

import numpy as np

from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import Part, QualityFinding, measured, noted
from reenact.analysis.quality.limits import QualityLimits
from reenact.analysis.units import detect_unit
from reenact.analysis.up_axis import detect_up_axis
from reenact.core.clip import Clip
from reenact.core.foot_plants import intervals_of

_UNIT = 0.01  # how far the length of a quaternion may be from 1
_SMALLEST, _LARGEST = 0.35, 1.35  # metres: legs of toddlers and giants
_SURE = 0.7


def check_numbers(clip: Clip) -> list[QualityFinding]:
    """Frames without usable numbers: `numbers.not-finite`, `numbers.not-a-rotation`, `clip.empty`. Nothing else can be measured then."""
    if len(clip) == 0:
        return [noted("clip.empty", "error", "the clip has no frames")]
    found = []
    finite = np.asarray(np.isfinite(clip.rotations).all(axis=(1, 2)) & np.isfinite(clip.root).all(axis=1))
    if clip.translations is not None:
        finite &= np.isfinite(clip.translations.values).all(axis=(1, 2))
    if not finite.all():
        spans = intervals_of(~finite)
        wrong = ~np.isfinite(clip.rotations).all(axis=(0, 2))
        joint = clip.skeleton.names[int(np.argmax(wrong))] if wrong.any() else clip.skeleton.names[0]
        message = f"{int((~finite).sum())} of {len(clip)} frames hold values that are not numbers"
        found.append(noted("numbers.not-finite", "error", message, frames=(spans[0][0], spans[-1][1]), joint=joint))
    lengths = np.linalg.norm(np.where(np.isfinite(clip.rotations), clip.rotations, 0.0), axis=2)
    off = (np.abs(lengths - 1) > _UNIT) & finite[:, None]
    if off.any():
        spans = intervals_of(off.any(axis=1))
        joint = clip.skeleton.names[int(np.argmax(off.any(axis=0)))]
        worst = float(lengths[off][np.argmax(np.abs(lengths[off] - 1))])
        message = (
            f"{int(off.any(axis=1).sum())} frames hold quaternions that are no rotations (length {worst:.3g}, not 1)"
        )
        found.append(noted("numbers.not-a-rotation", "error", message, frames=(spans[0][0], spans[-1][1]), joint=joint))
    return found


def check_doubts(examined: Examined, limits: QualityLimits) -> Part:
    """Size (`units.doubt`), up axis (`up-axis.doubt`), speed (`speed.doubt`), and what could not be measured (`feet.none`)."""
    part = Part(measures={"leg_m": None, "speed_m_s_max": 0.0})
    clip, limbs = examined.clip, examined.limbs
    if limbs is not None and limbs.leg > 0:
        part.measures["leg_m"] = float(limbs.leg)
        if not _SMALLEST <= limbs.leg <= _LARGEST:
            guess = detect_unit(clip, examined.world)
            edge = _SMALLEST if limbs.leg < _SMALLEST else _LARGEST
            hint = (
                f"in {guess.name} it would be {limbs.leg * guess.metres_per_unit:.2f} m"
                if guess.name != "m"
                else "no person's"
            )
            part.findings.append(
                measured(
                    "units.doubt", "warning", f"legs of {limbs.leg:.3g} m, {hint}", limbs.leg, edge, "m",
                    "people's legs are 0.35 to 1.35 m long", confidence=round(guess.confidence, 2),
                )
            )  # fmt: skip
        up = detect_up_axis(clip, examined.world)
        if up.axis != "y" and up.confidence > _SURE:
            part.findings.append(
                noted("up-axis.doubt", "warning", f"the body seems to stand along {up.axis}, not y: {up.reason}")
            )
    if len(clip) > 2:
        hips = clip.skeleton.roles.get("hips", 0)
        steps = np.linalg.norm(examined.steps[:, hips], axis=1) * clip.fps
        steps[examined.bad[1:] | examined.bad[:-1]] = 0.0
        speed = float(np.percentile(steps, 99)) if len(steps) > 20 else float(np.median(steps))
        part.measures["speed_m_s_max"] = speed
        if speed > limits.speed_max * max(1.0, examined.scale):
            part.findings.append(
                measured(
                    "speed.doubt", "warning", "the body moves too fast", speed, limits.speed_max, "m/s",
                    limits.reason("speed_max"),
                )
            )  # fmt: skip
    return part
