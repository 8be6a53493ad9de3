"""Small libraries and clients for the studio's tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from reenact.core.clip import Clip, JointTranslations
from reenact.core.findings import Finding
from reenact.core.origin import Origin
from reenact.core.rotations import normalize
from reenact.core.skeleton import Skeleton
from reenact.library import Library
from reenact.studio.app import create_app
from reenact.studio.context import StudioSettings
from reenact.studio.security import access_for

HOST = "127.0.0.1:8123"
ORIGIN = f"http://{HOST}"

NAMES = ("Hips", "LeftUpLeg", "LeftFoot", "RightUpLeg", "RightFoot", "Spine", "Head")
PARENTS = (-1, 0, 1, 0, 3, 0, 5)
OFFSETS = ((0, 0.9, 0), (0.1, 0, 0), (0, -0.8, 0), (-0.1, 0, 0), (0, -0.8, 0), (0, 0.3, 0), (0, 0.3, 0))


def make_clip(seed: int = 0, frames: int = 20, fps: float = 60.0, name: str = "", moving: bool = False) -> Clip:
    """A random clip of a seven-joint figure; equal arguments give equal motion."""
    chance = np.random.default_rng(seed)
    ends = np.array([2, 4, 6], np.int32)
    roles = {"hips": 0, "left_upper_leg": 1, "left_foot": 2, "right_upper_leg": 3, "right_foot": 4, "head": 6}
    skeleton = Skeleton(NAMES, np.array(PARENTS, np.int32), np.array(OFFSETS), None, ends, np.full((3, 3), 0.05), roles)  # type: ignore[arg-type]
    turn = np.concatenate([np.ones((frames, 7, 1)), 0.2 * chance.standard_normal((frames, 7, 3))], axis=-1)
    root = np.array(OFFSETS[0]) + 0.1 * chance.standard_normal((frames, 3))
    moved = JointTranslations(np.array([1, 5]), chance.standard_normal((frames, 2, 3))) if moving else None  # type: ignore[arg-type]
    noticed = (Finding("units.detected", "info", "x.bvh", "inches", True, 0.7),)
    channels = ("XpYpZpZrXrYr", *["ZrYrXr"] * 6)
    origin = Origin("bvh", "/x/y.bvh", 0.0254, "z", channels=channels, findings=noticed)
    return Clip(skeleton, normalize(turn), root, fps, name or f"clip{seed}", moved, origin)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library of four clips: 1 "walk one" (tags, type, description), 2 "run", 3 "moving" (translations), 4 "other rate"."""
    place = tmp_path / "lib"
    with Library.create(place) as library:
        library.add(
            make_clip(1, name="walk one"), tags=("gait", "slow"), description="a stroll", metadata={"type": "walk"}
        )
        library.add(make_clip(2, name="run", frames=31), tags=("gait",))
        library.add(make_clip(3, name="moving", moving=True))
        library.add(make_clip(4, name="other rate", fps=119.88))
    return place


Opener = Callable[..., AbstractContextManager[TestClient]]


@pytest.fixture
def open_studio() -> Opener:
    """Opens a running studio as a context; keywords go to `StudioSettings`."""

    @contextmanager
    def opened(place: Path, **more: Any) -> Iterator[TestClient]:
        settings = StudioSettings(place, **{"access": access_for("127.0.0.1", 8123), **more})
        with TestClient(create_app(settings), base_url=ORIGIN, headers={"origin": ORIGIN}) as client:
            yield client

    return opened


@pytest.fixture
def client(folder: Path, open_studio: Opener) -> Iterator[TestClient]:
    """A studio on the library of `folder`."""
    with open_studio(folder) as opened:
        yield opened


def wait_for_job(client: TestClient, number: str, seconds: float = 60.0) -> dict[str, Any]:
    """The job when it is finished."""
    until = time.monotonic() + seconds
    while True:
        job = client.get(f"/api/jobs/{number}").json()
        if job["state"] not in ("queued", "running"):
            return job
        assert time.monotonic() < until, f"the job is not finished: {job}"
        time.sleep(0.02)


@pytest.fixture
def finished() -> Callable[..., dict[str, Any]]:
    """Waits for a job."""
    return wait_for_job


@pytest.fixture
def clip_maker() -> Callable[..., Clip]:
    """Makes random clips; equal arguments give equal motion."""
    return make_clip
