"""`--plants` and `--detector`: on every verb that uses foot plants, by one mechanism."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reenact import load, save
from reenact.analysis.plants import DETECTORS, detect_plants
from reenact.cli.main import build_command, main
from reenact.core.foot_plants import FootPlants
from reenact.formats.plants_text import read_plants, write_plants
from reenact.library import Library
from reenact.library.gaits import clip_plants
from reenact.library.kept_plants import given_plants
from reenact.operations.operation import Operation, resolve
from reenact.operations.registry import OPERATIONS, find_operation
from reenact.operations.running import run_operation
from reenact.samples import make_sample

MAKING = [one for one in OPERATIONS if one.gives == "clip" and not one.of_library]  # a library holds its plants itself
USING = [operation for operation in MAKING if operation.plants]
OTHERS = ("plants", "classify", "check", "register", "split", "sequence")
PARTS = (("graph", "build"), ("graph", "cycles"), ("library", "classify"), ("library", "plants"))


def ask(capsys: pytest.CaptureFixture[str], *arguments: Any, code: int = 0) -> dict:
    assert main([*map(str, arguments), "--json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("operation", MAKING, ids=lambda operation: operation.name)
def test_operations_that_take_plants_say_so(operation: Operation) -> None:
    takes = "plants" in inspect.signature(resolve(operation.function)).parameters
    assert takes == bool(operation.plants)
    assert (_options(operation.name) >= {"--plants", "--detector"}) == takes


def _options(*words: str) -> set[str]:
    command = build_command(words[0])
    for word in words[1:]:
        command = command.commands[word]
    return {name for parameter in command.params for name in parameter.opts}


@pytest.mark.parametrize("words", [(name,) for name in OTHERS] + list(PARTS), ids=" ".join)
def test_other_verbs_have_the_options(words: tuple[str, ...]) -> None:
    assert _options(*words) >= {"--plants", "--detector"}


@pytest.fixture
def motions(tmp_path: Path) -> tuple[Path, Path]:
    """Two walks as files."""
    made = []
    for name in ("walk_normal", "walk_fast"):
        save(make_sample(name, 30.0).clip, tmp_path / f"{name}.bvh")
        made.append(tmp_path / f"{name}.bvh")
    return made[0], made[1]


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A character with a mesh."""
    file = tmp_path_factory.mktemp("person") / "person.glb"
    assert main(["humanoid", "-o", str(file)]) == 0
    return file


def odd_plants(file: Path, seed: int) -> FootPlants:
    """Plants of a motion that no detector finds: shortened and shifted."""
    clip = load(file)
    found = detect_plants(clip)
    heel, ball = (np.roll(getattr(found.left, part), seed) & getattr(found.left, part) for part in ("heel", "ball"))
    left = type(found.left)(heel, ball)
    return FootPlants(left, found.right, found.fps, found.floor, "file")


EXTRA = {
    "warp": ["--keys", "30 move 0,-0.03,0", "--feet", "hold"],
    "space": ["--parameter", "speed", "--value", "1.5", "--tries", "1"],
    "loop": ["--count", "2"],
    "root": ["--in-place"],
    "path": ["--radius", "4"],
}


@pytest.mark.parametrize("operation", USING, ids=lambda operation: operation.name)
@pytest.mark.parametrize("how", ["files", "detector"])
def test_operations_use_the_plants_that_were_chosen(
    operation: Operation,
    how: str,
    motions: tuple[Path, Path],
    person: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the function is handed: plants of just the files, or of just the detector, for each clip that counts."""
    files = list(motions if operation.takes == "clips" and operation.name != "loop" else motions[:1])
    counted = files[:1] if operation.plants == "first" else files
    if any(one.kind == "body" and not one.bare for one in operation.inputs):
        files[1:] = [person]
    words: list[str] = []
    if how == "files":
        wanted = [odd_plants(file, 3) for file in counted]
        for n, plants in enumerate(wanted):
            write_plants(plants, tmp_path / f"{n}.txt")
            words += ["--plants", str(tmp_path / f"{n}.txt")]
    else:
        wanted = [detect_plants(load(file), "static") for file in counted]
        words += ["--detector", "static"]
    seen: list[Any] = []

    def watch(asked: Operation, clips: Any, parameters: Any, plants: Any = None) -> Any:
        seen.append(plants)
        return run_operation(asked, clips, parameters, plants)

    monkeypatch.setattr("reenact.cli.making.run_operation", watch)
    out = tmp_path / "out.bvh"
    assert main([operation.name, *map(str, files), "-o", str(out), *EXTRA.get(operation.name, []), *words]) == 0
    (given,) = seen
    assert len(given) == len(wanted)
    for one, other in zip(given, wanted, strict=True):
        for side in ("left", "right"):
            np.testing.assert_array_equal(one.foot(side).heel, other.foot(side).heel)
            np.testing.assert_array_equal(one.foot(side).ball, other.foot(side).ball)
    assert len(load(out)) > 0


@pytest.mark.parametrize("name", ["transition", "blend", "clean", "warp", "map", "loop"])
def test_given_plants_change_the_result(name: str, motions: tuple[Path, Path]) -> None:
    """A foot that is said to stand throughout is held, or at least carried, by every method."""
    operation = find_operation(name)
    clips = [load(file) for file in motions][: 1 if operation.takes == "clip" or name == "loop" else 2]
    parameters = operation.parameter_class()(
        **({"keys": "30 move 0,-0.03,0", "feet": "hold"} if name == "warp" else {})
    )
    counted = clips[:1] if operation.plants == "first" else clips
    plain, given = (
        run_operation(operation, clips, parameters, plants)
        for plants in (None, [odd_plants(file, 6) for file, _ in zip(motions, counted, strict=False)])
    )
    assert plain.plants is not None
    assert given.plants is not None
    same = len(plain.plants) == len(given.plants) and np.array_equal(plain.plants.left.heel, given.plants.left.heel)
    assert not same


def test_detectors_by_name(motions: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    for detector in DETECTORS:
        found = ask(capsys, "plants", motions[0], "--detector", detector)
        want = detect_plants(load(motions[0]), detector)
        assert found["left"] == [list(span) for span in want.left.intervals()]
    assert (
        "no detector 'x'"
        in ask(capsys, "clean", motions[0], "-o", "x.bvh", "--detector", "x", code=2)["error"]["message"]
    )


def test_check_classify_split_and_register(
    motions: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frames = len(load(motions[0]))
    hand = tmp_path / "hand.txt"
    hand.write_text(f"reenact plants 1\nfps 30\nframes {frames}\nleft foot 0 {frames}\nright foot 0 {frames}\n")
    assert ask(capsys, "classify", motions[0])["type"] == "walk"
    assert ask(capsys, "classify", motions[0], "--plants", hand)["type"] != "walk"
    named = f"walk_normal={hand}"
    files = ask(capsys, "check", *motions, "--plants", named, code=1)["files"]
    assert next(entry["measures"]["plants"] for entry in files) == 2
    assert "2 clips" in ask(capsys, "check", *motions, "--plants", hand, code=2)["error"]["message"]
    static = ask(capsys, "check", motions[0], "--detector", "static")["files"][0]["measures"]
    assert static["plants"] == sum(
        len(detect_plants(load(motions[0]), "static").foot(s).intervals()) for s in ("left", "right")
    )
    assert main(["split", str(motions[0]), "--by-type", "-o", str(tmp_path / "parts")]) == 0
    assert (tmp_path / "parts" / "walk_normal-walk-1.bvh").exists()
    assert main(["split", str(motions[0]), "--by-type", "-o", str(tmp_path / "other"), "--plants", str(hand)]) in (0, 2)
    assert not (tmp_path / "other" / "walk_normal-walk-1.bvh").exists()
    assert main(["split", str(motions[0]), "-p", "a 0 9", "-o", str(tmp_path / "other"), "--detector", "static"]) == 2
    capsys.readouterr()
    default, other = (
        main(["register", *map(str, motions), *more, "--json"]) for more in ([], ["--detector", "static"])
    )
    assert default in (0, 1)
    assert other in (0, 1)


def test_in_a_library_they_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "library"
    with Library.create(folder) as library:
        for name in ("walk_normal", "walk_fast", "stand"):
            library.add(make_sample(name, 30.0).clip)
        frames = library.entry("walk_normal").frames
    hand = tmp_path / "hand.txt"
    hand.write_text(f"reenact plants 1\nfps 30\nframes {frames}\nleft foot 0 {frames}\nright foot 0 {frames}\n")
    first = ask(capsys, "graph", "build", folder)
    assert first["made"] == "built"
    assert "say whose" in ask(capsys, "graph", "build", folder, "--plants", hand, code=2)["error"]["message"]
    changed = ask(capsys, "graph", "build", folder, "--plants", f"walk_normal={hand}")
    assert changed["made"] == "built"  # other plants are another graph, without being told to rebuild
    assert ask(capsys, "graph", "build", folder)["made"] == "kept"
    assert ask(capsys, "library", "classify", folder)["types"]["walk_normal"] != "walk"
    with Library(folder, read_only=True) as library:
        given = given_plants(library, "walk_normal")
        assert given is not None
        assert given.left.plant.all()
    out = tmp_path / "again.txt"
    shown = ask(capsys, "library", "plants", folder, "walk_normal", "-o", out)
    assert shown["left"] == [[0, frames]]
    assert read_plants(out).right.plant.all()
    assert ask(capsys, "library", "plants", folder, "walk_normal", "--forget")["left"] != [[0, frames]]
    assert (
        "given by hand"
        in ask(capsys, "library", "plants", folder, "walk_normal", "--forget", code=2)["error"]["message"]
    )
    assert ask(capsys, "graph", "build", folder)["made"] == "kept"  # the first one
    assert ask(capsys, "library", "classify", folder)["types"]["walk_normal"] == "walk"
    assert ask(capsys, "library", "plants", folder, "walk_normal", "--plants", hand)["left"] == [[0, frames]]
    assert main(["library", "plants", str(folder), "walk_normal"]) == 0
    assert "hand" in capsys.readouterr().out


def test_a_graph_and_a_sequence_by_another_detector(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "library"
    with Library.create(folder) as library:
        for name in ("walk_normal", "walk_fast"):
            library.add(make_sample(name, 30.0).clip)
    ask(capsys, "graph", "build", folder)
    static = ask(capsys, "graph", "build", folder, "--detector", "static")
    assert static["made"] == "built"
    assert ask(capsys, "graph", "build", folder, "--detector", "static")["made"] == "kept"
    out = tmp_path / "out.bvh"
    ask(capsys, "sequence", folder, "walk_normal", "walk_fast", "--detector", "threshold", "-o", out)
    with Library(folder, read_only=True) as library:
        kept = {
            row["parameters"]["detector"] for row in library.derived_results("walk_normal") if row["kind"] == "plants"
        }
        assert {"adaptive", "static", "threshold"} <= kept
        np.testing.assert_array_equal(
            clip_plants(library, "walk_normal", "static").left.plant,
            detect_plants(library.clip("walk_normal"), "static").left.plant,
        )
