"""What a graft is told by: which frames belong together and why, what was masked, what there is to doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.core.arrays import Int
from reenact.graft.chain_choice import ChosenChains
from reenact.graft.composition_rules import objection
from reenact.graft.graft_parameters import GraftParameters
from reenact.graft.limb_exchange import Exchanged
from reenact.graft.swing_phase import lag_error, measure_lags
from reenact.graft.time_choice import ChosenTime, Motion, describe_alternates
from reenact.solve.result_quality import LIMITS, worst_push
from reenact.solve.shown import Shown

_ALONE = 0.3  # seconds in which the source alone should be seen
_LARGE_TURN = np.radians(35)
_FAST = 2.0  # a source played faster, or slower by as much, looks hurried or drowsy
_LATE = 0.15  # of a cycle: arms this far from how the source swings them are out of step
_MOSTLY = 0.8  # share of the source from which on a frame shows how its arms swing
_HURRIES = 1.5  # times as fast as in base and source: a limb that turns so in a blend pops in
_FAR = 0.03  # metres that a hand may stay away from its place


@dataclass(frozen=True, slots=True, eq=False)
class Graft:
    """A graft and what it was made of.

    Attributes:
        base, source: on one skeleton, at one rate.
        chosen: what was replaced.
        time: the map of time.
        made: the exchange.
        parameters: as asked.
        ratio: frames at the base's rate for one of the source's own.
        mapped: the source had another skeleton.
    """

    base: Motion
    source: Motion
    chosen: ChosenChains
    time: ChosenTime
    made: Exchanged
    parameters: GraftParameters
    ratio: float
    mapped: bool

    @property
    def span(self) -> tuple[int, int]:
        """Half-open range of frames that were replaced."""
        return int(self.made.frames[0]), int(self.made.frames[-1]) + 1

    @property
    def partners(self) -> Int:
        """(N,) for each frame replaced the nearest frame of the source."""
        at = np.rint(self.time.map.at(self.made.frames)).astype(np.int64)
        return np.clip(at, 0, len(self.source.clip) - 1)

    def push(self) -> tuple[float, int, int]:
        """(ratio, joint, frame) of the joint that is pushed hardest against how it is in base and source."""
        shown = np.full(len(self.base.clip), -1)
        shown[self.made.frames] = self.partners
        sources = [
            Shown(self.base.clip, self.base.plants, np.arange(len(self.base.clip))),
            Shown(self.source.clip, self.source.plants, shown),
        ]
        return worst_push(self.made.clip, sources, *self.span)

    def phase_error(self) -> float | None:
        """Share of a cycle by which the grafted arms swing otherwise with the legs than in the source; None where that is not known."""
        if not self.chosen.arms or self.base.plants is None or self.source.plants is None:
            return None
        alone = self.made.frames[self.made.shares >= _MOSTLY]
        if not len(alone):
            return None
        own = measure_lags(self.source.clip, self.source.plants, self.chosen.arms)
        if not own.known().any():
            return None
        span = int(alone[0]), int(alone[-1]) + 1
        return lag_error(measure_lags(self.made.clip, self.base.plants, self.chosen.arms, span), own)


def graft_report(graft: Graft) -> dict[str, Any]:
    """Plain values for people and programs."""
    base, source, time, made = graft.base, graft.source, graft.time, graft.made
    start, end = graft.span
    at = time.map.at([start, end - 1]) / graft.ratio
    phase, push = graft.phase_error(), graft.push()
    told = {
        "base": base.clip.name,
        "source": source.clip.name,
        "types": {"base": base.type, "source": source.type},
        "masked": graft.chosen.describe(base.clip.skeleton),
        "keep": graft.parameters.keep,
        "correlation": time.map.how + (f" ({time.map.words})" if time.map.words else ""),
        "shift": time.map.shift,
        "shifts": describe_alternates(time),
        "transition_point": None if time.point is None else [time.point.base, round(time.point.source / graft.ratio)],
        "domain": [start, end],
        "source_frames": [round(float(one), 1) for one in at],
        "speeds": [round(one, 3) for one in time.map.speeds],
        "blend_frames": [int(np.argmax(made.shares == 1.0)), int(np.argmax(made.shares[::-1] == 1.0))]
        if np.any(made.shares == 1.0)
        else [len(made.shares), 0],
        "phase_error": None if phase is None else round(phase, 4),
        "spine_degrees": round(float(np.degrees(made.turns.max(initial=0.0))), 1),
        "acceleration": round(push[0], 3),
        "doubts": _doubts(graft, phase, push),
    }
    if graft.mapped:
        told["mapped"] = f"{source.clip.name} was brought onto the skeleton of {base.clip.name}"
    return told


def _doubts(graft: Graft, phase: float | None, push: tuple[float, int, int]) -> list[str]:
    """In words, what speaks against a graft."""
    made, (slow, fast) = graft.made, graft.time.map.speeds
    found = [objection(graft.source.type, graft.base.type), *graft.time.doubts]
    alone = int(np.sum(made.shares == 1.0))
    if alone < _ALONE * graft.base.clip.fps:
        found.append(f"only {alone} frames show the source alone, the others are blends")
    if max(fast, 1 / slow) > _FAST:
        found.append(f"the source is played between {slow:.2f} and {fast:.2f} times as fast as recorded")
    if phase is not None and phase > _LATE:
        found.append(
            f"the arms are {100 * phase:.0f} % of a cycle away from how they swing with the legs in the source"
        )
    turned = float(made.turns.max(initial=0.0))
    if turned > _LARGE_TURN:
        found.append(
            f"the spine takes up {np.degrees(turned):.0f} degrees between the pelvis of the base and the source's"
        )
    if made.short.max(initial=0.0) > _FAR:
        found.append(f"a hand stays {100 * made.short.max():.0f} cm short of where the source has it")
    joint, hurries = made.haste
    if hurries > _HURRIES:
        found.append(
            f"{graft.base.clip.skeleton.names[joint]} turns {hurries:.1f} times as fast in a blend as anywhere in base and source"
        )
    ratio, joint, frame = push
    if ratio > LIMITS["acceleration"][1]:
        name = graft.base.clip.skeleton.names[joint]
        found.append(f"{name} is pushed {ratio:.2f} times as hard as in its sources (frame {frame})")
    return [words for words in found if words]
