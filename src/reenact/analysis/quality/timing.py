"""Time: whether the frame rate can be right, and whether bodies in flight fall as they must."""

from __future__ import annotations

import math

import numpy as np

from reenact.analysis.frame_rate import detect_frame_rate
from reenact.analysis.free_flight import G, find_flights, mass_weights
from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import Part, QualityFinding, measured
from reenact.analysis.quality.limits import QualityLimits

_LEAST_ARC = 0.03  # metres: lower flights say little


def check_timing(examined: Examined, limits: QualityLimits) -> Part:
    """A rate that the motion contradicts (`frame-rate.suspect`), else flights that do not fall at g (`flight.gravity`)."""
    part = Part(measures={"flights": 0.0, "flight_fall_m_s2": None})
    guess = detect_frame_rate(examined.clip, examined.world)
    for finding in guess.findings("whole clip"):
        part.findings.append(
            QualityFinding(
                finding.code, finding.severity, finding.where, finding.message, False, finding.confidence,
                value=guess.factor, limit=1.0, unit="times",
                reason="free flight, falls and strides of people tell the time scale",
            )
        )  # fmt: skip
    limbs = examined.limbs
    if limbs is None or not limbs.leg > 0 or len(examined.clip) < 8:
        return part
    weights = mass_weights(limbs)
    share = np.zeros(len(examined.clip.skeleton))
    share[list(weights)] = list(weights.values())
    mass = np.einsum("fji,j->fi", examined.positions, share)
    points = examined.positions[:, sorted({*limbs.feet, *limbs.soles, *limbs.hands})]
    flights = [
        flight for flight in find_flights(mass, points, limbs.leg, examined.clip.fps) if flight.arc >= _LEAST_ARC
    ]
    part.measures["flights"] = float(len(flights))
    part.curves["centre of mass height (m)"] = mass[:, 1]
    if not flights:
        return part
    worst = max(flights, key=lambda flight: abs(math.log(flight.fall / G)))
    part.measures["flight_fall_m_s2"] = worst.fall
    off = max(worst.fall / G, G / worst.fall)
    if off > limits.gravity and guess.suggested_fps is None:
        frames = worst.frames if worst.frames[1] > 0 else None
        what = f"in flight the body falls at {worst.fall:.1f} m/s2 instead of {G}"
        part.findings.append(
            measured(
                "flight.gravity", "warning", what, off, limits.gravity, "times", limits.reason("gravity"), frames=frames
            )
        )
    return part
