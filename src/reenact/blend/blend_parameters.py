"""How motions are blended: the parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Literal

from reenact.blend.gate import limit, limits_of
from reenact.blend.interval_matching import GapRule
from reenact.blend.plant_matching import OverlapRule
from reenact.blend.playing import Path
from reenact.blend.registration_parameters import THESIS, RegistrationParameters
from reenact.blend.timing import Timing
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError

METHODS = ("registration", "linear", "linear-normalised", "thesis")
HALF_WINDOW = 0.33
"""Seconds to either side of the cell of a transition when only the cell is given."""


@dataclass(frozen=True, slots=True)
class BlendParameters:
    """Weights and ways of a blend of two or more motions."""

    weights: str = option(
        "",
        "weights of the clips, as 0.5,0.5, from -0.2 to 1.2 of their sum; or set at moments of the result, 0:1,0; 2:0,1 (seconds) or "
        "0%:1,0; 100%:0,1; default: all alike",
    )
    method: Literal["registration", "linear", "linear-normalised", "thesis"] = option(
        "registration",
        "registration: corresponding frames laid over each other; linear: frame by frame as recorded; linear-normalised: the same "
        "by shares of the time; thesis: as Aherne (2005) did it",
    )
    mode: Literal["interpolate", "transition"] = option(
        "interpolate", "interpolate: by the weights; transition: from the first clip to the last"
    )
    window: float | None = option(
        None,
        "transition: seconds of blend to either side of the frames that are joined; default: over the whole of both clips",
        unit="s",
        above=0,
        high=10,
    )
    at: int | None = option(
        None, "transition: frame of the first clip to join at; default: the best", unit="frames", low=0, moment="first"
    )
    into: int | None = option(
        None,
        "transition: frame of the second clip to join at; default: the best",
        unit="frames",
        low=0,
        moment="second",
    )
    path: Path = option(
        "incremental",
        "way over the floor: incremental: the clips' own steps averaged; reference: that of the reference",
    )
    timing: Timing = option(
        "blended",
        "blended: the clips' rates averaged; path_cells: a frame for every cell of the path; keytimes: straight between footfalls",
    )
    gap_rule: GapRule = option(
        "ratio", "how long plants are cut: by the other clip's proportions, or where its gaps lie (vote)"
    )
    overlap: OverlapRule = option(
        "close",
        "which plants of the clips are one step: close: they share 40 % of their time and begin and end within 0.2 s; any: they overlap",
    )
    reference: int | None = option(
        None, "clip that the others are laid on, counted from 0; default: the one nearest to all", low=0
    )
    point_weights: str = option(
        "equal",
        "how much each part of the body counts when frames are compared: equal, lower-body, mass, or joints and roles such as "
        "left_foot=2,right_foot=2,others=0.5",
    )
    point_weights_file: FilePath | None = option(
        None, "text file of such weights: lines with a joint or role and a number"
    )
    slope_limit: int = option(
        3, "the most samples of one clip in a row that may belong to one sample of another", low=1, high=15
    )
    ends: Literal["fixed", "free"] = option(
        "fixed", "fixed: first frames belong together, and last frames; free: a little may be left out at the ends"
    )
    trim: Literal["auto", "steps", "off"] = option(
        "auto",
        "cut the clips to equal steps: auto: when they take different numbers of steps or do not correspond, else to a part that they have "
        "in common; steps: always to steps; off: never",
    )
    gate: Literal["try", "refuse", "warn", "off"] = option(
        "try",
        "when the clips do not correspond: refuse, or warn and blend them all the same; try: where they only look too unlike (most_q, "
        "most_distance), blend a part that goes the same way, and refuse when that is not good in all that is measured",
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
    untouched: bool = option(
        False,
        "with all weight on one clip: give that clip back to the bit, on its own skeleton and where it stands, registering nothing",
    )
    enforce: bool = option(
        True, "hold planted feet still (not with the linear methods and thesis, which know no plants)"
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        RegistrationParameters(weights=self.point_weights)
        for name in ("window", "at", "into"):
            if getattr(self, name) is not None and self.mode != "transition":
                raise ParameterError(f"{name} belongs to mode=transition, the mode is {self.mode}", where=name)
        if self.local and self.method != "registration":
            raise ParameterError(
                f"a transition at a frame needs method=registration, not {self.method}", where="method"
            )
        if self.mode == "transition" and self.weights:
            raise ParameterError(
                "a transition has its own weights; leave weights empty or interpolate", where="weights"
            )

    @property
    def local(self) -> bool:
        """A transition at a frame of each clip, instead of over the whole of both."""
        return self.window is not None or self.at is not None or self.into is not None

    @property
    def half_window(self) -> float:
        """Seconds of blend to either side of the frames that are joined."""
        return HALF_WINDOW if self.window is None else self.window

    def registration(self) -> RegistrationParameters:
        """The parameters of the registration that goes with these; what may be tried out instead is left to who asks."""
        gate = "refuse" if self.gate == "try" else self.gate
        if self.method == "thesis":
            first = 0 if self.reference is None else self.reference
            return replace(THESIS, gate=gate, reference=first, **limits_of(self))
        return RegistrationParameters(
            slope_limit=self.slope_limit,
            ends=self.ends,
            # a transition over the whole of both should begin and end with them
            trim="needed" if self.mode == "transition" and self.trim == "auto" else self.trim,
            gate=gate,
            reference=self.reference,
            weights=self.point_weights,
            weights_file=self.point_weights_file,
            **limits_of(self),
        )
