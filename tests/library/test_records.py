"""JSON records: what goes in comes out."""

from dataclasses import dataclass, fields
from enum import Enum
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.core.origin import Origin
from reenact.errors import LibraryError, ParameterError
from reenact.library.content import hash_skeleton
from reenact.library.records import (
    canonical_json,
    origin_from_json,
    origin_to_json,
    skeleton_from_json,
    skeleton_to_json,
)


def test_origin_comes_back_whole(make_clip) -> None:
    origin = make_clip(0, origin=True).origin
    back = origin_from_json(origin_to_json(origin))
    for field in fields(Origin):
        if field.name != "added_pose":
            assert getattr(back, field.name) == getattr(origin, field.name), field.name
    assert back.added_pose.rotations.tobytes() == origin.added_pose.rotations.tobytes()
    assert back.added_pose.root.tobytes() == origin.added_pose.root.tobytes()
    assert back.added_pose.root.dtype == np.float32
    assert origin_from_json(origin_to_json(Origin())) == Origin()


def test_origin_of_another_version_is_read_as_far_as_it_is_known() -> None:
    assert origin_from_json('{"format": "bvh", "colour": "red"}') == Origin(format="bvh")


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"added_pose": {"type": "Nothing", "fields": {}}}'])
def test_damaged_origin_is_a_library_error(text: str) -> None:
    with pytest.raises(LibraryError, match="origin"):
        origin_from_json(text)


def test_skeleton_comes_back_bit_for_bit(make_clip) -> None:
    skeleton = make_clip(0, size=1 / 3).skeleton
    back = skeleton_from_json(skeleton_to_json(skeleton))
    assert hash_skeleton(back) == hash_skeleton(skeleton)
    assert dict(back.roles) == dict(skeleton.roles)


@pytest.mark.parametrize("text", ["", "{}", '{"names": []}', "null"])
def test_damaged_skeleton_is_a_library_error(text: str) -> None:
    with pytest.raises(LibraryError, match="skeleton"):
        skeleton_from_json(text)


class Side(Enum):
    LEFT = "left"


@dataclass(frozen=True)
class Parameters:
    height: float = 0.05
    side: Side = Side.LEFT
    joints: tuple[int, ...] = (1, 2)


def test_canonical_json_has_one_spelling() -> None:
    assert canonical_json(Parameters()) == '{"height":0.05,"joints":[1,2],"side":"left"}'
    assert canonical_json({"b": np.float64(1), "a": Path("x")}) == canonical_json({"a": "x", "b": 1.0})
    assert canonical_json({1.5, 0.5}) == "[0.5,1.5]"
    assert canonical_json(np.arange(3)) == "[0,1,2]"


@pytest.mark.parametrize("value", [object(), {1: 2}, {"a": lambda: 0}, b"x"])
def test_what_has_no_json_form_is_refused(value: object) -> None:
    with pytest.raises(ParameterError, match="JSON"):
        canonical_json(value)


@given(st.dictionaries(st.text(), st.floats(allow_nan=False) | st.integers() | st.text(), max_size=5))
def test_canonical_json_does_not_depend_on_order(values: dict[str, object]) -> None:
    assert canonical_json(values) == canonical_json(dict(reversed(values.items())))
