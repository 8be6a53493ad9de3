"""The measurement of results goes on where it was stopped."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    path = Path(__file__).parents[2] / "tools" / "measure_results.py"
    spec = importlib.util.spec_from_file_location("measure_results", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["measure_results"] = module
    spec.loader.exec_module(module)
    return module


def test_what_is_done_is_not_done_again(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [tool.Case(n, "clean", (f"{n}_01",), True, True) for n in range(4)]
    rows = tmp_path / "rows.jsonl"
    known = [{"kind": "clean", "number": n, "clips": f"{n}_01", "made": "before"} for n in (2, 0)]
    rows.write_text("".join(json.dumps(row) + "\n" for row in known))
    monkeypatch.setattr(
        tool, "measure", lambda case, *_: {"kind": "clean", "number": case.number, "clips": case.names[0]}
    )
    found = tool.measure_all(cases, None, None, rows, 1)
    assert [row["number"] for row in found] == [0, 1, 2, 3]
    assert [row.get("made", "now") for row in found] == ["before", "now", "before", "now"]
    assert len(rows.read_text().splitlines()) == 4
    monkeypatch.setattr(tool, "measure", lambda *_: pytest.fail("all is done"))
    assert tool.measure_all(cases, None, None, rows, 1) == found


def test_another_case_of_the_same_number_is_another_row(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another seed draws other clips."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"kind": "clean", "number": 0, "clips": "0_01"}) + "\n")
    monkeypatch.setattr(
        tool, "measure", lambda case, *_: {"kind": "clean", "number": case.number, "clips": case.names[0]}
    )
    found = tool.measure_all([tool.Case(0, "clean", ("7_01",), True, True)], None, None, rows, 1)
    assert [row["clips"] for row in found] == ["7_01"]


def test_heights_beyond_what_the_feet_of_recordings_disagree_by(tool: ModuleType) -> None:
    row = {"ours": {"uneven_mm": 11.0}, "judge": {"held_height_mm": 11.2, "floor_mm": 3.0, "acceleration": 1.0}}
    found = tool.beyond_uneven(row)["judge"]
    assert found["held_height_mm"] == pytest.approx(0.2)
    assert found["floor_mm"] == 0.0
    assert found["acceleration"] == 1.0
    assert row["judge"]["held_height_mm"] == 11.2
