"""The one list of file formats, and how a file's format is found: by content first, then by its ending."""

from __future__ import annotations

import errno
import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from reenact.errors import FormatError
from reenact.formats.address import file_of
from reenact.formats.unread import advice_for
from reenact.plugins import offered

if TYPE_CHECKING:
    from reenact.core.clip import Clip
    from reenact.formats.loaded import Loaded, ReadOptions, WriteOptions


@dataclass(frozen=True, slots=True)
class Format:
    """One file format; its module is imported when first used.

    Attributes:
        name: short name, also its main ending.
        endings: file name endings, lower case with the dot.
        title: for people.
        module: holds `read(path, options) -> Loaded` and, where it can write, `write(clips, path, options)`.
        sniff: True when the first bytes of a file can only be this format.
        writable: whether it can write.
        many: whether one file holds several clips.
        states_units: whether the file itself says its units and axes; else they are detected from the motion.
        keeps_inspection: whether it is our own format, which holds roles and has dropped an added T-pose already.
        still: whether it holds a mesh in one pose and no motion.
        holds_plants: whether foot plants lie inside the file; else a text file beside it has them.
    """

    name: str
    endings: tuple[str, ...]
    title: str
    module: str
    sniff: Callable[[bytes], bool]
    writable: bool = True
    many: bool = False
    states_units: bool = True
    keeps_inspection: bool = False
    still: bool = False
    holds_plants: bool = False

    @property
    def writes_motion(self) -> bool:
        """Whether a clip can be written in it."""
        return self.writable and not self.still

    def read(self, path: Path, options: ReadOptions) -> Loaded:
        """Read a file."""
        return importlib.import_module(self.module).read(path, options)

    def write(self, clips: Sequence[Clip], path: Path, options: WriteOptions) -> None:
        """Write clips to a file, whole or not at all."""
        if not self.writable:
            require_writable(path)
        if len(clips) != 1 and not self.many:
            raise FormatError(f"{self.title} holds one clip a file, {len(clips)} were given", path=path)
        importlib.import_module(self.module).write(clips, path, options)


def _is_bvh(head: bytes) -> bool:
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").upper().startswith(b"HIERARCHY")


def _is_asf(head: bytes) -> bool:
    lines = [line.strip().lower() for line in head.splitlines() if line.strip() and not line.lstrip().startswith(b"#")]
    return b"asf" in head[:60].lower() or (bool(lines) and lines[0].startswith((b":version", b":name", b":units")))


def _is_amc(head: bytes) -> bool:
    return any(
        line.strip().lower() in (b":fully-specified", b":degrees", b":radians") for line in head.splitlines()[:20]
    )


def _is_glb(head: bytes) -> bool:
    return head.startswith(b"glTF")


def _is_gltf(head: bytes) -> bool:
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _is_obj(head: bytes) -> bool:
    return re.search(rb"^(?:mtllib\s+\S|v\s+[-+.\d]\S*\s+[-+.\d]\S*\s+[-+.\d])", head, re.MULTILINE) is not None


def _is_npz(head: bytes) -> bool:
    return head.startswith(b"PK\x03\x04")


FORMATS: tuple[Format, ...] = (
    Format("bvh", (".bvh",), "Biovision hierarchy", "reenact.formats.bvh", _is_bvh, states_units=False),
    Format("amc", (".amc",), "Acclaim motion", "reenact.formats.amc", _is_amc),
    Format("asf", (".asf",), "Acclaim skeleton", "reenact.formats.asf", _is_asf, writable=False),
    Format("glb", (".glb",), "binary glTF 2.0", "reenact.formats.gltf", _is_glb, many=True, holds_plants=True),
    Format("gltf", (".gltf",), "glTF 2.0", "reenact.formats.gltf", _is_gltf, many=True, holds_plants=True),
    Format("obj", (".obj",), "Wavefront OBJ", "reenact.formats.obj", _is_obj, many=True, still=True),
    Format("npz", (".npz",), "NumPy archive", "reenact.formats.npz", _is_npz, keeps_inspection=True, holds_plants=True),
)


@cache
def formats() -> tuple[Format, ...]:
    """All formats, those of other packages included (entry points of the group `reenact.formats`; see CONTRIBUTING)."""
    known = {entry.name for entry in FORMATS}
    return (*FORMATS, *(entry for entry in offered("reenact.formats", Format) if entry.name not in known))


def format_by_ending(path: Path) -> Format:
    """The format a file name asks for, or a `FormatError` that lists the choices."""
    for entry in FORMATS:
        if path.suffix.lower() in entry.endings:
            return entry
    for entry in formats():
        if path.suffix.lower() in entry.endings:
            return entry
    if other := advice_for(path):
        raise FormatError(f"{other.title} is not written: {other.writing}", path=path)
    choices = ", ".join(ending for entry in formats() for ending in entry.endings)
    raise FormatError(f"unknown file ending {path.suffix!r}; known are {choices}", path=path)


def require_writable(path: Path) -> Format:
    """The format that a file name asks for, or a `FormatError` when there is none or it cannot be written."""
    entry = format_by_ending(path)
    if not entry.writable:
        raise FormatError(f"{entry.title} can be read but not written", path=path)
    return entry


def find_format(path: Path) -> Format:
    """The format of an existing file, by its first bytes, then by its ending."""
    path = file_of(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected a motion file", str(path))
    if path.exists() and not path.is_file():
        raise FormatError(
            "expected a plain file, found a pipe or a device: write its contents to a file first", path=path
        )
    with path.open("rb") as stream:
        head = stream.read(1024)
    if not head:
        raise FormatError("the file is empty", path=path)
    for known in (lambda: FORMATS, formats):
        for entry in known():
            if entry.sniff(head):
                return entry
    if other := advice_for(path, head):
        raise FormatError(f"{other.title} is not read yet: {other.reading}", path=path)
    try:
        return format_by_ending(path)
    except FormatError:
        choices = ", ".join(entry.title for entry in formats())
        raise FormatError(f"not a known motion format (expected one of: {choices})", path=path) from None
