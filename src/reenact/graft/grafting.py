"""Grafting: the arms, head or whole upper body of one motion on the legs of another, in step with them.

Shanbhag (2009), chapter 5; reuse specification 3.10 to 3.13. Root and legs are the base's to the last bit and its foot plants are carried
as they are; the source's time is bent so that its steps fall together with the base's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reenact.analysis.carried_plants import known_plants, one_for_each
from reenact.analysis.classify import classify
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.errors import ParameterError
from reenact.graft.chain_choice import ChosenChains, choose_chains
from reenact.graft.composition_rules import objection
from reenact.graft.graft_parameters import GraftParameters
from reenact.graft.limb_exchange import Exchanged, exchange_limbs
from reenact.graft.other_maps import parse_range
from reenact.graft.swing_phase import lag_error, measure_lags
from reenact.graft.time_choice import ChosenTime, Motion, choose_time, describe_alternates
from reenact.solve.bringing import bring_onto
from reenact.solve.result_quality import LIMITS, Shown, worst_push

__all__ = ["GraftParameters", "graft_clips", "make_graft"]

_LEAST = 4  # frames of a clip
_LARGE_TURN = np.radians(35)
_FAST = 2.0  # a source played faster, or slower by as much, looks hurried or drowsy
_LATE = 0.15  # of a cycle: arms this far from how the source swings them are out of step
_MOSTLY = 0.8  # share of the source from which on a frame shows how its arms swing
_FAR = 0.03  # metres that a hand may stay away from its place


def graft_clips(
    clips: Sequence[Clip],
    parameters: GraftParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made:
    """The limbs of the second clip on the body of the first.

    Args:
        clips: base and source.
        parameters: see `GraftParameters`.
        plants: foot plants of both; those that are None are found.

    Raises:
        ParameterError: another number of clips, an unknown chain, ranges that leave nothing, or steps that cannot be paired.
        SkeletonError: other joints, and that was not asked for.
    """
    if len(clips) != 2:
        raise ParameterError(f"a graft takes two clips, base and source, {len(clips)} given")
    base, source = clips
    own, other = one_for_each(plants, clips)
    return make_graft(base, source, parameters, own, other)


def make_graft(
    base: Clip,
    source: Clip,
    parameters: GraftParameters | None = None,
    base_plants: FootPlants | None = None,
    source_plants: FootPlants | None = None,
    *,
    types: tuple[str, str] | None = None,
) -> Made:
    """The limbs of the source on the body of the base; see `graft_clips`.

    Args:
        types: what base and source are (stand, walk, run, jump, other), where that is known.

    Returns:
        clip as long as the base (or cut to what was grafted), with the base's plants; the report says which frames belong together and
        why, what was masked, and what there is to doubt.
    """
    parameters = parameters or GraftParameters()
    for clip in (base, source):
        if len(clip) < _LEAST:
            raise ParameterError(
                f"a graft needs clips of at least {_LEAST} frames, this has {len(clip)}", where=clip.name
            )
        if not (np.isfinite(clip.root).all() and np.isfinite(clip.rotations).all()):
            raise ParameterError("the clip holds numbers that are none", where=clip.name)
    chosen = choose_chains(base.skeleton, parameters.chains, include_base=parameters.include_base)
    base_plants, source_plants = known_plants(base, base_plants), known_plants(source, source_plants)
    brought = bring_onto(source, base, source_plants, base_plants, other_joints=parameters.map)
    ours = Motion(base, base_plants, types[0] if types else _type_of(base, base_plants))
    theirs = Motion(brought.clip, brought.plants, types[1] if types else _type_of(source, source_plants))
    asked = parse_range(parameters.source_range, source, "source_range")
    ratio = (len(brought.clip) - 1) / (len(source) - 1)
    wanted = None if asked is None else (asked[0] * ratio, (asked[1] - 1) * ratio + 1)
    time = choose_time(ours, theirs, chosen, parameters, wanted)
    made = exchange_limbs(base, brought.clip, source, time.map, chosen, parameters.keep, parameters.blend)
    clip = replace(made.clip, name=f"{base.name}+{source.name}")
    report = _report(ours, theirs, chosen, time, made, parameters, ratio)
    if brought.mapped:
        report["mapped"] = f"{source.name} was brought onto the skeleton of {base.name}"
    plants = base_plants
    if parameters.cut:
        span = int(made.frames[0]), int(made.frames[-1]) + 1
        clip = replace(cut_frames(clip, *span), name=clip.name)
        plants = None if plants is None else plants.cut(*span)
    return Made(clip, report, plants)


def _type_of(clip: Clip, plants: FootPlants | None) -> str:
    return "other" if plants is None else classify(clip, plants).type


def _report(
    base: Motion,
    source: Motion,
    chosen: ChosenChains,
    time: ChosenTime,
    made: Exchanged,
    parameters: GraftParameters,
    ratio: float,
) -> dict[str, Any]:
    start, end = int(made.frames[0]), int(made.frames[-1]) + 1
    at = time.map.at([start, end - 1]) / ratio
    phase = _phase_error(base, source, chosen, made)
    shown = np.full(len(base.clip), -1)
    shown[made.frames] = np.clip(np.rint(time.map.at(made.frames)), 0, len(source.clip) - 1).astype(int)
    sources = [Shown(base.clip, base.plants, np.arange(len(base.clip))), Shown(source.clip, source.plants, shown)]
    push, joint, frame = worst_push(made.clip, sources, start, end)
    speeds = time.map.speeds
    doubts = [objection(source.type, base.type), *time.doubts]
    doubts.append(_too_short(base, made))
    if max(speeds[1], 1 / speeds[0]) > _FAST:
        doubts.append(f"the source is played between {speeds[0]:.2f} and {speeds[1]:.2f} times as fast as recorded")
    if phase is not None and phase > _LATE:
        doubts.append(
            f"the arms are {100 * phase:.0f} % of a cycle away from how they swing with the legs in the source"
        )
    if made.turns.max(initial=0.0) > _LARGE_TURN:
        turned = np.degrees(made.turns.max())
        doubts.append(f"the spine takes up {turned:.0f} degrees between the pelvis of the base and that of the source")
    if made.short.max(initial=0.0) > _FAR:
        doubts.append(f"a hand stays {100 * made.short.max():.0f} cm short of where the source has it")
    if push > LIMITS["acceleration"][1]:
        name = base.clip.skeleton.names[joint]
        doubts.append(f"{name} is pushed {push:.2f} times as hard as in its sources (frame {frame})")
    return {
        "base": base.clip.name,
        "source": source.clip.name,
        "types": {"base": base.type, "source": source.type},
        "masked": chosen.describe(base.clip.skeleton),
        "keep": parameters.keep,
        "correlation": time.map.how + (f" ({time.map.words})" if time.map.words else ""),
        "shift": time.map.shift,
        "shifts": describe_alternates(time),
        "transition_point": None if time.point is None else [time.point.base, round(time.point.source / ratio)],
        "domain": [start, end],
        "source_frames": [round(float(one), 1) for one in at],
        "speeds": [round(one, 3) for one in speeds],
        "phase_error": None if phase is None else round(phase, 4),
        "spine_degrees": round(float(np.degrees(made.turns.max(initial=0.0))), 1),
        "acceleration": round(push, 3),
        "doubts": [words for words in doubts if words],
    }


def _too_short(base: Motion, made: Exchanged) -> str:
    full = int(np.sum(made.shares == 1.0))
    if full < 0.3 * base.clip.fps:
        return f"only {full} frames show the source alone, the others are blends"
    return ""


def _phase_error(base: Motion, source: Motion, chosen: ChosenChains, made: Exchanged) -> float | None:
    """How far the grafted arms are from swinging with the legs as in the source; None where no arm is grafted or swings."""
    if not chosen.arms or base.plants is None or source.plants is None:
        return None
    alone = made.frames[made.shares >= _MOSTLY]
    if not len(alone):
        return None
    span = int(alone[0]), int(alone[-1]) + 1
    own = measure_lags(source.clip, source.plants, chosen.arms)
    if not own.known().any():
        return None
    return lag_error(measure_lags(made.clip, base.plants, chosen.arms, span), own)
