"""Which clip a folder of arrays is: skeletons, rates and joints that the index knows are tried until the folder's hash comes out.

The hash proves it: 160 bits do not agree by chance.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np

from reenact.core.clip import Clip
from reenact.core.skeleton import Skeleton
from reenact.errors import LibraryError, ReenactError
from reenact.library.clip_files import read_arrays, stored_shape
from reenact.library.content import hash_clip
from reenact.library.records import skeleton_from_json

COMMON_RATES = (120.0, 60.0, 30.0, 24.0, 25.0, 50.0, 100.0, 240.0)

MOST_BYTES = 1 << 31
"""Bytes that are hashed for one folder, at most."""


@dataclass(slots=True)
class Known:
    """What sound rows say of clips.

    Attributes:
        skeletons: by number of their row.
        rates: frames per second of any clip.
        moved: lists of joints with translations.
    """

    skeletons: dict[int, Skeleton] = field(default_factory=dict)
    rates: list[float] = field(default_factory=list)
    moved: list[list[int]] = field(default_factory=list)


def what_is_known(connection: sqlite3.Connection) -> Known:
    """All skeletons, rates and lists of moving joints that can be read."""
    import json
    import math

    known = Known()
    for number, text in rows_as_far_as_they_go(connection, "SELECT id, definition FROM skeletons"):
        if isinstance(text, str):
            try:
                known.skeletons[number] = skeleton_from_json(text)
            except LibraryError:
                continue
    for (rate,) in rows_as_far_as_they_go(connection, "SELECT DISTINCT fps FROM clips"):
        if isinstance(rate, int | float) and math.isfinite(rate) and rate > 0:
            known.rates.append(float(rate))
    for (text,) in rows_as_far_as_they_go(connection, "SELECT DISTINCT translated FROM clips"):
        try:
            joints = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            continue
        if isinstance(joints, list) and all(type(joint) is int and joint > 0 for joint in joints):
            known.moved.append(joints)
    return known


def rows_as_far_as_they_go(
    connection: sqlite3.Connection, question: str, values: Iterable[object] = ()
) -> Iterator[tuple]:
    """Rows of an answer until damage stops it."""
    try:
        for row in connection.execute(question, tuple(values)):
            yield tuple(row)
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError, OverflowError):
        return


@dataclass(frozen=True, slots=True)
class Proof:
    """What a folder of arrays is: number of its skeleton's row, and the clip (without name and origin)."""

    skeleton: int
    clip: Clip


def prove(
    folder: Path, content: str, known: Known, *, skeleton: object = None, fps: object = None, moved: object = None
) -> Proof | None:
    """The clip whose hash is `content`, out of the arrays of a folder; None when they are damaged or nothing known fits.

    Args:
        folder: with the arrays.
        content: the hash that has to come out.
        known: what to try.
        skeleton, fps, moved: what a damaged row says, tried first.
    """
    try:
        frames, joints, _ = stored_shape(folder / "rotations.npy")
        stored_shape(folder / "root.npy")
        has_moved = (folder / "translations.npy").exists()
        count = stored_shape(folder / "translations.npy")[1] if has_moved else 0
    except (LibraryError, OSError, ValueError, IndexError):
        return None
    skeletons = [
        number for number in _first(skeleton, known.skeletons) if len(known.skeletons.get(number, ())) == joints
    ]
    rates = _first(fps, [*known.rates, *COMMON_RATES])
    lists: list[list[int] | None] = [None]
    if has_moved:
        every = [list(range(1, joints))] if count == joints - 1 else []
        lists = [one for one in _first(moved, [*known.moved, *every]) if isinstance(one, list) and len(one) == count]
    size = 16 * frames * joints + 1
    for left, (number, rate, one) in enumerate(product(skeletons, rates, lists)):
        if left * size > MOST_BYTES:
            return None
        try:
            rotations, root, translations = read_arrays(folder, known.skeletons[number], frames, one)
            clip = Clip(known.skeletons[number], rotations, root, rate, "", translations)
            if hash_clip(clip) == content:
                return Proof(number, clip)
        except (ReenactError, OSError, OverflowError, TypeError, ValueError):
            continue
    return None


def _first(wanted: object, others: Iterable) -> list:
    """The wanted one, then the others, each once."""
    found = [] if wanted is None or isinstance(wanted, str | bytes) else [wanted]
    for one in others:
        if one not in found:
            found.append(one)
    return found


def finite_rate(value: object) -> float | None:
    """A rate out of whatever lies in a cell."""
    if isinstance(value, int | float) and np.isfinite(value) and value > 0:
        return float(value)
    return None
