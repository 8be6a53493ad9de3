"""Meshes that came with clips: each is kept as a derived result of its clip and shown with it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reenact.body.character import Character
from reenact.body.dressing import first_fitting, fit_character
from reenact.core.skeleton import Skeleton
from reenact.errors import LibraryError
from reenact.library.cells import faults_named
from reenact.library.character_arrays import character_from_arrays, character_to_arrays
from reenact.library.derived import derived_key, read_kept, write_derived

if TYPE_CHECKING:
    from reenact.library.entries import ClipRef
    from reenact.library.store import Library

KIND = "character"
"""Kind under which a character is kept among the derived results of its clip."""


def keep_character(library: Library, ref: ClipRef, character: Character) -> bool:
    """Keep a character with a clip; False when it has no mesh or its joints are not those of the clip."""
    entry = library.entry(ref)
    fitted = fit_character(character, library.clip(entry).skeleton)
    if fitted is None:
        return False
    _keep(library, entry.id, entry.hash, character_to_arrays(fitted))
    return True


def stage_character(characters: Sequence[Character], skeleton: Skeleton, staging: Path) -> str:
    """Write the first character that fits a skeleton into a staging folder; its file, or "" when none does."""
    fitted = first_fitting(characters, skeleton)
    if fitted is None:
        return ""
    path = staging / f"{secrets.token_hex(8)}.npz"
    with path.open("xb") as stream:
        np.savez(stream, allow_pickle=False, **character_to_arrays(fitted))
    return str(path)


def keep_staged(library: Library, number: int, content: str, file: str) -> None:
    """Keep a staged character with a clip, given by number and content hash."""
    with np.load(file, allow_pickle=False) as held:
        _keep(library, number, content, {name: held[name] for name in held.files})


def _keep(library: Library, number: int, content: str, arrays: dict[str, np.ndarray]) -> None:
    write_derived(library.index, library.folder, derived_key([(number, content)], KIND, {}, "1"), arrays)


def read_character(library: Library, ref: ClipRef) -> Character | None:
    """The character kept with a clip, or None.

    Raises:
        LibraryError: when what is kept is no character.
    """
    entry = library.entry(ref)
    key = derived_key([(entry.id, entry.hash)], KIND, {}, "1")
    known, held = read_kept(library.index, library.folder, key, entry.name)
    if not known:
        return None
    skeleton = library.clip(entry).skeleton
    with faults_named("the character kept with the clip", entry.name):
        if not isinstance(held, Mapping):
            raise LibraryError("it holds no arrays", where=entry.name)
        return character_from_arrays(skeleton, held)


def clips_with_character(library: Library, numbers: Sequence[int]) -> set[int]:
    """Those of some clips, by number, that have a character."""
    marks = ",".join("?" * len(numbers))
    with library.index.reading() as connection:
        rows = connection.execute(
            f"""SELECT f.clip_id FROM derived_from f JOIN derived d ON d.key = f.key
            WHERE d.kind = ? AND f.clip_id IN ({marks})""",
            (KIND, *numbers),
        )
        return {row[0] for row in rows}
