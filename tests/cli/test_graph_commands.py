"""`reenact graph` and `reenact sequence`."""

from __future__ import annotations

import json

import pytest

from reenact.cli.main import main
from reenact.library import Library
from reenact.loading import load
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("graph") / "lib"
    with Library.create(place) as library:
        for name in ("stand", "walk_normal", "walk_fast", "start_walk_left", "kick_left", "stop_walk_left"):
            sample = make_sample(name)
            library.add(sample.clip, metadata={"type": sample.type})
    return str(place)


def _run(capsys, *arguments: str, code: int = 0):
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_build_and_show(folder, capsys, tmp_path) -> None:
    built = _run(capsys, "graph", "build", folder)
    assert {"made", "clips", "frames", "nodes", "sequences", "edges", "error_m", "shared_nodes", "largest"} <= set(
        built
    )
    assert built["clips"] == 6
    shown = _run(capsys, "graph", "show", folder)
    assert shown["made"] == "kept"
    assert shown["nodes"] == built["nodes"]
    picture = tmp_path / "node.png"
    node = _run(capsys, "graph", "show", folder, "--node", "0", "-o", str(picture))
    assert node["node"] == 0
    assert len(node["sequences"]) >= 1
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_weights_from_a_file(folder, capsys, tmp_path) -> None:
    weights = tmp_path / "weights.txt"
    weights.write_text("hips 1\nleft_toes 2\nright_toes 2\n")
    built = _run(capsys, "graph", "build", folder, "--weights", str(weights), "--error", "0.1", "-q", "walk")
    assert built["error_m"] == 0.1
    weights.write_text("hips one\n")
    error = _run(capsys, "graph", "build", folder, "--weights", str(weights), code=2)["error"]
    assert error["where"].endswith("weights.txt:1")


def test_sequence_writes_a_clip_and_says_why(folder, capsys, tmp_path) -> None:
    out = tmp_path / "out.bvh"
    made = _run(capsys, "sequence", folder, "stand", "type:walk", "kick_left", "-o", str(out), "--why", "--top", "2")
    assert {"out", "frames", "seconds", "report"} <= set(made)
    assert len(load(out)) == made["frames"]
    report = made["report"]
    assert len(report["plans"]) == 2
    assert report["plans"][0]["cost"] <= report["plans"][1]["cost"]
    way = report["plans"][0]["ways"][0]
    assert way["why"][0]["joints"][0]["share"] > 0
    assert len(report["pictures"]) == len(report["transitions"]) >= 2
    assert all((tmp_path / path).exists() for path in report["pictures"])


def test_plans_for_people(folder, capsys) -> None:
    assert main(["sequence", folder, "walk_normal@200", "walk_fast", "--why", "--top", "3"]) == 0
    text = capsys.readouterr().out
    assert "3. cost" in text
    assert "poses differ by" in text


@pytest.mark.parametrize(
    ("clips", "message"),
    [
        (["walk_normal"], "at least two"),
        (["walk_normal", "swim"], "no clip 'swim'"),
        (["walk_normal@900", "walk_fast"], "frames 0 to 419"),
        (["walk_normal", "walk_fast@-900"], "frames 0 to 419"),
        (["walk_normal", "type:swim"], "no clip answers"),
    ],
)
def test_bad_requests_are_one_line(folder, capsys, clips, message) -> None:
    error = _run(capsys, "sequence", folder, *clips, code=2)["error"]
    assert message in error["message"]


def test_no_path_has_its_own_code(folder, capsys) -> None:
    arguments = [
        "sequence",
        folder,
        "kick_left",
        "walk_fast",
        "--via",
        "direct",
        "--error",
        "0.001",
        "--gaps",
        "refuse",
    ]
    error = _run(capsys, *arguments, code=2)["error"]
    assert error["code"] == "no-path"
    assert "needed is a clip that begins like kick_left at frame" in error["message"]
    assert "What helps: other clips on the way (--via auto)" not in error["message"]  # at an error of 1 mm they do not
    assert error["where"] == "walk_fast"


def test_cycles_within_a_clip_and_through_several(folder, capsys, tmp_path) -> None:
    within = _run(capsys, "graph", "cycles", folder, "walk_normal", "--top", "3")
    assert within["count"] > 10
    assert len(within["loops"]) == 3
    assert {"start", "end", "seconds", "error_m", "advance_m", "turn_degrees"} <= set(within["loops"][0])
    out = tmp_path / "loop.bvh"
    made = _run(capsys, "graph", "cycles", folder, "walk_normal", "--pick", "2", "--count", "2", "-o", str(out))
    second = within["loops"][1]
    assert len(load(out)) == made["frames"] == 2 * (second["end"] - second["start"])
    trips = _run(capsys, "graph", "cycles", folder, "walk_normal", "walk_fast", "--count", "2", "-o", str(out))
    assert trips["loops"][0]["clips"] == ["walk_normal", "walk_fast"]
    assert abs(trips["seconds"] - 2 * trips["loops"][0]["seconds"]) < 0.1
    through = _run(capsys, "graph", "cycles", folder, "walk_normal", "--through")
    assert ["walk_normal", "walk_fast"] in [row["clips"] for row in through["loops"]]
    for arguments in (("walk_normal",), ("walk_normal", "walk_fast"), ("walk_normal", "--near", "100", "--top", "2")):
        assert main(["graph", "cycles", folder, *arguments]) == 0
    printed = capsys.readouterr().out
    assert "advance" in printed
    assert "walk_fast" in printed
    error = _run(capsys, "graph", "cycles", folder, "walk_normal", "--pick", "5000", code=2)["error"]
    assert "number 5000 is not one of them" in error["message"]
    error = _run(capsys, "graph", "cycles", folder, "walk_normal", "walk_fast", "--through", code=2)["error"]
    assert "--through is for one clip" in error["message"]


def test_sequences_tell_what_is_played(folder, capsys) -> None:
    (plan,) = _run(capsys, "sequence", folder, "walk_normal", "walk_fast", "kick_left")["plans"]
    assert [row["clip"] for row in plan["played"]] == ["walk_normal", "walk_fast", "kick_left"]
    assert all(row["time"] >= 0.5 and row["action"] >= 0.5 for row in plan["played"])
    assert "lost" not in plan
    assert main(["sequence", folder, "walk_normal", "walk_fast"]) == 0
    assert "% of walk_normal, " in capsys.readouterr().out
    error = _run(capsys, "sequence", folder, "walk_normal", "walk_fast", "--search", "best", code=2)["error"]
    assert "best" in error["message"]
