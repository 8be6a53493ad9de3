"""Limits of the quality report as text: lines `name value`::

    # stricter feet for the feature film
    skate_mm        10
    penetration_mm  20

Words after `#` and empty lines do not count; an equals sign or a colon may stand between name and value.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

from reenact.errors import FormatError
from reenact.formats.atomic import atomic_write
from reenact.formats.word_lines import read_small_text


def read_limits(path: str | os.PathLike[str]) -> dict[str, float]:
    """Names and values in a file, in order; which names there are is for the report to say."""
    return parse_limits(read_small_text(path, "file of limits"), path)


def parse_limits(text: str, path: str | os.PathLike[str] = "") -> dict[str, float]:
    """Names and values in a text."""
    found: dict[str, float] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].replace("=", " ").replace(":", " ").split()
        if not words:
            continue
        if len(words) != 2:
            raise FormatError(f"expected a name and a value, found {len(words)} words", path=path, line=number)
        name, word = words
        if name in found:
            raise FormatError(f"the limit {name!r} stands twice", path=path, line=number)
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise FormatError(f"{name} must be a number, not {word!r}", path=path, line=number)
        found[name] = value
    return found


def write_limits(
    values: Mapping[str, float], path: str | os.PathLike[str], notes: Mapping[str, str] | None = None
) -> None:
    """Write limits so that `read_limits` gives them back; `notes` are written behind them."""
    wide = max((len(name) for name in values), default=0)
    lines = []
    for name, value in values.items():
        note = f"  # {notes[name]}" if notes and notes.get(name) else ""
        lines.append(f"{name.ljust(wide)} {value!r}{note}")
    with atomic_write(path) as stream:
        stream.write(("\n".join(lines) + "\n").encode())
