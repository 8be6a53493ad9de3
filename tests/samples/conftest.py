"""The whole sample library, made once for all tests of this folder."""

from __future__ import annotations

import pytest

from reenact.samples import sample_library
from reenact.samples.truth import Sample


@pytest.fixture(scope="session")
def library() -> dict[str, Sample]:
    """Name -> sample, at 60 frames per second."""
    return {sample.name: sample for sample in sample_library()}
