"""The built-in sample library: motions of one person, made by code, with known ground truth.

    from reenact.samples import make_sample, sample_names
    sample = make_sample("walk_normal")
    sample.clip, sample.truth.left.heel, sample.truth.labels

Nothing is read from files; the same names give the same numbers every time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reenact.errors import ParameterError

if TYPE_CHECKING:
    from reenact.core.skeleton import Skeleton
    from reenact.samples.truth import Sample

__all__ = ["make_sample", "sample_library", "sample_names", "sample_skeleton"]

_RATES = (20.0, 480.0)


def sample_skeleton() -> Skeleton:
    """The skeleton of every sample: 22 joints, 1.75 m, rest pose facing +Z with left = +X."""
    from reenact.samples.skeleton import sample_skeleton as build

    return build()


def sample_names() -> tuple[str, ...]:
    """Names of all samples, in the order of the library."""
    from reenact.samples.catalogue import recipes

    return tuple(recipes())


def make_sample(name: str, fps: float = 60.0) -> Sample:
    """One sample: clip, ground truth, type, tags and description.

    Args:
        name: one of `sample_names()`.
        fps: frames per second, 20 to 480.

    Raises:
        ParameterError: when there is no such sample, or the rate is out of range.
    """
    from reenact.samples.catalogue import recipes, seed_of

    known = recipes()
    if name not in known:
        raise ParameterError(f"no sample {name!r}; there are {', '.join(known)}")
    if not (math.isfinite(fps) and _RATES[0] <= fps <= _RATES[1]):
        raise ParameterError(f"fps must lie in {_RATES[0]:g} to {_RATES[1]:g}, not {fps}")
    return known[name](float(fps), seed_of(name))


def sample_library(fps: float = 60.0) -> Iterator[Sample]:
    """Every sample, one after the other."""
    for name in sample_names():
        yield make_sample(name, fps)
