"""glTF files with the markers of planted feet satisfy the Khronos validator."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import reenact
from reenact.blend.clean import CleanParameters, clean
from reenact.samples import make_sample


def test_marked_clips_are_valid(tmp_path: Path, validate_gltf: Callable[..., list[dict[str, Any]]]) -> None:
    made = clean(make_sample("walk_few_steps").clip, CleanParameters(markers=True))
    assert made.report["markers"]
    path = tmp_path / "marked.glb"
    reenact.save(made.clip, path)
    validate_gltf([path])
