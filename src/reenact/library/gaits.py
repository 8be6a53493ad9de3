"""Foot plants and gait of the clips in a library: worked out once, kept, and searched by.

`type:walk` finds clips that are walks; `walk>=0.75` those of which at least three quarters are walking.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from reenact.analysis.classify import classify
from reenact.analysis.plant_choice import PlantChoice, read_given
from reenact.analysis.plants import detect_plants
from reenact.analysis.segments import TYPES, Classification, Segment
from reenact.compute.executor import Executor, executor_for
from reenact.core.foot_plants import SIDES, FootPlants
from reenact.errors import ParameterError, SkeletonError
from reenact.formats.plants_text import parse_plants
from reenact.library.cells import faults_named
from reenact.library.kept_plants import PLANTS, VERSION, given_plants, plants_from_arrays, plants_to_arrays, set_plants
from reenact.library.labels import TYPE_KEY, TYPE_SOURCE
from reenact.library.types import keep_type, shares_of

if TYPE_CHECKING:
    from reenact.library.entries import ClipRef, Entry
    from reenact.library.store import Library

CLIPS_WORTH_A_PROCESS = 24
"""Starting a process takes about as long as classifying this many clips of ordinary length."""

GAIT = "gait"
"""Kind of derived result: JSON of a classification."""


def clip_plants(library: Library, ref: ClipRef, detector: str = "adaptive") -> FootPlants:
    """Foot plants of a clip: those it came with or was given by hand, else detected and kept."""
    given = given_plants(library, ref)
    if given is not None:
        return given
    arrays = library.derived(
        ref,
        PLANTS,
        {"detector": detector},
        lambda: plants_to_arrays(detect_plants(library.clip(ref), detector)),
        version=VERSION,
    )
    with faults_named("the kept foot plants", _label(library, ref)):
        return plants_from_arrays(arrays, detector)


def _label(library: Library, ref: ClipRef) -> str:
    return library.entry(ref).name


def keep_given_plants(library: Library, choice: PlantChoice) -> list[str]:
    """Keep the foot plants of files CLIP=FILE with the clips they are for, as by `set_plants`; the names of those clips.

    A file of corrections changes the plants that the clip has now: those given by hand before, else detected ones.
    """
    kept = []
    for name, file in choice.named_files():
        entry = library.entry(name)
        detector = choice.detector or "adaptive"
        known = clip_plants(library, entry.id, detector) if parse_plants(file).frames is None else None
        set_plants(library, entry.id, read_given(library.clip(entry), file, detector, known))
        kept.append(entry.name)
    return kept


def clip_gait(library: Library, ref: ClipRef, detector: str = "adaptive") -> Classification:
    """Type and segments of a clip, by its plants (those given by hand, if any), worked out and kept."""
    plants = clip_plants(library, ref, detector)
    digest = hashlib.blake2b(b"".join(plants.foot(side).plant.tobytes() for side in SIDES), digest_size=8).hexdigest()
    held: Any = library.derived(
        ref, GAIT, {"plants": digest}, lambda: _as_json(classify(library.clip(ref), plants)), version=VERSION
    )
    with faults_named("the kept gait", _label(library, ref)):
        segments = tuple(Segment(kind, start, end) for kind, start, end in held["segments"])
        return Classification(held["type"], segments, held["method"])


def classify_library(
    library: Library,
    query: str = "",
    progress: Callable[[int, int], None] | None = None,
    detector: str = "adaptive",
    executor: Executor | str | None = None,
    jobs: int | None = None,
) -> dict[str, str]:
    """Classify the clips that answer a search and make them findable by type; name -> type. Clips without feet are left out.

    `detector` finds the plants of clips that have none given by hand. An `executor` or its name (see `compute.executor`) does the work;
    without one `jobs` processes, as many as there are processors.
    """
    found: dict[str, str] = {}
    entries = library.entries(query)
    names = {entry.id: entry.name for entry in entries}
    task = functools.partial(_gait_of, library, detector)
    with executor_for(executor, jobs=jobs, count=len(entries), worth=CLIPS_WORTH_A_PROCESS) as work:
        gaits = work.map(task, list(names), label=lambda number: names[number])
        for done, (number, gait) in enumerate(zip(names, gaits, strict=True), 1):
            if gait is not None:
                with library.index.writing() as connection:
                    keep_type(connection, number, {TYPE_KEY: gait.type, TYPE_SOURCE: gait.method, **shares_of(gait)})
                found[names[number]] = gait.type
            if progress is not None:
                progress(done, len(entries))
    return found


def _gait_of(library: Library, detector: str, number: int, shared: Mapping[str, Any]) -> Classification | None:
    try:
        return clip_gait(library, number, detector)
    except SkeletonError:
        return None


def find_by_type(library: Library, kind: str, at_least: float | None = None) -> list[Entry]:
    """Classified clips of a type.

    Args:
        library: whose clips were classified by `classify_library`.
        kind: stand, walk, run, jump or other.
        at_least: None for clips of that type; 0..1 for clips of any type with at least this share of its frames.
    """
    if kind not in TYPES:
        raise ParameterError(f"no type {kind!r}; there are {', '.join(TYPES)}", where="type")
    if at_least is None:
        return library.entries(f"{TYPE_KEY}:{kind}")
    if not 0 < at_least <= 1:
        raise ParameterError(f"a share must be above 0 and at most 1, not {at_least:g}", where="at_least")
    return library.entries(f"{kind}>={at_least:.6g}")


def _as_json(gait: Classification) -> dict[str, Any]:
    segments = [[segment.type, segment.start, segment.end] for segment in gait.segments]
    return {"type": gait.type, "segments": segments, "method": gait.method}
