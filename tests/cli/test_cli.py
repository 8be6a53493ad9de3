"""The command line: its contract with scripts, its errors, and its start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.cli.main import main
from reenact.cli.report_output import shown
from reenact.operations.registry import OPERATIONS


@pytest.fixture
def walk(corpus: Path) -> str:
    return str(corpus / "cmu-bvh" / "02_01.bvh")


def ask(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict:
    assert main([*arguments, "--json"]) == code
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return json.loads(out)


def test_info(walk: str, capsys: pytest.CaptureFixture[str]) -> None:
    (entry,) = ask(capsys, "info", walk)["files"]
    (clip,) = entry["clips"]
    assert entry["format"] == "bvh"
    assert (clip["name"], clip["frames"], clip["fps"], clip["joints"]) == ("02_01", 343, 120, 31)
    assert clip["seconds"] == pytest.approx(343 / 120)
    assert 1.3 < clip["height_m"] < 2.0
    assert {"code", "severity", "where", "message", "fixed"} <= set(entry["findings"][0])
    assert main(["info", walk]) == 0
    assert "02_01" in capsys.readouterr().out


def test_info_goes_on_after_a_bad_file(walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.bvh").write_text("nonsense")
    files = ask(capsys, "info", str(tmp_path / "bad.bvh"), walk, code=2)["files"]
    assert files[0]["error"]["message"] == "expected HIERARCHY, found 'nonsense'"
    assert files[1]["clips"][0]["frames"] == 343


def test_convert(walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "walk.npz"
    answer = ask(capsys, "convert", walk, str(out))
    assert (answer["in"], answer["out"], answer["frames"]) == (walk, str(out), 343)
    np.testing.assert_allclose(reenact.load(out).root, reenact.load(walk).root)


@pytest.mark.parametrize(
    ("verb", "options", "frames"),
    [
        ("resample", ["--fps", "30"], 86),
        ("resample", ["--frames", "50", "--method", "smooth"], 50),
        ("cut", ["--start", "10", "--end", "60"], 50),
        ("mirror", [], 343),
        ("move", ["--x", "1", "--turn", "90"], 343),
    ],
)
def test_makers(
    walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str, options: list[str], frames: int
) -> None:
    out = tmp_path / "out.bvh"
    answer = ask(capsys, verb, walk, "-o", str(out), *options)
    assert answer["out"] == str(out)
    assert answer["frames"] == frames
    assert {"seconds", "report"} <= set(answer)
    assert len(reenact.load(out)) == frames


def test_join(walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, "join", walk, walk, walk, "-o", str(tmp_path / "long.bvh"))["frames"] == 3 * 343


def test_angles_are_degrees_for_people(walk: str, tmp_path: Path) -> None:
    assert main(["move", walk, "--turn", "180", "--about", "origin", "-o", str(tmp_path / "turned.npz")]) == 0
    turned, plain = reenact.load(tmp_path / "turned.npz").root, reenact.load(walk).root
    np.testing.assert_allclose(turned[:, [0, 2]], -plain[:, [0, 2]], atol=1e-5)


@pytest.mark.parametrize("ending", ["png", "gif", "mp4"])
def test_render(
    walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REENACT_BROWSER", "none")  # the pictures of a browser are tests/studio's
    out = tmp_path / f"picture.{ending}"
    short = tmp_path / "short.npz"
    assert main(["cut", walk, "--end", "30", "-o", str(short)]) == 0
    capsys.readouterr()
    answer = ask(capsys, "render", str(short), "-o", str(out), "--width", "320", "--height", "200")
    assert answer["out"] == str(out)
    assert answer["report"] == {"renderer": "plain"}
    assert out.stat().st_size > 1000


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n}\nMOTION\nFrames: 1\nFrame Time: 1\n1 2\n",
         "bad.bvh:10: expected 3 numbers, found 2"),
        ("", "bad.bvh: the file is empty"),
        ("\x00\x01", "bad.bvh:1: expected HIERARCHY, found"),
    ],
)  # fmt: skip
def test_bad_files_give_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, line: str
) -> None:
    path = tmp_path / "bad.bvh"
    path.write_text(text)
    assert main(["info", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert line in captured.err
    assert captured.err.count("\n") == 1
    error = ask(capsys, "convert", str(path), str(tmp_path / "out.npz"), code=2)["error"]
    assert set(error) == {"code", "message", "where"}
    assert error["code"] == "format"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bad.bvh"]


def test_usage_errors(walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resample", walk, "-o", str(tmp_path / "o.bvh")]) == 2
    assert "give either fps or frames" in capsys.readouterr().err
    assert (
        ask(capsys, "cut", walk, "-o", str(tmp_path / "o.bvh"), "--start", "900", code=2)["error"]["code"]
        == "parameter"
    )
    assert ask(capsys, "nonsense", code=2)["error"]["code"] == "usage"
    assert ask(capsys, "cut", walk, "--start", "x", "-o", "o.bvh", code=2)["error"]["code"] == "usage"
    assert ask(capsys, "info", str(tmp_path / "none.bvh"), code=2)["error"]["message"] == "no such file or folder"
    assert "folder" in ask(capsys, "info", str(tmp_path), code=2)["error"]["message"]
    assert "does not exist" in ask(capsys, "convert", walk, str(tmp_path / "no" / "o.bvh"), code=2)["error"]["message"]


def test_no_permission(walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], ordinary_user) -> None:
    closed, locked = tmp_path / "closed", tmp_path / "locked.bvh"
    closed.mkdir(mode=0o555)
    locked.write_bytes(Path(walk).read_bytes())
    locked.chmod(0)
    ask(capsys, "convert", walk, str(tmp_path / "o.bvh"))
    with ordinary_user():
        unwritable = ask(capsys, "convert", str(tmp_path / "o.bvh"), str(closed / "o.bvh"), code=2)["error"]
        unreadable = ask(capsys, "info", str(locked), code=2)["error"]
    assert (unwritable["message"], unwritable["where"]) == ("no permission", str(closed))
    assert (unreadable["message"], unreadable["where"]) == ("no permission", str(locked))


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"reenact {reenact.__version__}\n"
    assert ask(capsys, "--version") == {"version": reenact.__version__}


@pytest.mark.parametrize(
    "verb", ["info", "convert", "render", "library", "demo", *(operation.name for operation in OPERATIONS)]
)
def test_every_verb_explains_itself(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    text = capsys.readouterr().out
    assert verb in text
    if verb != "library":
        assert "--json" in text


def test_options_come_from_the_parameters() -> None:
    from dataclasses import fields

    from reenact.cli.main import build_command

    for operation in OPERATIONS:
        if operation.command:  # written by hand
            continue
        options = {parameter.name for parameter in build_command(operation.name).params}
        for field in fields(operation.parameter_class()):  # what switches something off is named after that
            assert field.name in options or field.metadata["off"].replace("-", "_") in options, operation.name


def in_a_process(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, **environment}
    )
    return done.stdout


def test_help_imports_nothing_heavy() -> None:
    heavy = "print([m for m in ('numpy', 'scipy', 'numba', 'PIL', 'av') if m in sys.modules])"
    code = f"import sys; from reenact.cli.main import main; main(['--help']); {heavy}"
    assert in_a_process(code).strip().endswith("[]")
    assert (
        in_a_process(
            "import sys, reenact; print([m for m in ('numpy', 'scipy', 'numba', 'typer') if m in sys.modules])"
        ).strip()
        == "[]"
    )


def test_every_public_name_resolves() -> None:
    for name in reenact.__all__:
        assert getattr(reenact, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        reenact.nothing  # noqa: B018


def test_warm_start_compiles_nothing(walk: str, corpus: Path, tmp_path: Path) -> None:
    amc = str(corpus / "cmu-asfamc" / "02_01.amc")
    glb = str(corpus / "characters" / "khronos" / "CesiumMan.glb")
    verbs = [
        *(["convert", walk, str(tmp_path / f"walk.{ending}")] for ending in ("bvh", "amc", "glb", "npz")),
        *(["info", str(path)] for path in (walk, amc, glb, tmp_path / "walk.npz", tmp_path / "walk.glb")),
        ["resample", walk, "--fps", "30", "-o", str(tmp_path / "o.bvh")],
        ["resample", walk, "--frames", "30", "--method", "smooth", "-o", str(tmp_path / "o.npz")],
        ["cut", walk, "--end", "30", "-o", str(tmp_path / "o.amc")],
        ["join", walk, walk, "-o", str(tmp_path / "o.bvh")],
        ["mirror", walk, "-o", str(tmp_path / "o.glb")],
        ["move", walk, "--turn", "30", "-o", str(tmp_path / "o.bvh")],
        ["render", str(tmp_path / "o.amc"), "-o", str(tmp_path / "o.png"), "--width", "300", "--renderer", "plain"],
    ]
    code = (
        "from reenact.cli.main import main; from reenact.kernels import compiling\n"
        f"codes = [main(verb) for verb in {verbs!r}]; print(sum(codes), compiling.compilations())"
    )
    folder = str(tmp_path / "cache")
    failures, first = in_a_process(code, REENACT_CACHE_DIR=folder).split()[-2:]
    assert int(failures) == 0
    assert int(first) > 0
    assert in_a_process(code, REENACT_CACHE_DIR=folder).split()[-2:] == ["0", "0"]


def test_shell_completion_offers_verbs_and_options() -> None:
    for words, wanted in (("reenact re", "resample"), ("reenact cut --sta", "--start")):
        done = subprocess.run(
            [sys.executable, "-c", "from reenact.cli.main import run; run()"],
            env={**os.environ, "_REENACT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)},
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip
        assert wanted in done.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--fps", "1e300"], "fps must be above 0 and at most 100000 Hz"),
        (["--unit", "1e300"], "unit must be 1e-09 to 1e+06 metres"),
        (["--unit", "nan"], "unit must be a finite number"),
        (["--out-unit", "1e30"], "unit must be 1e-09 to 1e+06"),
    ],
)
def test_numbers_beyond_all_measure(
    walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert words in ask(capsys, "convert", walk, str(tmp_path / "o.bvh"), *options, code=2)["error"]["message"]
    assert not list(tmp_path.iterdir())


def test_results_beyond_all_measure(walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "o.bvh")
    assert "at most" in ask(capsys, "resample", walk, "-o", out, "--frames", "90000000", code=2)["error"]["message"]
    assert "x must be" in ask(capsys, "move", walk, "-o", out, "--x", "1e300", code=2)["error"]["message"]
    assert not list(tmp_path.iterdir())


def test_names_of_every_kind(walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Markup, line ends and bytes that are no text in the name of a file."""
    for name in (b"[bold]x.bvh", b"two\nlines.bvh", b"\xff.bvh", "tänzerin.bvh".encode()):
        path = tmp_path / os.fsdecode(name)
        path.write_bytes(Path(walk).read_bytes())
        assert ask(capsys, "info", str(path))["files"][0]["path"] == str(path)
        for ending in ("bvh", "amc", "glb", "gltf", "npz"):
            out = tmp_path / f"out.{ending}"
            ask(capsys, "convert", str(path), str(out))
            assert len(reenact.load(out)) == 343
    assert main(["info", str(tmp_path / "[bold]x.bvh"), walk]) == 0
    assert "[bold]x.bvh" in capsys.readouterr().out
    assert main(["info", str(tmp_path / "not\nthere.bvh")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_a_terminal_that_cannot_show_a_letter(walk: str, tmp_path: Path, locale: str) -> None:
    path = tmp_path / "tänzerin.bvh"
    path.write_bytes(Path(walk).read_bytes())
    plain = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-c", "from reenact.cli.main import run; run()", "info", os.fsencode(path)]
    for options in ([], ["--json"]):
        done = subprocess.run([*command, *options], env=plain, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.isascii()


def test_errors_of_the_system_read_the_same_for_one_file_and_for_many(
    walk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for missing in (tmp_path / "none.bvh", tmp_path):
        one = ask(capsys, "info", str(missing), code=2)["error"]
        many = ask(capsys, "info", str(missing), walk, code=2)["files"][0]["error"]
        assert one == many
        assert one["where"] == str(missing)


def shell(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `reenact` as `$0` in a shell command; the arguments are `$1` and so on."""
    program = f'{sys.executable} -c "from reenact.cli.main import run; run()"'
    line = command.replace("reenact", program)
    return subprocess.run(["bash", "-c", line, "bash", *arguments], capture_output=True, text=True, check=False)


def test_output_that_goes_nowhere(walk: str) -> None:
    many = " ".join(['"$1"'] * 40)
    done = shell(f"set -o pipefail; reenact info {many} | head -1", walk)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("file")
    assert shell('reenact info "$1" >&-; echo $?', walk).stdout == "0\n"
    assert shell('reenact info "$1" --json 2>&- | head -c 9', walk).stdout == '{"files":'
    for options in ("", "--json"):
        done = shell(f'reenact info "$1" {options} >/dev/full', walk)
        assert (done.returncode, done.stderr) == (2, "error: the disk is full\n")


def test_pipes_are_no_files(walk: str, tmp_path: Path) -> None:
    done = shell('cat "$1" | reenact info /dev/stdin', walk)
    assert done.returncode == 2
    assert done.stderr.startswith("error: /dev/stdin: expected a plain file, found a pipe")
    os.mkfifo(tmp_path / "pipe.bvh")
    assert "plain file" in shell('reenact info "$1"', str(tmp_path / "pipe.bvh")).stderr


def test_demo_makes_a_tour(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", str(tmp_path / "demo"), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    page = Path(answer["open"]).read_text()
    for name in answer["made"]:
        assert reenact.load(tmp_path / "demo" / f"{name}.bvh").seconds > 4
        assert (tmp_path / "demo" / "pictures" / f"{name}.png").stat().st_size > 10_000
        assert f"pictures/{name}.png" in page
    assert len(answer["made"]) == 4
    assert main(["library", "search", str(tmp_path / "demo" / "library"), "tag:made", "--json"]) == 0
    assert {clip["name"] for clip in json.loads(capsys.readouterr().out)["clips"]} == set(answer["made"])


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (0.5, "0.5"),
        ([], "none"),
        ({}, "none"),
        ([1, 2], "1 2"),
        ([[0, 10], [4, 12]], "0 to 10, 4 to 12"),
        ([{"foot": "left"}] * 3, "3 of them"),
        (list(range(9)), "9 of them"),
        ({"before": 3.5, "after": {"mm": 1, "at": [2, 3]}}, "before 3.5, after (mm 1, at 2 3)"),
        ({"deep": {"deeper": {"deepest": 1}}}, "deep ..."),
    ],
)
def test_reports_are_told_in_short_lines(value: object, line: str) -> None:
    assert shown(value) == line
