"""Morph targets of a mesh: shapes it can be moved towards, each a few vertices and where they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float, Float32, Int32, frozen
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True, eq=False)
class MorphTarget:
    """One shape, given by the vertices that leave their place.

    Attributes:
        name: for people and for tracks; unique in a character.
        vertices: (N,) int32, ascending.
        moves: (N, 3) float32 metres in the bind pose, at weight 1.
        turns: (N, 3) float32 added to the normals at weight 1, or None.
        weight: how much of it is shown where no track says so.
    """

    name: str
    vertices: Int32
    moves: Float32
    turns: Float32 | None = None
    weight: float = 0.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "vertices", frozen(self.vertices, np.int32, (None,), "morphed vertices"))
        put(self, "moves", frozen(self.moves, np.float32, (len(self.vertices), 3), "moves of a morph target"))
        if self.turns is not None:
            put(self, "turns", frozen(self.turns, np.float32, (len(self.vertices), 3), "turns of a morph target"))
        put(self, "weight", float(self.weight))
        if len(self.vertices) and (self.vertices[0] < 0 or np.any(np.diff(self.vertices) <= 0)):
            raise ParameterError(f"the vertices of the morph target {self.name!r} must be ascending", where="morphs")
        for values in (self.moves, self.turns, np.float64(self.weight)):
            if values is not None and not np.isfinite(values).all():
                raise ParameterError(f"the morph target {self.name!r} holds values that are not finite", where="morphs")


def morphed(vertices: Float32, targets: Sequence[MorphTarget], weights: Float | None = None) -> Float32:
    """(V, 3) vertices of the bind pose moved by some weights (M,), those of the targets by default."""
    chosen = [target.weight for target in targets] if weights is None else weights
    found = np.array(vertices, np.float32)
    for target, weight in zip(targets, chosen, strict=True):
        if weight:
            found[target.vertices] += np.float32(weight) * target.moves
    return found
