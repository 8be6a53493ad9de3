"""Operations from the studio: forms, command lines, jobs, cancelling, events."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from reenact import load
from reenact.core.clip import Clip
from reenact.library import Library
from reenact.operations import registry
from reenact.operations.operation import Operation
from reenact.operations.registry import OPERATIONS
from reenact.studio import jobs as jobs_module

EVENTS = "ws://127.0.0.1:8123/api/events"

Finished = Callable[..., dict[str, Any]]


def start(client: TestClient, name: str, clips: list[int], **more: Any) -> dict[str, Any]:
    answer = client.post(f"/api/operations/{name}", json={"clips": clips, **more})
    assert answer.status_code == 202, answer.text
    return answer.json()


def test_forms_describe_every_operation(client: TestClient) -> None:
    forms = {form["name"]: form for form in client.get("/api/operations").json()}
    assert set(forms) == {operation.name for operation in OPERATIONS}
    assert {forms[name]["gives"] for name in ("cut", "split", "classify", "render", "sequence")} == {
        "clip", "clips", "table", "picture",
    }  # fmt: skip
    part = next(field for field in forms["split"]["parameters"] if field["name"] == "part")
    assert (part["kind"], part["default"]) == ("texts", [])
    turn = next(field for field in forms["move"]["parameters"] if field["name"] == "turn")
    assert (turn["kind"], turn["unit"], turn["default"]) == ("number", "degrees", 0.0)
    rate = next(field for field in forms["resample"]["parameters"] if field["name"] == "fps")
    assert (rate["kind"], rate["unit"], rate["nullable"], rate["above"]) == ("number", "Hz", True, 0)
    place = forms["join"]["parameters"][0]
    assert (place["kind"], place["choices"], place["default"]) == ("choice", ["continue", "keep"], "continue")
    assert forms["join"]["takes"] == "clips"
    assert forms["cut"]["takes"] == "clip"
    assert all(field["help"] for form in forms.values() for field in form["parameters"])


def test_job(client: TestClient, folder: Path, finished: Finished, clip_maker: Callable[..., Clip]) -> None:
    job = start(client, "cut", [1], parameters={"start": 5, "end": -3}, result_name="middle")
    assert job["state"] in ("queued", "running")
    job = finished(client, job["id"])
    assert job["state"] == "done", job
    assert job["progress"] == 1
    assert job["result_is_new"]
    assert (job["result"]["name"], job["result"]["frames"], job["result"]["source"]) == ("middle", 12, "cut")
    with Library(folder) as library:
        clip, entry = library.clip(job["result"]["id"]), library.entry(job["result"]["id"])
        np.testing.assert_array_equal(clip.rotations, clip_maker(1).rotations[5:-3])
        made = {"made_by": "cut", "parameters": {"start": 5, "end": -3}, "sources": ["walk one"]}
        assert made.items() <= entry.metadata.items()
        assert entry.metadata["type_by"] == "steps"  # results have their type, too
        assert job["result"]["type"] == entry.metadata["type"]
    assert client.get("/api/jobs").json()["jobs"] == [job]
    assert client.delete(f"/api/clips/{job['result']['id']}").status_code == 200  # undo


def test_angles_are_degrees(client: TestClient, folder: Path, finished: Finished) -> None:
    job = finished(client, start(client, "move", [1], parameters={"turn": 90, "about": "origin"})["id"])
    with Library(folder) as library:
        before, after = library.clip(1), library.clip(job["result"]["id"])
        np.testing.assert_allclose(after.root[:, 0], before.root[:, 2], atol=1e-5)
        np.testing.assert_allclose(after.root[:, 2], -before.root[:, 0], atol=1e-5)
    assert job["command"].endswith("--turn 90 --about origin -o 'walk one-move.bvh'")


def test_several_clips(client: TestClient, finished: Finished) -> None:
    job = finished(client, start(client, "join", [1, 2, 1])["id"])
    assert job["state"] == "done", job
    assert job["result"]["frames"] == 20 + 31 + 20
    assert job["result"]["name"] == "walk one+run+walk one"


def test_result_that_is_there_already(client: TestClient, finished: Finished) -> None:
    job = finished(client, start(client, "cut", [1])["id"])
    assert job["state"] == "done"
    assert not job["result_is_new"]
    assert job["result"]["id"] == 1
    assert "already" in job["message"]
    assert client.get("/api/clips/1").json()["metadata"] == {"type": "walk"}


@pytest.mark.parametrize(
    ("name", "body", "where", "words"),
    [
        ("cut", {"clips": [1], "parameters": {"begin": 1}}, "begin", "start, end"),
        ("cut", {"clips": [1], "parameters": {"start": "x"}}, "start", "whole number"),
        ("cut", {"clips": [1], "parameters": {"start": 1.5}}, "start", "whole number"),
        ("cut", {"clips": [1], "parameters": {"start": True}}, "start", "whole number"),
        ("cut", {"clips": [1], "parameters": {"start": None}}, "start", "needed"),
        ("resample", {"clips": [1], "parameters": {"fps": -1}}, "fps", "above 0"),
        ("resample", {"clips": [1], "parameters": {"frames": 0}}, "frames", "at least 1"),
        ("join", {"clips": [1, 2], "parameters": {"place": "x"}}, "place", "continue, keep"),
        ("cut", {"clips": [1, 2]}, "clips", "one clip"),
        ("cut", {"clips": []}, "clips", ""),
        ("cut", {"clips": ["1"]}, "clips[0]", ""),
        ("cut", {}, "", "clips"),
        ("cut", {"clips": [1], "code": "x"}, "", "code"),
    ],
)
@pytest.mark.parametrize("command", ["", "/command"])
def test_bad_requests(client: TestClient, name: str, body: Any, where: str, words: str, command: str) -> None:
    answer = client.post(f"/api/operations/{name}{command}", json=body)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["where"] == where
    assert words in error["message"]
    assert client.get("/api/jobs").json()["jobs"] == []


@pytest.mark.parametrize("path", ["/api/operations/nothing", "/api/operations/nothing/command"])
def test_unknown_operation(client: TestClient, path: str) -> None:
    assert client.post(path, json={"clips": [1]}).status_code == 404


@pytest.mark.parametrize("number", [0, -1, 99, 2**63, 2**70])
def test_unknown_clip(client: TestClient, number: int) -> None:
    answer = client.post("/api/operations/cut", json={"clips": [number]})
    assert answer.status_code in (404, 422)


@pytest.mark.parametrize("number", ["0", "x" * 500, "%00"])
def test_unknown_job(client: TestClient, number: str) -> None:
    assert client.get(f"/api/jobs/{number}").status_code == 404
    assert client.post(f"/api/jobs/{number}/cancel").status_code == 404


def test_failing_operation(client: TestClient, finished: Finished) -> None:
    job = finished(client, start(client, "cut", [1], parameters={"start": 500})["id"])
    assert job["state"] == "failed"
    assert job["error"]["code"] == "parameter"
    assert "0 to 20" in job["error"]["message"]
    assert job["result"] is None
    after = finished(client, start(client, "mirror", [1])["id"])
    assert after["state"] in ("done", "failed")  # the process goes on, whatever it says of this figure


def test_command_does_the_same(client: TestClient, folder: Path, tmp_path: Path, finished: Finished) -> None:
    """The line that is shown, typed in a terminal, makes what the job made."""
    client.patch("/api/clips/1", json={"name": "it's a $walk; rm -rf"})
    request = {"clips": [1], "parameters": {"fps": 30, "method": "smooth"}, "result_name": "slow one"}
    told = client.post("/api/operations/resample/command", json=request).json()
    assert client.get("/api/jobs").json()["jobs"] == []
    words = shlex.split(told["command"])
    assert words[:2] == ["reenact", "resample"]
    assert "--fps" in words
    export = shlex.split(told["note"].partition(": ")[2])
    for line in (export, [*words, "--unit", "0.0254", "--up", "z"]):
        code = "import sys; from reenact.cli.main import run; run()"
        done = subprocess.run(
            [sys.executable, "-c", code, *line[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    job = finished(client, start(client, "resample", **request)["id"])
    assert job["command"] == told["command"]
    from reenact.loading import LoadOptions

    made = load(tmp_path / words[-1], LoadOptions(unit=0.0254, up="z"))
    with Library(folder) as library:
        kept = library.clip(job["result"]["id"])
    assert (len(made), made.fps) == (len(kept), kept.fps)
    np.testing.assert_allclose(made.world().positions, kept.world().positions, atol=1e-4)


def test_many_jobs_at_once(client: TestClient, finished: Finished) -> None:
    begun = [start(client, "cut", [1], parameters={"start": number}) for number in range(1, 13)]
    done = [finished(client, job["id"]) for job in begun]
    assert [job["state"] for job in done] == ["done"] * 12
    assert [job["result"]["frames"] for job in done] == list(range(19, 7, -1))
    assert len({job["result"]["id"] for job in done}) == 12
    assert client.get("/api/clips").json()["total"] == 16


SLOW = """
import time
from dataclasses import dataclass
from reenact.core.parameters import option
from reenact.core.progress import tell
from reenact.core.made import Made

@dataclass(frozen=True)
class SlowParameters:
    seconds: float = option(60.0, "how long", unit="s")

def sleep(clip, parameters):
    time.sleep(parameters.seconds)
    return clip

def count(clip, parameters):
    for part in range(8):
        tell(part / 8, f"part {part}")
        time.sleep(0.15)
    return clip

def full(clip, parameters):
    raise OSError(28, "No space left on device", "/somewhere/secret/file.npy")

def die(clip, parameters):
    import os
    os._exit(7)

def break_down(clip, parameters):
    return 1 / 0
"""


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Operations that take long, die or fail, in this process and in the workers."""
    place = tmp_path / "plugins"
    place.mkdir()
    (place / "slow_methods.py").write_text(SLOW)
    names = (("sleep", "sleep"), ("die", "die"), ("break", "break_down"), ("count", "count"), ("full", "full"))
    made = tuple(
        Operation(name, name, f"slow_methods:{function}", "slow_methods:SlowParameters") for name, function in names
    )
    (place / "sitecustomize.py").write_text(
        "from reenact.operations import registry\n"
        "from reenact.operations.operation import Input, Operation\n"
        f"registry.OPERATIONS += {made!r}\n"
    )
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.setattr(registry, "OPERATIONS", (*OPERATIONS, *made))


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.usefixtures("slow")
def test_progress_is_what_the_method_says(client: TestClient) -> None:
    with client.websocket_connect(EVENTS) as socket:
        socket.receive_json()
        start(client, "count", [1])
        told: list[tuple[float, str]] = []
        while not told or told[-1][1] not in ("done", "the library has this motion already: walk one"):
            event = socket.receive_json()
            if event["kind"] == "job":
                told.append((event["job"]["progress"], event["job"]["message"]))
    parts = [(share, words) for share, words in told if words.startswith("part")]
    assert len(parts) >= 5
    assert all(share == pytest.approx(0.1 + 0.8 * int(words[5:]) / 8) for share, words in parts)
    assert [share for share, _ in told] == sorted(share for share, _ in told)


@pytest.mark.usefixtures("slow")
def test_cancel(client: TestClient, finished: Finished) -> None:
    running = [start(client, "sleep", [1]) for _ in range(2)]
    waiting = start(client, "sleep", [2])
    for job in running:
        wait_until(lambda job=job: client.get(f"/api/jobs/{job['id']}").json()["message"] == "working")
    assert client.get(f"/api/jobs/{waiting['id']}").json()["state"] == "queued"
    for job in (waiting, running[0]):
        assert client.post(f"/api/jobs/{job['id']}/cancel").json()["state"] == "cancelled"
    assert client.post(f"/api/jobs/{running[0]['id']}/cancel").json()["state"] == "cancelled"
    quick = finished(client, start(client, "cut", [1], parameters={"start": 1})["id"])  # its place is free again
    assert quick["state"] == "done"
    assert client.post(f"/api/jobs/{quick['id']}/cancel").json()["state"] == "done"
    assert client.get(f"/api/jobs/{running[1]['id']}").json()["state"] == "running"


@pytest.mark.usefixtures("slow")
def test_process_that_dies(client: TestClient, finished: Finished) -> None:
    job = finished(client, start(client, "die", [1])["id"])
    assert job["state"] == "failed"
    assert "exit code 7" in job["error"]["message"]
    broken = finished(client, start(client, "break", [1])["id"])
    assert broken["error"] == {
        "code": "internal",
        "message": "the work failed: ZeroDivisionError: division by zero",
        "where": "",
    }
    assert finished(client, start(client, "cut", [1], parameters={"start": 1})["id"])["state"] == "done"


@pytest.mark.usefixtures("slow")
def test_a_full_disk_is_said_without_its_path(client: TestClient, finished: Finished) -> None:
    job = finished(client, start(client, "full", [1])["id"])
    assert job["error"] == {"code": "enospc", "message": "the disk is full", "where": ""}


@pytest.mark.usefixtures("slow")
def test_queue_is_bounded(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "MOST_UNFINISHED", 3)
    for _ in range(3):
        start(client, "sleep", [1])
    answer = client.post("/api/operations/sleep", json={"clips": [1]})
    assert answer.status_code == 429
    assert answer.json()["error"]["code"] == "busy"


def test_finished_jobs_are_forgotten(client: TestClient, finished: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "MOST_KEPT", 2)
    made = [finished(client, start(client, "cut", [1], parameters={"start": n})["id"]) for n in range(1, 5)]
    assert [job["id"] for job in client.get("/api/jobs").json()["jobs"]] == [made[3]["id"], made[2]["id"]]


@pytest.mark.usefixtures("slow")
def test_no_process_is_left(folder: Path, open_studio: Callable[..., Any]) -> None:
    with open_studio(folder) as client:
        job = start(client, "sleep", [1])
        wait_until(lambda: client.get(f"/api/jobs/{job['id']}").json()["message"] == "working")
        children = [number for number in _children(os.getpid()) if _is_worker(number)]
        assert len(children) == 1
    for number in children:
        with pytest.raises(ProcessLookupError):
            os.kill(number, signal.SIG_DFL)


def _children(parent: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    return [int(number) for number in found.stdout.split()]


def _is_worker(number: int) -> bool:
    try:
        return b"reenact.studio.worker" in Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return False


def next_library(socket: Any) -> Any:
    """The next word about the library itself."""
    while (event := socket.receive_json())["kind"] != "library":
        pass
    return event


def test_events(client: TestClient, folder: Path) -> None:
    with client.websocket_connect(EVENTS) as socket:
        assert socket.receive_json() == {"kind": "library", "revision": 0}
        job = start(client, "cut", [1], parameters={"start": 1})
        told = []
        while {"done", "library"} - {
            event["job"]["state"] if event["kind"] == "job" else event["kind"] for event in told
        }:
            told.append(socket.receive_json())
        ours = [event["job"] for event in told if event["kind"] == "job"]
        assert {one["id"] for one in ours} == {job["id"]}
        steps = [one["progress"] for one in ours]
        assert steps == sorted(steps)
        assert ours[-1]["result"]["frames"] == 19
        assert [event["revision"] for event in told if event["kind"] == "library"] == [1]
        client.patch("/api/clips/1", json={"tags": ["other"]})
        assert next_library(socket) == {"kind": "library", "revision": 2}
        client.get("/api/clips/1/thumbnail")  # what is derived changes nothing that is seen
        with Library(folder) as library:  # as another program would
            library.rename(2, "sprint")
        assert next_library(socket) == {"kind": "library", "revision": 3}
    assert client.get("/api/session").json()["revision"] == 3


def test_two_pages_hear_the_same(client: TestClient) -> None:
    with client.websocket_connect(EVENTS) as one, client.websocket_connect(EVENTS) as two:
        one.receive_json()
        two.receive_json()
        client.delete("/api/clips/1")
        assert next_library(one) == next_library(two) == {"kind": "library", "revision": 1}
