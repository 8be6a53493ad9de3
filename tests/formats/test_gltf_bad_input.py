"""Damaged and hostile glTF: only `FormatError` or `OSError`, never a wrong size, a hang or another error."""

from __future__ import annotations

import copy
import json
import struct
import tracemalloc
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.errors import FormatError
from reenact.formats import gltf
from reenact.formats.loaded import ReadOptions, WriteOptions

TOLERANCES = ("strict", "normal", "recover")


def split(data: bytes) -> tuple[dict, bytes]:
    (size,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def join(tree: object, data: bytes) -> bytes:
    text = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4E4F534A)
    return head + text + struct.pack("<II", len(data), 0x004E4942) + data


@pytest.fixture
def good(tmp_path, make_clip) -> bytes:
    """A small file with everything in it: mesh, skin, translations, end sites, extras."""
    clip = make_clip(1, joints=4, frames=5, translated=1)
    rest = rest_world(clip.skeleton)
    character = Character(
        clip.skeleton,
        np.eye(3, dtype=np.float32),
        np.array([[0, 1, 2]], np.int32),
        np.array([[0, 1], [1, 2], [2, 3]], np.int32),
        np.full((3, 2), 0.5, np.float32),
        rigid_inverse(rest.positions[0], rest.rotations[0]),
        normals=np.eye(3, dtype=np.float32),
        uvs=np.zeros((3, 2), np.float32),
    )
    gltf.write([clip], tmp_path / "good.glb", WriteOptions(character=character))
    return (tmp_path / "good.glb").read_bytes()


def expect(path: Path, data: bytes, said: str) -> None:
    path.write_bytes(data)
    with pytest.raises(FormatError, match=said) as caught:
        gltf.read(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"glTF", "cut off"),
        (b"glTF" + struct.pack("<II", 1, 12), "GLB version 1"),
        (b"glTF" + struct.pack("<II", 2, 12), "no JSON chunk"),
        (b"glTF" + struct.pack("<II", 2, 1 << 31), "cut off"),
        (b"glTF" + struct.pack("<IIII", 2, 20, 0, 0x004E4942), "must be JSON"),
        (b"glTF" + struct.pack("<IIII", 2, 20, 1 << 31, 0x4E4F534A), "runs past the end"),
        (bytes(range(256)), "not UTF-8|not valid JSON"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"{", "not valid JSON"),
        (b"[]", "expected a JSON object"),
        (b"{}", "not glTF"),
        (b'{"asset": {"version": "1.0"}, "nodes": {}}', "glTF version 1.0"),
        (b'{"asset": {"version": "2.0"}}', "no skeleton, no animation and no mesh"),
        (b"[" * 200_000, "nested too deep"),
        (b'{"asset": {"version": "2.0"}, "nodes": ' + b"9" * 10_000 + b"}", "number too long|expected a list"),
    ],
)
def test_what_is_no_gltf(tmp_path, data, said):
    expect(tmp_path / "bad.glb", data, said)


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (("nodes", 0, "children"), [0], "must form trees"),
        (("nodes", 3, "children"), [0], "cycle"),
        (("nodes", 0, "children"), [99], "there are"),
        (("nodes", 0, "children"), [-1], "whole number"),
        (("nodes", 0, "children"), [True], "whole number"),
        (("nodes", 0, "translation"), [0, 1], "3 finite numbers"),
        (("nodes", 0, "translation"), [float("nan"), 0, 0], "3 finite numbers"),
        (("nodes", 0, "translation"), ["0", 0, 0], "3 finite numbers"),
        (("nodes", 1, "translation"), [1e300, 1e300, 1e300], "beyond all measure"),
        (("nodes", 1, "translation"), [10**400, 0, 0], "3 finite numbers"),
        (("nodes", 2), "x", "expected an object"),
        (("nodes",), {}, "expected a list"),
        (("accessors", 0, "count"), 10**12, "needs"),
        (("accessors", 0, "count"), 1.5, "whole number"),
        (("accessors", 0, "componentType"), 7, "is not one of"),
        (("accessors", 0, "type"), "VEC9", "must be"),
        (("accessors", 0, "type"), {}, "must be"),
        (("accessors", 0, "byteOffset"), 10**30, "needs"),
        (("accessors", 0, "bufferView"), 10**6, "there are"),
        (("bufferViews", 0, "byteLength"), 10**15, "needs bytes|cut"),
        (("bufferViews", 0, "byteOffset"), 10**15, "needs bytes"),
        (("bufferViews", 0, "byteStride"), 3, "byteStride"),
        (("buffers", 0, "byteLength"), 10**15, "expected 1000000000000000 bytes"),
        (("buffers", 0, "uri"), "data:application/octet-stream;base64", "without a comma"),
        (("buffers", 0, "uri"), 5, "expected a text"),
        (("animations", 0, "channels", 0, "sampler"), 99, "there are"),
        (("animations", 0, "samplers", 0, "input"), 99, "there are"),
        (("animations", 0, "samplers", 0, "interpolation"), "BEZIER", "is not one of LINEAR, STEP, CUBICSPLINE"),
        (("animations", 0, "samplers", 0, "interpolation"), "CUBICSPLINE", "cubic spline values"),
        (("animations", 0, "samplers", 0), {}, "needs input and output"),
        (("skins", 0, "joints"), [99], "there are"),
        (("skins", 0, "joints"), "all", "expected a list"),
        (("meshes", 0, "primitives", 0, "indices"), 0, "must be SCALAR"),
        (("meshes", 0, "primitives", 0, "attributes"), [], "expected an object"),
    ],
)
def test_wrong_values_are_named(tmp_path, good, where, value, said):
    tree, data = split(good)
    holder = tree
    for key in where[:-1]:
        holder = holder[key]
    holder[where[-1]] = value
    if (
        where[0] in ("accessors", "bufferViews")
        and where[-1] in ("byteLength", "byteOffset")
        and where[0] == "bufferViews"
    ):
        tree["accessors"][0]["count"] = 4
        if where[-1] == "byteLength":
            tree["bufferViews"][0]["byteOffset"] = 10**9
    expect(tmp_path / "bad.glb", join(tree, data), said)


def test_counts_without_data_are_bounded(tmp_path, good):
    tree, data = split(good)
    for accessor in tree["accessors"]:
        accessor.pop("bufferView")
        accessor["count"] = 10**12
    expect(tmp_path / "bad.glb", join(tree, data), "more than the file could fill")


def test_an_endless_animation_is_refused(tmp_path, builder):
    builder.add("nodes", name="a")
    builder.animate(0, "translation", [0.0, 1e7], [[0, 0, 0], [1, 0, 0]])
    path = builder.save(tmp_path / "x.glb")
    with pytest.raises(FormatError, match="frames of 1 joints are more than"):
        gltf.read(path)


def test_many_animations_on_the_same_keys_are_bounded_together(tmp_path, builder):
    builder.add("nodes", name="a")
    builder.animate(0, "translation", [0.0, 30_000.0], [[0, 0, 0], [1, 0, 0]])
    builder.tree["animations"] *= 100
    path = builder.save(tmp_path / "x.glb")
    with pytest.raises(FormatError, match="may ask for"):
        gltf.read(path)


def test_many_uses_of_one_mesh_are_bounded(tmp_path, builder):
    builder.add("nodes", name="top", children=list(range(1, 2001)))
    for _ in range(2000):
        builder.add("nodes", mesh=0)
    builder.add("meshes", primitives=[{"attributes": {"POSITION": builder.accessor(np.zeros((3000, 3)))}}])
    path = builder.save(tmp_path / "x.glb")
    with pytest.raises(FormatError, match="may ask for"):
        gltf.read(path)


def shared_spheres(builder, meshes, accessors, vertices):
    """Many meshes that share few accessors: each its own list of corners, by turns the same places."""
    places = np.zeros((vertices, 3), np.float32)
    lists = np.arange(3 * (vertices // 3), dtype=np.uint16)[:, None]
    shared = [
        {"POSITION": builder.accessor(places), "NORMAL": builder.accessor(places)}
        | {"corners": builder.accessor(lists, "u2")}
        for _ in range(accessors // 3)
    ]
    builder.add("nodes", name="top", children=list(range(1, meshes + 1)))
    for number in range(meshes):
        builder.add("nodes", mesh=number)
        one = dict(shared[number % len(shared)])
        builder.add("meshes", primitives=[{"indices": one.pop("corners"), "attributes": one}])


def test_meshes_that_share_accessors_are_counted_by_what_they_take(tmp_path, builder):
    shared_spheres(builder, meshes=102, accessors=78, vertices=18_000)
    path = builder.save(tmp_path / "x.glb")
    loaded = gltf.read(path)
    assert len(loaded.characters[0].vertices) == 102 * 18_000


def test_primitives_that_share_accessors_without_end_are_bounded_while_they_are_read(tmp_path, builder):
    corners = builder.accessor(np.zeros((900_000, 1)), "u1")
    places = builder.accessor(np.zeros((3, 3)))
    builder.add("nodes", mesh=0)
    builder.add("meshes", primitives=[{"attributes": {"POSITION": places}, "indices": corners}] * 5000)
    path = builder.save(tmp_path / "x.glb")
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="may ask for"):
            gltf.read(path)
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["animated", "skinned", "bare"])
def test_a_chain_of_100_000_nodes(tmp_path, builder, kind):
    count = 100_000
    builder.tree["nodes"] = [{"translation": [0, 1e-5, 0], "children": [i + 1]} for i in range(count - 1)] + [{}]
    if kind == "animated":
        builder.animate(count - 1, "translation", [0, 0.1], [[0, 0, 0], [1, 0, 0]])
    if kind == "skinned":
        builder.add("skins", joints=list(range(count)))
    path = builder.save(tmp_path / "deep.glb")
    if kind == "animated":
        assert gltf.read(path).clips[0].root[0, 1] == pytest.approx(1, abs=1e-3)
    else:
        with pytest.raises(FormatError, match="100000 joints, expected at most 10000"):
            gltf.read(path)


def test_a_chain_of_many_joints(tmp_path, builder):
    count = 5_000
    builder.tree["nodes"] = [{"translation": [0, 1e-5, 0], "children": [i + 1]} for i in range(count - 1)] + [{}]
    builder.add("skins", joints=list(range(count)))
    loaded = gltf.read(builder.save(tmp_path / "deep.glb"))
    assert len(loaded.characters[0].skeleton) == count


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.bin",
        "/etc/passwd",
        "a/../../secret.bin",
        "..%2fsecret.bin",
        "%2e%2e/secret.bin",
        "http://localhost/x.bin",
        "file:///etc/passwd",
        "C:\\x",
        "..\\secret.bin",
        "x%00y",
        "%ff",
    ],
)
def test_buffers_outside_the_folder_are_refused(tmp_path, builder, uri):
    (tmp_path / "secret.bin").write_bytes(bytes(1000))
    folder = tmp_path / "inner"
    folder.mkdir()
    builder.add("nodes", name="a")
    builder.animate(0, "translation", [0, 1], np.zeros((2, 3)))
    builder.tree["buffers"] = [{"byteLength": len(builder.data), "uri": uri}]
    path = folder / "x.gltf"
    path.write_text(json.dumps(builder.tree))
    with pytest.raises(FormatError, match=r"buffers\[0\]"):
        gltf.read(path)


def test_links_out_of_the_folder_are_refused_and_missing_files_are_os_errors(tmp_path, builder):
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(1000))
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "loop.bin").symlink_to(folder / "loop.bin")
    builder.add("nodes", name="a")
    builder.animate(0, "translation", [0, 1], np.zeros((2, 3)))
    path = folder / "x.gltf"
    for uri, kind in (
        ("link.bin", FormatError),
        ("loop.bin", (FormatError, OSError)),
        ("none.bin", FileNotFoundError),
        ("", FileNotFoundError),
    ):
        builder.tree["buffers"] = [{"byteLength": len(builder.data), "uri": uri}]
        path.write_text(json.dumps(builder.tree))
        with pytest.raises(kind):
            gltf.read(path)


def test_values_that_are_no_numbers(tmp_path, builder):
    builder.add("nodes", name="a")
    builder.animate(0, "translation", [0, 0.1, 0.2, 0.3], [[0, 0, 0], [np.nan, 0, 0], [np.inf, 1, 0], [1, 1, 1]])
    path = builder.save(tmp_path / "x.glb")
    with pytest.raises(FormatError, match="2 values are not finite"):
        gltf.read(path)
    loaded = gltf.read(path, ReadOptions(tolerance="recover"))
    assert np.isfinite(loaded.clips[0].root).all()
    assert {"gltf.not-finite"} <= {finding.code for finding in loaded.findings}


def test_a_cut_off_file_is_recovered_as_far_as_it_goes(tmp_path, good):
    path = tmp_path / "x.glb"
    path.write_bytes(good[:-100])
    with pytest.raises(FormatError, match="cut off"):
        gltf.read(path)
    loaded = gltf.read(path, ReadOptions(tolerance="recover"))
    assert "gltf.cut-off" in {finding.code for finding in loaded.findings}
    assert np.isfinite(loaded.clips[0].world().positions).all()


def try_reading(path: Path, data: bytes, tolerance) -> None:
    """Read; anything but the two allowed kinds of error fails the test, and so does motion that is not finite."""
    path.write_bytes(data)
    with suppress(FormatError, OSError):
        loaded = gltf.read(path, ReadOptions(tolerance=tolerance))
        for clip in loaded.clips:
            assert np.isfinite(clip.rotations).all()
            assert np.isfinite(clip.root).all()
        for character in loaded.characters:
            assert np.isfinite(character.vertices).all()


FUZZ = settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@FUZZ
@given(data=st.data())
def test_flipped_and_missing_bytes(tmp_path_factory, good, data):
    content = bytearray(good)
    for _ in range(data.draw(st.integers(0, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    try_reading(tmp_path_factory.getbasetemp() / "fuzzed.glb", bytes(content), data.draw(st.sampled_from(TOLERANCES)))


@FUZZ
@given(data=st.data())
def test_wild_floats_in_the_data(tmp_path_factory, good, data):
    tree, raw = split(good)
    values = np.frombuffer(raw, "<f4").copy()
    wild = st.sampled_from([np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-40, 0.0, 1e20])
    for _ in range(data.draw(st.integers(1, 5))):
        values[data.draw(st.integers(0, len(values) - 1))] = data.draw(wild)
    try_reading(
        tmp_path_factory.getbasetemp() / "fuzzed.glb",
        join(tree, values.tobytes()),
        data.draw(st.sampled_from(TOLERANCES)),
    )


def places(tree: object, path: tuple = ()) -> list[tuple]:
    """Every place in a JSON tree."""
    found = [path] if path else []
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        found.extend(places(value, (*path, key)))
    return found


WILD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 60),
    st.sampled_from([10**12, -(10**12), 10**400, 2**31, 2**32, 2**63, 5120, 5121, 5123, 5125, 5126]),
    st.floats(),
    st.sampled_from(
        ["", "x", "VEC3", "VEC4", "MAT4", "SCALAR", "STEP", "CUBICSPLINE", "scale", "translation", "\ud800", "../x"]
    ),
    st.lists(st.one_of(st.integers(-1, 8), st.floats()), max_size=16),
    st.just({}),
    st.just([{}]),
)


@settings(FUZZ, max_examples=1500)
@given(data=st.data())
def test_replaced_json_values(tmp_path_factory, good, data):
    tree, raw = split(good)
    tree = copy.deepcopy(tree)
    for _ in range(data.draw(st.integers(1, 4))):
        every = places(tree)
        path = data.draw(st.sampled_from(every))
        holder = tree
        for key in path[:-1]:
            holder = holder[key]
        if data.draw(st.booleans()) and isinstance(holder, dict):
            del holder[path[-1]]
        else:
            holder[path[-1]] = copy.deepcopy(data.draw(WILD))  # its own: a shared one would come to hold itself
    try_reading(tmp_path_factory.getbasetemp() / "fuzzed.glb", join(tree, raw), data.draw(st.sampled_from(TOLERANCES)))
