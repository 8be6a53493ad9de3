"""Whether a clip's frame rate can be right: by free flight, by falls, and by the stride rate of a walk."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reenact.analysis.free_flight import Fall, Flight, G, find_falls, find_flights, mass_weights
from reenact.analysis.limbs import find_limbs
from reenact.analysis.sampling import joint_paths
from reenact.analysis.walking_strides import WalkingStrides, find_walking_strides
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.findings import Finding

FACTORS = (0.5, 2.0, 4.0)
"""How many times too fast a clip may be found to play."""

_LEAST_FRAMES = 8
_SHORTEST_LEG, _LONGEST_LEG = 0.2, 1.6  # metres; g says nothing of a giant, or of a file whose unit is wrong
_SAMPLED = 60.0  # Hz, about what the frames are thinned to
_RIGHT = 1.35  # a flight within this factor of g's time scale says that the rate is right
_WRONG = 1.65  # from this factor on it says that it is wrong
_STRONG_ARC, _SLOW_ARC = 0.03, 0.15  # metres: one flight this high is enough to say too fast, or too slowly
_SLOWEST, _AGREED = 0.4, 1.2  # slower than this nothing is a flight; flights within this factor agree
_DEEP, _DEEP_ROUGH, _DEEP_SECONDS = 2.4, 0.15, 0.04  # one fall of so many g is enough
_HARD, _HARD_ROUGH, _HARD_COUNT = 2.15, 0.12, 2  # or several of so many
_HASTE, _RATE, _STRIDES = 0.118, 0.36, 3  # strides beyond anyone's walk, see walking_strides
_USUAL_HASTE = 0.043


@dataclass(frozen=True, slots=True)
class FrameRateGuess:
    """What the motion says about the frame rate.

    Attributes:
        suggested_fps: the rate the motion asks for, or None when nothing contradicts the file (or nothing tells).
        factor: how many times too fast the clip plays; 1 when there is no suggestion.
        confidence: 0..1 of the suggestion; without one, that the rate is right (0 = no evidence).
        evidence: what was measured, one sentence each.
    """

    suggested_fps: float | None
    factor: float
    confidence: float
    evidence: tuple[str, ...]

    def findings(self, where: str, *, applied: bool = False) -> tuple[Finding, ...]:
        """The warning `frame-rate.suspect` with the rate to give, or `frame-rate.changed` when it was `applied`."""
        if self.suggested_fps is None:
            return ()
        pace = f"{self.factor:g} times too fast" if self.factor > 1 else f"{1 / self.factor:g} times too slowly"
        seen = "; ".join(self.evidence)
        confidence = round(self.confidence, 2)
        if applied:
            message = f"the clip played {pace}, so the frame rate was set to {self.suggested_fps:g} Hz: {seen}"
            return (Finding("frame-rate.changed", "warning", where, message, True, confidence),)
        message = (
            f"the clip seems to play {pace}; --fps {self.suggested_fps:g} (or --fps auto) would set that right: {seen}"
        )
        return (Finding("frame-rate.suspect", "warning", where, message, False, confidence),)


@np.errstate(invalid="ignore", over="ignore")  # damaged numbers are no evidence
def detect_frame_rate(clip: Clip, world: World | None = None) -> FrameRateGuess:
    """What the motion of a clip in metres, Y up, without an added T-pose, says about its frame rate.

    A suggestion needs strong evidence: a flight whose centre of mass falls at about 4 g (or g / 4), a fall at well over 2 g, or
    a walk with strides twice as quick for their length as people's. A flight at about g speaks against any suggestion.

    Args:
        clip: with or without roles.
        world: the forward kinematics of all its frames, when they are at hand.
    """
    limbs = find_limbs(clip.skeleton)
    if limbs is None or not _SHORTEST_LEG <= limbs.leg <= _LONGEST_LEG or len(clip) < _LEAST_FRAMES:
        return FrameRateGuess(None, 1.0, 0.0, ())
    step = max(1, round(clip.fps / _SAMPLED))
    fps = clip.fps / step
    weights = mass_weights(limbs)
    joints = sorted({*weights, *limbs.feet, *limbs.soles, *limbs.hands})
    place = {joint: n for n, joint in enumerate(joints)}
    paths = joint_paths(clip, joints, step) if world is None else world.positions[::step, joints]
    share = np.array([weights.get(joint, 0.0) for joint in joints])
    mass = np.einsum("fki,k->fi", paths, share)

    def points(*which: int) -> Float:
        return paths[:, [place[joint] for joint in which]]

    flights = find_flights(mass, points(*limbs.feet, *limbs.soles, *limbs.hands), limbs.leg, fps)
    falls = find_falls(np.ascontiguousarray(mass[:, 1]), fps)
    hips = points(limbs.hips)[:, 0]
    strides = find_walking_strides(
        hips, points(*limbs.thighs), points(*limbs.feet), points(*limbs.soles), limbs.leg, fps
    )
    return weigh_evidence(clip.fps, flights, falls, strides)


def weigh_evidence(fps: float, flights: list[Flight], falls: list[Fall], strides: WalkingStrides) -> FrameRateGuess:
    """The suggestion that flights, falls and strides of a clip with the given frame rate amount to."""
    evidence: list[str] = []
    factors: list[tuple[float, float]] = []  # how many times too fast, and how sure; the most exact first
    pace = _flight_pace(flights)
    if pace is not None:
        fall = pace * pace * G
        evidence.append(f"in flight the body falls at {fall:.1f} m/s2 instead of {G} (flights: {len(flights)})")
        if 1 / _RIGHT < pace < _RIGHT:
            return FrameRateGuess(None, 1.0, 0.95, tuple(evidence))
        if pace >= _WRONG or _SLOWEST <= pace <= 1 / _WRONG:
            high = max(flight.arc for flight in flights) >= (_STRONG_ARC if pace > 1 else _SLOW_ARC)
            agreed = [f for f in flights if 1 / _AGREED < math.sqrt(f.fall / G) / pace < _AGREED]
            if high or len(agreed) >= 2:
                factors.append((pace, 0.97 if high else 0.85))
    if len(strides.rates) >= _STRIDES:
        haste, rate = float(np.median(strides.haste)), float(np.median(strides.dimensionless_rates))
        evidence.append(
            f"it walks {np.median(strides.rates):.2f} strides a second of {np.median(strides.lengths):.2f} m"
            f" (strides: {len(strides.rates)})"
        )
        if haste >= _HASTE and rate >= _RATE:
            factors.append((max(2.0, math.sqrt(haste / _USUAL_HASTE)), 0.75 if haste < 1.3 * _HASTE else 0.85))
    deep = [fall for fall in falls if fall.fall >= _DEEP * G and fall.rough <= _DEEP_ROUGH and fall.push >= G]
    deep = [fall for fall in deep if fall.seconds >= _DEEP_SECONDS]
    hard = [fall for fall in falls if fall.fall >= _HARD * G and fall.rough <= _HARD_ROUGH and fall.push >= G]
    if deep or len(hard) >= _HARD_COUNT:
        fastest = max(fall.fall for fall in deep or hard)
        evidence.append(
            f"the body falls at up to {fastest:.0f} m/s2, more than its weight allows (falls: {len(deep or hard)})"
        )
        factors.append((max(2.0, math.sqrt(fastest / G)), 0.9 if deep else 0.8))
    if not factors:
        return FrameRateGuess(None, 1.0, 0.0, tuple(evidence))
    factor = factors[0][0]
    if any((other > 1) != (factor > 1) for other, _ in factors):
        return FrameRateGuess(None, 1.0, 0.0, tuple(evidence))
    confidence = 1 - math.prod(1 - sure for _, sure in factors)
    nearest = min(FACTORS, key=lambda known: abs(math.log(known / factor)))
    return FrameRateGuess(fps / nearest, nearest, confidence, tuple(evidence))


def _flight_pace(flights: list[Flight]) -> float | None:
    """How many times too fast the flights run: the square root of their fall over g, weighted by their arcs."""
    if not flights:
        return None
    paces = np.array([math.sqrt(flight.fall / G) for flight in flights])
    arcs = np.array([flight.arc for flight in flights])
    order = np.argsort(paces)
    cumulative = np.cumsum(arcs[order])
    return float(paces[order][np.searchsorted(cumulative, cumulative[-1] / 2)])
