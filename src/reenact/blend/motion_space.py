"""Motion spaces: a family of clips as one motion with a knob, such as walks of any speed or any turning radius.

The clips are registered with each other once. Blends between neighbours are measured, which gives pairs of weights and parameter values
(sampling of the parameter space, Kovar and Gleicher 2004). A wanted value is looked up among the samples, and then searched for until the
motion that comes out measures what was asked for.

from reenact.blend.motion_space import MotionSpace
space = MotionSpace.build([slow, normal, fast], parameter="speed")
made = space.motion(1.3)  # metres per second
made.report["value"], made.report["weights"]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from reenact.blend.blend import BlendParameters, blend_curve
from reenact.blend.gate import limit, limits_of
from reenact.blend.motion_parameters import Measure, MotionParameter, find_parameter, measure_clip
from reenact.blend.plant_matching import match_plants
from reenact.blend.preparing import bring_together
from reenact.blend.registration import register
from reenact.blend.registration_curve import RegistrationCurve
from reenact.blend.registration_parameters import RegistrationParameters
from reenact.blend.trimming import find_strikes
from reenact.blend.weights import constant_weights
from reenact.core.arrays import Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.progress import stage, tell
from reenact.errors import ParameterError, Remedy

_SEED = 20031  # of the random weights between more than two clips
_OUTSIDE = 0.02  # share of the range by which a value may lie outside and still be taken as the nearest


@dataclass(frozen=True, slots=True)
class SpaceParameters:
    """How a motion space is sampled and searched."""

    samples: int = option(4, "blends measured between two neighbours", low=1, high=100)
    tolerance: float = option(
        0.002, "how near to the wanted value is near enough, as a share of the range", above=0, high=1
    )
    tries: int = option(16, "blends tried at most for one value", low=1, high=200)
    trim: Literal["auto", "steps", "off"] = option(
        "auto", "cut the clips to equal steps: auto: where all of them step; steps: always; off: never"
    )
    gate: Literal["refuse", "warn", "off"] = option(
        "refuse", "when the clips do not correspond: refuse, or warn and blend them all the same"
    )
    most_q: float = limit("most_q")
    most_q_in_step: float = limit("most_q_in_step")
    most_distance: float = limit("most_distance")
    most_stretch: float = limit("most_stretch")
    most_astray: float = limit("most_astray")
    astray_angle: float = limit("astray_angle")
    most_squeezed: float = limit("most_squeezed")
    most_uneven: float = limit("most_uneven")
    most_leap: float = limit("most_leap")
    near: float = limit("near")
    doubt_from: float = limit("doubt_from")
    enforce: bool = option(True, "hold planted feet still")

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True)
class SpaceMotionParameters(SpaceParameters):
    """What is asked of a motion space made of some clips."""

    parameter: str = option("speed", "what is asked for: speed, turn, radius, distance, reach-height or jump-height")
    value: float | None = option(
        None,
        "how much of it: m/s, degrees per second, m (a radius to the left is positive, a very large one is straight)",
        short="-v",
    )


def _value_remedy(value: float, unit: str) -> Remedy:
    rounded = float(f"{value:.4g}")
    return Remedy(f"take {rounded:g} {unit}".rstrip(), {"value": rounded})


def make_motion(
    clips: Sequence[Clip], parameters: SpaceMotionParameters, plants: Sequence[FootPlants | None] | None = None
) -> Made:
    """A motion between clips that measures a value: a motion space, asked once. `plants` are those of each clip."""
    parameter = find_parameter(parameters.parameter)
    tell(0.0, "measuring samples of the family")
    space = MotionSpace.build(clips, parameter.name, parameters, plants)
    if parameters.value is None:
        low, high = (parameter.shown(float(one)) for one in space.range[0])
        raise ParameterError(
            f"say a value of {parameter.name}: the clips give {low:.4g} to {high:.4g} {parameter.unit}",
            where="value",
            remedies=[_value_remedy(one, parameter.unit) for one in (low, (low + high) / 2, high)],
        )
    with stage(0.5, 1.0):
        return space.motion(parameter.asked(parameters.value))


@dataclass(frozen=True, slots=True, eq=False)
class MotionSpace:
    """Registered clips, and what blends of them measure.

    Attributes:
        curve: the clips, registered.
        parameter: what is measured.
        weights: (N, k) weights that were tried.
        values: (N, P) what the blends measure, in metres, seconds and radians; of one parameter P is 1.
        parameters: how it was sampled.
    """

    curve: RegistrationCurve
    parameter: MotionParameter
    weights: Float64
    values: Float64
    parameters: SpaceParameters

    @classmethod
    def build(
        cls,
        clips: Sequence[Clip],
        parameter: str | Measure,
        parameters: SpaceParameters | None = None,
        plants: Sequence[FootPlants | None] | None = None,
    ) -> MotionSpace:
        """Register clips and measure blends of them.

        Args:
            clips: two or more with the same joints, which do the same thing differently.
            parameter: a name of `motion_parameters.PARAMETERS`, or a function clip -> number or (P,) numbers that changes smoothly
                with the motion.
            parameters: see `SpaceParameters`.
            plants: foot plants of the clips; detected where None.

        Raises:
            ParameterError: clips that do not correspond, or that all measure the same.
        """
        parameters = parameters or SpaceParameters()
        asked = find_parameter(parameter)
        together, known = bring_together(clips, plants)
        curve, _ = match_plants(_register(together, known, parameters))
        corners = np.eye(curve.motions)
        values = np.array([_measure(curve, asked, corner) for corner in corners])
        if np.ptp(values, axis=0).max() <= 1e-9:
            raise ParameterError(
                f"{asked.name} is the same in all clips: there is nothing to choose", where="parameter"
            )
        weights = (
            _chain(values[:, 0], parameters.samples) if values.shape[1] == 1 else _cloud(values, parameters.samples)
        )
        between = [_measure(curve, asked, one) for one in weights]
        space = cls(curve, asked, np.vstack([corners, weights]), np.vstack([values, *between]), parameters)
        return space._sorted()

    @property
    def range(self) -> Float64:
        """(P, 2) the least and the greatest value that was measured."""
        return np.column_stack([self.values.min(axis=0), self.values.max(axis=0)])

    def weights_for(self, value: float | Sequence[float]) -> Float64:
        """(k,) weights of a value by the samples alone: quick, and as exact as the samples are dense.

        Args:
            value: as measured: metres, seconds, radians.
        """
        wanted = self._wanted(value)
        if self.values.shape[1] > 1:
            return _nearest_mix(self.weights, self.values, wanted)[0]
        low, high, share = self._bracket(float(wanted[0]))
        return (1 - share) * self.weights[low] + share * self.weights[high]

    def motion(self, value: float | Sequence[float]) -> Made:
        """The motion that measures this value.

        Args:
            value: as measured: metres, seconds, radians (`parameter.asked` converts what people say).

        Returns:
            clip, carried plants; report as of `blend`, with `wanted`, `value` (measured on the result), `tried` and `weights`.

        Raises:
            ParameterError: outside of what the clips can do; the message says the range.
        """
        wanted = self._wanted(value)
        search = self._search_one if self.values.shape[1] == 1 else self._search_many
        weights, tried = search(wanted)
        made = self.blend(weights)
        found = measure_clip(self.parameter, made.clip)
        shown = [round(self.parameter.shown(float(one)), 6) for one in (*wanted, *found)]
        report = {
            **made.report,
            "parameter": self.parameter.name,
            "wanted": shown[0] if len(wanted) == 1 else shown[: len(wanted)],
            "value": shown[1] if len(wanted) == 1 else shown[len(wanted) :],
            "unit": self.parameter.unit,
            "tried": tried,
        }
        return replace(made, report=report)

    def blend(self, weights: Sequence[float] | Float64) -> Made:
        """The blend of given weights, with planted feet held where the space is to hold them."""
        return _blend(self.curve, np.asarray(weights), enforce=self.parameters.enforce)

    def _wanted(self, value: float | Sequence[float]) -> Float64:
        wanted = np.atleast_1d(np.asarray(value, dtype=np.float64))
        if wanted.shape != self.values.shape[1:] or not np.isfinite(wanted).all():
            raise ParameterError(
                f"{self.parameter.name} takes {self.values.shape[1]} finite number(s), not {value}", where="value"
            )
        low, high = self.range.T
        room = _OUTSIDE * (high - low)
        if np.any(wanted < low - room) or np.any(wanted > high + room):
            ends = " and ".join(
                f"{self.parameter.shown(float(a)):.4g} to {self.parameter.shown(float(b)):.4g}"
                for a, b in zip(low, high, strict=True)
            )
            asked = ", ".join(f"{self.parameter.shown(float(one)):.4g}" for one in wanted)
            raise ParameterError(
                f"{self.parameter.name} {asked} is out of reach: the clips give {ends} {self.parameter.unit}".rstrip(),
                where="value",
                remedies=self._within(wanted),
            )
        return np.clip(wanted, low, high)

    def _within(self, wanted: np.ndarray) -> list[Remedy]:
        """The nearest value that can be had."""
        if len(wanted) != 1:
            return []
        nearest = np.clip(wanted, *self.range.T)[0]
        return [_value_remedy(self.parameter.shown(float(nearest)), self.parameter.unit)]

    def _sorted(self) -> MotionSpace:
        """Samples in the order of the chain of clips: by how the weight moves from one to the next."""
        if self.values.shape[1] > 1:
            return self
        k = self.curve.motions
        rank = np.empty(k)
        rank[np.argsort(self.values[:k, 0], kind="stable")] = np.arange(k)
        order = np.argsort(self.weights @ rank, kind="stable")
        return replace(self, weights=self.weights[order], values=self.values[order])

    def _bracket(self, wanted: float) -> tuple[int, int, float]:
        """Two neighbouring samples on either side of a value, and the share of the way between them."""
        values = self.values[:, 0]
        for low, high in pairwise(range(len(values))):
            a, b = values[low], values[high]
            if min(a, b) <= wanted <= max(a, b):
                return low, high, 0.5 if a == b else float((wanted - a) / (b - a))
        nearest = int(np.argmin(np.abs(values - wanted)))
        return nearest, nearest, 0.0

    def _search_one(self, wanted: Float64) -> tuple[Float64, int]:
        """Weights for one number: false position between two samples (the Illinois form, which does not creep)."""
        target, close = float(wanted[0]), self.parameters.tolerance * float(np.ptp(self.range))
        first, last, share = self._bracket(target)
        if first == last:
            return self.weights[first], 0
        ends = (self.weights[first], self.weights[last])
        low, high = 0.0, 1.0
        off_low, off_high = self.values[first, 0] - target, self.values[last, 0] - target
        best, missed = (ends[0], abs(off_low)) if abs(off_low) <= abs(off_high) else (ends[1], abs(off_high))
        if missed <= close and not self.parameters.enforce:
            return best, 0
        missed, side = np.inf, 0
        for tried in range(1, self.parameters.tries + 1):
            tell(tried / self.parameters.tries, f"asking for {target:.3g}, time {tried}")
            weights = (1 - share) * ends[0] + share * ends[1]
            off = float(self._measured(weights)[0]) - target
            if abs(off) < missed:
                best, missed = weights, abs(off)
            if missed <= close or high - low < 1e-4:
                return best, tried
            if (off < 0) == (off_low < 0):
                low, off_low, off_high, side = share, off, off_high * (0.5 if side < 0 else 1.0), -1
            else:
                high, off_high, off_low, side = share, off, off_low * (0.5 if side > 0 else 1.0), 1
            share = low + (high - low) * off_low / (off_low - off_high) if off_low != off_high else 0.5 * (low + high)
        return best, self.parameters.tries

    def _measured(self, weights: Float64) -> Float64:
        """What the motion of these weights measures, with its feet held where they are to be."""
        return measure_clip(self.parameter, self.blend(weights).clip)

    def _search_many(self, wanted: Float64) -> tuple[Float64, int]:
        """Weights for several numbers: the best mix of near samples, measured and made a sample itself."""
        spread = np.maximum(np.ptp(self.range, axis=1), 1e-12)
        weights, values = self.weights, self.values
        best, missed = weights[0], np.inf
        for tried in range(self.parameters.tries):
            tell(tried / self.parameters.tries, f"trying mix {tried + 1}")
            mix, _ = _nearest_mix(weights, values, wanted)
            found = self._measured(mix)
            off = float(np.abs((found - wanted) / spread).max())
            if off < missed:
                best, missed = mix, off
            if off <= self.parameters.tolerance:
                return best, tried + 1
            weights, values = np.vstack([weights, mix]), np.vstack([values, found])
        return best, self.parameters.tries


def _register(
    clips: Sequence[Clip], plants: Sequence[FootPlants | None], parameters: SpaceParameters
) -> RegistrationCurve:
    """Clips registered with each other: those that step are cut to the same steps first, so that a step blends with a step."""
    asked = RegistrationParameters(trim=parameters.trim, gate=parameters.gate, **limits_of(parameters))
    if parameters.trim == "auto" and all(one is not None and len(find_strikes(one)) > 1 for one in plants):
        try:
            return register(clips, replace(asked, trim="steps"), plants)
        except ParameterError:  # no common steps: perhaps they correspond as they are
            return register(clips, asked, plants)
    return register(clips, asked, plants)


def _blend(curve: RegistrationCurve, weights: Float64, *, enforce: bool) -> Made:
    return blend_curve(curve, BlendParameters(enforce=enforce), constant_weights(weights.tolist(), curve.motions))


def _measure(curve: RegistrationCurve, parameter: MotionParameter, weights: Float64) -> Float64:
    return measure_clip(parameter, _blend(curve, weights, enforce=False).clip)


def _chain(values: Float64, samples: int) -> Float64:
    """(N, k) weights between every two clips that follow each other in the order of one parameter."""
    order = np.argsort(values, kind="stable")
    shares = np.arange(1, samples + 1) / (samples + 1)
    made = [np.zeros((0, len(values)))]
    for a, b in pairwise(order):
        between = np.zeros((samples, len(values)))
        between[:, a], between[:, b] = 1 - shares, shares
        made.append(between)
    return np.vstack(made)


def _cloud(values: Float64, samples: int) -> Float64:
    """(N, k) random weights of every clip and those nearest to it in the space of several parameters."""
    random = np.random.default_rng(_SEED)
    count, dimensions = values.shape
    spread = np.maximum(np.ptp(values, axis=0), 1e-12)
    apart = np.linalg.norm((values[:, None] - values[None]) / spread, axis=2)
    made = []
    for clip in range(count):
        near = np.argsort(apart[clip], kind="stable")[: dimensions + 2]
        for shares in random.dirichlet(np.ones(len(near)), samples * dimensions):
            weights = np.zeros(count)
            weights[near] = shares
            made.append(weights)
    return np.array(made)


def _nearest_mix(weights: Float64, values: Float64, wanted: Float64) -> tuple[Float64, float]:
    """Weights that mix samples near a value so that their values mix to it, and what is left over, as a share of the range.

    Of all such mixes one of near samples is taken: distances enter as a small cost.
    """
    from scipy.optimize import nnls

    spread = np.maximum(np.ptp(values, axis=0), 1e-12)
    off = (values - wanted) / spread
    apart = np.linalg.norm(off, axis=1)
    pure = np.flatnonzero(weights.max(axis=1) >= 1)  # the clips themselves: everything lies between them
    near = np.union1d(np.argsort(apart, kind="stable")[: 6 * (values.shape[1] + 1)], pure)
    rows = np.vstack([off[near].T, 1e-2 * np.diag(apart[near]), np.full((1, len(near)), 1e3)])
    shares, _ = nnls(rows, np.concatenate([np.zeros(values.shape[1] + len(near)), [1e3]]))
    shares /= shares.sum()
    return shares @ weights[near], float(np.abs(shares @ off[near]).max())
