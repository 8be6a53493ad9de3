"""Rows of the time line: foot contacts and labels that the library keeps with a clip."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np

from reenact.errors import LibraryError, ReenactError
from reenact.library.cells import faults_named
from reenact.library.derived import derived_key, read_kept
from reenact.library.entries import Entry
from reenact.library.gaits import clip_gait, clip_plants
from reenact.library.store import Library
from reenact.operations.sample_library import TRUTH
from reenact.studio.marks import marks_of, read_report
from reenact.studio.messages import Span, Track

_FEET: tuple[tuple[Literal["left", "right"], str], ...] = (
    ("left", "heel"),
    ("left", "ball"),
    ("right", "heel"),
    ("right", "ball"),
)


def read_tracks(library: Library, entry: Entry) -> tuple[Track, ...]:
    """The tracks of a clip: for one that was made what was done where, then for a sample its ground truth, else plants given by hand or
    detected, and the gait.
    """
    marks = marks_of(read_report(library, entry), entry.frames)
    made = (Track("made", "mark", "", marks),) if marks else ()
    return (*made, *_motion_tracks(library, entry))


def _motion_tracks(library: Library, entry: Entry) -> tuple[Track, ...]:
    key = derived_key([(entry.id, entry.hash)], TRUTH, {}, "1")
    known, held = read_kept(library.index, library.folder, key, entry.name)
    if not known or not isinstance(held, dict):
        return _found_tracks(library, entry)
    with faults_named("the ground truth kept with the clip", entry.name):
        return _truth_tracks(held)


def _truth_tracks(held: dict[str, np.ndarray]) -> tuple[Track, ...]:
    tracks = [
        Track(f"{side} {part}", "contact", side, runs_of(held[f"{side}_{part}"]))
        for side, part in _FEET
        if f"{side}_{part}" in held
    ]
    if "labels" in held:
        tracks.append(Track("gait", "label", "", runs_of(held["labels"])))
    return tuple(tracks)


def _found_tracks(library: Library, entry: Entry) -> tuple[Track, ...]:
    try:
        plants, gait = clip_plants(library, entry.id), clip_gait(library, entry.id)
    except LibraryError:
        raise
    except ReenactError:  # no feet, or too few frames to tell: a clip without these rows
        return ()
    contacts = [
        Track(f"{side} {part}", "contact", side, runs_of(getattr(plants.foot(side), part))) for side, part in _FEET
    ]
    spans = tuple(Span(segment.start, segment.end, segment.type) for segment in gait.segments)
    return (*contacts, Track("gait", "label", "", spans))


def runs_of(values: np.ndarray) -> tuple[Span, ...]:
    """Runs of equal values (F,): of True for flags, of every value for texts."""
    if not len(values):
        return ()
    edges = [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist(), len(values)]
    if values.dtype == np.bool_:
        return tuple(Span(a, b, "") for a, b in pairwise(edges) if values[a])
    return tuple(Span(a, b, str(values[a])) for a, b in pairwise(edges))
