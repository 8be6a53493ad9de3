"""A clip's origin as plain JSON values, for formats that keep it beside the motion."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from reenact.core.findings import Finding
from reenact.core.origin import AddedPose, Credit, Origin
from reenact.errors import FormatError

_TEXT_LISTS = ("channels", "end_names", "acclaim")


def origin_to_json(origin: Origin) -> dict[str, Any]:
    """Every field that differs from an empty origin."""
    found: dict[str, Any] = {}
    empty = Origin()
    for key in ("format", "path", "unit", "up", "frame_time", "adds_offset"):
        if getattr(origin, key) != getattr(empty, key):
            found[key] = getattr(origin, key)
    for key in ("channels", "end_names", "acclaim"):
        if getattr(origin, key):
            found[key] = list(getattr(origin, key))
    if origin.added_pose is not None:
        pose = origin.added_pose
        found["added_pose"] = {"rotations": np.asarray(pose.rotations).tolist(), "root": np.asarray(pose.root).tolist()}
    if origin.credits:
        found["credits"] = [dataclasses.asdict(credit) for credit in origin.credits]
    if origin.findings:
        found["findings"] = [finding.as_dict() for finding in origin.findings]
    return found


def origin_from_json(found: object, joints: int) -> Origin:
    """The origin, every value checked; a `FormatError` says what does not fit.

    Args:
        found: what `json.loads` gave.
        joints: how many the clip has.
    """
    if not isinstance(found, dict):
        raise FormatError("the origin is not a JSON object")
    known: dict[str, Any] = {}
    for key, kind in (("format", str), ("path", str), ("frame_time", str), ("adds_offset", bool)):
        if key in found:
            known[key] = _typed(found[key], kind, key)
    if "unit" in found:
        unit = found["unit"]
        if isinstance(unit, bool) or not isinstance(unit, int | float) or not 0 < unit < 1e12:
            raise FormatError(f"the origin's unit must be a positive number, found {unit!r:.40}")
        known["unit"] = float(unit)
    if "up" in found:
        if found["up"] not in ("x", "y", "z"):
            raise FormatError("the origin's up axis must be x, y or z")
        known["up"] = found["up"]
    for key in ("channels", "end_names", "acclaim"):
        if key in found:
            known[key] = tuple(_typed(item, str, key) for item in _typed(found[key], list, key))
    if "credits" in found:
        known["credits"] = tuple(_credit(item) for item in _typed(found["credits"], list, "credits"))
    if "added_pose" in found:
        known["added_pose"] = _pose(_typed(found["added_pose"], dict, "added_pose"), joints)
    if "findings" in found:
        known["findings"] = tuple(_finding(item) for item in _typed(found["findings"], list, "findings"))
    return Origin(**known)


def _typed(value: Any, kind: type, key: str) -> Any:
    if not isinstance(value, kind):
        raise FormatError(f"the origin's {key} must be of type {kind.__name__}, found {type(value).__name__}")
    return value.encode("utf-8", "replace").decode() if kind is str else value


def _credit(found: object) -> Credit:
    held = _typed(found, dict, "credits")
    names = [field.name for field in dataclasses.fields(Credit)]
    return Credit(**{name: _typed(held[name], str, name) for name in names if name in held})


def _pose(found: dict[str, Any], joints: int) -> AddedPose:
    try:
        with np.errstate(over="ignore"):
            rotations = np.array(found.get("rotations"), dtype=np.float64).astype(np.float32)
            root = np.array(found.get("root"), dtype=np.float64).astype(np.float32)
    except (ValueError, TypeError, OverflowError):
        raise FormatError("the origin's added pose does not hold numbers") from None
    if (
        rotations.shape != (joints, 4)
        or root.shape != (3,)
        or not (np.isfinite(rotations).all() and np.isfinite(root).all())
    ):
        raise FormatError(f"the origin's added pose does not fit {joints} joints")
    return AddedPose(rotations, root)


def _finding(found: Any) -> Finding:
    if not isinstance(found, dict) or found.get("severity") not in ("info", "warning", "error"):
        raise FormatError("the origin's findings are not findings")
    texts = {key: _typed(found.get(key), str, "finding") for key in ("code", "where", "message")}
    confidence = found.get("confidence")
    if confidence is not None and not isinstance(confidence, int | float):
        raise FormatError("the confidence of a finding is not a number")
    return Finding(
        texts["code"], found["severity"], texts["where"], texts["message"], found.get("fixed") is True, confidence
    )
