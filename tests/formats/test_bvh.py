"""BVH: every quirk seen in the wild, and what comes back after writing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reenact.core.clip import Clip, JointTranslations
from reenact.core.rotations import from_euler
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError
from reenact.formats import bvh
from reenact.formats.bvh_header import frame_rate
from reenact.formats.loaded import ReadOptions, WriteOptions

PLAIN = """HIERARCHY
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
MOTION
Frames: 2
Frame Time: 0.008333
1 90 2 10 20 30 40 50 60
2 91 3 11 21 31 41 51 61
"""


def put(folder: Path, text: str | bytes, name: str = "clip.bvh") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(path: Path, **options) -> Clip:
    return bvh.read(path, ReadOptions(**options)).clips[0]


def codes(path: Path, **options) -> list[str]:
    return [finding.code for finding in bvh.read(path, ReadOptions(**options)).findings]


def test_plain_file(tmp_path: Path) -> None:
    clip = read(put(tmp_path, PLAIN))
    assert clip.skeleton.names == ("Hips", "Knee")
    assert clip.fps == 120
    assert clip.name == "clip"
    np.testing.assert_allclose(clip.root, [[1, 90, 2], [2, 91, 3]])
    want = from_euler(np.radians([[10, 20, 30], [40, 50, 60]]), "zyx")
    np.testing.assert_allclose(clip.rotations[0], want, atol=1e-6)
    np.testing.assert_allclose(clip.skeleton.end_offsets, [[0, -38, 5]])
    assert clip.origin.channels == ("XpYpZpZrYrXr", "ZrYrXr")
    assert clip.pristine


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: t.replace("ROOT Hips\n", "ROOT Hips \r\n").replace("\t", "    "),
        lambda t: t.replace(" ", "\t"),
        lambda t: t.replace("{\n", "{ \r\n").replace("20 30 40", " 20\t30   40 "),
        lambda t: t.replace("ROOT Hips\n{", "ROOT Hips {"),
        lambda t: t.replace("MOTION", "motion").replace("Frames:", "FRAMES:\t").replace("HIERARCHY", "Hierarchy"),
        lambda t: t.replace("Frames: 2\n", "Frames:\t2 \n").replace("Frame Time:", "Frame  Time :"),
        lambda t: "\ufeff" + t,
        lambda t: t + "\n\n   \n\x1a",
        lambda t: t.replace("\n1 90", "\n\n  1 90"),
        lambda t: t.replace("1 90 2", "+1.0 9.0e1 2E+00"),
        lambda t: t.replace("Xposition", "xposition").replace("Zrotation", "ZROTATION"),
        lambda t: t.rstrip("\n"),
    ],
)
def test_spelling_makes_no_difference(tmp_path: Path, change) -> None:
    want, got = read(put(tmp_path, PLAIN, "a.bvh")), read(put(tmp_path, change(PLAIN), "b.bvh"))
    assert got.skeleton.names == want.skeleton.names
    np.testing.assert_array_equal(got.rotations, want.rotations)
    np.testing.assert_array_equal(got.root, want.root)


@pytest.mark.parametrize("name", ["Left Arm", "mixamorig:Hips", "Bip01 L Thigh", "joint.001", "右足", "a-b|c"])
def test_odd_names_survive_a_round_trip(tmp_path: Path, name: str) -> None:
    clip = read(put(tmp_path, PLAIN.replace("Knee", name)))
    assert clip.skeleton.names[1] == name
    bvh.write([clip], tmp_path / "out.bvh", WriteOptions())
    assert read(tmp_path / "out.bvh").skeleton.names == clip.skeleton.names


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_every_rotation_order(tmp_path: Path, order: str) -> None:
    spelled = " ".join(f"{axis}rotation" for axis in order)
    clip = read(put(tmp_path, PLAIN.replace("CHANNELS 3 Zrotation Yrotation Xrotation", f"CHANNELS 3 {spelled}")))
    np.testing.assert_allclose(clip.rotations[0, 1], from_euler(np.radians([40, 50, 60]), order.lower()), atol=1e-6)


def test_rotations_before_positions(tmp_path: Path) -> None:
    text = PLAIN.replace(
        "Xposition Yposition Zposition Zrotation Yrotation Xrotation",
        "Zrotation Xrotation Yrotation Zposition Yposition Xposition",
    )
    clip = read(put(tmp_path, text))
    np.testing.assert_allclose(clip.root[0], [30, 20, 10])
    np.testing.assert_allclose(clip.rotations[0, 0], from_euler(np.radians([1, 90, 2]), "zxy"), atol=1e-6)


def test_one_and_two_rotation_channels(tmp_path: Path) -> None:
    text = (
        PLAIN.replace("CHANNELS 3 Zrotation Yrotation Xrotation", "CHANNELS 1 Yrotation")
        .replace(" 50 60", "")
        .replace(" 51 61", "")
    )
    clip = read(put(tmp_path, text))
    np.testing.assert_allclose(clip.rotations[0, 1], from_euler(np.radians([40, 0, 0]), "yxz"), atol=1e-6)


def test_repeated_axes_are_composed_in_turn(tmp_path: Path) -> None:
    text = PLAIN.replace("CHANNELS 3 Zrotation Yrotation Xrotation", "CHANNELS 3 Zrotation Xrotation Zrotation")
    clip = read(put(tmp_path, text))
    np.testing.assert_allclose(clip.rotations[0, 1], from_euler(np.radians([40, 50, 60]), "zxz"), atol=1e-6)
    bvh.write([clip], tmp_path / "out.bvh", WriteOptions())  # written in an order that always works
    np.testing.assert_allclose(read(tmp_path / "out.bvh").world().positions, clip.world().positions, atol=1e-4)


def moving_knee(offset: str, values: str) -> str:
    text = PLAIN.replace("OFFSET 0 -40 0", f"OFFSET {offset}")
    text = text.replace("CHANNELS 3 Z", "CHANNELS 6 Xposition Yposition Zposition Z")
    return text.replace("30 40 50", f"30 {values} 40 50").replace("31 41 51", f"31 {values} 41 51")


def test_position_channels_that_repeat_the_offset_are_no_translations(tmp_path: Path) -> None:
    clip = read(put(tmp_path, moving_knee("0 -40 0", "0 -40 0")))
    assert clip.translations is None
    assert clip.origin.channels[1] == "XpYpZpZrYrXr"


def test_position_channels_replace_the_offset(tmp_path: Path) -> None:
    clip = read(put(tmp_path, moving_knee("0 -40 0", "1 -39 2")))
    assert clip.translations is not None
    np.testing.assert_allclose(clip.translations.values[0, 0], [1, -39, 2])
    assert not clip.origin.adds_offset


def test_position_channels_are_added_when_they_hover_about_zero(tmp_path: Path) -> None:
    path = put(tmp_path, moving_knee("0 -40 0", "1 0.5 2").replace("1 90 2", "0 0 0").replace("2 91 3", "0 0 0"))
    clip = read(path)
    assert clip.translations is not None
    np.testing.assert_allclose(clip.translations.values[0, 0], [1, -39.5, 2])
    assert "bvh.position-channels" in codes(path)
    told = read(path, position_channels="replace")
    assert told.translations is not None
    np.testing.assert_allclose(told.translations.values[0, 0], [1, 0.5, 2])


def test_root_offset_added_or_replaced(tmp_path: Path) -> None:
    high = PLAIN.replace("OFFSET 0 0 0", "OFFSET 0 93 0")
    np.testing.assert_allclose(read(put(tmp_path, high)).root[0], [1, 90, 2])
    low = high.replace("1 90 2", "1 0.1 2").replace("2 91 3", "2 -0.1 3")
    np.testing.assert_allclose(read(put(tmp_path, low)).root[0], [1, 93.1, 2], atol=1e-5)


@pytest.mark.parametrize(("announced", "held"), [("3", 2), ("1", 2), ("0", 2), ("1999", 2)])
def test_wrong_frame_counts(tmp_path: Path, announced: str, held: int) -> None:
    path = put(tmp_path, PLAIN.replace("Frames: 2", f"Frames: {announced}"))
    assert len(read(path)) == held
    assert "bvh.frame-count" in codes(path)
    with pytest.raises(FormatError, match=r"announces .* holds 2"):
        read(path, tolerance="strict")


def test_rows_broken_over_lines(tmp_path: Path) -> None:
    path = put(tmp_path, PLAIN.replace("2 10 20", "2\n10 20").replace("3 11 21", "3\n11 21"))
    assert "bvh.wrapped-rows" in codes(path)
    np.testing.assert_allclose(read(path).root, [[1, 90, 2], [2, 91, 3]])


def test_duplicate_names_are_told_apart(tmp_path: Path) -> None:
    path = put(tmp_path, PLAIN.replace("JOINT Knee", "JOINT Hips"))
    assert read(path).skeleton.names == ("Hips", "Hips_2")
    assert "bvh.joint-name" in codes(path)
    with pytest.raises(FormatError, match="stands twice"):
        read(path, tolerance="strict")


def test_latin_1_names(tmp_path: Path) -> None:
    path = put(tmp_path, PLAIN.replace("Knee", "Gen\xe9").encode("latin-1"))
    assert read(path).skeleton.names[1] == "Gené"
    assert "bvh.encoding" in codes(path)


def test_recovering_leaves_out_damaged_rows(tmp_path: Path) -> None:
    rows = (
        PLAIN
        + "3 92 4 12 22 32\n4 93 5 13 23 33 43 53 63\nnan 1 2 3 4 5 6 7 8\n5 94 6 14 24 34 44 54 64 74\n6 95 7 15 25 35 45 55 65\n7 96"
    )
    path = put(tmp_path, rows.replace("Frames: 2", "Frames: 4"))
    clip = read(path, tolerance="recover")
    np.testing.assert_allclose(clip.root[:, 0], [1, 2, 4, 6])
    assert codes(path, tolerance="recover").count("bvh.damaged-row") == 4


@pytest.mark.parametrize(
    ("written", "rate"),
    [
        (".0083333", 120), ("0.008333", 120), ("0.0333333", 30), ("0.033333", 30), (".03333", 30), ("0.033", 30), ("0.04", 25),
        ("0.041667", 24), ("0.016667", 60), ("0.017", 60), ("0.01", 100), ("0.025", 40), ("0.008", 125), ("0.013888888888888888", 72),
        ("8.3333e-3", 120), ("0.0333667", 30000 / 1001), ("0.008342", 120000 / 1001), ("0.05", 20), ("1", 1), ("0.0123", 1 / 0.0123),
    ],
)  # fmt: skip
def test_frame_times(written: str, rate: float) -> None:
    assert frame_rate(written) == pytest.approx(rate, rel=1e-9)


def test_writing_restores_layout_ends_and_frame_time(tmp_path: Path) -> None:
    text = (
        PLAIN.replace("0.008333", ".0083333").replace("End Site", "End Toe").replace("OFFSET 0 -38 5", "OFFSET 0 0 0")
    )
    clip = read(put(tmp_path, text))
    bvh.write([clip], tmp_path / "out.bvh", WriteOptions())
    back = read(tmp_path / "out.bvh")
    assert "Frame Time: .0083333\n" in (tmp_path / "out.bvh").read_text()
    assert back.origin.channels == clip.origin.channels
    assert back.origin.end_names == ("Toe",)
    np.testing.assert_array_equal(back.skeleton.end_offsets, clip.skeleton.end_offsets)
    np.testing.assert_allclose(back.world().positions, clip.world().positions, atol=1e-4)


def made_clip(translations: bool = False) -> Clip:
    skeleton = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.array([[0, 1, 0], [0, 0.5, 0], [0, 0.25, 0]]))
    rng = np.random.default_rng(0)
    rotations = from_euler(rng.uniform(-1, 1, (7, 3, 3)), "zyx")
    moved = JointTranslations(np.array([2]), rng.normal(size=(7, 1, 3))) if translations else None
    return Clip(skeleton, rotations, rng.normal(size=(7, 3)), 50, "made", moved)


@pytest.mark.parametrize("translations", [False, True])
def test_made_clips_are_written_in_centimetres(tmp_path: Path, translations: bool) -> None:
    clip = made_clip(translations)
    bvh.write([clip], tmp_path / "out.bvh", WriteOptions())
    back = read(tmp_path / "out.bvh", position_channels="replace")
    np.testing.assert_allclose(back.world().positions, clip.world().positions * 100, atol=1e-3)
    assert back.fps == 50
    bvh.write([clip], tmp_path / "metres.bvh", WriteOptions(unit=1.0, up="z"))
    turned = read(tmp_path / "metres.bvh", position_channels="replace").world().positions
    np.testing.assert_allclose(turned, clip.world().positions[..., [0, 2, 1]] * [1, -1, 1], atol=1e-4)


def test_edited_clip_gets_a_new_frame_time(tmp_path: Path) -> None:
    from dataclasses import replace

    clip = replace(read(put(tmp_path, PLAIN)), fps=30.0)
    bvh.write([clip], tmp_path / "out.bvh", WriteOptions())
    assert read(tmp_path / "out.bvh").fps == 30
    clip = replace(clip, fps=29.97)
    bvh.write([clip], tmp_path / "out.bvh", WriteOptions())
    assert read(tmp_path / "out.bvh").fps == pytest.approx(29.97, rel=1e-6)


def test_nothing_is_written_when_the_clip_is_not_finite(tmp_path: Path) -> None:
    from dataclasses import replace

    clip = made_clip()
    root = clip.root.copy()
    root[3, 1] = np.nan
    with pytest.raises(FormatError, match="no numbers"):
        bvh.write([replace(clip, root=root)], tmp_path / "out.bvh", WriteOptions())
    assert list(tmp_path.iterdir()) == []


def test_joints_in_any_order_are_written_depth_first(tmp_path: Path) -> None:
    """Other formats list joints level by level; the numbers must follow the order of the hierarchy that is written."""
    names = ("hips", "left thigh", "right thigh", "left shin", "right shin")
    offsets = np.array([[0, 1, 0], [0.1, 0, 0], [-0.1, 0, 0], [0, -0.4, 0], [0, -0.45, 0]])
    skeleton = Skeleton(names, np.array([-1, 0, 0, 1, 2]), offsets, end_joints=[3, 4], end_offsets=[[0, -0.4, 0]] * 2)
    turns = np.random.default_rng(3).uniform(-1, 1, (4, 5, 3))
    moved = JointTranslations([2], np.full((4, 1, 3), 0.2))
    clip = Clip(skeleton, from_euler(turns, "zyx"), np.full((4, 3), 0.5), 30.0, translations=moved)
    bvh.write([clip], tmp_path / "made.bvh", WriteOptions(unit=1.0))
    back = read(tmp_path / "made.bvh")
    assert back.skeleton.names == ("hips", "left thigh", "left shin", "right thigh", "right shin")
    same = [back.skeleton.names.index(name) for name in names]
    np.testing.assert_allclose(back.world().positions[:, same], clip.world().positions, atol=1e-5)


def test_names_that_would_break_the_hierarchy(tmp_path: Path) -> None:
    names = ("hips {", "left\nleg", "right leg", "\udcff")
    skeleton = Skeleton(names, np.array([-1, 0, 0, 2]), np.ones((4, 3)))
    clip = Clip(skeleton, np.tile(np.float32([1, 0, 0, 0]), (2, 4, 1)), np.zeros((2, 3), np.float32), 30.0)
    bvh.write([clip], tmp_path / "made.bvh", WriteOptions())
    assert read(tmp_path / "made.bvh", tolerance="strict").skeleton.names == ("hips _", "left_leg", "right leg", "?")
