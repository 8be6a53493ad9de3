"""`reenact mobility`."""

from __future__ import annotations

import json

import pytest

from reenact.cli.main import main
from reenact.core.placement import Placement
from reenact.errors import LibraryError
from reenact.library import Library
from reenact.loading import load
from reenact.mobility.map_file import load_map
from reenact.mobility.map_parameters import MapParameters
from reenact.mobility.pose_graph import PruningParameters
from reenact.operations.library_mobility import build_library_map
from reenact.samples import make_sample

_LOOSE = ("--dearest", "8", "--options", "8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("mobility") / "lib"
    with Library.create(place) as library:
        for name in ("walk_normal", "walk_fast", "start_walk_left", "stop_walk_left", "walk_corner_left"):
            library.add(make_sample(name).clip)
    return place


@pytest.fixture(scope="module")
def map_file(folder):
    path = folder.parent / "walks.map"
    assert main(["mobility", "build", str(folder), "-o", str(path), *_LOOSE, "--json"]) == 0
    return path


def _run(capsys, *arguments: object, code: int = 0):
    capsys.readouterr()
    assert main([*map(str, arguments), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_build_and_show(folder, map_file, capsys) -> None:
    made = load_map(map_file)
    shown = _run(capsys, "mobility", "show", map_file)
    stages = {stage["stage"]: stage for stage in shown["stages"]}
    assert stages["map"]["map_states"] == made.states
    assert stages["poses"]["mirrored_poses"] == stages["poses"]["recorded_poses"]
    assert stages["map"]["thesis"]["mean_options"] == 38
    assert shown["parameters"]["map"]["options"] == 8
    assert shown["bytes"] == map_file.stat().st_size
    with Library(folder) as library:
        built = build_library_map(library, "", MapParameters(options=8), pruning=PruningParameters(dearest=8.0))
    assert (built.map.targets == made.targets).all()
    assert main(["mobility", "show", str(map_file)]) == 0
    told = capsys.readouterr().out
    assert "(thesis 6 550)" in told
    assert "2400 s on 48 machines" in told


def test_one_state_and_its_picture(map_file, capsys, tmp_path) -> None:
    made = load_map(map_file)
    state = int(made.targets[0])
    picture = tmp_path / "fan.svg"
    told = _run(capsys, "mobility", "show", map_file, "--state", state, "-o", picture)
    assert told["options"] == made.row_starts[state + 1] - made.row_starts[state]
    assert picture.read_text().startswith("<svg")
    widest = _run(capsys, "mobility", "show", map_file, "-o", tmp_path / "widest.svg")
    low, _, high = widest["degrees"]
    assert low < 0 < high
    error = _run(capsys, "mobility", "show", map_file, "-s", state, "-o", tmp_path / "fan.png", code=2)
    assert ".svg" in error["error"]["message"]
    error = _run(capsys, "mobility", "show", map_file, "-s", made.graph.states, code=2)
    assert "no state" in error["error"]["message"]


def test_predictions(map_file, capsys) -> None:
    made = load_map(map_file)
    state = int(made.targets[0])
    told = _run(capsys, "mobility", "predict", map_file, "-s", state, "--x", 1, "--z", 2, "--heading", 90)
    wanted = made.predict(state, Placement((1.0, 2.0), 1.5707963267948966))
    assert [row["option"] for row in told["options"]] == wanted.options.tolist()
    assert told["options"][0]["x"] == pytest.approx(wanted.positions[0, 0], abs=1e-4)
    assert main(["mobility", "predict", str(map_file), "-s", str(state)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(wanted.options)


def test_the_smoothest_way_between_two_states(map_file, capsys, tmp_path) -> None:
    made = load_map(map_file)
    source, target = int(made.targets[0]), int(made.targets[-1])
    out = tmp_path / "way.bvh"
    told = _run(capsys, "mobility", "path", map_file, source, target, "-o", out)
    clip = load(out)
    assert len(clip) == told["frames"] == told["seconds"] * 30
    assert len(told["jump_frames"]) == told["jumps"]
    error = _run(capsys, "mobility", "path", map_file, 0, 10**6, "-o", out, code=2)
    assert "no state" in error["error"]["message"]


def test_bad_input(folder, map_file, capsys, tmp_path) -> None:
    out = tmp_path / "x.map"
    error = _run(capsys, "mobility", "build", folder, "-o", out, "-q", "dance", code=2)
    assert "no clip answers 'dance'" in error["error"]["message"]
    error = _run(capsys, "mobility", "build", folder, "-o", out, "--tau-max", "1e-6", code=2)
    assert "Add clips" in error["error"]["message"]
    assert not out.exists()
    error = _run(capsys, "mobility", "build", folder, "-o", out, "--scheduler", "somewhere", code=2)
    assert "tcp://" in error["error"]["message"]
    error = _run(capsys, "mobility", "build", folder, "-o", tmp_path / "none" / "x.map", code=2)
    assert "folder" in error["error"]["message"]
    damaged = tmp_path / "damaged.map"
    damaged.write_bytes(map_file.read_bytes()[:5000])
    for verb in (("show", damaged), ("predict", damaged, "-s", 0), ("path", damaged, 0, 1, "-o", tmp_path / "x.bvh")):
        error = _run(capsys, "mobility", *verb, code=2)
        assert "damaged" in error["error"]["message"]


def test_several_skeletons_are_offered_to_be_mapped(folder, capsys, tmp_path, corpus) -> None:
    with Library(folder) as library:
        clip = load(corpus / "cmu-bvh" / "16_15.bvh")
        entry = library.add(clip)
    try:
        error = _run(capsys, "mobility", "build", folder, "-o", tmp_path / "x.map", code=2)
        assert "different skeletons" in error["error"]["message"]
        assert "--map" in error["error"]["message"]
        out = tmp_path / "both.map"
        told = _run(capsys, "mobility", "build", folder, "-o", out, "--map", *_LOOSE)
        assert told["stages"][0]["clips"] == 12
    finally:
        with Library(folder) as library:
            library.remove("16_15")
    assert entry is not None


def test_an_empty_library_is_said(tmp_path) -> None:
    with Library.create(tmp_path / "lib") as library, pytest.raises(LibraryError, match="empty"):
        build_library_map(library)


def test_a_character_goes_to_goals_and_along_a_path(map_file, capsys, tmp_path) -> None:
    told = _run(capsys, "mobility", "go", map_file, "--to", "0,3; 2,4", "-o", tmp_path / "go.bvh")
    report = told["report"]
    assert [trip["to"] for trip in report["trips"]] == [[0.0, 3.0], [2.0, 4.0]]
    assert all(trip["reached"] for trip in report["trips"])
    clip = load(tmp_path / "go.bvh")
    assert len(clip) == told["frames"]
    assert clip.plants is not None
    assert report["slip_mm_worst"] < 20
    (tmp_path / "path.csv").write_text("x,z\n0,0\n0,3\n2,5\n")
    along = _run(
        capsys, "mobility", "go", map_file, "--along", tmp_path / "path.csv", "--hold", 0, "-o", tmp_path / "p.glb"
    )
    assert along["report"]["trips"] == []
    ends = load(tmp_path / "p.glb").root[-1, [0, 2]]
    assert float(((ends - (2, 5)) ** 2).sum()) < 1.0


def test_every_controller_goes_and_they_are_compared(map_file, capsys, tmp_path) -> None:
    for kind in ("thesis", "matching"):
        told = _run(
            capsys, "mobility", "go", map_file, "--controller", kind, "--to", "0,3", "-o", tmp_path / f"{kind}.bvh"
        )
        assert told["report"]["controller"] == kind
    trial = _run(capsys, "mobility", "trial", map_file, "--goals", 3)
    assert set(trial["controllers"]) == {"map", "thesis", "matching"}
    for figures in trial["controllers"].values():
        assert 0 <= figures["reached"] <= 1
        assert figures["character_bytes"] < 4096


def test_goals_that_are_none_are_told(map_file, capsys, tmp_path) -> None:
    for words, said in (
        ((), "say where to go"),
        (("--to", "1,2", "--along", "x.csv"), "one of both"),
        (("--to", "1;2"), 'two numbers "x,z"'),
        (("--to", "nan,2"), "finite"),
        (("--to", "1,2", "--start", "left"), "x,z,degrees"),
        (("--along", tmp_path / "none.csv"), "none.csv"),
        (("--to", "1,2", "--patience", 0), "patience"),
    ):
        error = _run(capsys, "mobility", "go", map_file, *words, "-o", tmp_path / "x.bvh", code=2)
        assert said in str(error["error"]), words
    error = _run(capsys, "mobility", "trial", map_file, "--near", 5, "--far", 2, code=2)
    assert "between two distances" in error["error"]["message"]
