"""The example package, installed as any other, adds an operation and a format."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import reenact
from reenact.samples import make_sample

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as pip would leave it: its code, and its entry points in a dist-info."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(PLUGIN / "src" / "reenact_slowmo", folder / "reenact_slowmo")
    import tomllib

    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    info = folder / f"reenact_slowmo-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    (info / "entry_points.txt").write_text(
        "\n".join(
            f"[{group}]\n" + "\n".join(f"{name} = {where}" for name, where in points.items())
            for group, points in groups
        )
    )
    return folder


def run(place: Path, code: str) -> str:
    paths = os.pathsep.join([str(place), str(Path(reenact.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_a_verb_a_function_a_form_and_a_page(place: Path, tmp_path: Path) -> None:
    reenact.save(make_sample("walk_normal", 60.0).clip, tmp_path / "walk.npz")
    told = run(
        place,
        f"""
import json, reenact
from reenact.cli.main import main
from reenact.cli.reference import command_reference
from reenact.studio.forms import describe_operations
walk = reenact.load({str(tmp_path / "walk.npz")!r})
slow = reenact.slowmo(walk, factor=3)
assert main(["slowmo", {str(tmp_path / "walk.npz")!r}, "--factor", "2", "-o", {str(tmp_path / "slow.path")!r}, "--json"]) == 0
print(json.dumps([len(walk), len(slow), "slowmo" in dir(reenact), any(f.name == "slowmo" for f in describe_operations()),
                  reenact.load({str(tmp_path / "slow.path")!r}).frames,
                  [page.example for page in command_reference() if page.name == "slowmo"]]))
""",
    )
    answer = json.loads(told.splitlines()[-1])
    assert answer[1] == 3 * (answer[0] - 1) + 1
    assert answer[2:4] == [True, True]
    assert answer[4] == pytest.approx((2 * answer[0] - 1) / 2, abs=1)
    assert answer[5] == ["reenact.slowmo(walk, factor=3)"]


def test_a_package_that_is_broken_is_a_warning(place: Path) -> None:
    points = next(place.glob("*.dist-info")) / "entry_points.txt"
    kept = points.read_text()
    try:
        points.write_text(kept.replace("reenact_slowmo:SLOWMO", "reenact_slowmo:NOTHING"))
        code = "import warnings; warnings.simplefilter('always'); import reenact; print('slowmo' in dir(reenact))"
        assert run(place, code).strip() == "False"
    finally:
        points.write_text(kept)
