"""NumPy archives: exact round trips, and refusal of everything that is not a clip."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reenact.core.clip import Clip
from reenact.core.origin import Origin
from reenact.errors import FormatError
from reenact.formats import npz


def same(a: Clip, b: Clip) -> None:
    for key in ("rotations", "root"):
        assert getattr(a, key).tobytes() == getattr(b, key).tobytes()
        assert getattr(a, key).dtype == getattr(b, key).dtype
    for key in ("parents", "offsets", "rest", "end_joints", "end_offsets"):
        assert getattr(a.skeleton, key).tobytes() == getattr(b.skeleton, key).tobytes()
        assert getattr(a.skeleton, key).shape == getattr(b.skeleton, key).shape
    assert a.skeleton.names == b.skeleton.names
    assert dict(a.skeleton.roles) == dict(b.skeleton.roles)
    assert (a.fps, a.name, a.pristine) == (b.fps, b.name, b.pristine)
    assert (a.translations is None) == (b.translations is None)
    if a.translations is not None and b.translations is not None:
        assert a.translations.joints.tobytes() == b.translations.joints.tobytes()
        assert a.translations.values.tobytes() == b.translations.values.tobytes()
    for key in (one.name for one in fields(Origin) if one.name != "added_pose"):
        assert getattr(a.origin, key) == getattr(b.origin, key)
    assert (a.origin.added_pose is None) == (b.origin.added_pose is None)
    if a.origin.added_pose is not None and b.origin.added_pose is not None:
        assert a.origin.added_pose.rotations.tobytes() == b.origin.added_pose.rotations.tobytes()
        assert a.origin.added_pose.root.tobytes() == b.origin.added_pose.root.tobytes()


@pytest.mark.parametrize(
    "options", [{}, {"translated": 2}, {"full": False}, {"joints": 1, "full": False}, {"frames": 0}, {"frames": 1}]
)
def test_round_trip_is_exact(tmp_path, make_clip, options):
    clip = make_clip(3, fps=119.88, **options)
    path = tmp_path / "clip.npz"
    for one in (clip, clip.as_recorded(), clip.renamed("")):
        npz.write([one], path)
        loaded = npz.read(path)
        assert loaded.format == "npz"
        same(one, loaded.clips[0])
        first = path.read_bytes()
        npz.write(loaded.clips, path)
        assert path.read_bytes() == first


def test_rotations_are_written_as_unit_float32(tmp_path, make_clip):
    clip = make_clip(3)
    turns = clip.rotations.copy()
    turns[4] *= 1.001
    turns[5, 2] = np.float32(1.0000001), 0, 0, 0
    turns[6, 1] = 0
    npz.write([replace(clip, rotations=turns)], tmp_path / "x.npz")
    held = npz.read(tmp_path / "x.npz").clips[0].rotations
    assert np.abs(np.square(held.astype(np.float64)).sum(axis=-1) - 1).max() < 1.3e-7
    assert np.abs(held).max() <= 1
    assert held[5, 2].tolist() == held[6, 1].tolist() == [1, 0, 0, 0]
    others = np.delete(np.arange(len(held)), [4, 5, 6])
    assert np.array_equal(held[others], clip.rotations[others])


def test_the_made_clips_set_every_field_of_an_origin(make_clip):
    """So that the round trips above fail when a field is added to `Origin` and forgotten here."""
    origin, empty = make_clip().origin, Origin()
    assert [one.name for one in fields(Origin) if getattr(origin, one.name) == getattr(empty, one.name)] == []


def test_a_compressed_archive_of_plain_numpy_is_read(tmp_path, make_clip):
    """Interchange: only the required keys, float64, big-endian and Fortran order."""
    clip = make_clip(full=False)
    path = tmp_path / "other.npz"
    np.savez_compressed(
        path,
        reenact_clip=1,
        names=np.array(clip.skeleton.names),
        parents=clip.skeleton.parents.astype(np.int64),
        offsets=np.asfortranarray(clip.skeleton.offsets),
        rotations=clip.rotations.astype(">f8"),
        root=clip.root,
        fps=30,
        comment=np.array("ignored"),
    )
    found = npz.read(path).clips[0]
    assert found.rotations.tobytes() == clip.rotations.tobytes()
    assert np.array_equal(found.skeleton.offsets, clip.skeleton.offsets)
    assert (found.name, found.fps) == ("other", 30.0)


@pytest.fixture
def arrays(tmp_path, make_clip) -> dict[str, np.ndarray]:
    npz.write([make_clip(translated=1)], tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz", allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("reenact_clip", np.array(2), "version 2"),
        ("reenact_clip", np.array("x"), "expected integers"),
        ("parents", np.zeros(7, np.int32), "parents must come before"),
        ("parents", np.full(7, 1 << 40), "beyond 32 bits"),
        ("offsets", np.zeros((6, 3)), "expected the shape"),
        ("offsets", np.full((7, 3), np.inf), "not finite"),
        ("rotations", np.zeros((12, 7, 3), np.float32), "expected the shape"),
        ("rotations", np.zeros(()), "expected the shape"),
        ("rotations", np.full((12, 7, 4), 1e300), "not finite"),
        ("root", np.zeros((11, 3)), "expected the shape"),
        ("root", np.full((12, 3), np.nan), "not finite"),
        ("fps", np.array(0.0), "fps must be a positive number"),
        ("fps", np.array(np.nan), "fps must be a positive number"),
        ("names", np.array(["a"] * 7), "must be unique"),
        ("names", np.array([], np.str_), "expected the shape"),
        ("names", np.arange(7), "expected texts"),
        ("names", np.array([f"\ud800{i}" for i in range(7)]), "no text"),
        ("end_joints", np.full(3, 99), "end"),
        ("role_names", np.array(["hips", "tail"]), "not a role"),
        ("role_joints", np.array([0, 7]), "does not exist"),
        ("translated_joints", np.array([0]), "may not hold the root"),
        ("translated_joints", np.array([7]), "there are 7"),
        ("translations", np.zeros((3, 1, 3)), "expected the shape"),
        ("origin", np.array("{"), "not valid JSON"),
        ("origin", np.array("[" * 100_000), "not valid JSON"),
        ("origin", np.array("[]"), "not a JSON object"),
        ("origin", np.array('{"unit": 0}'), "unit"),
        ("origin", np.array('{"up": "w"}'), "up axis"),
        ("origin", np.array('{"channels": [1]}'), "channels"),
        ("origin", np.array('{"added_pose": {"rotations": [[1e999]], "root": [0, 0, 0]}}'), "added pose"),
        ("origin", np.array('{"findings": [{}]}'), "findings"),
        ("pristine", np.array(1.5), "true or false"),
    ],
)
def test_odd_arrays_are_refused(tmp_path, arrays, key, value, said):
    path = tmp_path / "bad.npz"
    np.savez(path, **{**arrays, key: value})
    with pytest.raises(FormatError, match=said) as caught:
        npz.read(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("key", ["reenact_clip", "names", "parents", "offsets", "rotations", "root", "fps"])
def test_a_missing_array_is_named(tmp_path, arrays, key):
    del arrays[key]
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(FormatError, match=f"{key!r} is missing"):
        npz.read(tmp_path / "bad.npz")


def archive(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as out:
        for name, data in members.items():
            out.writestr(name, data)
    return path


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array)
    return stream.getvalue()


def with_header(header: str, data: bytes = b"") -> bytes:
    text = header.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


@pytest.mark.parametrize(
    ("member", "said"),
    [
        (
            with_header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"cos\nsystem\n"),
            "plain numbers or texts",
        ),
        (with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }"), "plain numbers or texts"),
        (with_header("__import__('os').abort()"), "plain numbers or texts"),
        (
            with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 3), }"),
            "needs 12000000000000 bytes",
        ),
        (with_header("{'descr': '<f3', 'fortran_order': False, 'shape': (1,), }"), "unknown type"),
        (with_header("{'descr': '<U999999999', 'fortran_order': False, 'shape': (9,), }"), "unknown type"),
        (with_header("{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,), }"), "expected"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\x7f", "header of"),
        (b"\x93NUMPY\x09\x00", "not a NumPy array"),
        (b"", "not a NumPy array"),
    ],
)
def test_hostile_members_are_refused_before_they_are_loaded(tmp_path, arrays, member, said):
    members = {f"{key}.npy": npy(array) for key, array in arrays.items()}
    members["root.npy"] = member
    with pytest.raises(FormatError, match=said):
        npz.read(archive(tmp_path / "bad.npz", members))


def test_a_zip_bomb_is_refused_by_its_size(tmp_path, arrays):
    members = {f"{key}.npy": npy(array) for key, array in arrays.items()}
    members["root.npy"] = npy(np.zeros((1 << 24, 3)))
    path = archive(tmp_path / "bomb.npz", members, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 1 << 20
    with pytest.raises(FormatError, match="would unpack to"):
        npz.read(path)


def test_other_compression_and_repeated_members_are_refused(tmp_path, arrays):
    members = {f"{key}.npy": npy(array) for key, array in arrays.items()}
    with pytest.raises(FormatError, match="compressed in a way"):
        npz.read(archive(tmp_path / "lzma.npz", members, zipfile.ZIP_LZMA))
    path = archive(tmp_path / "twice.npz", members)
    with zipfile.ZipFile(path, "a") as out, pytest.warns(UserWarning, match="Duplicate"):
        out.writestr("root.npy", members["root.npy"])
    with pytest.raises(FormatError, match="twice"):
        npz.read(path)
    with pytest.raises(FormatError, match="members"):
        npz.read(archive(tmp_path / "many.npz", {f"{i}.npy": b"" for i in range(1000)}))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"HIERARCHY", bytes(100), json.dumps({}).encode()])
def test_other_files_are_refused(tmp_path, data):
    path = tmp_path / "bad.npz"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="not a NumPy archive"):
        npz.read(path)


def test_a_folder_and_a_missing_file_are_os_errors(tmp_path):
    for path in (tmp_path, tmp_path / "none.npz"):
        with pytest.raises(OSError, match=r"."):
            npz.read(path)


def test_what_cannot_be_written_leaves_no_file(tmp_path, make_clip):
    path = tmp_path / "out.npz"
    clip = make_clip()
    with pytest.raises(FormatError, match="2 were given"):
        npz.write([clip, clip], path)
    with pytest.raises(FormatError, match="zero character"):
        npz.write([clip.renamed("x\0")], path)
    broken = Clip(clip.skeleton, clip.rotations * np.float32(np.nan), clip.root, 30.0)
    with pytest.raises(FormatError, match="not finite"):
        npz.write([broken], path)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_damaged_bytes_raise_only_format_errors(tmp_path_factory, make_clip, data):
    path = tmp_path_factory.getbasetemp() / "fuzzed.npz"
    npz.write([make_clip(joints=3, frames=2, translated=1)], path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content)
    with suppress(FormatError):
        npz.read(path).clips[0].world()
