"""Matching the plants of several motions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from reenact.blend.interval_matching import connected, match_all, match_intervals, overlap
from reenact.errors import ParameterError


@pytest.mark.parametrize(
    ("lists", "rule", "message"),
    [
        ([[(0, 1)], [(0, 1)]], "mean", "rule must be one of ratio, vote"),
        ([], "vote", "nothing to match"),
        ([[(1, 1)], [(0, 1)]], "vote", r"\[1, 1\] of motion 0 is empty"),
        ([[(0, 1)], [(2, 3), (0, 1)]], "vote", "motion 1 overlap or are out of order"),
    ],
)
def test_bad_input_is_refused(lists, rule, message):
    with pytest.raises(ParameterError, match=message):
        match_all(lists, rule)


TABLE = [
    ([[(0, 10)], [(0, 4), (6, 10)]], [((0, 4), (0, 4)), ((6, 10), (6, 10))], 1),
    ([[(0, 10), (12, 20)], [(0, 4), (6, 20)]], [((0, 10), (0, 4)), ((12, 20), (6, 20))], 0),
    (
        [[(0, 10)], [(0, 1), (2, 3), (4, 10)]],
        [((0, 1), (0, 1)), ((2, 3), (2, 3)), ((4, 10), (4, 10))],
        2,
    ),
    ([[(0, 10), (30, 40)], [(12, 15), (31, 39)]], [((30, 40), (31, 39))], 0),
    ([[(0, 10)], [(8, 9), (9.5, 20)]], [((0, 9), (8, 9)), ((9.5, 10), (9.5, 20))], 1),
    (
        [[(0, 10)], [(1, 4), (6, 9)], [(0, 3), (5, 10)]],
        [((0, 3.5), (1, 4), (0, 3)), ((5.5, 10), (6, 9), (5, 10))],
        1,
    ),
]


@pytest.mark.parametrize(("lists", "wanted", "cuts"), TABLE)
def test_the_reference_cases_by_vote(lists, wanted, cuts):
    found = match_all(lists, "vote")
    assert [tuple(map(tuple, match)) for match in found.matches] == wanted
    assert found.cuts == cuts


@pytest.mark.parametrize(("lists", "wanted", "cuts"), TABLE[:5])
def test_the_reference_cases_by_ratio(lists, wanted, cuts):
    """The same, by the children's proportions where these agree, and by the fall-back in the fifth."""
    found = match_all(lists, "ratio")
    assert [tuple(map(tuple, match)) for match in found.matches] == wanted
    assert found.cuts == cuts


def test_ratio_with_three_motions_takes_the_mean_of_the_mapped_gaps():
    first, second = match_intervals(TABLE[5][0], "ratio")
    assert first[0] == (0, pytest.approx(0.5 * (10 * 3 / 8 + 3), abs=1e-12))
    assert second[0] == (pytest.approx(0.5 * (10 * 5 / 8 + 5), abs=1e-12), 10)


def test_ratio_gives_the_parent_the_proportions_of_the_children():
    rng = np.random.default_rng(3)
    tried = 0
    for _ in range(300):
        edges = np.sort(rng.uniform(0, 10, 6))
        children = [(edges[0], edges[1]), (edges[2], edges[3]), (edges[4], edges[5])]
        if np.diff(edges).min() < 0.05:
            continue
        low, high = edges[0] - rng.uniform(-0.04, 1), edges[5] + rng.uniform(-0.04, 1)
        matches = match_intervals([[(low, high)], children], "ratio")
        parts = [match[0] for match in matches]
        scale = (high - low) / (edges[5] - edges[0])
        mapped = [(low + (s - edges[0]) * scale, low + (e - edges[0]) * scale) for s, e in children]
        if len(parts) == 3 and all(overlap(a, b) for a, b in zip(mapped, children, strict=True)):
            tried += 1
            assert np.allclose(parts, mapped, atol=1e-9, rtol=0)
    assert tried > 100


def test_equal_lists_match_themselves():
    rng = np.random.default_rng(4)
    for _ in range(200):
        edges = np.cumsum(rng.uniform(0.1, 2, 2 * rng.integers(1, 7)))
        one = [(float(s), float(e)) for s, e in edges.reshape(-1, 2)]
        for rule in ("ratio", "vote"):
            assert match_all([one, one, one], rule).matches == tuple((piece, piece, piece) for piece in one)


def _random_list(rng):
    count = int(rng.integers(0, 7))
    edges = np.cumsum(rng.exponential(2.0, 2 * count) + 1e-3)
    return [(float(s), float(e)) for s, e in edges.reshape(-1, 2)]


@pytest.mark.parametrize("rule", ["ratio", "vote"])
def test_random_sets_always_end_in_sound_matches(rule):
    """25 000 sets of two to four motions for each rule."""
    rng = np.random.default_rng(5)
    most = 0
    for _ in range(25_000):
        lists = [_random_list(rng) for _ in range(rng.integers(2, 5))]
        found = match_all(lists, rule)
        total = sum(map(len, lists))
        most = max(most, found.rounds)
        assert found.rounds <= 2 * total + 2
        for match in found.matches:
            assert len(match) == len(lists)
            assert connected(match)
        for motion, own in enumerate(lists):
            pieces = [match[motion] for match in found.matches]
            assert all(a[1] <= b[0] for a, b in pairwise(pieces)), "order is kept"
            assert all(any(s <= p[0] and p[1] <= e for s, e in own) for p in pieces), "pieces lie in their intervals"
    assert most < 30


def test_short_pieces_are_dropped():
    assert match_intervals([[(0, 10)], [(8, 9), (9.5, 20)]], "vote", shortest=1.0) == (((0, 9), (8, 9)),)


def test_what_finds_no_partner_is_told():
    found = match_all([[(0, 10), (30, 40)], [(12, 15), (31, 39)]])
    assert found.dropped == (((0, 10),), ((12, 15),))
