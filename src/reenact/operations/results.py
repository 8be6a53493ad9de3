"""What operations give, whatever its kind, as plain values that can be printed, sent and shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reenact.core.clip import Clip
from reenact.core.made import Made


def report_of(result: Any) -> dict[str, Any]:
    """What there is to read about a result.

    That is the result itself where it is a dictionary, else what its `as_dict` or `report` gives; of clips their names and lengths, of a
    picture its size.

    Raises:
        TypeError: it has none of these; whoever wrote the operation must mend that.
    """
    if isinstance(result, Mapping):
        return dict(result)
    if isinstance(result, Made):
        return result.report
    if isinstance(result, Clip):
        return {"name": result.name, "frames": len(result), "seconds": result.seconds}
    if isinstance(result, list | tuple):
        return {"parts": [report_of(one) for one in result]}
    for name in ("as_dict", "report"):
        told: Any = getattr(result, name, None)
        if told is not None:
            found: Any = told() if callable(told) else told
            return found
    if hasattr(result, "size") and hasattr(result, "save"):  # a picture of Pillow
        return {"pixels": list(result.size)}
    raise TypeError(f"no report of a {type(result).__name__}: give it a method `as_dict`")
