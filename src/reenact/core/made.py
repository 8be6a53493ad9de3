"""What a method hands back: a new clip, its foot plants, and what the method measured about its own result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the list of operations imports this module and must come at once
    from reenact.core.clip import Clip
    from reenact.core.foot_plants import FootPlants


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A new clip and what is known about it. The functions of `reenact` take it wherever they take a clip.

    Attributes:
        clip: the motion; its plants travel with it.
        report: plain values (numbers, texts, lists, dicts) that can be printed as JSON.
        plants: foot plants carried from the sources, one state per frame of `clip`; None where the method does not know them.
        character: the body the motion was made for (a `body.character.Character`), which is written with it; None: any that fits.
    """

    clip: Clip
    report: dict[str, Any] = field(default_factory=dict)
    plants: FootPlants | None = None
    character: Any = None

    def __post_init__(self) -> None:
        if self.plants is None:
            object.__setattr__(self, "plants", self.clip.plants)
        elif self.clip.plants is not self.plants:
            object.__setattr__(self, "clip", self.clip.with_plants(self.plants))

    def __len__(self) -> int:
        return len(self.clip)


def clip_of(given: Clip | Made) -> Clip:
    """The clip itself, or the one that was made."""
    return given.clip if isinstance(given, Made) else given


def with_credits(made: Made, sources: Iterable[Clip]) -> Made:
    """What was made with the credits of all its sources, which its report lists."""
    from reenact.core.origin import join_credits

    credits = join_credits(*(clip.origin.credits for clip in sources))
    if not credits:
        return made
    told = {**made.report, "credits": [str(credit) for credit in credits]}
    return Made(made.clip.with_origin(replace(made.clip.origin, credits=credits)), told, made.plants, made.character)
