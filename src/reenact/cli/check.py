"""`reenact check`: the quality report of files or of a library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.analysis.quality import QualityComparison, QualityLimits, QualityReport, check_clip, compare_reports
from reenact.cli.output import Json, print_error, print_json
from reenact.core.clip import Clip
from reenact.errors import ParameterError, ReenactError
from reenact.loading import LoadOptions, choose_clip, load_all


def check(
    files: Annotated[list[Path], typer.Argument(help="Motion files, or a library folder.", show_default=False)],
    given: QualityLimits,
    choice: PlantChoice,
    reading: LoadOptions,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with plots to this file.")] = None,
    limits: Annotated[
        Path | None, typer.Option("--limits", help="Text file with lines `name value`; see docs/quality.md.")
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--against",
            help="What the first file was made of (further sources may follow it): each joint is compared with itself, planted feet "
            "with those of the sources. Exit 1 when something is over a limit or new.",
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Find what is wrong with motion: skate, floor, pops, flips, frames, noise, joints, time. Exit 1 when something is over a limit."""
    usual = asdict(QualityLimits())
    changed = {name: value for name, value in asdict(given).items() if value != usual[name]}
    bounds = replace(read_quality_limits(limits) if limits is not None else QualityLimits(), **changed)
    compare = bool(against)
    if against:
        files = [files[0], *against, *files[1:]]
    reports: list[tuple[str, QualityReport]] = []
    entries: list[dict[str, Any]] = []
    clips: list[str] = []
    motions: list[Clip] = []
    failed = 0
    for file in files:
        try:
            for name, path, clip in _clips(file, reading, one=compare):
                place = 0 if compare and len(choice.plants) == 1 else len(reports)  # one file for result and source
                fits = not compare or place == len(reports) or len(clip) == len(motions[0])
                report = check_clip(clip, bounds, choice.of_one(clip, place) if fits else None)
                reports.append((name, report))
                clips.append(clip.name)
                motions.append(clip)
                entries.append({"path": path, **report.as_dict()})
        except (ReenactError, OSError) as error:
            if len(files) == 1 or compare:
                raise
            failed += 1
            message = error.message if isinstance(error, ReenactError) else error.strerror or str(error)
            entries.append(
                {
                    "path": str(file),
                    "error": {"code": getattr(error, "code", "os"), "message": message, "where": str(file)},
                }
            )
            if not json:
                print_error(message, "", str(getattr(error, "where", "") or file), False)
    if not failed and not (compare and len(choice.plants) == 1):
        choice.check(clips)
    comparison = (
        compare_reports(*(report for _, report in reversed(reports))) if len(motions) == 2 and compare else None
    )
    measured, new = None, []
    if compare:
        known = {finding.code for _, report in reports[1:] for finding in report.over}
        new = [finding for finding in reports[0][1].over if finding.code not in known] if comparison is None else []
        from reenact.solve.result_matching import measure_against

        measured = measure_against(motions[0], reports[0][1].plants, motions[1:])
    if html is not None:
        from reenact.render.quality_page import save_quality_page

        title = f"{reports[0][0]} against {', '.join(name for name, _ in reports[1:])}" if compare else _title(files)
        shown = reports if comparison is None else reports[::-1]  # before, then after
        save_quality_page(shown, html, title, comparison)
    if json:
        answer: dict[str, Any] = {"files": entries}
        if measured is not None:
            answer["against"] = {**measured.describe(), "doubts": measured.doubts(), "plants": measured.plants}
            answer["against"]["played"] = [
                {"clip": clip.name, "time": share} for clip, share in zip(motions[1:], measured.played, strict=True)
            ]
            answer["against"]["new"] = new if comparison is None else list(comparison.new)
        if comparison is not None:
            answer["compare"] = _comparison_entry(comparison)
        if html is not None:
            answer["html"] = str(html)
        print_json(answer)
    else:
        from reenact.cli.check_output import print_against, print_comparison, print_new, print_reports

        if measured is None:
            print_reports(reports)
        else:
            print_against(measured, reports[0][0], [name for name, _ in reports[1:]])
        if comparison is not None:
            print_comparison(comparison, reports[1][0], reports[0][0])
        print_new(new)
        if html is not None:
            print(f"page: {html}")
    if failed:
        return 2
    if measured is not None:
        return 0 if not measured.doubts() and not new and (comparison is None or comparison.ok) else 1
    return 0 if all(report.ok for _, report in reports) else 1


def read_quality_limits(path: Path) -> QualityLimits:
    """The default limits with those of a file instead."""
    from reenact.errors import FormatError
    from reenact.formats.limits_text import read_limits

    try:
        return QualityLimits().changed(read_limits(path))
    except ParameterError as error:
        raise FormatError(error.message, path=path) from None


def _clips(file: Path, reading: LoadOptions, *, one: bool) -> Iterator[tuple[str, str, Clip]]:
    """Name for people, path for scripts, and clip: of a file's clips, or of a library's."""
    if file.is_dir():
        from reenact.library import Library

        with Library(file, read_only=True) as library:
            for entry in library:
                yield entry.name, f"{file}/{entry.name}", library.clip(entry.id)
        return
    loaded = load_all(file, reading)
    if one or reading.clip is not None or len(loaded.clips) == 1:
        yield file.name, str(file), choose_clip(loaded, reading.clip, file)
        return
    for clip in loaded.clips:
        yield f"{file.name}#{clip.name}", str(file), clip


def _title(files: list[Path]) -> str:
    return f"Quality of {files[0].name}" if len(files) == 1 else f"Quality of {len(files)} files"


def _comparison_entry(comparison: QualityComparison) -> dict[str, Any]:
    return {
        "changes": [asdict(change) for change in comparison.changes],
        "new": list(comparison.new),
        "gone": list(comparison.gone),
    }
