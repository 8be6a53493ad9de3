"""Foot plants as plain JSON values, for formats that keep them beside the motion; read back with every value checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from reenact.core.foot_plants import SIDES, Floor, FootContact, FootPlants, intervals_of, mask_of
from reenact.core.motion_print import MotionPrint, print_from_rows, print_to_rows
from reenact.errors import FormatError, ReenactError

_MOST_ROWS = 1000


def plants_to_json(plants: FootPlants, seen: MotionPrint | None = None) -> dict[str, Any]:
    """Ranges of frames of each point, the floor, where the plants come from, and by what the motion is recognised.

    Confidences are kept for frames that are not sure: ranges of frames with one value each.
    """
    found: dict[str, Any] = {"frames": len(plants), "fps": plants.fps, "source": plants.source}
    floor = plants.floor
    found["floor"] = {"height": floor.height, "normal": floor.normal.tolist(), "confidence": floor.confidence}
    for side in SIDES:
        foot = plants.foot(side)
        found[side] = {name: [list(span) for span in intervals_of(getattr(foot, name))] for name in ("heel", "ball")}
        doubtful = _steps(foot.confidence)
        if doubtful:
            found[side]["confidence"] = doubtful
    if seen is not None:
        found["motion"] = print_to_rows(seen)
    return found


def plants_from_json(found: object) -> tuple[FootPlants, MotionPrint]:
    """The plants, and by what their motion is recognised.

    Raises:
        FormatError: what does not fit.
    """
    if not isinstance(found, Mapping):
        raise FormatError("the plants are not a JSON object")
    frames, fps = found.get("frames"), found.get("fps")
    if not isinstance(frames, int) or isinstance(frames, bool) or not 0 <= frames <= 100_000_000:
        raise FormatError("the plants' frames are not a whole number")
    if isinstance(fps, bool) or not isinstance(fps, int | float) or not 0 < fps <= 1e6:
        raise FormatError("the plants' fps is not a positive number")
    try:
        feet = [_foot(found.get(side), frames) for side in SIDES]
        floor = _floor(found.get("floor"))
        rows = found.get("motion", [])
        if not isinstance(rows, list) or len(rows) > _MOST_ROWS:
            raise FormatError("the plants' motion is not a short list")
        seen = print_from_rows(rows)
    except ReenactError as error:
        raise FormatError(f"the plants do not fit: {error.message}") from None
    except (TypeError, ValueError, OverflowError):
        raise FormatError("the plants hold something that is no number") from None
    if not np.isfinite(seen.places).all() or (len(seen.frames) and min(seen.frames.min(), seen.joints.min()) < 0):
        raise FormatError("the plants' motion is not made of frames, joints and places")
    source = found.get("source", "")
    return FootPlants(feet[0], feet[1], float(fps), floor, source if isinstance(source, str) else ""), seen


def _foot(found: object, frames: int) -> FootContact:
    if not isinstance(found, Mapping):
        raise FormatError("a foot is missing")
    sure = np.ones(frames, np.float32)
    for start, end, value in found.get("confidence", []):
        sure[mask_of([[start, end]], frames)] = np.clip(float(value), 0.0, 1.0)
    return FootContact(mask_of(found.get("heel", []), frames), mask_of(found.get("ball", []), frames), sure)


def _floor(found: object) -> Floor:
    if not isinstance(found, Mapping):
        return Floor()
    normal = np.asarray(found.get("normal", (0.0, 1.0, 0.0)), dtype=np.float64)
    length = float(np.linalg.norm(normal))
    height, sure = float(found.get("height", 0.0)), float(found.get("confidence", 1.0))
    if normal.shape != (3,) or not np.isfinite([length, height, sure]).all() or length < 1e-6:
        raise FormatError("the floor has no normal or height")
    return Floor(height, normal / length, sure)


def _steps(confidence: np.ndarray) -> list[list[float]]:
    """Runs of equal confidence below 1: start, end, value in thousandths."""
    level = np.round(confidence.astype(np.float64), 3)
    edges = np.flatnonzero(np.diff(level)) + 1
    spans = zip([0, *edges.tolist()], [*edges.tolist(), len(level)], strict=True)
    return [[start, end, float(level[start])] for start, end in spans if end > start and level[start] < 1.0]
