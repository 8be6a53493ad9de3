"""The quality report as one HTML page: an overview, and for each clip its measures, a time line of findings, and plots.

The page stands alone (no scripts, no addresses) and follows the reader's light or dark setting.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from reenact.analysis.quality.compare import QualityComparison
from reenact.analysis.quality.report import QualityReport
from reenact.formats.atomic import atomic_write
from reenact.render.html_page import html_page, svg_image
from reenact.render.plot import Curve, PlotParameters, Span, draw_plot
from reenact.render.quality_timeline import draw_timeline

_OPEN = 6  # clips shown unfolded; more are folded up
_SIDES = {"left": "#2f7de1", "righ": "#17977a"}  # by the first four letters of a curve's name
_WORDS = {"error": "broken", "warning": "over a limit", "info": "to know"}


@dataclass(frozen=True, slots=True)
class _Tile:
    """A measure that is shown with its limit, and the code (or its beginning) of the findings that make it stand out."""

    measure: str
    label: str
    unit: str
    code: str
    digits: int = 1


_TILES = (
    _Tile("skate_mm_max", "worst skate", "mm", "skate.plant"),
    _Tile("slide_m_s_max", "fastest slide", "m/s", "skate.speed", digits=2),
    _Tile("penetration_mm_max", "deepest in the floor", "mm", "floor.penetration"),
    _Tile("float_mm_max", "highest above it", "mm", "floor.floating"),
    _Tile("jerk_spikes", "pops", "", "pop.", digits=0),
    _Tile("flips", "flips", "", "rotation.flip", digits=0),
    _Tile("jitter_mm", "jitter", "mm", "jitter.noise", digits=2),
    _Tile("bent_back_deg_max", "bent backwards", "°", "joint.bent-back"),
    _Tile("bone_change_mm_max", "bones stretch", "mm", "bones.length"),
    _Tile("overlap_mm_max", "limbs overlap", "mm", "overlap.limbs"),
    _Tile("flight_fall_m_s2", "fall in flight", "m/s²", "flight.gravity", digits=1),
    _Tile("balance_mm_max", "weight beside feet", "mm", "balance.outside"),
)

_PLOTS = (
    ("Skate of each plant", "mm", ("left skate (mm)", "right skate (mm)"), "skate_mm_max"),
    ("Lowest point of the feet over their level", "mm", ("lowest foot over its level (mm)",), ""),
    ("Change of turning, worst joint", "degrees per frame", ("turning change (deg per frame)",), ""),
    ("Movement", "mm per frame", ("movement (mm per frame)",), ""),
)


def quality_page(
    reports: Sequence[tuple[str, QualityReport]],
    title: str = "Quality report",
    comparison: QualityComparison | None = None,
) -> str:
    """The page as HTML.

    Args:
        reports: a name (file, clip) and its report, for each clip.
        title: of the page.
        comparison: of the first report with the second, shown on top.
    """
    parts = [_header(reports, title)]
    if comparison is not None and len(reports) == 2:
        parts.append(_comparison(comparison, reports[0][0], reports[1][0]))
    if len(reports) > 1:
        parts.append(_overview(reports))
    for number, (name, report) in enumerate(reports):
        parts.append(_clip(name, report, number, opened=len(reports) <= _OPEN))
    return html_page(title, parts)


def report_page(report: QualityReport) -> str:
    """The page of one report."""
    return quality_page([(report.name, report)], f"Quality of {report.name}" if report.name else "Quality report")


def save_quality_page(
    reports: Sequence[tuple[str, QualityReport]],
    path: str | os.PathLike[str],
    title: str = "Quality report",
    comparison: QualityComparison | None = None,
) -> None:
    """Write the page, whole or not at all."""
    with atomic_write(path) as stream:
        stream.write(quality_page(reports, title, comparison).encode("utf-8"))


def _header(reports: Sequence[tuple[str, QualityReport]], title: str) -> str:
    passed = sum(report.ok for _, report in reports)
    broken = sum(any(finding.severity == "error" for finding in report.findings) for _, report in reports)
    over = len(reports) - passed - broken
    seconds = sum(report.frames / report.fps for _, report in reports)
    total = max(len(reports), 1)
    shares = "".join(
        f'<i class="{kind}" style="flex:{count / total:.4f}" title="{count} {word}"></i>'
        for kind, count, word in (
            ("ok", passed, "pass"),
            ("warning", over, "over a limit"),
            ("error", broken, "broken"),
        )
        if count
    )
    many = f"{len(reports)} clip{'s' if len(reports) != 1 else ''}, {seconds:.1f} s"
    counts = Counter(finding.code for _, report in reports for finding in report.over)
    chips = "".join(f'<span class="chip">{escape(code)}<b>{count}</b></span>' for code, count in counts.most_common(12))
    return (
        f'<header><p class="kicker">reenact check</p><h1>{escape(title)}</h1><p class="lead">{many}'
        f" &middot; <b class='ok'>{passed} pass</b> &middot; <b class='warning'>{over} over a limit</b>"
        f" &middot; <b class='error'>{broken} broken</b></p>"
        f'<div class="share">{shares}</div><div class="chips">{chips}</div></header>'
    )


def _status(report: QualityReport) -> tuple[str, str]:
    if any(finding.severity == "error" for finding in report.findings):
        return "error", "broken"
    return ("ok", "pass") if report.ok else ("warning", f"{len(report.over)} over a limit")


def _overview(reports: Sequence[tuple[str, QualityReport]]) -> str:
    columns = _TILES[:4] + (_TILES[4], _TILES[6])
    head = "".join(f"<th class='n'>{escape(tile.label)}<small>{escape(tile.unit)}</small></th>" for tile in columns)
    rows = []
    for number, (name, report) in enumerate(reports):
        kind, word = _status(report)
        cells = "".join(_cell(tile, report) for tile in columns)
        rows.append(
            f'<tr><td><a href="#clip{number}">{escape(name)}</a></td><td class="n">{report.frames / report.fps:.1f} s</td>'
            f'<td><span class="pill {kind}">{word}</span></td>{cells}</tr>'
        )
    return (
        f'<section class="card"><h2>Clips</h2><div class="scroll"><table><thead><tr><th>clip</th><th class="n">length</th>'
        f"<th>verdict</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></section>"
    )


def _cell(tile: _Tile, report: QualityReport) -> str:
    value = report.measures.get(tile.measure)
    if value is None:
        return '<td class="n quiet">&ndash;</td>'
    kind = _kind(report, tile)
    return f'<td class="n {kind}">{value:.{tile.digits}f}</td>'


def _kind(report: QualityReport, tile: _Tile) -> str:
    """Beyond its limit a measure stands out only with a finding: what is over for a moment, or a mere hint, is none."""
    return "warning" if any(finding.code.startswith(tile.code) for finding in report.over) else ""


def _clip(name: str, report: QualityReport, number: int, *, opened: bool) -> str:
    kind, word = _status(report)
    title = (
        f'<span class="name">{escape(name)}</span><span class="pill {kind}">{word}</span>'
        f'<span class="quiet">{report.frames} frames, {report.fps:g} Hz, {report.frames / report.fps:.2f} s</span>'
    )
    body = [_tiles(report), draw_timeline(report), _findings(report), _plots(report) if opened or not report.ok else ""]
    return (
        f'<details class="card" id="clip{number}"{" open" if opened else ""}><summary>{title}</summary>'
        f"{''.join(body)}</details>"
    )


def _tiles(report: QualityReport) -> str:
    tiles = []
    for tile in _TILES:
        value, limit = report.measures.get(tile.measure), report.bounds.get(tile.measure)
        if value is None:
            continue
        kind = _kind(report, tile)
        bar = ""
        if limit is not None:
            full = min(value / (2 * limit), 1.0)
            bar = f'<div class="bar"><i class="{kind or "ok"}" style="width:{100 * full:.1f}%"></i><u></u></div>'
        note = f"limit {limit:.3g} {tile.unit}" if limit is not None else "&nbsp;"
        tiles.append(
            f'<div class="tile {kind}"><span>{escape(tile.label)}</span><b>{value:.{tile.digits}f}<small> {escape(tile.unit)}'
            f"</small></b>{bar}<em>{note}</em></div>"
        )
    return f'<div class="tiles">{"".join(tiles)}</div>' if tiles else ""


def _findings(report: QualityReport) -> str:
    if not report.findings:
        return '<p class="quiet">Nothing to report.</p>'
    rows = "".join(
        f'<tr class="{finding.severity}"><td><span class="dot {finding.severity}" title="{_WORDS[finding.severity]}"></span>'
        f"<code>{escape(finding.code)}</code></td><td class='where'>{escape(finding.where)}</td>"
        f"<td>{escape(finding.message)}</td></tr>"
        for finding in report.findings
    )
    return f'<div class="scroll"><table class="findings"><tbody>{rows}</tbody></table></div>'


def _plots(report: QualityReport) -> str:
    images = []
    times = np.arange(report.frames) / report.fps
    spans = _plant_spans(report)
    for title, unit, names, limit in _PLOTS:
        found = [name for name in names if name in report.curves and np.isfinite(report.curves[name]).any()]
        if not found or report.frames < 2:
            continue
        curves = [
            Curve(
                name.partition(" (")[0] if len(found) > 1 else "", times, report.curves[name], _SIDES.get(name[:4], "")
            )
            for name in found
        ]
        if limit in report.bounds:
            level = report.bounds[limit]
            curves.append(Curve("limit", times[[0, -1]], np.array([level, level]), "#c2410c", dashed=True))
        shape = PlotParameters(title, "seconds", unit, 560, 240, from_zero=True)
        svg = draw_plot(curves, shape, spans if "kate" in title or "feet" in title else [])
        images.append(svg_image(svg, title))
    return f'<div class="plots">{"".join(images)}</div>' if images else ""


def _plant_spans(report: QualityReport) -> list[Span]:
    if report.plants is None:
        return []
    return [
        Span(start / report.fps, end / report.fps, _SIDES[side[:4]])
        for side in ("left", "right")
        for start, end in report.plants.foot(side).intervals()
    ]


def _comparison(comparison: QualityComparison, before: str, after: str) -> str:
    def shown(value: float | None) -> str:
        return "&ndash;" if value is None else f"{value:.3g}"

    rows = "".join(
        f'<tr><td>{escape(change.name)}</td><td class="n">{shown(change.before)}</td><td class="n">{shown(change.after)}</td>'
        f'<td><span class="pill {change.verdict}">{change.verdict}</span></td></tr>'
        for change in comparison.changes
        if change.verdict != "same" or change.before
    )
    worse = len(comparison.worse)
    better = sum(change.verdict == "better" for change in comparison.changes)
    return (
        f'<section class="card"><h2>Before and after</h2><p class="lead"><b class="ok">{better} measures better</b> &middot; '
        f'<b class="warning">{worse} worse</b> &middot; {len(comparison.new)} findings new, {len(comparison.gone)} gone</p>'
        f'<div class="scroll"><table><thead><tr><th>measure</th><th class="n">{escape(before)}</th>'
        f'<th class="n">{escape(after)}</th><th></th></tr></thead><tbody>{rows}</tbody></table></div></section>'
    )
