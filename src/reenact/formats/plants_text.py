"""Foot plants as a small text file that people can read and change.

    reenact plants 1
    fps 120
    frames 472
    floor 0.031 0 1 0          # height, normal
    left heel 12 45            # frames, end exclusive
    left ball 20 60
    right foot 70 120          # heel and ball
    free left ball 30 33       # takes frames away again; lines count in their order
    source carried             # where they come from
    motion 0 3 0.12 0.9 1.5    # frame, joint, place: what the motion is recognised by

A file that begins with `reenact plants 1 edits` and has no `frames` is a list of corrections: its lines are applied to plants that were
detected. Everything after # is a remark; the last one of a file that was put beside a motion tells whether anybody changed it since.
"""

from __future__ import annotations

import hashlib
import math
import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from reenact.core.foot_plants import SIDES, Floor, FootContact, FootPlants, intervals_of
from reenact.core.motion_print import MotionPrint, print_from_rows, print_to_rows
from reenact.errors import FormatError
from reenact.formats.atomic import atomic_write

MAGIC = "reenact plants 1"
MOST_BYTES = 16 * 2**20
"""A larger file is refused before it is read."""

MOST_FRAMES = 100_000_000

_SEAL = "# as written "

_PARTS = ("heel", "ball", "foot")


@dataclass(frozen=True, slots=True)
class PlantLine:
    """One line of contacts.

    Attributes:
        side: left or right.
        part: heel, ball, or foot for both.
        start, end: half-open range of frames.
        planted: False takes the contact away.
        line: number in the file, from 1.
    """

    side: str
    part: str
    start: int
    end: int
    planted: bool
    line: int


@dataclass(frozen=True, slots=True)
class PlantsFile:
    """What a file says.

    Attributes:
        lines: contacts, in order.
        frames: number of frames; None for a list of corrections.
        fps: frames per second; None when it does not say.
        floor: None when it does not say.
        source: where the plants come from; empty when it does not say, and a person does.
        seen: what the motion is recognised by; empty when it does not say.
    """

    lines: tuple[PlantLine, ...]
    frames: int | None
    fps: float | None
    floor: Floor | None
    source: str
    seen: MotionPrint


def write_plants(plants: FootPlants, path: str | os.PathLike[str], seen: MotionPrint | None = None) -> None:
    """Write foot plants; the file appears whole or not at all. Confidences are not kept: a file is what a person says.

    Args:
        plants: the plants.
        path: the file.
        seen: what their motion is recognised by, for a file that lies beside it; it then says where the plants come from as well.
    """
    normal = " ".join(f"{number:.9g}" for number in plants.floor.normal)
    lines = [MAGIC, f"fps {plants.fps:.9g}", f"frames {len(plants)}", f"floor {plants.floor.height:.9g} {normal}"]
    if plants.source:
        lines.append(f"{'# ' if seen is None else 'source '}{plants.source}")
    for side in SIDES:
        foot = plants.foot(side)
        for part, mask in (("heel", foot.heel), ("ball", foot.ball)):
            lines += [f"{side} {part} {start} {end}" for start, end in intervals_of(mask)]
    if seen is not None:
        rows = print_to_rows(seen)
        lines += [f"motion {row[0]} {row[1]} {' '.join(f'{number:g}' for number in row[2:])}" for row in rows]
    text = "\n".join(lines) + "\n"
    if seen is not None:
        text += f"{_SEAL}{_digest(text.encode())}\n"
    with atomic_write(path) as stream:
        stream.write(text.encode())


def is_as_written(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one that was put beside a motion and nobody has touched since; what people wrote or changed is not."""
    file = Path(path)
    if file.stat().st_size > MOST_BYTES:
        return False
    text, mark, digest = file.read_bytes().rpartition(_SEAL.encode())
    return bool(mark) and digest.decode("utf-8", errors="replace").strip() == _digest(text)


def _digest(text: bytes) -> str:
    return hashlib.blake2b(text.replace(b"\r\n", b"\n"), digest_size=8).hexdigest()


def read_plants(path: str | os.PathLike[str]) -> FootPlants:
    """Foot plants of a whole file.

    Raises:
        FormatError: not such a file, a wrong line, or a list of corrections.
    """
    return plants_in(parse_plants(path), path)


def plants_in(held: PlantsFile, path: str | os.PathLike[str]) -> FootPlants:
    """Foot plants of a whole file that was parsed already; raises as `read_plants`."""
    if held.frames is None or held.fps is None:
        raise FormatError("a list of corrections, which needs detected plants to be applied to", path=path)
    none = np.zeros(held.frames, np.bool_)
    empty = FootPlants(FootContact(none, none), FootContact(none, none), held.fps, held.floor or Floor(), "file")
    found = _applied(empty, held, path)
    return replace(found, source=held.source) if held.source else found


def edit_plants(plants: FootPlants, path: str | os.PathLike[str]) -> FootPlants:
    """Plants with what a file says: a whole file takes their place, a list of corrections changes them.

    Raises:
        FormatError: as `read_plants`, or a file for another number of frames.
    """
    held = parse_plants(path)
    if held.frames is None:
        return _applied(plants, held, path)
    if held.frames != len(plants):
        raise FormatError(f"the file is for {held.frames} frames, the clip has {len(plants)}", path=path)
    return read_plants(path)


def parse_plants(path: str | os.PathLike[str]) -> PlantsFile:
    """The lines of a file, checked one by one."""
    file = Path(path)
    size = file.stat().st_size
    if size > MOST_BYTES:
        raise FormatError(f"a file of {size} bytes is larger than the {MOST_BYTES} that are read", path=path)
    text = file.read_bytes().decode("utf-8", errors="replace").lstrip("\ufeff")
    rows = [(n, line.split("#")[0].split()) for n, line in enumerate(text.splitlines(), 1)]
    rows = [(n, words) for n, words in rows if words]
    first = " ".join(rows[0][1]) if rows else ""
    if first not in (MAGIC, f"{MAGIC} edits"):
        raise FormatError(f"not a file of foot plants: it must begin with {MAGIC!r}", path=path, line=1)
    edits = first != MAGIC
    frames: int | None = None
    fps: float | None = None
    floor: Floor | None = None
    source, seen = "", []
    lines: list[PlantLine] = []
    for n, words in rows[1:]:
        if words[0] == "frames" and not edits:
            frames = int(_number(words, 1, n, path, whole=True))
        elif words[0] == "fps" and not edits:
            fps = _number(words, 1, n, path)
        elif words[0] == "floor":
            floor = _floor(words, n, path)
        elif words[0] == "source":
            source = " ".join(words[1:])
        elif words[0] == "motion":
            seen.append(_seen(words, n, path))
        else:
            lines.append(_contact(words, n, path))
    if not edits:
        if frames is None or not 0 <= frames <= MOST_FRAMES:
            raise FormatError(f"needs a line `frames` from 0 to {MOST_FRAMES}", path=path)
        if fps is None or not fps > 0:
            raise FormatError("needs a line `fps` above 0", path=path)
    return PlantsFile(tuple(lines), frames, fps, floor, source, print_from_rows(seen))


def _number(words: list[str], place: int, line: int, path: str | os.PathLike[str], whole: bool = False) -> float:
    try:
        number = float(words[place])
    except (IndexError, ValueError):
        given = words[place] if place < len(words) else "nothing"
        raise FormatError(f"{words[0]} needs a number, found {given!r}", path=path, line=line) from None
    if not math.isfinite(number) or (whole and number != int(number)):
        raise FormatError(f"{words[0]} needs a {'whole' if whole else 'finite'} number", path=path, line=line)
    return number


def _floor(words: list[str], line: int, path: str | os.PathLike[str]) -> Floor:
    height, *normal = (_number(words, place, line, path) for place in range(1, 5))
    length = math.sqrt(sum(number * number for number in normal))
    if not length > 0:
        raise FormatError("the floor's normal has no length", path=path, line=line)
    return Floor(height, np.array(normal) / length)


def _seen(words: list[str], line: int, path: str | os.PathLike[str]) -> list[float]:
    if len(words) != 6:
        raise FormatError("motion needs a frame, a joint and a place", path=path, line=line)
    row = [_number(words, place, line, path, whole=place < 3) for place in range(1, 6)]
    if min(row[:2]) < 0:
        raise FormatError("motion needs a frame and a joint from 0 on", path=path, line=line)
    return row


def _contact(words: list[str], line: int, path: str | os.PathLike[str]) -> PlantLine:
    planted = words[0] != "free"
    rest = words if planted else words[1:]
    if len(rest) != 4 or rest[0] not in SIDES or rest[1] not in _PARTS:
        raise FormatError(
            f"expected `[free] left|right heel|ball|foot START END`, found {' '.join(words)[:60]!r}",
            path=path,
            line=line,
        )
    start, end = (int(_number(rest, place, line, path, whole=True)) for place in (2, 3))
    if not 0 <= start < end:
        raise FormatError(f"frames {start} to {end} are no range", path=path, line=line)
    return PlantLine(rest[0], rest[1], start, end, planted, line)


def _applied(plants: FootPlants, held: PlantsFile, path: str | os.PathLike[str]) -> FootPlants:
    frames = len(plants)
    masks = {(side, part): getattr(plants.foot(side), part).copy() for side in SIDES for part in ("heel", "ball")}
    sure = {side: plants.foot(side).confidence.copy() for side in SIDES}
    for line in held.lines:
        if line.end > frames:
            raise FormatError(
                f"frames {line.start} to {line.end} are not a part of 0 to {frames}", path=path, line=line.line
            )
        for part in ("heel", "ball") if line.part == "foot" else (line.part,):
            masks[line.side, part][line.start : line.end] = line.planted
        sure[line.side][line.start : line.end] = 1.0
    feet = {side: FootContact(masks[side, "heel"], masks[side, "ball"], sure[side]) for side in SIDES}
    source = plants.source if plants.source in ("", "file") else f"{plants.source}, edited"
    return FootPlants(feet["left"], feet["right"], plants.fps, held.floor or plants.floor, source)
