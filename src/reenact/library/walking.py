"""Which files of a folder hold motion."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from reenact.formats.address import file_of, split_address
from reenact.formats.registry import formats
from reenact.library.paths import path_text, real_path


@dataclass(frozen=True, slots=True)
class Failure:
    """A file or folder that could not be read.

    Attributes:
        path: which.
        code: "format", or the name of the system's error such as "eacces".
        message: why, in one sentence.
        where: file and line, where a line is to blame.
    """

    path: str
    code: str
    message: str
    where: str

    def as_dict(self) -> dict[str, str]:
        """The JSON form of the command line."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read: where it is, and its path below the folder that was given (`/` between the parts)."""

    path: Path
    relative: str


def known_ending(path: Path) -> bool:
    """True when a format has this file ending."""
    return any(file_of(path).suffix.lower() in entry.endings for entry in formats())


def os_failure(path: str | os.PathLike[str], error: OSError) -> Failure:
    """A failure of the system as a line of the report."""
    import errno

    code = errno.errorcode.get(error.errno or 0, "os").lower()
    return Failure(path_text(path), code, (error.strerror or str(error)).lower(), path_text(path))


def find_motion_files(paths: Sequence[Path], *, everything: bool = False) -> tuple[list[FoundFile], list[Failure]]:
    """Motion files in these folders and below, sorted, each once; a file that is named itself is always taken, `pack.glb#Walk` too.

    Hidden files and folders are passed over, and so are other libraries. Links to folders are followed, but no folder is entered
    twice.

    Args:
        paths: files and folders.
        everything: take every file, not only those with a known ending.

    Returns:
        The files, and what could not be looked at.

    Raises:
        FileNotFoundError: when one of `paths` does not exist.
    """
    files: dict[Path, FoundFile] = {}
    failures: list[Failure] = []
    seen: set[tuple[int, int]] = set()
    for given in paths:
        file, clip = split_address(given)
        path = real_path(file)
        if clip is not None:
            one = Path(f"{path}#{clip}")
            files.setdefault(one, FoundFile(one, path_text(f"{path.name}#{clip}")))
            continue
        if not path.exists():
            raise FileNotFoundError(2, "no such file or folder", str(given))
        if not path.is_dir():
            files.setdefault(path, FoundFile(path, path.name))
            continue
        for found in _walk(path, seen, failures):
            if everything or known_ending(found):
                problem = _no_file(found)
                if problem:
                    failures.append(problem)
                else:
                    relative = found.relative_to(path).as_posix()
                    files.setdefault(found, FoundFile(found, path_text(relative)))
    return list(files.values()), failures


def _walk(top: Path, seen: set[tuple[int, int]], failures: list[Failure]) -> Iterator[Path]:
    def note(error: OSError) -> None:
        failures.append(os_failure(error.filename or top, error))

    for folder, folders, names in os.walk(top, onerror=note, followlinks=True):
        try:
            status = os.stat(folder)
        except OSError as error:  # gone since it was listed
            note(error)
            folders.clear()
            continue
        identity = (status.st_dev, status.st_ino)
        if identity in seen or "library.sqlite" in names:
            folders.clear()
            continue
        seen.add(identity)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(folder) / name


def _no_file(path: Path) -> Failure | None:
    """Why something is no file that can be read: a pipe would be waited for without end, a broken link leads nowhere."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        return os_failure(path, error)
    if stat.S_ISREG(mode):
        return None
    return Failure(path_text(path), "format", "not a regular file", path_text(path))
