"""What the library commands show to people: tables on stdout, bars and failures on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from reenact.cli.output import print_findings
from reenact.library.descriptions import DescriptionReport
from reenact.library.entries import Entry
from reenact.library.import_folder import ImportProgress, ImportReport
from reenact.library.verify import VerifyReport
from reenact.library.walking import Failure


@contextmanager
def import_bar(*, hidden: bool) -> Iterator[Callable[[ImportProgress], None] | None]:
    """A progress bar on stderr for an import."""
    if hidden:
        yield None
        return
    with _bar() as bar:
        task = bar.add_task("reading", total=None, state="")

        def show(progress: ImportProgress) -> None:
            state = f"{progress.added} clips" + (f", {progress.unreadable} unreadable" if progress.unreadable else "")
            bar.update(task, completed=progress.done, total=progress.total, state=state)

        yield show


@contextmanager
def simple_bar(what: str, *, hidden: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on stderr that counts."""
    if hidden:
        yield None
        return
    with _bar() as bar:
        task = bar.add_task(what, total=None, state="")
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[state]}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,  # in a file it would leave an empty line
    )


def print_failures(failures: Iterable[Failure]) -> None:
    """One line for each file that could not be read or written, on stderr."""
    for failure in failures:
        print(f"error: {failure.where or failure.path}: {failure.message}", file=sys.stderr)


def print_import(report: ImportReport, described: DescriptionReport | None) -> None:
    """What an import did."""
    print_failures(report.unreadable)
    parts = [f"{len(report.added)} clips added", f"{report.read} files read"]
    parts += [f"{report.skipped} skipped (known)"] if report.skipped else []
    parts += [f"{report.known} clips there already"] if report.known else []
    parts += [f"{len(report.without_motion)} without motion"] if report.without_motion else []
    parts += [f"{report.other} other files"] if report.other else []
    parts += [f"{len(report.unreadable)} unreadable"] if report.unreadable else []
    print(f"{', '.join(parts)}; {report.seconds:.1f} s")
    if described is not None:
        missing = f", {len(described.unmatched)} rows without a clip" if described.unmatched else ""
        print(f"{described.clips} clips described{missing}")
    if report.interrupted:
        print("interrupted; the same command goes on where it stopped", file=sys.stderr)


def print_entries(entries: list[Entry], total: int) -> None:
    """A table of clips."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("id", "name", "frames", "Hz", "seconds", "joints", "tags", "description"):
        right = name in ("id", "frames", "Hz", "seconds", "joints")
        table.add_column(name, justify="right" if right else "left", no_wrap=name not in ("tags", "description"))
    for entry in entries:
        table.add_row(
            str(entry.id),
            Text(entry.name),
            str(entry.frames),
            f"{entry.fps:g}",
            f"{entry.seconds:.2f}",
            str(entry.joints),
            Text(" ".join(entry.tags)),
            Text(entry.description),
        )
    console = Console()
    if not console.is_terminal:
        console.width = 200
    if entries:
        console.print(table)
    print(f"{len(entries)} of {total} clips", file=sys.stderr)


def print_entry(entry: Entry, about: dict[str, Any]) -> None:
    """Everything about one clip."""
    print(f"{entry.name}  (clip {entry.id}, {entry.hash})")
    print(
        f"  {entry.frames} frames at {entry.fps:g} Hz, {entry.seconds:.2f} s, {entry.joints} joints, {entry.bytes / 1e6:.2f} MB"
    )
    print(f"  added {entry.added_at}" + (f", read from {about['format']}" if about["format"] else ""))
    if entry.description:
        print(f"  {entry.description}")
    if entry.tags:
        print(f"  tags: {', '.join(entry.tags)}")
    for key, value in entry.metadata.items():
        print(f"  {key}: {value}")
    for source in entry.sources:
        print(f"  file: {source.path}" + (f" (clip {source.position}, {source.name})" if source.position else ""))
    for result in about["derived"]:
        print(f"  derived: {result['kind']} {result['parameters']} ({result['bytes']} bytes)")
    print_findings(about["findings"])


def print_problems(report: VerifyReport) -> None:
    """What a check found."""
    for problem in report.problems:
        print(
            f"{problem.code}: {problem.where}: {problem.message}{' (repaired)' if problem.repaired else ''}",
            file=sys.stderr,
        )
    state = "sound" if report.sound else f"{sum(not problem.repaired for problem in report.problems)} problems"
    print(f"{report.clips} clips, {report.bytes / 1e6:.1f} MB of arrays, {report.derived} derived results: {state}")
