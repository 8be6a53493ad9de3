"""`reenact plants`: when which foot stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.analysis.plants import detect_plants, foot_findings
from reenact.cli.batch import Row, goes_one_by_one, tell_of_many, work_on_many
from reenact.cli.made_by import made_by
from reenact.cli.output import Json, print_findings, print_json
from reenact.cli.sources import BatchOptions, Source, alone, list_sources, read_source, record_sources
from reenact.cli.targets import check_place, other_targets
from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.core.foot_plants import SIDES, FootPlants
from reenact.errors import ParameterError
from reenact.formats.address import is_pipe
from reenact.formats.plants_text import write_plants
from reenact.loading import LoadOptions, load


def plants(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Motion file, or many; a library. `pack.glb#Walk` is one clip of a file, `-` a pipe.",
            show_default=False,
        ),
    ],
    choice: PlantChoice,
    reading: LoadOptions,
    batch: BatchOptions,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write them as a text file that can be edited; of many files a folder, or a pattern: 'out/{name}.plants'.",
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Find when which foot is planted, and the floor."""
    if out is not None and is_pipe(out):
        raise ParameterError("foot plants are written to a file; --json prints them", where="-o")
    if goes_one_by_one(files, out, batch):
        return _of_many(files, choice, reading, batch, out, json=json)
    if out is not None:
        check_place(out)
    clip = load(files[0], reading)
    found, findings = _find(clip, choice)
    if out is not None:
        write_plants(found, out)
    if json:
        told = {**found.as_dict(), "out": None if out is None else str(out), "findings": list(findings)}
        print_json({**told, "made_by": made_by()})
        return 0
    print_plants(files[0].name, found)
    print_findings(findings)
    return 0


def _find(clip: Clip, choice: PlantChoice) -> tuple[FootPlants, Sequence[Finding]]:
    (given,) = choice.of([clip]) or [None]
    found = detect_plants(clip) if given is None else given
    return found, foot_findings(clip, found)


@dataclass(frozen=True, slots=True)
class _PlantsOfOne:
    """Finds the foot plants of one clip of many."""

    choice: PlantChoice
    reading: LoadOptions

    def __call__(self, source: Source, target: Path | None) -> Row:
        clip, _ = read_source(source, alone(self.reading, source))
        found, findings = _find(clip, self.choice.only(clip.name))
        if target is not None:
            write_plants(found, target)
        told = {**found.as_dict(), "out": None if target is None else str(target)}
        return {**told, "findings": [finding.as_dict() for finding in findings]}


def _of_many(
    files: Sequence[Path],
    choice: PlantChoice,
    reading: LoadOptions,
    batch: BatchOptions,
    out: Path | None,
    *,
    json: bool,
) -> int:
    sources = list_sources(files, batch.query, reading)
    choice.check_named([source.name for source in sources])
    names = [source.name for source in sources]
    targets = [None] * len(names) if out is None else other_targets(out, names, (".plants", ".txt"), "foot plants")
    rows = work_on_many(_PlantsOfOne(choice, reading), sources, targets, batch, json=json)
    more = {"made_by": made_by(used=record_sources(sources))} if json else None
    return tell_of_many(rows, _line, json=json, more=more)


def _line(row: dict[str, Any]) -> str:
    counts = ", ".join(f"{len(row[side])} {side}" for side in SIDES)
    return f"{row['out'] or row['in']}: {row['frames']} frames, plants: {counts}"


def print_plants(name: str, found: FootPlants) -> None:
    """What people read: the floor, and the frames in which each foot is planted."""
    print(f"{name}: {len(found)} frames at {found.fps:g} Hz, {found.source}")
    print(f"floor at {found.floor.height:.3f} m, normal {', '.join(f'{n:.3f}' for n in found.floor.normal)}")
    for side in SIDES:
        foot = found.foot(side)
        ranges = ", ".join(f"{a}-{b}" for a, b in foot.intervals()) or "never planted"
        print(f"{side:5}: {ranges}")
