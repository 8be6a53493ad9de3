"""Numbers with a unit on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

import reenact
from reenact.cli.main import main
from reenact.cli.quantities import quantity, takes_unit
from reenact.samples import make_sample


@pytest.mark.parametrize(
    ("text", "unit", "wanted"),
    [
        ("3.4", "m", 3.4),
        ("3.4m", "m", 3.4),
        ("3.4 m", "m", 3.4),
        ("340cm", "m", 3.4),
        ("-.5e1", "m", -5.0),
        ("1.5cm", "mm", 15.0),
        ("250ms", "s", 0.25),
        ("8deg", "degrees", 8.0),
        ("-8°", "degrees", -8.0),
        ("60fps", "Hz", 60.0),
        ("1.2m/s", "m/s", 1.2),
    ],
)
def test_a_number_may_say_its_unit(text: str, unit: str, wanted: float) -> None:
    assert quantity(unit)(text) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("text", "unit"), [("3.4s", "m"), ("far", "m"), ("", "s"), ("1,5", "m"), ("m", "m"), ("3m4", "m")]
)
def test_what_is_none_says_what_would_be(text: str, unit: str) -> None:
    with pytest.raises(typer.BadParameter, match=f"with a unit such as 1.5{unit}"):
        quantity(unit)(text)


def test_units_that_are_only_words_are_not_read() -> None:
    assert not takes_unit("leg lengths")
    assert not takes_unit("")


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reenact.save(make_sample("walk_normal", 60.0).clip, tmp_path / "walk.bvh")
    assert main(["walk", str(tmp_path / "walk.bvh"), "--to", "250cm", "-o", str(tmp_path / "out.bvh")]) == 0
    gone = next(line for line in capsys.readouterr().out.splitlines() if "distance_m" in line)
    assert float(gone.split(":")[1]) == pytest.approx(2.5, abs=0.01)
    assert main(["walk", str(tmp_path / "walk.bvh"), "--to", "2.5kg", "-o", str(tmp_path / "no.bvh")]) != 0
    assert "'2.5kg' is not a number, nor one with a unit such as 1.5m" in capsys.readouterr().err
    assert not (tmp_path / "no.bvh").exists()
