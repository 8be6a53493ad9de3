from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.graft.composition_rules import CLASSES, allowed_pairs, count_allowed, is_allowed, objection

TABLE = {
    ("stand", "stand"), ("stand", "walk"), ("stand", "run"), ("stand", "jump"),
    ("walk", "walk"), ("walk", "run"), ("run", "walk"), ("run", "run"), ("jump", "jump"),
}  # fmt: skip
"""(upper, lower) of the thesis' table."""


def test_nine_of_sixteen_pairs_are_allowed() -> None:
    pairs = list(itertools.product(CLASSES, CLASSES))
    assert {pair for pair in pairs if is_allowed(*pair)} == TABLE
    assert len(TABLE) == 9


@pytest.mark.parametrize("upper", CLASSES)
@pytest.mark.parametrize("lower", CLASSES)
def test_an_objection_is_raised_to_the_others_only(upper: str, lower: str) -> None:
    assert bool(objection(upper, lower)) != ((upper, lower) in TABLE)


def test_what_is_no_gait_is_objected_to_by_whose_it_is() -> None:
    assert "the source is neither" in objection("other", "walk")
    assert "the base is neither" in objection("walk", "other")


@given(st.lists(st.sampled_from((*CLASSES, "other")), max_size=12))
def test_pairs_are_as_many_as_the_formula_says(kinds: list[str]) -> None:
    types = {f"clip{n}": kind for n, kind in enumerate(kinds)}
    stand, walk, run, jump = (kinds.count(kind) for kind in CLASSES)
    ordered = stand * (stand + walk + run + jump) + (walk + run) ** 2 + jump**2
    found = allowed_pairs(types)
    assert len(found) == ordered - (stand + walk + run + jump) == count_allowed({k: kinds.count(k) for k in CLASSES})
    assert len(set(found)) == len(found)
    assert all(is_allowed(types[source], types[base]) for base, source in found)
