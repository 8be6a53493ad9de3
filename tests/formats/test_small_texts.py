"""Weights and limits as text: bad lines first, then round trips."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.core.joint_weights import JointWeights
from reenact.errors import FormatError, ParameterError
from reenact.formats.limits_text import parse_limits, read_limits, write_limits
from reenact.formats.weights_text import parse_weights, read_weights, write_weights
from reenact.samples import sample_skeleton


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("head", 1, "expected a joint and 1 to 3 weights, found 1 words"),
        ("\nhead one", 2, "a weight must be zero or more, not 'one'"),
        ("head -1", 1, "not '-1'"),
        ("head nan", 1, "not 'nan'"),
        ("head 1 2 3 4", 1, "found 5 words"),
        ("head 1\nhead 2", 2, "'head' stands twice"),
        ("'head 1", 1, "no closing quotation"),
    ],
)
def test_bad_weights(text: str, line: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        parse_weights(text, "w.txt")
    assert caught.value.where == f"w.txt:{line}"


def test_weights_without_any() -> None:
    for text in ("", "# nothing", "head 0"):
        with pytest.raises(FormatError, match="above zero"):
            parse_weights(text)


def test_weights_on_a_skeleton(tmp_path: Path) -> None:
    weights = parse_weights("hips 1  # the root\nLeftHand 0.1 0.2\nleft_toes 2 1 0.5")
    assert dict(weights.position) == {"hips": 1.0, "LeftHand": 0.1, "left_toes": 2.0}
    assert dict(weights.velocity) == {"LeftHand": 0.2, "left_toes": 1.0}
    skeleton = sample_skeleton()
    found = weights.of(skeleton)
    assert found[skeleton.joint("LeftToeBase")] == 2
    assert found.sum() == pytest.approx(3.1)
    write_weights(weights, tmp_path / "w.txt")
    back = read_weights(tmp_path / "w.txt")
    assert (dict(back.position), dict(back.velocity), dict(back.acceleration)) == (
        dict(weights.position), dict(weights.velocity), dict(weights.acceleration),
    )  # fmt: skip
    with pytest.raises(ParameterError, match="zero or more"):
        JointWeights({"head": -1.0})


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("skate_mm", 1, "expected a name and a value, found 1 words"),
        ("a 1\nskate_mm ten", 2, "skate_mm must be a number, not 'ten'"),
        ("a 1 2", 1, "found 3 words"),
        ("a 1\na 2", 2, "stands twice"),
        ("a inf", 1, "must be a number"),
    ],
)
def test_bad_limits(text: str, line: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        parse_limits(text, "l.txt")
    assert caught.value.where == f"l.txt:{line}"


def test_limits_round_trip(tmp_path: Path) -> None:
    values = {"skate_mm": 10.0, "jitter_mm": 0.5}
    write_limits(values, tmp_path / "l.txt", {"skate_mm": "for the film"})
    assert read_limits(tmp_path / "l.txt") == values
    assert parse_limits("a = 1\nb: 2\n\n# c 3") == {"a": 1.0, "b": 2.0}


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for parse in (parse_weights, parse_limits):
        with contextlib.suppress(FormatError):
            parse(text)


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    path.write_bytes(b" " * ((1 << 20) + 1))
    for read in (read_weights, read_limits):
        with pytest.raises(FormatError, match="larger than"):
            read(path)
