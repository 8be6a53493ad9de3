"""Corrections of a motion as a JSON file: layers with rotation vectors by joint, which can be edited, switched off and applied again.

    {"format": "reenact corrections 1", "frames": 316, "layers": [
      {"name": "left arm", "on": true, "turns": {"LeftArm": [[0.0, 0.1, 0.0], ...]}, "shift": null}, ...]}

Turns are radians, in the frame of the joint's parent, applied before its own rotation; shifts are metres of the root.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reenact.errors import FormatError
from reenact.formats.atomic import atomic_write

MAGIC = "reenact corrections 1"
_MOST_BYTES = 512 * 2**20
_DIGITS = 7


@dataclass(frozen=True, slots=True, eq=False)
class ReadLayer:
    """A layer of a file; see `adapt.corrections.Layer`."""

    name: str
    turns: Mapping[str, Any]
    shift: Any
    on: bool


def write_corrections(corrections: Any, path: Path, name: str = "") -> None:
    """Write corrections (`adapt.corrections.Corrections`); the file appears whole or not at all."""
    layers = [
        {
            "name": layer.name,
            "on": layer.on,
            "turns": {joint: np.round(turn, _DIGITS).tolist() for joint, turn in layer.turns.items()},
            "shift": None if layer.shift is None else np.round(layer.shift, _DIGITS).tolist(),
        }
        for layer in corrections.layers
    ]
    text = json.dumps({"format": MAGIC, "clip": name, "frames": corrections.frames, "layers": layers})
    with atomic_write(path) as file:
        file.write(text.encode())


def read_corrections(path: Path) -> tuple[int, tuple[ReadLayer, ...]]:
    """Frames and layers of a file.

    Raises:
        FormatError: it is no such file, or damaged.
    """
    if path.stat().st_size > _MOST_BYTES:
        raise FormatError("the file is too large for corrections", path=path)
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(told, dict) or told.get("format") != MAGIC:
            raise FormatError(f"expected a JSON object with format {MAGIC!r}", path=path)
        frames = int(told["frames"])
        layers = []
        for one in told["layers"]:
            turns = {str(joint): _rows(turn, frames, joint, path) for joint, turn in one["turns"].items()}
            shift = None if one.get("shift") is None else _rows(one["shift"], frames, "shift", path)
            layers.append(ReadLayer(str(one["name"]), turns, shift, bool(one.get("on", True))))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"damaged corrections: {error}", path=path) from None
    return frames, tuple(layers)


def _rows(values: Any, frames: int, what: str, path: Path) -> np.ndarray:
    found = np.asarray(values, dtype=np.float64)
    if found.shape != (frames, 3) or not np.isfinite(found).all():
        raise FormatError(f"{what} must be {frames} rows of three numbers", path=path)
    return found
