"""The JSON that the index keeps: skeletons, origins, and parameters in one canonical spelling."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from reenact.core.findings import Finding
from reenact.core.origin import AddedPose, Credit, Origin
from reenact.core.skeleton import Skeleton
from reenact.errors import LibraryError, ParameterError
from reenact.formats import origin_json
from reenact.library.content import hash_skeleton, hash_text

_TYPES = {kind.__name__: kind for kind in (Finding, AddedPose, Credit)}
"""The dataclasses that may stand inside an origin."""

_NUMBERS = re.compile(r"[<>|=]?[fiub][1248]")  # types of arrays

_DAMAGE = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)


def skeleton_to_json(skeleton: Skeleton) -> str:
    """Every field of a skeleton; float64 values come back bit for bit."""
    return json.dumps(
        {
            "names": skeleton.names,
            "parents": skeleton.parents.tolist(),
            "offsets": skeleton.offsets.tolist(),
            "rest": skeleton.rest.tolist(),
            "end_joints": skeleton.end_joints.tolist(),
            "end_offsets": skeleton.end_offsets.tolist(),
            "roles": dict(skeleton.roles),
        }
    )


def skeleton_key(skeleton: Skeleton) -> str:
    """Tells skeletons apart in the index: a hash of the skeleton and its roles."""
    return hash_text(hash_skeleton(skeleton), canonical_json(dict(skeleton.roles)))


def skeleton_from_json(text: str) -> Skeleton:
    """The skeleton that `skeleton_to_json` wrote."""
    try:
        held = json.loads(text)
        if not all(isinstance(name, str) for name in held["names"]):
            raise TypeError("a joint's name is no text")
        if not all(isinstance(role, str) and type(joint) is int for role, joint in held["roles"].items()):
            raise TypeError("the roles are no joints")
        return Skeleton(
            tuple(held["names"]),
            np.array(held["parents"], np.int32),
            np.array(held["offsets"], np.float64).reshape(-1, 3),
            np.array(held["rest"], np.float64).reshape(-1, 4),
            np.array(held["end_joints"], np.int32),
            np.array(held["end_offsets"], np.float64).reshape(-1, 3),
            held["roles"],
        )
    except _DAMAGE as error:
        raise LibraryError(f"a skeleton in the index is damaged: {error}") from error


def origin_to_json(origin: Origin) -> str:
    """Every field of an origin: findings, channels and the added T-pose too."""
    return json.dumps({field.name: _encoded(getattr(origin, field.name)) for field in dataclasses.fields(Origin)})


def origin_from_json(text: str) -> Origin:
    """The origin that `origin_to_json` wrote. Fields that this version does not know are left out, missing ones are the default."""
    try:
        held = json.loads(text)
        known = {field.name for field in dataclasses.fields(Origin)}
        origin = Origin(**{name: _decoded(value) for name, value in held.items() if name in known})
        pose = origin.added_pose
        origin_json.origin_from_json(origin_json.origin_to_json(origin), 0 if pose is None else len(pose.rotations))
    except _DAMAGE as error:
        raise LibraryError(f"an origin in the index is damaged: {error}") from error
    return origin


def _encoded(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.str, "shape": value.shape, "values": value.ravel().tolist()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _encoded(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"type": type(value).__name__, "fields": fields}
    if isinstance(value, tuple | list):
        return [_encoded(item) for item in value]
    if isinstance(value, Mapping):
        return {"map": {str(key): _encoded(item) for key, item in value.items()}}
    if isinstance(value, np.generic):
        return value.item()
    return str(value) if isinstance(value, Path) else value


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_decoded(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "dtype" in value:
        if not _NUMBERS.fullmatch(value["dtype"]):
            raise ValueError("an array of no numbers")
        array = np.array(value["values"], dtype=value["dtype"]).reshape(value["shape"])
        array.flags.writeable = False
        return array
    if "map" in value:
        return {key: _decoded(item) for key, item in value["map"].items()}
    kind = _TYPES[value["type"]]
    known = {field.name for field in dataclasses.fields(kind)}
    return kind(**{name: _decoded(item) for name, item in value["fields"].items() if name in known})


def canonical_json(value: Any) -> str:
    """One spelling for equal parameters: keys sorted, no blanks, tuples as lists, dataclasses by their fields.

    Raises:
        ParameterError: for a value that has no JSON form (NaN and infinity have one here: Python's).
    """
    try:
        return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"these parameters have no JSON form: {error}") from error


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, Mapping):
        wrong = [key for key in value if not isinstance(key, str)]
        if wrong:
            raise TypeError(f"the key {wrong[0]!r} is no text")
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(_plain(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return str(value) if isinstance(value, Path) else value
