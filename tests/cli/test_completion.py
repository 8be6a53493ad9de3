"""Names that Tab completes, as a shell asks for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import reenact
from reenact.library import Library
from reenact.samples import make_sample


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("reenact sequence {lib} walk_", ["walk_fast", "walk_normal"]),
        ("reenact sequence {lib} jog walk_n", ["walk_normal"]),
        ("reenact library show {lib} j", ["jog"]),
        ("reenact graph cycles {lib} nothing", []),
        ("reenact sequence {lib}/none wal", []),
    ],
)
def test_clip_names_are_completed(line: str, names: list[str], tmp_path: Path) -> None:
    with Library.create(tmp_path / "lib") as library:
        for name in ("walk_normal", "walk_fast", "jog"):
            library.add(make_sample(name).clip)
    words = line.format(lib=tmp_path / "lib")
    done = subprocess.run(
        [sys.executable, "-c", "from reenact.cli.main import app; app(prog_name='reenact')"],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(reenact.__file__).parents[1]),
            "_REENACT_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.stdout.split() == names
