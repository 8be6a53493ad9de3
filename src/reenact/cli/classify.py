"""`reenact classify`: what a clip is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reenact.analysis.classify import CLASSIFIERS, classify, usual_detector
from reenact.analysis.plant_choice import PlantChoice
from reenact.analysis.plants import detect_plants, foot_findings
from reenact.cli.output import Json, print_findings, print_json
from reenact.errors import ParameterError
from reenact.loading import LoadOptions, load


def classify_file(
    file: Annotated[Path, typer.Argument(help="Motion file.", show_default=False)],
    choice: PlantChoice,
    reading: LoadOptions,
    classifier: Annotated[str, typer.Option(help=f"One of {', '.join(CLASSIFIERS)}.")] = "steps",
    json: Json = False,
) -> int:
    """Say whether a clip is a stand, walk, run, jump or other, and where each begins and ends."""
    if classifier not in CLASSIFIERS:
        raise ParameterError(f"no classifier {classifier!r}; there are {', '.join(CLASSIFIERS)}", where="classifier")
    clip = load(file, reading)
    usual = usual_detector(classifier)
    (given,) = choice.of([clip], usual) or [None]
    found = detect_plants(clip, usual) if given is None else given
    result = classify(clip, found, classifier)
    findings = foot_findings(clip, found)
    if json:
        print_json({**result.as_dict(), "findings": list(findings)})
        return 0
    shares = ", ".join(f"{kind} {share:.0%}" for kind, share in result.shares.items())
    print(f"{file.name}: {result.type} ({shares})")
    for segment in result.segments:
        seconds = f"{segment.start / clip.fps:.2f} s to {segment.end / clip.fps:.2f} s"
        print(f"{segment.type:5} {segment.start:6} - {segment.end:<6} {seconds}")
    print_findings(findings)
    return 0
