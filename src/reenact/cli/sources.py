"""The clips that a verb works on one by one: of many files, of the clips in a file, of a library or of a search in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from reenact.cli.workers import WorkerOptions
from reenact.core.clip import Clip
from reenact.core.parameters import option
from reenact.errors import ParameterError, ReenactError
from reenact.formats.address import is_pipe, split_address
from reenact.formats.registry import find_format
from reenact.loading import LoadOptions, choose_clip, load_all

if TYPE_CHECKING:
    from reenact.body.character import Character


@dataclass(frozen=True, slots=True)
class BatchOptions(WorkerOptions):
    """How many clips are worked on one by one."""

    query: str | None = option(None, "of a library given as FILE: only the clips that answer this search", short="-q")


@dataclass(frozen=True, slots=True)
class Source:
    """One clip, and where it is.

    Attributes:
        label: as people gave it.
        name: of its result.
        path: an address that `load_all` takes; of a clip in a library the library's folder.
        kind: name of its format.
        number: of the clip in the library; None for one of a file.
        error: why there is none.
    """

    label: str
    name: str
    path: Path
    kind: str = ""
    number: int | None = None
    error: ReenactError | OSError | None = None


def is_library(path: Path) -> bool:
    """Whether a folder is a library."""
    return (path / "library.sqlite").is_file()


def list_sources(files: Sequence[Path], query: str | None, reading: LoadOptions) -> list[Source]:
    """Every clip of files and libraries, in their order; a file that cannot be read is listed with its error.

    Raises:
        ParameterError: a query without a library, or one that no clip answers.
    """
    found: list[Source] = []
    if query is not None and not any(is_library(file) for file in files):
        raise ParameterError("a query asks a library: give its folder instead of files", where="--query")
    for file in files:
        if is_library(file):
            found += _of_library(file, query or "")
            continue
        try:
            found += _of_file(file, reading)
        except (ReenactError, OSError) as error:
            found.append(Source(str(file), file.stem, file, error=error))
    if not found:
        raise ParameterError(f"no clip answers {query!r}" if query else "the library is empty", where="--query")
    return found


def _of_library(folder: Path, query: str) -> list[Source]:
    from reenact.library.store import Library

    with Library(folder, read_only=True) as library:
        return [Source(f"{folder}#{entry.name}", entry.name, folder, "", entry.id) for entry in library.entries(query)]


def _of_file(address: Path, reading: LoadOptions) -> list[Source]:
    if is_pipe(address):
        raise ParameterError("a pipe holds one motion: give it alone", where="-")
    file, clip = split_address(address)
    entry = find_format(file)
    if clip is not None:
        return [Source(str(address), clip, address, entry.name)]
    if not entry.many or reading.clip is not None:
        return [Source(str(address), file.stem, address, entry.name)]
    clips = load_all(file, reading).clips
    if len(clips) <= 1:
        return [Source(str(address), file.stem, address, entry.name)]
    return [Source(f"{file}#{one.name}", one.name, Path(f"{file}#{one.name}"), entry.name) for one in clips]


def read_source(source: Source, reading: LoadOptions) -> tuple[Clip, list[Character]]:
    """The clip of a source, and the characters that come with it."""
    if source.error is not None:
        raise source.error
    if source.number is None:
        loaded = load_all(source.path, reading)
        return choose_clip(loaded, reading.clip, source.path), list(loaded.characters)
    from reenact.library.characters import read_character
    from reenact.library.kept_plants import given_plants
    from reenact.library.store import Library

    with Library(source.path, read_only=True) as library:
        clip = library.clip(source.number)
        known = given_plants(library, source.number)
        character = read_character(library, source.number)
    return clip if known is None else clip.with_plants(known), [] if character is None else [character]


def alone(reading: LoadOptions, source: Source) -> LoadOptions:
    """How one of many sources is read: a clip that its address names needs no naming again."""
    return replace(reading, clip=None) if split_address(source.path)[1] is not None else reading


def record_sources(sources: Sequence[Source]) -> list[dict[str, str]]:
    """The clips of libraries among sources, as `made_by` holds them; files are found there by their names."""
    from reenact.cli.made_by import library_sources
    from reenact.library.store import Library

    found: list[dict[str, str]] = []
    for folder in dict.fromkeys(source.path for source in sources if source.number is not None):
        with Library(folder, read_only=True) as library:
            numbers = [one.number for one in sources if one.path == folder and one.number is not None]
            found += library_sources(library, [library.entry(number) for number in numbers])
    return found
