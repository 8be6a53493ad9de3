"""Wavefront OBJ as text: vertices, texture coordinates, normals, polygons with their groups and materials (format description of 1995)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from reenact.core.arrays import Float64, Int32
from reenact.formats.reading_notes import ReadingNotes

_PLACES = 3  # numbers of a corner: position, texture coordinate, normal
_UNUSED = frozenset((
    "s", "l", "p", "vp", "cstype", "deg", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end", "con",
    "mg", "bevel", "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj", "ctech", "stech", "usemap", "maplib",
    "bmat", "step", "bsp", "bzp", "cdc", "cdp", "res", "call", "csh",
))  # fmt: skip
"""Words of the format that say nothing about meshes of polygons."""


@dataclass(eq=False)
class ObjText:
    """What an OBJ file says, in its own numbers; faces are polygons.

    Attributes:
        positions: (N, 3).
        colors: (N, 3) 0..1 behind the positions, or None.
        uvs: (M, 2), (0, 0) at the lower left.
        normals: (K, 3).
        corners: (C, 3) int32 position, texture coordinate and normal of each corner of each face in a row; -1 where there is none.
        starts: (F + 1,) int32, where the corners of each face begin.
        lines: (F,) int32, the line of each face.
        face_materials, face_objects, face_groups: (F,) int32 into the names; -1 before the first.
        materials, objects, groups: names, in the order of their first use.
        libraries: files of materials, as they are named.
    """

    positions: Float64
    colors: Float64 | None
    uvs: Float64
    normals: Float64
    corners: Int32
    starts: Int32
    lines: Int32
    face_materials: Int32
    face_objects: Int32
    face_groups: Int32
    materials: list[str]
    objects: list[str]
    groups: list[str]
    libraries: list[str]


@dataclass(eq=False)
class _Names:
    """Names that faces are given, and the one that counts at the moment."""

    listed: list[str] = field(default_factory=list)
    now: int = -1
    _known: dict[str, int] = field(default_factory=dict)

    def use(self, name: str) -> None:
        """Faces to come have this one."""
        if name not in self._known:
            self._known[name] = len(self.listed)
            self.listed.append(name)
        self.now = self._known[name]


def parse_obj(data: bytes, notes: ReadingNotes) -> ObjText:
    """Read the text of an OBJ file.

    Raises:
        FormatError: a number that is none, a face with a corner that does not exist; of `notes`, by its tolerance.
    """
    return _Parser(notes).parse(_decode(data, notes))


def _decode(data: bytes, notes: ReadingNotes) -> str:
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data[:4096]:
        notes.fail("expected the text of an OBJ file, found binary data")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        notes.note("encoding", "info", "names are not UTF-8; read as Latin-1")
        return data.decode("latin-1")


class _Parser:
    def __init__(self, notes: ReadingNotes) -> None:
        self._notes = notes
        self._points: dict[str, list[list[float]]] = {"v": [], "vt": [], "vn": []}
        self._colors: list[list[float]] = []
        self._corners: list[tuple[int, int, int]] = []
        self._starts, self._lines = [0], []
        self._names = {"usemtl": _Names(), "o": _Names(), "g": _Names()}
        self._used: dict[str, list[int]] = {"usemtl": [], "o": [], "g": []}
        self._libraries: list[str] = []

    def parse(self, text: str) -> ObjText:
        pending = ""
        for number, line in enumerate(re.split(r"\r\n|\n|\r", text), 1):
            if line.endswith("\\"):
                pending += line[:-1] + " "
                continue
            self._line((pending + line).partition("#")[0].strip(), number)
            pending = ""
        positions = np.array(self._points["v"], np.float64).reshape(-1, 3)
        colors = np.array(self._colors, np.float64).reshape(-1, 3)
        used = {word: np.array(found, np.int32) for word, found in self._used.items()}
        return ObjText(
            positions,
            colors if len(colors) == len(positions) and len(colors) else None,
            np.array(self._points["vt"], np.float64).reshape(-1, 2),
            np.array(self._points["vn"], np.float64).reshape(-1, 3),
            np.array(self._corners, np.int32).reshape(-1, _PLACES),
            np.array(self._starts, np.int32),
            np.array(self._lines, np.int32),
            used["usemtl"],
            used["o"],
            used["g"],
            self._names["usemtl"].listed,
            self._names["o"].listed,
            self._names["g"].listed,
            self._libraries,
        )

    def _line(self, line: str, number: int) -> None:
        word, _, rest = line.partition(" ") if " " in line else line.partition("\t")
        rest = rest.strip()
        if word in self._points:
            self._point(word, rest.split(), number)
        elif word == "f":
            self._face(rest.split(), number)
        elif word in self._names:
            self._names[word].use(rest or "default")
        elif word == "mtllib":
            self._libraries.append(rest)
        elif word and word not in _UNUSED:
            self._notes.quirk("word", f"{word[:40]!r} is no word of the format; the line is left out", number)

    def _point(self, word: str, parts: list[str], number: int) -> None:
        wanted = 2 if word == "vt" else 3
        if word == "vt" and len(parts) == 1:
            parts = [*parts, "0"]
        values = self._numbers(parts, wanted, number)
        if values is None:
            values = [0.0] * wanted  # so that the numbers of those to come stay right
        self._points[word].append(values[:wanted])
        if word == "v" and len(values) in (6, 7):
            self._colors.append(values[-3:] if len(values) == 6 else values[4:])

    def _numbers(self, parts: list[str], wanted: int, number: int) -> list[float] | None:
        try:
            values = [float(part) for part in parts]
        except ValueError:
            wrong = next(part for part in parts if not _is_number(part))
            self._notes.damage("number", f"expected a number, found {wrong[:40]!r}", number)
            return None
        if len(values) < wanted:
            self._notes.damage("number", f"expected {wanted} numbers, found {len(values)}", number)
            return None
        if not all(abs(value) < 1e30 for value in values):
            self._notes.damage("number", f"{parts} are no coordinates", number)
            return None
        return values

    def _face(self, parts: list[str], number: int) -> None:
        corners = [self._corner(part, number) for part in parts]
        whole = [corner for corner in corners if corner is not None]
        if len(whole) < len(corners):
            return
        tidy = [corner for corner, after in zip(whole, [*whole[1:], *whole[:1]], strict=True) if corner[0] != after[0]]
        if len({corner[0] for corner in tidy}) < 3:
            self._notes.quirk("face", f"a face of {len(parts)} corners has no area; it is left out", number)
            return
        self._corners += tidy
        self._starts.append(len(self._corners))
        self._lines.append(number)
        for word, names in self._names.items():
            self._used[word].append(names.now)

    def _corner(self, part: str, number: int) -> tuple[int, int, int] | None:
        words = part.split("/")
        if len(words) > _PLACES:
            self._notes.damage("corner", f"{part[:40]!r} is no corner of a face", number)
            return None
        found = [-1, -1, -1]
        for place, (word, kind) in enumerate(zip(words, ("v", "vt", "vn"), strict=False)):
            if not word:
                if place == 0:
                    self._notes.damage("corner", f"the corner {part[:40]!r} names no vertex", number)
                    return None
                continue
            try:
                given = int(word)
            except ValueError:
                self._notes.damage("corner", f"{part[:40]!r} is no corner of a face", number)
                return None
            count = len(self._points[kind])
            at = given - 1 if given > 0 else count + given
            if 0 <= at < count and given != 0:
                found[place] = at
                continue
            wrong = f"a face names {kind} {given}, there are {count} so far"
            if kind == "v":
                self._notes.damage("corner", wrong, number)
                return None
            self._notes.quirk(f"corner-{kind}", f"{wrong}; the corner goes without", number)
        return found[0], found[1], found[2]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
