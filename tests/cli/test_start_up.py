"""Start-up: what is imported, what is compiled and when that is said. No test here looks at the time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reenact.cli.warm_up_lines import SAMPLES, WAVES
from reenact.loading import save
from reenact.operations.registry import operations
from reenact.samples import make_sample, sample_names

HEAVY = ("numba", "scipy", "PIL", "av", "starlette", "uvicorn", "multiprocessing.pool", "concurrent.futures.process")
_LOADED = "import sys; print([name for name in {names!r} if name in sys.modules])"
_NOTICE = "compiling what this needs"


def reenact(
    folder: Path, line: str, names: tuple[str, ...] = (), check: bool = True, **environment: str
) -> tuple[str, str, list[str]]:
    """What a verb prints on both streams in a process of its own, and which modules of some names it has loaded."""
    code = f"from reenact.cli.main import main; code = main({line.split()!r})\n{_LOADED.format(names=names)}; sys.exit(code)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert not check or done.returncode == 0, done.stderr
    *told, loaded = done.stdout.rstrip("\n").split("\n")
    return "\n".join(told), done.stderr, eval(loaded)


@pytest.fixture(scope="module")
def motions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with samples that `warm-up` does not use."""
    folder = tmp_path_factory.mktemp("motions")
    for name in ("walk_brisk", "march", "kick_left", "carry_walking"):
        save(make_sample(name).clip, folder / f"{name}.bvh")
    return folder


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of compiled code after `reenact warm-up`."""
    folder = tmp_path_factory.mktemp("warm")
    told, notice, _ = reenact(folder, "warm-up --json", REENACT_CACHE_DIR=str(folder))
    assert json.loads(told)["compiled"] > 20
    assert not notice
    return folder


def test_importing_and_helping_load_nothing_heavy() -> None:
    more = (*HEAVY, "numpy", "llvmlite", "rich")
    code = f"import reenact\n{_LOADED.format(names=(*more, 'typer'))}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert reenact(Path(), "--help", more)[2] == []


def test_warm_verbs_compile_nothing_and_load_neither_numba_nor_scipy(warm: Path, motions: Path) -> None:
    before = sorted(warm.rglob("*"))
    for line in (
        "info walk_brisk.bvh",
        "convert walk_brisk.bvh brisk.glb",
        "convert walk_brisk.bvh brisk.amc",
        "info brisk.glb brisk.amc",
        "cut walk_brisk.bvh --end 60 -o o.bvh",
        "resample walk_brisk.bvh --fps 25 -o o.bvh",
        "mirror walk_brisk.bvh -o o.bvh",
        "root walk_brisk.bvh --in-place -o o.bvh",
        "plants walk_brisk.bvh",
        "classify walk_brisk.bvh",
        "transition walk_brisk.bvh kick_left.bvh -o o.bvh",
        "loop walk_brisk.bvh --count 4 -o o.bvh",
        "blend walk_brisk.bvh march.bvh -o o.bvh",
        "graft march.bvh carry_walking.bvh --chains arms -o o.bvh",
        "warp walk_brisk.bvh --smooth 0.1 -o o.bvh",
        "clean walk_brisk.bvh -o o.bvh",
        "walk walk_brisk.bvh --stride 0.9 -o o.bvh",
        "path walk_brisk.bvh --radius -4 -o o.bvh",
    ):
        _, notice, loaded = reenact(motions, line, HEAVY, REENACT_CACHE_DIR=str(warm))
        assert loaded == [], line
        assert _NOTICE not in notice, line
        assert sorted(warm.rglob("*")) == before, line


def test_warming_up_again_has_nothing_to_do(warm: Path) -> None:
    assert "everything is compiled" in reenact(warm, "warm-up", REENACT_CACHE_DIR=str(warm))[0]


def test_a_changed_kernel_is_something_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reenact.cli import warm_up
    from reenact.kernels import kept_code

    monkeypatch.setattr(kept_code, "cache_folder", lambda: tmp_path)
    warm_up._mark().parent.mkdir(parents=True)
    warm_up._mark().touch()
    assert warm_up.is_warm()
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + (b"#" if path.name == "medians.py" else b""))
    assert not warm_up.is_warm()


def test_warm_up_covers_every_operation() -> None:
    lines = [line for wave in WAVES for group in wave for line in group]
    assert {one.name for one in operations() if one.name != "loop"} <= {line.split()[0] for line in lines}
    assert set(SAMPLES) <= set(sample_names())
    assert all(any(f"{name}.bvh" in line for line in lines) for name in SAMPLES)


_ON_A_TERMINAL = """
import sys
from reenact.kernels import notices
notices._looked_at = lambda: True
from reenact.cli.main import main
sys.exit(main({arguments!r}))
"""


def on_a_terminal(line: str, folder: Path, cache: Path) -> str:
    """The error stream of a verb that takes it for a terminal."""
    code = _ON_A_TERMINAL.format(arguments=line.split())
    environment = {**os.environ, "REENACT_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_compiling_is_said_once_when_cold_and_not_when_warm(motions: Path, tmp_path: Path) -> None:
    line = "cut walk_brisk.bvh --end 40 -o o.npz"
    assert on_a_terminal(line, motions, tmp_path).count(_NOTICE) == 1
    assert on_a_terminal(line, motions, tmp_path) == ""


def test_json_is_not_disturbed(motions: Path, tmp_path: Path) -> None:
    assert on_a_terminal("info walk_brisk.bvh --json", motions, tmp_path) == ""


def test_where_nobody_looks_only_a_long_wait_is_mentioned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from reenact.kernels import notices

    now = [100.0]
    monkeypatch.setattr(notices.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(notices, "_looked_at", lambda: False)
    monkeypatch.setattr(notices, "_muted", False)
    monkeypatch.setattr(notices, "_begun", None)
    monkeypatch.setattr(notices, "_said", set())
    notices.compiling_begins()
    assert capsys.readouterr().err == ""
    now[0] += notices.PATIENCE + 0.1
    notices.compiling_begins()
    notices.compiling_begins()
    assert capsys.readouterr().err.count(_NOTICE) == 1


def test_a_folder_that_cannot_be_written_to_is_reported_once(motions: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    told, notice, _ = reenact(motions, "info walk_brisk.bvh", REENACT_CACHE_DIR=str(blocked))
    assert "walk_brisk" in told
    assert notice.count("cannot be kept in") == 1
    assert str(blocked) in notice
    assert "REENACT_CACHE_DIR" in notice


def test_a_read_only_folder_is_reported_once(
    motions: Path,
    tmp_path: Path,
    ordinary_user: Callable,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture,
) -> None:
    from reenact.kernels import kept_code, notices

    monkeypatch.setattr(kept_code, "cache_folder", lambda: tmp_path / "kept" / "kernels")
    monkeypatch.setattr(notices, "_said", set())
    monkeypatch.setattr(notices, "_muted", False)
    (tmp_path / "kept").mkdir(mode=0o555)
    code = kept_code.Code(b"", "", (), (), ())
    with ordinary_user():
        kept_code.keep_code("processor", "one", code)
        kept_code.keep_code("processor", "two", code)
    assert capfd.readouterr().err.count("cannot be kept") == 1
    assert not list((tmp_path / "kept").iterdir())


def test_without_compilation(motions: Path, tmp_path: Path) -> None:
    environment = {"REENACT_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    reenact(motions, "cut walk_brisk.bvh --end 24 -o short.bvh")
    plain, _, loaded = reenact(motions, "info short.bvh --json", ("numba",), **environment)
    compiled, _, _ = reenact(motions, "info short.bvh --json")
    assert loaded == []
    assert not list(tmp_path.iterdir())
    plain_clip, compiled_clip = (json.loads(text)["files"][0]["clips"][0] for text in (plain, compiled))
    assert plain_clip.pop("height_m") == pytest.approx(compiled_clip.pop("height_m"), abs=1e-5)
    assert plain_clip == compiled_clip
    assert "floor at" in reenact(motions, "plants short.bvh", **environment)[0]
    reenact(motions, "convert short.bvh short.amc", **environment)
    reenact(motions, "info short.amc", **environment)
