"""Loading and saving: what is found out, what can be overridden, and what comes back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact import LoadOptions, WriteOptions
from reenact.core.clip import Clip
from reenact.errors import FormatError, ParameterError


def codes(clip: Clip) -> set[str]:
    return {finding.code for finding in clip.origin.findings}


@pytest.fixture(scope="module")
def walk(corpus: Path) -> Path:
    return corpus / "cmu-bvh" / "02_01.bvh"


def test_everything_found_out_is_said(walk: Path) -> None:
    clip = reenact.load(walk)
    assert {"up-axis.detected", "units.detected", "added-pose.dropped", "roles.found"} <= codes(clip)
    assert clip.origin.unit == pytest.approx(0.0254 / 0.45)
    assert clip.origin.up == "y"
    assert 0.8 < clip.root[0, 1] < 1.1
    assert clip.skeleton.names[clip.skeleton.joint("left_upper_leg")] == "LeftUpLeg"
    assert clip.pristine


def test_everything_found_out_can_be_overridden(walk: Path) -> None:
    plain = reenact.load(walk)
    kept = reenact.load(walk, LoadOptions(added_pose="keep"))
    assert len(kept) == len(plain) + 1
    assert "added-pose.kept" in codes(kept)
    assert len(reenact.load(walk, LoadOptions(added_pose="drop"))) == len(plain)
    inches = reenact.load(walk, LoadOptions(unit="inch"))
    np.testing.assert_allclose(inches.root, plain.root * 0.45, rtol=1e-5)
    assert not next(finding for finding in inches.origin.findings if finding.code.startswith("units")).fixed
    np.testing.assert_allclose(reenact.load(walk, LoadOptions(unit=0.0254)).root, inches.root)
    lying = reenact.load(walk, LoadOptions(up="z"))
    np.testing.assert_allclose(lying.root, plain.root[:, [0, 2, 1]] * [1, 1, -1], atol=1e-5)
    assert reenact.load(walk, LoadOptions(fps=60)).fps == 60


@pytest.mark.parametrize("name", ["141_25", "143_01", "75_01"])
def test_doubled_rates_are_kept_and_reported_or_put_right(corpus: Path, name: str) -> None:
    path = corpus / "cmu-bvh" / f"{name}.bvh"
    clip = reenact.load(path)
    assert clip.fps == 120
    (finding,) = [finding for finding in clip.origin.findings if finding.code == "frame-rate.suspect"]
    assert "--fps 60" in finding.message
    right = reenact.load(path, LoadOptions(fps="auto"))
    assert right.fps == 60
    assert "frame-rate.changed" in codes(right)


def test_unedited_clips_get_their_added_pose_back(walk: Path, tmp_path: Path) -> None:
    clip = reenact.load(walk)
    reenact.save(clip, tmp_path / "same.bvh")
    whole, again = (reenact.load(path, LoadOptions(added_pose="keep")) for path in (walk, tmp_path / "same.bvh"))
    np.testing.assert_allclose(again.world().positions, whole.world().positions, atol=1e-4)
    reenact.save(replace(clip, fps=60.0), tmp_path / "edited.bvh")
    assert len(reenact.load(tmp_path / "edited.bvh", LoadOptions(added_pose="keep"))) == len(clip)


@pytest.mark.corpus
def test_every_bvh_file_survives_a_round_trip(corpus: Path, tmp_path: Path) -> None:
    files = sorted(corpus.rglob("*.bvh"))
    assert len(files) >= 348
    for file in files:
        clip = reenact.load(file)
        reenact.save(clip, tmp_path / "again.bvh")
        same = LoadOptions(
            unit=clip.origin.unit,
            up=clip.origin.up,
            added_pose="keep" if clip.origin.added_pose is None else "drop",
            position_channels="add" if clip.origin.adds_offset else "replace",
        )
        again = reenact.load(tmp_path / "again.bvh", same)
        error = np.abs(again.world().positions - clip.world().positions).max()
        assert error < 1e-4, f"{file.name}: {error} m"
        assert again.skeleton.names == clip.skeleton.names, file.name
        assert again.origin.channels == clip.origin.channels, file.name
        assert again.origin.frame_time == clip.origin.frame_time, file.name
        assert again.origin.end_names == clip.origin.end_names, file.name
        np.testing.assert_array_equal(again.skeleton.end_joints, clip.skeleton.end_joints)
        np.testing.assert_allclose(again.skeleton.end_offsets, clip.skeleton.end_offsets, atol=1e-6)


@pytest.mark.parametrize("ending", [".bvh", ".npz", ".glb", ".gltf", ".amc"])
def test_every_format_holds_the_motion(walk: Path, tmp_path: Path, ending: str) -> None:
    clip = replace(reenact.load(walk), name="walk")
    path = tmp_path / f"out{ending}"
    reenact.save(clip, path)
    back = reenact.load(path)
    assert len(back) == len(clip)
    assert back.fps == pytest.approx(clip.fps)
    for role in ("hips", "left_foot", "right_hand", "head"):
        got = back.world().positions[:, back.skeleton.joint(role)]
        want = clip.world().positions[:, clip.skeleton.joint(role)]
        np.testing.assert_allclose(got, want, atol=1e-4, err_msg=f"{ending} {role}")


def test_format_is_found_by_content_before_ending(walk: Path, tmp_path: Path) -> None:
    disguised = tmp_path / "walk.amc"
    disguised.write_bytes(walk.read_bytes())
    assert reenact.load_all(disguised).format == "bvh"
    nameless = tmp_path / "walk"
    nameless.write_bytes(walk.read_bytes())
    assert reenact.load_all(nameless).format == "bvh"


def test_files_with_several_clips_list_them(corpus: Path) -> None:
    fox = corpus / "characters" / "khronos" / "Fox.glb"
    with pytest.raises(
        FormatError, match=r"holds 3 clips; choose one by name or number: 0 'Survey', 1 'Walk', 2 'Run'"
    ):
        reenact.load(fox)
    assert reenact.load(fox, LoadOptions(clip="Walk")).name == "Walk"
    assert reenact.load(fox, LoadOptions(clip="2")).name == "Run"
    with pytest.raises(FormatError, match="no clip 'Fly'"):
        reenact.load(fox, LoadOptions(clip="Fly"))
    assert len(reenact.load_all(fox).clips) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"unit": "furlong"}, "unit must be auto, a number of metres or one of m, dm, cm"),
        ({"unit": -1.0}, "unit must be 1e-09 to 1e\\+06 metres"),
        ({"unit": 0.0}, "unit must be 1e-09 to 1e\\+06 metres"),
        ({"fps": 0.0}, "fps must be above 0"),
    ],
)
def test_bad_options(given: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        LoadOptions(**given)


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder"):
        reenact.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        reenact.load(tmp_path / "none.bvh")
    (tmp_path / "empty.bvh").touch()
    with pytest.raises(FormatError, match=r"empty\.bvh: the file is empty"):
        reenact.load(tmp_path / "empty.bvh")
    (tmp_path / "what.dat").write_bytes(b"\x00\x01\x02\x03")
    with pytest.raises(FormatError, match="not a known motion format"):
        reenact.load(tmp_path / "what.dat")


def test_unknown_ending_lists_the_choices(walk: Path, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"unknown file ending '\.xyz'; known are \.bvh, \.amc"):
        reenact.save(reenact.load(walk), tmp_path / "out.xyz")
    with pytest.raises(FormatError, match="can be read but not written"):
        reenact.save(reenact.load(walk), tmp_path / "out.asf")
    assert list(tmp_path.iterdir()) == []


def test_disk_full_leaves_nothing_behind(walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    from reenact.kernels import bvh_text

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "out.bvh").write_text("older contents")
    monkeypatch.setattr(bvh_text, "format_rows", fail)
    with pytest.raises(OSError, match="No space"):
        reenact.save(reenact.load(walk), tmp_path / "out.bvh")
    assert [file.name for file in tmp_path.iterdir()] == ["out.bvh"]
    assert (tmp_path / "out.bvh").read_text() == "older contents"


def test_write_options_choose_units_and_axes(walk: Path, tmp_path: Path) -> None:
    clip = reenact.load(walk)
    reenact.save(clip, tmp_path / "z.bvh", WriteOptions(unit=0.01, up="z", decimals=4))
    back = reenact.load(tmp_path / "z.bvh")
    assert back.origin.up == "z"
    assert back.origin.unit == 0.01
    np.testing.assert_allclose(back.world().positions, clip.world().positions, atol=1e-4)
