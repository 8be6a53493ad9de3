"""How long a file's unit is: read from the length of the legs, which no pose changes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reenact.analysis.limbs import Limbs, find_limbs
from reenact.core.clip import Clip, World
from reenact.core.findings import Finding
from reenact.core.origin import UpAxis
from reenact.core.skeleton import Skeleton

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "foot": 0.3048, "cmu": 0.0254 / 0.45}
"""Names of units, in metres; `cmu` is the length unit of the CMU recordings (1 / 0.45 inch)."""

_COMMON = {"m": 0.25, "dm": 0.04, "cm": 0.4, "mm": 0.12, "inch": 0.12, "foot": 0.01, "cmu": 0.03}
"""How common each unit is among motion files."""

HUMAN_LEG = 0.83
"""Metres, thigh and shank of a grown person: 0.49 of a stature of 1.70 (Drillis and Contini 1966)."""

_SPREAD = 0.14  # of the logarithm of leg lengths: 0.63 m to 1.1 m lie within two
_FARTHEST = 4.5  # spreads; a leg farther from a person's than this in every unit has an unknown scale
_SURE = 0.6
_CMU_NAMES = frozenset({"lhipjoint", "rhipjoint", "lowerback"})
_BODY = 1.2  # metres, extent of a moving thing that has no legs


@dataclass(frozen=True, slots=True)
class UnitGuess:
    """The unit of length of a file.

    Attributes:
        metres_per_unit: its length.
        name: a key of `UNITS`, or "unknown" when no unit makes the body a person's size.
        confidence: 0..1.
        reason: what spoke for it.
    """

    metres_per_unit: float
    name: str
    confidence: float
    reason: str

    def findings(self, where: str, *, applied: bool = True) -> tuple[Finding, ...]:
        """`units.detected`, or the warning `units.unsure`; `applied` False when another unit was given by hand."""
        sure = self.confidence >= _SURE
        code = "units.detected" if sure else "units.unsure"
        known = self.name if self.name in UNITS else "no known unit"
        advice = "" if sure else "; give it with --unit if that is wrong"
        message = f"one unit is {self.metres_per_unit:.6g} m ({known}): {self.reason}{advice}"
        return (Finding(code, "info" if sure else "warning", where, message, applied, round(self.confidence, 2)),)


@np.errstate(invalid="ignore", over="ignore")  # damaged numbers end in the unsure answer
def detect_unit(clip: Clip, world: World, up: UpAxis = "y") -> UnitGuess:
    """The unit of a clip in file units; `world` may hold a sample of its frames, `up` is its up axis.

    The leg (thigh and shank along the bones, as they are in the frames) is compared with a person's in every unit, weighted by
    how common the unit is. A skeleton with the CMU recordings' joint names is taken to be in their unit if that fits at all.
    """
    limbs = find_limbs(clip.skeleton)
    leg = measure_leg(clip.skeleton, limbs, world) if limbs is not None else 0.0
    if not (math.isfinite(leg) and leg > 0):
        return _unit_of_extent(world, up)
    common = dict(_COMMON)
    if {name.casefold() for name in clip.skeleton.names} >= _CMU_NAMES:
        common["cmu"] = 1.0
    total, likely = 0.0, {}
    for name, metres in UNITS.items():
        apart = math.log(leg * metres / HUMAN_LEG) / _SPREAD
        likely[name] = common[name] * math.exp(-0.5 * apart * apart)
        total += likely[name]
    nearest = min(UNITS, key=lambda name: abs(math.log(leg * UNITS[name] / HUMAN_LEG)))
    if abs(math.log(leg * UNITS[nearest] / HUMAN_LEG)) > _FARTHEST * _SPREAD:
        reason = f"a leg of {leg:.4g} units is a person's in no unit, so it is taken for {HUMAN_LEG} m"
        return UnitGuess(HUMAN_LEG / leg, "unknown", 0.1, reason)
    best = max(likely, key=lambda name: likely[name])
    apart = abs(math.log(leg * UNITS[best] / HUMAN_LEG)) / _SPREAD
    confidence = likely[best] / total * math.exp(-0.5 * max(0.0, apart - 2.0) ** 2)
    if limbs is not None and not limbs.named:
        confidence *= 0.9
    return UnitGuess(UNITS[best], best, confidence, f"a leg of {leg:.4g} units is {leg * UNITS[best]:.2f} m long")


def measure_leg(skeleton: Skeleton, limbs: Limbs, world: World) -> float:
    """Length of thigh and shank along the bones, mean of both sides: the median over the frames of `world`."""
    if len(world.positions) == 0:
        return limbs.leg
    lengths = []
    for thigh, foot in zip(limbs.thighs, limbs.feet, strict=True):
        total, joint = 0.0, foot
        while joint not in (thigh, 0):
            parent = int(skeleton.parents[joint])
            bone = world.positions[:, joint] - world.positions[:, parent]
            total += float(np.median(np.sqrt(np.einsum("fi,fi->f", bone, bone))))
            joint = parent
        lengths.append(total)
    return float(np.mean(lengths))


def _unit_of_extent(world: World, up: UpAxis) -> UnitGuess:
    """Of something without legs: metres, centimetres or millimetres, whichever makes it nearest to a body's size."""
    extent = float(np.median(np.ptp(world.positions, axis=1).max(axis=1))) if len(world.positions) else 0.0
    if extent == 0 and len(world.positions):  # a single point: how high it is must do
        extent = float(np.median(np.abs(world.positions[..., "xyz".index(up)])))
    if not (math.isfinite(extent) and extent > 0):
        return UnitGuess(UNITS["cm"], "cm", 0.1, "assumed, there is no length to tell by")
    name = min(("cm", "m", "mm"), key=lambda unit: abs(math.log(extent * UNITS[unit] / _BODY)))
    return UnitGuess(
        UNITS[name], name, 0.2, f"no legs to tell by, but {extent:.4g} units across are {extent * UNITS[name]:.2g} m"
    )
