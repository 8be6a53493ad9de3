"""Curves as SVG: axes with round numbers, a legend, shaded spans; readable on light and dark pages, no dependency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float, Float64
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError
from reenact.formats.atomic import atomic_write

COLOURS = ("#2f7de1", "#e8702a", "#17977a", "#a559c9", "#b08a1e", "#d6457f", "#5b8c2a", "#6c7a89")
"""Line colours in order; each has at least 3:1 contrast on white and on near-black."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 16, 16, 42
_TITLE, _LEGEND = 24, 20
_LETTER = 6.4  # about the width in pixels of a letter at 12 pixels

_STYLE = """
text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#4a5260}
.title{font-size:15px;font-weight:600;fill:#20252d}
.grid{stroke:#8a94a4;stroke-opacity:.28;stroke-width:1}
.zero{stroke:#8a94a4;stroke-opacity:.8;stroke-width:1}
.curve{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
.page{fill:#fff}
@media (prefers-color-scheme:dark){text{fill:#aab3c0}.title{fill:#e9ecf1}.page{fill:#16181d}}
"""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One line of a plot.

    Attributes:
        name: for the legend; empty keeps it out of there.
        x: (N,) places.
        y: (N,) values; where one is not finite the line is broken.
        colour: any SVG colour; empty takes the next of `COLOURS`.
        dashed: drawn with dashes.
    """

    name: str
    x: Float64
    y: Float64
    colour: str = ""
    dashed: bool = False

    def __post_init__(self) -> None:
        for field in ("x", "y"):
            object.__setattr__(self, field, np.asarray(getattr(self, field), dtype=np.float64))
        if self.x.ndim != 1 or self.x.shape != self.y.shape:
            raise ParameterError(
                f"curve {self.name!r} needs x and y of one length, not {self.x.shape} and {self.y.shape}"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """A shaded stretch of the x axis, such as a foot plant."""

    start: float
    end: float
    colour: str = "#8a94a4"


@dataclass(frozen=True, slots=True)
class PlotParameters:
    """How a plot looks."""

    title: str = option("", "written above")
    x_label: str = option("", "written below the x axis")
    y_label: str = option("", "written beside the y axis")
    width: int = option(760, "pixels across", unit="pixels", low=160, high=10_000)
    height: int = option(300, "pixels down", unit="pixels", low=120, high=10_000)
    from_zero: bool = option(False, "the y axis starts at zero")
    equal: bool = option(False, "both axes have one scale, as on a map")

    def __post_init__(self) -> None:
        check_ranges(self)


def round_ticks(low: float, high: float, wanted: int) -> Float:
    """Round numbers (steps of 1, 2 or 5 times a power of ten) inside low..high, about `wanted` of them."""
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return np.array([low])
    rough = span / max(wanted, 1)
    decade = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * decade for factor in (1, 2, 5, 10) if factor * decade >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return np.arange(first, last + 1) * step


def draw_plot(curves: Sequence[Curve], parameters: PlotParameters | None = None, spans: Sequence[Span] = ()) -> str:
    """The plot as an SVG document."""
    parameters = parameters or PlotParameters()
    if not curves:
        raise ParameterError("a plot needs at least one curve")
    colours = [curve.colour or COLOURS[index % len(COLOURS)] for index, curve in enumerate(curves)]
    legend = [(curve.name, colour, curve.dashed) for curve, colour in zip(curves, colours, strict=True) if curve.name]
    legend = legend if len(legend) > 1 or not parameters.title else []
    room = parameters.width - _LEFT - _RIGHT
    rows = _legend_rows(legend, room)
    top = _TOP + (_TITLE if parameters.title else 0) + _LEGEND * len(rows)
    box = _Box(_LEFT, top, room, max(parameters.height - top - _BOTTOM, 40), *_ranges(curves, parameters.from_zero))
    box = box.with_one_scale() if parameters.equal else box
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{parameters.width}" height="{parameters.height}" '
        f'viewBox="0 0 {parameters.width} {parameters.height}" role="img">',
        f"<title>{escape(parameters.title or parameters.y_label or 'plot')}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{parameters.width}" height="{parameters.height}"/>',
        *_draw_spans(spans, box),
        *_draw_axes(box, parameters),
        *(_draw_curve(curve, colour, box) for curve, colour in zip(curves, colours, strict=True)),
        *_draw_legend(rows, top - _LEGEND * len(rows)),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def save_plot(
    curves: Sequence[Curve],
    path: str | PathLike[str],
    parameters: PlotParameters | None = None,
    spans: Sequence[Span] = (),
) -> None:
    """Write a plot as an SVG file, whole or not at all."""
    text = draw_plot(curves, parameters, spans)
    with atomic_write(path) as stream:
        stream.write(text.encode("utf-8"))


@dataclass(frozen=True, slots=True)
class _Box:
    """The inside of the axes: pixels and the ranges they stand for."""

    left: float
    top: float
    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]

    def with_one_scale(self) -> _Box:
        """The box with the range of one axis widened about its middle, so that a unit has one length on both."""
        scale = max((self.x[1] - self.x[0]) / self.width, (self.y[1] - self.y[0]) / self.height)
        x, y = (
            ((low + high - scale * pixels) / 2, (low + high + scale * pixels) / 2)
            for (low, high), pixels in ((self.x, self.width), (self.y, self.height))
        )
        return replace(self, x=x, y=y)

    def across(self, value: ArrayLike) -> Float64:
        return self.left + (np.asarray(value, dtype=np.float64) - self.x[0]) / (self.x[1] - self.x[0]) * self.width

    def down(self, value: ArrayLike) -> Float64:
        share = (np.asarray(value, dtype=np.float64) - self.y[0]) / (self.y[1] - self.y[0])
        return self.top + (1 - share) * self.height


def _ranges(curves: Sequence[Curve], from_zero: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    x, y = (np.concatenate([getattr(curve, field) for curve in curves]) for field in ("x", "y"))
    finite = np.isfinite(x) & np.isfinite(y)
    if not finite.any():
        return (0.0, 1.0), (0.0, 1.0)
    left, right = _widened(float(x[finite].min()), float(x[finite].max()), 0.0)
    low, high = float(y[finite].min()), float(y[finite].max())
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    return (left, right), _widened(low, high, 0.06)


def _widened(low: float, high: float, share: float) -> tuple[float, float]:
    """A range with some room at its ends, and never empty."""
    span = high - low
    if span <= 1e-12 * max(abs(low), abs(high)):
        half = max(abs(low) * 0.1, 1e-12) if low else 0.5
        return low - half, high + half
    return low - (share * span if low else 0.0), high + (share * span if high else 0.0)


def _number(value: float, ticks: Float) -> str:
    """A tick's number with as many digits as its neighbours need."""
    step = float(ticks[1] - ticks[0]) if len(ticks) > 1 else abs(value) or 1.0
    largest = max(float(np.abs(ticks).max()), 1e-300)
    if largest >= 1e6 or largest < 1e-3:
        digits = max(0, math.floor(math.log10(largest)) - math.floor(math.log10(step) + 1e-9))
        return f"{value:.{digits}e}" if value else "0"
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value + 0.0:.{decimals}f}"


def _draw_axes(box: _Box, parameters: PlotParameters) -> list[str]:
    parts = []
    x_ticks = round_ticks(*box.x, max(2, int(box.width // 90)))
    y_ticks = round_ticks(*box.y, max(2, int(box.height // 42)))
    bottom = box.top + box.height
    for tick in x_ticks:
        x = float(box.across(tick))
        parts.append(f'<path class="grid" d="M{x:.1f} {box.top:.1f}V{bottom:.1f}"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{_number(float(tick), x_ticks)}</text>'
        )
    for tick in y_ticks:
        y = float(box.down(tick))
        kind = "zero" if tick == 0 else "grid"
        parts.append(f'<path class="{kind}" d="M{box.left:.1f} {y:.1f}h{box.width:.1f}"/>')
        parts.append(
            f'<text x="{box.left - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{_number(float(tick), y_ticks)}</text>'
        )
    middle = box.left + box.width / 2
    if parameters.title:
        parts.append(f'<text class="title" x="{box.left:.1f}" y="{_TOP + 10}">{escape(parameters.title)}</text>')
    if parameters.x_label:
        parts.append(
            f'<text x="{middle:.1f}" y="{parameters.height - 8}" text-anchor="middle">{escape(parameters.x_label)}</text>'
        )
    if parameters.y_label:
        y = box.top + box.height / 2
        parts.append(
            f'<text transform="translate(14 {y:.1f}) rotate(-90)" text-anchor="middle">{escape(parameters.y_label)}</text>'
        )
    return parts


def _draw_spans(spans: Sequence[Span], box: _Box) -> list[str]:
    parts = []
    for span in spans:
        start, end = np.clip(box.across([span.start, span.end]), box.left, box.left + box.width)
        if end > start:
            parts.append(
                f'<rect x="{start:.1f}" y="{box.top:.1f}" width="{end - start:.1f}" height="{box.height:.1f}" '
                f'fill="{escape(span.colour, {chr(34): "&quot;"})}" fill-opacity=".14"/>'
            )
    return parts


def _draw_curve(curve: Curve, colour: str, box: _Box) -> str:
    finite = np.isfinite(curve.x) & np.isfinite(curve.y)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], finite.astype(np.int8), [0]])))
    moves = []
    for start, stop in edges.reshape(-1, 2):
        x, y = box.across(curve.x[start:stop]), box.down(curve.y[start:stop])
        keep = _thinned(x, y)
        points = [f"{a:.1f} {b:.1f}" for a, b in zip(x[keep], y[keep], strict=True)]
        moves.append("M" + "L".join(points if len(points) > 1 else points * 2))
    dashes = ' stroke-dasharray="6 4"' if curve.dashed else ""
    shown = escape(colour, {'"': "&quot;"})
    return f'<path class="curve" stroke="{shown}"{dashes} d="{"".join(moves)}"/>' if moves else ""


def _thinned(x: Float64, y: Float64) -> np.ndarray:
    """Indices of the points that can be seen: of those in one half pixel column the first, lowest, highest and last."""
    if len(x) < 4:
        return np.arange(len(x))
    column = np.floor(2 * x)
    starts = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
    stops = np.append(starts[1:], len(x))
    keep = set()
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        keep |= {start, stop - 1, start + int(np.argmin(y[start:stop])), start + int(np.argmax(y[start:stop]))}
    return np.array(sorted(keep))


def _legend_rows(legend: list[tuple[str, str, bool]], room: float) -> list[list[tuple[str, str, bool]]]:
    rows: list[list[tuple[str, str, bool]]] = []
    taken = math.inf
    for entry in legend:
        wide = 40 + _LETTER * len(entry[0])
        if taken + wide > room:
            rows.append([])
            taken = 0.0
        rows[-1].append(entry)
        taken += wide
    return rows


def _draw_legend(rows: list[list[tuple[str, str, bool]]], top: float) -> list[str]:
    parts = []
    for index, row in enumerate(rows):
        x, y = float(_LEFT), top + _LEGEND * index + 6
        for name, colour, dashed in row:
            dashes = ' stroke-dasharray="6 4"' if dashed else ""
            shown = escape(colour, {'"': "&quot;"})
            parts.append(f'<path class="curve" stroke="{shown}"{dashes} d="M{x:.1f} {y:.1f}h18"/>')
            parts.append(f'<text x="{x + 23:.1f}" y="{y + 4:.1f}">{escape(name)}</text>')
            x += 40 + _LETTER * len(name)
    return parts
