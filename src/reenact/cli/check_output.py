"""The quality report for people at the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from reenact.analysis.quality import QualityComparison, QualityFinding, QualityReport
from reenact.solve.result_quality import ResultQuality

_COLUMNS = (
    ("skate\nmm", "skate_mm_max", "{:.0f}"),
    ("slide\nm/s", "slide_m_s_max", "{:.2f}"),
    ("in floor\nmm", "penetration_mm_max", "{:.0f}"),
    ("above\nmm", "float_mm_max", "{:.0f}"),
    ("\npops", "jerk_spikes", "{:.0f}"),
    ("\nflips", "flips", "{:.0f}"),
    ("jitter\nmm", "jitter_mm", "{:.2f}"),
)
FIGURES = {
    "acceleration": "hardest push of a joint against itself",
    "slides_s": "body carried by a foot that slides",
    "unsupported_s": "body carried by nothing",
    "hurry_ms": "hips faster than in any source",
    "sinks_mm": "hips lower or higher than in any source",
    "whips_ms": "a leg faster than in any source",
    "height_mm": "planted feet higher or lower",
    "floor_mm": "floor shifted",
    "pitch_degrees": "planted feet pitched otherwise",
    "yaw_degrees": "a foot snaps round",
    "slip_mm": "planted points slip",
    "legs_mm": "legs run through each other",
}
"""The figures of a result, for people."""

_COLOURS = {"error": "red", "warning": "yellow", "info": "dim"}
_SHOWN = 20  # findings of one clip
_REST = 70  # characters of a row beside the name


def print_reports(reports: Sequence[tuple[str, QualityReport]]) -> None:
    """A table of measures, then the findings; those that are only to know are left out when there are many clips."""
    console = Console()
    title, names = _shown_names([name for name, _ in reports])
    if not console.is_terminal:  # a file or a pipe has room
        console.width = max(console.width, _REST + max(map(len, [title, *names])))
    table = Table(
        escape(f"\n{title}"),
        "\nseconds",
        *(title for title, _, _ in _COLUMNS),
        "\nverdict",
        box=None,
        header_style="bold",
        pad_edge=False,
    )
    for column in table.columns[1:-1]:
        column.justify = "right"
    for column in table.columns[1:]:  # only the names give way where the terminal is narrow
        column.min_width = max(len(word) for word in str(column.header).split("\n"))
        column.no_wrap = True
    table.columns[0].overflow = "ellipsis"
    for name, (_, report) in zip(names, reports, strict=True):
        cells = [_cell(report.measures.get(key), shape) for _, key, shape in _COLUMNS]
        verdict = "[green]pass[/]" if report.ok else f"[yellow]{len(report.over)} over[/]"
        table.add_row(escape(name), f"{report.frames / report.fps:.2f}", *cells, verdict)
    console.print(table)
    for name, report in reports:
        shown = report.findings if len(reports) == 1 else report.over
        for finding in shown[:_SHOWN]:
            console.print(
                f"  {finding.severity}: {name}: {finding.where}: {finding.message} [{finding.code}]",
                style=_COLOURS[finding.severity], markup=False, highlight=False, soft_wrap=True,
            )  # fmt: skip
        if len(shown) > _SHOWN:
            console.print(f"  {name}: {len(shown) - _SHOWN} more findings (--json gives all)", markup=False)


def _shown_names(names: Sequence[str]) -> tuple[str, list[str]]:
    """Title and names of the table's rows: of clips of one file the file's name is said once."""
    files = {name.partition("#")[0] for name in names}
    if len(names) > 1 and len(files) == 1 and all("#" in name for name in names):
        return f"clip of {files.pop()}", [name.partition("#")[2] for name in names]
    return "clip", list(names)


def _cell(value: float | None, shape: str) -> str:
    if value is None:
        return "-"
    text = shape.format(value)
    return text.lstrip("-") if float(text) == 0 else text


def print_against(measured: ResultQuality, result: str, sources: Sequence[str]) -> None:
    """What a result is worth against its sources, one figure a line, then what is over its limit."""
    from reenact.solve.result_quality import LIMITS

    console = Console()
    table = Table(
        escape(f"{result} against {', '.join(sources)}"), "value", "good", "limit", "", box=None, header_style="bold"
    )
    for column in table.columns[1:4]:
        column.justify = "right"
    for name, words in FIGURES.items():
        value, (good, limit, unit) = getattr(measured, name), LIMITS[name]
        where = f" ({measured.joint}, frame {measured.frame})" if name == "acceleration" else ""
        style = "" if value <= good else "yellow" if value <= limit else "red"
        table.add_row(escape(words + where), f"{value:.3g}", f"{good:g}", f"{limit:g}", unit, style=style)
    for source, share in zip(sources, measured.played, strict=True):
        table.add_row(escape(f"played of {source}"), f"{100 * share:.0f}", "", "", "%")
    console.print(table)
    for doubt in measured.doubts():
        console.print(f"  over: {doubt}", style="red", markup=False, highlight=False, soft_wrap=True)


def print_comparison(comparison: QualityComparison, before: str, after: str) -> None:
    """Every measure that is there before and after, then what is new and what is gone."""
    console = Console()
    table = Table("measure", escape(before), escape(after), "", box=None, header_style="bold", pad_edge=False)
    for column in table.columns[1:3]:
        column.justify = "right"
    colours = {"better": "green", "worse": "yellow"}
    for change in comparison.changes:
        values = ["-" if value is None else f"{value:.4g}" for value in (change.before, change.after)]
        table.add_row(change.name, *values, change.verdict, style=colours.get(change.verdict, ""))
    console.print(table)
    print_new(comparison.new)
    print_new(comparison.gone, "gone", "green")


def print_new(findings: Sequence[QualityFinding], word: str = "new", style: str = "yellow") -> None:
    """Findings of a result that none of its sources has."""
    console = Console()
    for finding in findings:
        console.print(
            f"  {word}: {finding.where}: {finding.message} [{finding.code}]",
            style=style, markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip
