"""Operations that make no clip, or several: their forms run as jobs, and what comes of them can be looked at."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from starlette.testclient import TestClient

import reenact
from reenact.library import Library
from reenact.samples import make_sample
from reenact.studio import jobs as jobs_module
from reenact.studio.security import PAGE_POLICY

Finished = Callable[..., dict[str, Any]]
NAMES = ("walk_normal", "walk_fast", "start_walk_left")


@pytest.fixture(scope="module")
def motions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("motions") / "library"
    with Library.create(folder) as library:
        for name in NAMES:
            library.add(make_sample(name, 60.0).clip, name=name)
    return folder


@pytest.fixture
def client(motions: Path, open_studio: Callable[..., Any]) -> Iterator[TestClient]:
    with open_studio(motions) as opened:
        yield opened


def run(client: TestClient, finished: Finished, name: str, clips: list[int], **parameters: Any) -> dict[str, Any]:
    answer = client.post(f"/api/operations/{name}", json={"clips": clips, "parameters": parameters})
    assert answer.status_code == 202, answer.text
    job = finished(client, answer.json()["id"])
    assert job["state"] == "done", job
    return job


@pytest.mark.parametrize("name", ["plants", "classify", "check"])
def test_a_table_is_that_of_the_function(client: TestClient, finished: Finished, motions: Path, name: str) -> None:
    with Library(motions) as library:
        walk = library.clip("walk_normal")
    job = run(client, finished, name, [1])
    assert (job["result"], job["results"], job["new"], job["picture"]) == (None, [], [], "")
    function = {"plants": reenact.detect_plants, "classify": reenact.classify, "check": reenact.check}[name]
    told = function(walk).as_dict()
    assert set(job["report"]) == set(told)
    assert job["report"]["frames"] == told["frames"]
    if name == "plants":
        assert job["report"]["left"] == told["left"]
    if name == "check":
        assert job["report"]["measures"] == pytest.approx(told["measures"])
    with Library(motions) as library:
        assert len(library) == len(NAMES)


def test_a_picture_is_drawn_and_forgotten_with_its_job(
    client: TestClient, finished: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = run(client, finished, "render", [1], count=4, width=400)
    assert job["picture"] == f"jobs/{job['id']}/picture"
    answer = client.get(f"/api/{job['picture']}")
    assert answer.headers["content-type"] == "image/png"
    with Image.open(io.BytesIO(answer.content)) as picture:
        assert list(picture.size) == job["report"]["pixels"]
    assert client.get(f"/api/jobs/{job['id']}/page").status_code == 404
    monkeypatch.setattr(jobs_module, "MOST_KEPT", 1)
    run(client, finished, "plants", [1])
    assert client.get(f"/api/{job['picture']}").status_code == 404


@pytest.mark.parametrize(("name", "clips", "word"), [("register", [1, 2], "walk_fast"), ("check", [1], "Quality")])
def test_a_page_is_shown_and_may_do_nothing(
    client: TestClient, finished: Finished, name: str, clips: list[int], word: str
) -> None:
    job = run(client, finished, name, clips)
    answer = client.get(f"/api/{job['page']}")
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["content-security-policy"] == PAGE_POLICY
    assert answer.headers["x-frame-options"] == "DENY"
    assert word in answer.text
    assert "<script" not in answer.text
    if name == "register":
        assert job["report"]["quality"]["verdict"] == "good"


def test_several_clips_go_into_the_library(client: TestClient, finished: Finished, motions: Path) -> None:
    job = run(client, finished, "split", [1], part=["one 0 40", "two 40 90"])
    assert [one["name"] for one in job["results"]] == ["one", "two"]
    assert [one["frames"] for one in job["results"]] == [40, 50]
    assert job["result"] == job["results"][0]
    assert job["new"] == [one["id"] for one in job["results"]]
    with Library(motions) as library:
        assert library.entry("two").metadata["sources"] == ["walk_normal"]
        whole, part = library.clip("walk_normal"), library.clip("two")
        assert part.frames == 50
        assert (part.root == whole.root[40:90]).all()
    for number in job["new"]:
        assert client.delete(f"/api/clips/{number}").status_code == 200


def test_a_sequence_is_made_of_the_library_itself(client: TestClient, finished: Finished, motions: Path) -> None:
    job = run(client, finished, "sequence", [1, 2], window=0.6)
    assert [row["clip"] for row in job["report"]["plans"][0]["played"]] == ["walk_normal", "walk_fast"]
    words = shlex.split(job["command"])
    assert words[:5] == ["reenact", "sequence", str(motions), "walk_normal", "walk_fast"]
    with Library(motions) as library:
        made = library.clip(job["result"]["id"])
        assert made.plants is not None
        assert library.entry(job["result"]["id"]).metadata["made_by"] == "sequence"
    assert client.delete(f"/api/clips/{job['result']['id']}").status_code == 200


def test_what_is_only_shown_needs_no_right_to_write(
    motions: Path, open_studio: Callable[..., Any], finished: Finished
) -> None:
    with open_studio(motions, read_only=True) as client:
        assert run(client, finished, "classify", [1])["report"]["type"] == "walk"
        assert client.post("/api/operations/split", json={"clips": [1]}).status_code == 403


@pytest.mark.parametrize(
    ("name", "clips", "parameters"),
    [
        ("check", [1], {"skate_mm": 30}),
        ("plants", [1], {"detector": "static"}),
        ("classify", [1], {"classifier": "thesis"}),
        ("split", [1], {"part": ["one 0 40", "two 40 90"]}),
        ("split", [3], {}),
        ("render", [1], {"count": 3}),
        ("register", [1, 2], {"through": [20, 22]}),
    ],
)
def test_the_command_line_is_one(
    client: TestClient, tmp_path: Path, name: str, clips: list[int], parameters: dict[str, Any]
) -> None:
    told = client.post(f"/api/operations/{name}/command", json={"clips": clips, "parameters": parameters}).json()
    export = told["note"].partition(": ")[2]
    for line in (export, told["command"]):
        words = shlex.split(line)[1:]
        code = "from reenact.cli.main import run; run()"
        done = subprocess.run(
            [sys.executable, "-c", code, *words, "--json"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1), done.stdout + done.stderr
        assert "error" not in json.loads(done.stdout)
