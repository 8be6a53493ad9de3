"""What people say about clips: names, tags, descriptions, metadata, and the words the search finds them by."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from reenact.errors import LibraryError, ParameterError
from reenact.library.cells import Cells, clip_label
from reenact.library.paths import path_text

_WORD_BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")

TYPE_KEY = "type"
TYPE_SOURCE = "type_by"
"""Metadata of a clip: its type, and by whom; a type given by hand has no such source and is never overwritten."""


def free_name(connection: sqlite3.Connection, wanted: str) -> str:
    """The wanted name, or the first of `name-2`, `name-3`, ... that no clip has."""
    base = path_text(wanted).strip() or "clip"
    name, number = base, 1
    while connection.execute("SELECT 1 FROM clips WHERE name = ?", (name,)).fetchone():
        number += 1
        name = f"{base}-{number}"
    return name


def rename_clip(connection: sqlite3.Connection, number: int, name: str) -> None:
    """Give a clip another name; a `LibraryError` when another clip has it."""
    name = path_text(name).strip()
    if not name:
        raise ParameterError("a clip's name may not be empty")
    taken = connection.execute("SELECT id FROM clips WHERE name = ?", (name,)).fetchone()
    if taken and taken[0] != number:
        raise LibraryError(f"clip {taken[0]} has the name {name!r} already", where=name)
    connection.execute("UPDATE clips SET name = ? WHERE id = ?", (name, number))
    index_words(connection, number)


def add_tags(connection: sqlite3.Connection, number: int, tags: Iterable[str]) -> None:
    """Put tags on a clip; capital and small letters are one."""
    for tag in _checked_tags(tags):
        connection.execute("INSERT OR IGNORE INTO tags (name) VALUES (?)", (tag,))
        connection.execute("INSERT OR IGNORE INTO clip_tags SELECT ?, id FROM tags WHERE name = ?", (number, tag))
    index_words(connection, number)


def remove_tags(connection: sqlite3.Connection, number: int, tags: Iterable[str]) -> None:
    """Take tags off a clip; a tag that no clip has any more is forgotten."""
    for tag in _checked_tags(tags):
        connection.execute(
            "DELETE FROM clip_tags WHERE clip_id = ? AND tag_id = (SELECT id FROM tags WHERE name = ?)", (number, tag)
        )
    forget_unused(connection)
    index_words(connection, number)


def _checked_tags(tags: Iterable[str]) -> list[str]:
    if isinstance(tags, str):
        raise ParameterError(f"tags must be a list of texts, not the text {tags!r}")
    checked = [path_text(tag).strip() for tag in tags]
    if any(not tag for tag in checked):
        raise ParameterError("a tag may not be empty")
    return checked


def forget_unused(connection: sqlite3.Connection) -> None:
    """Drop tags and skeletons that no clip refers to."""
    connection.execute("DELETE FROM tags WHERE id NOT IN (SELECT tag_id FROM clip_tags)")
    connection.execute("DELETE FROM skeletons WHERE id NOT IN (SELECT skeleton_id FROM clips)")


def describe_clip(connection: sqlite3.Connection, number: int, text: str) -> None:
    """Set a clip's description."""
    connection.execute("UPDATE clips SET description = ? WHERE id = ?", (path_text(text), number))
    index_words(connection, number)


def set_metadata(connection: sqlite3.Connection, number: int, pairs: Mapping[str, Any]) -> None:
    """Set metadata; a value of None takes the key away. Values are anything with a JSON form."""
    if TYPE_KEY in pairs and TYPE_SOURCE not in pairs:  # said by a person from now on
        pairs = {**pairs, TYPE_SOURCE: None}
    for key, value in pairs.items():
        if not key or not key.strip():
            raise ParameterError("a metadata key may not be empty")
        if value is None:
            connection.execute("DELETE FROM metadata WHERE clip_id = ? AND key = ?", (number, key))
            continue
        try:
            text = json.dumps(value)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"the metadata {key!r} has no JSON form: {error}", where=key) from error
        connection.execute("INSERT OR REPLACE INTO metadata VALUES (?, ?, ?, ?)", (number, key, text, fold(value)))
    index_words(connection, number)


def fold(value: Any) -> str:
    """A metadata value as the text that filters compare."""
    return path_text(value if isinstance(value, str) else json.dumps(value)).strip().casefold()


def index_words(connection: sqlite3.Connection, number: int) -> None:
    """Bring the search's words for a clip up to date."""
    words = words_of(connection, number)
    connection.execute("DELETE FROM words WHERE rowid = ?", (number,))
    connection.execute(f"INSERT INTO words (rowid, {', '.join(WORDS)}) VALUES (?, ?, ?, ?, ?, ?, ?)", (number, *words))


WORDS = ("name", "description", "tags", "joints", "path", "metadata")
"""Columns of the full-text search."""


def words_of(connection: sqlite3.Connection, number: int) -> tuple[str, ...]:
    """What the search looks at for a clip, by the columns of `WORDS`.

    Raises:
        LibraryError: a cell is damaged; it names the clip.
    """
    row = connection.execute(
        """SELECT c.name, c.description, s.definition FROM clips c LEFT JOIN skeletons s ON s.id = c.skeleton_id
        WHERE c.id = ?""",
        (number,),
    ).fetchone()
    if row is None:
        raise LibraryError("the index has lost the row of this clip", where=f"clip {number}")
    cells = Cells(row, clip_label(number, row["name"]))

    def column(question: str) -> list[str]:
        return [Cells(found, cells.clip).text("text") for found in connection.execute(question, (number,))]

    tags = column("SELECT t.name AS text FROM clip_tags c JOIN tags t ON t.id = c.tag_id WHERE c.clip_id = ?")
    paths = column("SELECT relative AS text FROM sources WHERE clip_id = ? ORDER BY path")
    values = column("SELECT folded AS text FROM metadata WHERE clip_id = ? ORDER BY key")
    joints = cells.json("definition", dict).get("names")
    if not isinstance(joints, list) or not all(isinstance(joint, str) for joint in joints):
        raise cells.fail("definition", "a skeleton")
    columns = ([cells.text("name")], [cells.text("description")], tags, joints, paths, values)
    return tuple(_spread(texts) for texts in columns)


def _spread(texts: Iterable[str]) -> str:
    """Texts and, where a word is written together (`LeftUpLeg`, `walk2`), its parts: both can be searched for."""
    words = []
    for text in texts:
        words.append(path_text(text))
        parts = _WORD_BREAK.sub(" ", words[-1])
        if parts != words[-1]:
            words.append(parts)
    return "\n".join(words)
