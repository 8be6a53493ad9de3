"""What else is asked of a motion and a body: `balance`, `grow` and `volumes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from reenact.adapt.adaptation import adapt_clip, describe, take_body
from reenact.adapt.parameters import AdaptParameters
from reenact.analysis.carried_plants import known_plants
from reenact.body.character import Character
from reenact.body.growth import GrowthParameters, grow
from reenact.body.masses import SOURCES, Source, body_masses
from reenact.body.soles import soles
from reenact.body.standing import standing_still
from reenact.body.volumes import describe_volumes, limb_volumes
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.role_finding import assign_roles
from reenact.errors import ParameterError
from reenact.solve.skeleton_map import map_with_plants


@dataclass(frozen=True, slots=True)
class BalanceParameters:
    """How balance is kept."""

    girth: float = option(1.0, "grow the body first: its girth", low=0.4, high=3.0)
    threshold: float = option(
        1.0, "of the recording's distance between balance and soles, how much is allowed; below 0.9 it looks like a cartoon",
        low=0.0, high=2.0,
    )  # fmt: skip
    spacing: float = option(
        0.12, "time from one control point of a correction to the next", unit="s", low=0.03, high=1.0
    )

    def __post_init__(self) -> None:
        check_ranges(self)


def balance(
    clips: Sequence[Any], parameters: BalanceParameters | None = None, plants: FootPlants | None = None
) -> Made:
    """A motion on a body with its weight as near to the soles as it was; limbs may overlap. See `adapt` for both in one."""
    asked = parameters or BalanceParameters()
    clip, character = take_body(clips)
    made = adapt_clip(
        clip,
        character,
        AdaptParameters(girth=asked.girth, threshold=asked.threshold, spacing=asked.spacing, stages="feet,balance"),
        plants,
    )
    if not made.balance:
        raise ParameterError("no foot of the motion is planted, so nothing is known of its balance", where=clip.name)
    return Made(made.clip, describe(made), made.plants, made.character)


def grow_body(
    clips: Sequence[Any], parameters: GrowthParameters | None = None, plants: FootPlants | None = None
) -> Made:
    """A motion on a grown body, brought onto its skeleton and otherwise as it is."""
    clip, character = take_body(clips)
    asked = parameters or GrowthParameters()
    grown = grow(character, asked)
    grown = replace(grown, skeleton=assign_roles(grown.skeleton)[0])
    mapped, held = map_with_plants(clip, standing_still(grown), known_plants(clip, plants))
    report = {
        "girths": asked.by_group(),
        "kilogrammes": [round(body_masses(one).total, 1) for one in (character, grown)],
    }
    return Made(mapped, report, held, grown)


@dataclass(frozen=True, slots=True)
class VolumeParameters:
    """How a body is measured."""

    girth: float = option(1.0, "grow the body first: its girth", low=0.4, high=3.0)
    masses: Source = option("integrated", "where masses come from: what the skin holds, volumes, or a table of shares")
    kilogrammes: float | None = option(
        None, "what the body weighs; default: by its volume and densities", unit="kg", above=0
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.masses not in SOURCES:
            raise ParameterError(f"no source of masses {self.masses!r}; there are {', '.join(SOURCES)}", where="masses")


def measure_body(given: Sequence[Any], parameters: VolumeParameters | None = None) -> dict[str, Any]:
    """Parts of a body with their volumes and masses, the shares of its limbs, and its soles."""
    asked = parameters or VolumeParameters()
    if len(given) != 1 or not isinstance(given[0], Character):
        raise ParameterError("this takes one character with a skinned mesh", where="body")
    character = grow(given[0], GrowthParameters(girth=asked.girth))
    masses = body_masses(limb_volumes(character), asked.masses, total=asked.kilogrammes)
    told = describe_volumes(character)
    for row, mass in zip(told["parts"], masses.masses, strict=True):
        row["kilogrammes"] = round(float(mass), 3)
    under = soles(character)
    return {
        "character": character.name,
        "kilogrammes": round(masses.total, 2),
        "shares": {group: round(share, 4) for group, share in masses.shares().items()},
        "soles": {
            side: {"length_m": round(under[side].length, 4), "width_m": round(under[side].width, 4)}
            for side in under.sides
        },
        **told,
        "findings": [finding.as_dict() for finding in under.findings],
    }
