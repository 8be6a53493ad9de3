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
from typing import Any

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
    """Raise a `ParameterError` that names the first field outside its range; for `__post_init__`."""
    for field in dataclasses.fields(parameters):
        value = getattr(parameters, field.name)
        about = field.metadata
        numbers = value if isinstance(value, tuple) else (value,)
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, (int, float)):
                continue
            inside = math.isfinite(number)
            inside &= about.get("low") is None or number >= about["low"]
            inside &= about.get("above") is None or number > about["above"]
            inside &= about.get("high") is None or number <= about["high"]
            if not inside:
                wanted = allowed_range(field) or "a finite number"
                shown = number * 180 / math.pi if about.get("unit") == "rad" else number
                raise ParameterError(f"{field.name} must be {wanted}, not {shown:g}", where=field.name)
