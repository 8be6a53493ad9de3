"""Automatic grafts over a library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reenact.core.origin import Credit
from reenact.errors import LibraryError, ParameterError
from reenact.graft.composition_rules import count_allowed
from reenact.graft.graft_parameters import GraftParameters
from reenact.library.kept_plants import given_plants
from reenact.library.store import Library
from reenact.operations.graft_sheet import save_sheet
from reenact.operations.library_grafts import (
    BatchParameters,
    accept_candidate,
    find_candidate,
    graft_library,
    list_candidates,
    reject_candidate,
)
from reenact.samples import make_sample

NAMES = ("walk_normal", "walk_fast", "run", "wave_standing", "jump_forward", "jump_up", "sit_down")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Some samples, each with a credit of its own."""
    made = Library.create(tmp_path / "lib")
    for name in NAMES:
        clip = make_sample(name).clip
        made.add(clip.with_origin(type(clip.origin)(credits=(Credit(source=f"studio {name}"),))).with_plants(None))
    return made


def test_an_empty_library_has_nothing_to_graft(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="no two clips can be grafted: 0 are"):
        graft_library(Library.create(tmp_path / "none"))


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError):
        BatchParameters(most=0)


def test_a_candidate_that_is_not_there_lists_some(library: Library) -> None:
    with pytest.raises(LibraryError, match=r"no candidate 'nobody'; there are none; `reenact graft --all"):
        find_candidate(library, "nobody")
    graft_library(library, BatchParameters(query="walk"))
    with pytest.raises(LibraryError, match="walk_fast"):
        accept_candidate(library, "nobody+nothing")


def test_all_pairs_that_the_rules_allow_are_tried_and_ranked(library: Library) -> None:
    seen = []
    batch = graft_library(library, progress=lambda done, total: seen.append((done, total)))
    assert batch.types == {"stand": 1, "walk": 2, "run": 1, "jump": 2}
    assert batch.left_out == 1
    assert len(batch.candidates) == batch.allowed == count_allowed(batch.types)
    assert seen[-1] == (batch.allowed, batch.allowed)
    open_ones = [one.score for one in batch.candidates if one.status == "open"]
    assert open_ones == sorted(open_ones, reverse=True)
    assert len(open_ones) >= 6
    assert all(0 < score <= 1 for score in open_ones)
    again = graft_library(library)
    assert [one.as_dict() for one in again.candidates] == [one.as_dict() for one in batch.candidates]
    assert [(one.name, one.status) for one in list_candidates(library)] == [
        (one.name, one.status) for one in batch.candidates
    ]
    assert "screened" not in {one.status for one in list_candidates(library, screen=False)}


def test_a_drawn_part_is_the_same_for_the_same_seed(library: Library) -> None:
    first, second, third = (
        {one.name for one in graft_library(library, BatchParameters(most=5, seed=seed)).candidates}
        for seed in (3, 3, 4)
    )
    assert len(first) == 5
    assert first == second != third


def test_pairs_that_the_method_refuses_are_counted(library: Library) -> None:
    batch = graft_library(library, BatchParameters(query="walk"), GraftParameters(shift=99))
    assert batch.counts() == {"refused": 2}
    assert "shifted by 99" in batch.candidates[0].why
    with pytest.raises(LibraryError, match="the pair was refused"):
        accept_candidate(library, batch.candidates[0].name)


def test_an_accepted_graft_becomes_a_clip_with_all_that_is_known(library: Library) -> None:
    graft_library(library, BatchParameters(query="walk"))
    added = accept_candidate(library, "walk_normal+walk_fast")
    entry, clip = library.entry(added.id), library.clip(added.id)
    assert entry.name == "walk_normal+walk_fast"
    assert "graft" in entry.tags
    assert entry.metadata["graft_base"] == "walk_normal"
    assert entry.metadata["graft_source"] == "walk_fast"
    assert entry.metadata["type"] == "walk"
    assert {credit.source for credit in clip.origin.credits} == {"studio walk_normal", "studio walk_fast"}
    plants = given_plants(library, added.id)
    assert plants is not None
    assert len(plants) == len(clip)
    assert np.array_equal(clip.root, library.clip("walk_normal").root)
    assert find_candidate(library, "walk_normal+walk_fast").status == "accepted"
    with pytest.raises(LibraryError, match="was accepted as"):
        reject_candidate(library, "walk_normal+walk_fast")
    names = {name for one in graft_library(library).candidates for name in (one.base, one.source)}
    assert entry.name not in names  # made motions are no sources


def test_a_rejected_graft_stays_rejected(library: Library) -> None:
    graft_library(library, BatchParameters(query="walk"))
    reject_candidate(library, "walk_fast+walk_normal")
    assert find_candidate(library, "walk_fast+walk_normal").status == "rejected"
    found = {one.name: one.status for one in graft_library(library, BatchParameters(query="walk")).candidates}
    assert found["walk_fast+walk_normal"] == "rejected"


def test_candidates_go_with_their_clips(library: Library) -> None:
    graft_library(library, BatchParameters(query="walk"))
    library.remove("walk_fast")
    assert list_candidates(library) == []


def test_the_contact_sheet(library: Library, tmp_path: Path) -> None:
    batch = graft_library(library, BatchParameters(query="walk"))
    with pytest.raises(ParameterError, match=r"known are .png, .html"):
        save_sheet(library, batch.candidates, tmp_path / "sheet.gif")
    with pytest.raises(ParameterError, match="no candidate to draw"):
        save_sheet(library, (), tmp_path / "sheet.png")
    save_sheet(library, batch.candidates[:1], tmp_path / "sheet.png")
    from PIL import Image

    with Image.open(tmp_path / "sheet.png") as picture:
        assert picture.width > 300
    save_sheet(library, batch.candidates, tmp_path / "sheet.html")
    text = (tmp_path / "sheet.html").read_text()
    assert all(one.name in text for one in batch.candidates)
