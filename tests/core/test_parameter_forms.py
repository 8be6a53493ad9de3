"""Parameters as people see them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.core.parameter_forms import describe_parameters, parameters_from_answers
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError
from reenact.operations.registry import OPERATIONS


@dataclass(frozen=True)
class Everything:
    needed: float = option(help="needed", unit="m", low=0, high=2)
    count: int = option(3, "count", above=0)
    angle: float = option(math.pi / 2, "angle", unit="rad", low=-math.pi, high=math.pi)
    angles: tuple[float, ...] = option((0.0, math.pi), "angles", unit="rad")
    loud: bool = option(True, "loud")
    way: Literal["up", "down"] = option("up", "way")
    rate: float | Literal["auto"] | None = option(None, "rate")
    most: int | None = option(None, "most")
    name: str = option("x", "name", name="called")
    file: Path | None = option(None, "a file", endings=(".csv",), motion=True)
    made: Path | None = option(None, "a file that is made", written=True)
    inner: object = option(None, hidden=True)

    def __post_init__(self) -> None:
        check_ranges(self)


def test_description() -> None:
    forms = {form.name: form for form in describe_parameters(Everything)}
    assert list(forms) == ["needed", "count", "angle", "angles", "loud", "way", "rate", "most", "name", "file", "made"]
    kinds = {name: form.kind for name, form in forms.items()}
    assert kinds == {
        "needed": "number",
        "count": "integer",
        "angle": "number",
        "angles": "numbers",
        "loud": "flag",
        "way": "choice",
        "rate": "text",
        "most": "integer",
        "name": "text",
        "file": "file",
        "made": "written",
    }
    assert forms["needed"].required
    assert not forms["count"].required
    assert (forms["angle"].unit, forms["angle"].default, forms["angle"].low) == ("degrees", 90.0, -180.0)
    assert forms["angles"].default == (0.0, 180.0)
    assert forms["rate"].choices == ("auto",)
    assert forms["rate"].nullable
    assert forms["way"].choices == ("up", "down")
    assert forms["name"].flag == "called"
    assert forms["count"].above == 0
    assert (forms["file"].endings, forms["file"].motion, forms["made"].endings) == ((".csv",), True, ())


def test_files_are_paths() -> None:
    made = parameters_from_answers(Everything, {"needed": 1, "file": Path("way.csv"), "made": None})
    assert (made.file, made.made) == (Path("way.csv"), None)


def test_values() -> None:
    answers: dict[str, Any] = {
        "needed": 1,
        "count": 4.0,
        "angle": 180,
        "angles": [90],
        "loud": False,
        "way": "down",
        "rate": "30",
        "most": None,
        "name": "y",
    }
    made = parameters_from_answers(Everything, answers)
    assert made == Everything(1.0, 4, math.pi, (math.pi / 2,), False, "down", 30.0, None, "y")
    assert isinstance(made.count, int)
    assert parameters_from_answers(Everything, {"needed": 1, "rate": "auto"}).rate == "auto"
    assert parameters_from_answers(Everything, {"needed": 1, "rate": 24}).rate == 24


@pytest.mark.parametrize(
    ("answers", "where", "words"),
    [
        ({}, "needed", "is needed"),
        ({"needed": None}, "needed", "is needed"),
        ({"needed": "1"}, "needed", "a number"),
        ({"needed": True}, "needed", "a number"),
        ({"needed": 3}, "needed", "0 to 2 m"),
        ({"needed": math.nan}, "needed", "0 to 2 m"),
        ({"needed": 1, "count": 1.5}, "count", "whole number"),
        ({"needed": 1, "count": math.inf}, "count", "whole number"),
        ({"needed": 1, "count": 0}, "count", "above 0"),
        ({"needed": 1, "angle": 200}, "angle", "-180 to 180 degrees"),
        ({"needed": 1, "angles": [1, "x"]}, "angles", "list of numbers"),
        ({"needed": 1, "angles": 5}, "angles", "list of numbers"),
        ({"needed": 1, "loud": 1}, "loud", "true or false"),
        ({"needed": 1, "way": "left"}, "way", "up, down"),
        ({"needed": 1, "way": ["up"]}, "way", "up, down"),
        ({"needed": 1, "rate": "fast"}, "rate", "number or auto"),
        ({"needed": 1, "name": 5}, "name", "a text"),
        ({"needed": 1, "file": "/etc/passwd"}, "file", "must be a file"),
        ({"needed": 1, "made": "x.csv"}, "made", "must be a file"),
        ({"needed": 1, "inner": 1}, "inner", "no parameter"),
        ({"needed": 1, "other": 1}, "other", "no parameter"),
    ],
)
def test_wrong_values(answers: dict[str, Any], where: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words) as raised:
        parameters_from_answers(Everything, answers)
    assert raised.value.where == where


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_has_a_form(operation: Any) -> None:
    owner = operation.parameter_class()
    forms = describe_parameters(owner)
    defaults = {form.name: form.default for form in forms if not form.required}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in defaults.items()}
    if any(form.required for form in forms):
        return
    try:
        expected = owner()
    except ParameterError:
        return  # needs one of several, such as a rate or a number of frames
    made = parameters_from_answers(owner, plain)
    for form in forms:
        assert getattr(made, form.name) == pytest.approx(getattr(expected, form.name))


NAMES = st.sampled_from(["needed", "count", "angle", "angles", "loud", "way", "rate", "most", "name"])
NUMBERS = st.integers() | st.floats() | st.sampled_from([10**400, -(10**400), 2**63])
VALUES = st.none() | st.booleans() | NUMBERS | st.text() | st.lists(NUMBERS)


@given(st.dictionaries(NAMES, VALUES))
def test_whatever_is_given_only_parameter_errors_come_out(answers: dict[str, Any]) -> None:
    made = None
    try:
        made = parameters_from_answers(Everything, answers)
    except ParameterError as error:
        where = error.where
    else:
        where = "nowhere"
    assert where
    assert (made is None) == (where != "nowhere")


@dataclass(frozen=True)
class RowsOfThings:
    """Fields that hold several values."""

    parts: tuple[str, ...] = option((), "texts")
    pair: tuple[int, int] | None = option(None, "two frames")
    many: tuple[float, ...] = option((), "numbers")


def test_rows_of_texts_and_of_whole_numbers() -> None:
    forms = {form.name: (form.kind, form.many) for form in describe_parameters(RowsOfThings)}
    assert forms == {"parts": ("texts", True), "pair": ("numbers", False), "many": ("numbers", True)}
    made = parameters_from_answers(RowsOfThings, {"parts": ["a 0 5", "b 5 9"], "pair": [3.0, 4], "many": [1, 2.5]})
    assert made == RowsOfThings(("a 0 5", "b 5 9"), (3, 4), (1.0, 2.5))
    assert all(type(number) is int for number in made.pair)
    for answers, words in (
        ({"parts": [1]}, "a list of texts"),
        ({"parts": "a 0 5"}, "a list of texts"),
        ({"pair": [1.5, 2]}, "whole numbers"),
        ({"many": ["x"]}, "a list of numbers"),
    ):
        with pytest.raises(ParameterError, match=words):
            parameters_from_answers(RowsOfThings, answers)
