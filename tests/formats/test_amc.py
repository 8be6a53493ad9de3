"""Acclaim motion files, with their skeletons."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.core.clip import Clip, JointTranslations
from reenact.core.rotations import from_axis_angle, from_euler, multiply, normalize, rotate
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError, ParameterError
from reenact.formats import amc, bvh
from reenact.formats.loaded import ReadOptions, Tolerance, WriteOptions
from reenact.formats.registry import find_format

UNIT = 0.0254 / 0.45
ASF = """:version 1.10
:units
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    name hip
    direction 1 0 0
    length 2
    axis 0 0 0 XYZ
  end
  begin
    name leg
    direction 0 -1 0
    length 4
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160 20) (-70 70) (-60 70)
  end
  begin
    name foot
    direction 0 0 1
    length 1
    axis -90 0 20 XYZ
    dof rx
    limits (-45 45)
  end
:hierarchy
  begin
    root hip
    hip leg
    leg foot
  end
"""
HEAD = "#!OML:ASF x\n:FULLY-SPECIFIED\n:DEGREES\n"


def frame(number: int) -> str:
    return f"{number}\nroot 1 {number} 3 10 20 30\nleg {number} 5 6\nfoot -1.5e-001\n"


BODY = "".join(frame(n) for n in range(1, 6))


def put(folder: Path, motion: str | bytes = HEAD + BODY, skeleton: str = ASF, name: str = "s_01.amc") -> Path:
    (folder / "s.asf").write_text(skeleton)
    path = folder / name
    path.write_bytes(motion if isinstance(motion, bytes) else motion.encode())
    return path


def load(
    folder: Path,
    motion: str | bytes = HEAD + BODY,
    skeleton: str = ASF,
    tolerance: Tolerance = "normal",
    name: str = "s_01.amc",
):
    return amc.read(put(folder, motion, skeleton, name), ReadOptions(tolerance=tolerance))


def codes(loaded) -> set[str]:
    return {finding.code for finding in loaded.findings} - {"amc.frame-rate", "amc.skeleton"}


# --- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("leg 3 5 6", "leg 3 5", 14, "'leg' takes 3 numbers, found 2"),
        ("leg 3 5 6", "leg 3 5 6 7", 14, "'leg' takes 3 numbers, found 4"),
        ("leg 3 5 6", "leg 3 nan 6", 14, "'nan', expected a number"),
        ("leg 3 5 6", "leg 3 1e9 6", 14, "expected a number within"),
        ("leg 3 5 6", "arm 3 5 6", 14, "'arm' is no bone of the skeleton"),
        ("leg 3 5 6", "hip 3 5 6", 14, "'hip' is no bone of the skeleton with degrees of freedom"),
        ("leg 3 5 6\n", "", 12, "frame 2 (from 0) lacks leg"),
        ("leg 3 5 6\n", "leg 3 5 6\nleg 3 5 6\n", 15, "two lines for 'leg'"),
        ("foot -1.5e-001\n3\n", "foot -1.5e-001\nx\n", 12, "'x' is no bone"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path, old, new, line, said):
    assert old in HEAD + BODY
    with pytest.raises(FormatError) as caught:
        load(tmp_path, (HEAD + BODY).replace(old, new, 1))
    assert said in caught.value.message
    assert caught.value.line == line
    assert "s_01.amc" in caught.value.where


def test_a_bone_that_appears_late_is_damage(tmp_path):
    with pytest.raises(FormatError, match="earlier frames lack"):
        load(tmp_path, (HEAD + BODY).replace("leg 1 5 6\n", "", 1))


@pytest.mark.parametrize("data", [b"", b"\n \n", HEAD.encode(), b"\0\1\2\3" * 20, b"hello world\n", b"\xff\xfe" * 9])
def test_no_motion_at_all(tmp_path, data):
    with pytest.raises(FormatError) as caught:
        load(tmp_path, data)
    assert "s_01.amc" in caught.value.where


@pytest.mark.parametrize("tolerance", ["strict", "normal", "recover"])
def test_frames_without_any_bone_never_escape(tmp_path, tolerance):
    if tolerance == "recover":
        assert len(load(tmp_path, HEAD + "1\n2\n3\n", tolerance=tolerance).clips[0]) == 3
        return
    with pytest.raises(FormatError, match="holds nothing but its number"):
        load(tmp_path, HEAD + "1\n2\n3\n", tolerance=tolerance)


def test_every_cut_within_a_frame_is_noticed(tmp_path):
    text = HEAD + BODY
    start = text.index("5\nroot")
    for size in range(start + 1, len(text) - len("-1.5e-001\n")):
        with pytest.raises(FormatError):
            load(tmp_path, text[:size])
        assert len(load(tmp_path, text[:size], tolerance="recover").clips[0]) == 4


def test_a_last_line_without_an_end_is_a_finding(tmp_path):
    assert codes(load(tmp_path, (HEAD + BODY).rstrip())) == {"amc.no-line-end"}


def test_without_a_skeleton_the_candidates_are_listed(tmp_path):
    path = tmp_path / "walk_01.amc"
    path.write_text(HEAD + BODY)
    with pytest.raises(FormatError, match=r"no \.asf file in"):
        amc.read(path, ReadOptions())
    for name in ("run.asf", "jump.asf", "w.asf"):
        (tmp_path / name).write_text(ASF)
    with pytest.raises(FormatError, match=r"jump\.asf, run\.asf, w\.asf"):
        amc.read(path, ReadOptions())
    assert len(amc.read(path, ReadOptions(skeleton=tmp_path / "run.asf")).clips[0]) == 5
    with pytest.raises(OSError, match="gone"):
        amc.read(path, ReadOptions(skeleton=tmp_path / "gone.asf"))


def test_a_damaged_skeleton_is_named_itself(tmp_path):
    with pytest.raises(FormatError) as caught:
        load(tmp_path, skeleton=ASF.replace("length 4", "length x"))
    assert "s.asf" in caught.value.where


def test_the_longest_fitting_name_wins(tmp_path):
    for name in ("HDM.asf", "HDM_bd.asf", "HDM_b.asf", "02.asf", "0.asf", "walk.asf"):
        (tmp_path / name).write_text(ASF)
    for motion, skeleton in (
        ("HDM_bd_run_001_120", "HDM_bd"),
        ("HDM_bk_run", "HDM"),
        ("02_01", "02"),
        ("walk1", "walk"),
    ):
        assert amc.find_skeleton(tmp_path / f"{motion}.amc").stem == skeleton
    with pytest.raises(FormatError):
        amc.find_skeleton(tmp_path / "03_01.amc")
    with pytest.raises(FormatError):
        amc.find_skeleton(tmp_path / "walking.amc")


@given(st.binary(max_size=300))
def test_random_bytes_give_a_format_error(tmp_path_factory, data):
    with pytest.raises(FormatError):
        load(tmp_path_factory.mktemp("amc"), data)


@given(
    st.integers(0, len(HEAD + BODY)),
    st.integers(0, 60),
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from([b"\n", b"nan", b"1e308", b"\r", b"9" * 30, b"root 1 2 3", b"-", b"#", b":"]),
    ),
    st.sampled_from(["strict", "normal", "recover"]),
)
def test_damaged_text_gives_a_format_error_or_a_clip(tmp_path_factory, at, gone, inserted, tolerance):
    data = (HEAD + BODY).encode()
    try:
        loaded = load(tmp_path_factory.mktemp("amc"), data[:at] + inserted + data[at + gone :], tolerance=tolerance)
    except FormatError:
        return
    assert np.isfinite(loaded.clips[0].world().positions).all()


def test_a_skeleton_too_large_for_the_frames_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(amc, "MOST_JOINT_FRAMES", 19)
    with pytest.raises(FormatError, match="5 frames of 4 joints"):
        load(tmp_path)


# --- known answers ------------------------------------------------------------------------------------------------------


def test_values_become_rotations_about_the_bones_axes(tmp_path):
    loaded = load(tmp_path)
    (clip,) = loaded.clips
    assert (clip.name, len(clip), clip.fps) == ("s_01", 5, 120.0)
    assert codes(loaded) == set()
    assert (clip.origin.format, clip.origin.unit) == ("amc", pytest.approx(UNIT))
    assert clip.pristine
    np.testing.assert_allclose(clip.root[2], np.array([1, 3, 3]) * UNIT, rtol=1e-6)
    tilt = from_axis_angle([0.0, 0.0, 1.0], math.radians(20))
    turn = from_euler(np.radians([6.0, 5.0, 3.0]), "zyx")  # x first, then y, then z
    want = multiply(multiply(tilt, turn), tilt * [1, -1, -1, -1])
    np.testing.assert_allclose(clip.rotations[2, 2], want, atol=1e-6)
    np.testing.assert_allclose(clip.rotations[2, 0], from_euler(np.radians([30.0, 20.0, 10.0]), "zyx"), atol=1e-6)
    np.testing.assert_array_equal(clip.rotations[:, 1], np.tile([1, 0, 0, 0], (5, 1)))
    world = clip.world(np.float64)
    hip = world.positions[2, 0] + rotate(world.rotations[2, 0], np.array([2 * UNIT, 0, 0]))
    np.testing.assert_allclose(world.positions[2, 2], hip, atol=1e-7)


def test_the_order_of_freedom_is_the_order_of_turning(tmp_path):
    skeleton = ASF.replace("dof rx ry rz", "dof rz rx ry").replace(
        "axis 0 0 20 XYZ\n    dof rz", "axis 0 0 0 XYZ\n    dof rz"
    )
    clip = load(tmp_path, skeleton=skeleton).clips[0]
    want = from_euler(np.radians([6.0, 5.0, 3.0]), "yxz")  # values 3 5 6 are z, x, y, applied in this order
    np.testing.assert_allclose(clip.rotations[2, 2], want, atol=1e-6)


def test_radians_and_degrees_agree(tmp_path):
    plain = load(tmp_path).clips[0]
    lines = []
    for line in BODY.splitlines():
        words = line.split()
        moves = 3 if words[0] == "root" else 0
        turned = [repr(math.radians(float(word))) for word in words[1 + moves :]]
        lines.append(" ".join([*words[: 1 + moves], *turned]))
    other = load(tmp_path, HEAD.replace(":DEGREES", ":RADIANS") + "\n".join(lines) + "\n").clips[0]
    np.testing.assert_allclose(other.rotations, plain.rotations, atol=1e-7)


def test_the_roots_placement_moves_everything(tmp_path):
    plain = load(tmp_path).clips[0].world(np.float64)
    placed = ASF.replace("position 0 0 0", "position 5 0 0").replace("orientation 0 0 0", "orientation 0 90 0")
    world = load(tmp_path, skeleton=placed).clips[0].world(np.float64)
    turned = rotate(from_axis_angle([0.0, 1.0, 0.0], math.pi / 2), plain.positions) + np.array([5 * UNIT, 0, 0])
    np.testing.assert_allclose(world.positions, turned, atol=1e-6)


def test_lengths_and_moves_of_bones(tmp_path):
    skeleton = ASF.replace("dof rx ry rz\n    limits (-160 20) (-70 70) (-60 70)", "dof rx l").replace(
        "dof rx\n    limits (-45 45)", "dof tx rx"
    )
    body = "".join(f"{n}\nroot 0 0 0 0 0 0\nleg 0 {n}\nfoot 0.5 0\n" for n in range(1, 4))
    loaded = load(tmp_path, HEAD + body, skeleton)
    world = loaded.clips[0].world(np.float64)
    # the leg is 4 + l long, and the foot then moves 0.5 along its own x axis, which is 20 degrees off the world's
    side = np.array([math.cos(math.radians(20)), math.sin(math.radians(20)), 0]) * 0.5
    for n in (1, 2, 3):
        np.testing.assert_allclose(world.positions[n - 1, 3] / UNIT, np.array([2, -4 - n, 0]) + side, atol=1e-5)
    path = tmp_path / "again.amc"
    amc.write(loaded.clips, path, WriteOptions())
    assert (tmp_path / "again.asf").read_text() == skeleton
    again = amc.read(path, ReadOptions()).clips[0]
    np.testing.assert_allclose(again.world(np.float64).positions, world.positions, atol=1e-6)


def test_the_length_of_an_end_bone_is_reported(tmp_path):
    skeleton = ASF.replace("dof rx\n    limits (-45 45)", "dof l")
    assert codes(load(tmp_path, skeleton=skeleton)) == {"amc.end-length"}


@pytest.mark.parametrize(
    ("name", "motion", "fps", "sure"),
    [
        ("s_01.amc", HEAD + BODY, 120.0, 0.7),
        ("s_60.amc", HEAD + BODY, 120.0, 0.7),
        ("s_walk_240.amc", HEAD + BODY, 240.0, 0.9),
        ("s_walk_240.amc", "# 30 fps\n" + HEAD + BODY, 30.0, 0.95),
        ("s_walk_240.amc", HEAD + ":SAMPLES-PER-SECOND 60\n" + BODY, 60.0, 1.0),
    ],
)
def test_the_frame_rate_is_a_finding(tmp_path, name, motion, fps, sure):
    loaded = load(tmp_path, motion, name=name)
    assert loaded.clips[0].fps == fps
    (finding,) = [finding for finding in loaded.findings if finding.code == "amc.frame-rate"]
    assert finding.confidence == sure


# --- odd files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("\n", " \n\n"),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace("leg", "LEG"),
        lambda text: text.replace("3\nroot", "3\n# a note\nroot"),
        lambda text: text.replace("foot -1.5e-001\n4\n", "foot -0.15000000000000000000000\n  4  \n"),
        lambda text: text.replace("root 1 2 3 10 20 30\nleg 2 5 6\n", "leg 2 5 6\nroot 1 2 3 10 20 30\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("x\n", "x für\n"),
    ],
)
def test_spelling_does_not_matter(tmp_path, change):
    plain, loaded = load(tmp_path).clips[0], load(tmp_path, change(HEAD + BODY))
    np.testing.assert_array_equal(loaded.clips[0].rotations, plain.rotations)
    np.testing.assert_array_equal(loaded.clips[0].root, plain.root)
    assert codes(loaded) == set()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda text: text.replace("4\nroot", "7\nroot"), "amc.frame-numbers"),
        (
            lambda text: "".join(line for line in text.splitlines(True) if not line.strip().isdigit()),
            "amc.no-frame-number",
        ),
        (lambda text: text.replace(":DEGREES\n", ""), "amc.no-angle-unit"),
        (lambda text: text.replace(":FULLY-SPECIFIED\n", ""), "amc.not-specified"),
    ],
)
def test_quirks_are_findings_and_strict_errors(tmp_path, change, code):
    plain, loaded = load(tmp_path).clips[0], load(tmp_path, change(HEAD + BODY))
    np.testing.assert_array_equal(loaded.clips[0].rotations, plain.rotations)
    assert codes(loaded) == {code}
    with pytest.raises(FormatError):
        load(tmp_path, change(HEAD + BODY), tolerance="strict")


def test_a_bone_in_no_frame_is_at_rest(tmp_path):
    text = "".join(line for line in (HEAD + BODY).splitlines(True) if not line.startswith("leg"))
    loaded = load(tmp_path, text)
    assert codes(loaded) == {"amc.missing-bone"}
    np.testing.assert_array_equal(loaded.clips[0].rotations[:, 2], np.tile([1, 0, 0, 0], (5, 1)))
    with pytest.raises(FormatError, match="leg"):
        load(tmp_path, text, tolerance="strict")


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("leg 3 5 6\n", "", "amc.missing-values"),
        ("leg 3 5 6\n", "leg 3 5\n", "amc.bad-values"),
        ("leg 3 5 6\n", "leg 3 nan 6\n", "amc.bad-values"),
    ],
)
def test_recovering_keeps_the_values_before(tmp_path, old, new, code):
    plain, loaded = load(tmp_path).clips[0], load(tmp_path, (HEAD + BODY).replace(old, new), tolerance="recover")
    clip = loaded.clips[0]
    assert code in codes(loaded)
    assert len(clip) == 5
    np.testing.assert_array_equal(clip.rotations[2, 2], plain.rotations[1, 2])
    others = [0, 1, 3, 4]
    np.testing.assert_array_equal(clip.rotations[others], plain.rotations[others])


def test_recovering_passes_over_unknown_bones(tmp_path):
    plain, loaded = (
        load(tmp_path).clips[0],
        load(tmp_path, (HEAD + BODY).replace("leg 3", "arm 1\nleg 3"), tolerance="recover"),
    )
    assert codes(loaded) == {"amc.unknown-bone"}
    np.testing.assert_array_equal(loaded.clips[0].rotations, plain.rotations)


def test_it_is_found_by_its_content(tmp_path):
    assert find_format(put(tmp_path, name="s_01")).name == "amc"


# --- writing ------------------------------------------------------------------------------------------------------------


def write_and_read(clip: Clip, folder: Path, options: WriteOptions | None = None) -> Clip:
    path = folder / "out.amc"
    amc.write([clip], path, options or WriteOptions())
    return amc.read(path, ReadOptions(tolerance="strict")).clips[0]


def compare_positions(a: Clip, b: Clip) -> float:
    """Largest distance between joints of the same name, metres; the root is called `root` in Acclaim files."""
    first, second = a.world(np.float64).positions, b.world(np.float64).positions
    where = [0, *(b.skeleton.joint(name) for name in a.skeleton.names[1:])]
    return float(np.linalg.norm(first - second[:, where], axis=-1).max())


def compare_ends(a: Clip, b: Clip) -> float:
    """Largest distance from an end site of `a` to the nearest of `b`."""
    points = [
        np.stack(
            [
                clip.world(np.float64).point(joint, offset)
                for joint, offset in zip(clip.skeleton.end_joints, clip.skeleton.end_offsets, strict=True)
            ],
            1,
        )
        for clip in (a, b)
    ]
    return float(np.linalg.norm(points[0][:, :, None] - points[1][:, None], axis=-1).max(axis=0).min(axis=1).max())


def test_a_file_comes_back_with_its_own_skeleton_text(tmp_path):
    clip = load(tmp_path).clips[0]
    again = write_and_read(clip, tmp_path)
    assert (tmp_path / "out.asf").read_text() == ASF
    assert compare_positions(clip, again) < 1e-6
    lines = [line.split()[0] for line in (tmp_path / "out.amc").read_text().splitlines() if line[0].isalpha()]
    assert lines[:3] == ["root", "leg", "foot"]


def test_a_skeleton_of_something_else_is_not_replaced(tmp_path):
    clip = load(tmp_path).clips[0]
    other = tmp_path / "walk.asf"
    other.write_text(ASF.replace("leg", "arm"))
    with pytest.raises(FormatError, match=r"would replace walk\.asf"):
        amc.write([clip], tmp_path / "walk.amc", WriteOptions())
    assert other.read_text() == ASF.replace("leg", "arm")
    assert not (tmp_path / "walk.amc").exists()
    other.unlink()
    amc.write([clip], tmp_path / "walk.amc", WriteOptions())
    amc.write(
        [replace(clip, skeleton=clip.skeleton.scaled(2))], tmp_path / "walk.amc", WriteOptions()
    )  # a pair of its own


def test_motion_beyond_the_degrees_of_freedom_gets_more_of_them(tmp_path):
    clip = load(tmp_path).clips[0]
    rotations = clip.rotations.copy()
    rotations[:, 3] = from_euler(np.radians([10.0, 20.0, 30.0]), "zyx")
    rotations[:, 1] = from_axis_angle([0.0, 1.0, 0.0], 0.4)
    edited = replace(clip, rotations=rotations)
    again = write_and_read(edited, tmp_path)
    assert compare_positions(edited, again) < 1e-6
    assert np.abs(np.abs(np.einsum("fji,fji->fj", again.rotations, rotations)) - 1).max() < 1e-6
    text = (tmp_path / "out.asf").read_text()
    assert "dof rx ry rz\n    limits (-45 45)" in text  # the foot's own limit stays
    assert "(-160 20)" in text


def test_other_lengths_keep_axes_and_limits(tmp_path):
    clip = load(tmp_path).clips[0]
    taller = replace(clip, skeleton=clip.skeleton.scaled(1.25))
    again = write_and_read(taller, tmp_path)
    assert compare_positions(taller, again) < 1e-6
    assert "axis 0 0 20  XYZ" in (tmp_path / "out.asf").read_text()
    assert again.skeleton.end_offsets[0][2] == pytest.approx(1.25 * UNIT)


def test_other_units_and_rates_come_back(tmp_path):
    clip = replace(load(tmp_path).clips[0], fps=29.97)
    again = write_and_read(clip, tmp_path, WriteOptions(unit=0.01))
    assert again.fps == 29.97
    assert again.origin.unit == pytest.approx(0.01)
    assert compare_positions(clip, again) < 1e-6


@pytest.mark.parametrize(
    "dofs", ["rx", "ry", "rz", "rx ry", "ry rx", "rz rx", "ry rz", "rx ry rz", "rz ry rx", "ry tz rz"]
)
def test_large_angles_in_any_degrees_of_freedom(tmp_path, dofs):
    count = len(dofs.split())
    body = "".join(
        f"{n}\nroot 0 0 0 0 0 0\nleg 0 0 0\nfoot {' '.join(str((1 if k % 2 else -1) * 31.7 * n + 11 * k) for k in range(count))}\n"
        for n in range(1, 40)
    )
    skeleton = ASF.replace("dof rx\n    limits (-45 45)", f"dof {dofs}")
    clip = load(tmp_path, HEAD + body, skeleton).clips[0]
    again = write_and_read(clip, tmp_path)
    assert (tmp_path / "out.asf").read_text() == skeleton
    assert np.abs(np.abs(np.einsum("fji,fji->fj", again.rotations, clip.rotations)) - 1).max() < 1e-6


def make_tree(seed: int, moving: bool) -> Clip:
    """Random motion of a skeleton with forks, coincident joints, bare leaves, and names that Acclaim cannot hold."""
    rng = np.random.default_rng(seed)
    names = ("Hips", "left leg", "Left Leg", "root", "12", "link1", "a#b", "Arm(L)", "tip")
    parents = np.array([-1, 0, 0, 0, 1, 1, 2, 2, 7])
    offsets = rng.normal(size=(9, 3))
    offsets[4] = offsets[5]  # two children in one place
    offsets[3] = 0
    ends = np.array([4, 6, 6, 8, 1])
    skeleton = Skeleton(names, parents, offsets, end_joints=ends, end_offsets=rng.normal(size=(5, 3)))
    translations = None
    if moving:
        translations = JointTranslations(np.array([2, 5, 8], np.int32), rng.normal(size=(6, 3, 3)).astype(np.float32))
    rotations, root = normalize(rng.normal(size=(6, 9, 4))), rng.normal(size=(6, 3))
    return Clip(skeleton, rotations.astype(np.float32), root.astype(np.float32), 60.0, "tree", translations)


@given(st.integers(0, 10**6), st.booleans())
def test_any_clip_comes_back(tmp_path_factory, seed, moving):
    clip, folder = make_tree(seed, moving), tmp_path_factory.mktemp("amc")
    again = write_and_read(clip, folder)
    names = ["root", "left_leg", "Left_Leg_2", "root_2", "_12", "link1_2", "a_b", "Arm_L_", "tip"]
    there = again.world(np.float64).positions[:, [again.skeleton.joint(name) for name in names]]
    assert np.abs(there - clip.world(np.float64).positions).max() < 1e-4
    assert compare_ends(clip, again) < 1e-4
    assert again.fps == 60.0


def test_what_cannot_be_written_is_refused(tmp_path):
    clip = load(tmp_path).clips[0]
    with pytest.raises(ParameterError, match="Y up"):
        amc.write([clip], tmp_path / "x.amc", WriteOptions(up="z"))
    root = clip.root.copy()
    root[3] = np.nan
    with pytest.raises(FormatError, match="frame 3"):
        amc.write([replace(clip, root=root)], tmp_path / "x.amc", WriteOptions())
    assert not list(tmp_path.glob("x.*"))


# --- recordings ---------------------------------------------------------------------------------------------------------


def motions(corpus: Path) -> list[Path]:
    files = sorted(corpus.glob("*-asfamc/*.amc"))
    assert len(files) >= 36
    return files


@pytest.mark.corpus
def test_real_motion_reads_strictly_and_comes_back(corpus, tmp_path):
    for file in motions(corpus):
        clip = amc.read(file, ReadOptions(tolerance="strict")).clips[0]
        assert clip.fps == 120.0
        assert 0.5 < np.median(clip.root[:, 1]) < 1.3 or "lieDown" in file.stem or "squat" in file.stem
        again = write_and_read(clip, tmp_path)
        assert compare_positions(clip, again) < 1e-5
        assert (tmp_path / "out.asf").read_bytes() == amc.find_skeleton(file).read_bytes()


@pytest.mark.corpus
def test_the_same_trial_as_bvh_has_the_same_joints(corpus):
    """The BVH conversion puts a T-pose first and leaves out three segments (thorax to neck and shoulders, both wrists to hands)."""
    shared = [file for file in motions(corpus) if (corpus / "cmu-bvh" / f"{file.stem}.bvh").exists()]
    assert len(shared) >= 10
    for file in shared:
        clip = amc.read(file, ReadOptions()).clips[0]
        other = bvh.read(corpus / "cmu-bvh" / f"{file.stem}.bvh", ReadOptions()).clips[0]
        want = other.world(np.float64).positions[1:] * UNIT
        left_out = np.all(other.skeleton.offsets == 0, axis=1) & np.any(clip.skeleton.offsets != 0, axis=1)
        assert {name for name, gone in zip(clip.skeleton.names, left_out, strict=True) if gone} == {
            "lowerneck", "lclavicle", "rclavicle", "lhand", "lthumb", "rhand", "rthumb"
        }  # fmt: skip
        whole = clip.world(np.float64).positions
        below = slice(0, clip.skeleton.joint("thorax") + 1)  # legs and spine: nothing left out
        assert np.linalg.norm(whole[:, below] - want[:, below], axis=-1).max() < 1e-4
        offsets = np.where(left_out[:, None], 0.0, clip.skeleton.offsets)
        shortened = replace(clip, skeleton=replace(clip.skeleton, offsets=offsets))
        assert np.linalg.norm(shortened.world(np.float64).positions - want, axis=-1).max() < 1e-4


@pytest.mark.corpus
def test_bvh_clips_come_back_through_acclaim(corpus, tmp_path):
    files = [*sorted(corpus.glob("cmu-bvh/*.bvh"))[::30], *sorted(corpus.glob("noncommercial/bandai-namco/*.bvh"))[:3]]
    files += [file for file in sorted(corpus.glob("bvh-other/*.bvh")) if file.stat().st_size < 3e6]
    for file in files:
        clip = bvh.read(file, ReadOptions()).clips[0]
        clip = replace(clip, skeleton=clip.skeleton.scaled(0.05), root=clip.root * 0.05, translations=None)
        again = write_and_read(clip, tmp_path)
        assert np.abs(again.root - clip.root).max() < 1e-4
        if all(name.isidentifier() for name in clip.skeleton.names):
            assert compare_positions(clip, again) < 1e-4
