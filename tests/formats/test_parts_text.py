"""Lists of parts as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.core.splitting import Part
from reenact.errors import FormatError
from reenact.formats.parts_text import parse_parts, read_parts


def test_frames_seconds_and_the_end() -> None:
    text = "# name from to\nwalk 0 340  # straight\n\n'high kick' 4.5s 6.25s\nrest 340 end\n"
    assert parse_parts(text, 1000, 120.0) == [
        Part("walk", 0, 340),
        Part("high kick", 540, 750),
        Part("rest", 340, 1000),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no part"),
        ("walk 1", "found 2 words"),
        ("walk 1 2 3", "found 4 words"),
        ("a 0 1\nwalk 1 x", r"\b2\b.*not 'x'"),
        ("walk -1 5", "not '-1'"),
        ("walk nans 5", "not 'nans'"),
        ("walk 0 1e99s", "not '1e99s'"),
        ("'walk 0 5", "quotation"),
    ],
)
def test_lines_that_say_nothing(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        parse_parts(text, 100, 30.0, "parts.txt")
    assert "parts.txt" in caught.value.where


@given(st.binary(max_size=200))
def test_any_bytes_give_parts_or_a_format_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("parts") / "parts.txt"
    path.write_bytes(data)
    try:
        found = read_parts(path, 100, 30.0)
    except FormatError:
        return
    assert found
