"""Foot plants of registered motions as bars over their common time: as recorded, and as matched, cut and linked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from reenact.blend.interval_matching import Interval, Matching
from reenact.blend.plant_matching import PlantMatching
from reenact.render.plot import COLOURS, round_ticks

_WIDTH, _LEFT, _RIGHT, _TOP = 960, 150, 16, 34
_BAR, _ROW, _GROUP, _HEAD, _FOOT = 14, 22, 14, 20, 30
_STYLE = """
text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#4a5260}
.head{font-weight:600;fill:#20252d;font-size:14px}
.name{text-anchor:end}
.tick{text-anchor:middle}
.grid{stroke:#8a94a4;stroke-opacity:.28;stroke-width:1}
.lane{fill:#8a94a4;fill-opacity:.1}
.lost{fill:none;stroke:#8a94a4;stroke-width:1.5;stroke-dasharray:3 3}
.page{fill:#fff}
@media (prefers-color-scheme:dark){text{fill:#aab3c0}.head{fill:#e9ecf1}.page{fill:#16181d}}
"""


def draw_plant_bars(matching: PlantMatching, names: Sequence[str], length: float, fps: float) -> str:
    """An SVG document: on the left half the plants as recorded, on the right half as matched; dashed: dropped for want of a partner.

    Args:
        matching: plants before and after.
        names: of the motions.
        length: of the registration, in frames.
        fps: of these frames.
    """
    kinds = [kind for kind, lists in matching.intervals.items() if any(lists)]
    rows = len(names)
    height = _TOP + len(kinds) * (_HEAD + rows * _ROW + _GROUP) + _FOOT
    gap = 24
    wide = (_WIDTH - _LEFT - _RIGHT - gap) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>foot plants before and after matching</title><style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{height}"/>',
    ]
    for panel, title in enumerate(("As recorded", "Matched")):
        left = _LEFT + panel * (wide + gap)
        parts.append(f'<text class="head" x="{left:.1f}" y="20">{title}</text>')
        parts += _ticks(left, wide, height, length / fps)
        y = float(_TOP)
        for kind in kinds:
            if panel == 0:
                parts.append(f'<text class="head" x="12" y="{y + 13:.1f}">{escape(kind.replace("_", " "))}</text>')
            y += _HEAD
            found = matching.kinds[kind]
            parts += _links(found, left, wide, y, length) if panel else []
            for motion, name in enumerate(names):
                at = y + motion * _ROW
                if panel == 0:
                    parts.append(f'<text class="name" x="{_LEFT - 10}" y="{at + 11:.1f}">{escape(_short(name))}</text>')
                parts.append(
                    f'<rect class="lane" x="{left:.1f}" y="{at:.1f}" width="{wide:.1f}" height="{_BAR}" rx="3"/>'
                )
                bars = matching.intervals[kind][motion] if panel == 0 else [match[motion] for match in found.matches]
                colour = COLOURS[motion % len(COLOURS)]
                parts += [_bar(one, left, wide, at, length, fps, f'fill="{colour}"') for one in bars]
                if panel:
                    lost = found.dropped[motion]
                    parts += [_bar(one, left, wide, at, length, fps, 'class="lost"') for one in lost]
            y += rows * _ROW + _GROUP
    parts.append("</svg>")
    return "\n".join(parts)


def _short(name: str) -> str:
    return name if len(name) <= 20 else f"{name[:19]}…"


def _ticks(left: float, wide: float, height: float, seconds: float) -> list[str]:
    if not seconds > 0:
        return []
    parts = []
    for tick in round_ticks(0.0, seconds, 5):
        x = left + wide * float(tick) / seconds
        parts.append(f'<path class="grid" d="M{x:.1f} {_TOP}V{height - _FOOT + 6}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{height - 8}">{tick:g} s</text>')
    return parts


def _bar(span: Interval, left: float, wide: float, y: float, length: float, fps: float, look: str) -> str:
    x, end = (left + wide * value / length for value in span)
    told = f"{span[0] / fps:.2f} to {span[1] / fps:.2f} s"
    return (
        f'<rect {look} x="{x:.1f}" y="{y:.1f}" width="{max(end - x, 1.5):.1f}" height="{_BAR}" rx="3">'
        f"<title>{told}</title></rect>"
    )


def _links(found: Matching, left: float, wide: float, y: float, length: float) -> list[str]:
    """Pale bands from each bar to its partner in the row below."""
    parts = []
    for match in found.matches:
        for row in range(len(match) - 1):
            (a, b), (c, d) = match[row], match[row + 1]
            top, bottom = y + row * _ROW + _BAR, y + (row + 1) * _ROW
            xs = [left + wide * value / length for value in (a, b, d, c)]
            path = f"M{xs[0]:.1f} {top:.1f}L{xs[1]:.1f} {top:.1f}L{xs[2]:.1f} {bottom:.1f}L{xs[3]:.1f} {bottom:.1f}Z"
            parts.append(f'<path d="{path}" fill="#8a94a4" fill-opacity=".3"/>')
    return parts
