"""The built-in samples in a library folder, with their tags, types, descriptions and ground truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from reenact.library.rows import Added
from reenact.samples import make_sample, sample_names

if TYPE_CHECKING:
    from reenact.library.store import Library
    from reenact.samples.truth import Sample, SampleTruth

TRUTH = "truth"
"""Kind under which a sample's ground truth is kept among the derived results of its clip."""


@dataclass(slots=True)
class SamplesReport:
    """Samples that were added, and how many the library had already."""

    added: list[Added] = field(default_factory=list)
    known: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The JSON form of the command line."""
        return {
            "added": [{"id": one.id, "name": one.name, "hash": one.hash} for one in self.added],
            "known": self.known,
        }


def add_samples(
    library: Library,
    fps: float = 60.0,
    progress: Callable[[int, int], None] | None = None,
    names: Sequence[str] | None = None,
) -> SamplesReport:
    """Add the built-in samples of these names (default: every one): `type:walk` finds the walks; what is known of a sample
    is its derived result "truth", arrays named after the fields of `samples.truth.SampleTruth` (`left_heel`, `labels`, ...).
    """
    report = SamplesReport()
    names = sample_names() if names is None else names
    for done, name in enumerate(names, 1):
        added = add_sample(library, make_sample(name, fps))
        if added.new:
            report.added.append(added)
        else:
            report.known += 1
        if progress is not None:
            progress(done, len(names))
    return report


def add_sample(library: Library, sample: Sample) -> Added:
    """Add one sample with its tags, type, description and ground truth."""
    added = library.add(
        sample.clip,
        tags=("sample", *sample.tags),
        description=sample.description,
        metadata={"type": sample.type},
    )
    library.derived(added.id, TRUTH, {}, lambda: _arrays(sample.truth))
    return added


def _arrays(truth: SampleTruth) -> dict[str, np.ndarray]:
    feet = {
        f"{side}_{what}": getattr(truth.foot(side), what)
        for side in ("left", "right")
        for what in ("heel", "ball", "heel_place", "ball_place")
    }
    return {
        **feet,
        "labels": np.asarray(truth.labels, dtype=np.str_),
        "cycles": np.asarray(truth.cycles),
        "centre_of_mass": np.asarray(truth.centre_of_mass),
        "floor": np.array(truth.floor),
        "speed": np.array(truth.speed),
    }
