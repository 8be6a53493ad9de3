"""`adapt` as an operation: a motion fitted to a body, with its corrections and a page about it in files where that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reenact.adapt.adaptation import adapt_clip, describe, take_body
from reenact.adapt.parameters import AdaptParameters
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.parameters import option
from reenact.formats.corrections_json import write_corrections


@dataclass(frozen=True, slots=True)
class AdaptOptions(AdaptParameters):
    """How a motion is fitted to a body, and what is told about it."""

    report: Path | None = option(
        None,
        "page that shows what was done: overlaps, balance, feet, poses before and after",
        endings=(".html",),
        written=True,
    )
    corrections: Path | None = option(None, "write the corrections, layer by layer", endings=(".json",), written=True)


def adapt(given: Sequence[Any], parameters: AdaptOptions | None = None, plants: FootPlants | None = None) -> Made:
    """A motion fitted to a body; see `adapt.adaptation.adapt`. What `report` and `corrections` name is written."""
    asked = parameters or AdaptOptions()
    clip, character = take_body(given)
    made = adapt_clip(clip, character, asked, plants)
    told = describe(made)
    if asked.corrections is not None:
        write_corrections(made.corrections, asked.corrections, name=made.source.name)
        told["corrections"] = str(asked.corrections)
    if asked.report is not None:
        from reenact.render.adapt_page import save_adapt_page

        save_adapt_page(made, asked.report)
        told["page"] = str(asked.report)
    return Made(made.clip, told, made.plants, made.character)
