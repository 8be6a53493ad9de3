"""`reenact root`: what must be refused, and what comes out in files of other formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.analysis.quality import check_clip
from reenact.core.clip import Clip
from reenact.core.foot_plants import CARRIED, IN_PLACE
from reenact.core.origin import Credit
from reenact.errors import FormatError, ParameterError, SkeletonError
from reenact.library import Library
from reenact.library.kept_plants import given_plants
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def walk() -> Clip:
    clip = make_sample("walk_normal", 60.0).clip
    return clip.with_origin(replace(clip.origin, credits=(Credit("somewhere", "a licence"),)))


def places(clip: Clip) -> np.ndarray:
    return clip.world(np.float64).positions


def test_what_is_refused(walk: Clip, tmp_path: Path) -> None:
    for wrong in ({}, {"in_place": True, "extract": True}, {"in_place": True, "apply": "way.csv"}):
        with pytest.raises(ParameterError, match="one of"):
            reenact.root(walk, **wrong)
    with pytest.raises(FileNotFoundError):
        reenact.root(walk, apply=tmp_path / "none.csv")
    with pytest.raises(FileNotFoundError):
        reenact.root(walk, apply=tmp_path / "none.bvh")
    with pytest.raises(FormatError, match="csv"):
        reenact.root(walk, in_place=True, trajectory=tmp_path / "way.txt")
    with pytest.raises(SkeletonError, match="hips"):
        reenact.root(walk.with_skeleton(walk.skeleton.with_roles({})), in_place=True)
    reenact.root(walk, in_place=True, trajectory=tmp_path / "way.csv")
    short = replace(walk, rotations=walk.rotations[:50], root=walk.root[:50])
    with pytest.raises(ParameterError, match="cut or resample"):
        reenact.root(short, apply=tmp_path / "way.csv")


@pytest.mark.parametrize("ending", ["csv", "npz"])
@pytest.mark.parametrize("turn", ["keep", "remove"])
@pytest.mark.parametrize("sway", ["keep", "remove"])
def test_in_place_then_apply(walk: Clip, tmp_path: Path, ending: str, turn: str, sway: str) -> None:
    way = tmp_path / f"way.{ending}"
    still = reenact.root(walk, in_place=True, turn=turn, sway=sway, trajectory=way)
    assert still.report["way"]["distance_m"] > 2
    assert len(still.report["trajectory"]["x"]) == len(walk)
    back = reenact.root(still, apply=way)
    assert np.abs(places(back.clip) - places(walk)).max() < 1e-4
    assert [str(credit) for credit in back.clip.origin.credits] == ["somewhere; a licence"]


def test_plants_are_timing_in_place_and_stand_again(walk: Clip, tmp_path: Path) -> None:
    still = reenact.root(walk, in_place=True, trajectory=tmp_path / "way.csv")
    assert still.plants is not None
    assert still.plants.source == IN_PLACE
    assert still.plants.left.plant.mean() > 0.3
    assert check_clip(still.clip).measures["skate_mm_max"] is None
    cleaned = reenact.clean(still)
    assert np.abs(places(cleaned.clip) - places(still.clip)).max() < 1e-5  # nothing is held
    assert reenact.classify(still.clip).type == "walk"
    back = reenact.root(still, apply=tmp_path / "way.csv")
    assert back.plants is not None
    assert back.plants.source == CARRIED
    skate = check_clip(back.clip).measures["skate_mm_max"]
    assert skate is not None
    assert skate < 20


def test_a_loop_in_place_says_so(walk: Clip) -> None:
    made = reenact.loop(walk, in_place=True)
    assert made.plants is not None
    assert made.plants.source == IN_PLACE
    assert check_clip(made.clip).measures["skate_mm_max"] is None


@pytest.mark.parametrize("ending", ["bvh", "glb", "npz"])
def test_files(walk: Clip, tmp_path: Path, ending: str) -> None:
    still, rooted = reenact.root(walk, in_place=True), reenact.root(walk, extract=True)
    for made in (still, rooted):
        reenact.save(made, tmp_path / f"made.{ending}")
        back = reenact.load(tmp_path / f"made.{ending}")
        names = list(made.clip.skeleton.names)
        order = [back.skeleton.names.index(name) for name in names]
        assert np.abs(places(back)[:, order] - places(made.clip)).max() < 2e-4
        assert (back.plants is None) == (made.plants is None)
        assert back.plants is None or back.plants.source == IN_PLACE
        assert back.origin.credits == made.clip.origin.credits


def test_a_library_keeps_that_they_are_in_place(walk: Clip, tmp_path: Path) -> None:
    still = reenact.root(walk, in_place=True)
    with Library.create(tmp_path / "lib") as library:
        library.add(still.clip.renamed("still"))
        plants = given_plants(library, "still")
        assert plants is not None
        assert plants.source == IN_PLACE


def test_the_way_of_another_clip(walk: Clip, tmp_path: Path) -> None:
    other = make_sample("walk_circle_tight_left", 60.0).clip
    count = min(len(walk), len(other))
    walk, other = (replace(one, rotations=one.rotations[:count], root=one.root[:count]) for one in (walk, other))
    reenact.save(other, tmp_path / "circle.npz")
    still = reenact.root(walk, in_place=True, turn="remove")
    made = reenact.root(still, apply=tmp_path / "circle.npz")
    hips = [places(one)[:, one.skeleton.roles["hips"]][:, [0, 2]] for one in (made.clip, other)]
    assert np.abs(hips[0] - hips[1]).max() < 0.2  # the sway of either stays
    assert made.report["way"]["turned_degrees"] == pytest.approx(
        reenact.root(other, extract=True).report["way"]["turned_degrees"], abs=0.5
    )
