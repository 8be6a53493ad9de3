"""Foot plants chosen by files and by the name of a detector."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reenact.analysis.plant_choice import PlantChoice
from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError, ParameterError
from reenact.formats.plants_text import write_plants
from reenact.samples import make_sample

CLIPS = [make_sample(name, 30.0).clip for name in ("walk_normal", "run")]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Plants of both clips that no detector finds: the left foot planted throughout."""
    made = []
    for clip in CLIPS:
        file = tmp_path / f"{clip.name}.txt"
        file.write_text(f"reenact plants 1\nfps 30\nframes {len(clip)}\nleft foot 0 {len(clip)}\n")
        made.append(str(file))
    return made


def test_wrong_choices_say_what_is_wrong(files: list[str], tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no detector 'x'; there are adaptive"):
        PlantChoice(detector="x")
    with pytest.raises(ParameterError, match="two files of foot plants for 'run'"):
        PlantChoice((f"run={files[0]}", f"run={files[1]}"))
    with pytest.raises(ParameterError, match="1 file of foot plants for 2 clips: give one for each"):
        PlantChoice((files[0],)).of(CLIPS)
    with pytest.raises(ParameterError, match="3 files of foot plants for 2 clips"):
        PlantChoice((*files, files[0])).of(CLIPS)
    with pytest.raises(ParameterError, match="foot plants for 'hop', but the clips are 'walk_normal', 'run'"):
        PlantChoice((f"hop={files[0]}",)).of(CLIPS)
    with pytest.raises(ParameterError, match=r"the plants have \d+ frames, the clip \d+"):
        PlantChoice(tuple(reversed(files))).of(CLIPS)
    with pytest.raises(FileNotFoundError):
        PlantChoice((str(tmp_path / "none.txt"),)).of(CLIPS[:1])
    nonsense = tmp_path / "nonsense.txt"
    nonsense.write_text("nonsense")
    with pytest.raises(FormatError, match="not a file of foot plants"):
        PlantChoice((str(nonsense),)).of(CLIPS[:1])
    with pytest.raises(ParameterError, match="say whose foot plants"):
        PlantChoice((files[0],)).named_files()


def test_no_choice_leaves_it_to_the_method() -> None:
    assert not PlantChoice().made
    assert PlantChoice().of(CLIPS) is None
    assert PlantChoice().of_one(CLIPS[0]) is None


def test_files_in_order_and_by_name(files: list[str]) -> None:
    both = PlantChoice(tuple(files)).of(CLIPS)
    assert both is not None
    assert all(plants is not None and plants.left.plant.all() and plants.source == "file" for plants in both)
    (first, second) = PlantChoice((f"run={files[1]}",)).of(CLIPS) or ()
    assert first is None  # the method finds those
    assert second is not None
    assert second.left.plant.all()
    (first, second) = PlantChoice((f"run={files[1]}",), "static").of(CLIPS) or ()
    assert first is not None
    assert first.source == "static"


def test_a_path_with_an_equals_sign_is_a_path(files: list[str], tmp_path: Path) -> None:
    odd = tmp_path / "a=b.txt"
    odd.write_bytes(Path(files[0]).read_bytes())
    (plants,) = PlantChoice((str(odd),)).of(CLIPS[:1]) or ()
    assert plants is not None
    assert plants.left.plant.all()


def test_corrections_are_applied_to_the_chosen_detector(tmp_path: Path) -> None:
    file = tmp_path / "edits.txt"
    file.write_text("reenact plants 1 edits\nfree right foot 0 10\n")
    for detector in ("static", "threshold"):
        (made,) = PlantChoice((str(file),), detector).of(CLIPS[:1]) or ()
        want = detect_plants(CLIPS[0], detector)
        assert made is not None
        np.testing.assert_array_equal(made.left.plant, want.left.plant)
        np.testing.assert_array_equal(made.right.plant[10:], want.right.plant[10:])
        assert not made.right.plant[:10].any()


def test_a_skeleton_without_feet_has_none(tmp_path: Path) -> None:
    stick = Clip(
        Skeleton(("a",), np.array([-1]), np.zeros((1, 3))), np.tile([1.0, 0, 0, 0], (3, 1, 1)), np.zeros((3, 3)), 30.0
    )
    assert PlantChoice(detector="static").of([stick]) == [None]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    found, file = detect_plants(CLIPS[0], "seed-grow"), tmp_path / "plants.txt"
    write_plants(found, file)
    (again,) = PlantChoice((str(file),)).of([replace(CLIPS[0])]) or ()
    assert again is not None
    np.testing.assert_array_equal(again.left.heel, found.left.heel)
    np.testing.assert_array_equal(again.right.ball, found.right.ball)
