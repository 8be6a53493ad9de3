"""Files as people name them: one clip of several, a pipe, endings that cannot be written, formats that are not read yet."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import reenact
from reenact.cli.main import main
from reenact.library import Library
from reenact.loading import save_all
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    clips = [make_sample(name, 60.0).clip for name in ("walk_normal", "walk_fast")]
    reenact.save(clips[0], folder / "walk.bvh")
    save_all([clips[0].renamed("Walk"), clips[1].renamed("Fast#2")], folder / "pack.glb")
    return folder


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("info", ""),
        ("check", ""),
        ("plants", ""),
        ("classify", ""),
        ("matrices", "--frame 2"),
        ("convert", "{out}.npz"),
        ("cut", "--end 30 -o {out}.npz"),
        ("loop", "-o {out}.npz"),
        ("split", "-p {part} -o {out}"),
        ("render", "--renderer plain --count 2 -o {out}.png"),
        ("register", "{walk}"),
        ("transition", "{walk} -o {out}.npz"),
    ],
)
def test_one_clip_of_a_file_is_taken_everywhere(
    verb: str, more: str, places: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = {"out": tmp_path / "out", "walk": places / "walk.bvh", "part": "a 0 20"}
    words = [word.format(**named) for word in more.split()]
    assert main([verb, str(places / "pack.glb"), *words]) in (0, 1, 2)
    said = capsys.readouterr()
    if verb not in ("info", "check", "convert", "plants", "classify", "cut", "loop"):  # these take all of them
        assert "choose one by name or number" in said.err
    assert main([verb, str(places / "pack.glb#Fast#2"), *words]) in (0, 1)


def test_the_clip_that_is_named_is_the_one(places: Path) -> None:
    one = reenact.load(f"{places}/pack.glb#Fast#2")
    assert (one.name, len(one)) == ("Fast#2", len(make_sample("walk_fast", 60.0).clip))
    assert reenact.load(f"{places}/pack.glb#0").name == "Walk"
    with pytest.raises(reenact.FormatError, match="no clip 'Run'; by number and name there are 0 'Walk', 1 'Fast#2'"):
        reenact.load(f"{places}/pack.glb#Run")
    with pytest.raises(FileNotFoundError):
        reenact.load(f"{places}/none.glb#Walk")


def test_a_file_with_the_sign_in_its_name_is_that_file(places: Path, tmp_path: Path) -> None:
    odd = tmp_path / "take#3.bvh"
    odd.write_bytes((places / "walk.bvh").read_bytes())
    assert len(reenact.load(odd)) == len(reenact.load(places / "walk.bvh"))


def test_a_library_takes_one_clip_of_a_file(places: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Library.create(tmp_path / "lib").close()
    words = ["library", "add", str(tmp_path / "lib"), f"{places}/pack.glb#Walk", "--json"]
    assert main(words) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["added"]] == ["Walk"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["skipped"] == 1


def test_pipes_carry_text_and_binary(
    places: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    feed(monkeypatch, (places / "walk.bvh").read_bytes())
    assert main(["cut", "-", "--end", "40", "-o", "-"]) == 0
    said = capfdbinary.readouterr()
    assert said.out.startswith(b"HIERARCHY")
    assert b"40 frames" in said.err
    feed(monkeypatch, said.out)
    assert main(["mirror", "-", "-o", "-", "--out-format", "glb", "--json"]) == 0
    said = capfdbinary.readouterr()
    assert said.out.startswith(b"glTF")
    assert json.loads(said.err)["frames"] == 40
    feed(monkeypatch, said.out)
    assert main(["convert", "-", "-"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"glTF")
    feed(monkeypatch, said.out)
    assert main(["info", "-", "--json"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["files"][0]["format"] == "glb"


def test_a_result_through_a_pipe_is_the_file(
    places: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["mirror", f"{places}/walk.bvh", "-o", str(tmp_path / "out.bvh")]) == 0
    capfdbinary.readouterr()
    assert main(["mirror", f"{places}/walk.bvh", "-o", "-"]) == 0
    assert capfdbinary.readouterr().out == (tmp_path / "out.bvh").read_bytes()


def test_damage_in_a_pipe_is_told_without_a_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, b"HIERARCHY\nnonsense")
    assert main(["info", "-"]) == 2
    assert capsys.readouterr().err.startswith("error: stdin:2: expected ROOT")
    feed(monkeypatch, b"")
    assert main(["info", "-"]) == 2
    assert "nothing came through the pipe" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("mirror nowhere.bvh -o out.fbx", "FBX is not written: write .glb"),
        ("mirror nowhere.bvh -o out.xyz", "unknown file ending '.xyz'"),
        ("mirror nowhere.bvh -o out.asf", "Acclaim skeleton can be read but not written"),
        ("loop nowhere.bvh -o none/out.bvh", "none: the folder does not exist: make it first"),
        ("transition nowhere.bvh nowhere.bvh -o out", "unknown file ending ''"),
        ("convert nowhere.bvh out.c3d", "C3D is not written: write .bvh or .npz"),
        ("split nowhere.bvh -o out --format xyz", "unknown file ending '.xyz'"),
        ("render nowhere.bvh -o out.jpg", "unknown ending '.jpg' for a picture"),
        ("sequence nowhere a b -o out.xyz", "unknown file ending '.xyz'"),
        ("graph cycles nowhere a -o out.xyz", "unknown file ending '.xyz'"),
        ("mirror nowhere.bvh -o - --out-format fbx", "FBX is not written"),
    ],
)
def test_endings_are_looked_at_before_the_work(
    line: str, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sources are not there: an error about them would say that they were opened first."""
    monkeypatch.chdir(tmp_path)
    assert main(line.split()) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.fbx", b"Kaydara FBX Binary  \x00\x1a", "FBX is not read yet: open it in Blender"),
        ("a.bin", b"; FBX 7.3.0 project file\n", "FBX is not read yet: open it in Blender"),
        ("a.c3d", b"\x02\x50\x01\x00", "C3D is not read yet: it holds positions of markers"),
        ("a.dae", b"<?xml version='1.0'?><COLLADA>", "COLLADA is not read yet"),
        ("a.usdc", b"PXR-USDC\0\0", "USD is not read yet"),
    ],
)
def test_formats_that_are_not_read_say_what_to_do(
    name: str, data: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(data)
    assert main(["info", str(tmp_path / name)]) == 2
    assert said in capsys.readouterr().err


def test_recordings_of_markers_say_what_to_do(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", *map(str, sorted((corpus / "c3d").glob("*.c3d")))]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said
    assert all("C3D is not read yet" in line for line in said)


@pytest.mark.parametrize(
    ("verb", "meant"), [("inof", "did you mean info"), ("trasition", "transition"), ("xyz", "lists all")]
)
def test_a_mistyped_verb_is_answered_with_those_near_it(
    capsys: pytest.CaptureFixture[str], verb: str, meant: str
) -> None:
    assert main([verb, "walk.bvh"]) == 2
    said = capsys.readouterr().err
    assert f"there is no verb {verb!r}" in said
    assert meant in said


@pytest.mark.parametrize("place", [".", "a", "takes.v2"])
def test_errors_keep_their_words_where_the_folder_has_a_short_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """The folder is taken out where it stands, and not out of the middle of other words."""
    from reenact.formats.passing import named_without_folder

    monkeypatch.chdir(tmp_path)
    path = Path(place) / "note.txt"
    words = f"{path}: not a format (glTF 2.0, a NumPy archive in data/a/b, takes.v2)"
    with pytest.raises(reenact.FormatError) as told, named_without_folder(path):
        raise reenact.FormatError(words, path=path)
    assert told.value.message == words
    assert told.value.where == "note.txt"
    with pytest.raises(reenact.FormatError) as told, named_without_folder(tmp_path / path):
        raise reenact.FormatError(
            f"{tmp_path / path} and {(tmp_path / path).parent} and {tmp_path}x", path=tmp_path / path
        )
    assert told.value.message == f"note.txt and the folder of the file and {tmp_path}x"
    assert told.value.where == "note.txt"
