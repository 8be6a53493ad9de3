"""Parameters as people see them: what a form or a command line shows of a parameter dataclass, and values from what they gave.

Angles are radians inside and degrees for people.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from reenact.errors import ParameterError

Kind = Literal["number", "integer", "flag", "choice", "text", "numbers", "texts", "file", "written"]


@dataclasses.dataclass(frozen=True, slots=True)
class ParameterForm:
    """One parameter, in the units people see.

    Attributes:
        name: the field's name.
        flag: the option of the command line without the dashes.
        kind: what to ask for. A union of numbers and words is "text" with the words as choices; a "file" is read, a "written" one is made.
        many: any number of values; each is an option of its own on the command line.
        default: None where there is none.
        required: there is no default.
        nullable: None is a value.
        unit: degrees for angles.
        low, high, above: the range; `above` excludes the bound itself.
        choices: the words allowed, or those allowed beside a number.
        help: one line.
        moment: what it is on a time line, see `core.parameters.option`; empty: nothing.
        endings: of a file, with the dot; none: any.
        motion: of a file: a motion file will do, too.
    """

    name: str
    flag: str
    kind: Kind
    many: bool
    default: Any
    required: bool
    nullable: bool
    unit: str
    low: float | None
    high: float | None
    above: float | None
    choices: tuple[str, ...]
    help: str
    moment: Literal["", "start", "end", "first", "second"] = ""
    endings: tuple[str, ...] = ()
    motion: bool = False


def describe_parameters(owner: type) -> tuple[ParameterForm, ...]:
    """The parameters of a dataclass, without those that are hidden."""
    hints = typing.get_type_hints(owner)
    return tuple(
        _describe(field, hints[field.name]) for field in dataclasses.fields(owner) if not field.metadata.get("hidden")
    )


def _describe(field: dataclasses.Field[Any], hint: Any) -> ParameterForm:
    about = field.metadata
    default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
    required = default is dataclasses.MISSING
    members = _members(hint)
    kind, choices = _kind(members, about)
    turn = math.degrees(1.0) if about.get("unit") == "rad" else 1.0
    low, high, above = (None if about.get(key) is None else about[key] * turn for key in ("low", "high", "above"))
    return ParameterForm(
        name=field.name,
        flag=about.get("name", "") or field.name.replace("_", "-"),
        kind=kind,
        many=any(is_many(member) for member in members),
        default=None if required else to_person(default, field),
        required=required,
        nullable=type(None) in members,
        unit=person_unit(field),
        low=low,
        high=high,
        above=above,
        choices=choices,
        help=about.get("help", ""),
        moment=about.get("moment", ""),
        endings=about.get("endings", ()),
        motion=about.get("motion", False),
    )


def is_many(kind: Any) -> bool:
    """True for `tuple[X, ...]`: an option that can be repeated."""
    return get_origin(kind) is tuple and get_args(kind)[-1:] == (Ellipsis,)


def _members(hint: Any) -> tuple[Any, ...]:
    """The types of a union, or the one type."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _kind(members: tuple[Any, ...], about: Mapping[str, Any]) -> tuple[Kind, tuple[str, ...]]:
    plain = [member for member in members if member is not type(None)]
    if Path in plain:
        return "written" if about.get("written") else "file", ()
    words = tuple(str(word) for member in plain if get_origin(member) is Literal for word in get_args(member))
    if len(plain) > 1:
        return "text", words
    if words:
        return "choice", words
    kinds: dict[Any, Kind] = {bool: "flag", int: "integer", float: "number", str: "text"}
    if get_origin(plain[0]) in (tuple, list):
        return "texts" if get_args(plain[0])[0] is str else "numbers", ()
    if plain[0] not in kinds:
        raise TypeError(f"no form for a parameter of type {plain[0]!r}")
    return kinds[plain[0]], ()


def person_unit(field: dataclasses.Field[Any]) -> str:
    """The unit people see: degrees for radians."""
    unit = field.metadata.get("unit", "")
    return "degrees" if unit == "rad" else unit


def to_person(value: Any, field: dataclasses.Field[Any]) -> Any:
    """A parameter's value in the unit people see."""
    if field.metadata.get("unit") == "rad" and value is not None:
        return tuple(math.degrees(v) for v in value) if isinstance(value, tuple) else math.degrees(value)
    return value


def from_person(value: Any, field: dataclasses.Field[Any], hint: Any) -> Any:
    """A parameter's value from what a person gave, whose text may stand for a number of a union such as `float | Literal["auto"]`."""
    if isinstance(value, str) and get_origin(hint) in (Union, types.UnionType):
        value = _choose(value, hint, field)
    if field.metadata.get("unit") == "rad" and value is not None and not isinstance(value, str):
        return tuple(math.radians(v) for v in value) if isinstance(value, tuple) else math.radians(value)
    return value


def _choose(text: str, hint: Any, field: dataclasses.Field[Any]) -> Any:
    members = get_args(hint)
    words = [str(word) for member in members if get_origin(member) is Literal for word in get_args(member)]
    if text in words:
        return text
    for number in (int, float):
        if number in members:
            try:
                return number(text)
            except ValueError:
                continue
    if any(member in members for member in (int, float)) and str not in members:
        raise ParameterError(
            f"expected a number{''.join(f' or {word}' for word in words)}, not {text!r}", where=field.name
        )
    return text


def parameters_from_answers(owner: type, answers: Mapping[str, Any]) -> Any:
    """The dataclass from plain values by name, as a form gives them; what is not given has its default. Files are `Path`: a text is never
    taken for one, so that nobody names a file that was not meant for them.

    Raises:
        ParameterError: an unknown name, a missing value, a value of another kind or outside its range; `where` is the name.
    """
    forms = {form.name: form for form in describe_parameters(owner)}
    unknown = [name for name in answers if name not in forms]
    if unknown:
        known = ", ".join(forms) or "none"
        raise ParameterError(f"no parameter {unknown[0]!r}; there are {known}", where=unknown[0])
    hints, values = typing.get_type_hints(owner), {}
    for field in dataclasses.fields(owner):
        if field.name in answers:
            value = _checked(answers[field.name], forms[field.name])
            values[field.name] = from_person(_whole(value, hints[field.name], field), field, hints[field.name])
        elif field.name in forms and forms[field.name].required:
            raise ParameterError(f"{field.name} is needed", where=field.name)
    return owner(**values)


def _whole(value: Any, hint: Any, field: dataclasses.Field[Any]) -> Any:
    """Numbers in a row as whole numbers, where the dataclass wants those."""
    rows = [get_args(member) for member in _members(hint) if get_origin(member) is tuple]
    if not isinstance(value, tuple) or not rows or any(kind not in (int, Ellipsis) for kind in rows[0]):
        return value
    if any(number != int(number) for number in value if math.isfinite(number)):
        raise ParameterError(f"{field.name} must be whole numbers, not {value!r}", where=field.name)
    return tuple(int(number) if math.isfinite(number) else number for number in value)


def _checked(value: Any, form: ParameterForm) -> Any:
    """The value as the Python type of its kind."""
    if value is None:
        if form.nullable:
            return None
        raise ParameterError(f"{form.name} is needed", where=form.name)
    number = _is_number(value)
    if form.kind == "flag" and isinstance(value, bool):
        return value
    if form.kind == "integer" and number and math.isfinite(value) and value == int(value):
        return int(value)
    if form.kind == "number" and number:
        return float(value)
    if form.kind == "numbers" and isinstance(value, list | tuple) and all(_is_number(item) for item in value):
        return tuple(float(item) for item in value)
    if form.kind == "texts" and isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if form.kind == "choice" and value in form.choices:
        return value
    if form.kind in ("file", "written") and isinstance(value, Path):
        return value
    if form.kind == "text" and (isinstance(value, str) or (number and form.choices)):
        return value
    wanted = {
        "flag": "true or false",
        "integer": "a whole number",
        "number": "a number",
        "numbers": "a list of numbers",
        "texts": "a list of texts",
        "choice": f"one of {', '.join(form.choices)}",
        "text": "a text",
        "file": "a file",
        "written": "a file",
    }[form.kind]
    raise ParameterError(f"{form.name} must be {wanted}, not {value!r}", where=form.name)


def _is_number(value: Any) -> bool:
    """A number, and not one that no float can hold."""
    return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63)
