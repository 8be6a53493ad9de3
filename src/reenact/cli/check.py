"""`reenact check`: the quality report of files or of a library."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.analysis.quality import QualityComparison, QualityLimits, QualityReport, check_clip, compare_reports
from reenact.cli.library_output import simple_bar
from reenact.cli.output import Json, print_error, print_json
from reenact.cli.workers import WorkerOptions
from reenact.compute.executor import executor_for
from reenact.core.clip import Clip
from reenact.errors import ParameterError, ReenactError
from reenact.loading import LoadOptions, choose_clip, load_all

WORTH_A_PROCESS = 8  # clips; starting a process takes about as long as measuring these


def check(
    files: Annotated[list[Path], typer.Argument(help="Motion files, or a library folder.", show_default=False)],
    given: QualityLimits,
    choice: PlantChoice,
    reading: LoadOptions,
    work: WorkerOptions,
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
    place_counts = compare or choice.by_place
    if place_counts:
        found = _in_turn(files, reading, bounds, choice, motions, compare=compare)
    else:
        found = check_many(files, reading, bounds, choice, work, curves=html is not None, hidden=json)
    for file, rows, error in found:
        for name, path, report in rows:
            reports.append((name, report))
            clips.append(report.name)
            entries.append({"path": path, **report.as_dict()})
        if error is not None:
            if len(files) == 1 or compare:
                raise error
            failed += 1
            message = error.message if isinstance(error, ReenactError) else error.strerror or str(error)
            told = {"code": getattr(error, "code", "os"), "message": message, "where": str(file)}
            entries.append({"path": str(file), "error": told})
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


Row = tuple[str, str, QualityReport]
"""Name for people, path for scripts, and report of a clip."""

Checked = tuple[Path, list[Row], ReenactError | OSError | None]
"""What came of a file, or of a clip of a library: its clips, and what was wrong with it."""


def _in_turn(
    files: Sequence[Path],
    reading: LoadOptions,
    bounds: QualityLimits,
    choice: PlantChoice,
    motions: list[Clip],
    *,
    compare: bool,
) -> Iterator[Checked]:
    """Clips one after the other, where it matters which is the first; `motions` is filled with them."""
    for file in files:
        rows: list[Row] = []
        try:
            for name, path, clip in _clips(file, reading, one=compare):
                count = len(motions)
                place = 0 if compare and len(choice.plants) == 1 else count  # one file for result and source
                fits = not compare or place == count or len(clip) == len(motions[0])
                rows.append((name, path, check_clip(clip, bounds, choice.of_one(clip, place) if fits else None)))
                motions.append(clip)
        except (ReenactError, OSError) as error:
            yield file, rows, error
        else:
            yield file, rows, None


def check_many(
    files: Sequence[Path],
    reading: LoadOptions,
    bounds: QualityLimits,
    choice: PlantChoice,
    work: WorkerOptions,
    *,
    curves: bool = False,
    hidden: bool = False,
) -> Iterator[Checked]:
    """Clips of files and libraries one by one, on whatever executor there is; in their order.

    Args:
        files: and folders of libraries.
        reading: how files are read.
        bounds: what is allowed.
        choice: of foot plants, for clips by their names.
        work: who does it.
        curves: keep what is plotted, too: many numbers for each frame.
        hidden: show no bar.
    """
    items: list[tuple[Path, int | None]] = []
    wrong: dict[int, ReenactError | OSError] = {}
    for file in files:
        try:
            items += [(file, number) for number in _numbers(file)]
        except (ReenactError, OSError) as error:
            wrong[len(items)] = error
            items.append((file, None))
    task = functools.partial(_check_one, reading, bounds, choice, curves)
    todo = [item for place, item in enumerate(items) if place not in wrong]
    with (
        simple_bar("clips", hidden=hidden) as progress,
        executor_for(work.scheduler, jobs=work.jobs, count=len(todo), worth=WORTH_A_PROCESS) as executor,
    ):
        found = executor.map(task, todo, label=lambda item: str(item[0]))
        for place, (file, _) in enumerate(items):
            yield (file, [], wrong[place]) if place in wrong else (file, *next(found))
            if progress is not None:
                progress(place + 1, len(items))


def _numbers(file: Path) -> list[int | None]:
    """Numbers of the clips of a library; None for a file."""
    if not file.is_dir():
        return [None]
    from reenact.library import Library

    with Library(file, read_only=True) as library:
        return [entry.id for entry in library]


def _check_one(
    reading: LoadOptions,
    bounds: QualityLimits,
    choice: PlantChoice,
    curves: bool,
    item: tuple[Path, int | None],
    shared: Mapping[str, Any],
) -> tuple[list[Row], ReenactError | OSError | None]:
    file, number = item
    rows: list[Row] = []
    try:
        for name, path, clip in _clips(file, reading, one=False) if number is None else _clip_of(file, number):
            report = check_clip(clip, bounds, choice.of_one(clip))
            rows.append((name, path, report if curves else replace(report, curves={}, plants=None)))
    except (ReenactError, OSError) as error:
        return rows, error
    return rows, None


def _clip_of(folder: Path, number: int) -> Iterator[tuple[str, str, Clip]]:
    from reenact.library import Library

    with Library(folder, read_only=True) as library:
        entry = library.entry(number)
        yield entry.name, f"{folder}/{entry.name}", library.clip(number)


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
