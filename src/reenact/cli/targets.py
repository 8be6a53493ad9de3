"""Where results go, looked at before the work begins: a file by its ending, a folder or pattern for many, or a pipe."""

from __future__ import annotations

import errno
import string
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from reenact.errors import ParameterError
from reenact.formats.address import is_pipe
from reenact.formats.loaded import WriteOptions
from reenact.formats.registry import require_writable
from reenact.library.export import FALLBACK, file_name

FIELDS = ("name", "number")
"""What a pattern of file names may hold: the clip's name, and its place among all, from 1."""


def check_target(output: Path, writing: WriteOptions | None = None) -> None:
    """Raise an error where a motion cannot be written there; messages make way for what goes through a pipe."""
    if is_pipe(output):
        if writing is not None and writing.format:
            require_writable(Path(f"-.{writing.format.lstrip('.')}"))
        sys.stdout = sys.stderr  # `main` puts it back
        return
    require_writable(output)
    check_place(output)


def check_ending(output: Path, endings: Sequence[str], what: str) -> None:
    """Raise an error where the name of a file that is no motion ends otherwise than wanted, or its folder is not there."""
    _require_ending(output, endings, what)
    check_place(output)


def _require_ending(output: Path, endings: Sequence[str], what: str) -> None:
    if output.suffix.lower() not in endings:
        known = ", ".join(endings)
        raise ParameterError(f"unknown ending {output.suffix!r} for {what}; known are {known}", where=str(output))


def check_place(output: Path) -> None:
    """Raise an error where the folder of a file is not there, or the file is a folder."""
    if output.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected a file name", str(output))
    if not output.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "the folder does not exist: make it first, or name another", str(output.parent)
        )


def is_for_many(output: Path | None) -> bool:
    """Whether results get names of their own there: a pattern such as `out/{name}.glb`, or a folder."""
    return output is not None and (any(f"{{{name}" in str(output) for name in FIELDS) or output.is_dir())


def motion_targets(output: Path, named: Iterable[tuple[str, str]], writing: WriteOptions) -> list[Path]:
    """The file of every motion, by its name and the format it was read from, which files in a folder keep where it can be written."""
    rows = list(named)
    wanted = writing.format.lstrip(".")
    return name_targets(
        output, [name for name, _ in rows], [wanted or own_ending(kind) for _, kind in rows], require_writable
    )


def other_targets(output: Path, names: Sequence[str], endings: Sequence[str], what: str) -> list[Path]:
    """The file of every result that is no motion; those in a folder have the first of the endings it may have."""

    def check(target: Path) -> None:
        _require_ending(target, endings, what)

    return name_targets(output, names, [endings[0][1:]] * len(names), check)


def name_targets(
    output: Path, names: Sequence[str], endings: Sequence[str], check: Callable[[Path], object]
) -> list[Path]:
    """The file of every result, its folder made.

    Args:
        output: a pattern, or a folder.
        names: of the sources.
        endings: of files in a folder, without the dot.
        check: raises an error for a file that cannot be written.

    Raises:
        ParameterError: a pattern that gives two sources the same file, or that is none.
    """
    if output.is_dir():
        given: set[str] = set()
        targets = [output / file_name(name, ending, given) for name, ending in zip(names, endings, strict=True)]
    else:
        targets = [_filled(str(output), name, number) for number, name in enumerate(names, 1)]
        taken: dict[str, int] = {}
        for place, target in enumerate(targets):
            other = taken.setdefault(str(target).casefold(), place)
            if other != place:
                both = f"{names[other]} (number {other + 1}) and {names[place]} (number {place + 1})"
                raise ParameterError(
                    f"{both} would both be written to {target}: put {{number}} into the pattern", where="-o"
                )
    for target in targets:
        check(target)
    for folder in dict.fromkeys(target.parent for target in targets):
        folder.mkdir(parents=True, exist_ok=True)
    return targets


def own_ending(kind: str) -> str:
    """The ending under which motion of a format is written again, without the dot."""
    from reenact.formats.registry import formats

    return next((entry.endings[0][1:] for entry in formats() if entry.name == kind and entry.writes_motion), FALLBACK)


def _filled(pattern: str, name: str, number: int) -> Path:
    safe = file_name(name, "", set()).rstrip(".")
    try:
        used = {field for _, field, _, _ in string.Formatter().parse(pattern) if field is not None}
        if not used <= set(FIELDS):
            raise ValueError
        return Path(pattern.format(name=safe, number=number))
    except (ValueError, KeyError, IndexError):
        raise ParameterError(
            f"{pattern!r} is no pattern: {{name}} and {{number}} (also {{number:03d}}) stand for the clip's", where="-o"
        ) from None
