"""Automatic grafts of a library: every pair that the rules allow is tried, measured and kept as a candidate; people accept or reject.

The records lie among the derived results of the clips they are made of (kind `graft-candidate`), so they go when a clip goes. An accepted
candidate becomes a clip of the library with its plants, its credits and where it comes from.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.errors import LibraryError, ParameterError, SkeletonError
from reenact.graft.believability import measure_believability
from reenact.graft.composition_rules import CLASSES, allowed_pairs
from reenact.graft.graft_parameters import GraftParameters
from reenact.graft.graft_report import graft_report
from reenact.graft.grafting import build_graft
from reenact.graft.torso_screen import SAFE_SHARE
from reenact.library.derived import DerivedKey, derived_key, read_derived, write_derived
from reenact.library.gaits import clip_gait, clip_plants
from reenact.library.labels import TYPE_KEY
from reenact.library.rows import Added
from reenact.operations.registry import find_operation
from reenact.operations.running import run_operation

if TYPE_CHECKING:
    from reenact.library.entries import Entry
    from reenact.library.store import Library

KIND = "graft-candidate"
"""Kind under which a candidate is kept among the derived results of its base and source."""

CODE = "2"
"""Raised when equal clips give another candidate."""

Status = Literal["open", "accepted", "rejected", "screened", "refused"]

_LOADED = 64  # clips kept in memory while pairs are tried


@dataclass(frozen=True, slots=True)
class BatchParameters:
    """Which pairs of a library are tried."""

    query: str = option("", "only the clips that answer this search", short="-q")
    most: int | None = option(None, "try at most so many pairs, drawn from those that the rules allow", low=1)
    seed: int = option(1, "of the drawing of pairs")
    screen: bool = option(True, "leave out pairs whose trunks are held too differently for arms to be exchanged")

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair that was tried.

    Attributes:
        base, source: names of the clips.
        parameters: of the graft.
        status: "open" for people to decide; "accepted" or "rejected"; "screened" out by its trunks; "refused" by the method.
        score: 0..1 (`graft.believability`); 0 where it was refused.
        figures: what was measured.
        report: of the graft.
        why: where it was refused or screened out, in words.
        clip: name of the clip it became.
    """

    base: str
    source: str
    parameters: GraftParameters
    status: Status
    score: float
    figures: dict[str, Any]
    report: dict[str, Any]
    why: str = ""
    clip: str = ""

    @property
    def name(self) -> str:
        """By which people call it."""
        return f"{self.base}+{self.source}"

    def as_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {"name": self.name, **dataclasses.asdict(self)}


@dataclass(frozen=True, slots=True)
class GraftBatch:
    """What came of trying pairs.

    Attributes:
        candidates: best first, those that cannot be accepted last.
        types: number of clips by type.
        left_out: clips that are none of the types.
        allowed: pairs that the rules allow.
    """

    candidates: tuple[Candidate, ...]
    types: dict[str, int]
    left_out: int
    allowed: int

    def counts(self) -> dict[str, int]:
        """How many candidates have which status."""
        found = [one.status for one in self.candidates]
        return {status: found.count(status) for status in sorted(set(found))}


def graft_library(
    library: Library,
    batch: BatchParameters | None = None,
    parameters: GraftParameters | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GraftBatch:
    """Try the pairs of a library that the rules allow, and keep each as a candidate. What was tried before is not tried again.

    Raises:
        LibraryError: no clips that could be grafted.
    """
    batch, parameters = batch or BatchParameters(), parameters or GraftParameters()
    types, left_out = graft_types(library, library.entries(batch.query))
    pairs = allowed_pairs(types)
    if not pairs:
        raise LibraryError(
            f"no two clips can be grafted: {len(types)} are a stand, walk, run or jump, {left_out} are not",
            where=str(library.folder),
        )
    allowed = len(pairs)
    if batch.most is not None and batch.most < allowed:
        drawn = np.random.default_rng(batch.seed).choice(allowed, batch.most, replace=False)
        pairs = [pairs[int(n)] for n in sorted(drawn)]
    load = _loader(library)
    found = []
    for done, (base, source) in enumerate(pairs, 1):
        found.append(_try(library, load, base, source, types, parameters, screen=batch.screen))
        if progress is not None:
            progress(done, len(pairs))
    counts = {kind: list(types.values()).count(kind) for kind in CLASSES}
    return GraftBatch(tuple(_ranked(found)), counts, left_out, allowed)


def graft_types(library: Library, entries: Sequence[Entry]) -> tuple[dict[str, str], int]:
    """Types of the clips that can be grafted, by name, and how many cannot. Made grafts are no sources of others."""
    types: dict[str, str] = {}
    left_out = 0
    for entry in entries:
        if "graft" in entry.tags:
            continue
        try:
            kind = str(entry.metadata.get(TYPE_KEY) or clip_gait(library, entry.id).type)
        except SkeletonError:
            kind = "other"
        if kind in CLASSES:
            types[entry.name] = kind
        else:
            left_out += 1
    return types, left_out


def list_candidates(library: Library, *, screen: bool = True) -> list[Candidate]:
    """All kept candidates of a library, best first; those screened out by their trunks only with `screen` false as open ones."""
    files: dict[str, dict[str, Any]] = {}
    for entry in library.entries():
        for row in library.derived_results(entry):
            if row["kind"] == KIND and row["version"] == CODE:
                files[row["file"]] = row["parameters"]
    found = []
    for asked in files.values():
        kept = _read(library, asked["base"], asked["source"], GraftParameters(**asked["graft"]))
        if kept is not None:
            found.append(_screened(kept) if screen else kept)
    return _ranked(found)


def find_candidate(library: Library, name: str) -> Candidate:
    """The kept candidate BASE+SOURCE; of several the one with the best score.

    Raises:
        LibraryError: there is none; the message lists some.
    """
    known = list_candidates(library)
    for one in known:
        if one.name == name:
            return one
    some = ", ".join(one.name for one in known[:5]) or "none; `reenact graft --all LIB` makes them"
    raise LibraryError(f"no candidate {name!r}; there are {some}", where=name)


def accept_candidate(library: Library, name: str) -> Added:
    """Make the graft of a candidate and add it to the library, with its plants, its credits and where it comes from.

    Raises:
        LibraryError: there is no such candidate, or it was refused.
    """
    one = find_candidate(library, name)
    if one.status == "refused":
        raise LibraryError(f"the pair was refused: {one.why}", where=name)
    made = make_candidate(library, one)
    added = library.add(
        made.clip,
        name=one.name,
        tags=("graft",),
        description=f"{one.report['masked'].partition(':')[0]} of {one.source} on {one.base}",
        metadata={
            TYPE_KEY: one.report["types"]["base"],
            "graft_base": one.base,
            "graft_source": one.source,
            "graft_chains": one.parameters.chains,
            "graft_keep": one.parameters.keep,
            "graft_shift": one.report["shift"],
            "graft_score": one.score,
        },
    )
    _keep(library, replace(one, status="accepted", why="", clip=library.entry(added.id).name))
    return added


def reject_candidate(library: Library, name: str) -> Candidate:
    """Remember that a candidate is not wanted.

    Raises:
        LibraryError: there is no such candidate, or it is a clip of the library already.
    """
    one = find_candidate(library, name)
    if one.status == "accepted":
        raise LibraryError(f"it was accepted as {one.clip!r}; remove that with `reenact library remove`", where=name)
    rejected = replace(one, status="rejected", why="")
    _keep(library, rejected)
    return rejected


def make_candidate(library: Library, one: Candidate) -> Made:
    """The graft of a candidate, made again from the clips of the library."""
    clips = [library.clip(name) for name in (one.base, one.source)]
    plants = [clip_plants(library, name) for name in (one.base, one.source)]
    return run_operation(find_operation("graft"), clips, one.parameters, plants)


def _loader(library: Library) -> Callable[[str], tuple[Clip, FootPlants]]:
    @lru_cache(maxsize=_LOADED)
    def load(name: str) -> tuple[Clip, FootPlants]:
        return library.clip(name), clip_plants(library, name)

    return load


def _try(
    library: Library,
    load: Callable[[str], tuple[Clip, FootPlants]],
    base: str,
    source: str,
    types: Mapping[str, str],
    parameters: GraftParameters,
    *,
    screen: bool,
) -> Candidate:
    kept = _read(library, base, source, parameters)
    if kept is None:
        kept = _measure(load, base, source, types, parameters)
        _keep(library, kept)
    return _screened(kept) if screen else kept


def _screened(kept: Candidate) -> Candidate:
    """An open candidate whose trunks are held too differently is screened out, in words."""
    if kept.status != "open" or kept.figures["safe"] >= SAFE_SHARE:
        return kept
    words = f"the trunks are held alike in {100 * kept.figures['safe']:.0f} % of the frames only"
    return replace(kept, status="screened", why=words)


def _measure(
    load: Callable[[str], tuple[Clip, FootPlants]],
    base: str,
    source: str,
    types: Mapping[str, str],
    parameters: GraftParameters,
) -> Candidate:
    (ours, own), (theirs, other) = load(base), load(source)
    try:
        graft = build_graft(ours, theirs, parameters, own, other, types=(types[base], types[source]))
    except (ParameterError, SkeletonError) as error:
        return Candidate(base, source, parameters, "refused", 0.0, {}, {}, str(error))
    measured = measure_believability(graft)
    figures = measured.describe()
    return Candidate(base, source, parameters, "open", figures["score"], figures, graft_report(graft))


def _asked(base: str, source: str, parameters: GraftParameters) -> dict[str, Any]:
    return {"base": base, "source": source, "graft": dataclasses.asdict(parameters)}


def _place(library: Library, base: str, source: str, parameters: GraftParameters) -> DerivedKey:
    entries = [library.entry(name) for name in (base, source)]
    return derived_key([(one.id, one.hash) for one in entries], KIND, _asked(base, source, parameters), CODE)


def _read(library: Library, base: str, source: str, parameters: GraftParameters) -> Candidate | None:
    try:
        place = _place(library, base, source, parameters)
    except LibraryError:  # a clip was renamed
        return None
    known, result = read_derived(library.index, library.folder, place)
    if not known:
        return None
    held = cast("dict[str, Any]", result)
    return Candidate(base, source, parameters, **held)


def _keep(library: Library, one: Candidate) -> None:
    if library.index.read_only:
        return
    held = {name: getattr(one, name) for name in ("status", "score", "figures", "report", "why", "clip")}
    write_derived(library.index, library.folder, _place(library, one.base, one.source, one.parameters), held)


def _ranked(found: Sequence[Candidate]) -> list[Candidate]:
    order = {"open": 0, "accepted": 0, "rejected": 1, "screened": 2, "refused": 3}
    return sorted(found, key=lambda one: (order[one.status], -one.score, one.name))
