"""Cycles in a motion: pairs of frames between which it comes back to the same pose, speed and contacts (reuse specification 3.9).

The period is the lag at which a motion is most like itself (the mean pose distance over all frames a lag apart, an auto-correlation in
pose space); cycles are then the best pairs of frames about a period apart. Steady cycles come before others: in a walk the steps straight
on, not the U-turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.edit.cycle_search import (
    Cycle,
    CycleParameters,
    Searched,
    best_pairs,
    cycle_features,
    distances,
    drifts,
    moves,
    nearest_pairs,
    other_seams,
    refine,
    search_periods,
)
from reenact.edit.seam_stances import seam_gap
from reenact.errors import ParameterError
from reenact.solve.feet import find_feet, track_foot

_DIFFERENT = 24  # of a period: what another cycle begins or ends elsewhere at least, to be tried as well
_GOES, _STANDS = 1.0, 0.3  # m/s of a motion that goes somewhere, and of a cycle of it that does not
_CLEARLY = (
    3.0  # times what the ends of a cycle beyond the limit differ by, that the body gets away at least, to come back
)
_USUAL = 5.0  # seconds up to which a period is looked for first


def find_cycles(
    clip: Clip,
    parameters: CycleParameters | None = None,
    plants: FootPlants | None = None,
    *,
    near: int | None = None,
    most: int = 10,
) -> list[Cycle]:
    """Cycles of a clip, best first; none when the motion never comes back to a pose within the limit.

    Steady ones come first: those that travel and turn like most of the clip does.

    Args:
        clip: the motion.
        parameters: shortest and longest period, limit.
        plants: contacts, compared when known.
        near: only cycles that begin within half a period of this frame.
        most: no more than so many.
    """
    searched = Searched.of(clip, parameters or CycleParameters(), plants, near)
    return [] if searched is None else _find(searched)[:most]


def _find(searched: Searched) -> list[Cycle]:
    """All cycles found: steady ones first, among those the ones that move, then by period and error."""
    features, (low, high) = searched.features, searched.bounds
    usual = round(_USUAL * searched.clip.fps / searched.stride)
    found: list[Cycle] = []
    if usual < high:
        found = search_periods(searched, (low, usual))
    if not any(moves(features, cycle) and _steady(searched, cycle) for cycle in found):
        found += search_periods(searched, (low, high))
    if not any(_steady(searched, cycle) for cycle in found):  # no steady period stands out: any pair of frames will do
        found += best_pairs(searched, steady=True)
    # a slow change is like itself a little later: what goes away and does not come back is no cycle
    found = [cycle for cycle in found if moves(features, cycle) or not drifts(features, cycle)]
    if not found:
        found = best_pairs(searched, steady=False)
    moving = [cycle for cycle in found if moves(features, cycle)]
    still = [cycle for cycle in found if cycle not in moving]
    still.sort(key=lambda cycle: cycle.start - cycle.end)  # standing still: rather long than short
    kept: list[Cycle] = []
    for cycle in sorted(moving + still, key=lambda cycle: not _steady(searched, cycle)):
        if _apart(cycle, kept, searched.stride):
            kept.append(cycle)
    return [_described(searched, cycle) for cycle in kept]


def _steady(searched: Searched, cycle: Cycle) -> bool:
    return bool(searched.travel.steady(cycle.start, cycle.end))


def _described(searched: Searched, cycle: Cycle) -> Cycle:
    """A cycle with its way over the floor."""
    travel = searched.travel
    return replace(
        cycle,
        advance=float(np.hypot(*(travel.hips[cycle.end] - travel.hips[cycle.start]))),
        turn=float(travel.heading[cycle.end] - travel.heading[cycle.start]),
        unsteady=travel.describe(cycle.start, cycle.end),
    )


def best_cycle(
    clip: Clip, parameters: CycleParameters, plants: FootPlants | None, near: int | None = None, pick: int | None = None
) -> Cycle:
    """The best cycle, or the one of that number, or an error that says how near the motion comes to one.

    Raises:
        ParameterError: there is none, or not so many; of a motion that goes somewhere only its stand comes back, and nobody asked for it.
    """
    searched, found = _require_cycles(clip, parameters, plants, near)
    if pick is None and near is None:
        _refuse_stand(searched, found[0])
    pick = pick or 1
    if not 1 <= pick <= len(found):
        one = "is only 1 cycle" if len(found) == 1 else f"are only {len(found)} cycles"
        raise ParameterError(f"there {one}, number {pick} is not one of them", where=clip.name)
    hint = _hint(searched) if found[0].unsteady and pick == 1 else ""
    return replace(found[pick - 1], unsteady=found[pick - 1].unsteady + hint)


def rank_cycles(
    clip: Clip, parameters: CycleParameters, plants: FootPlants | None, near: int | None = None
) -> Iterator[Cycle]:
    """The best cycle, then others of its kind: as steady, and standing still only where it does.

    The others are those found and the best one cut elsewhere, by how unlike their ends are and how unlike feet stand there that stand
    across the seam. They are looked for when they are asked for.

    Raises:
        ParameterError: there is none, or only one of a stand in a motion that goes somewhere.
    """
    searched, found = _require_cycles(clip, parameters, plants, near)
    best = found[0]
    if near is None:
        _refuse_stand(searched, best)
    hint = _hint(searched) if best.unsteady else ""
    yield replace(best, unsteady=best.unsteady + hint)
    tracks = {}
    if plants is not None:
        world = clip.world(np.float64)
        tracks = {foot.side: track_foot(world, foot) for foot in find_feet(clip.skeleton, clip)}

    def unlike(cycle: Cycle) -> float:
        return cycle.error if plants is None else cycle.error + seam_gap(tracks, plants, cycle.start, cycle.end)

    def of_its_kind(cycle: Cycle) -> bool:
        as_steady = _steady(searched, cycle) == _steady(searched, best)
        return as_steady and moves(searched.features, cycle) == moves(searched.features, best)

    kept = [best]
    for cycle in sorted(filter(of_its_kind, [*found, *other_seams(searched, best)]), key=unlike):
        if _apart(cycle, kept, max((cycle.end - cycle.start) // _DIFFERENT, searched.stride)):
            kept.append(cycle)
            described = _described(searched, cycle)
            yield replace(described, unsteady=described.unsteady + hint)


def cycles_beyond(
    clip: Clip, parameters: CycleParameters, plants: FootPlants | None, beyond: float, near: int | None = None
) -> list[Cycle]:
    """Cycles over the limit whose ends differ by `beyond` metres at most, most alike first: of those that may still make a good loop.

    They travel and turn like most of the clip does, move, and do not stand in a motion that goes somewhere.
    """
    if beyond <= parameters.limit:
        return []
    searched = Searched.of(clip, replace(parameters, limit=beyond), plants, near)
    if searched is None:
        return []
    kept: list[Cycle] = []
    for cycle in best_pairs(searched, steady=True):
        apart = _apart(cycle, kept, max((cycle.end - cycle.start) // _DIFFERENT, searched.stride))
        goes = moves(searched.features, cycle, _CLEARLY) and not _stands(searched, cycle)
        if apart and goes and _steady(searched, cycle):
            kept.append(cycle)
    return [_described(searched, cycle) for cycle in kept]


def _require_cycles(
    clip: Clip, parameters: CycleParameters, plants: FootPlants | None, near: int | None
) -> tuple[Searched, list[Cycle]]:
    """The search, and the cycles it finds, at least one."""
    searched = Searched.of(clip, parameters, plants, near)
    found = [] if searched is None else _find(searched)
    if searched is not None and found:
        return searched, found
    where = "" if near is None else f" near frame {near}"
    said = "the clip is too short for one" if searched is None else _say_why(searched)
    raise ParameterError(f"no cycle of {parameters.shortest:g} s or more found{where}: {said}", where=clip.name)


def _refuse_stand(searched: Searched, best: Cycle) -> None:
    """Raise an error where the best cycle of a motion that walks or runs is of its standing there before or after."""
    travel = searched.travel
    if not _stands(searched, best) or (not best.unsteady and _steady(searched, best)):
        return
    nearest = _nearest(searched, steady=True)
    remedy = f"--near {best.start} loops the stand"
    if nearest is not None:
        differ = (
            f"frames {nearest.start} and {nearest.end} are most alike there and differ by {_at_least(nearest.error)} m"
        )
        remedy = f"{differ} (--limit {np.ceil(100 * nearest.error) / 100:.2f} takes them); {remedy}"
    raise ParameterError(
        f"only its stand comes back (frames {best.start} to {best.end}), while most of it travels at {travel.speed:.1f} m/s; {remedy}",
        where=searched.clip.name,
    )


def _stands(searched: Searched, cycle: Cycle) -> bool:
    """Whether a cycle stands in a motion that goes somewhere."""
    travel = searched.travel
    return travel.speed >= _GOES and float(travel.pace(cycle.start, cycle.end)[0]) <= _STANDS


def _apart(cycle: Cycle, others: Sequence[Cycle], least: int) -> bool:
    """Whether a cycle begins or ends elsewhere than all others."""
    return all(max(abs(cycle.start - other.start), abs(cycle.end - other.end)) > least for other in others)


def _say_why(searched: Searched) -> str:
    """Why there is no cycle: how near the pose comes to itself after it has been elsewhere, or that it never has."""
    nearest = _nearest(searched, steady=False)
    if nearest is None:
        return "its pose goes on changing and never comes back; give start and end"
    return (
        f"its pose comes back to within {_at_least(nearest.error)} m at best (frames {nearest.start} and {nearest.end}), "
        f"the limit is {searched.parameters.limit:g} m; give start and end, or a larger limit"
    )


def _hint(searched: Searched) -> str:
    """Where only unsteady cycles are found, the steady pair of frames that comes nearest to one."""
    nearest = _nearest(searched, steady=True)
    if nearest is None:
        return ""
    return (
        f"; steady would be frames {nearest.start} to {nearest.end}, which differ by {_at_least(nearest.error)} m, more than the "
        f"limit of {searched.parameters.limit:g} m"
    )


def _nearest(searched: Searched, *, steady: bool) -> Cycle | None:
    """The two frames over the limit that are most alike after the pose has been elsewhere."""
    for cycle in nearest_pairs(searched, steady=steady):
        fine = refine(searched, cycle.start, cycle.end - cycle.start)
        if fine.error <= searched.parameters.limit or drifts(searched.features, fine):
            continue
        if not steady or _steady(searched, fine):
            return fine
    return None


def _at_least(error: float) -> str:
    """An error over a limit, rounded up, so that it is not read as the limit."""
    return f"{np.ceil(1000 * error) / 1000:.3f}"


def cycle_error(clip: Clip, start: int, end: int, plants: FootPlants | None = None) -> float:
    """Metres by which two frames differ: joints root mean square with scaled velocities, and contacts."""
    features = cycle_features(clip, plants)
    return float(distances(features[[start]], features[[end]])[0])
