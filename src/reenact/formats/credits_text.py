"""Whose motion a file holds, as a small text beside it, for formats that cannot hold it themselves: `walk.credits` for `walk.bvh`.

    source mocap.cs.cmu.edu
    licence free for research and commercial use
    acknowledgement The data used in this project was obtained from mocap.cs.cmu.edu.

An empty line parts the credits of several recordings.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from reenact.core.origin import Credit
from reenact.formats.atomic import atomic_write

_MOST_BYTES = 1 << 20
_NAMES = tuple(field.name for field in dataclasses.fields(Credit))


def credits_file(path: Path) -> Path:
    """Where the credits of a motion file lie."""
    return path.with_suffix(".credits")


def write_credits(credits: Sequence[Credit], path: Path) -> None:
    """Write the credits of a motion file beside it; nothing where there are none."""
    if not credits:
        return
    parts = [
        "".join(f"{name} {' '.join(text.split())}\n" for name in _NAMES if (text := getattr(credit, name)))
        for credit in credits
    ]
    with atomic_write(credits_file(path)) as stream:
        stream.write("\n".join(parts).encode())


def credits_beside(path: Path) -> tuple[Credit, ...]:
    """The credits of a motion file, from the text beside it; lines that are none are passed over."""
    file = credits_file(path)
    try:
        if not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return ()
        text = file.read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return ()
    found: list[dict[str, str]] = [{}]
    for line in text.splitlines():
        name, _, words = line.strip().partition(" ")
        if not line.strip():
            found.append({})
        elif name in _NAMES:
            found[-1][name] = words.strip()
    return tuple(Credit(**held) for held in found if held)
