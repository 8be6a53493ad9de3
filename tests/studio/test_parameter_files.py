"""Parameters that name files: every one of the registry can be used from the studio, and none reaches a file that was not sent."""

from __future__ import annotations

import io
import json
import shlex
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

import reenact
from reenact.body.humanoid import humanoid
from reenact.core.parameter_forms import describe_parameters
from reenact.errors import ParameterError
from reenact.formats.trajectory_files import read_trajectory
from reenact.library import Library
from reenact.library.characters import keep_character
from reenact.operations.registry import OPERATIONS, find_operation
from reenact.operations.root_motion import RootParameters, change_root
from reenact.samples import make_sample
from reenact.studio import operation_routes, parameter_files
from reenact.studio.parameter_files import ParameterFiles, name_files

Finished = Callable[..., dict[str, Any]]
NAMES = ("walk_normal", "walk_fast", "walk_circle_tight_left")


def terrain() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.full((200, 200), 0.02))
    return stream.getvalue()


def picture() -> bytes:
    stream = io.BytesIO()
    Image.new("L", (120, 120), 40).save(stream, "PNG")
    return stream.getvalue()


def mapping() -> bytes:
    """A mapping of the samples' joints onto the child that the library holds."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mapping.json"
        reenact.retarget(make_sample("walk_normal", 60.0).clip, humanoid(preset="child"), write_mapping=file)
        return file.read_bytes()


def partner() -> bytes:
    """Another person of the take, beside the first."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "partner.npz"
        reenact.save(reenact.move(make_sample("walk_normal", 60.0).clip, x=0.6), file)
        return file.read_bytes()


SENT: dict[tuple[str, str], tuple[list[int], str, Callable[[], bytes], dict[str, Any]]] = {
    ("blend", "point_weights_file"): ([1, 2], "weights.txt", lambda: b"left_foot 2\nright_foot 2\n", {"weights": "0.5,0.5"}),
    ("register", "weights_file"): ([1, 2], "weights.txt", lambda: b"left_foot 2\nright_foot 2\n", {}),
    ("walk", "plan"): ([1], "plan.csv", lambda: b"0.6\n0.6\n0.62\n", {}),
    ("walk", "terrain"): ([1], "field.npy", terrain, {}),
    ("path", "along"): ([1], "curve.csv", lambda: b"0,0\n0,2\n1,4\n2,6\n", {}),
    ("path", "footprints"): ([1], "steps.csv", lambda: b"left,0.1,0.5\n", {}),
    ("root", "apply"): ([1], "way.csv", lambda: b"time,x,z,heading\n0,0,0,0\n", {}),
    ("retarget", "mapping"): ([1, 4], "mapping.json", mapping, {}),
    ("retarget", "partner"): ([1, 4], "partner.npz", partner, {}),
    ("retarget", "partner_on"): ([1, 4], "partner.npz", partner, {}),
}  # fmt: skip
"""A file for every parameter that reads one. Those of `TOGETHER` are tried in tests of their own."""

TOGETHER = {("path", "footprints"), ("root", "apply"), ("retarget", "partner_on")}

WRITTEN: dict[tuple[str, str], tuple[list[int], str, dict[str, Any]]] = {
    ("adapt", "report"): ([1, 4], ".html", {"method": "fast", "girth": 1.1}),
    ("adapt", "corrections"): ([1, 4], ".json", {"method": "fast", "girth": 1.1}),
    ("retarget", "write_mapping"): ([1, 4], ".json", {}),
    ("path", "write_footprints"): ([1], ".csv", {}),
}
"""Parameters that write a file beside the motion; that of `root` is tried in a test of its own."""


@pytest.fixture(scope="module")
def motions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("motions") / "library"
    with Library.create(folder) as library:
        for name in NAMES:
            library.add(make_sample(name, 60.0).clip, name=name)
        child = humanoid(preset="child")
        walk = reenact.retarget(make_sample("walk_normal", 60.0).clip, child).clip
        keep_character(library, library.add(walk, name="child_walks").id, child)
    return folder


@pytest.fixture
def studio(motions: Path, open_studio: Callable[..., Any]) -> Iterator[TestClient]:
    with open_studio(motions) as client:
        yield client


def send(client: TestClient, name: str, data: bytes) -> str:
    answer = client.post("/api/files", params={"name": name}, content=data)
    assert answer.status_code == 201, answer.text
    return answer.json()["number"]


def ask(client: TestClient, name: str, clips: list[int], parameters: dict[str, Any]) -> Any:
    return client.post(f"/api/operations/{name}", json={"clips": clips, "parameters": parameters})


def run(
    client: TestClient, finished: Finished, name: str, clips: list[int], parameters: dict[str, Any]
) -> dict[str, Any]:
    answer = ask(client, name, clips, parameters)
    assert answer.status_code == 202, answer.text
    job = finished(client, answer.json()["id"], 240.0)
    for number in job["new"]:
        client.delete(f"/api/clips/{number}")
    return job


def test_all_of_them_are_tried() -> None:
    files = {
        (operation.name, form.name)
        for operation in OPERATIONS
        for form in describe_parameters(operation.parameter_class())
        if form.kind in ("file", "written")
    }
    assert files == {*SENT, *WRITTEN, ("root", "trajectory")}


@pytest.mark.parametrize(("name", "parameter"), [key for key in SENT if key not in TOGETHER])
def test_a_sent_file_is_read(studio: TestClient, finished: Finished, name: str, parameter: str) -> None:
    clips, file, make, more = SENT[name, parameter]
    number = send(studio, file, make())
    job = run(studio, finished, name, clips, {parameter: number, **more})
    assert job["state"] == "done", job["error"]
    flag = next(f.flag for f in describe_parameters(find_operation(name).parameter_class()) if f.name == parameter)
    words = shlex.split(job["command"])
    assert words[words.index(f"--{flag}") + 1] == file
    assert number not in str(job["report"])
    assert "reenact-studio-" not in str(job)


def test_a_partner_and_where_he_is_now(studio: TestClient, finished: Finished) -> None:
    sent = {"partner": send(studio, "partner.npz", partner()), "partner_on": send(studio, "now.npz", partner())}
    job = run(studio, finished, "retarget", [1, 4], sent)
    assert job["state"] == "done", job["error"]
    assert "--partner partner.npz --partner-on now.npz" in job["command"]


@pytest.mark.parametrize(("name", "parameter"), WRITTEN)
def test_what_is_written_beside_the_motion_can_be_had(
    studio: TestClient, finished: Finished, name: str, parameter: str
) -> None:
    clips, ending, more = WRITTEN[name, parameter]
    job = run(studio, finished, name, clips, {parameter: ending, **more})
    assert job["state"] == "done", job["error"]
    (file,) = job["files"]
    assert file["parameter"] == parameter
    assert file["name"].endswith(ending)
    answer = studio.get(f"/api/{file['address']}")
    assert answer.status_code == 200
    if ending == ".json":
        assert json.loads(answer.content)
    elif ending == ".csv":
        sides = [line.split(",")[0] for line in answer.text.splitlines() if line and not line.startswith("#")]
        assert {"left", "right"} <= set(sides)
    else:
        assert answer.text.lstrip().lower().startswith("<!doctype html")


def test_a_grey_picture_is_a_terrain(studio: TestClient, finished: Finished) -> None:
    job = run(studio, finished, "walk", [1], {"terrain": send(studio, "hills.png", picture()), "relief": 0.1})
    assert job["state"] == "done", job["error"]


def test_footprints_of_the_motion_itself(studio: TestClient, finished: Finished) -> None:
    job = run(studio, finished, "path", [1], {"footprints": send(studio, "steps.csv", b"left,0,0\n")})
    assert job["state"] == "failed"  # the file was read: it says how many it needs
    assert "footprint" in job["error"]["message"]
    assert "reenact-studio-" not in str(job)


def test_the_way_of_a_motion_is_written_and_put_back(
    studio: TestClient, finished: Finished, motions: Path, tmp_path: Path
) -> None:
    with Library(motions, read_only=True) as library:
        clip = library.clip("walk_normal")
    for ending in (".csv", ".npz"):
        job = run(studio, finished, "root", [1], {"in_place": True, "trajectory": ending})
        (file,) = job["files"]
        assert (file["parameter"], file["name"]) == ("trajectory", f"walk_normal-root-trajectory{ending}")
        assert job["report"]["trajectory_file"] == file["name"]
        assert f"--trajectory walk_normal-root-trajectory{ending}" in job["command"]
        answer = studio.get(f"/api/{file['address']}")
        assert answer.status_code == 200
        assert file["name"] in answer.headers["content-disposition"]
        (tmp_path / f"way{ending}").write_bytes(answer.content)
        expected = change_root(clip, RootParameters(in_place=True, trajectory=tmp_path / f"own{ending}"))
        assert (tmp_path / f"own{ending}").read_bytes() == answer.content or ending == ".npz"
        way = read_trajectory(tmp_path / f"way{ending}")
        np.testing.assert_allclose(way.columns()["x"], read_trajectory(tmp_path / f"own{ending}").columns()["x"])
        again = run(studio, finished, "root", [1], {"apply": send(studio, f"way{ending}", answer.content)})
        assert again["state"] == "done", again["error"]
        assert expected.report["did"] == "in place"


def test_a_clip_of_the_library_stands_for_a_motion_file(studio: TestClient, finished: Finished, motions: Path) -> None:
    answer = ask(studio, "root", [1], {"apply": "clip:2"})
    assert answer.status_code == 202, answer.text
    command = answer.json()["command"]
    assert shlex.split(command)[-4:-2] == ["--apply", "walk_fast.bvh"], command
    job = finished(studio, answer.json()["id"], 240.0)
    with Library(motions) as library:
        own, other = library.clip("walk_normal"), library.clip("walk_fast")
        if job["state"] == "failed":  # as the function itself
            with pytest.raises(ParameterError) as raised:
                put_way_of(other, own)
            assert job["error"]["message"] == raised.value.message
        else:
            made = library.clip(library.entry(job["new"][0]))
            expected = put_way_of(other, own)
            np.testing.assert_allclose(made.world().positions, expected.world().positions, atol=1e-5)
            about = library.entry(job["new"][0]).metadata
            assert about["parameters"]["apply"] == "walk_fast.npz"
    for number in job["new"]:
        studio.delete(f"/api/clips/{number}")


def put_way_of(other: Any, own: Any) -> Any:
    from reenact import save

    with tempfile.TemporaryDirectory() as folder:
        save(other, Path(folder) / "other.npz")
        return change_root(own, RootParameters(apply=Path(folder) / "other.npz")).clip


@pytest.mark.parametrize(
    "value",
    ["/etc/passwd", "../secret.csv", "clip:", "clip:-1", "clip:99", "clip:1e3", "clip:99999999999999999999", "x" * 500, "",
     "C:\\secret.csv", 5, ["a"], True],
)  # fmt: skip
def test_nothing_else_is_read(studio: TestClient, value: Any, tmp_path: Path) -> None:
    answer = ask(studio, "root", [1], {"apply": value})
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["where"] == "apply"
    answer = ask(studio, "path", [1], {"along": value})
    assert answer.status_code == 422, answer.text


@pytest.mark.parametrize("value", ["/tmp/x.csv", ".exe", "x.csv", "../x.csv", "", 5])
def test_nothing_else_is_written(studio: TestClient, value: Any) -> None:
    answer = ask(studio, "root", [1], {"in_place": True, "trajectory": value})
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["where"] == "trajectory"


def test_a_file_of_another_kind(studio: TestClient) -> None:
    answer = ask(studio, "path", [1], {"along": send(studio, "curve.png", picture())})
    error = answer.json()["error"]
    assert (error["where"], error["message"]) == ("along", "along must be a file of .csv")


@pytest.mark.parametrize(
    "data",
    [b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'shape': (((((", b"PK\x03\x04", b"\x89PNG\r\n\x1a\n",
     b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999), }".ljust(117) + b"\n"],
)  # fmt: skip
def test_damaged_files_are_told_in_one_sentence(studio: TestClient, finished: Finished, data: bytes) -> None:
    for name in ("field.npy", "field.png"):
        job = run(studio, finished, "walk", [1], {"terrain": send(studio, name, data)})
        assert job["state"] == "failed"
        assert job["error"]["code"] == "format", job["error"]
        assert name in job["error"]["message"]
        assert "/" not in job["error"]["message"]


def test_a_file_that_is_too_large_leaves_nothing(
    studio: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(operation_routes, "LARGEST_FILE", 100)
    answer = studio.post("/api/files", params={"name": "x.csv"}, content=b"1" * 101)
    assert answer.status_code == 413
    assert studio.post("/api/files", params={"name": "x.csv"}, content=b"1" * 100).status_code == 201


@pytest.mark.parametrize("name", ["", "..", "/", "x" * 300])
def test_a_file_needs_a_name(studio: TestClient, name: str) -> None:
    assert studio.post("/api/files", params={"name": name}, content=b"x").status_code == 422


def test_files_of_a_library_that_cannot_be_written(
    motions: Path, open_studio: Callable[..., Any], finished: Finished
) -> None:
    with open_studio(motions, read_only=True) as client:
        number = send(client, "weights.txt", b"left_foot 2\nright_foot 2\n")
        assert run(client, finished, "register", [1, 2], {"weights_file": number})["state"] == "done"


def test_the_oldest_file_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, motions: Path) -> None:
    monkeypatch.setattr(parameter_files, "MOST_FILES", 2)
    files = ParameterFiles(tmp_path / "files")
    numbers = []
    for _ in range(3):
        number, path = files.place("a.csv")
        path.write_bytes(b"0,0\n1,1\n")
        files.keep(number, path)
        numbers.append(number)
    assert len(list((tmp_path / "files").iterdir())) == 2
    with Library(motions, read_only=True) as library, pytest.raises(ParameterError, match="choose it again"):
        name_files(library, find_operation("path"), {"along": numbers[0]}, files, "x")
    for number in numbers[1:]:
        files.find(number)


def test_a_job_that_is_forgotten_takes_its_files_along(
    studio: TestClient, finished: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reenact.studio.jobs.MOST_KEPT", 1)
    first = run(studio, finished, "root", [1], {"in_place": True, "trajectory": ".csv"})
    address = first["files"][0]["address"]
    assert studio.get(f"/api/{address}").status_code == 200
    assert studio.get(f"/api/jobs/{first['id']}/files/apply").status_code == 404
    run(studio, finished, "classify", [1], {})
    assert studio.get(f"/api/{address}").status_code == 404
