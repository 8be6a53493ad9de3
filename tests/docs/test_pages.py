"""Every command and every block of code of the README and the documentation runs on generated samples, in the order of its page.

A block that cannot run says why in a comment right above it: `<!-- not run: why -->`. There are few of those, and they are counted.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from kitchen import fill_kitchen, names_in_pages
from page_blocks import Block, find_blocks

from reenact.cli.main import build_command, main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
MOST_NOT_RUN = 16
SERVERS = ("studio",)
"""Verbs that go on until they are ended: their words are checked, they are not started."""


@pytest.fixture(scope="session")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kitchen")
    fill_kitchen(folder)
    return folder


@contextmanager
def standing_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if find_blocks(page)], ids=_name)
def test_blocks_run(page: Path, kitchen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "place"
    shutil.copytree(kitchen, place)
    monkeypatch.setenv("HOME", str(place / "home"))
    monkeypatch.setattr("reenact.studio.capture.find_browser", lambda: None)  # pictures are drawn without one
    monkeypatch.setattr("PIL.Image.Image.show", lambda picture: None)
    known: dict[str, Any] = {}
    failed = []
    with standing_in(place):
        for block in find_blocks(page):
            if block.why_not:
                continue
            try:
                if block.kind == "python":
                    known = known or names_in_pages(page.read_text(encoding="utf-8"))
                    known["__name__"] = "page"
                    exec(compile(block.text, f"{_name(page)}:{block.line}", "exec"), known)
                else:
                    run_commands(block, place)
            except Exception as error:
                failed.append(f"{_name(page)}:{block.line}: {type(error).__name__}: {error}")
    assert not failed, "\n".join(failed)


def run_commands(block: Block, place: Path) -> None:
    """Run the commands of a block; each must end well, checks may find something."""
    for line in block.text.splitlines():
        for command in re.split(r"\s*(?:&&|;\s(?=reenact))\s*", _without_comment(line)):
            run_command(_substituted(command, place), place)


def run_command(command: str, place: Path) -> None:
    """One command, in this process; what it prints may go to a file."""
    words = shlex.split(command)
    target = None
    if ">" in words:
        target = Path(words[words.index(">") + 1])
        words = words[: words.index(">")]
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), command
        return
    assert words[0] == "reenact", command
    words = [expanded for word in words[1:] for expanded in _expanded(word)]
    _prepare(words, place)
    if words[0] in SERVERS:
        build_command(words[0]).make_context(words[0], words[1:])
        return
    said, noise = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(noise):
        code = main(words)
    if target is not None:
        target.write_text(said.getvalue())
    assert code in (0, 1), f"{command}: exit code {code}: {noise.getvalue()}"


def _without_comment(line: str) -> str:
    """The command without what a shell takes for a comment."""
    return re.split(r"\s#\s", line)[0].strip()


def _substituted(command: str, place: Path) -> str:
    """$(cat FILE) and the home folder, as a shell would have it."""
    command = re.sub(r"\$\(cat (\S+)\)", lambda found: (place / found[1]).read_text().strip(), command)
    return command.replace("~/", f"{place}/home/")


def _expanded(word: str) -> list[str]:
    """File names with a star, as a shell would have them."""
    if "*" in word and "/" not in word:
        return sorted(str(file) for file in Path().glob(word)) or [word]
    return [word]


def _prepare(words: list[str], place: Path) -> None:
    """Libraries that a page did not make itself are copies of the one there is."""
    if words[:2] == ["library", "init"]:
        return
    for word in words:
        if word in ("mocap", "graphs", "takes", "library/", "DIR", "demo", "mocap/") and not Path(word).exists():
            shutil.copytree(place / "LIB", place / word)


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    every = [block for page in PAGES for block in find_blocks(page)]
    left = [block for block in every if block.why_not]
    assert len(every) >= 80
    assert len(left) <= MOST_NOT_RUN
    assert all(len(block.why_not) > 10 for block in left)


def test_a_block_that_fails_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nfrom reenact import nothing_of_that_name\n```\n\n    reenact cut gone.bvh -o a.bvh   # no file\n"
    )
    code, commands = find_blocks(page)
    with pytest.raises(ImportError):
        exec(code.text, {})
    with pytest.raises(AssertionError, match="exit code 2"), standing_in(tmp_path):
        run_commands(commands, tmp_path)


def test_reasons_belong_to_the_block_below(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- not run: needs a network -->\n\n    reenact info a.bvh\n\nText.\n\n    reenact info b.bvh\n")
    assert [block.why_not for block in find_blocks(page)] == ["needs a network", ""]
