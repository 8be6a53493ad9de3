"""Segments: a clip cut into parts of one gait each, and the type of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = ("stand", "walk", "run", "jump", "other")
"""What a frame or a clip can be."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Frames [start, end) of one type."""

    type: str
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Classification:
    """What a clip is.

    Attributes:
        type: out of `TYPES`; "other" for a clip of several gaits or of none.
        segments: in order, over all frames, neighbours of different type.
        method: the classifier's name.
    """

    type: str
    segments: tuple[Segment, ...]
    method: str = ""

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self.segments[-1].end if self.segments else 0

    @property
    def shares(self) -> dict[str, float]:
        """Share of the frames of every type there is, the largest first."""
        counts: dict[str, int] = {}
        for segment in self.segments:
            counts[segment.type] = counts.get(segment.type, 0) + len(segment)
        return {kind: count / self.frames for kind, count in sorted(counts.items(), key=lambda item: -item[1])}

    @property
    def labels(self) -> NDArray[np.str_]:
        """(F,) type of every frame."""
        return np.repeat([s.type for s in self.segments] or ["other"], [len(s) for s in self.segments] or [0])

    def as_dict(self) -> dict[str, Any]:
        """Plain values for reports."""
        return {
            "type": self.type,
            "segments": [{"type": s.type, "start": s.start, "end": s.end} for s in self.segments],
            "shares": self.shares,
            "frames": self.frames,
            "classifier": self.method,
        }

    def share(self, kind: str) -> float:
        """Share of the frames of a type, 0..1."""
        return self.shares.get(kind, 0.0)


def merge_segments(segments: Sequence[Segment]) -> list[Segment]:
    """The same frames with neighbouring segments of one type made one; empty ones are dropped."""
    merged: list[Segment] = []
    for segment in segments:
        if segment.end <= segment.start:
            continue
        if merged and merged[-1].type == segment.type:
            merged[-1] = Segment(segment.type, merged[-1].start, segment.end)
        else:
            merged.append(segment)
    return merged


def segments_of(labels: NDArray[np.str_]) -> list[Segment]:
    """Segments of labels (F,)."""
    if not len(labels):
        return []
    edges = [0, *(np.flatnonzero(labels[1:] != labels[:-1]) + 1).tolist(), len(labels)]
    return [Segment(str(labels[a]), a, b) for a, b in pairwise(edges)]


def homogeneous_type(segments: Sequence[Segment]) -> str:
    """The one type of all frames, else "other" (Shanbhag, section 3.2.1: synthesis uses such clips only)."""
    kinds = {segment.type for segment in segments}
    return kinds.pop() if len(kinds) == 1 else "other"
