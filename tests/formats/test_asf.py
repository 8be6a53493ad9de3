"""Acclaim skeleton files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.errors import FormatError
from reenact.formats import asf
from reenact.formats.acclaim import turn_in_order
from reenact.formats.asf_text import format_skeleton
from reenact.formats.loaded import ReadOptions, Tolerance
from reenact.formats.registry import find_format

SMALL = """# a small skeleton
:version 1.10
:name small
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  anything: at all
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name hip
    direction 1 0 0
    length 2
    axis 0 0 0 XYZ
  end
  begin
    id 2
    name leg
    direction 0 -1 0
    length 4.5
    axis 0 0 20 XYZ
    bodymass 3
    cofmass 0.5
    dof rx rz
    limits (-160.0 20.0)
           (-inf inf)
  end
:hierarchy
  begin
    root hip
    hip leg
  end
"""
UNIT = 0.0254 / 0.45


def read(tmp_path: Path, text: str | bytes, tolerance: Tolerance = "normal"):
    path = tmp_path / "small.asf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return asf.read(path, ReadOptions(tolerance=tolerance))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("length 4.5", "length four", "expected a number, found 'four'"),
        ("length 4.5", "length nan", "expected a number"),
        ("length 4.5", "length 1e400", "expected a number"),
        ("length 4.5", "length", "length needs a value"),
        ("direction 0 -1 0", "direction 0 -1", "direction takes three numbers"),
        ("direction 0 -1 0", "direction 0 0 0", "'leg' has a length but no direction"),
        ("dof rx rz", "dof rx rw", "'rw' is not one of tx ty tz rx ry rz l"),
        ("dof rx rz", "dof rx rx", "stands twice"),
        ("axis 0 0 20 XYZ", "axis 0 0 20 XYY", "order of axes"),
        ("name leg", "name hip", "'hip' stands twice"),
        ("name leg", "name root", "may not be called 'root'"),
        ("hip leg\n", "hip leg\n    leg hip\n", "two parents"),
        ("root hip\n    hip leg", "hip leg\n    leg hip", "cycle"),
        ("hip leg", "hip arm", "'arm', which is no bone"),
        ("hip leg", "hip root", "root may not be a child"),
        ("  end\n:hierarchy", ":hierarchy", "expected `end`"),
        (":hierarchy", ":skin", "without a :hierarchy"),
        ("length 0.45", "length 0", "must be a positive number"),
        (":version 1.10\n", "hello\n", "expected a keyword"),
        (":bonedata\n", ":bonedata\n name x\n", "expected `begin`"),
    ],
)
def test_damage_is_named(tmp_path, old, new, said):
    assert old in SMALL
    with pytest.raises(FormatError) as caught:
        read(tmp_path, SMALL.replace(old, new, 1))
    assert said in caught.value.message
    assert "small.asf" in caught.value.where


def test_an_error_names_its_line(tmp_path):
    with pytest.raises(FormatError) as caught:
        read(tmp_path, SMALL.replace("length 4.5", "length four"))
    assert caught.value.line == 1 + SMALL[: SMALL.index("length 4.5")].count("\n")


@pytest.mark.parametrize(
    "data", [b"", b" \n", b"\0\1\2" * 50, SMALL.encode()[:400], SMALL.encode()[:515], b"\xff\xfe" * 30]
)
def test_no_skeleton_at_all(tmp_path, data):
    with pytest.raises(FormatError):
        read(tmp_path, data)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        asf.read(tmp_path / "nowhere.asf", ReadOptions())


@given(st.binary(max_size=400))
def test_random_bytes_give_a_format_error(tmp_path_factory, data):
    with pytest.raises(FormatError):
        read(tmp_path_factory.mktemp("asf"), data)


@given(
    st.integers(0, len(SMALL)),
    st.integers(0, 40),
    st.binary(max_size=12),
    st.sampled_from(["strict", "normal", "recover"]),
)
def test_damaged_text_gives_a_format_error_or_a_skeleton(tmp_path_factory, at, gone, put, tolerance):
    data = SMALL.encode()
    try:
        loaded = read(tmp_path_factory.mktemp("asf"), data[:at] + put + data[at + gone :], tolerance)
    except FormatError:
        return
    assert np.isfinite(loaded.clips[0].world().positions).all()


def test_the_rest_pose_puts_bones_end_to_end(tmp_path):
    loaded = read(tmp_path, SMALL)
    (clip,) = loaded.clips
    assert clip.skeleton.names == ("root", "hip", "leg")
    assert loaded.findings == ()
    assert len(clip) == 1
    assert clip.origin.unit == pytest.approx(UNIT)
    world = clip.world()
    np.testing.assert_allclose(world.positions[0], np.array([[0, 0, 0], [0, 0, 0], [2, 0, 0]]) * UNIT, atol=1e-7)
    np.testing.assert_allclose(
        world.point(2, clip.skeleton.end_offsets[0])[0], np.array([2, -4.5, 0]) * UNIT, atol=1e-7
    )


def test_it_is_found_by_its_content(tmp_path):
    path = tmp_path / "noending"
    path.write_text(SMALL)
    assert find_format(path).name == "asf"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("  ", "\t"),
        lambda text: text.replace("\n", " # note\n"),
        lambda text: text.upper().replace("HIP", "hip").replace("LEG", "leg"),
        lambda text: text.replace("hip leg", "HIP Leg"),
        lambda text: text.replace("(-160.0 20.0)\n           (-inf inf)", "(-160.0, 20.0), (-INF INF)"),
        lambda text: text + ":skin\n whatever # and more\n",
        lambda text: text.replace("0 0 20 XYZ", "0.0e-000 -0 2.0e+001 xyz"),
        lambda text: text.replace("anything", "für"),
    ],
)
def test_spelling_does_not_matter(tmp_path, change):
    plain, (other,) = read(tmp_path, SMALL).clips[0], read(tmp_path, change(SMALL)).clips
    assert other.skeleton.same_tree(plain.skeleton)
    np.testing.assert_array_equal(other.skeleton.offsets, plain.skeleton.offsets)
    limits = asf.read_limits(tmp_path / "small.asf")["leg"]
    assert [dof for dof, _, _ in limits] == ["rx", "rz"]
    np.testing.assert_allclose(
        [row[1:] for row in limits], [[-160 * math.pi / 180, 20 * math.pi / 180], [-math.inf, math.inf]]
    )


def test_bytes_that_are_not_utf8_are_read(tmp_path):
    assert len(read(tmp_path, SMALL.encode().replace(b"anything", b"f\xfcr")).clips[0].skeleton) == 3


def test_radians_and_degrees_agree(tmp_path):
    turned = SMALL.replace("angle deg", "angle rad").replace("0 0 20 XYZ", f"0 0 {math.radians(20)!r} XYZ")
    turned = turned.replace("(-160.0 20.0)", f"({math.radians(-160)!r} {math.radians(20)!r})")
    read(tmp_path, turned)
    in_radians = asf.read_skeleton(tmp_path / "small.asf", "strict")[0].acclaim.bones[1]
    read(tmp_path, SMALL)
    in_degrees = asf.read_skeleton(tmp_path / "small.asf", "strict")[0].acclaim.bones[1]
    np.testing.assert_allclose(in_radians.axis, in_degrees.axis)
    np.testing.assert_allclose(in_radians.limits, in_degrees.limits)


def test_the_first_axis_letter_turns_first():
    about_x, about_z = turn_in_order((math.pi / 2, 0, 0), "xyz"), turn_in_order((0, 0, math.pi / 2), "xyz")
    from reenact.core.rotations import multiply

    both = (math.pi / 2, 0.0, math.pi / 2)
    np.testing.assert_allclose(turn_in_order(both, "xyz"), multiply(about_z, about_x), atol=1e-12)
    np.testing.assert_allclose(turn_in_order(both, "zyx"), multiply(about_x, about_z), atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("length 0.45", "length 1.0", "asf.length-unit"),
        ("  length 0.45\n", "", "asf.length-unit"),
        ("  angle deg\n", "", "asf.no-angle-unit"),
        ("direction 0 -1 0", "direction 0 -2 0", "asf.direction"),
        ("(-inf inf)", "(-inf)", "asf.limits"),
        ("    hip leg\n", "", "asf.loose-bone"),
        ("axis 0 0 20 XYZ", "axis 0 0 20", "asf.no-axis-order"),
        ("  order TX TY TZ RX RY RZ\n", "", "asf.root-default"),
        ("orientation 0 0 0", "orientation 0 90 0", "asf.root-orientation"),
        ("bodymass 3", "colour red", "asf.unknown-word"),
    ],
)
def test_guesses_are_findings(tmp_path, old, new, code):
    assert old in SMALL
    loaded = read(tmp_path, SMALL.replace(old, new, 1))
    assert [finding.code for finding in loaded.findings] == [code]
    assert "small.asf" in loaded.findings[0].where


def test_recovering_leaves_unknown_bones_out(tmp_path):
    loaded = read(tmp_path, SMALL.replace("hip leg", "hip leg arm"), "recover")
    assert "asf.unknown-bone" in [finding.code for finding in loaded.findings]
    assert loaded.clips[0].skeleton.names == ("root", "hip", "leg")


def test_the_root_placement_is_honoured(tmp_path):
    placed = SMALL.replace("position 0 0 0", "position 1 2 3").replace("orientation 0 0 0", "orientation 0 90 0")
    world = read(tmp_path, placed).clips[0].world()
    np.testing.assert_allclose(world.positions[0] / UNIT, [[1, 2, 3], [1, 2, 3], [1, 2, 1]], atol=1e-5)


@pytest.mark.parametrize("count", [9_999, 10_000, 100_000])
def test_a_very_deep_skeleton(tmp_path, count):
    bones = "".join(f"begin\nname b{n}\ndirection 0 1 0\nlength 0.001\naxis 0 0 0 XYZ\nend\n" for n in range(count))
    chain = "root b0\n" + "".join(f"b{n} b{n + 1}\n" for n in range(count - 1))
    head = ":version 1.10\n:units\nlength 0.45\nangle deg\n:root\norder TX TY TZ RX RY RZ\naxis XYZ\n"
    text = f"{head}:bonedata\n{bones}:hierarchy\nbegin\n{chain}end\n"
    if count >= 10_000:
        with pytest.raises(FormatError, match=r"more than 9999 bones"):
            read(tmp_path, text)
        return
    clip = read(tmp_path, text).clips[0]
    assert len(clip.skeleton) == count + 1
    assert clip.world(np.float64).positions[0, -1, 1] == pytest.approx((count - 1) * 0.001 * UNIT, rel=1e-6)


def test_a_written_skeleton_reads_back(tmp_path):
    read(tmp_path, SMALL)
    first = asf.read_skeleton(tmp_path / "small.asf", "normal")[0].acclaim
    read(tmp_path, format_skeleton(first))
    assert asf.read_skeleton(tmp_path / "small.asf", "strict")[0].acclaim == first


@pytest.mark.corpus
def test_real_skeletons(corpus):
    files = sorted(corpus.glob("*/*.asf"))
    assert len(files) >= 9
    for file in files:
        loaded = asf.read(file, ReadOptions(tolerance="strict"))
        (clip,) = loaded.clips
        assert len(clip.skeleton) == 31
        assert len(clip.skeleton.end_joints) == 7
        assert loaded.findings == ()
        height = np.ptp(clip.world().positions[0, :, 1])
        assert 1.3 < height < 1.8
        # a knee bends one way, and about 180 degrees at the most
        ((dof, low, high),) = asf.read_limits(file)["ltibia"]
        assert dof == "rx"
        assert -0.2 < low < 0 < high < math.pi
        again = asf.parse_skeleton(format_skeleton(asf.read_skeleton(file, "strict")[0].acclaim).encode(), "strict")[0]
        np.testing.assert_allclose(again.skeleton.offsets, clip.skeleton.offsets, atol=1e-9)
