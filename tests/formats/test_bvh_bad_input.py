"""BVH: damaged and hostile files give one clear error, quickly and in bounded memory."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.errors import FormatError
from reenact.formats import bvh
from reenact.formats.loaded import ReadOptions

HEADER = """HIERARCHY
ROOT Hips
{
	OFFSET 0 0 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
	JOINT Knee
	{
		OFFSET 0 -40 0
		CHANNELS 3 Zrotation Yrotation Xrotation
		End Site
		{
			OFFSET 0 -38 5
		}
	}
}
"""
MOTION = "MOTION\nFrames: 2\nFrame Time: 0.008333\n1 90 2 10 20 30 40 50 60\n2 91 3 11 21 31 41 51 61\n"


def attempt(folder: Path, data: str | bytes, tolerance: str = "normal"):
    path = folder / "bad.bvh"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return bvh.read(path, ReadOptions(tolerance=tolerance))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        ("", 1, "HIERARCHY"),
        ("garbage", 1, "expected HIERARCHY, found 'garbage'"),
        (bytes(range(256)) * 4, 1, "expected HIERARCHY"),
        (HEADER, 15, "expected MOTION"),
        (HEADER[:120], 6, "expected"),
        (HEADER + "MOTION\n", 17, "Frames"),
        (HEADER + "MOTION\nFrames: many\n", 17, "'many'"),
        (HEADER + "MOTION\nFrames: -3\n", 17, "'-3'"),
        (HEADER + "MOTION\nFrames: 2\n", 18, "Frame Time"),
        (HEADER + "MOTION\nFrames: 2\nFrame Time: 0\n", 18, "positive frame time"),
        (HEADER + "MOTION\nFrames: 2\nFrame Time: nan\n", 18, "'nan'"),
        (HEADER + "MOTION\nFrames: 0\nFrame Time: 0.1\n", 19, "no frames"),
        (HEADER + MOTION.replace(" 60", ""), 19, "expected 9 numbers, found 8"),
        (HEADER + MOTION.replace(" 61", " 61 62"), 20, "expected 9 numbers, found 10"),
        (HEADER + MOTION[:-20], 20, "expected 9 numbers, found"),
        (HEADER + MOTION.replace("21", "nan"), 20, "expected a number, found 'nan'"),
        (HEADER + MOTION.replace("21", "inf"), 20, "'inf'"),
        (HEADER + MOTION.replace("21", "\x0b"), 20, "expected a number"),
        (HEADER + MOTION.replace("21", "1e400"), 20, "'1e400'"),
        (HEADER.replace("-40", "1e999") + MOTION, 8, "finite number"),
        (HEADER.replace("-40", "1e30") + MOTION, 8, "finite number below 1e+09"),
        (HEADER + MOTION.replace("91", "1e39"), 20, "frame 1 has a position of inf, expected less than 1e+09"),
        (HEADER + MOTION.replace("90", "-2e9"), 19, "frame 0 has a position of 2e+09"),
        (HEADER.replace("-40", "abc") + MOTION, 8, "'abc'"),
        (HEADER.replace("CHANNELS 3", "CHANNELS x") + MOTION, 9, "channel count"),
        (HEADER.replace("CHANNELS 3 Zrotation", "CHANNELS 3 Wrotation") + MOTION, 9, "unknown channel 'Wrotation'"),
        (HEADER.replace("\t\tOFFSET 0 -40 0\n", "") + MOTION, 13, "no OFFSET"),
        (HEADER.replace("JOINT Knee", "ROOT Knee") + MOTION, 6, "ROOT is out of place"),
        (HEADER + "ROOT Other\n{\nOFFSET 0 0 0\n}\n" + MOTION, 16, "second ROOT"),
        (HEADER.replace("JOINT", "BONE") + MOTION, 6, "'BONE'"),
        (HEADER + "}\n" + MOTION, 16, "'}'"),
    ],
)
def test_errors_name_the_line_and_what_was_expected(tmp_path: Path, data: str | bytes, line: int, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        attempt(tmp_path, data)
    assert words in str(caught.value)
    assert f"bad.bvh:{line}:" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("angle", ["1e39", "-3.5e38", "1e300", "1e20"])
@pytest.mark.parametrize(
    "header", [HEADER, HEADER.replace("CHANNELS 3 Zrotation Yrotation", "CHANNELS 3 Zrotation Zrotation")]
)
def test_angles_that_are_no_rotation_any_more_are_damage(tmp_path: Path, header: str, angle: str) -> None:
    data = header + MOTION.replace("41", angle)
    for tolerance in ("normal", "strict"):
        with pytest.raises(FormatError, match=r"bad\.bvh:20: frame 1 has an angle too large to be one"):
            attempt(tmp_path, data, tolerance)
    loaded = attempt(tmp_path, data, "recover")
    assert len(loaded.clips[0]) == 1
    assert np.isfinite(loaded.clips[0].rotations).all()
    assert [finding.code for finding in loaded.findings if finding.severity == "error"] == ["bvh.damaged-row"]
    with pytest.raises(FormatError, match="too large to be one"):
        attempt(tmp_path, data.replace(" 40 ", f" {angle} "), "recover")  # nothing is left


def test_huge_header_takes_no_memory(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(
            FormatError, match=r"bad.bvh:17: the header announces 1000000000000 frames, the file holds 2"
        ):
            attempt(tmp_path, HEADER + MOTION.replace("Frames: 2", "Frames: 1000000000000"))
        found = bvh.read(tmp_path / "bad.bvh", ReadOptions(tolerance="recover"))
        assert len(found.clips[0]) == 2
        assert [finding.code for finding in found.findings] == ["bvh.frame-count"]
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_very_deep_hierarchies_are_refused(tmp_path: Path) -> None:
    deep = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
    deep += "".join(f"JOINT j{n}\n{{\nOFFSET 0 1 0\n" for n in range(100_000)) + "}" * 100_001
    with pytest.raises(FormatError, match="more than 10000 joints"):
        attempt(tmp_path, deep + MOTION)


def test_deep_but_possible_hierarchies_are_read(tmp_path: Path) -> None:
    deep = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
    deep += "".join(f"JOINT j{n}\n{{\nOFFSET 0 1 0\n" for n in range(3000)) + "}" * 3001
    clip = attempt(tmp_path, deep + "\nMOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3\n").clips[0]
    assert len(clip.skeleton) == 3001
    assert np.isfinite(clip.world().positions).all()


def test_folder_and_missing_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="directory"):
        bvh.read(tmp_path, ReadOptions())
    with pytest.raises(FileNotFoundError):
        bvh.read(tmp_path / "none.bvh", ReadOptions())


def test_no_permission(tmp_path: Path, ordinary_user) -> None:
    path = tmp_path / "locked.bvh"
    path.write_text(HEADER + MOTION)
    path.chmod(0)
    with ordinary_user(), pytest.raises(PermissionError):
        bvh.read(path, ReadOptions())


WORDS = [
    "{",
    "}",
    "ROOT",
    "JOINT",
    "End Site",
    "OFFSET",
    "CHANNELS",
    "MOTION",
    "Frames:",
    "Frame Time:",
    "1e309",
    "-",
    "nan",
    "\x00",
    "\xff",
    "9" * 400,
]


@given(st.integers(0, 2**32 - 1), st.sampled_from(["strict", "normal", "recover"]))
def test_mutated_files_raise_format_errors_only(
    tmp_path_factory: pytest.TempPathFactory, seed: int, tolerance: str
) -> None:
    rng = random.Random(seed)
    data = bytearray((HEADER + MOTION).encode())
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(5):
            case 0:
                data[at : at + rng.randint(1, 30)] = b""
            case 1:
                data[at:at] = rng.choice(WORDS).encode("latin-1")
            case 2:
                data[at : at + 1] = bytes([rng.randrange(256)])
            case 3:
                data = data[:at] or data
            case _:
                data[at:at] = data[rng.randrange(len(data)) :][: rng.randint(1, 80)]
    try:
        loaded = attempt(tmp_path_factory.getbasetemp(), bytes(data), tolerance)
    except FormatError:
        return
    assert np.isfinite(loaded.clips[0].rotations).all()


@given(st.binary(max_size=300))
def test_any_bytes_raise_format_errors_only(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    for head in (b"", b"HIERARCHY\n", HEADER.encode(), HEADER.encode() + b"MOTION\nFrames: 1\nFrame Time: 0.1\n"):
        try:
            attempt(tmp_path_factory.getbasetemp(), head + data)
        except FormatError:
            continue
