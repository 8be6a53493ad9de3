"""Plants and gait kept by a library, and the search by type."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reenact import save
from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.errors import ParameterError
from reenact.library import ImportOptions, Library
from reenact.library.gaits import classify_library, clip_gait, clip_plants, find_by_type
from reenact.library.kept_plants import set_plants
from reenact.samples import make_sample

NAMES = ("walk_few_steps", "run", "jump_up", "stand", "start_walk_left", "turn_90_left")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    made = Library.create(tmp_path / "library")
    for name in NAMES:
        made.add(make_sample(name, 30.0).clip)
    return made


def test_plants_are_kept(library: Library) -> None:
    kept = clip_plants(library, "run")
    fresh = detect_plants(library.clip("run"))
    np.testing.assert_array_equal(kept.left.ball, fresh.left.ball)
    np.testing.assert_allclose(kept.floor.normal, fresh.floor.normal)
    assert [row["kind"] for row in library.derived_results("run")] == ["plants"]


def test_plants_given_by_hand_win(library: Library) -> None:
    frames = library.entry("walk_few_steps").frames
    both = np.ones(frames, bool)
    assert clip_gait(library, "walk_few_steps").type == "walk"
    set_plants(library, "walk_few_steps", FootPlants(FootContact(both, both), FootContact(both, both), 30.0))
    assert clip_plants(library, "walk_few_steps").left.plant.all()
    assert clip_gait(library, "walk_few_steps").share("walk") == 0
    with pytest.raises(ParameterError, match="3 frames"):
        set_plants(library, "run", clip_plants(library, "run").cut(0, 3))


def test_search_by_type_is_brute_force(library: Library) -> None:
    types = classify_library(library)
    assert types["run"] == "run"
    gaits = {entry.name: clip_gait(library, entry.id) for entry in library}
    for kind in ("stand", "walk", "run", "jump", "other"):
        assert {e.name for e in find_by_type(library, kind)} == {n for n, g in gaits.items() if g.type == kind}
        for share in (0.05, 0.25, 0.75, 1.0):
            wanted = {name for name, gait in gaits.items() if round(gait.share(kind), 4) >= share}
            assert {entry.name for entry in find_by_type(library, kind, share)} == wanted
    assert [entry.name for entry in library.entries("type:run")] == ["run"]
    with pytest.raises(ParameterError, match="stand, walk"):
        find_by_type(library, "swim")
    with pytest.raises(ParameterError, match="share"):
        find_by_type(library, "walk", 75)


def test_clips_have_their_type_from_the_start(library: Library, tmp_path: Path) -> None:
    assert [entry.name for entry in library.entries("type:run")] == ["run"]
    assert library.entry("run").metadata["type_by"] == "steps"
    assert library.derived_results("run") == []  # no plants are kept for it
    before = {entry.name: entry.metadata for entry in library}
    classify_library(library)
    assert {entry.name: entry.metadata for entry in library} == before
    library.add(make_sample("walk_normal", 30.0).clip, metadata={"type": "stroll"})
    assert library.entry("walk_normal").metadata == {"type": "stroll"}
    no_feet = replace_skeleton(make_sample("run", 60.0).clip)
    assert library.entry(library.add(no_feet, name="no feet").id).metadata == {}


def replace_skeleton(clip: Clip) -> Clip:
    names = tuple(f"j{n}" for n in range(len(clip.skeleton)))
    return replace(clip, skeleton=replace(clip.skeleton, names=names, roles={}))


@pytest.mark.parametrize("jobs", [1, 2])
def test_imported_clips_can_be_found_by_type(tmp_path: Path, jobs: int) -> None:
    folder = tmp_path / "motion"
    folder.mkdir()
    for name in ("walk_few_steps", "run", "stand"):
        save(make_sample(name, 30.0).clip, folder / f"{name}.bvh")
    made = Library.create(tmp_path / "imported")
    made.import_folder([folder], ImportOptions(jobs=jobs, metadata={"subject": 7}))
    assert {kind: [entry.name for entry in made.entries(f"type:{kind}")] for kind in ("walk", "run", "stand")} == {
        "walk": ["walk_few_steps"],
        "run": ["run"],
        "stand": ["stand"],
    }
    assert [entry.name for entry in made.entries("run>=0.75 subject=7")] == ["run"]
    assert made.derived_results("run") == []
    types = {entry.name: entry.metadata["type"] for entry in made}
    assert classify_library(made) == types
    other = Library.create(tmp_path / "plain")
    other.import_folder([folder], ImportOptions(jobs=jobs, types=False))
    assert [entry.metadata for entry in other] == [{}, {}, {}]
    said = Library.create(tmp_path / "said")
    said.import_folder([folder], ImportOptions(jobs=jobs, metadata={"type": "mine"}))
    assert {entry.metadata["type"] for entry in said} == {"mine"}
    assert "type_by" not in said.entry("run").metadata


def test_a_type_given_by_hand_stays(library: Library) -> None:
    library.set_metadata("run", {"type": "chase"})
    classify_library(library)
    classify_library(library)
    assert library.entry("run").metadata["type"] == "chase"
    assert library.entry("jump_up").metadata["type"] == "jump"
