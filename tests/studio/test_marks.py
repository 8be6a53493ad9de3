"""What a report says about frames, and what it doubts; and remedies of refusals, from the method to the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from reenact.core.parameter_forms import describe_parameters
from reenact.library import Library
from reenact.operations.registry import OPERATIONS
from reenact.samples import make_sample
from reenact.studio.marks import MOST_MARKS, doubts_of, marks_of
from reenact.studio.messages import Span

Finished = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    "report",
    [
        {},
        {"window_frames": None, "changed_frames": 355, "quality": None, "before": 3, "transitions": "x", "doubts": 1},
        {"window_frames": [1], "cycles": True, "start": 3, "end": 3},
        {"window_frames": ["a", "b"], "frame": "7", "joint": "Hips"},
        {"window_frames": [50, 40]},
        {"window_frames": [900, 1000]},
    ],
)
def test_a_report_that_says_nothing_has_no_marks(report: dict[str, Any]) -> None:
    assert marks_of(report, 100) == ()
    assert doubts_of(report) == ()


def test_blends_changes_and_the_hardest_moment() -> None:
    report = {
        "before": [{"window_frames": [10, 20], "doubts": ["early"]}],
        "window_frames": [40, 60],
        "changed_frames": [41, 59],
        "frames_changed": [70, 79],
        "quality": {"joint": "Hips", "frame": 44, "doubts": ["late", "early"]},
        "doubts": ["of all"],
    }
    assert marks_of(report, 75) == (
        Span(10, 20, "blend"), Span(40, 60, "blend"), Span(44, 45, "hardest: Hips"), Span(70, 75, "changed"),
    )  # fmt: skip
    assert doubts_of(report) == ("of all", "late", "early")


def test_seams_of_a_loop() -> None:
    assert [span.start for span in marks_of({"start": 305, "end": 372, "cycles": 5}, 335)] == [67, 134, 201, 268]
    assert len(marks_of({"start": 0, "end": 3, "cycles": 100_000}, 300_000)) == MOST_MARKS


def test_essentials_are_parameters() -> None:
    for operation in OPERATIONS:
        names = {form.name for form in describe_parameters(operation.parameter_class())}
        assert set(operation.essentials) <= names, operation.name
        assert operation.most is None or operation.least <= operation.most


@pytest.fixture(scope="module")
def motions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("motions") / "library"
    with Library.create(folder) as library:
        for name in ("walk_normal", "run"):
            library.add(make_sample(name, 60.0).clip, name=name)
    return folder


def test_marks_are_told_and_kept_with_the_clip(
    motions: Path, open_studio: Callable[..., Any], finished: Finished
) -> None:
    with open_studio(motions) as client:
        asked = {"clips": [1, 2], "parameters": {"at": 200, "into": 100}}
        job = finished(client, client.post("/api/operations/transition", json=asked).json()["id"])
        assert job["state"] == "done", job
        start, end = job["report"]["window_frames"]
        assert {"start": start, "end": end, "label": "blend"} in job["marks"]
        assert job["doubts"] == job["report"]["doubts"]
        tracks = client.get(f"/api/clips/{job['result']['id']}/tracks").json()["tracks"]
        assert (tracks[0]["kind"], tracks[0]["spans"]) == ("mark", job["marks"])
        assert all(track["kind"] != "mark" for track in client.get("/api/clips/1/tracks").json()["tracks"])


def test_a_refusal_names_its_remedies(motions: Path, open_studio: Callable[..., Any], finished: Finished) -> None:
    with open_studio(motions) as client:
        job = finished(client, client.post("/api/operations/space", json={"clips": [1, 2]}).json()["id"])
        assert job["state"] == "failed"
        remedies = job["error"]["remedies"]
        assert len(remedies) == 3
        asked = {"clips": [1, 2], "parameters": remedies[1]["parameters"]}
        job = finished(client, client.post("/api/operations/space", json=asked).json()["id"])
        assert job["state"] == "done", "the remedy helps"


@pytest.mark.parametrize(
    ("name", "clips", "words"),
    [
        ("transition", [1], "transition needs 2 clips or more, 1 were given"),
        ("graft", [1, 2, 3], "graft takes at most 2 clips, 3 were given"),
        ("map", [1], "map needs 2 clips, 1 were given"),
        ("sequence", [2], "sequence needs 2 clips or more, 1 were given"),
    ],
)
@pytest.mark.parametrize("command", ["", "/command"])
def test_a_wrong_number_of_clips_is_refused_before_anything_runs(
    client: TestClient, name: str, clips: list[int], words: str, command: str
) -> None:
    answer = client.post(f"/api/operations/{name}{command}", json={"clips": clips})
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == words
    assert client.get("/api/jobs").json()["jobs"] == []
