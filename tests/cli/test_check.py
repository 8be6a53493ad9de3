"""`reenact check`: its JSON contract, exit codes, limits, pages, comparison, libraries."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import reenact
from reenact.cli.main import main
from reenact.library import Library
from reenact.loading import save_all
from reenact.samples import make_sample


@pytest.fixture
def good(tmp_path: Path) -> Path:
    reenact.save(make_sample("walk_normal").clip, tmp_path / "good.npz")
    return tmp_path / "good.npz"


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    clip = make_sample("walk_normal").clip
    root = clip.root.copy()
    root[100] += 0.1
    reenact.save(replace(clip, root=root), tmp_path / "bad.npz")
    return tmp_path / "bad.npz"


def ask(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> dict:
    assert main([*(str(argument) for argument in arguments), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_contract(good: Path, bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = ask(capsys, "check", good, bad, code=1)["files"]
    assert first["path"] == str(good)
    assert {
        "skate_mm_max", "skate_mm_mean", "penetration_mm_max", "float_mm_max", "jerk_spikes", "jitter_mm",
    } <= set(first["measures"])  # fmt: skip
    assert [f for f in first["findings"] if f["severity"] != "info"] == []
    (finding,) = [f for f in second["findings"] if f["severity"] != "info"]
    assert finding["code"] == "pop.root"
    assert finding["frames"] == [100, 101]
    assert {"code", "severity", "where", "message", "fixed", "value", "limit", "reason"} <= set(finding)
    ask(capsys, "check", good)


def test_table(good: Path, bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(good), str(bad)]) == 1
    out = capsys.readouterr().out
    assert "pass" in out
    assert "pop.root" in out


def test_bad_files(good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "error" in ask(capsys, "check", tmp_path / "none.bvh", code=2)
    (tmp_path / "nonsense.bvh").write_text("nonsense")
    entries = ask(capsys, "check", tmp_path / "nonsense.bvh", good, code=2)["files"]
    assert "error" in entries[0]
    assert entries[1]["ok"]


def test_limits(good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limits = tmp_path / "limits.txt"
    limits.write_text("jitter_mm 0.000001\n")
    (entry,) = ask(capsys, "check", good, "--limits", limits, code=1)["files"]
    assert {f["code"] for f in entry["findings"]} == {"jitter.noise"}
    limits.write_text("jitters_mm 1\n")
    error = ask(capsys, "check", good, "--limits", limits, code=2)["error"]
    assert "did you mean jitter_mm" in error["message"]
    assert error["where"] == str(limits)


def test_page(good: Path, bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert ask(capsys, "check", good, bad, "--html", page, code=1)["html"] == str(page)
    text = page.read_text()
    assert text.count("<details") == 2
    assert "data:image/svg+xml" in text
    assert "pop.root" in text
    assert "http" not in text.replace("http://www.w3.org", "")  # nothing is fetched


def test_against_a_source(good: Path, bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "check", bad, "--against", good, "--html", tmp_path / "c.html", code=1)
    assert len(answer["files"]) == 2
    assert [f["code"] for f in answer["compare"]["new"]] == ["pop.root"]
    assert {c["name"]: c["verdict"] for c in answer["compare"]["changes"]}["pop_mm_max"] == "worse"
    assert answer["against"]["acceleration"] > 1.5
    assert "times as hard" in answer["against"]["doubts"][0]
    assert "Before and after" in (tmp_path / "c.html").read_text()
    better = ask(capsys, "check", good, "--against", bad)
    assert better["compare"]["gone"]
    assert not better["against"]["doubts"]
    assert main(["check", str(good), "--against", str(bad)]) == 0
    said = capsys.readouterr().out
    assert "better" in said
    assert "hardest push of a joint against itself" in said
    assert "played of" in said


def test_against_several_sources(good: Path, bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for sources in (["--against", good, bad], ["--against", good, "--against", bad]):
        answer = ask(capsys, "check", good, *sources)
        assert len(answer["files"]) == 3
        assert len(answer["against"]["played"]) == 2
        assert "compare" not in answer


def test_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Library.create(tmp_path / "library") as library:
        for name in ("walk_normal", "stand"):
            library.add(make_sample(name).clip)
    files = ask(capsys, "check", tmp_path / "library")["files"]
    assert {Path(entry["path"]).name for entry in files} == {"walk_normal", "stand"}
    assert "error" in ask(capsys, "check", tmp_path, code=2)


def test_plants_given_by_hand(good: Path, bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = ask(capsys, "check", good)["files"][0]
    frames = found["frames"]
    hand = tmp_path / "hand.txt"
    hand.write_text(f"reenact plants 1\nfps 60\nframes {frames}\nleft foot 0 {frames}\n")
    (given,) = ask(capsys, "check", good, "--plants", hand, code=1)["files"]
    assert given["measures"]["plants"] == 1 != found["measures"]["plants"]
    assert given["measures"]["skate_mm_max"] > 10 * found["measures"]["skate_mm_max"]
    (slid,) = [f for f in given["findings"] if f["code"] == "skate.plant"]
    assert slid["frames"] == [0, frames]
    hand.write_text(f"reenact plants 1 edits\nfree left foot 0 {frames}\n")
    (edited,) = ask(capsys, "check", good, "--plants", hand)["files"]
    assert 0 < edited["measures"]["plants"] < found["measures"]["plants"]
    assert "compare" in ask(capsys, "check", bad, "--against", good, "--plants", hand, code=1)


def test_plants_by_hand_are_for_every_clip(
    good: Path, bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = tmp_path / "hand.txt"
    hand.write_text("reenact plants 1\nfps 60\nframes 3\nleft foot 0 3\n")
    assert "3 frames" in ask(capsys, "check", good, "--plants", hand, code=2)["error"]["message"]
    hand.write_text(f"reenact plants 1\nfps 60\nframes {len(reenact.load(good))}\nleft foot 0 3\n")
    assert "for 2 clips" in ask(capsys, "check", good, bad, "--plants", hand, code=2)["error"]["message"]
    assert "error" in ask(capsys, "check", good, "--plants", tmp_path / "none.txt", code=2)
    hand.write_text("nonsense")
    assert "foot plants" in ask(capsys, "check", good, "--plants", hand, code=2)["error"]["message"]


def test_clips_of_one_file_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip = make_sample("walk_few_steps", 30.0).clip
    names = ("a walk that has a rather long name [first]", "a walk that has a rather long name [second]")
    path = tmp_path / "several.glb"
    save_all([replace(clip, name=name) for name in names], path)
    main(["check", str(path)])
    table = capsys.readouterr().out
    assert "clip of several.glb" in table
    assert all(name in table for name in names)


def test_no_minus_before_nothing() -> None:
    from reenact.cli.check_output import _cell

    assert (_cell(-0.2, "{:.0f}"), _cell(-0.6, "{:.0f}"), _cell(None, "{:.0f}")) == ("0", "-1", "-")


def test_what_none_of_several_sources_has_is_new(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With two sources or more only the figures counted, and a finding of the check that no source has was not told."""
    clips = [make_sample(name, 60.0).clip for name in ("walk_normal", "stand")]
    for clip, name in zip(clips, ("a", "b"), strict=True):
        reenact.save(clip, tmp_path / f"{name}.npz")
    rotations, root = clips[0].rotations.copy(), clips[0].root.copy()
    rotations[200:205], root[200:205] = rotations[200], root[200]
    reenact.save(replace(clips[0], rotations=rotations, root=root), tmp_path / "made.npz")
    files = [str(tmp_path / name) for name in ("a.npz", "b.npz")]
    assert main(["check", str(tmp_path / "made.npz"), "--against", *files, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert "frames.duplicated" in [finding["code"] for finding in told["against"]["new"]]
    assert main(["check", files[0], "--against", *files, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["against"]["new"] == []
