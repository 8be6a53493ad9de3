"""Weights of the motions of a blend: constant, set at a few times, or a function of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float64
from reenact.core.ramps import rise
from reenact.errors import ParameterError

WeightFunction = Callable[[float], Sequence[float]]

LOWEST, HIGHEST = -0.2, 1.2
"""Weights of motions that sum to 1 lie between these; outside 0 to 1 the motions are extrapolated."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights of k motions, of sum 1, at any moment of a blend.

    They lie from -0.2 to 1.2: a weight below 0 leads beyond the other motions, away from that one (extrapolation).

    Attributes:
        motions: k.
        keys: (K,) ascending moments; seconds, or shares 0..1 of the way when `shares`.
        values: (K, k) weights there; between two moments they pass smoothly, before and after they hold.
        shares: keys are shares of the way from the first corresponding frames to the last.
        function: of the time in seconds; takes the place of keys.
    """

    motions: int
    keys: Float64
    values: Float64
    shares: bool = True
    function: WeightFunction | None = None

    def at(self, seconds: float, share: float) -> Float64:
        """(k,) the weights at a time of the result and a share of the way."""
        if self.function is not None:
            return check_weights(self.function(seconds), self.motions)
        if len(self.keys) == 1:
            return self.values[0]
        moment = share if self.shares else seconds
        after = int(np.searchsorted(self.keys, moment, side="right"))
        if after in (0, len(self.keys)):
            return self.values[0 if after == 0 else -1]
        low, high = self.keys[after - 1], self.keys[after]
        t = float(rise((moment - low) / (high - low), "cubic"))
        return (1 - t) * self.values[after - 1] + t * self.values[after]

    def typical(self) -> Float64:
        """(k,) the mean over the way, as well as it is known before the blend is made."""
        if self.function is not None:
            return np.full(self.motions, 1 / self.motions)
        if len(self.keys) == 1 or not self.shares:
            return self.values.mean(axis=0)
        return np.mean([self.at(0.0, share) for share in np.linspace(0, 1, 201)], axis=0)

    def alone(self) -> int | None:
        """The motion that has all the weight all along, if there is one."""
        if self.function is not None or np.any(others_of(self.values).min(axis=1) > 0):
            return None
        which = np.unique(np.argmax(self.values, axis=1))
        return int(which[0]) if len(which) == 1 else None

    def describe(self) -> list[float] | str:
        """For a report: the constant weights, else what they depend on."""
        if self.function is not None:
            return "a function of time"
        if len(self.keys) == 1:
            return [round(float(value), 6) for value in self.values[0]]
        return f"{len(self.keys)} keys over {'the way' if self.shares else 'seconds'}"


def constant_weights(values: ArrayLike, motions: int) -> Weights:
    """The same weights all along."""
    return Weights(motions, np.zeros(1), check_weights(values, motions)[None])


def passing_weights(motions: int) -> Weights:
    """From the first motion over all others to the last: a transition over the whole way (the ramp is 3 p^2 - 2 p^3)."""
    return Weights(motions, np.linspace(0, 1, motions), np.eye(motions))


def weights_of(source: str | WeightFunction | Sequence[float] | None, motions: int) -> Weights:
    """Weights from what a user gives.

    Args:
        source: None or "": all alike; numbers; a text of numbers "0.5,0.5"; a text of keys "0:1,0; 1.5:0,1" in seconds of the result, or
            "0%:1,0; 100%:0,1" in shares of the way; a function of the time in seconds.
        motions: k.
    """
    if source is None or (isinstance(source, str) and not source.strip()):
        return constant_weights([1.0] * motions, motions)
    if callable(source):
        return Weights(motions, np.zeros(0), np.zeros((0, motions)), False, source)
    if not isinstance(source, str):
        return constant_weights(source, motions)
    if ":" not in source:
        return constant_weights(_numbers(source), motions)
    keys, values, kinds = [], [], set()
    for part in source.strip().strip(";").split(";"):
        moment, _, numbers = part.partition(":")
        share = moment.strip().endswith("%")
        kinds.add(share)
        keys.append(_number(moment.strip().rstrip("%"), part) / (100 if share else 1))
        values.append(check_weights(_numbers(numbers), motions))
    if len(kinds) > 1:
        raise ParameterError(f"give every moment in seconds, or every one in %, not both: {source!r}", where="weights")
    if any(b <= a for a, b in pairwise(keys)):
        raise ParameterError(f"the moments of the weights must rise: {source!r}", where="weights")
    return Weights(motions, np.array(keys), np.array(values), kinds == {True})


def check_weights(values: ArrayLike, motions: int) -> Float64:
    """(k,) weights of sum 1, each from -0.2 to 1.2, or an error that says what does not fit."""
    found = np.asarray(values, dtype=np.float64)
    shown = ", ".join(f"{value:g}" for value in found.ravel()[:8])
    if found.shape != (motions,):
        raise ParameterError(f"{motions} motions need {motions} weights, not {found.size} ({shown})", where="weights")
    if not np.all(np.isfinite(found)):
        raise ParameterError(f"weights must be finite numbers, not {shown}", where="weights")
    if not found.sum() > 0:
        raise ParameterError(f"weights must sum to more than 0, not {shown}", where="weights")
    scaled = found / found.sum()
    if scaled.min() < LOWEST - _ROUNDING or scaled.max() > HIGHEST + _ROUNDING:
        told = ", ".join(f"{value:g}" for value in scaled[:8])
        raise ParameterError(
            f"weights must be {LOWEST:g} to {HIGHEST:g} of their sum: beyond that nothing is known of the motion; {shown} make {told}",
            where="weights",
        )
    return scaled


def others_of(weights: Float64) -> Float64:
    """(N, k) for each motion the weight that the others have, below 0 or above; 0 where a motion has all of it."""
    size = np.abs(weights)
    return size.sum(axis=1, keepdims=True) - size


def _numbers(text: str) -> list[float]:
    return [_number(word, text) for word in text.split(",")]


def _number(word: str, text: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ParameterError(
            f"{word.strip()!r} in {text.strip()!r} is not a number; write weights as 0.5,0.5 or as 0:1,0; 2:0,1 "
            "(seconds) or 0%:1,0; 100%:0,1",
            where="weights",
        ) from None
