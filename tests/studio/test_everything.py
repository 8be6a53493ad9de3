"""Every operation of the registry runs from the studio, and what comes of it can be looked at."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from starlette.testclient import TestClient

import reenact
from reenact.body.humanoid import humanoid
from reenact.core.cutting import cut_frames
from reenact.library import Library
from reenact.library.characters import keep_character
from reenact.operations.operation import MOTION
from reenact.operations.registry import OPERATIONS
from reenact.samples import make_sample
from reenact.studio import worker

Finished = Callable[..., dict[str, Any]]
NAMES = ("walk_normal", "walk_fast", "wave_standing")

ASKED: dict[str, tuple[list[int], dict[str, Any]]] = {
    "resample": ([1], {"fps": 30}),
    "pose": ([1, 2], {"at": "10,20", "share": "0.5"}),
    "cut": ([1], {"start": 20}),
    "join": ([1, 2], {}),
    "mirror": ([1], {}),
    "move": ([1], {"turn": 90}),
    "root": ([1], {"in_place": True}),
    "map": ([1, 2], {}),
    "retarget": ([1, 4], {"hands": "body"}),
    "scale": ([1], {}),
    "adapt": ([4, 4], {}),
    "balance": ([4, 4], {}),
    "ground": ([4, 4], {}),
    "grow": ([4, 4], {}),
    "volumes": ([4], {}),
    "transition": ([1, 2], {"window": 0.4}),
    "loop": ([1], {"count": 2}),
    "blend": ([1, 2], {"weights": "0.5,0.5"}),
    "graft": ([1, 3], {}),
    "warp": ([1], {"smooth": 0.05}),
    "clean": ([1], {"floor": "lift", "ramp": 0.2, "balance": 0.01}),
    "walk": ([1], {"stride": 1.1}),
    "path": ([1], {"radius": 4.0}),
    "space": ([1, 2], {"value": 1.5}),
    "sequence": ([1, 2], {}),
    "split": ([1], {"part": ["one 0 100"]}),
    "plants": ([1], {}),
    "classify": ([1], {}),
    "check": ([1], {}),
    "register": ([1, 2], {}),
    "render": ([1], {"count": 3, "width": 320}),
    "video": ([1, 2], {"fps": 5, "width": 128, "height": 96, "speed": 4.0}),
}


@pytest.fixture(scope="module")
def motions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("motions") / "library"
    with Library.create(folder) as library:
        for name in NAMES:
            library.add(make_sample(name, 60.0).clip, name=name)
        person = humanoid(preset="child")
        walk = reenact.retarget(cut_frames(make_sample("walk_normal", 60.0).clip, 0, 60), person).clip
        keep_character(library, library.add(walk, name="child_walks").id, person)
    return folder


def run(client: TestClient, finished: Finished, name: str) -> dict[str, Any]:
    clips, parameters = ASKED[name]
    answer = client.post(f"/api/operations/{name}", json={"clips": clips, "parameters": parameters})
    assert answer.status_code == 202, answer.text
    return finished(client, answer.json()["id"], 240.0)


def test_all_of_them_are_tried() -> None:
    assert set(ASKED) == {operation.name for operation in OPERATIONS}


def test_every_operation_runs(motions: Path, open_studio: Callable[..., Any], finished: Finished) -> None:
    with open_studio(motions) as client:
        for operation in OPERATIONS:
            job = run(client, finished, operation.name)
            assert job["state"] == "done", (operation.name, job["error"])
            assert bool(job["results"]) == (operation.gives in MOTION), operation.name
            assert bool(job["picture"]) == (operation.gives == "picture")
            assert bool(job["video"]) == (operation.gives == "video")
            assert bool(job["page"]) == bool(operation.page)
            if operation.gives not in MOTION:
                assert job["report"], operation.name
            for path in filter(None, (job["picture"], job["page"], job["video"])):
                assert client.get(f"/api/{path}").status_code == 200
            for number in job["new"]:
                client.delete(f"/api/clips/{number}")


def test_a_video_can_be_played_in_parts_and_goes_with_its_job(
    motions: Path, open_studio: Callable[..., Any], finished: Finished
) -> None:
    with open_studio(motions) as client:
        job = run(client, finished, "video")
        assert job["video"] == f"jobs/{job['id']}/video.mp4"
        assert job["command"].startswith("reenact video walk_normal.bvh walk_fast.bvh --video-fps 5")
        whole = client.get(f"/api/{job['video']}")
        assert whole.headers["content-type"] == "video/mp4"
        assert whole.content[4:8] == b"ftyp"
        part = client.get(f"/api/{job['video']}", headers={"range": "bytes=4-7", "accept-encoding": "gzip"})
        assert (part.status_code, part.content) == (206, b"ftyp")
        for other in ("video.gif", "video.exe", "video.", "picture", "page"):
            assert client.get(f"/api/jobs/{job['id']}/{other}").status_code == 404, other


def test_where_mp4_cannot_be_written_it_is_a_gif(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reenact.errors import MissingExtraError
    from reenact.render import animation
    from reenact.render.video import make_video

    def missing() -> Any:
        raise MissingExtraError("MP4 output", "video")

    monkeypatch.setattr(animation, "_import_av", missing)
    looks = animation.AnimationParameters(fps=4, width=96, height=96, speed=8.0)
    made = make_video([make_sample("wave_standing", 30.0).clip], looks)
    assert worker._film(made, tmp_path / "x.mp4") == "gif"
    with Image.open(io.BytesIO((tmp_path / "x.gif").read_bytes())) as picture:
        assert picture.size == (96, 96)
        assert getattr(picture, "n_frames", 1) <= made.as_dict()["pictures"]
    assert not (tmp_path / "x.mp4").exists()
