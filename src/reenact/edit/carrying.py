"""Foot plants of sources and of results: detected once, then carried, never detected again on what was made."""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Bool, Float32
from reenact.core.foot_plants import SIDES, FootContact, FootPlants
from reenact.edit.footwork import Footwork


def carry_plants(
    a: FootPlants | None, b: FootPlants | None, start_a: int, start_b: int, length: int, footwork: Footwork
) -> FootPlants | None:
    """Plants of a transition: the first clip's, then those of the blend, then the second clip's."""
    if a is None or b is None:
        return None
    after = start_b + length
    feet = []
    for side in SIDES:
        first, second = a.foot(side), b.foot(side)
        states = footwork.states.get(side)
        if states is None:  # feet were left free: what most of the blend comes from
            inside = [_half(getattr(first, n), getattr(second, n), start_a, start_b, length) for n in ("heel", "ball")]
            heel, ball, beyond = inside[0], inside[1], 0
        else:
            heel, ball, beyond = states.heel, states.ball, len(states.heel) - length
        sure = np.ones(len(heel), np.float32)
        feet.append(
            FootContact(
                _put(first.heel[:start_a], heel, second.heel[after + beyond :]),
                _put(first.ball[:start_a], ball, second.ball[after + beyond :]),
                _put32(first.confidence[:start_a], sure, second.confidence[after + beyond :]),
            )
        )
    return FootPlants(feet[0], feet[1], a.fps, a.floor, "carried")


def _half(first: Bool, second: Bool, start_a: int, start_b: int, length: int) -> Bool:
    middle = length // 2
    early = first[start_a : start_a + middle]
    return np.concatenate([early, second[start_b + len(early) : start_b + length]])


def _put(*parts: Bool) -> Bool:
    return np.concatenate(parts).astype(np.bool_)


def _put32(*parts: Float32) -> Float32:
    return np.concatenate(parts).astype(np.float32)
