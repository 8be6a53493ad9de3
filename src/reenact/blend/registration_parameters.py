"""How motions are registered: the parameters and their presets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from reenact.blend.distance_grid import MARKER_WEIGHTS, PointWeights
from reenact.blend.gate import GateLimits, limit, limits_of
from reenact.core.joint_weights import parse_joint_weights
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True)
class RegistrationParameters:
    """Parameters of `register`. Motions are compared at `rate`; the curves are in frames of the first clip's own rate."""

    rate: float = option(30.0, "samples per second at which motions are compared", unit="Hz", above=0, high=1000)
    samples: int | None = option(
        None, "compare so many samples of each motion instead, whatever their lengths", low=4, high=20_000
    )
    window: int = option(2, "samples to either side that belong to a frame's cloud of points", low=0, high=100)
    taper: Literal["even", "triangle"] = option("even", "weights within that window: all alike, or falling to its ends")
    weights: str = option(
        "equal",
        "weights of the body's points: equal; lower-body: legs count most; mass: by the mass of the segments; or joints and roles, such as "
        "left_foot=2,right_foot=2,others=0.5 (those not named: others, or nothing)",
    )
    weights_file: Path | None = option(None, "text file of weights instead: lines with a joint or role and a number")
    markers: Literal["joints", "bones"] = option(
        "joints", "points of the body: joints and end sites; or three more about each joint, which show how bones twist"
    )
    slope_limit: int = option(
        3, "the most samples of one motion in a row that may belong to one sample of the other", low=1, high=15
    )
    path: Literal["exact", "greedy"] = option(
        "exact", "exact: the cheapest path that keeps the slope limit; greedy: Aherne's rule, which may break it"
    )
    ends: Literal["fixed", "free"] = option(
        "fixed", "fixed: first frames belong together, and last frames; free: a little may be left out at the ends"
    )
    through: tuple[int, int] | None = option(
        None, "frames of the first and the second of two motions that belong together, at the first one's rate"
    )
    slack: float = option(0.1, "free ends: share of each motion that may be left out at either end", low=0, high=0.45)
    cover: float = option(0.6, "free ends: share of the shorter motion that must be kept", above=0, high=1)
    knots: float = option(0.2, "time between the knots of the curves", unit="s", above=0, high=10)
    smoothing: float = option(0.3, "how much the curves resist bending", low=0, high=1e6)
    reference: int | None = option(
        None, "motion that stays where it is, counted from 0; without it the one nearest to all others", low=0
    )
    trim: Literal["auto", "needed", "steps", "off"] = option(
        "auto",
        "cut motions to equal steps: auto: when they take other numbers of steps, or do not correspond, and it helps; else to a part that "
        "they have in common; needed: only when they do not correspond; steps: always to steps; off: never",
    )
    gate: Literal["refuse", "warn", "off"] = option(
        "refuse", "what to do when motions do not correspond: refuse; warn and go on; say nothing"
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

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.weights not in MARKER_WEIGHTS:
            if "=" not in self.weights:
                raise ParameterError(
                    f"weights must be {', '.join(MARKER_WEIGHTS)} or joints such as left_foot=2,others=1, not {self.weights!r}",
                    where="weights",
                )
            parse_joint_weights(self.weights)
        if self.through is not None:
            if min(self.through) < 0:
                raise ParameterError(f"through must be frames from 0, not {self.through}", where="through")
            if self.path == "greedy" or self.ends == "free" or self.trim not in ("auto", "off"):
                raise ParameterError("through goes with path=exact, ends=fixed and whole motions", where="through")

    def point_weights(self) -> PointWeights:
        """The weights of the body's points, read from their file where there is one."""
        if self.weights_file is not None:
            from reenact.formats.weights_text import read_weights

            return read_weights(self.weights_file)
        return self.weights if self.weights in MARKER_WEIGHTS else parse_joint_weights(self.weights)

    @property
    def limits(self) -> GateLimits:
        """The limits of the gate."""
        return GateLimits(**limits_of(self))


THESIS = RegistrationParameters(samples=70, window=0, path="greedy", trim="off", gate="off")
"""Aherne (2005): 70 samples of single frames, equal weights, first and last frames forced to correspond, slope limit 3, greedy path."""
