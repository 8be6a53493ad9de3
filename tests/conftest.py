"""What all tests share: the recordings, where they are."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

# kernels compile on their first call, and machines are noisy: no deadline; the same examples on every run
settings.register_profile("reenact", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("reenact")

_REPOSITORY = Path(__file__).resolve().parent.parent


def corpus_folder() -> Path | None:
    """The folder of real recordings: `$REENACT_DATA`, else `../shared/data` beside the repository; None when there is none."""
    named = os.environ.get("REENACT_DATA")
    folder = Path(named) if named else _REPOSITORY.parent / "shared" / "data"
    return folder if (folder / "index.csv").is_file() else None


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The recordings; skips where they are not installed, fails when `REENACT_REQUIRE_DATA=1` says they must be."""
    folder = corpus_folder()
    if folder is None:
        if os.environ.get("REENACT_REQUIRE_DATA") == "1":
            pytest.fail("the recordings are required (REENACT_REQUIRE_DATA=1) but were not found")
        pytest.skip("the recordings are not here: set REENACT_DATA to their folder")
    return folder


@contextmanager
def without_superuser(folder: Path) -> Iterator[None]:
    """Run a block without the superuser's rights, which ignore file permissions; what it imports must be imported before."""
    if os.name != "posix" or os.geteuid() != 0:
        yield
        return
    nobody = 65534
    os.chown(folder, nobody, nobody)
    for above in folder.parents[:3]:
        above.chmod(above.stat().st_mode | 0o011)
    os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def ordinary_user(tmp_path: Path) -> Callable[[], AbstractContextManager[None]]:
    """Makes a block that runs without the superuser's rights; `tmp_path` belongs to the user it runs as."""
    return lambda: without_superuser(tmp_path)


@pytest.fixture(scope="session")
def looks() -> ModuleType:
    """`tests/looks.py`: characters with all kinds of materials, made by code."""
    spec = importlib.util.spec_from_file_location("looks", _REPOSITORY / "tests" / "looks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
