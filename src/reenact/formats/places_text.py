"""Tables of places on the floor: points of a curve, and footprints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reenact.core.arrays import Float
from reenact.errors import FormatError

_MOST = 1_000_000
_SIDES = {"l": "left", "left": "left", "r": "right", "right": "right"}


def read_points(path: Path) -> Float:
    """(N, 2) metres (x, z) from lines "x,z". A first line of words is a heading; empty lines and # are passed over."""
    points = [values for _, values in _rows(path, 2, 2)]
    if len(points) < 2:
        raise FormatError("a curve needs at least two points", path=path)
    return np.array(points, dtype=np.float64)


def read_footprints(path: Path) -> list[tuple[str, float, float, float | None]]:
    """Side, x, z (metres) and heading (radians, or None) from lines "left,x,z" or "left,x,z,degrees"."""
    found = []
    for number, line in _lines(path):
        words = [word.strip() for word in line.split(",")]
        side = _SIDES.get(words[0].lower())
        if side is None:
            if not found and number == 1:
                continue
            raise FormatError(f"a footprint begins with left or right, not {words[0]!r}", path=path, line=number)
        values = _numbers(words[1:], path, number, 2, 3)
        found.append((side, values[0], values[1], float(np.radians(values[2])) if len(values) == 3 else None))
    if len(found) < 3:
        raise FormatError(f"{len(found)} footprints; at least 3 are needed", path=path)
    return found


def write_footprints(path: Path, rows: Sequence[tuple[str, float, float, float]]) -> None:
    """Side, x, z (metres) and heading (radians) as a table that `read_footprints` reads."""
    lines = [f"{side},{x:.5f},{z:.5f},{np.degrees(heading):.3f}" for side, x, z, heading in rows]
    Path(path).write_text("\n".join(["side,x,z,degrees", *lines]) + "\n", encoding="utf-8")


def _rows(path: Path, least: int, most: int) -> list[tuple[int, list[float]]]:
    rows = []
    for number, line in _lines(path):
        words = [word.strip() for word in line.split(",") if word.strip()]
        if number == 1 and words and not _is_number(words[0]):
            continue
        rows.append((number, _numbers(words, path, number, least, most)))
    return rows


def _lines(path: Path) -> list[tuple[int, str]]:
    text = Path(path).read_text(encoding="utf-8-sig").splitlines()
    if len(text) > _MOST:
        raise FormatError(f"more than {_MOST} lines", path=path)
    changed = ((n, line.replace(";", ",").replace("\t", ",")) for n, line in enumerate(text, 1))
    return [(n, line) for n, line in changed if line.strip() and not line.lstrip().startswith("#")]


def _numbers(words: list[str], path: Path, number: int, least: int, most: int) -> list[float]:
    try:
        values = [float(word) for word in words]
    except ValueError:
        raise FormatError(f"expected numbers, not {','.join(words)!r}", path=path, line=number) from None
    if not least <= len(values) <= most or not np.isfinite(values).all():
        wanted = f"{least}" if least == most else f"{least} or {most}"
        raise FormatError(f"expected {wanted} finite numbers, not {','.join(words)!r}", path=path, line=number)
    return values


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
