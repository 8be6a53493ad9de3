"""What the library says about a clip without opening its arrays, and how a clip is named by people."""

from __future__ import annotations

import difflib
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from reenact.errors import LibraryError
from reenact.library.cells import REMEDY, Cells, clip_label, is_text
from reenact.library.paths import path_text, real_path

SHORTEST_HASH = 6
"""A clip may be named by this many first digits of its hash, or more."""

_CHUNK = 500  # rows asked for at once: SQLite bounds the number of parameters in a statement


@dataclass(frozen=True, slots=True)
class Source:
    """A file that holds a clip.

    Attributes:
        path: absolute.
        relative: below the folder that was imported.
        position: which clip of the file, from 0.
        name: what the file calls it.
        options: the reading options that were given, by name.
    """

    path: str
    relative: str
    position: int
    name: str
    options: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """A clip in the library's index.

    Attributes:
        id: number, never given twice in a library.
        hash: content address.
        name: unique in the library.
        frames: number of frames.
        fps: frames per second.
        seconds: duration.
        joints: number of joints.
        tree: hash of joint names and parents: clips with the same one can be mixed.
        skeleton: hash of the skeleton with its lengths and roles.
        bytes: size of the arrays on disk.
        description: free text.
        tags: in alphabetical order.
        metadata: free key and value pairs.
        sources: the files that hold this motion; empty for a clip that was made.
        added_at: ISO 8601, UTC.
    """

    id: int
    hash: str
    name: str
    frames: int
    fps: float
    seconds: float
    joints: int
    tree: str
    skeleton: str
    bytes: int
    description: str
    tags: tuple[str, ...]
    metadata: dict[str, Any]
    sources: tuple[Source, ...]
    added_at: str

    def as_dict(self) -> dict[str, Any]:
        """The JSON form of the command line."""
        return asdict(self)


ClipRef = int | str | Entry
"""A clip by its number, its name, the first digits of its hash, a file it came from, or its entry."""


def read_entries(
    connection: sqlite3.Connection, ids: Sequence[int], faults: list[LibraryError] | None = None
) -> list[Entry]:
    """Entries of these clips, in this order; clips that are gone are left out.

    Args:
        connection: to the index.
        ids: numbers of clips.
        faults: gets one error for each clip whose cells are damaged, which is left out; None: the first is raised.
    """
    found: dict[int, Entry | LibraryError] = {}
    for start in range(0, len(ids), _CHUNK):
        found.update(_read_chunk(connection, ids[start : start + _CHUNK]))
    entries: list[Entry] = []
    for number in ids:
        one = found.get(number)
        if isinstance(one, Entry):
            entries.append(one)
        elif one is not None:
            if faults is None:
                raise one
            faults.append(one)
    return entries


def read_entry(connection: sqlite3.Connection, number: int) -> Entry:
    """The entry of one clip that is there."""
    found = read_entries(connection, [number])
    if not found:
        raise LibraryError("the index has lost the row of this clip", where=f"clip {number}")
    return found[0]


def _read_chunk(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, Entry | LibraryError]:
    marks = ",".join("?" * len(ids))
    rows = connection.execute(
        f"""SELECT c.id, c.hash, c.name, c.frames, c.fps, c.seconds, s.joints, s.tree, s.key, c.bytes, c.description, c.added_at
        FROM clips c LEFT JOIN skeletons s ON s.id = c.skeleton_id WHERE c.id IN ({marks})""",
        ids,
    ).fetchall()
    labels = {row["id"]: clip_label(row["id"], row["name"]) for row in rows}
    tags: dict[int, list[str]] = defaultdict(list)
    metadata: dict[int, dict[str, Any]] = defaultdict(dict)
    sources: dict[int, list[Source]] = defaultdict(list)
    damaged: dict[int, LibraryError] = {}

    def each(question: str, take: Callable[[int, Cells], None]) -> None:
        for row in connection.execute(question, ids):
            number = row["clip_id"]
            try:
                take(number, Cells(row, labels.get(number, f"clip {number}")))
            except LibraryError as error:
                damaged.setdefault(number, error)

    def take_tag(number: int, cells: Cells) -> None:
        tags[number].append(cells.text("tag"))

    def take_pair(number: int, cells: Cells) -> None:
        metadata[number][cells.text("key")] = cells.json("value")

    def take_source(number: int, cells: Cells) -> None:
        path, relative, name = cells.text("path"), cells.text("relative"), cells.text("name")
        sources[number].append(Source(path, relative, cells.whole("position"), name, cells.json("options", dict)))

    each(
        f"""SELECT c.clip_id, t.name AS tag FROM clip_tags c JOIN tags t ON t.id = c.tag_id
        WHERE c.clip_id IN ({marks}) ORDER BY t.name""",
        take_tag,
    )
    each(f"SELECT clip_id, key, value FROM metadata WHERE clip_id IN ({marks}) ORDER BY key", take_pair)
    each(
        f"""SELECT clip_id, path, relative, position, name, options FROM sources
        WHERE clip_id IN ({marks}) ORDER BY path, position""",
        take_source,
    )
    found: dict[int, Entry | LibraryError] = {}
    for row in rows:
        number = row["id"]
        try:
            found[number] = _entry(Cells(row, labels[number]), tags[number], metadata[number], sources[number])
        except LibraryError as error:
            found[number] = error
    return found | damaged


def _entry(cells: Cells, tags: list[str], metadata: dict[str, Any], sources: list[Source]) -> Entry:
    if cells.row["key"] is None:
        raise LibraryError(f"the index has lost the skeleton of this clip; {REMEDY}", where=cells.clip)
    return Entry(
        id=cells.row["id"],
        hash=cells.hash("hash"),
        name=cells.text("name"),
        frames=cells.whole("frames"),
        fps=cells.positive("fps"),
        seconds=cells.at_least_zero("seconds"),
        joints=cells.whole("joints", 1),
        tree=cells.hash("tree"),
        skeleton=cells.text("key"),
        bytes=cells.whole("bytes"),
        description=cells.text("description"),
        tags=tuple(tags),
        metadata=metadata,
        sources=tuple(sources),
        added_at=cells.text("added_at"),
    )


def find_clip(connection: sqlite3.Connection, ref: ClipRef) -> int:
    """The number of the clip that is meant.

    Raises:
        LibraryError: when there is none (with the names nearest to it), or more than one.
    """
    if isinstance(ref, Entry):
        ref = ref.id
    if isinstance(ref, int):
        if abs(ref) < 1 << 63 and connection.execute("SELECT 1 FROM clips WHERE id = ?", (ref,)).fetchone():
            return ref
        raise LibraryError(f"no clip number {ref}", where=str(ref))
    for found in _readings(connection, ref):
        if len(found) == 1:
            return found[0][0]
        if found:
            names = ", ".join(name for _, name in found[:5])
            raise LibraryError(
                f"{ref!r} means more than one clip: {names}{', ...' if len(found) > 5 else ''}", where=ref
            )
    near = difflib.get_close_matches(ref, _some_names(connection), n=3)
    hint = f"; did you mean {', '.join(near)}?" if near else "; `reenact library list` shows what there is"
    raise LibraryError(f"no clip {ref!r} in the library{hint}", where=ref)


def _readings(connection: sqlite3.Connection, ref: str) -> Iterable[list[tuple[int, str]]]:
    """What a text may mean, the surest reading first: name, number, hash, file."""
    text = path_text(ref)

    def ask(condition: str, *values: object) -> list[tuple[int, str]]:
        return [
            (row[0], clip_label(*row))
            for row in connection.execute(f"SELECT id, name FROM clips WHERE {condition} ORDER BY id LIMIT 6", values)
        ]

    yield ask("name = ?", text)
    if text.isascii() and text.isdigit() and len(text) < SHORTEST_HASH:
        yield ask("id = ?", int(text))
    folded = text.lower()
    if len(text) >= SHORTEST_HASH and not set(folded) - set("0123456789abcdef"):
        yield ask("hash >= ? AND hash < ?", folded, folded + "g")
    if text:
        yield ask("id IN (SELECT clip_id FROM sources WHERE path = ?)", path_text(real_path(ref)))
        yield ask("id IN (SELECT clip_id FROM sources WHERE relative = ?)", text)


def _some_names(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM clips ORDER BY id DESC LIMIT 5000")
    return [row[0] for row in rows if is_text(row[0])]
