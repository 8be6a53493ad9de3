"""What scripts rely on stays: the verbs, the keys of their JSON, and options that mean the same on every verb."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import reenact
from reenact.cli.main import build_command, main, verbs
from reenact.library import Library
from reenact.samples import make_sample

VERBS = {
    "info", "convert", "resample", "pose", "cut", "join", "mirror", "move", "map", "transition", "loop", "blend", "warp", "clean", "space",
    "split", "plants", "classify", "check", "register", "render", "matrices", "library", "graph", "sequence", "studio", "demo",
    "rig", "scale",
}  # fmt: skip

MADE = "out plants frames seconds report findings"
KEYS = {
    "info {walk}": "files",
    "convert {walk} {out}.npz": "in out frames clips findings",
    "cut {walk} --start 2 -o {out}.bvh": MADE,
    "transition {walk} {fast} --window 0.5 -o {out}.npz": MADE,
    "loop {walk} -o {out}.npz": MADE,
    "loop {walk} --list": "file cycles",
    "split {walk} -p 'a 0 40' -o {out}": "in frames parts findings",
    "plants {walk}": "fps frames left right floor heel ball detector out findings",
    "classify {walk}": "type segments shares frames classifier findings",
    "check {walk}": "files",
    "check {walk} --against {fast}": "files against compare",
    "register {walk} {fast}": "html quality ranges",
    "render {walk} --renderer plain --count 3 -o {out}.png": "out frames seconds report findings",
    "sequence {lib} walk_normal walk_fast": "plans picked",
    "sequence {lib} walk_normal walk_fast -o {out}.npz": "out frames seconds report",
    "library list {lib}": "clips",
}
"""Command -> the keys that its JSON had when it was first told."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("promises")
    with Library.create(folder / "lib") as library:
        for name in ("walk_normal", "walk_fast"):
            clip = make_sample(name, 60.0).clip
            library.add(clip)
            reenact.save(clip, folder / f"{name}.npz")
    return {"walk": folder / "walk_normal.npz", "fast": folder / "walk_fast.npz", "lib": folder / "lib"}


def test_no_verb_is_gone() -> None:
    assert set(verbs()) >= VERBS


@pytest.mark.parametrize("line", KEYS)
def test_no_key_is_gone(line: str, places: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word.format(**places, out=tmp_path / "out").strip("'") for word in re.findall(r"'[^']*'|\S+", line)]
    assert main([*words, "--json"]) in (0, 1)
    told = json.loads(capsys.readouterr().out)
    assert set(KEYS[line].split()) <= set(told)


def _commands() -> list[tuple[str, Any]]:
    found = []
    for verb in verbs():
        command = build_command(verb)
        children = getattr(command, "commands", None)
        found += [(f"{verb} {name}", child) for name, child in children.items()] if children else [(verb, command)]
    return found


def test_brackets_are_seen_in_help(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Units stand in square brackets, which rich takes for markup unless it is told."""
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setenv("TERMINAL_WIDTH", "400")
    bracketed = 0
    for name, command in _commands():
        main([*name.split(), "--help"])
        shown = " ".join(re.sub(r"[│╭╮╰╯─]", " ", capsys.readouterr().out).split())
        for parameter in command.params:
            for text in re.findall(r"\[[a-zA-Z][^\]]*\]", getattr(parameter, "help", None) or ""):
                assert text in shown, f"{name}: {text}"
                bracketed += 1
        assert "\\[" not in shown
    assert bracketed > 50


def test_source_and_licence_are_options_of_every_verb_that_reads(
    places: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, command in _commands():
        options = {word for parameter in command.params for word in parameter.opts}
        assert "--in-source" not in options, name
        assert ("--licence" in options) == ("--source" in options), name
    out = tmp_path / "told.bvh"
    words = ["convert", str(places["walk"]), str(out), "--source", "the lab", "--licence", "CC0"]
    assert main(words) == 0
    (credit,) = reenact.load(out).origin.credits
    assert (credit.source, credit.licence) == ("the lab", "CC0")
