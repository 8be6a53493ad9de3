"""Reading files into the staging folder: one by one, on whatever executor there is."""

from __future__ import annotations

import dataclasses
import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from reenact.errors import FormatError, LibraryError, ReenactError
from reenact.formats.registry import find_format
from reenact.library.characters import stage_character
from reenact.library.clip_files import StagedClip, stage_clip
from reenact.library.paths import path_text
from reenact.library.types import find_type
from reenact.library.walking import Failure, known_ending, os_failure
from reenact.loading import LoadOptions, choose_clip, load_all

if TYPE_CHECKING:
    from reenact.compute.executor import Executor, WorkerLostError

Task = TypeVar("Task")

SKELETONS_ONLY = frozenset({"asf"})
"""Formats whose one frame is a rest pose: no motion. The skeleton comes with the motion files that use it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a file.

    Attributes:
        clips: its clips, written to the staging folder.
        failure: why it could not be read.
        other: it is no motion file, and its ending does not say so either.
        disk: the staging folder could not be written: (error number, message, file). No file's fault; the import cannot go on.
    """

    clips: list[StagedClip] = field(default_factory=list)
    failure: Failure | None = None
    other: bool = False
    disk: tuple[int, str, str] | None = None


def read_into_staging(path: Path, options: LoadOptions, staging: Path, *, types: bool = False) -> Outcome:
    """Read a file and write the arrays of its clips; whatever is wrong with the file becomes a `Failure`.

    Args:
        path: the file.
        options: how it is read.
        staging: where the arrays go.
        types: also find out what each clip is.
    """
    text = path_text(path)
    try:
        if not known_ending(path):
            try:
                find_format(path)
            except FormatError:
                return Outcome(other=True)
        loaded = load_all(path, options)
        clips = loaded.clips if options.clip is None else (choose_clip(loaded, options.clip, path),)
        if loaded.format in SKELETONS_ONLY:
            clips = ()
    except ReenactError as error:
        return Outcome(failure=Failure(text, error.code, error.message, path_text(error.where or text)))
    except OSError as error:
        return Outcome(failure=os_failure(path, error))
    except MemoryError:
        return Outcome(failure=Failure(text, "memory", "not enough memory to read this file", text))
    except Exception as error:  # a fault of the reader: it may cost this file, never the import
        return Outcome(failure=Failure(text, "internal", f"the reader failed: {type(error).__name__}: {error}", text))
    staged: list[StagedClip] = []
    try:
        for number, clip in enumerate(clips):
            name = clip.name or (path.stem if len(clips) == 1 else f"{path.stem}-{number + 1}")
            one = stage_clip(clip.renamed(path_text(name)), staging)
            character = stage_character(loaded.characters, clip.skeleton, staging)
            staged.append(dataclasses.replace(one, character=character, type=find_type(clip) if types else {}))
    except OSError as error:
        return Outcome(disk=(error.errno or 0, error.strerror or str(error), path_text(error.filename or staging)))
    return Outcome(clips=staged)


def read_all_into_staging(
    executor: Executor,
    tasks: Iterable[Task],
    path_of: Callable[[Task], Path],
    options: LoadOptions,
    staging: Path,
    *,
    types: bool = False,
    cancelled: Callable[[], bool] | None = None,
) -> Iterator[tuple[Task, Outcome]]:
    """Tasks and what came of their files, in order; tasks are asked for only a little ahead.

    A file whose reader dies each time (out of memory, a fault in compiled code) becomes a `Failure`.
    """
    handed_out: deque[Task] = deque()

    def paths() -> Iterator[Path]:
        for task in tasks:
            handed_out.append(task)
            yield path_of(task)

    read = functools.partial(_read_one, options, staging, types)
    for outcome in executor.map(read, paths(), label=path_text, lost=_lost, cancelled=cancelled):
        yield handed_out.popleft(), outcome


def _read_one(options: LoadOptions, staging: Path, types: bool, path: Path, shared: Mapping[str, Any]) -> Outcome:
    if not staging.is_dir():
        raise LibraryError(
            "the worker does not see this folder: machines of a cluster must share the folder of the library and those of the files",
            where=path_text(staging),
        )
    return read_into_staging(path, options, staging, types=types)


def _lost(path: Path, error: WorkerLostError) -> Outcome:
    return Outcome(failure=Failure(path_text(path), "internal", error.message, path_text(path)))


def options_to_dict(options: LoadOptions) -> dict[str, Any]:
    """The options that are not the default, as plain values."""
    plain = LoadOptions()
    given: dict[str, Any] = {}
    for entry in dataclasses.fields(options):
        value = getattr(options, entry.name)
        if value != getattr(plain, entry.name):
            given[entry.name] = str(value.absolute()) if isinstance(value, Path) else value
    return given


def options_from_dict(given: dict[str, Any]) -> LoadOptions:
    """The options that `options_to_dict` wrote."""
    if "skeleton" in given:
        given = {**given, "skeleton": Path(given["skeleton"])}
    return LoadOptions(**given)
