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
from reenact.errors import FormatError, ParameterError, ReenactError
from reenact.library.export import file_name
from reenact.library.import_worker import SKELETONS_ONLY
from reenact.studio.answers import TooLargeError

if TYPE_CHECKING:
    from reenact.library.store import Library

UPLOAD_LIMIT = 512 * 1024 * 1024
"""Bytes of one file, at most, unless the studio is told otherwise."""

SKELETONS_KEPT = 64
"""ASF files kept for the motion files that follow them."""

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
            async for chunk in chunks:
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
    """What came of a file: numbers of new clips, of clips that were there, findings; whether it is a skeleton alone."""

    added: tuple[int, ...] = ()
    existing: tuple[int, ...] = ()
    findings: tuple[Finding, ...] = ()
    skeleton: bool = False


def add_file(library: Library, path: Path, skeletons: Path | None = None) -> AddedFile:
    """Read a motion file and add its clips, with the mesh that comes with them.

    Args:
        library: the library.
        path: the file; errors and findings name it without its folder.
        skeletons: folder of ASF files, which are laid beside an AMC file for its reader.

    Raises:
        FormatError: the file cannot be read; the message is one line.
    """
    from reenact.library.characters import keep_character
    from reenact.loading import load_all

    with _named_without_folder(path):
        if skeletons is not None and path.suffix.lower() == ".amc":
            for skeleton in sorted(skeletons.glob("*.asf")):
                shutil.copyfile(skeleton, path.parent / skeleton.name)
        loaded = load_all(path)
    if loaded.format in SKELETONS_ONLY:
        kept = Finding("upload.skeleton", "info", path.name, "kept for the AMC files of this session")
        return AddedFile(findings=(*loaded.findings, kept), skeleton=True)
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


def _without_path(clip: Clip, name: str) -> Clip:
    """The clip with the bare name of its file: the folder it lay in is gone soon."""
    known = replace(clip, origin=replace(clip.origin, path=name))
    return known.as_recorded() if clip.pristine else known


@contextmanager
def _named_without_folder(path: Path) -> Iterator[None]:
    """Errors name the file as the person knows it, not where it lies for the moment."""
    folder = f"{path.parent}/"
    try:
        yield
    except ReenactError as error:
        error.where = error.where.replace(folder, "")
        error.message = error.message.replace(folder, "").replace(str(path.parent), "the folder of the file")
        raise
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", path=path.name) from error


def keep_skeleton(path: Path, skeletons: Path) -> None:
    """Keep an ASF file for the AMC files that come after it; beyond `SKELETONS_KEPT` the oldest goes."""
    skeletons.mkdir(exist_ok=True)
    shutil.move(path, skeletons / f"{path.stem}.asf")
    held = sorted(skeletons.glob("*.asf"), key=lambda file: file.stat().st_mtime_ns)
    for old in held[: max(0, len(held) - SKELETONS_KEPT)]:
        old.unlink(missing_ok=True)


@contextmanager
def landing_place(folder: Path, name: str) -> Iterator[Path]:
    """A path of that name in a new folder of its own, so that a file can refer to nothing but what is laid beside it."""
    place = Path(tempfile.mkdtemp(prefix="upload-", dir=folder))
    try:
        yield place / name
    finally:
        shutil.rmtree(place, ignore_errors=True)
