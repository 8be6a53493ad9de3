"""How much of each clip is played in a result: one form, whatever the method calls it.

`played` of a report has a row for each source: `{"clip": name, "time": share of its frames, "action": share of its action}`, the last where
the method knows it (`analysis.action`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def played_rows(report: Mapping[str, Any], names: Sequence[str]) -> list[dict[str, Any]]:
    """The rows for the clips of these names, from what a method reports; none where it does not say.

    Args:
        report: of a transition, or of the last in a row with those `before` it: with `played_of_first` and the like; or with `quality`
            that says `played`.
        names: of the clips that were given, in their order.
    """
    links = [*report.get("before", []), report] if "played_of_first" in report else []
    if links and len(links) + 1 == len(names):
        shares = [(link["played_of_first"], link["action_of_first"]) for link in links]
        shares.append((links[-1]["played_of_second"], links[-1]["action_of_second"]))
        return [
            {"clip": name, "time": time, "action": action} for name, (time, action) in zip(names, shares, strict=True)
        ]
    quality = report.get("quality")
    shown = quality.get("played", []) if isinstance(quality, Mapping) else []
    if len(shown) != len(names):
        return []
    return [{"clip": name, "time": share} for name, share in zip(names, shown, strict=True)]


def played_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows in words."""
    return ", ".join(f"{100 * row['time']:.0f} % of {row['clip']}" for row in rows)
