"""What the studio answers when the library's files are damaged or the disk is full."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from reenact.library import Library
from reenact.library.clip_files import clip_folder
from reenact.studio.answers import TaskError, answer_for


@pytest.fixture
def array(folder: Path) -> Path:
    """An array of the clip "run"."""
    with Library(folder, read_only=True) as library:
        return clip_folder(folder, library.entry("run").hash) / "root.npy"


def test_a_changed_array_is_noticed_when_it_is_sent(client: TestClient, array: Path) -> None:
    assert client.get("/api/clips/2/motion").status_code == 200
    data = bytearray(array.read_bytes())
    data[-2] ^= 1
    array.write_bytes(data)
    answer = client.get("/api/clips/2/motion", headers={"cache-control": "no-cache"})
    assert answer.status_code == 409
    error = answer.json()["error"]
    assert (error["code"], error["where"]) == ("library", "run")
    assert "do not have their hash any more" in error["message"]
    assert str(array.parent.parent) not in answer.text
    assert client.get("/api/clips/1/motion").status_code == 200


def test_a_job_on_a_damaged_clip_names_it(client: TestClient, array: Path) -> None:
    array.write_bytes(array.read_bytes()[:-4])
    asked = client.post("/api/operations/mirror", json={"clips": [2]})
    assert (asked.status_code, asked.json()["error"]["where"]) == (409, "run")
    assert "root.npy" in asked.json()["error"]["message"]


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "no space"), TaskError("enospc", "the disk is full", "")],
    ids=["here", "in a worker"],
)
def test_a_full_disk_is_507(error: Exception) -> None:
    answer = answer_for(error)
    assert answer.status_code == 507
    assert b"the disk is full" in answer.body
