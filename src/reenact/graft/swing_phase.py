"""How arms swing with the legs: the lag of each arm behind the opposite leg, cycle by cycle.

In walking and running each arm goes forward with the leg of the other side. Over every cycle of the legs the hand's way forth and back
(seen from the shoulders) and the foot's (seen from the hips) are read at the frequency of the cycle; the angle between the two is the
lag, as a share of the cycle: 0 in step, 0.5 the very opposite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.heading import HeadingParameters, headings
from reenact.graft.single_supports import find_single_supports

SWINGS = 0.03
"""Metres: an arm whose hand goes forth and back by less does not swing."""

_SWAY = 0.2  # seconds: the heading without the sway of the gait
_OTHER = {"left": "right", "right": "left"}
_SHORTEST, _LONGEST = 0.4, 2.5  # seconds of a cycle


@dataclass(frozen=True, slots=True, eq=False)
class SwingLags:
    """Lags of arms behind the opposite legs.

    Attributes:
        lags: (C, A) shares of a cycle in -0.5..0.5, for each cycle and arm.
        swings: (C, A) metres, how far each hand goes to either side of its middle.
        cycles: (C, 2) frames.
    """

    lags: Float64
    swings: Float64
    cycles: np.ndarray

    def known(self) -> np.ndarray:
        """(C, A) cycles in which an arm swings enough to tell."""
        return self.swings >= SWINGS


def measure_lags(
    clip: Clip, plants: FootPlants, sides: Sequence[str] = ("left", "right"), span: tuple[int, int] | None = None
) -> SwingLags:
    """The lags of some arms in every cycle within a span of frames (all of them without one).

    A skeleton without hands or feet has none.
    """
    sides = [
        side for side in sides if clip.skeleton.has_roles(f"{side}_hand", f"{_OTHER[side]}_foot", f"{side}_upper_arm")
    ]
    low, high = (0, len(clip)) if span is None else span
    cycles = [pair for pair in gait_cycles_of(plants) if pair[0] >= low and pair[1] <= high]
    if not cycles or not sides or "hips" not in clip.skeleton.roles:
        return SwingLags(np.zeros((0, len(sides))), np.zeros((0, len(sides))), np.zeros((0, 2), np.int64))
    ways = _ways(clip, sides)
    lags, swings = np.zeros((len(cycles), len(sides))), np.zeros((len(cycles), len(sides)))
    for n, (start, end) in enumerate(cycles):
        wave = np.exp(-2j * np.pi * np.arange(end - start) / (end - start)) * (2.0 / (end - start))
        for k in range(len(sides)):
            hand, foot = (_swinging(way[start:end]) @ wave for way in ways[k])
            lags[n, k] = np.angle(hand * np.conj(foot)) / (2 * np.pi)
            swings[n, k] = abs(hand)
    return SwingLags(lags, swings, np.array(cycles))


def gait_cycles_of(plants: FootPlants) -> list[tuple[int, int]]:
    """Cycles of a gait: from where a foot begins or ends to stand alone to the next time it does, with the other foot's turn between."""
    supports = find_single_supports(plants)
    found = []
    for one, between, next_one in zip(supports, supports[1:], supports[2:], strict=False):
        if one.foot == next_one.foot != between.foot:
            if one.begins:
                found.append((one.start, next_one.start))
            if next_one.ends:
                found.append((one.end, next_one.end))
    return [pair for pair in sorted(found) if _SHORTEST <= (pair[1] - pair[0]) / plants.fps <= _LONGEST]


def lag_error(made: SwingLags, source: SwingLags | None = None) -> float | None:
    """Mean distance of lags from where they should be, a share of a cycle; None where no arm swings.

    Args:
        made: of the result.
        source: of the motion the arms come from, whose own lag is then what should be; None: arms should be in step.
    """
    known = made.known()
    if not known.any():
        return None
    wanted = np.zeros(made.lags.shape[1])
    if source is not None and source.lags.shape[1] == made.lags.shape[1]:
        for arm in range(len(wanted)):
            own = source.lags[source.known()[:, arm], arm]
            if len(own):
                wanted[arm] = np.angle(np.mean(np.exp(2j * np.pi * own))) / (2 * np.pi)
    off = made.lags - wanted
    return float(np.mean(np.abs(off - np.round(off))[known]))


def _ways(clip: Clip, sides: Sequence[str]) -> list[tuple[Float, Float]]:
    """For each arm (F,) metres that its hand is before the shoulder, and that the other side's foot is before the hips."""
    roles, world = clip.skeleton.roles, clip.world(np.float64).positions
    heading = headings(clip, HeadingParameters(smoothing=_SWAY))
    ahead = np.stack([np.sin(heading), np.zeros(len(clip)), np.cos(heading)], axis=1)

    def before(joint: str, anchor: str) -> Float:
        return np.einsum("fi,fi->f", world[:, roles[joint]] - world[:, roles[anchor]], ahead)

    return [(before(f"{side}_hand", f"{side}_upper_arm"), before(f"{_OTHER[side]}_foot", "hips")) for side in sides]


def _swinging(values: Float) -> Float:
    """A cycle's values without their mean and drift, so that only the swing is left."""
    drift = np.linspace(-0.5, 0.5, len(values)) * (values[-1] - values[0])
    return values - drift - np.mean(values - drift)
