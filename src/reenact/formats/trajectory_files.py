"""Root trajectories as files: a table (.csv) that people and other programs read, or a NumPy archive (.npz) with the same columns.

    frame,time,x,z,heading,speed
    0,0.000000000,0.012000,1.400000,90.000000,1.310000

Metres, seconds and metres per second. `heading` is in degrees in the table, which people read, and in radians in the archive.
The archive has the arrays `reenact_trajectory` (version), `fps`, `x`, `z`, `heading`, and `frame`, `time`, `speed` beside.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from reenact.core.root_motion import RootTrajectory
from reenact.errors import FormatError, ParameterError
from reenact.formats.atomic import atomic_write
from reenact.formats.npz import read_arrays

VERSION = 1
COLUMNS = ("frame", "time", "x", "z", "heading", "speed")
MOST_BYTES = 256 * 2**20
"""A larger table is refused before it is read."""

_REQUIRED = ("reenact_trajectory", "fps", "x", "z", "heading")
_EVEN = 0.01  # of a frame: how far times may be from an even rate
_ONE_FRAME_RATE = 30.0  # of a table of one row, which tells none


def is_trajectory(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a trajectory by its ending, and not a clip: every .csv, and every .npz that is marked as one."""
    path = Path(path)
    if path.suffix.lower() == ".csv":
        return True
    if path.suffix.lower() != ".npz":
        return False
    try:
        read_arrays(path, _REQUIRED[:1], (), "trajectory")
    except FormatError:
        return False
    return True


def write_trajectory(trajectory: RootTrajectory, path: str | os.PathLike[str]) -> None:
    """Write a trajectory; the ending says the format. The file appears whole or not at all.

    Raises:
        FormatError: neither .csv nor .npz.
    """
    path, columns = Path(path), trajectory.columns()
    require_ending(path)
    with atomic_write(path) as stream:
        if path.suffix.lower() == ".npz":
            marks = {"reenact_trajectory": np.array(VERSION, np.int32), "fps": np.array(trajectory.fps)}
            np.savez(stream, **marks, **columns)
            return
        columns["heading"] = np.degrees(columns["heading"])
        stream.write((",".join(COLUMNS) + "\n").encode())
        for row in zip(*(columns[name].tolist() for name in COLUMNS), strict=True):
            stream.write((",".join([str(row[0]), f"{row[1]:.9f}", *(f"{one:.7f}" for one in row[2:])]) + "\n").encode())


def read_trajectory(path: str | os.PathLike[str]) -> RootTrajectory:
    """A trajectory that was written by `write_trajectory`, or by anybody with the columns time, x, z and heading.

    Raises:
        FormatError: not such a file.
    """
    path = Path(path)
    require_ending(path)
    if path.suffix.lower() == ".csv":
        return _read_table(path)
    arrays = read_arrays(path, _REQUIRED, (), "trajectory")
    version, fps = arrays["reenact_trajectory"], arrays["fps"]
    if version.shape != () or version.dtype.kind not in "iu" or int(version) != VERSION:
        raise FormatError(f"reenact_trajectory: only version {VERSION} can be read", path=path)
    x, z, heading = (arrays[name] for name in ("x", "z", "heading"))
    if fps.shape != () or any(one.dtype.kind not in "fiu" for one in (fps, x, z, heading)):
        raise FormatError("a trajectory is made of numbers", path=path)
    if x.ndim != 1 or not x.shape == z.shape == heading.shape:
        raise FormatError(f"x, z and heading differ in length: {x.shape}, {z.shape}, {heading.shape}", path=path)
    return _made(np.column_stack([x, z]), heading.astype(np.float64), float(fps), path)


def require_ending(path: Path) -> None:
    """Raise a `FormatError` unless a trajectory can be written to a file of this name."""
    if path.suffix.lower() not in (".csv", ".npz"):
        raise FormatError(f"trajectories are .csv or .npz, not {path.suffix or 'a file without an ending'}", path=path)


def _read_table(path: Path) -> RootTrajectory:
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise FormatError(f"a table of {size} bytes is larger than the {MOST_BYTES} that are read", path=path)
    lines = path.read_bytes().decode("utf-8", "replace").lstrip("\ufeff").splitlines()
    names = [name.strip() for name in lines[0].split(",")] if lines else []
    missing = [name for name in ("time", "x", "z", "heading") if name not in names]
    if missing:
        raise FormatError(
            f"a trajectory needs the column {missing[0]!r}; found {','.join(names)[:60]!r}", path=path, line=1
        )
    wanted = [names.index(name) for name in ("time", "x", "z", "heading")]
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        words = line.split(",")
        try:
            rows.append([float(words[at]) for at in wanted])
        except (IndexError, ValueError):
            raise FormatError(f"expected {len(names)} numbers, found {line[:60]!r}", path=path, line=number) from None
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return _made(table[:, 1:3], np.radians(table[:, 3]), _rate(table[:, 0], path), path)


def _rate(times: np.ndarray, path: Path) -> float:
    """Frames per second of times that go on evenly."""
    if len(times) < 2:
        return _ONE_FRAME_RATE
    step = float(times[-1] - times[0]) / (len(times) - 1)
    even = np.abs(times - times[0] - step * np.arange(len(times))).max() if step > 0 else np.inf
    if not even < _EVEN * step:
        raise FormatError("the times do not go on evenly", path=path)
    rate = 1.0 / step
    return round(rate) if abs(rate - round(rate)) < 1e-5 * rate else rate


def _made(places: np.ndarray, headings: np.ndarray, fps: float, path: Path) -> RootTrajectory:
    try:
        return RootTrajectory(places, headings, fps)
    except ParameterError as error:
        raise FormatError(error.message, path=path) from None
