"""A time line of a quality report: foot plants and findings over the frames, as SVG."""

from __future__ import annotations

from html import escape

from reenact.analysis.quality.report import QualityReport
from reenact.render.plot import round_ticks

_WIDTH, _LEFT, _ROW, _GAP = 1120, 150, 18, 6
_COLOURS = {"error": "#d6336c", "warning": "#e8702a", "info": "#6c7a89", "left": "#2f7de1", "right": "#17977a"}
_MOST = 14  # rows of findings


def draw_timeline(report: QualityReport) -> str:
    """SVG to stand inside a page: a row for each foot, and one for each kind of finding with frames; empty when there is neither."""
    rows: list[tuple[str, list[tuple[int, int, str, str]]]] = []
    if report.plants is not None:
        for side in ("left", "right"):
            spans = report.plants.foot(side).intervals()
            if spans:
                rows.append(
                    (
                        f"{side} foot planted",
                        [(a, b, _COLOURS[side], f"planted, frames {a} to {b - 1}") for a, b in spans],
                    )
                )
    kinds = dict.fromkeys(finding.code for finding in report.findings if finding.frames is not None)
    for code in list(kinds)[:_MOST]:
        marks = [
            (*finding.frames, _COLOURS[finding.severity], f"{finding.where}: {finding.message}")
            for finding in report.findings
            if finding.code == code and finding.frames is not None
        ]
        rows.append((code, marks))
    if not rows or report.frames < 2:
        return ""
    height = len(rows) * (_ROW + _GAP) + 30
    room = _WIDTH - _LEFT - 12
    parts = [f'<svg class="timeline" viewBox="0 0 {_WIDTH} {height}" role="img"><title>findings over time</title>']
    seconds = report.frames / report.fps
    bottom = len(rows) * (_ROW + _GAP)
    for tick in round_ticks(0.0, seconds, 10):
        x = _LEFT + room * float(tick) / seconds
        parts.append(f'<path class="tl-grid" d="M{x:.1f} 0V{bottom}"/>')
        parts.append(f'<text class="tl-tick" x="{x:.1f}" y="{bottom + 16}">{tick:g} s</text>')
    for number, (name, marks) in enumerate(rows):
        y = number * (_ROW + _GAP)
        parts.append(f'<rect class="tl-row" x="{_LEFT}" y="{y}" width="{room}" height="{_ROW}" rx="4"/>')
        parts.append(f'<text class="tl-name" x="{_LEFT - 10}" y="{y + 13}">{escape(name)}</text>')
        for start, end, colour, told in marks:
            x = _LEFT + room * start / report.frames
            wide = max(room * (end - start) / report.frames, 3.0)
            x = min(x, _LEFT + room - wide)
            parts.append(
                f'<rect x="{x:.1f}" y="{y + 2}" width="{wide:.1f}" height="{_ROW - 4}" rx="2.5" fill="{colour}">'
                f"<title>{escape(told)}</title></rect>"
            )
    parts.append("</svg>")
    return "".join(parts)
