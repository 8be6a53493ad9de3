"""`reenact plants`: when which foot stands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.analysis.plants import detect_plants, foot_findings
from reenact.cli.output import Json, print_findings, print_json
from reenact.core.foot_plants import SIDES, FootPlants
from reenact.formats.plants_text import write_plants
from reenact.loading import LoadOptions, load


def plants(
    file: Annotated[Path, typer.Argument(help="Motion file.", show_default=False)],
    choice: PlantChoice,
    reading: LoadOptions,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write them as a text file that can be edited.")
    ] = None,
    json: Json = False,
) -> int:
    """Find when which foot is planted, and the floor."""
    clip = load(file, reading)
    (given,) = choice.of([clip]) or [None]
    found = detect_plants(clip) if given is None else given
    if out is not None:
        write_plants(found, out)
    findings = foot_findings(clip, found)
    if json:
        print_json({**found.as_dict(), "out": None if out is None else str(out), "findings": list(findings)})
        return 0
    print_plants(file.name, found)
    print_findings(findings)
    return 0


def print_plants(name: str, found: FootPlants) -> None:
    """What people read: the floor, and the frames in which each foot is planted."""
    print(f"{name}: {len(found)} frames at {found.fps:g} Hz, {found.source}")
    print(f"floor at {found.floor.height:.3f} m, normal {', '.join(f'{n:.3f}' for n in found.floor.normal)}")
    for side in SIDES:
        foot = found.foot(side)
        ranges = ", ".join(f"{a}-{b}" for a, b in foot.intervals()) or "never planted"
        print(f"{side:5}: {ranges}")
