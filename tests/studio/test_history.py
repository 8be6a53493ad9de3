"""Undo and redo: of adding, removing, renaming, tagging; what cannot be undone says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import reenact
from reenact.library import Library
from reenact.studio import history as history_module

Finished = Callable[..., dict[str, Any]]


def names(client: TestClient) -> list[str]:
    return sorted(one["name"] for one in client.get("/api/clips").json()["clips"])


def step(client: TestClient, way: str) -> str:
    answer = client.post(f"/api/history/{way}")
    assert answer.status_code == 200, answer.text
    return answer.json()["done"]


@pytest.mark.parametrize("way", ["undo", "redo"])
def test_nothing_to_do(client: TestClient, way: str) -> None:
    answer = client.post(f"/api/history/{way}")
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == f"there is nothing to {way}"
    assert client.get("/api/history").json() == {"undo": "", "redo": "", "undo_number": 0}


@pytest.mark.parametrize("way", ["undo", "redo"])
@pytest.mark.parametrize(("origin", "status"), [("http://evil.example", 403), ("null", 403)])
def test_other_sites_cannot_undo(client: TestClient, way: str, origin: str, status: int) -> None:
    client.delete("/api/clips/1")
    assert client.post(f"/api/history/{way}", headers={"origin": origin}).status_code == status
    assert client.get("/api/clips").json()["total"] == 3


def test_a_library_that_is_only_read(folder: Path, open_studio: Callable[..., Any]) -> None:
    with open_studio(folder, read_only=True) as client:
        assert client.post("/api/history/undo").status_code == 403


def test_renaming_and_tagging(client: TestClient) -> None:
    before = client.get("/api/clips/1").json()["summary"]
    client.patch("/api/clips/1", json={"name": "stroll"})
    client.patch("/api/clips/1", json={"tags": ["new", "gait"]})
    client.patch("/api/clips/1", json={"description": "slow"})
    after = client.get("/api/clips/1").json()["summary"]
    assert client.get("/api/history").json()["undo"] == "describe stroll"
    assert [step(client, "undo") for _ in range(3)] == ["describe stroll", "tag stroll", "rename walk one to stroll"]
    assert client.get("/api/clips/1").json()["summary"] == before
    assert [step(client, "redo") for _ in range(3)] == ["rename walk one to stroll", "tag stroll", "describe stroll"]
    assert client.get("/api/clips/1").json()["summary"] == after
    client.patch("/api/clips/1", json={"description": "slow"})  # the same as before: no step
    assert client.get("/api/history").json()["undo"] == "describe stroll"


def test_removing(client: TestClient) -> None:
    before = client.get("/api/clips/1").json()
    motion = client.get("/api/clips/1/motion").content
    client.delete("/api/clips/1")
    assert client.get("/api/clips/1").status_code == 404
    assert step(client, "undo") == "remove walk one"
    assert client.get("/api/clips/1").json() == before
    assert client.get("/api/clips/1/motion").content == motion
    step(client, "redo")
    assert client.get("/api/clips/1").status_code == 404
    step(client, "undo")
    assert client.get("/api/clips/1").json() == before


def test_adding_by_an_operation(client: TestClient, finished: Finished) -> None:
    job = finished(
        client, client.post("/api/operations/cut", json={"clips": [1], "parameters": {"start": 5}}).json()["id"]
    )
    number = job["result"]["id"]
    state = client.get("/api/history").json()
    assert (state["undo"], state["undo_number"]) == ("cut: add walk one-cut", job["change"])
    step(client, "undo")
    assert client.get(f"/api/clips/{number}").status_code == 404
    step(client, "redo")
    assert client.get(f"/api/clips/{number}").json()["summary"] == job["result"]


def test_adding_by_an_upload(client: TestClient, tmp_path: Path, clip_maker: Callable[..., Any]) -> None:
    reenact.save(clip_maker(9, name="new"), tmp_path / "new.bvh")
    added = client.post("/api/upload?name=new.bvh", content=(tmp_path / "new.bvh").read_bytes()).json()["added"]
    before = names(client)
    assert step(client, "undo") == "add new"
    assert len(names(client)) == 4
    step(client, "redo")
    assert names(client) == before
    assert client.get(f"/api/clips/{added[0]['id']}").status_code == 200


def test_a_new_change_ends_what_was_undone(client: TestClient) -> None:
    client.delete("/api/clips/1")
    step(client, "undo")
    client.patch("/api/clips/2", json={"name": "sprint"})
    assert client.get("/api/history").json()["redo"] == ""
    assert client.post("/api/history/redo").status_code == 404


def test_another_program_has_removed_the_clip(client: TestClient, folder: Path) -> None:
    client.patch("/api/clips/1", json={"name": "stroll"})
    client.patch("/api/clips/2", json={"name": "sprint"})
    with Library(folder) as library:
        library.remove(2)
    answer = client.post("/api/history/undo")
    assert answer.status_code == 404
    assert "no clip 2" in answer.json()["error"]["message"]
    assert step(client, "undo") == "rename walk one to stroll", "the step that means nothing any more is gone"


def test_a_name_that_is_taken_meanwhile_refuses_and_can_be_tried_again(client: TestClient, folder: Path) -> None:
    client.patch("/api/clips/1", json={"name": "stroll"})
    with Library(folder) as library:
        library.rename(2, "walk one")
    assert client.post("/api/history/undo").status_code == 409
    with Library(folder) as library:
        library.rename(2, "run")
    step(client, "undo")
    assert "walk one" in names(client)


def test_only_so_many_are_remembered_and_their_copies_go(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_module, "MOST_CHANGES", 2)
    for number in (1, 2, 3):
        client.delete(f"/api/clips/{number}")
    studio = client.app_state["studio"]
    assert len(list((studio.landing / "removed").iterdir())) == 2
    step(client, "undo")
    step(client, "undo")
    assert client.post("/api/history/undo").status_code == 404
    assert names(client) == ["moving", "other rate", "run"]
    assert list((studio.landing / "removed").iterdir()) == []


def test_pages_are_told(client: TestClient) -> None:
    with client.websocket_connect("ws://127.0.0.1:8123/api/events") as socket:
        socket.receive_json()
        client.patch("/api/clips/1", json={"name": "stroll"})
        kinds = [socket.receive_json(), socket.receive_json()]
    told = {one["kind"]: one for one in kinds}
    assert told["history"]["state"]["undo"] == "rename walk one to stroll"
    assert client.get("/api/session").json()["history"]["undo"] == "rename walk one to stroll"
