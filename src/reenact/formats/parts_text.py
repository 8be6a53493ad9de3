"""Parts of a recording as text: lines `name first end`, in frames or, with an s, in seconds::

    # name     from   to (not included)
    walk       0      340
    turn       340    512
    kick       4.5s   6.25s

Words after `#` and empty lines do not count; names with spaces stand in quotes; `end` as the last word is the end of the clip.
"""

from __future__ import annotations

import math
import os

from reenact.core.splitting import Part
from reenact.errors import FormatError
from reenact.formats.word_lines import read_small_text, word_lines


def read_parts(path: str | os.PathLike[str], frames: int, fps: float) -> list[Part]:
    """The parts in a file, for a clip of so many frames."""
    return parse_parts(read_small_text(path, "list of parts"), frames, fps, path)


def parse_parts(text: str, frames: int, fps: float, path: str | os.PathLike[str] = "") -> list[Part]:
    """The parts in a text; `FormatError` names the line that cannot be read."""
    found = []
    for number, words in word_lines(text, path):
        if len(words) != 3:
            raise FormatError(f"expected a name, first and end, found {len(words)} words", path=path, line=number)
        start, end = (_frame(word, frames, fps, path, number) for word in words[1:])
        found.append(Part(words[0], start, end))
    if not found:
        raise FormatError("there is no part in it", path=path)
    return found


def _frame(word: str, frames: int, fps: float, path: str | os.PathLike[str], line: int) -> int:
    if word == "end":
        return frames
    try:
        value = float(word[:-1]) * fps if word.endswith("s") else int(word)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and 0 <= value < 1e12):
        raise FormatError(f"expected a frame such as 120 or a time such as 1.5s, not {word!r}", path=path, line=line)
    return round(value)
