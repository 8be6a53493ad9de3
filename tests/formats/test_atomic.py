"""Files appear whole or not at all, and an error names the file that was asked for."""

from __future__ import annotations

import errno
import os
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.core.clip import Clip
from reenact.core.skeleton import Skeleton
from reenact.formats.atomic import atomic_write


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file can grow beyond `size` bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("ending", ["bvh", "amc", "glb", "gltf", "npz"])
@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_leaves_everything_as_it_was(tmp_path: Path, ending: str, there: bool) -> None:
    skeleton = Skeleton(("hips", "knee"), np.array([-1, 0]), np.array([[0, 1.0, 0], [0, -0.5, 0]]))
    turns = np.random.default_rng(5).normal(size=(4000, 2, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    clip = Clip(skeleton, turns.astype(np.float32), np.zeros((4000, 3), np.float32), 30.0)
    path = tmp_path / f"clip.{ending}"
    (tmp_path / "first").mkdir()
    reenact.save(clip, tmp_path / "first" / path.name)  # what is compiled and kept here is no part of the test
    shutil.rmtree(tmp_path / "first")
    if there:
        path.write_text("what was there")
    with files_of_at_most(20_000), pytest.raises(OSError, match="too large") as caught:
        reenact.save(clip, path)
    assert caught.value.errno == errno.EFBIG
    assert caught.value.filename == str(path)
    assert [file.name for file in tmp_path.iterdir()] == ([path.name] if there else [])
    assert not there or path.read_text() == "what was there"


def test_an_error_within_the_block_leaves_nothing(tmp_path: Path) -> None:
    def stop() -> None:
        with atomic_write(tmp_path / "x") as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert not list(tmp_path.iterdir())


def test_folders_in_the_way(tmp_path: Path) -> None:
    for target, code in ((tmp_path, errno.EISDIR), (tmp_path / "no" / "x", errno.ENOENT)):
        with pytest.raises(OSError, match="folder") as caught, atomic_write(target):
            pass
        assert caught.value.errno == code
        assert str(caught.value.filename) in (str(target), str(target.parent))


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with atomic_write(path) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new"
    assert os.stat(path).st_mode & 0o777 == 0o640
