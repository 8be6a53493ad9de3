"""The search: words that are looked up in the full-text index, and filters on what is known of a clip.

    walk turn                both words, each may go on ("walking"), anywhere: name, description, tags, joints, path, metadata
    "brisk walk"             the words one after the other
    -stairs                  not this word
    name:02_01               only there; likewise description: joints: path:
    tag:locomotion           has the tag; -tag:locomotion has it not
    type:walk                the metadata `type` is `walk`; any other key likewise
    fps=120  seconds>2       compare: fps, frames, seconds, joints, or a metadata key; with = != < <= > >=

Whatever a person types is a question: stray quotes, stars and brackets are never an error.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass, field

from reenact.errors import ParameterError
from reenact.library.labels import fold
from reenact.library.paths import path_text

COLUMNS = ("name", "description", "joints", "path")
"""Fields that can be searched alone; `joints` is also a number that can be compared."""

NUMBERS = {"fps": "c.fps", "frames": "c.frames", "seconds": "c.seconds", "joints": "s.joints", "id": "c.id"}

_WEIGHTS = "10.0, 4.0, 8.0, 0.5, 2.0, 2.0"  # of name, description, tags, joints, path, metadata in the rank

_TOKEN = re.compile(
    r"""\s*(?P<minus>-)?
    (?:(?P<key>[^\s"=<>!:]+)(?:(?P<colon>:)|(?P<operator>!=|<=|>=|=|<|>)))?
    (?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Query:
    """A question to the index, ready to be asked.

    Attributes:
        match: full-text expression; empty when there are no words to look up.
        exclude: full-text expression of what must not be found; empty likewise.
        conditions: SQL over `clips c` and `skeletons s`.
        values: their parameters.
    """

    match: str = ""
    exclude: str = ""
    conditions: tuple[str, ...] = ()
    values: tuple[object, ...] = field(default=())


def parse_query(text: str) -> Query:
    """What a person's text asks for.

    Raises:
        ParameterError: only when a comparison is made with something that is no number.
    """
    include: list[str] = []
    exclude: list[str] = []
    conditions: list[str] = []
    values: list[object] = []
    for found in _TOKEN.finditer(path_text(text)):
        part = found.groupdict()
        phrase = part["phrase"] if part["phrase"] is not None else part["word"]
        key = (part["key"] or "").casefold()
        condition: tuple[str, list[object]] | None = None
        if part["operator"]:
            condition = _comparison(key, part["operator"], phrase)
        elif key == "tag":
            condition = _has_tag(phrase)
        elif key and key not in COLUMNS:
            condition = _has_metadata(key, phrase)
        if condition:
            conditions.append(f"NOT ({condition[0]})" if part["minus"] else condition[0])
            values.extend(condition[1])
            continue
        words = _words(phrase, prefix=part["phrase"] is None)
        if words:
            (exclude if part["minus"] else include).append(f"{key} : {words}" if key else words)
    return Query(" AND ".join(include), " OR ".join(exclude), tuple(conditions), tuple(values))


def _words(phrase: str, prefix: bool) -> str:
    """A full-text phrase that holds the text as it is; nothing when there is no letter or digit in it."""
    if not any(character.isalnum() for character in phrase):
        return ""
    quoted = '"' + phrase.replace('"', " ").replace("\0", " ") + '"'
    return quoted + " *" if prefix else quoted


def _comparison(key: str, operator: str, text: str) -> tuple[str, list[object]]:
    sql = "<>" if operator == "!=" else operator
    try:
        number = float(text)
    except ValueError:
        if key in NUMBERS:
            raise ParameterError(
                f"{key}{operator} needs a number, not {text!r}", where=f"{key}{operator}{text}"
            ) from None
        if operator == "=":
            return _has_metadata(key, text)
        if operator == "!=":
            condition, values = _has_metadata(key, text)
            return f"NOT ({condition})", values
        raise ParameterError(f"{key}{operator} needs a number, not {text!r}", where=f"{key}{operator}{text}") from None
    if key in NUMBERS:
        if operator in (
            "=",
            "!=",
        ):  # a rate of 119.88 is not found by looking for 120, a duration rounded to 3 digits is
            near = f"abs({NUMBERS[key]} - ?) <= 0.0005 * max(1.0, abs(?)) * 0.1"
            return (f"NOT ({near})" if operator == "!=" else near), [number, number]
        return f"{NUMBERS[key]} {sql} ?", [number]
    return (
        f"""EXISTS (SELECT 1 FROM metadata m WHERE m.clip_id = c.id AND lower(m.key) = ?
        AND m.folded GLOB '*[0-9]*' AND CAST(m.folded AS REAL) {sql} ?)""",
        [key, number],
    )


def _has_tag(tag: str) -> tuple[str, list[object]]:
    question = "c.id IN (SELECT ct.clip_id FROM clip_tags ct JOIN tags t ON t.id = ct.tag_id WHERE t.name = ?)"
    return question, [tag.strip()]


def _has_metadata(key: str, value: str) -> tuple[str, list[object]]:
    return "EXISTS (SELECT 1 FROM metadata m WHERE m.clip_id = c.id AND lower(m.key) = ? AND m.folded = ?)", [
        key,
        fold(value),
    ]


def search_clips(connection: sqlite3.Connection, query: Query, limit: int | None = None, offset: int = 0) -> list[int]:
    """Numbers of the clips that answer a question, the best first; without words, by name."""
    tables, where, values = _sources(query)
    order = f"bm25(words, {_WEIGHTS}), c.name" if query.match else "c.name"
    rows = connection.execute(
        f"SELECT c.id FROM {tables} {where} ORDER BY {order} LIMIT ? OFFSET ?",
        (*values, -1 if limit is None else limit, offset),
    )
    return [row[0] for row in rows]


def count_clips(connection: sqlite3.Connection, query: Query) -> int:
    """How many clips answer a question."""
    tables, where, values = _sources(query)
    return int(connection.execute(f"SELECT count(*) FROM {tables} {where}", values).fetchone()[0])


def _sources(query: Query) -> tuple[str, str, list[object]]:
    """The tables a question looks into, its conditions, and their parameters."""
    conditions, values = list(query.conditions), list(query.values)
    tables = "clips c LEFT JOIN skeletons s ON s.id = c.skeleton_id"  # a clip without its skeleton is damaged, not gone
    if query.match:
        tables += " JOIN words ON words.rowid = c.id"
        conditions.append("words MATCH ?")
        values.append(query.match)
    if query.exclude:
        conditions.append("c.id NOT IN (SELECT rowid FROM words WHERE words MATCH ?)")
        values.append(query.exclude)
    return tables, f"WHERE {' AND '.join(conditions)}" if conditions else "", values
