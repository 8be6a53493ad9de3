"""A long recording in parts: given by hand, or proposed by gait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reenact.analysis.proposed_parts import propose_parts
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.parameters import check_ranges, option
from reenact.core.splitting import Part, split
from reenact.formats.parts_text import parse_parts


@dataclass(frozen=True, slots=True)
class SplitParameters:
    """Which parts a recording is split into; without any they are proposed: one for each stretch of walk, run, jump, stand."""

    part: tuple[str, ...] = option((), "a part: 'NAME FIRST END' in frames, or seconds as 1.5s", short="-p")
    shortest: float = option(0.5, "seconds that a proposed part lasts at least", unit="s", above=0)

    def __post_init__(self) -> None:
        check_ranges(self)


def find_parts(clip: Clip, parameters: SplitParameters, plants: FootPlants | None = None) -> Sequence[Part]:
    """The parts that are asked for."""
    if parameters.part:
        return parse_parts("\n".join(parameters.part), len(clip), clip.fps, "--part")
    return propose_parts(clip, parameters.shortest, plants)


def split_clip(clip: Clip, parameters: SplitParameters | None = None, plants: FootPlants | None = None) -> list[Clip]:
    """The parts of a clip, each a clip of its own."""
    return split(clip, find_parts(clip, parameters or SplitParameters(), plants))
