"""Clips whose row or arrays are damaged, made whole again: from their arrays, from other rows, from the files they came from.

Nothing is guessed: what is put in place has the clip's hash. A clip that cannot be mended stays as it is.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reenact.core.clip import Clip
from reenact.core.origin import Origin
from reenact.errors import LibraryError, ReenactError
from reenact.library.cells import is_hash, is_text
from reenact.library.clip_files import StagedClip, clip_folder, flush_arrays, install_arrays, stage_clip
from reenact.library.content import hash_clip
from reenact.library.import_worker import options_from_dict
from reenact.library.labels import free_name
from reenact.library.paths import path_text
from reenact.library.proving import Known, finite_rate, prove
from reenact.library.records import origin_from_json, skeleton_from_json
from reenact.library.rows import insert_skeleton, now
from reenact.library.sound_rows import text_of

if TYPE_CHECKING:
    from reenact.library.store import Library


@dataclass(frozen=True, slots=True)
class Remains:
    """What is left of a clip's row; cells may hold anything. Of a row that is gone, only the number and what other tables say.

    Attributes:
        id: of the clip.
        row: its cells, or None when the row is gone.
        name: the best name that is left, or empty.
        content: its hash as far as it is known, or empty.
        files: sources of the clip: path, position, options.
    """

    id: int
    row: dict[str, Any] | None
    name: str
    content: str
    files: tuple[tuple[str, int, dict[str, Any]], ...]


def remains_of(connection: sqlite3.Connection, number: int) -> Remains:
    """What every table still says of a clip."""
    found = connection.execute("SELECT * FROM clips WHERE id = ?", (number,)).fetchone()
    row = None if found is None else dict(found)
    files = []
    names = [row["name"]] if row else []
    rows = connection.execute(
        "SELECT path, position, name, options FROM sources WHERE clip_id = ? ORDER BY path, position", (number,)
    ).fetchall()
    try:
        words = connection.execute("SELECT name FROM words WHERE rowid = ?", (number,)).fetchone()
        names += [words[0].partition("\n")[0]] if words and isinstance(words[0], str) else []
    except sqlite3.Error:  # the search is damaged: it has its own repair
        pass
    for path, position, name, options in rows:
        names.append(name)
        try:
            given = json.loads(options)
        except (TypeError, ValueError, RecursionError):
            given = {}
        if is_text(path) and path and isinstance(position, int):
            files.append((path, position, given if isinstance(given, dict) else {}))
    name = next((one for one in names if is_text(one) and one.strip()), "")
    content = row["hash"] if row and is_hash(row["hash"]) else ""
    if not content and row is None:
        content = _content_by_results(connection, number)
    return Remains(number, row, name, content, tuple(files))


def _content_by_results(connection: sqlite3.Connection, number: int) -> str:
    """The hash of a clip by the files of what was derived from it alone."""
    rows = connection.execute(
        """SELECT d.file FROM derived d JOIN derived_from f ON f.key = d.key WHERE f.clip_id = ?
        AND (SELECT count(*) FROM derived_from o WHERE o.key = d.key) = 1""",
        (number,),
    ).fetchall()
    found = {part for (file,) in rows if is_text(file) for part in file.split("/") if is_hash(part)}
    return found.pop() if len(found) == 1 else ""


def mend_clip(library: Library, number: int, known: Known, spare: Sequence[Path] = ()) -> bool:
    """Make row and arrays of a clip sound; False when that cannot be done, and nothing is changed then.

    Args:
        library: the library.
        number: of the clip.
        known: what to try, see `library.proving`.
        spare: folders of arrays that no row knows: one of them may be this clip's.
    """
    with library.index.reading() as connection:
        left = remains_of(connection, number)
    keep_origin = left.row is not None and _origin_of(left.row) is not None
    if keep_origin and _mend_from_arrays(library, left, known, spare):
        return True
    return _mend_from_files(library, left, spare) or _mend_from_arrays(library, left, known, spare)


def _origin_of(row: dict[str, Any]) -> Origin | None:
    try:
        return origin_from_json(row["origin"]) if is_text(row["origin"]) and row["pristine"] in (0, 1) else None
    except LibraryError:
        return None


def _mend_from_arrays(library: Library, left: Remains, known: Known, spare: Sequence[Path]) -> bool:
    row = left.row or {}
    try:
        moved = json.loads(row.get("translated") or "null")
    except (TypeError, ValueError, RecursionError):
        moved = None
    said = {"skeleton": row.get("skeleton_id"), "fps": finite_rate(row.get("fps")), "moved": moved}
    own = clip_folder(library.folder, left.content) if left.content else None
    if own is not None and own.is_dir():
        places, chosen = [own], known
    elif (
        left.row is not None and said["skeleton"] in known.skeletons
    ):  # its hash is damaged: the arrays lie under the right one
        places = list(spare)
        chosen = Known({said["skeleton"]: known.skeletons[said["skeleton"]]}, known.rates, known.moved)
    else:
        return False  # any clip would do: that proves nothing
    for place in places:
        proof = prove(place, place.name, chosen, **said)
        if proof is None:
            continue
        origin = _origin_of(row) if row else None
        clip = replace(proof.clip, name=_name(left, place.name), origin=origin or Origin())
        if origin is not None and row["pristine"] == 1:
            clip = clip.as_recorded()
        with library.staging() as staging, library.index.writing() as connection:
            staged = stage_clip(clip, staging)
            skeleton = proof.skeleton if staged.hash == place.name else None
            if skeleton is not None and _write(connection, left, staged, skeleton):
                return True
    return False


def _mend_from_files(library: Library, left: Remains, spare: Sequence[Path]) -> bool:
    """The clip as its file still holds it, if that is still the same motion (or, where its hash is lost, if its arrays are there)."""
    from reenact.loading import load_all

    for path, position, options in left.files:
        try:
            clips = load_all(Path(path), options_from_dict(options)).clips
        except (ReenactError, OSError, TypeError, ValueError):
            continue
        chosen = next((clip for clip in clips if hash_clip(clip) == left.content), None) if left.content else None
        if chosen is None and position < len(clips):
            there = not left.content or hash_clip(clips[position]) in {place.name for place in spare}
            chosen = clips[position] if there else None
        if chosen is None:
            continue
        with library.staging() as staging:
            clip = chosen.renamed(path_text(_name(left, chosen.name or Path(path).stem)))
            staged = stage_clip(clip, staging)
            flush_arrays([Path(staged.folder)])
            with library.index.writing() as connection:
                if _write(connection, left, staged, insert_skeleton(connection, staged)):
                    install_arrays(library.folder, staged)
                    return True
    return False


def _name(left: Remains, otherwise: str) -> str:
    return left.name or (f"recovered-{otherwise[:8]}" if is_hash(otherwise) else otherwise)


def _write(connection: sqlite3.Connection, left: Remains, staged: StagedClip, skeleton: int) -> bool:
    """Give a clip the row of these contents; what people have said about it stays. False when another clip has them."""
    other = connection.execute("SELECT 1 FROM clips WHERE hash = ? AND id <> ?", (staged.hash, left.id)).fetchone()
    if other:
        return False
    old = left.row or {}
    name = old.get("name")
    if not (is_text(name) and name.strip()):
        name = free_name(connection, staged.name)
    values = {
        "hash": staged.hash,
        "name": name,
        "skeleton_id": skeleton,
        "frames": staged.frames,
        "fps": staged.fps,
        "seconds": staged.frames / staged.fps,
        "translated": json.dumps(staged.translated),
        "bytes": staged.bytes,
        "origin": staged.origin,
        "pristine": int(staged.pristine),
        "description": text_of(old.get("description")),
        "added_at": old["added_at"] if is_text(old.get("added_at")) else now(),
    }
    if left.row is None:
        columns = ["id", *values]
        marks = ", ".join("?" * len(columns))
        connection.execute(f"INSERT INTO clips ({', '.join(columns)}) VALUES ({marks})", [left.id, *values.values()])
    else:
        settings = ", ".join(f"{column} = ?" for column in values)
        connection.execute(f"UPDATE clips SET {settings} WHERE id = ?", [*values.values(), left.id])
    return True


def adopt_folder(library: Library, folder: Path, known: Known) -> bool:
    """Give a folder of arrays that no row knows a row of its own, if it is proved what it is."""
    if not is_hash(folder.name):
        return False
    proof = prove(folder, folder.name, known)
    if proof is None:
        return False
    clip: Clip = replace(proof.clip, name=f"recovered-{folder.name[:8]}")
    with library.index.reading() as connection:
        highest = connection.execute("SELECT coalesce(max(id), 0) FROM clips").fetchone()[0]
        listed = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence").fetchone()[0]
    left = Remains(max(highest, listed if isinstance(listed, int) else 0) + 1, None, clip.name, folder.name, ())
    with library.staging() as staging, library.index.writing() as connection:
        staged = stage_clip(clip, staging)
        written = staged.hash == folder.name and _write(connection, left, staged, proof.skeleton)
        shutil.rmtree(staged.folder, ignore_errors=True)
    return written


def mend_skeletons(connection: sqlite3.Connection) -> list[str]:
    """Set right what can be worked out of a skeleton's definition: key, tree and number of joints. Returns what was wrong."""
    wrong = []
    for row in connection.execute("SELECT id, key, tree, joints, definition FROM skeletons").fetchall():
        right = skeleton_cells(row["definition"])
        if right is None or tuple(row)[1:4] == right:
            continue
        wrong.append(f"skeleton {row['id']}")
        other = connection.execute(
            "SELECT id FROM skeletons WHERE key = ? AND id <> ?", (right[0], row["id"])
        ).fetchone()
        if other:
            connection.execute("UPDATE clips SET skeleton_id = ? WHERE skeleton_id = ?", (other[0], row["id"]))
            connection.execute("DELETE FROM skeletons WHERE id = ?", (row["id"],))
        else:
            connection.execute("UPDATE skeletons SET key = ?, tree = ?, joints = ? WHERE id = ?", (*right, row["id"]))
    return wrong


def skeleton_cells(definition: object) -> tuple[str, str, int] | None:
    """Key, tree and number of joints of a skeleton; None when its definition is damaged."""
    from reenact.library.content import hash_tree
    from reenact.library.records import skeleton_key

    try:
        skeleton = skeleton_from_json(definition) if is_text(definition) else None
    except LibraryError:
        return None
    return None if skeleton is None else (skeleton_key(skeleton), hash_tree(skeleton), len(skeleton))
