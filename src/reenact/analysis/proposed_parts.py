"""Parts that a long recording could be split into: its stretches of one gait."""

from __future__ import annotations

from collections import Counter

from reenact.analysis.classify import classify
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.splitting import Part
from reenact.errors import ParameterError


def propose_parts(clip: Clip, shortest: float, plants: FootPlants | None = None) -> list[Part]:
    """A part for each stretch of one gait that lasts long enough (seconds), named after the clip and the gait.

    `plants` are the clip's, where they are known; detected else.
    """
    known = classify(clip, plants)
    long = [part for part in known.segments if part.type != "other" and len(part) >= shortest * clip.fps]
    if not long:
        raise ParameterError(f"no stretch of walk, run, jump or stand lasts {shortest:g} s", where=clip.name)
    seen: Counter[str] = Counter()
    found = []
    for part in long:
        seen[part.type] += 1
        found.append(Part(f"{clip.name or 'clip'}-{part.type}-{seen[part.type]}", part.start, part.end))
    return found
