"""A source, and which of its frames a result shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float, Int
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants, intervals_of


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A source, and what a result shows of it.

    Attributes:
        clip: on the skeleton of the result, at its rate.
        plants: its foot plants; None where they are not known.
        frames: (F,) the source's frame that each frame of the result shows, or -1.
        weights: (F,) of a blend, how much of the source each frame shows; None: planted feet are one source's or the other's.
    """

    clip: Clip
    plants: FootPlants | None
    frames: Int
    weights: Float | None = None


def played_shares(sources: Sequence[Shown]) -> tuple[float, ...]:
    """Of each source's frames, the share that a result plays; the same of every method.

    A blend by weights plays what it mixes. Where one source goes over into another, each is played up to the middle of that.
    """
    played = np.stack([source.frames >= 0 for source in sources])
    over = played.sum(axis=0) > 1
    if all(source.weights is None for source in sources):
        for start, end in intervals_of(over):
            middle = (start + end) // 2
            first = played[:, start - 1] if start else played[:, start]
            second = played[:, end] if end < len(over) else played[:, end - 1]
            if (first | second).all() and not (first & second).any():
                played[:, start:middle], played[:, middle:end] = first[:, None], second[:, None]
    return tuple(
        len(np.unique(source.frames[mine])) / max(len(source.clip), 1)
        for source, mine in zip(sources, played, strict=True)
    )
