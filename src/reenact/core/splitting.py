"""Splitting a long recording into named parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Part:
    """Frames [start, end) of a recording under a name of their own."""

    name: str
    start: int
    end: int


def split(clip: Clip, parts: Sequence[Part]) -> list[Clip]:
    """The parts of a clip, each counted from 0, nothing else changed. Parts may overlap and leave frames out.

    Raises:
        ParameterError: a part that is empty, reversed or not within the clip, a name that is empty or stands twice; nothing is split then.
    """
    if not parts:
        raise ParameterError("there is nothing to split into: name at least one part", where=clip.name)
    names = set()
    for part in parts:
        if not part.name or part.name in names:
            raise ParameterError(f"a part needs a name of its own, not {part.name!r}", where=clip.name)
        names.add(part.name)
        if part.start >= part.end:
            told = "is empty" if part.start == part.end else "ends before it begins"
            raise ParameterError(f"part {part.name!r}, frames {part.start} to {part.end}, {told}", where=clip.name)
        if not 0 <= part.start < part.end <= len(clip):
            raise ParameterError(
                f"part {part.name!r}, frames {part.start} to {part.end}, is not within the clip, which has frames 0 to {len(clip)}",
                where=clip.name,
            )
    return [cut_frames(clip, part.start, part.end).renamed(part.name) for part in parts]
