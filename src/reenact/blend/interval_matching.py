"""Matching the plants of several motions: one interval of each motion in every match, long ones cut where another motion steps twice.

Intervals lie on the common parameter of a registration, so intervals that belong together overlap (Kovar and Gleicher 2003; Aherne 2005,
4.3.3). The lists are worked off from the front: what has no partner is dropped, a first interval that reaches into another motion's next
one is cut, and what remains in front of all lists is a match. Heel and ball of each foot are matched each on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from reenact.errors import ParameterError

Interval = tuple[float, float]
Match = tuple[Interval, ...]
GapRule = Literal["ratio", "vote"]
GAP_RULES = ("ratio", "vote")

_NOWHERE = (float("inf"), float("inf"))


@dataclass(frozen=True, slots=True)
class Matching:
    """Matched intervals and what it took.

    Attributes:
        matches: in order; each holds one interval of every motion, and their union is one stretch.
        dropped: for each motion the intervals that found no partner.
        cuts: how many gaps were cut into longer intervals.
        rounds: how often the front of the lists was looked at.
    """

    matches: tuple[Match, ...]
    dropped: tuple[tuple[Interval, ...], ...]
    cuts: int
    rounds: int


def match_intervals(
    lists: Sequence[Sequence[Interval]], rule: GapRule = "ratio", shortest: float = 0.0
) -> tuple[Match, ...]:
    """The matches alone; see `match_all`."""
    return match_all(lists, rule, shortest).matches


def match_all(lists: Sequence[Sequence[Interval]], rule: GapRule = "ratio", shortest: float = 0.0) -> Matching:
    """Match the intervals of k motions.

    Args:
        lists: for each motion its (start, end), in order and disjoint.
        rule: how a gap is put into a longer interval. "ratio" (Aherne 2005): steps and gaps get the other motion's proportions; where a
            piece would lose touch with its partner, and with "vote" always (Kovar and Gleicher 2003), the gap lies where the others' do.
        shortest: pieces of cut intervals shorter than this are dropped.

    Raises:
        ParameterError: an unknown rule, no lists, or intervals that are empty, out of order or overlap.
    """
    if rule not in GAP_RULES:
        raise ParameterError(f"rule must be one of {', '.join(GAP_RULES)}, not {rule!r}", where="rule")
    if not lists:
        raise ParameterError("nothing to match: give the intervals of at least one motion")
    left = [_checked(intervals, motion) for motion, intervals in enumerate(lists)]
    dropped: list[list[Interval]] = [[] for _ in left]
    matches: list[Match] = []
    pieces: set[tuple[int, Interval]] = set()
    cuts = rounds = 0
    # every round drops, matches or cuts; a cut is needed at most once for each interval of each other motion
    most = 2 * (sum(map(len, left)) + 1) * (len(left) + 1)
    while all(left):
        rounds += 1
        _drop_lonely(left, dropped)
        if not all(left):
            break
        firsts = [intervals[0] for intervals in left]
        if not connected(firsts):
            soonest = min(range(len(left)), key=lambda motion: firsts[motion][1])
            dropped[soonest].append(left[soonest].pop(0))
            continue
        made = _cut(left, rule, shortest, pieces) if rounds <= most else 0
        if made:
            cuts += made
            continue
        matches.append(tuple(firsts))
        for intervals in left:
            intervals.pop(0)
    for motion, intervals in enumerate(left):
        dropped[motion] += intervals
    return Matching(tuple(matches), tuple(tuple(sorted(lost)) for lost in dropped), cuts, rounds)


def overlap(a: Interval, b: Interval) -> bool:
    """True when two intervals share more than a point."""
    return max(a[0], b[0]) < min(a[1], b[1])


def connected(intervals: Sequence[Interval]) -> bool:
    """True when the union of intervals is one stretch; chains count."""
    return len(_components(list(intervals))) == 1


def subsumes(lists: Sequence[Sequence[Interval]], i: int, j: int) -> bool:
    """True when the first interval of motion `i` takes up the first and the second of motion `j`, which has no other partner in `i`."""
    first, after = lists[i][0], lists[i][1] if len(lists[i]) > 1 else _NOWHERE
    other = lists[j][1] if len(lists[j]) > 1 else _NOWHERE
    return overlap(first, lists[j][0]) and first[1] > other[0] and after[0] > other[1]


def _checked(intervals: Sequence[Interval], motion: int) -> list[Interval]:
    found = [(float(start), float(end)) for start, end in intervals]
    for start, end in found:
        if not start < end:
            raise ParameterError(f"interval [{start:g}, {end:g}] of motion {motion} is empty", where="lists")
    for a, b in pairwise(found):
        if b[0] < a[1]:
            raise ParameterError(
                f"intervals [{a[0]:g}, {a[1]:g}] and [{b[0]:g}, {b[1]:g}] of motion {motion} overlap or are out of order",
                where="lists",
            )
    return found


def _components(intervals: list[Interval]) -> list[list[int]]:
    """Indices of intervals, grouped into stretches."""
    groups: list[list[int]] = []
    reach = -float("inf")
    for index in sorted(range(len(intervals)), key=lambda n: intervals[n]):
        if intervals[index][0] < reach:
            groups[-1].append(index)
        else:
            groups.append([index])
        reach = max(reach, intervals[index][1])
    return groups


def _drop_lonely(left: list[list[Interval]], dropped: list[list[Interval]]) -> None:
    """Take out every stretch in which some motion has no interval."""
    owners = [(motion, interval) for motion, intervals in enumerate(left) for interval in intervals]
    for group in _components([interval for _, interval in owners]):
        if len({owners[index][0] for index in group}) == len(left):
            continue
        for index in group:
            motion, interval = owners[index]
            left[motion].remove(interval)
            dropped[motion].append(interval)


def _cut(left: list[list[Interval]], rule: GapRule, shortest: float, pieces_so_far: set[tuple[int, Interval]]) -> int:
    """Cut the first intervals that subsume others (the set S1) by those that subsume none of the subsumed (S2); how many gaps were made.

    What was cut before is cut by vote: proportions of proportions would drift away from the plants and be cut again and again.
    """
    motions = range(len(left))
    pairs = {(i, j) for i in motions for j in motions if i != j and subsumes(left, i, j)}
    parents, children = {i for i, _ in pairs}, {j for _, j in pairs}
    while both := {i for i in children if any((i, j) in pairs for j in children)}:
        parents |= both
        children -= both
    made = 0
    planned = []
    for i in sorted(parents):
        voters = sorted(j for j in children if (i, j) in pairs)
        if voters:
            again = (i, left[i][0]) in pieces_so_far
            planned.append((i, _pieces(left, i, voters, "vote" if again else rule)))
    for i, pieces in planned:
        kept = [piece for piece in pieces if piece[1] - piece[0] >= max(shortest, 1e-12)]
        left[i][:1] = kept
        pieces_so_far.update((i, piece) for piece in kept)
        made += len(pieces) - 1
    return made


def _pieces(left: list[list[Interval]], i: int, voters: Sequence[int], rule: GapRule) -> list[Interval]:
    """What the first interval of motion `i` is cut into."""
    parent, after = left[i][0], left[i][1] if len(left[i]) > 1 else _NOWHERE
    if rule == "ratio":
        families = [[c for c in left[j] if c[0] < parent[1] and c[1] < after[0]] for j in voters]
        count = min(len(family) for family in families) - 1
        gaps = [_mean([_mapped_gap(parent, family, n) for family in families]) for n in range(count)]
        pieces = _between(parent, gaps)
        if all(_touch(pieces, family) for family in families):
            return pieces
    votes = [(left[j][0][1], left[j][1][0]) for j in voters]
    return _between(parent, [_mean(votes)])


def _mapped_gap(parent: Interval, family: Sequence[Interval], n: int) -> Interval:
    """The gap after the n-th child, with the whole family stretched over the parent."""
    scale = (parent[1] - parent[0]) / (family[-1][1] - family[0][0])
    return parent[0] + (family[n][1] - family[0][0]) * scale, parent[0] + (family[n + 1][0] - family[0][0]) * scale


def _touch(pieces: Sequence[Interval], family: Sequence[Interval]) -> bool:
    """True when every piece overlaps its own child; the last may overlap any of the rest."""
    last = len(pieces) - 1
    return all(
        any(overlap(piece, child) for child in (family[last:] if n == last else family[n : n + 1]))
        for n, piece in enumerate(pieces)
    )


def _mean(gaps: Sequence[Interval]) -> Interval:
    return sum(g[0] for g in gaps) / len(gaps), sum(g[1] for g in gaps) / len(gaps)


def _between(parent: Interval, gaps: Sequence[Interval]) -> list[Interval]:
    starts, ends = [parent[0], *(gap[1] for gap in gaps)], [*(gap[0] for gap in gaps), parent[1]]
    return list(zip(starts, ends, strict=True))
