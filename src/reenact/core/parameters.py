"""Parameters of methods: frozen dataclasses whose fields carry help, unit and range.

The same fields make the options of the command line, so a range is written once::

    @dataclass(frozen=True, slots=True)
    class CutParameters:
        start: int = option(0, "first frame kept", unit="frames")

        def __post_init__(self) -> None:
            check_ranges(self)
"""

from __future__ import annotations

import dataclasses
import math
import numbers
import types
import typing
from functools import cache
from typing import Any, Literal

from reenact.errors import ParameterError


def option(
    default: Any = dataclasses.MISSING,
    help: str = "",
    *,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    name: str = "",
    short: str = "",
    factory: Any = dataclasses.MISSING,
    hidden: bool = False,
    off: str = "",
    moment: Literal["", "start", "end", "first", "second"] = "",
    endings: tuple[str, ...] = (),
    motion: bool = False,
    written: bool = False,
) -> Any:
    """A dataclass field with what people and faces need to know about it.

    Args:
        default: default value; without one the parameter is required.
        help: one line.
        unit: "m", "s", "frames", "Hz", ...; "rad" is shown and asked for in degrees.
        low: smallest allowed value; `above` excludes the bound itself.
        high: largest allowed value.
        above: the value must be greater than this.
        name: name on the command line, where it must differ from the field's.
        short: one-letter option, such as "-n".
        factory: default factory instead of a default.
        hidden: not for people: no option is made of it.
        off: of a switch that is on: the one option there is, which turns it off.
        moment: of frames that can be shown on a time line: the start of a range or its end (the frame after it), or a frame of the first
            or the second clip.
        endings: of a file: those it may have, with the dot; none: any.
        motion: of a file: a motion file will do, too.
        written: of a file: it is made, not read.
    """
    about = {
        "help": help,
        "unit": unit,
        "low": low,
        "high": high,
        "above": above,
        "name": name,
        "short": short,
        "hidden": hidden,
        "off": off,
        "moment": moment,
        "endings": endings,
        "motion": motion,
        "written": written,
    }
    if factory is not dataclasses.MISSING:
        return dataclasses.field(default_factory=factory, metadata=about)
    return dataclasses.field(default=default, metadata=about)


def allowed_range(field: dataclasses.Field[Any]) -> str:
    """The range of a field in words, in the unit people see; empty when there is none."""
    about = field.metadata
    turn = 180 / math.pi if about.get("unit") == "rad" else 1.0
    unit = {"rad": " degrees", "": ""}.get(about.get("unit", ""), f" {about.get('unit')}")
    low, high, above = (about.get(key) for key in ("low", "high", "above"))
    if above is not None:
        return f"above {above * turn:g}" + (f" and at most {high * turn:g}" if high is not None else "") + unit
    if low is not None and high is not None:
        return f"{low * turn:g} to {high * turn:g}{unit}"
    if low is not None:
        return f"at least {low * turn:g}{unit}"
    if high is not None:
        return f"at most {high * turn:g}{unit}"
    return ""


def check_ranges(parameters: Any) -> None:
    """Raise a `ParameterError` that names the first field whose value is not of its kind or outside its range; for `__post_init__`.

    Numbers may be NumPy's. A choice (`Literal`) must be one of those there are, a whole number whole, a switch True or False; a
    number where text belongs, and text where a number does, are refused.
    """
    kinds = _kinds(type(parameters))
    for field in dataclasses.fields(parameters):
        value = getattr(parameters, field.name)
        kind = kinds.get(field.name)
        if kind is not None:
            kind.check(field, value)
        numbers_in = value if isinstance(value, tuple) else (value,)
        for number in numbers_in:
            if _is_number(number):
                _check_number(field, float(number))


def _check_number(field: dataclasses.Field[Any], number: float) -> None:
    about = field.metadata
    inside = math.isfinite(number)
    inside &= about.get("low") is None or number >= about["low"]
    inside &= about.get("above") is None or number > about["above"]
    inside &= about.get("high") is None or number <= about["high"]
    if not inside:
        wanted = allowed_range(field) or "a finite number"
        shown = number * 180 / math.pi if about.get("unit") == "rad" else number
        raise ParameterError(f"{field.name} must be {wanted}, not {shown:g}", where=field.name)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, numbers.Real)
        and not isinstance(value, bool)
        and type(value).__name__ not in ("bool", "bool_")
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Kind:
    """What a field may hold: one of some choices, or values of some plain types."""

    choices: tuple[Any, ...] = ()
    types: frozenset[type] = frozenset()

    def check(self, field: dataclasses.Field[Any], value: Any) -> None:
        """Raise an error unless the value is of this kind."""
        if value is None and type(None) in self.types:
            return
        if any(type(value) is type(choice) and value == choice for choice in self.choices):
            return
        if any(_fits(value, kind) for kind in self.types):
            return
        if self.choices and not self.types - {type(None)}:
            listed = ", ".join(map(str, self.choices))
            raise ParameterError(f"{field.name} must be one of {listed}, not {value!r}", where=field.name)
        words = [str(choice) for choice in self.choices]
        names = {float: "a number", int: "a whole number", bool: "true or false", str: "text"}
        words += [
            name for kind, name in names.items() if kind in self.types and (kind is not int or float not in self.types)
        ]
        raise ParameterError(f"{field.name} must be {_either(words)}, not {value!r}", where=field.name)


_PLAIN = (bool, int, float, str)


def _fits(value: Any, kind: type) -> bool:
    """Whether a value is of a plain type; NumPy's numbers are, and whole ones of any kind are whole."""
    if kind is bool:
        return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")
    if kind is str:
        return isinstance(value, str)
    if kind is float:
        return _is_number(value)
    if kind is int:
        return _is_number(value) and (
            isinstance(value, numbers.Integral) or not math.isfinite(value) or float(value).is_integer()
        )
    return False


def _either(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


@cache
def _kinds(owner: type) -> dict[str, _Kind]:
    """Field -> what it may hold, for the fields that are choices, numbers, switches or text."""
    found = {}
    for name, hint in typing.get_type_hints(owner).items():
        parts = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
        choices = tuple(
            choice for part in parts if typing.get_origin(part) is typing.Literal for choice in typing.get_args(part)
        )
        plain = frozenset(part for part in parts if part in (*_PLAIN, type(None)))
        others = [p for p in parts if typing.get_origin(p) is not typing.Literal and p not in (*_PLAIN, type(None))]
        if not others and (choices or plain):
            found[name] = _Kind(choices, plain)
    return found
