"""What flights, falls, strides and balance say about the time scale of a clip, each as odds, and what they say together.

Odds are natural logarithms: +2 says that a clip that plays twice too fast looks like this 7 times as often as one that plays right.
Limits lie midway between what recordings show at their own rate and played twice too fast; slopes follow from the spread of either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reenact.analysis.balance import Balance
from reenact.analysis.free_flight import Fall, Flight, G
from reenact.analysis.known_recordings import KnownSubject
from reenact.analysis.walking_strides import WalkingStrides

RIGHT = 1.35
"""A flight within this factor of g's time scale says that the rate is right, whatever else is seen."""

_WRONG = 1.65  # from this factor on it says that it is wrong
_STRONG_ARC, _SLOW_ARC = 0.03, 0.15  # metres: one flight this high is enough to say too fast, or too slowly
_SLOWEST, _AGREED = 0.4, 1.2  # slower than this nothing is a flight; flights within this factor agree
_FLEW = 6.0
_DEEP, _DEEP_ROUGH, _DEEP_SECONDS = 2.4, 0.15, 0.04  # one fall of so many g is enough
_HARD, _HARD_ROUGH, _HARD_COUNT = 2.15, 0.12, 2  # or several of so many
_FELL_DEEP, _FELL_HARD, _FELL = 4.0, 3.0, 1.0
_HASTE, _HASTE_SLOPE, _USUAL_HASTE = 0.095, 10.0, 0.043  # see walking_strides
_IDLE, _IDLE_SLOPE = 0.02, 8.0  # the same of clips that play too slowly
_RATE, _SLOW_RATE = 0.36, 1.5  # slower strides than this, dimensionless, cannot say more
_STRIDES = 3  # fewer strides may be part of something else
_FEW_STRIDES = {1: (0.2, 1.0), 2: (0.4, 1.0)}  # what they count for, and can say at most
_LEAN, _LEAN_SLOPE, _USUAL_LEAN, _LEAN_STEPS = 1.6, 7.0, 0.74, 0.9  # see balance
_UPRIGHT = 0.37  # the lean of clips that play too slowly
_LEAST_LEAN = 0.07  # less is no walk: something else carries the body
_LOADS, _LOAD_SLOPE, _LOAD_SECONDS, _LEAST_LOADED = (1.35, 1.9), 4.0, 0.3, 0.1
_CALM, _LOADED = -0.5, 2.5  # little load says little for the rate, and load without steps not enough against it
_TOGETHER = 0.75  # of leans and loads, which share their accelerations
_PLUNGE, _PLUNGE_SLOPE = 1.25, 8.0  # metres per second
_MOST = 4.0
_BOTH_SLOW = 2.0  # strides and leans must each say that much for "too slowly": people do walk slowly
_KNOWN = 3.5


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one kind of observation says.

    Attributes:
        fast: log odds that the clip plays too fast.
        slow: log odds that it plays too slowly.
        pace: how many times too fast it seems to play; None when that is not told.
        text: what was measured; "" when there is nothing worth telling.
    """

    fast: float = 0.0
    slow: float = 0.0
    pace: float | None = None
    text: str = ""


NOTHING = Evidence()
"""Of what was not seen."""


def of_flights(flights: list[Flight]) -> Evidence:
    """Free flights: the square root of their fall over g, weighted by their arcs."""
    if not flights:
        return NOTHING
    paces = np.array([math.sqrt(flight.fall / G) for flight in flights])
    arcs = np.array([flight.arc for flight in flights])
    order = np.argsort(paces)
    cumulative = np.cumsum(arcs[order])
    pace = float(paces[order][np.searchsorted(cumulative, cumulative[-1] / 2)])
    text = f"in flight the body falls at {pace * pace * G:.1f} m/s2 instead of {G} (flights: {len(flights)})"
    if not (pace >= _WRONG or _SLOWEST <= pace <= 1 / _WRONG):
        return Evidence(0.0, 0.0, pace, text)
    agreed = np.count_nonzero(np.abs(np.log(paces / pace)) < math.log(_AGREED))
    if arcs.max() < (_STRONG_ARC if pace > 1 else _SLOW_ARC) and agreed < 2:
        return Evidence(0.0, 0.0, None, text)
    return Evidence(_FLEW if pace > 1 else 0.0, _FLEW if pace < 1 else 0.0, pace, text)


def of_falls(falls: list[Fall]) -> Evidence:
    """Falls that are faster than a weight allows."""
    pushed = [fall for fall in falls if fall.push >= G]
    deep = [f for f in pushed if f.fall >= _DEEP * G and f.rough <= _DEEP_ROUGH and f.seconds >= _DEEP_SECONDS]
    smooth = [fall for fall in pushed if fall.rough <= _HARD_ROUGH]
    hard = [fall for fall in smooth if fall.fall >= _HARD * G]
    if deep or len(hard) >= _HARD_COUNT:
        fastest = max(fall.fall for fall in deep or hard)
        text = f"the body falls at up to {fastest:.0f} m/s2, more than its weight allows (falls: {len(deep or hard)})"
        return Evidence(_FELL_DEEP if deep else _FELL_HARD, 0.0, max(2.0, math.sqrt(fastest / G)), text)
    return Evidence(_FELL) if smooth else NOTHING


def of_strides(strides: WalkingStrides) -> Evidence:
    """Strides of a walk, quick or slow for their length."""
    count = len(strides.rates)
    if not count:
        return NOTHING
    haste, rate = float(np.median(strides.haste)), float(np.median(strides.dimensionless_rates))
    weight, most = _FEW_STRIDES.get(count, (1.0, _MOST))
    fast = min(most, weight * _odds(haste, _HASTE, _HASTE_SLOPE))
    if rate < _RATE:
        fast = min(fast, _SLOW_RATE)
    slow = min(most, weight * _odds(_IDLE, haste, _IDLE_SLOPE))
    text = (
        f"it walks {np.median(strides.rates):.2f} strides a second of {np.median(strides.lengths):.2f} m"
        f" (strides: {count})"
    )
    return Evidence(fast, slow, math.sqrt(haste / _USUAL_HASTE), text if count >= _STRIDES else "")


def of_balance(balance: Balance) -> Evidence:
    """Pressure that leaves the feet, and bodies that plunge over them."""
    fast = slow = 0.0
    pace: float | None = None
    texts: list[str] = []
    steps = len(balance.leans)
    if steps:
        lean, weight = float(np.median(balance.leans)), steps / (steps + _LEAN_STEPS)
        leaning = weight * _odds(lean, _LEAN, _LEAN_SLOPE)
        fast += _TOGETHER * leaning
        slow = weight * _odds(_UPRIGHT, lean, _LEAN_SLOPE) if lean > _LEAST_LEAN else 0.0
        if leaning > 0:
            pace = math.sqrt(lean / _USUAL_LEAN)
            texts.append(
                f"its steps would need a push from {lean:.1f} times as far out as the foot stands (steps: {steps})"
            )
    if balance.seconds > _LEAST_LOADED:
        raw = sum(math.log(max(a, 1e-3) / b) for a, b in zip(balance.loads, _LOADS, strict=True)) / 2
        loaded = min(_LOADED, max(_CALM, _LOAD_SLOPE * raw)) * balance.seconds / (balance.seconds + _LOAD_SECONDS)
        fast += _TOGETHER * loaded
        if loaded > 1:
            texts.append(f"to stay upright it would need feet {balance.loads[1]:.1f} times as long")
    plunging = max(0.0, _odds(balance.plunge, _PLUNGE, _PLUNGE_SLOPE))
    if plunging:
        fast += plunging
        texts.append(f"over feet that stay it rises or sinks at {balance.plunge:.1f} m/s")
    return Evidence(fast, slow, pace, "; ".join(texts))


def of_known(subject: KnownSubject | None) -> Evidence:
    """Whose recording it is, where that is known to play at a wrong rate."""
    if subject is None:
        return NOTHING
    text = f"it has the bones of {subject.name}, whose recordings were made at {subject.true:g} Hz"
    return Evidence(_KNOWN, 0.0, subject.stated / subject.true, text)


def both_slow(strides: Evidence, balance: Evidence) -> float:
    """Log odds that a walk plays too slowly: people walk slowly, but then they also push less, so both must agree."""
    if min(strides.slow, balance.slow) >= _BOTH_SLOW:
        return strides.slow + _TOGETHER * balance.slow
    return min(strides.slow, balance.slow, 0.0)


def _odds(value: float, limit: float, slope: float) -> float:
    if value <= 0 or limit <= 0:
        return -_MOST if value <= 0 else _MOST
    return min(_MOST, max(-_MOST, slope * math.log(value / limit)))
