"""What all tests share: the recordings, where they are."""

from __future__ import annotations

import os
from pathlib import Path

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
