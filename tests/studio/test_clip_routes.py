"""Lists, details, motion, meshes, pictures, exports and changes of clips."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from reenact import load
from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.body.materials import images_of
from reenact.core.clip import Clip
from reenact.library import Library
from reenact.library.characters import keep_character
from reenact.loading import LoadOptions

BAD_IDS = ("0", "99", "-1", "abc", "1.5", "9223372036854775808", "99999999999999999999999", "..%2f..%2fetc", "1%00")


def test_session(client: TestClient, folder: Path) -> None:
    session = client.get("/api/session").json()
    assert session["library_path"] == str(folder)
    assert session["title"] == "lib"
    assert session["writable"]
    assert not session["token_required"]
    assert {entry["name"] for entry in session["formats"]} >= {"bvh", "glb", "npz", "amc"}
    assert session["operations"] == client.get("/api/operations").json()


def test_list_is_paged_searched_and_counted(client: TestClient) -> None:
    whole = client.get("/api/clips").json()
    assert [clip["name"] for clip in whole["clips"]] == ["moving", "other rate", "run", "walk one"]
    assert whole["total"] == 4
    assert whole["tags"] == [{"name": "gait", "count": 2}, {"name": "slow", "count": 1}]
    page = client.get("/api/clips?offset=1&limit=2").json()
    assert [clip["name"] for clip in page["clips"]] == ["other rate", "run"]
    assert (page["total"], page["offset"]) == (4, 1)
    found = client.get("/api/clips", params={"query": "tag:gait stroll"}).json()
    assert found["total"] == 1
    clip = found["clips"][0]
    assert clip | {"added": "", "revision": ""} == {
        "id": 1,
        "name": "walk one",
        "frames": 20,
        "fps": 60.0,
        "joints": 7,
        "seconds": 20 / 60,
        "tags": ["gait", "slow"],
        "type": "walk",
        "description": "a stroll",
        "source": "",
        "has_character": False,
        "added": "",
        "revision": "",
    }
    assert client.get("/api/clips?offset=4").json()["clips"] == []


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=1001", "limit=-1", "limit=x", "offset=-1", "offset=1e3", "limit=" + "9" * 50, "limit="]
)
def test_bad_page_is_refused(client: TestClient, query: str) -> None:
    answer = client.get(f"/api/clips?{query}")
    assert answer.status_code == 422
    assert answer.json()["error"]["where"] == query.partition("=")[0]


@pytest.mark.parametrize("query", ['"', "*", "fps>x", "(((", "a" * 3000, "\x00", "tag:", "-"])
def test_odd_queries_never_fail(client: TestClient, query: str) -> None:
    answer = client.get("/api/clips", params={"query": query})
    assert answer.status_code in (200, 422)
    if answer.status_code == 422:
        assert answer.json()["error"]["message"]


def test_detail(client: TestClient, clip_maker: Callable[..., Clip]) -> None:
    detail = client.get("/api/clips/1").json()
    skeleton = clip_maker(1).skeleton
    assert detail["skeleton"]["names"] == list(skeleton.names)
    assert detail["skeleton"]["parents"] == skeleton.parents.tolist()
    assert detail["skeleton"]["offsets"] == skeleton.offsets.tolist()
    assert detail["skeleton"]["end_joints"] == [2, 4, 6]
    assert detail["skeleton"]["roles"]["left_foot"] == 2
    assert detail["origin"] == {
        "format": "bvh",
        "unit": 0.0254,
        "up": "z",
        "orders": ["ZXY", *["ZYX"] * 6],
        "credits": [],
    }
    assert detail["findings"] == [
        {
            "code": "units.detected",
            "severity": "info",
            "where": "x.bvh",
            "message": "inches",
            "fixed": True,
            "confidence": 0.7,
        }
    ]
    names = [track["name"] for track in client.get("/api/clips/1/tracks").json()["tracks"]]
    assert names == ["left heel", "left ball", "right heel", "right ball", "gait"]
    assert detail["metadata"] == {"type": "walk"}


@pytest.mark.parametrize("what", ["", "/tracks", "/motion", "/character", "/thumbnail", "/export?format=bvh"])
@pytest.mark.parametrize("number", BAD_IDS)
def test_bad_ids(client: TestClient, number: str, what: str) -> None:
    answer = client.get(f"/api/clips/{number}{what}")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not-found"


@pytest.mark.parametrize("number", ["0", "99", "9223372036854775808"])
def test_bad_ids_are_not_changed(client: TestClient, number: str) -> None:
    assert client.patch(f"/api/clips/{number}", json={"name": "x"}).status_code == 404
    assert client.delete(f"/api/clips/{number}").status_code == 404


def unpack_motion(data: bytes) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Reads the layout of the contract, without the code that writes it."""
    magic, frames, joints, fps, moved = struct.unpack_from("<4sIIfI", data)
    assert magic == b"RNM1"
    at = 20
    which = np.frombuffer(data, "<i4", moved, at)
    at += 4 * moved
    root = np.frombuffer(data, "<f4", frames * 3, at).reshape(frames, 3)
    at += 4 * root.size
    turns = np.frombuffer(data, "<f4", frames * joints * 4, at).reshape(frames, joints, 4)
    at += 4 * turns.size
    shifts = np.frombuffer(data, "<f4", frames * moved * 3, at).reshape(frames, moved, 3)
    assert at + 4 * shifts.size == len(data)
    return fps, which, root, turns, shifts


@pytest.mark.parametrize(("number", "seed", "more"), [(1, 1, {}), (3, 3, {"moving": True}), (4, 4, {"fps": 119.88})])
def test_motion(client: TestClient, clip_maker: Callable[..., Clip], number: int, seed: int, more: Any) -> None:
    clip = clip_maker(seed, **more)
    answer = client.get(f"/api/clips/{number}/motion")
    assert answer.headers["content-type"] == "application/octet-stream"
    plain = client.get(f"/api/clips/{number}/motion", headers={"accept-encoding": "identity"})
    assert int(plain.headers["content-length"]) == len(plain.content)
    assert plain.content == answer.content  # compressed on the way
    fps, which, root, turns, shifts = unpack_motion(answer.content)
    assert fps == np.float32(clip.fps)
    np.testing.assert_array_equal(root, clip.root)
    np.testing.assert_array_equal(turns, clip.rotations)
    if clip.translations is None:
        assert not len(which)
    else:
        np.testing.assert_array_equal(which, clip.translations.joints)
        np.testing.assert_array_equal(shifts, clip.translations.values)


def test_long_motion_comes_whole(
    folder: Path, open_studio: Callable[..., Any], clip_maker: Callable[..., Clip]
) -> None:
    clip = clip_maker(9, frames=30_001)  # more than three chunks of the stream
    with Library(folder) as library:
        number = library.add(clip).id
    with open_studio(folder) as client:
        _, _, root, turns, _ = unpack_motion(client.get(f"/api/clips/{number}/motion").content)
    np.testing.assert_array_equal(turns, clip.rotations)
    np.testing.assert_array_equal(root, clip.root)


@pytest.mark.parametrize("what", ["motion", "thumbnail"])
def test_caching(client: TestClient, what: str) -> None:
    revision = client.get("/api/clips/1").json()["summary"]["revision"]
    plain = client.get(f"/api/clips/1/{what}")
    assert plain.headers["cache-control"] == "no-cache"
    named = client.get(f"/api/clips/1/{what}?v={revision}")
    assert "immutable" in named.headers["cache-control"]
    wrong = client.get(f"/api/clips/1/{what}?v=0000")
    assert wrong.headers["cache-control"] == "no-cache"
    again = client.get(f"/api/clips/1/{what}", headers={"if-none-match": plain.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""
    other = client.get(f"/api/clips/2/{what}", headers={"if-none-match": plain.headers["etag"]})
    assert other.status_code == 200


def cube(clip: Clip) -> Character:
    """A box around the head, half of it following the spine."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32) * 0.1 + (0, 1.6, 0)
    faces = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]])
    rest = rest_world(clip.skeleton)
    return Character(
        clip.skeleton,
        corners,  # type: ignore[arg-type]
        faces,  # type: ignore[arg-type]
        np.tile([6, 5], (8, 1)),  # type: ignore[arg-type]
        np.tile([0.75, 0.25], (8, 1)),  # type: ignore[arg-type]
        rigid_inverse(rest.positions[0], rest.rotations[0]),
    )


def test_character(folder: Path, open_studio: Callable[..., Any], clip_maker: Callable[..., Clip]) -> None:
    character = cube(clip_maker(1))
    with Library(folder) as library:
        assert keep_character(library, 1, character)
    with open_studio(folder) as client:
        assert client.get("/api/clips/1").json()["summary"]["has_character"]
        assert not client.get("/api/clips/2").json()["summary"]["has_character"]
        assert client.get("/api/clips/2/character").status_code == 404
        data = client.get("/api/clips/1/character").content
        exported = client.get("/api/clips/1/export?format=glb").content
    magic, vertices, faces, joints, influences, sets, colours, tangents, groups, images, text = struct.unpack_from(
        "<4s10I", data
    )
    assert (magic, vertices, faces, joints, influences) == (b"RNS2", 8, 8, 7, 2)
    assert (sets, colours, tangents, groups, images) == (0, 0, 0, 1, 0)
    assert json.loads(data[-text:]) == {"materials": [], "images": []}
    at = 44
    found = {}
    for name, kind, shape in (
        ("positions", "<f4", (8, 3)),
        ("normals", "<f4", (8, 3)),
        ("faces", "<u4", (8, 3)),
        ("joints", "<u4", (8, 2)),
        ("weights", "<f4", (8, 2)),
        ("binds", "<f4", (7, 4, 4)),
        ("groups", "<u4", (1, 3)),
    ):
        size = int(np.prod(shape))
        found[name] = np.frombuffer(data, kind, size, at).reshape(shape)
        at += 4 * size
    assert at + text == len(data)
    assert found["groups"].tolist() == [[0, 0, 8]]
    np.testing.assert_array_equal(found["positions"], character.vertices)
    np.testing.assert_array_equal(found["faces"], character.faces)
    np.testing.assert_array_equal(found["joints"], character.weight_joints)
    np.testing.assert_array_equal(found["weights"], character.weights)
    np.testing.assert_allclose(np.linalg.norm(found["normals"], axis=1), 1, atol=1e-6)
    # column-major: the translation stands in the last row of what NumPy reads row by row
    np.testing.assert_array_equal(found["binds"], character.inverse_binds.transpose(0, 2, 1).astype(np.float32))
    assert b"JOINTS_0" in exported


def test_character_with_textures(
    folder: Path, open_studio: Callable[..., Any], clip_maker: Callable[..., Clip], looks: Any
) -> None:
    clip = clip_maker(1)
    made = looks.dressed(clip.skeleton)
    with Library(folder) as library:
        assert keep_character(library, 1, made)
    with open_studio(folder) as client:
        data = client.get("/api/clips/1/character").content
    _, vertices, faces, joints, influences, sets, colours, tangents, groups, images, text = struct.unpack_from(
        "<4s10I", data
    )
    assert (sets, colours, tangents, groups) == (2, 0, 1, 3)
    at = 44 + 4 * vertices * (6 + 2 * influences + 2 * sets + 4) + 12 * faces + 64 * joints
    listed = np.frombuffer(data, "<u4", 9, at).reshape(3, 3)
    assert listed.tolist() == [
        [k, *(int(part) for part in (np.flatnonzero(made.face_materials == k)[0], np.sum(made.face_materials == k)))]
        for k in range(3)
    ]
    about = json.loads(data[at + 36 : at + 36 + text])
    assert [one["name"] for one in about["materials"]] == ["skin", "leaves", "lamp"]
    at += 36 + text
    found = []
    for _ in range(images):
        (size,) = struct.unpack_from("<I", data, at)
        found.append(data[at + 4 : at + 4 + size])
        at += 4 + size + -size % 4
    assert at == len(data)
    assert found == [image.data for image in images_of(made.materials)]


def test_thumbnail_is_drawn_once_and_kept(client: TestClient, folder: Path) -> None:
    first = client.get("/api/clips/2/thumbnail")
    assert first.headers["content-type"] == "image/png"
    picture = Image.open(io.BytesIO(first.content)).convert("RGB")
    assert picture.size == (320, 240)
    assert len(picture.getcolors(100_000) or ()) > 50  # something is drawn
    with Library(folder) as library:
        kinds = [result["kind"] for result in library.derived_results(2)]
    assert kinds == ["thumbnail"]
    assert client.get("/api/clips/2/thumbnail").content == first.content
    dark = client.get("/api/clips/2/thumbnail?background=dark").content
    assert np.asarray(Image.open(io.BytesIO(dark)).convert("L")).mean() < np.asarray(picture.convert("L")).mean() - 50
    assert client.get("/api/clips/2/thumbnail?background=pink").status_code == 422


def test_thumbnail_of_a_clip_without_frames(
    folder: Path, open_studio: Callable[..., Any], clip_maker: Callable[..., Clip]
) -> None:
    with Library(folder) as library:
        number = library.add(clip_maker(7, frames=0)).id
    with open_studio(folder) as client:
        answer = client.get(f"/api/clips/{number}/thumbnail")
        assert answer.status_code == 422
        assert "no frames" in answer.json()["error"]["message"]
        assert len(client.get(f"/api/clips/{number}/motion").content) == 20


@pytest.mark.parametrize("format", ["bvh", "glb", "gltf", "npz"])
def test_export(client: TestClient, tmp_path: Path, clip_maker: Callable[..., Clip], format: str) -> None:
    answer = client.get(f"/api/clips/1/export?format={format}")
    assert answer.headers["content-disposition"] in (
        f"attachment; filename*=utf-8''walk%20one.{format}",
        f'attachment; filename="walk one.{format}"',
    )
    path = tmp_path / f"out.{format}"
    path.write_bytes(answer.content)
    stated = {"unit": 0.0254, "up": "z"} if format == "bvh" else {}  # BVH does not say; a random figure does not either
    clip = load(path, LoadOptions(**stated))
    assert len(clip) == 20
    np.testing.assert_allclose(clip.world().positions, clip_maker(1).world().positions, atol=1e-4)


@pytest.mark.parametrize("format", ["", "asf", "exe", "../bvh", "bvh/../../x", "BVH"])
def test_export_to_what_cannot_be_written(client: TestClient, format: str) -> None:
    answer = client.get("/api/clips/1/export", params={"format": format})
    assert answer.status_code == 422
    assert "bvh" in answer.json()["error"]["message"]


@pytest.mark.parametrize("name", ["../../etc/passwd", 'a"b\r\nX: y', "con", "  ", "ä/ö", "<script>"])
def test_export_name_is_harmless(client: TestClient, name: str) -> None:
    changed = client.patch("/api/clips/1", json={"name": name})
    if not name.strip():
        assert changed.status_code == 422
        return
    assert changed.status_code == 200
    answer = client.get("/api/clips/1/export?format=bvh")
    shown = answer.headers["content-disposition"]
    assert "x" not in answer.headers
    for part in ("/", "\\", "\r", "\n", "..%2F", "%2F"):
        assert part not in shown


def test_patch(client: TestClient) -> None:
    answer = client.patch("/api/clips/1", json={"name": "stroll", "description": "slowly", "tags": ["Slow", "new"]})
    assert answer.status_code == 200
    summary = answer.json()
    assert (summary["name"], summary["description"]) == ("stroll", "slowly")
    assert sorted(tag.casefold() for tag in summary["tags"]) == ["new", "slow"]
    assert client.get("/api/clips?query=stroll").json()["total"] == 1
    assert client.patch("/api/clips/1", json={}).json() == summary
    assert client.patch("/api/clips/1", json={"tags": []}).json()["tags"] == []


def test_patch_is_all_or_nothing(client: TestClient) -> None:
    before = client.get("/api/clips/1").json()["summary"]
    answer = client.patch("/api/clips/1", json={"description": "lost", "tags": ["x"], "name": "run"})
    assert answer.status_code == 409  # another clip has that name
    assert client.patch("/api/clips/1", json={"name": "fresh", "tags": [" "]}).status_code == 422
    assert client.get("/api/clips/1").json()["summary"] == before


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b"", ""),
        (b"{", ""),
        (b"[]", ""),
        (b'{"name": 5}', "name"),
        (b'{"name": ""}', "name"),
        (b'{"tags": "gait"}', "tags"),
        (b'{"tags": [1]}', "tags[0]"),
        (b'{"colour": 1}', ""),
        (b"\xff\xfe", ""),
        (b"[" * 100_000, ""),
    ],
)
def test_bad_patch(client: TestClient, body: bytes, where: str) -> None:
    answer = client.patch("/api/clips/1", content=body)
    assert answer.status_code == 422
    assert answer.json()["error"]["where"] == where
    assert "\n" not in answer.json()["error"]["message"]


def test_too_large_json(client: TestClient) -> None:
    assert client.patch("/api/clips/1", content=b'{"name": "' + b"x" * 2**21 + b'"}').status_code == 413


def test_delete(client: TestClient, folder: Path) -> None:
    assert client.delete("/api/clips/2").json() == {"removed": 2}
    assert client.get("/api/clips/2").status_code == 404
    assert client.delete("/api/clips/2").status_code == 404
    with Library(folder) as library:
        assert len(library) == 3


def test_tracks_of_other_clips_are_detected(folder: Path, open_studio: Callable[..., Any]) -> None:
    from reenact.samples import make_sample

    sample = make_sample("walk_normal")
    with Library(folder) as library:
        number = library.add(sample.clip).id
    with open_studio(folder) as client:
        tracks = {track["name"]: track for track in client.get(f"/api/clips/{number}/tracks").json()["tracks"]}
    assert set(tracks) == {"left heel", "left ball", "right heel", "right ball", "gait"}
    planted = np.zeros(len(sample.clip), bool)
    for part in ("left heel", "left ball"):
        for span in tracks[part]["spans"]:
            planted[span["start"] : span["end"]] = True
    assert (planted == sample.truth.left.planted).mean() > 0.95
    assert "walk" in {span["label"] for span in tracks["gait"]["spans"]}


def test_tracks_of_samples(folder: Path, open_studio: Callable[..., Any]) -> None:
    from reenact.operations.sample_library import add_sample
    from reenact.samples import make_sample

    sample = make_sample("walk_normal")
    with Library(folder) as library:
        number = add_sample(library, sample).id
    with open_studio(folder) as client:
        tracks = {track["name"]: track for track in client.get(f"/api/clips/{number}/tracks").json()["tracks"]}
    assert set(tracks) == {"left heel", "left ball", "right heel", "right ball", "gait"}
    flags = np.zeros(len(sample.clip), bool)
    for span in tracks["left heel"]["spans"]:
        flags[span["start"] : span["end"]] = True
    np.testing.assert_array_equal(flags, sample.truth.left.heel)
    assert tracks["left heel"]["side"] == "left"
    labels = tracks["gait"]["spans"]
    assert labels[0]["start"] == 0
    assert labels[-1]["end"] == len(sample.clip)
    assert all(sample.truth.labels[span["start"]] == span["label"] for span in labels)


def test_a_person_for_a_clip_without_a_mesh(folder: Path, open_studio: Callable[..., Any]) -> None:
    from reenact.samples import make_sample

    with Library(folder) as library:
        number = library.add(make_sample("stand").clip).id
    with open_studio(folder) as client:
        found = client.get(f"/api/clips/{number}/character?figure=person")
        none = client.get("/api/clips/1/character?figure=person")
    assert found.status_code == 200
    magic, vertices, faces, joints = struct.unpack_from("<4s3I", found.content)
    assert (magic, joints) == (b"RNS2", 22)
    assert vertices > 5000
    assert faces > 10_000
    assert "person" in found.headers["etag"]
    assert none.status_code == 404
    assert "no human shape" in none.text
