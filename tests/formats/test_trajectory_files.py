"""Trajectories as files: what is wrong is told with its line; what was written comes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reenact.core.root_motion import RootTrajectory
from reenact.errors import FormatError
from reenact.formats.trajectory_files import is_trajectory, read_trajectory, write_trajectory

WAY = RootTrajectory(
    np.column_stack([np.linspace(0, 3, 50) ** 1.5, np.sin(np.arange(50) / 9)]), np.arange(50) / 11 - 2, 120
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "needs the column 'time'"),
        ("frame,time,x,z\n0,0,1,2\n", "needs the column 'heading'"),
        ("time,x,z,heading\n0,1,2\n", "expected 4 numbers"),
        ("time,x,z,heading\n0,1,2,three\n", "three"),
        ("time,x,z,heading\n0,1,2,nan\n", "no numbers"),
        ("time,x,z,heading\n0,1,2,3\n0.1,1,2,3\n0.5,1,2,3\n", "evenly"),
        ("time,x,z,heading\n0,1,2,3\n0,1,2,3\n", "evenly"),
    ],
)
def test_tables_that_are_wrong(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "way.csv"
    file.write_text(text)
    with pytest.raises(FormatError, match=said):
        read_trajectory(file)


def test_other_endings(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="csv or"):
        write_trajectory(WAY, tmp_path / "way.txt")
    with pytest.raises(FormatError, match="csv or"):
        read_trajectory(tmp_path / "way.txt")


def test_archives_that_are_wrong(tmp_path: Path) -> None:
    file = tmp_path / "way.npz"
    file.write_bytes(b"not an archive")
    with pytest.raises(FormatError, match="NumPy archive"):
        read_trajectory(file)
    assert not is_trajectory(file)
    np.savez(file, x=np.zeros(3))
    assert not is_trajectory(file)
    with pytest.raises(FormatError, match="not a trajectory"):
        read_trajectory(file)
    good = {"reenact_trajectory": 1, "fps": 30.0, "x": np.zeros(3), "z": np.zeros(3), "heading": np.zeros(3)}
    for changed, said in (
        ({"reenact_trajectory": 2}, "version"),
        ({"x": np.zeros(4)}, "length"),
        ({"x": np.zeros((3, 1))}, "length"),
        ({"heading": np.array(["a", "b", "c"])}, "numbers"),
        ({"fps": -1.0}, "fps"),
    ):
        np.savez(file, **(good | changed))
        with pytest.raises(FormatError, match=said):
            read_trajectory(file)


@pytest.mark.parametrize("ending", ["csv", "npz"])
@pytest.mark.parametrize("frames", [1, 2, 50])
def test_there_and_back(tmp_path: Path, ending: str, frames: int) -> None:
    way = RootTrajectory(WAY.places[:frames], WAY.headings[:frames], WAY.fps)
    write_trajectory(way, tmp_path / f"way.{ending}")
    assert is_trajectory(tmp_path / f"way.{ending}")
    back = read_trajectory(tmp_path / f"way.{ending}")
    assert np.abs(back.places - way.places).max() < 1e-6
    assert np.abs(back.headings - way.headings).max() < 1e-7
    assert frames == 1 or back.fps == pytest.approx(way.fps, rel=1e-6)


def test_columns(tmp_path: Path) -> None:
    write_trajectory(WAY, tmp_path / "way.csv")
    first, *rows = (tmp_path / "way.csv").read_text().splitlines()
    assert first == "frame,time,x,z,heading,speed"
    assert len(rows) == 50
    assert [float(word) for word in rows[7].split(",")] == pytest.approx(
        [7, 7 / 120, *WAY.places[7], np.degrees(WAY.headings[7]), WAY.speeds[7]], abs=1e-6
    )
