"""Files that people drop on the studio: received within bounds, read by the format readers, added to the library."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.errors import FormatError, ParameterError
from reenact.formats.passing import named_without_folder
from reenact.formats.plants_text import parse_plants, plants_in
from reenact.library.export import file_name
from reenact.library.import_worker import SKELETONS_ONLY
from reenact.studio.answers import TooLargeError, steady

if TYPE_CHECKING:
    from reenact.library.store import Library

UPLOAD_LIMIT = 512 * 1024 * 1024
"""Bytes of one file, at most, unless the studio is told otherwise."""

SKELETONS_KEPT = 64
"""ASF files kept for the motion files that follow them."""

BESIDE = (".plants", ".credits")
"""Endings of texts that belong to the motion file of the same name, for formats that cannot hold what they say."""

BESIDE_KEPT = 4096
"""Such texts kept for the motion files that follow them."""

_LONGEST_NAME = 200


def safe_name(text: str) -> str:
    """A file name that means the same everywhere and nothing outside its folder.

    Raises:
        ParameterError: no name, or one too long.
    """
    base = text.replace("\\", "/").rpartition("/")[2].strip()
    if not base.strip(".") or len(base) > _LONGEST_NAME:
        raise ParameterError(
            f"an upload needs a file name of at most {_LONGEST_NAME} characters, such as walk.bvh", where="name"
        )
    stem, dot, ending = base.rpartition(".")
    kept = "".join(c for c in ending if c.isascii() and c.isalnum())[:8].lower() if dot else ""
    return file_name(stem or base, kept or "dat", set())


async def receive_file(chunks: AsyncIterator[bytes], path: Path, limit: int) -> int:
    """Write a body to a file; gives its size.

    Raises:
        TooLargeError: more than `limit` bytes; what was written is deleted.
    """
    size = 0
    try:
        with path.open("xb") as stream:
            async for chunk in steady(chunks):
                size += len(chunk)
                if size > limit:
                    raise TooLargeError(f"a file may have at most {limit} bytes", where=path.name)
                stream.write(chunk)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return size


@dataclass(frozen=True, slots=True)
class AddedFile:
    """What came of a file: numbers of new clips, of clips that were there, findings; whether it is to be kept for files that follow."""

    added: tuple[int, ...] = ()
    existing: tuple[int, ...] = ()
    findings: tuple[Finding, ...] = ()
    kept: bool = False


def add_file(library: Library, path: Path, kept: Path | None = None) -> AddedFile:
    """Read a motion file and add its clips, with the mesh that comes with them.

    Args:
        library: the library.
        path: the file; errors and findings name it without its folder.
        kept: folder of files that came before: ASF files, which are laid beside an AMC file for its reader, and foot plants and credits of
            the file's name.

    Raises:
        FormatError: the file cannot be read; the message is one line.
    """
    from reenact.library.characters import keep_character
    from reenact.loading import load_all

    with named_without_folder(path):
        if path.suffix in BESIDE:
            return _text_beside(path)
        for file in _waiting_for(path, kept) if kept is not None else ():
            shutil.copyfile(file, path.parent / file.name)
        loaded = load_all(path)
    if loaded.format in SKELETONS_ONLY:
        told = Finding("upload.skeleton", "info", path.name, "kept for the AMC files of this session")
        return AddedFile(findings=(*loaded.findings, told), kept=True)
    if not loaded.clips:
        raise FormatError("the file holds no motion", path=path.name)
    added, existing = [], []
    for number, clip in enumerate(loaded.clips):
        name = clip.name or (path.stem if len(loaded.clips) == 1 else f"{path.stem}-{number + 1}")
        result = library.add(_without_path(clip, path.name), name=name)
        (added if result.new else existing).append(result.id)
        if result.new:
            library.set_metadata(result.id, {"file": path.name})
        for character in loaded.characters:
            if keep_character(library, result.id, character):
                break
    return AddedFile(tuple(added), tuple(existing), loaded.findings)


def _waiting_for(path: Path, kept: Path) -> list[Path]:
    """The files that came before and belong to this one."""
    skeletons = sorted(kept.glob("*.asf")) if path.suffix.lower() == ".amc" else []
    return [*skeletons, *(file for ending in BESIDE if (file := kept / f"{path.stem}{ending}").is_file())]


def _text_beside(path: Path) -> AddedFile:
    """A text that belongs to a motion file, looked at before it is kept."""
    if path.suffix == ".plants":
        plants_in(parse_plants(path), path)
    told = f"kept for the motion file {path.stem} of this session"
    return AddedFile(findings=(Finding("upload.beside", "info", path.name, told),), kept=True)


def _without_path(clip: Clip, name: str) -> Clip:
    """The clip with the bare name of its file: the folder it lay in is gone soon."""
    return clip.with_origin(replace(clip.origin, path=name))


def keep_for_later(path: Path, folder: Path) -> None:
    """Keep a file for the motion files that come after it; when there are too many of its kind, the oldest goes."""
    folder.mkdir(exist_ok=True)
    shutil.move(path, folder / path.name)
    held = sorted(folder.glob(f"*{path.suffix}"), key=lambda file: file.stat().st_mtime_ns)
    for old in held[: max(0, len(held) - (BESIDE_KEPT if path.suffix in BESIDE else SKELETONS_KEPT))]:
        old.unlink(missing_ok=True)


@contextmanager
def landing_place(folder: Path, name: str) -> Iterator[Path]:
    """A path of that name in a new folder of its own, so that a file can refer to nothing but what is laid beside it."""
    place = Path(tempfile.mkdtemp(prefix="upload-", dir=folder))
    try:
        yield place / name
    finally:
        shutil.rmtree(place, ignore_errors=True)
