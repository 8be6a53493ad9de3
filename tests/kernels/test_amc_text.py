"""The kernels of AMC text agree with their NumPy twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact import kernels
from reenact.core.rotations import normalize, to_matrix

NAMES = ["root", "lowerback", "l", "rfoot"]
COUNTS = [6, 3, 1, 2]
numbers = st.floats(-1e5, 1e5, allow_nan=False).map(lambda value: round(value, 6))
tables = st.lists(st.lists(numbers, min_size=12, max_size=12), min_size=1, max_size=5)


def parse(data: bytes, rows: int):
    text = np.frombuffer(data + bytes(17), np.uint8)
    joined = np.frombuffer("".join(NAMES).encode(), np.uint8)
    starts = np.cumsum([0, *map(len, NAMES)]).astype(np.int64)
    columns = np.cumsum([0, *COUNTS])[:-1].astype(np.int64)
    values, found = np.zeros((rows, 12)), np.zeros(rows, np.int64)
    args = (joined, starts, columns, np.array(COUNTS, np.int64), 1e6, found, values)
    count, at, status = kernels.amc_text.parse_frames(text, 0, len(data), *args)
    return found[:count], values[:count], at, status


def spell(rows, line_end="\n", form="{:.6f}") -> bytes:
    lines = []
    for f, row in enumerate(rows):
        lines.append(str(f + 1))
        at = 0
        for name, count in zip(NAMES, COUNTS, strict=True):
            lines.append(" ".join([name, *(form.format(value) for value in row[at : at + count])]))
            at += count
    return "".join(line + line_end for line in lines).encode()


@given(tables, st.sampled_from(["\n", "\r\n", "\r", " \n", "\t\r\n"]), st.sampled_from(["{:.6f}", "{!r}", "{:e}"]))
def test_parsing_agrees(rows, line_end, form):
    data = spell(rows, line_end, form)
    found, values, at, status = parse(data, len(rows) + 1)
    want_numbers, want = kernels.twins.parse_frames(data, [name.encode() for name in NAMES], COUNTS)
    assert status == kernels.amc_text.END_OF_TEXT
    assert at == len(data)
    np.testing.assert_array_equal(found, want_numbers)
    np.testing.assert_allclose(values, want, rtol=1e-15)


@given(tables, st.integers(0, 8), st.integers(1, 10**6))
def test_formatting_agrees(rows, decimals, first):
    values = np.array(rows)
    joined = np.frombuffer("".join(NAMES).encode(), np.uint8)
    starts = np.cumsum([0, *map(len, NAMES)]).astype(np.int64)
    text = np.empty(len(rows) * 1000, np.uint8)
    end = kernels.amc_text.format_frames(values, joined, starts, np.array(COUNTS, np.int64), decimals, first, text, 0)
    got = kernels.twins.parse_frames(text[:end].tobytes(), [name.encode() for name in NAMES], COUNTS)
    want = kernels.twins.parse_frames(
        kernels.twins.format_frames(values, NAMES, COUNTS, decimals, first), [name.encode() for name in NAMES], COUNTS
    )
    np.testing.assert_array_equal(got[0], want[0])
    np.testing.assert_allclose(got[1], want[1], rtol=0, atol=1.01 * 10.0**-decimals)  # halves may be rounded either way


@given(st.integers(0, 2**32 - 1))
def test_turning_axes_agrees(seed):
    rng = np.random.default_rng(seed)
    rotations = normalize(rng.normal(size=(5, 4, 4)))
    frames = normalize(rng.normal(size=(2, 4)))
    joints = np.array([1, 3], np.int32)
    got = rotations.copy()
    kernels.amc_text.turn_axes(got, joints, to_matrix(frames))
    np.testing.assert_allclose(got, kernels.twins.turn_axes(rotations, joints, frames), atol=1e-12)


GOOD = spell([[1.0] * 12] * 3)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"lowerback", b"lowerbacks"),
        (b"lowerback", b"lowerbac"),
        (b"l 1.000000\n", b"l 1.000000 2\n"),
        (b"l 1.000000\n", b"l\n"),
        (b"l 1.000000\n", b"l nan\n"),
        (b"l 1.000000\n", b"l 1.0x\n"),
        (b"l 1.000000\n", b"l 1e7\n"),
        (b"l 1.000000\n", b"l 1.000000\nextra 5\n"),
        (b"2\n", b"two\n"),
        (b"2\n", b"2 3\n"),
        (b"2\n", b""),
    ],
)
def test_a_frame_unlike_the_pattern_stops_at_its_beginning(old, new):
    begin = GOOD.index(b"2\nroot")
    second = GOOD[begin:].replace(old, new, 1)
    found, _, at, status = parse(GOOD[:begin] + second, 5)
    assert status == kernels.amc_text.ODD_FRAME
    assert len(found) <= 1
    assert at == (begin if len(found) else 0)


def test_text_that_ends_within_a_frame_is_odd():
    for size in range(GOOD.index(b"3\n") + 1, len(GOOD) - 9):
        found, _, at, status = parse(GOOD[:size], 5)
        assert (len(found), status) == (2, kernels.amc_text.ODD_FRAME)
        assert at == GOOD.index(b"3\nroot")
