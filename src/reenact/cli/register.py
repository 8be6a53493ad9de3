"""`reenact register`: which frames of clips belong together, and whether they can be blended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.blend.preparing import bring_together
from reenact.blend.registration import register
from reenact.blend.registration_parameters import RegistrationParameters
from reenact.cli.output import Json, print_findings, print_json
from reenact.errors import ParameterError
from reenact.loading import LoadOptions, load


def register_files(
    files: Annotated[list[Path], typer.Argument(help="Two or more motion files.", show_default=False)],
    parameters: RegistrationParameters,
    choice: PlantChoice,
    reading: LoadOptions,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with grid, curves, plants and blends to this file.")
    ] = None,
    json: Json = False,
) -> int:
    """Find which frames of clips belong together, and say whether the clips can be blended. Exit 1 when that is doubtful."""
    if len(files) < 2:
        raise ParameterError(f"registration needs two or more files, {len(files)} given", where="files")
    given = [load(file, reading) for file in files]
    clips, plants = bring_together(given, choice.of(given))
    told = (
        replace(parameters, gate="warn") if parameters.gate == "refuse" else parameters
    )  # to say why is what this is for
    curve = register(clips, told, plants)
    if html is not None:
        from reenact.render.registration_page import save_registration_page

        save_registration_page(curve, html)
    report = curve.report()
    quality = curve.quality
    if json:
        print_json({**report, "html": None if html is None else str(html)})
        return 0 if quality.verdict == "good" else 1
    print(f"{quality.verdict}: q {quality.q:.2f}, {100 * quality.mean_distance:.1f} cm apart on the average")
    for motion, clip in enumerate(curve.clips):
        start, end = curve.ranges[motion]
        reference = ", the reference" if motion == curve.reference else f", q {quality.each[motion]:.2f}"
        print(f"  {clip.name}: frames {start} to {end}{reference}")
    for reason in quality.reasons:
        print(f"  {reason}")
    print_findings(curve.findings)
    if html is not None:
        print(f"page: {html}")
    return 0 if quality.verdict == "good" else 1
