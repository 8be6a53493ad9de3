"""The arrays of a clip on disk: written beside the library's own, moved into place whole, read without copying."""

from __future__ import annotations

import contextlib
import math
import os
import secrets
import shutil
import socket
import stat
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from reenact.core.arrays import Int32
from reenact.core.clip import Clip, JointTranslations
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError, LibraryError
from reenact.formats.npz import read_header
from reenact.formats.plants_json import plants_to_json
from reenact.library.content import hash_clip, hash_tree
from reenact.library.records import canonical_json, origin_to_json, skeleton_key, skeleton_to_json

INSTALLING = "installing"
"""File in a staging folder: hashes of clips that were moved from it to their place. Those without a row were never committed."""

ABANDONED_SECONDS = 24 * 3600.0
"""Age after which a staging folder of another machine counts as left behind."""


@dataclass(frozen=True, slots=True)
class StagedClip:
    """A clip whose arrays are written but not yet part of the library: all that its row in the index needs.

    Plain values only, so that it can travel as JSON from the process that read the file.
    """

    hash: str
    name: str
    skeleton_key: str
    tree: str
    skeleton: str  # JSON
    joints: int
    frames: int
    fps: float
    translated: list[int] | None
    bytes: int
    origin: str  # JSON
    pristine: bool
    folder: str  # where the arrays lie now
    character: str = ""  # file of the mesh that came with it
    plants: str = ""  # JSON of the foot plants that travel with it
    type: dict[str, Any] = field(default_factory=dict)  # what it is, as metadata


def clip_folder(library: Path, content: str) -> Path:
    """Where the arrays of the clip with this hash belong."""
    return library / "clips" / content[:2] / content


def make_staging(library: Path) -> Path:
    """A new folder for arrays on their way in, named after this process so that others know whether it is still in use."""
    folder = library / "incoming" / f"{_host()}.{os.getpid()}.{secrets.token_hex(6)}"
    folder.mkdir(parents=True)
    return folder


def _host() -> str:
    return "".join(c if c.isalnum() or c == "-" else "_" for c in socket.gethostname()) or "host"


def is_abandoned(staging: Path) -> bool:
    """True when the process that made a staging folder is gone: by its number here, by age on another machine.

    By age here too, where the number belongs to a process: it may be another one by now.
    """
    host, _, rest = staging.name.partition(".")
    number = rest.partition(".")[0]
    if host == _host() and number.isdigit() and os.name == "posix":
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            return True
        except OSError:
            pass
    with contextlib.suppress(OSError):
        return time.time() - staging.stat().st_mtime > ABANDONED_SECONDS
    return False


def stage_clip(clip: Clip, staging: Path) -> StagedClip:
    """Write a clip's arrays into a folder of their own below `staging`; `flush_arrays` comes before its row."""
    folder = staging / secrets.token_hex(8)
    folder.mkdir()
    try:
        _write_array(folder / "rotations.npy", clip.rotations)
        _write_array(folder / "root.npy", clip.root)
        if clip.translations is not None:
            _write_array(folder / "translations.npy", clip.translations.values)
        size = sum(entry.stat().st_size for entry in folder.iterdir())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    skeleton = clip.skeleton
    return StagedClip(
        hash=hash_clip(clip),
        name=clip.name,
        skeleton_key=skeleton_key(skeleton),
        tree=hash_tree(skeleton),
        skeleton=skeleton_to_json(skeleton),
        joints=len(skeleton),
        frames=len(clip),
        fps=float(clip.fps),
        translated=None if clip.translations is None else clip.translations.joints.tolist(),
        bytes=size,
        origin=origin_to_json(clip.origin),
        plants="" if clip.plants is None else canonical_json(plants_to_json(clip.plants)),
        pristine=bool(clip.pristine),
        folder=str(folder),
    )


def _write_array(path: Path, values: np.ndarray) -> None:
    with path.open("xb") as stream:
        values = np.ascontiguousarray(values)
        np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(values))
        # Not `np.save`: its way of writing to a real file loses the system's reason when the disk is full.
        stream.write(values.data if values.size else b"")


def flush_arrays(folders: Sequence[Path]) -> None:
    """Wait until staged arrays are on the disk, so that a row never outlives them in a power cut.

    All at once rather than one file after the other: the disk then needs few turns for many files.
    """
    files = [path for folder in folders for path in folder.iterdir()]
    if len(files) <= 4:
        for file in files:
            _flush(file)
        return
    with ThreadPoolExecutor(max_workers=32, thread_name_prefix="flush") as threads:
        for _ in threads.map(_flush, files):
            pass


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def install_arrays(library: Path, staged: StagedClip) -> None:
    """Move staged arrays to their place. Only under the index's write lock, by whoever has just added the row.

    A folder that is there already gives way: it has no row (an import was killed between moving and committing), or it is damaged.
    """
    place = clip_folder(library, staged.hash)
    place.parent.mkdir(parents=True, exist_ok=True)
    with (Path(staged.folder).parent / INSTALLING).open("a", encoding="ascii") as stream:
        stream.write(f"{staged.hash}\n")
    if place.exists():
        discard_folder(place, Path(staged.folder).parent)
    os.rename(staged.folder, place)


def discard_folder(folder: Path, staging: Path) -> None:
    """Take a folder out of the library at one stroke (a rename), then delete it."""
    doomed = staging / f"discarded-{secrets.token_hex(6)}"
    os.rename(folder, doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def read_arrays(
    folder: Path, skeleton: Skeleton, frames: int, translated: list[int] | None
) -> tuple[np.ndarray, np.ndarray, JointTranslations | None]:
    """Rotations (F, J, 4), root (F, 3) and translations of a stored clip, mapped into memory where they are not empty.

    Raises:
        LibraryError: when an array is missing, cut short or of another shape than the index says.
    """
    rotations = _read_array(folder / "rotations.npy", (frames, len(skeleton), 4))
    root = _read_array(folder / "root.npy", (frames, 3))
    if translated is None:
        return rotations, root, None
    joints: Int32 = np.array(translated, dtype=np.int32)
    values = _read_array(folder / "translations.npy", (frames, len(joints), 3))
    return rotations, root, JointTranslations(joints, values)


def stored_shape(path: Path) -> tuple[int, ...]:
    """The shape of a stored float32 array by its header; the file has just the bytes for it.

    The header is read with a pattern and never evaluated, whatever is written there.

    Raises:
        LibraryError: no such array.
    """
    return _look_at(path)[0]


def _look_at(path: Path) -> tuple[tuple[int, ...], int]:
    """Shape of a stored array, and where in the file its numbers begin."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise LibraryError(f"{path.name} is no regular file", where=str(path))
        with path.open("rb") as stream:
            header = read_header(stream, path.name)
    except FileNotFoundError:
        raise LibraryError(f"{path.name} is missing", where=str(path)) from None
    except FormatError as error:
        raise LibraryError(error.message, where=str(path)) from None
    except OSError as error:
        raise LibraryError(f"{path.name} cannot be read ({error.strerror or error})", where=str(path)) from error
    if header.dtype != np.float32 or header.fortran:
        raise LibraryError(f"{path.name} holds {header.dtype}, expected float32 row by row", where=str(path))
    size = header.start + 4 * math.prod(header.shape)
    if status.st_size != size:
        raise LibraryError(
            f"{path.name} has {status.st_size} bytes, an array of shape {header.shape} takes {size}", where=str(path)
        )
    return header.shape, header.start


def _read_array(path: Path, shape: tuple[int, ...]) -> np.ndarray:
    found, start = _look_at(path)
    if found != shape:
        raise LibraryError(f"{path.name} has the shape {found}, the index says {shape}", where=str(path))
    if 0 in shape:
        return np.zeros(shape, np.float32)
    try:
        return np.memmap(path, np.float32, "r", start, shape)
    except (OSError, ValueError) as error:  # gone or cut short since it was looked at
        raise LibraryError(f"{path.name} cannot be read ({error})", where=str(path)) from error
