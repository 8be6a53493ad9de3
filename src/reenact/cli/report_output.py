"""Reports of operations for people: a line for each value, what is long counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reenact.operations.played import played_text


def print_report(report: Mapping[str, Any]) -> None:
    """A line for each value of a report; sentences, each on a line of its own."""
    for key, value in report.items():
        if key == "played" and isinstance(value, list):
            print(f"  played: {played_text(value)}")
            continue
        if isinstance(value, list) and value and all(isinstance(one, str) and " " in one for one in value):
            print(f"  {key}:")
            for one in value:
                print(f"    {one}")
        else:
            print(f"  {key}: {shown(value)}")


def shown(value: Any) -> str:
    """A value of a report in one short line; what is long is counted, and `--json` has all of it."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_inner(one)}" for key, one in value.items()) or "none"
    if isinstance(value, list | tuple):
        return _inner(value) if value else "none"
    return str(value)


def _inner(value: Any) -> str:
    if isinstance(value, dict):
        return f"({shown(value)})" if not any(isinstance(one, dict) for one in value.values()) else "..."
    if isinstance(value, list | tuple):
        plain = all(not isinstance(one, dict | list | tuple) for one in value)
        pairs = all(isinstance(one, list | tuple) and len(one) == 2 for one in value)
        if plain and len(value) <= 8:
            return " ".join(str(one) for one in value) or "none"
        if pairs and len(value) <= 4:
            return ", ".join(f"{one[0]} to {one[1]}" for one in value)
        return f"{len(value)} of them"
    return str(value)
