"""Files that are dropped on the studio: good, bad, hostile, too large."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from reenact import save
from reenact.core.clip import Clip
from reenact.errors import ParameterError
from reenact.formats.loaded import WriteOptions
from reenact.library import Library
from reenact.samples import make_sample
from reenact.studio.answers import TooLargeError
from reenact.studio.uploads import receive_file, safe_name


def run_apart(coroutine):
    """Run a coroutine in a thread of its own: a browser driver may have left an event loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


@pytest.fixture(scope="module")
def walk() -> Clip:
    """A real walk."""
    return make_sample("walk_normal").clip


def upload(client: TestClient, name: str, data: bytes) -> Any:
    return client.post("/api/upload", params={"name": name}, content=data)


def file_bytes(clip: Clip, tmp_path: Path, name: str, options: WriteOptions | None = None) -> bytes:
    save(clip, tmp_path / name, options)
    return (tmp_path / name).read_bytes()


@pytest.mark.parametrize("ending", ["bvh", "glb", "npz"])
def test_good_file(client: TestClient, tmp_path: Path, walk: Clip, ending: str) -> None:
    data = file_bytes(walk, tmp_path, f"walk.{ending}")
    result = upload(client, f"walk.{ending}", data).json()
    (summary,) = result["added"]
    assert result["existing"] == []
    assert summary["frames"] == len(walk)
    assert summary["source"] == f"walk.{ending}"
    detail = client.get(f"/api/clips/{summary['id']}").json()
    assert detail["origin"]["format"] in (ending, "")  # our own files keep that a clip was made
    assert str(tmp_path) not in str(detail)
    assert "reenact-studio-" not in str(detail)
    again = upload(client, "other.name." + ending, data).json()
    assert again["added"] == []
    assert again["existing"] == [summary]


def test_findings_are_told(client: TestClient, tmp_path: Path, walk: Clip) -> None:
    result = upload(client, "walk.bvh", file_bytes(walk, tmp_path, "w.bvh", WriteOptions(unit=0.01))).json()
    codes = {finding["code"]: finding for finding in result["findings"]}
    assert any(code.startswith("units.") for code in codes)
    assert all("/" not in finding["where"] for finding in result["findings"])


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("x.bvh", b"", "empty"),
        ("x.bvh", b"hello", ""),
        ("x.bvh", b"HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0", ""),
        ("x.glb", b"glTF" + b"\0" * 100, ""),
        ("x.npz", b"PK\x03\x04" + b"\0" * 100, ""),
        ("x.gltf", b'{"asset": {"version": "2.0"}, "buffers": [{"uri": "../../../etc/passwd", "byteLength": 9}]}', ""),
        ("x.exe", b"MZ" + b"\0" * 100, "not a known motion format"),
        ("x.amc", b":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\n", ""),
    ],
)
def test_bad_file(client: TestClient, folder: Path, name: str, data: bytes, words: str) -> None:
    answer = upload(client, name, data)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["where"].startswith(name)
    assert "\n" not in error["message"]
    assert words in error["message"]
    assert "reenact-studio-" not in str(error)
    assert "passwd" not in error["message"] or "root:" not in error["message"]
    assert client.get("/api/clips").json()["total"] == 4
    assert not list((folder / "incoming").iterdir())


def test_reader_goes_on_after_bad_files(client: TestClient, tmp_path: Path, walk: Clip) -> None:
    for _ in range(3):
        assert upload(client, "x.bvh", b"nonsense").status_code == 422
    assert len(upload(client, "walk.bvh", file_bytes(walk, tmp_path, "w.bvh")).json()["added"]) == 1


def test_gltf_cannot_read_its_neighbours(client: TestClient, tmp_path: Path) -> None:
    secret = tmp_path / "secret.bin"
    secret.write_bytes(b"x" * 64)
    for uri in (str(secret), secret.as_uri(), "../" * 10 + str(secret).lstrip("/")):
        buffer = {"uri": uri, "byteLength": 64}
        document = json.dumps({"asset": {"version": "2.0"}, "buffers": [buffer], "animations": []})
        answer = upload(client, "x.gltf", document.encode())
        assert answer.status_code == 422


def test_skeleton_then_motion(client: TestClient, corpus: Path) -> None:
    motion = next(iter(sorted(corpus.rglob("*.amc"))))
    skeleton = next(file for file in sorted(motion.parent.glob("*.asf")) if motion.stem.startswith(file.stem))
    first = upload(client, motion.name, motion.read_bytes())
    assert first.status_code == 422
    kept = upload(client, skeleton.name, skeleton.read_bytes()).json()
    assert kept["added"] == []
    assert kept["findings"][-1]["code"] == "upload.skeleton"
    assert len(upload(client, motion.name, motion.read_bytes()).json()["added"]) == 1


def test_character_comes_along(client: TestClient, tmp_path: Path, walk: Clip) -> None:
    from reenact.body.character import Character, rest_world, rigid_inverse

    joints = len(walk.skeleton)
    rest = rest_world(walk.skeleton)
    mesh = Character(
        walk.skeleton,
        np.eye(3, dtype=np.float32),
        np.array([[0, 1, 2]], np.int32),
        np.full((3, 1), joints - 1, np.int32),
        np.ones((3, 1), np.float32),
        rigid_inverse(rest.positions[0], rest.rotations[0]),
    )
    data = file_bytes(walk, tmp_path, "w.glb", WriteOptions(character=mesh))
    (summary,) = upload(client, "w.glb", data).json()["added"]
    assert summary["has_character"]
    packed = client.get(f"/api/clips/{summary['id']}/character").content
    assert packed[:4] == b"RNS2"
    back = np.frombuffer(packed, "<f4", 9, struct.calcsize("<4s10I")).reshape(3, 3)
    assert {tuple(row) for row in back.round(5)} == {tuple(row) for row in np.eye(3)}


def test_too_large(folder: Path, open_studio: Callable[..., Any]) -> None:
    with open_studio(folder, upload_limit=1000) as client:
        assert upload(client, "x.bvh", b"x" * 1001).status_code == 413
        assert upload(client, "x.bvh", b"x" * 1000).status_code == 422

        def stream() -> Any:
            for _ in range(100):
                yield b"x" * 100

        untold = client.post("/api/upload?name=x.bvh", content=stream())  # no Content-Length: counted as it comes
        assert untold.status_code == 413
        lied = client.post("/api/upload?name=x.bvh", content=b"x" * 10, headers={"content-length": "999999"})
        assert lied.status_code == 413


def test_read_only_library_takes_nothing(folder: Path, open_studio: Callable[..., Any]) -> None:
    with open_studio(folder, read_only=True) as client:
        assert not client.get("/api/session").json()["writable"]
        assert upload(client, "x.bvh", b"x").status_code == 403
        assert client.patch("/api/clips/1", json={"name": "x"}).status_code == 403
        assert client.delete("/api/clips/1").status_code == 403
        start = client.post("/api/operations/cut", json={"clips": [1]})
        assert start.status_code == 403
        assert start.json()["error"]["code"] == "read-only"
        assert client.get("/api/clips/1/thumbnail").status_code == 200  # drawn, not kept
        assert client.get("/api/clips/1/motion").status_code == 200
    with Library(folder) as library:
        assert library.derived_results(1) == []


@pytest.mark.parametrize(
    ("given_name", "safe"),
    [
        ("walk.bvh", "walk.bvh"),
        ("WALK.BVH", "WALK.bvh"),
        ("../../etc/passwd", "passwd.dat"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("/abs/olute.glb", "olute.glb"),
        ("a/b/c.d.npz", "c.d.npz"),
        ("con.bvh", "con_.bvh"),
        (".bvh", ".bvh.dat"),
        ("x.b/vh", "vh.dat"),
        ("nul\0l.bvh", "nul_l.bvh"),
    ],
)
def test_names(given_name: str, safe: str) -> None:
    if given_name == ".bvh":
        assert safe_name(given_name).endswith((".bvh", ".dat"))
    else:
        assert safe_name(given_name) == safe


@pytest.mark.parametrize("name", ["", ".", "..", "/", "a/", "x" * 201])
def test_no_name(client: TestClient, name: str) -> None:
    answer = upload(client, name, b"x")
    assert answer.status_code == 422
    assert answer.json()["error"]["where"] == "name"


@given(st.text())
def test_no_name_leaves_its_folder(text: str) -> None:
    try:
        name = safe_name(text)
    except ParameterError:
        return
    assert name == Path(name).name
    assert name not in ("", ".", "..")
    assert "\\" not in name
    assert "\0" not in name


def test_nothing_is_left_of_what_is_too_large(tmp_path: Path) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"x" * 10
        yield b"x" * 10

    with pytest.raises(TooLargeError):
        run_apart(receive_file(chunks(), tmp_path / "x", 15))
    assert not (tmp_path / "x").exists()
    assert run_apart(receive_file(chunks(), tmp_path / "x", 20)) == 20
