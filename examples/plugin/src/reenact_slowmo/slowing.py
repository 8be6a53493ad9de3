"""The operation: a motion played slower, its frames as many times as many."""

from __future__ import annotations

from dataclasses import dataclass

from reenact import Clip
from reenact.core.parameters import check_ranges, option
from reenact.core.resample import ResampleParameters, resample


@dataclass(frozen=True, slots=True)
class SlowParameters:
    """How slow."""

    factor: float = option(2.0, "how many times as long it takes", unit="times", low=1, high=20)

    def __post_init__(self) -> None:
        check_ranges(self)


def slow_down(clip: Clip, parameters: SlowParameters) -> Clip:
    """The motion at its frame rate, `factor` times as long."""
    frames = round((len(clip) - 1) * parameters.factor) + 1
    return resample(clip, ResampleParameters(frames=frames, method="smooth"))
