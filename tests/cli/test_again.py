"""What a report says about how its result was made, and the result made again from it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import reenact
from reenact.cli.main import main
from reenact.library import Library
from reenact.samples import make_sample


@pytest.fixture
def places(tmp_path: Path) -> Path:
    with Library.create(tmp_path / "lib") as library:
        for name in ("walk_normal", "walk_fast"):
            clip = make_sample(name, 60.0).clip
            library.add(clip)
            reenact.save(clip, tmp_path / f"{name}.bvh")
    return tmp_path


def report_of(words: list[str], place: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main([*words, "--json"]) in (0, 1)
    text = capsys.readouterr().out
    place.write_text(text)
    return json.loads(text)


LINES = [
    "cut {f}/walk_normal.bvh --start 3 -o {f}/made.bvh",
    "move {f}/walk_normal.bvh --x=-1.5 --turn -90 -o {f}/made.npz",
    "loop {f}/walk_normal.bvh --in-place --count 2 -o {f}/made.glb",
    "transition {f}/walk_normal.bvh {f}/walk_fast.bvh --window 0.4 -o {f}/made.glb",
    "warp {f}/walk_normal.bvh --smooth 0.05 -o {f}/made.npz",
    "convert {f}/walk_normal.bvh {f}/made.npz",
    "render {f}/walk_normal.bvh --count 3 --renderer plain -o {f}/made.png",
    "sequence {f}/lib walk_normal walk_fast -o {f}/made.npz",
    "plants {f}/walk_normal.bvh -o {f}/made.plants",
]


@pytest.mark.parametrize("line", LINES)
def test_a_result_is_made_again_from_its_report(line: str, places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = report_of(line.format(f=places).split(), places / "report.json", capsys)
    made = next(places.glob("made.*"))
    before = made.read_bytes()
    record = report["made_by"]
    assert record["reenact"] == reenact.__version__
    assert record["verb"] == line.split()[0]
    for source in record["sources"]:
        if "path" in source:
            assert source["sha256"] == hashlib.sha256(Path(source["path"]).read_bytes()).hexdigest()
    assert record["sources"]
    made.unlink()
    assert main(["again", str(places / "report.json")]) in (0, 1)
    assert made.read_bytes() == before


def test_every_parameter_is_in_the_report(places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = f"loop {places}/walk_normal.bvh --longest 1.5 -o {places}/made.npz".split()
    record = report_of(words, places / "report.json", capsys)["made_by"]
    import dataclasses

    from reenact.edit.loop import LoopParameters

    assert {field.name for field in dataclasses.fields(LoopParameters)} <= set(record["parameters"])
    assert record["parameters"]["longest"] == 1.5
    assert "--count=5" in record["arguments"]  # a default, which may be another one some day


def test_it_can_be_written_elsewhere(places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = f"mirror {places}/walk_normal.bvh -o {places}/made.npz".split()
    report_of(words, places / "report.json", capsys)
    assert main(["again", f"{places}/report.json", "-o", f"{places}/other.npz"]) == 0
    assert (places / "other.npz").read_bytes() == (places / "made.npz").read_bytes()


def test_from_another_folder(places: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(places)
    report_of(["mirror", "walk_normal.bvh", "-o", "made.npz"], places / "report.json", capsys)
    before = Path("made.npz").read_bytes()
    Path("made.npz").unlink()
    (places / "elsewhere").mkdir()
    monkeypatch.chdir(places / "elsewhere")
    assert main(["again", "../report.json"]) == 0
    assert (places / "made.npz").read_bytes() == before


def test_a_changed_source_is_refused(places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = places / "walk_normal.bvh"
    report_of(f"mirror {source} -o {places}/made.npz".split(), places / "report.json", capsys)
    source.write_text(source.read_text() + "\n")
    assert main(["again", f"{places}/report.json"]) == 2
    assert "walk_normal.bvh is not the file it was; --changed makes it all the same" in capsys.readouterr().err
    assert main(["again", f"{places}/report.json", "--changed"]) == 0
    source.unlink()
    assert main(["again", f"{places}/report.json"]) == 2
    assert "the source is not there any more" in capsys.readouterr().err


def test_many_are_made_again(places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = f"mirror {places}/lib -q walk -o {places}/out/{{name}}.npz".split()
    report = report_of(words, places / "report.json", capsys)
    before = {row["out"]: Path(row["out"]).read_bytes() for row in report["results"]}
    for out in before:
        Path(out).unlink()
    assert main(["again", f"{places}/report.json"]) == 0
    assert {out: Path(out).read_bytes() for out in before} == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "expected the JSON object"),
        ("[1]", "does not say how something was made"),
        ('{"made_by": {"arguments": ["mirror"]}}', "its `made_by` is damaged"),
        (
            '{"made_by": {"arguments": ["rm", "--"], "sources": [], "reenact": "0", "folder": "", "verb": "rm"}}',
            "which is no verb that makes something",
        ),
        (
            '{"made_by": {"arguments": ["mirror", "--"], "sources": [{"path": "-"}], "reenact": "0", "folder": "", "verb": ""}}',
            "came through a pipe",
        ),
    ],
)
def test_bad_reports(text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report.json").write_text(text)
    assert main(["again", f"{tmp_path}/report.json"]) == 2
    assert said in capsys.readouterr().err
