"""The text file of foot plants: wrong files, round trips, corrections."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reenact.core.foot_plants import Floor, FootContact, FootPlants
from reenact.errors import FormatError
from reenact.formats.plants_text import edit_plants, read_plants, write_plants

HEAD = "reenact plants 1\nfps 60\nframes 20\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must begin"),
        ("something else\n", "must begin"),
        ("reenact plants 1\nfps 60\n", "frames"),
        ("reenact plants 1\nframes 20\n", "fps"),
        ("reenact plants 1\nfps 0\nframes 20\n", "fps"),
        (HEAD + "left heel 3\n", ":4: expected"),
        (HEAD + "left knee 3 5\n", ":4: expected"),
        (HEAD + "up heel 3 5\n", ":4: expected"),
        (HEAD + "left heel 5 3\n", "no range"),
        (HEAD + "left heel 3 21\n", ":4: frames 3 to 21"),
        (HEAD + "left heel 3 x\n", "number"),
        (HEAD + "left heel 3.5 4\n", "whole"),
        (HEAD + "floor 0 0 0 0\n", "no length"),
        (HEAD + "floor 0 0\n", "number"),
        ("reenact plants 1\nfps 60\nframes 1e300\n", "frames"),
        ("reenact plants 1\nfps nan\nframes 3\n", "finite"),
        ("reenact plants 1 edits\nleft foot 1 3\n", "corrections"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "plants.txt"
    file.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_plants(file)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_format_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.mktemp("plants") / "plants.txt"
    for start in (b"", HEAD.encode()):
        file.write_bytes(start + data)
        with suppress(FormatError):
            read_plants(file)


MASK = arrays(np.bool_, 20)


@given(MASK, MASK, MASK, MASK, st.floats(-2, 2), st.sampled_from([24.0, 59.94, 120.0]))
def test_round_trip(tmp_path_factory, a, b, c, d, height, fps) -> None:
    plants = FootPlants(FootContact(a, b), FootContact(c, d), fps, Floor(height, np.array([0.0, 0.6, 0.8])), "adaptive")
    file = tmp_path_factory.mktemp("plants") / "plants.txt"
    write_plants(plants, file)
    back = read_plants(file)
    assert back.fps == fps
    assert back.floor.height == pytest.approx(height, abs=1e-8)
    for side in ("left", "right"):
        np.testing.assert_array_equal(back.foot(side).heel, plants.foot(side).heel)
        np.testing.assert_array_equal(back.foot(side).ball, plants.foot(side).ball)


def test_corrections_are_applied_in_order(tmp_path: Path) -> None:
    none = np.zeros(20, bool)
    unsure = np.full(20, 0.3, np.float32)
    plants = FootPlants(FootContact(~none, ~none, unsure), FootContact(none, none), 60.0, source="adaptive")
    file = tmp_path / "edits.txt"
    file.write_text("reenact plants 1 edits  # by hand\nfree left ball 4 10\nleft ball 6 7\nright foot 0 2\n")
    edited = edit_plants(plants, file)
    assert np.flatnonzero(~edited.left.ball).tolist() == [4, 5, 7, 8, 9]
    assert edited.left.heel.all()
    assert np.flatnonzero(edited.right.plant).tolist() == [0, 1]
    assert edited.left.confidence[[3, 5, 12]].tolist() == pytest.approx([0.3, 1.0, 0.3])
    assert edited.source == "adaptive, edited"


def test_a_whole_file_takes_their_place(tmp_path: Path) -> None:
    none = np.zeros(20, bool)
    plants = FootPlants(FootContact(~none, ~none), FootContact(~none, ~none), 60.0, source="adaptive")
    file = tmp_path / "plants.txt"
    file.write_text(HEAD + "left heel 2 5\n")
    assert edit_plants(plants, file).left.intervals() == [(2, 5)]
    with pytest.raises(FormatError, match="20 frames, the clip has 7"):
        edit_plants(plants.cut(0, 7), file)
