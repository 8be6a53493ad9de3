"""Whether a clip's frame rate can be right: by free flight, by falls, by the strides of a walk and by balance, weighed together."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reenact.analysis.balance import NO_BALANCE, Balance, find_balance
from reenact.analysis.free_flight import Fall, Flight, find_falls, find_flights, mass_weights
from reenact.analysis.known_recordings import KnownSubject, find_known
from reenact.analysis.limbs import chain_length, find_limbs
from reenact.analysis.rate_evidence import (
    RIGHT,
    Evidence,
    both_slow,
    of_balance,
    of_falls,
    of_flights,
    of_known,
    of_strides,
)  # fmt: skip
from reenact.analysis.sampling import joint_paths
from reenact.analysis.walking_strides import WalkingStrides, find_walking_strides
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.findings import Finding

FACTORS = (0.5, 2.0, 4.0)
"""How many times too fast a clip may be found to play."""

_LEAST_FRAMES = 8
_SHORTEST_LEG, _LONGEST_LEG = 0.2, 1.6  # metres; g says nothing of a giant, or of a file whose unit is wrong
_SHORTEST_LEGS = 0.8  # of hips to head; bodies with shorter legs are no people, and nothing tells how large they are
_SAMPLED = 60.0  # Hz, about what the frames are thinned to
_SUSPECT = 2.0  # log odds from which on the rate is called wrong
_FOURFOLD = 3.2  # a pace from which on it is four times too fast: most evidence tells the pace within a third


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
def detect_frame_rate(clip: Clip, world: World | None = None, *, known: bool = True) -> FrameRateGuess:
    """What the motion of a clip in metres, Y up, without an added T-pose, says about its frame rate.

    A suggestion needs strong evidence: a flight whose centre of mass falls at about 4 g (or g / 4), a fall at well over 2 g, a walk
    with strides twice as quick for their length as people's, or steps and poses that no foot could balance. A flight at about g
    speaks against any suggestion.

    Args:
        clip: with or without roles.
        world: the forward kinematics of all its frames, when they are at hand.
        known: whether the skeletons of public recordings that are known to state a wrong rate count (`known_recordings`).
    """
    limbs = find_limbs(clip.skeleton)
    if limbs is None or not _SHORTEST_LEG <= limbs.leg <= _LONGEST_LEG or len(clip) < _LEAST_FRAMES:
        return FrameRateGuess(None, 1.0, 0.0, ())
    if limbs.head >= 0 and limbs.leg < _SHORTEST_LEGS * chain_length(clip.skeleton, limbs.hips, limbs.head):
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
    balance = NO_BALANCE
    if np.isfinite(paths).all():
        (left, right), (left_ball, right_ball) = limbs.feet, limbs.soles
        feet = (place[left], place[right], place[left_ball], place[right_ball])
        balance = find_balance(paths, share, feet, limbs.leg, fps)
    subject = find_known(clip.skeleton, clip.fps) if known else None
    return weigh_evidence(clip.fps, flights, falls, strides, balance, subject)


def weigh_evidence(
    fps: float,
    flights: list[Flight],
    falls: list[Fall],
    strides: WalkingStrides,
    balance: Balance = NO_BALANCE,
    subject: KnownSubject | None = None,
) -> FrameRateGuess:
    """The suggestion that all observations of a clip with the given frame rate amount to: the sum of their log odds."""
    flown, walked, stood = of_flights(flights), of_strides(strides), of_balance(balance)
    if flown.pace is not None and 1 / RIGHT < flown.pace < RIGHT:
        return FrameRateGuess(None, 1.0, 0.95, (flown.text,))
    everything = (flown, walked, of_falls(falls), stood, of_known(subject))
    texts = tuple(evidence.text for evidence in everything if evidence.text)
    fast = sum(evidence.fast for evidence in everything) - flown.slow
    slow = flown.slow + both_slow(walked, stood) - max(0.0, fast)
    if fast >= _SUSPECT:
        factor = 4.0 if _pace(everything) >= _FOURFOLD else 2.0
        return FrameRateGuess(fps / factor, factor, _sure(fast), texts)
    if slow >= _SUSPECT:
        return FrameRateGuess(fps / 0.5, 0.5, _sure(slow), texts)
    # without any evidence the odds are even, and nothing speaks for the rate either
    return FrameRateGuess(None, 1.0, max(0.0, 1 - 2 * _sure(max(fast, slow))), texts)


def _pace(everything: tuple[Evidence, ...]) -> float:
    """How many times too fast, by what speaks for that: the flights' where there are any, else the mean by odds."""
    if everything[0].fast > 0 and everything[0].pace is not None:
        return everything[0].pace
    told = [(evidence.fast, math.log(evidence.pace)) for evidence in everything if evidence.fast > 0 and evidence.pace]
    total = sum(odds for odds, _ in told)
    return math.exp(sum(odds * pace for odds, pace in told) / total) if total else 2.0


def _sure(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
