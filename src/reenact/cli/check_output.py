"""The quality report for people at the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from reenact.analysis.quality import QualityComparison, QualityReport

_COLUMNS = (
    ("skate\nmm", "skate_mm_max", "{:.0f}"),
    ("slide\nm/s", "slide_m_s_max", "{:.2f}"),
    ("in floor\nmm", "penetration_mm_max", "{:.0f}"),
    ("above\nmm", "float_mm_max", "{:.0f}"),
    ("\npops", "jerk_spikes", "{:.0f}"),
    ("\nflips", "flips", "{:.0f}"),
    ("jitter\nmm", "jitter_mm", "{:.2f}"),
)
_COLOURS = {"error": "red", "warning": "yellow", "info": "dim"}
_SHOWN = 20  # findings of one clip


def print_reports(reports: Sequence[tuple[str, QualityReport]]) -> None:
    """A table of measures, then the findings; those that are only to know are left out when there are many clips."""
    console = Console()
    table = Table(
        "\nclip",
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
    for name, report in reports:
        cells = [
            "-" if report.measures.get(key) is None else shape.format(report.measures[key])
            for _, key, shape in _COLUMNS
        ]
        verdict = "[green]pass[/]" if report.ok else f"[yellow]{len(report.over)} over[/]"
        table.add_row(name, f"{report.frames / report.fps:.2f}", *cells, verdict)
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


def print_comparison(comparison: QualityComparison, before: str, after: str) -> None:
    """Every measure that is there before and after, then what is new and what is gone."""
    console = Console()
    table = Table("measure", before, after, "", box=None, header_style="bold", pad_edge=False)
    for column in table.columns[1:3]:
        column.justify = "right"
    colours = {"better": "green", "worse": "yellow"}
    for change in comparison.changes:
        values = ["-" if value is None else f"{value:.4g}" for value in (change.before, change.after)]
        table.add_row(change.name, *values, change.verdict, style=colours.get(change.verdict, ""))
    console.print(table)
    for word, findings in (("new", comparison.new), ("gone", comparison.gone)):
        for finding in findings:
            console.print(
                f"  {word}: {finding.where}: {finding.message} [{finding.code}]",
                style="yellow" if word == "new" else "green", markup=False, highlight=False, soft_wrap=True,
            )  # fmt: skip
