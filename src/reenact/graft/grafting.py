"""Grafting: the arms, head or whole upper body of one motion on the legs of another, in step with them.

Shanbhag (2009), chapter 5; reuse specification 3.10 to 3.13. Root and legs are the base's to the last bit and its foot plants are carried
as they are; the source's time is bent so that its steps fall together with the base's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reenact.analysis.carried_plants import known_plants, one_for_each
from reenact.analysis.classify import classify
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.progress import tell
from reenact.errors import ParameterError
from reenact.graft.chain_choice import choose_chains
from reenact.graft.graft_parameters import GraftParameters
from reenact.graft.graft_report import Graft, graft_report
from reenact.graft.limb_exchange import exchange_limbs
from reenact.graft.other_maps import parse_range
from reenact.graft.time_choice import Motion, choose_time
from reenact.solve.bringing import bring_onto

__all__ = ["GraftParameters", "build_graft", "finish_graft", "graft_clips", "make_graft"]

_LEAST = 4  # frames of a clip


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
) -> Made:
    """The limbs of the source on the body of the base; see `graft_clips`.

    Returns:
        clip as long as the base (or cut to what was grafted), with the base's plants; the report says which frames belong together and
        why, what was masked, and what there is to doubt.
    """
    return finish_graft(build_graft(base, source, parameters, base_plants, source_plants))


def build_graft(
    base: Clip,
    source: Clip,
    parameters: GraftParameters | None = None,
    base_plants: FootPlants | None = None,
    source_plants: FootPlants | None = None,
    *,
    types: tuple[str, str] | None = None,
) -> Graft:
    """A graft with all that was used to make it, for those who want to measure it.

    Args:
        base: the motion whose root and legs are kept.
        source: the motion whose limbs are taken.
        parameters: see `GraftParameters`.
        base_plants: foot plants of the base; found when not given, as are those of the source.
        source_plants: foot plants of the source.
        types: what base and source are (stand, walk, run, jump, other), where that is known.
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
    tell(0.0, "finding foot plants")
    base_plants, source_plants = known_plants(base, base_plants), known_plants(source, source_plants)
    brought = bring_onto(source, base, source_plants, base_plants, other_joints=parameters.map)
    ours = Motion(base, base_plants, types[0] if types else _type_of(base, base_plants))
    theirs = Motion(brought.clip, brought.plants, types[1] if types else _type_of(source, source_plants))
    asked = parse_range(parameters.source_range, source, "source_range")
    ratio = (len(brought.clip) - 1) / (len(source) - 1)
    wanted = None if asked is None else (asked[0] * ratio, (asked[1] - 1) * ratio + 1)
    tell(0.3, "bringing both in step")
    time = choose_time(ours, theirs, chosen, parameters, wanted)
    tell(0.7, "exchanging limbs")
    made = exchange_limbs(base, brought.clip, source, time.map, chosen, parameters.keep, parameters.blend)
    return Graft(ours, theirs, chosen, time, made, parameters, ratio, brought.mapped)


def finish_graft(graft: Graft) -> Made:
    """What is handed back: the clip, cut where that was asked for, the base's plants, and the report."""
    clip = replace(graft.made.clip, name=f"{graft.base.clip.name}+{graft.source.clip.name}")
    plants = graft.base.plants
    if graft.parameters.cut:
        span = graft.span
        clip = replace(cut_frames(clip, *span), name=clip.name)
        plants = None if plants is None else plants.cut(*span)
    return Made(clip, graft_report(graft), plants)


def _type_of(clip: Clip, plants: FootPlants | None) -> str:
    return "other" if plants is None else classify(clip, plants).type
