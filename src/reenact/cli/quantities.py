"""Numbers with a unit on the command line: `--to 3.4`, `--to 3.4m` and `--to 340cm` say the same."""

from __future__ import annotations

import re
from collections.abc import Callable

import typer

_LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001}
_UNITS = {
    "m": _LENGTHS,
    "mm": {unit: 1000.0 * one for unit, one in _LENGTHS.items()},
    "s": {"s": 1.0, "ms": 0.001},
    "degrees": {"degrees": 1.0, "degree": 1.0, "deg": 1.0, "°": 1.0},
    "Hz": {"hz": 1.0, "fps": 1.0},
    "m/s": {"m/s": 1.0},
}
_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S*)\s*")


def takes_unit(unit: str | None) -> bool:
    """Whether an option in this unit may be given with it."""
    return unit in _UNITS


def quantity(unit: str) -> Callable[[str | float], float]:
    """What reads a number with or without its unit; a bare number is in `unit`."""

    def read(text: str | float) -> float:
        if not isinstance(text, str):
            return float(text)
        found = _NUMBER.fullmatch(text)
        if found is not None and found[2].lower() in _UNITS[unit]:
            return float(found[1]) * _UNITS[unit][found[2].lower()]
        try:
            return float(text)  # nan and inf, too: the parameters say what they think of them
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a number, nor one with a unit such as 1.5{unit}.") from None

    read.__name__ = "float"  # so it is called in the help
    return read
