"""Foot plants kept with the clips of a library: those a clip came with, and those given by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reenact.core.foot_plants import CARRIED, IN_PLACE, SIDES, Floor, FootContact, FootPlants
from reenact.errors import ParameterError
from reenact.library.cells import faults_named
from reenact.library.derived import DerivedKey, derived_key, drop_derived, read_kept, write_derived

if TYPE_CHECKING:
    from reenact.library.entries import ClipRef, Entry
    from reenact.library.store import Library

PLANTS = "plants"
"""Kind of derived result: arrays `left_heel`, `left_ball`, `left_confidence`, the same of the right foot,
floor (height, normal, confidence) and fps."""

_CAME = {"carried": CARRIED, "in_place": IN_PLACE}  # arrays that mark plants which came with a clip, and their source

VERSION = "2"
"""Raised when the same clip gives other plants or labels."""


def set_plants(library: Library, ref: ClipRef, plants: FootPlants) -> None:
    """Keep plants given by hand (`formats.plants_text.read_plants`, `edit_plants`): from now on they are the clip's.

    Raises:
        ParameterError: plants of another number of frames.
    """
    entry = library.entry(ref)
    if len(plants) != entry.frames:
        raise ParameterError(f"the plants have {len(plants)} frames, the clip {entry.name!r} {entry.frames}")
    write_derived(library.index, library.folder, _hand_key(entry), plants_to_arrays(plants))


def given_plants(library: Library, ref: ClipRef) -> FootPlants | None:
    """The plants that a clip came with, or that were given by hand, if any."""
    entry = library.entry(ref)
    known, arrays = read_kept(library.index, library.folder, _hand_key(entry), entry.name)
    if not known:
        return None
    with faults_named("the kept foot plants", entry.name):
        came = next((source for name, source in _CAME.items() if name in arrays), "hand")
        plants = plants_from_arrays(arrays, came)
        if len(plants) != entry.frames:
            raise ParameterError(f"they have {len(plants)} frames, the clip {entry.frames}")
    return plants


def keep_travelled_plants(library: Library, ref: ClipRef, plants: FootPlants) -> None:
    """Keep the plants that came with a clip, unless it has some that were given by hand."""
    known = given_plants(library, ref)
    if known is None or known.source in _CAME.values():
        set_plants(library, ref, plants)


def forget_plants(library: Library, ref: ClipRef) -> bool:
    """Take plants that were given by hand away from a clip; False when there were none."""
    return drop_derived(library.index, library.folder, _hand_key(library.entry(ref)))


def plants_digest(library: Library, ref: ClipRef) -> str:
    """A few letters that tell plants given by hand apart; empty where there are none."""
    given = given_plants(library, ref)
    return "" if given is None else _digest(given)


def plants_digests(library: Library, entries: Sequence[Entry]) -> dict[int, str]:
    """`plants_digest` of many clips by their numbers: one question to the index, and files are opened where there are plants."""
    with library.index.reading() as connection:
        kept = {row["key"] for row in connection.execute("SELECT key FROM derived WHERE kind = ?", (PLANTS,))}
    return {entry.id: plants_digest(library, entry.id) if _hand_key(entry).key in kept else "" for entry in entries}


def _digest(plants: FootPlants) -> str:
    arrays = plants_to_arrays(plants)
    for mark in _CAME:
        arrays.pop(mark, None)
    return hashlib.blake2b(b"".join(arrays[name].tobytes() for name in sorted(arrays)), digest_size=8).hexdigest()


def _hand_key(entry: Entry) -> DerivedKey:
    return derived_key([(entry.id, entry.hash)], PLANTS, {"detector": "hand"}, VERSION)


def plants_to_arrays(plants: FootPlants) -> dict[str, np.ndarray]:
    """Plants as named arrays, the form in which they are kept."""
    feet = {
        f"{side}_{part}": getattr(plants.foot(side), part) for side in SIDES for part in ("heel", "ball", "confidence")
    }
    floor = np.array([plants.floor.height, *plants.floor.normal, plants.floor.confidence])
    came = {name: np.array(True) for name, source in _CAME.items() if plants.source == source}
    return {**feet, "floor": floor, "fps": np.array(plants.fps), **came}


def plants_from_arrays(arrays: Any, source: str) -> FootPlants:
    """Plants out of the mapping of arrays they are kept as."""
    feet = {
        side: FootContact(arrays[f"{side}_heel"], arrays[f"{side}_ball"], arrays[f"{side}_confidence"])
        for side in SIDES
    }
    floor = Floor(float(arrays["floor"][0]), arrays["floor"][1:4], float(arrays["floor"][4]))
    return FootPlants(feet["left"], feet["right"], float(arrays["fps"]), floor, source)
