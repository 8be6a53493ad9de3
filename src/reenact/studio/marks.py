"""What a report says about frames of its result: blends, seams and changed frames for the time line; and its doubts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reenact.library.derived import derived_key, read_derived
from reenact.library.entries import Entry
from reenact.library.store import Library
from reenact.studio.messages import Span

KIND, VERSION = "report", "1"

MOST_MARKS = 400
"""Marks of one clip, at most: a walk round a hundred times has more seams than a time line can show."""


def keep_report(library: Library, number: int, report: Mapping[str, Any]) -> None:
    """Keep the report of a result with its clip."""
    library.derived(number, KIND, {}, lambda: dict(report), version=VERSION)


def read_report(library: Library, entry: Entry) -> dict[str, Any]:
    """The report that is kept with a clip; empty without one."""
    known, report = read_derived(
        library.index, library.folder, derived_key([(entry.id, entry.hash)], KIND, {}, VERSION)
    )
    return report if known and isinstance(report, dict) else {}


def marks_of(report: Mapping[str, Any], frames: int) -> tuple[Span, ...]:
    """The frames of a result that its report speaks of, in their order; `frames` is its length."""
    spans = {span for span in _found(report, frames) if span.start < span.end}
    blends = [span for span in spans if span.label == "blend"]
    spans -= {  # they say the same
        span
        for span in spans
        if span.label == "changed" and any(one.start <= span.start and span.end <= one.end for one in blends)
    }
    inside = [Span(max(span.start, 0), min(span.end, frames), span.label) for span in spans if span.start < frames]
    return tuple(sorted(inside, key=lambda span: (span.start, -span.end, span.label)))[:MOST_MARKS]


def _found(report: Mapping[str, Any], frames: int) -> Iterator[Span]:
    blends = [*_rows(report, "before"), *_rows(report, "transitions"), report]
    for row in blends:
        if pair := _pair(row.get("window_frames")):
            yield Span(*pair, "blend")
    for name in ("changed_frames", "frames_changed"):
        if pair := _pair(report.get(name)):
            yield Span(pair[0], pair[1] + 1, "changed")
    cycle = _pair((report.get("start"), report.get("end")))
    if (
        cycle and cycle[0] < cycle[1] and isinstance(report.get("cycles"), int)
    ):  # a loop: the same cycle, again and again
        length = cycle[1] - cycle[0]
        for seam in range(length, min(frames, (MOST_MARKS + 1) * length), length):
            yield Span(seam, seam + 1, "seam")
    for row in (report, report.get("quality")):
        if isinstance(row, Mapping) and isinstance(row.get("frame"), int) and row.get("joint"):
            yield Span(row["frame"], row["frame"] + 1, f"hardest: {row['joint']}")


def _rows(report: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = report.get(name)
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list | tuple) else []


def _pair(value: Any) -> tuple[int, int] | None:
    if isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(one, int) for one in value):
        return value[0], value[1]
    return None


def doubts_of(report: Mapping[str, Any]) -> tuple[str, ...]:
    """What a method is not sure of, in its report and in the parts of it."""
    found: list[str] = []
    for row in (report, *(part for part in report.values() if isinstance(part, Mapping)), *_rows(report, "before")):
        told = row.get("doubts")
        found += [str(one) for one in told] if isinstance(told, list | tuple) else []
    return tuple(dict.fromkeys(found))
