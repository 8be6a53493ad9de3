"""A hundredth of the library's fuzzing: damaged arrays, cells and pages are errors, and repairs lose nothing and last."""

from __future__ import annotations

import importlib
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def fuzz_library(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The fuzzer as a module."""
    monkeypatch.syspath_prepend(str(TOOLS))
    for name in ("fuzzing", "fuzz_library"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("fuzz_library")


@pytest.mark.parametrize("part", range(4))  # so that several processes share them
def test_nothing_but_errors_on_purpose(fuzz_library: ModuleType, part: int) -> None:
    found = fuzz_library.fuzz(2500, seed=12, first=part * 2500)
    assert found.faults == []
    assert found.executions == 2500
    assert found.refused["LibraryError"] > 1000  # the damage is damage


def test_a_fault_is_found_and_told(fuzz_library: ModuleType, tmp_path: Path) -> None:
    fuzzing = sys.modules["fuzzing"]

    def one(chance: random.Random) -> None:
        if chance.random() < 0.5:
            raise SyntaxError("from a header")

    found = fuzzing.run(one, 20, seed=3, keep=tmp_path / "found.txt")
    assert 0 < len(found.faults) < 20
    assert found.faults[0].startswith("seed 3, execution ")
    assert "SyntaxError: from a header" in (tmp_path / "found.txt").read_text()


def test_a_library_that_takes_damaged_arrays_for_sound_is_caught(fuzz_library: ModuleType, monkeypatch) -> None:
    import reenact.library.stored_clips as stored_clips

    class AlwaysRight(str):
        def __ne__(self, other: object) -> bool:
            return False

        __hash__ = str.__hash__

    honest = stored_clips.hash_clip
    monkeypatch.setattr(stored_clips, "hash_clip", lambda clip: AlwaysRight(honest(clip)))
    assert any("taken for sound" in fault for fault in fuzz_library.fuzz(300, seed=12).faults)
