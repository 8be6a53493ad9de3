"""`reenact classify`: what a clip is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.analysis.classify import CLASSIFIERS, Classification, classify, usual_detector
from reenact.analysis.plant_choice import PlantChoice
from reenact.analysis.plants import detect_plants, foot_findings
from reenact.cli.batch import Row, goes_one_by_one, tell_of_many, work_on_many
from reenact.cli.made_by import made_by
from reenact.cli.output import Json, print_findings, print_json
from reenact.cli.sources import BatchOptions, Source, alone, list_sources, read_source, record_sources
from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.errors import ParameterError
from reenact.loading import LoadOptions, load


def classify_file(
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
    classifier: Annotated[str, typer.Option(help=f"One of {', '.join(CLASSIFIERS)}.")] = "steps",
    json: Json = False,
) -> int:
    """Say whether a clip is a stand, walk, run, jump or other, and where each begins and ends."""
    if classifier not in CLASSIFIERS:
        raise ParameterError(f"no classifier {classifier!r}; there are {', '.join(CLASSIFIERS)}", where="classifier")
    if goes_one_by_one(files, None, batch):
        sources = list_sources(files, batch.query, reading)
        choice.check_named([source.name for source in sources])
        work = _TypeOfOne(choice, reading, classifier)
        rows = work_on_many(work, sources, [None] * len(sources), batch, json=json)
        more = {"made_by": made_by(used=record_sources(sources))} if json else None
        return tell_of_many(rows, _line, json=json, more=more)
    clip = load(files[0], reading)
    result, findings = _classify(clip, choice, classifier)
    if json:
        print_json({**result.as_dict(), "findings": findings, "made_by": made_by()})
        return 0
    print(_line({"in": files[0].name, **result.as_dict()}))
    for segment in result.segments:
        seconds = f"{segment.start / clip.fps:.2f} s to {segment.end / clip.fps:.2f} s"
        print(f"{segment.type:5} {segment.start:6} - {segment.end:<6} {seconds}")
    print_findings(findings)
    return 0


def _classify(clip: Clip, choice: PlantChoice, classifier: str) -> tuple[Classification, list[Finding]]:
    usual = usual_detector(classifier)
    (given,) = choice.of([clip], usual) or [None]
    found = detect_plants(clip, usual) if given is None else given
    return classify(clip, found, classifier), list(foot_findings(clip, found))


@dataclass(frozen=True, slots=True)
class _TypeOfOne:
    """Classifies one clip of many."""

    choice: PlantChoice
    reading: LoadOptions
    classifier: str

    def __call__(self, source: Source, target: Path | None) -> Row:
        clip, _ = read_source(source, alone(self.reading, source))
        result, findings = _classify(clip, self.choice.only(clip.name), self.classifier)
        return {**result.as_dict(), "findings": [finding.as_dict() for finding in findings]}


def _line(row: dict[str, Any]) -> str:
    shares = ", ".join(f"{kind} {share:.0%}" for kind, share in row["shares"].items())
    return f"{row['in']}: {row['type']} ({shares})"
