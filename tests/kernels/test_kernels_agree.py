"""Every kernel gives what its plain NumPy twin gives."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reenact.kernels import bvh_text, euler, kinematics, lowest_points, pushes, quaternions, twins, weighing

SEEDS = st.integers(0, 2**32 - 1)
TYPES = st.sampled_from([np.float32, np.float64])


def some_rotations(rng: np.random.Generator, *shape: int, dtype: type = np.float64) -> np.ndarray:
    q = rng.normal(size=(*shape, 4))
    return (q / np.linalg.norm(q, axis=-1, keepdims=True)).astype(dtype)


def tolerance(dtype: type) -> float:
    return 5e-6 if dtype == np.float32 else 1e-12


@given(SEEDS, TYPES, st.integers(1, 40))
def test_multiply(seed: int, dtype: type, count: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = some_rotations(rng, count, dtype=dtype), some_rotations(rng, count, dtype=dtype)
    for left, right in ((a, b), (a[:1], b), (a, b[:1])):
        out = np.empty((count, 4), dtype)
        quaternions.multiply(left, right, out)
        np.testing.assert_allclose(out, twins.multiply(left, right), atol=tolerance(dtype))


@given(SEEDS, TYPES, st.integers(1, 40))
def test_rotate(seed: int, dtype: type, count: int) -> None:
    rng = np.random.default_rng(seed)
    turns, vectors = some_rotations(rng, count, dtype=dtype), rng.normal(size=(count, 3)).astype(dtype)
    for left, right in ((turns, vectors), (turns[:1], vectors), (turns, vectors[:1])):
        out = np.empty((count, 3), dtype)
        quaternions.rotate(left, right, out)
        np.testing.assert_allclose(out, twins.rotate(left, right), atol=4 * tolerance(dtype))


@given(SEEDS, st.integers(1, 30), st.integers(1, 19), st.integers(1, 4))
def test_weigh(seed: int, count: int, taps: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    padded, weights = rng.normal(size=(count + taps - 1) * width), rng.normal(size=taps)
    out = np.empty(count * width)
    weighing.weigh(padded, weights, width, out)
    np.testing.assert_allclose(out, twins.weigh(padded, weights, width), atol=1e-12)


@given(SEEDS, st.integers(2, 9), st.integers(1, 5), st.floats(1, 240))
def test_pushes(seed: int, frames: int, joints: int, fps: float) -> None:
    rng = np.random.default_rng(seed)
    places, some = rng.normal(size=(frames, joints, 3)), rng.integers(0, joints, 4).astype(np.int32)
    np.testing.assert_allclose(pushes.sizes(places, some, fps), twins.push_sizes(places, some, fps), rtol=1e-9)


@given(SEEDS, st.floats(1e-9, 7.0), st.integers(1, 40))
def test_exp(seed: int, angle: float, count: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(count, 3))
    vectors *= angle / np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[::5] = 0.0
    out = np.empty((count, 4))
    quaternions.exp(vectors, out)
    np.testing.assert_allclose(out, twins.exp(vectors), atol=1e-15)


@given(SEEDS, st.integers(1, 40))
def test_between(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, count, 3))
    b[::4], b[1::4] = -a[::4], a[1::4]
    a[6::8, 1:] = 0.0
    b[6::8] = -a[6::8]
    out = np.empty((count, 4))
    quaternions.between(a, b, out)
    unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (a, b)]
    np.testing.assert_allclose(out, twins.between(*unit), atol=1e-12)
    assert np.array_equal(out[1::4], np.broadcast_to([1.0, 0.0, 0.0, 0.0], out[1::4].shape))


@given(SEEDS, st.integers(1, 12), st.lists(st.integers(0, 6), max_size=5))
def test_lowest(seed: int, frames: int, counts: list[int]) -> None:
    rng = np.random.default_rng(seed)
    rotations, positions = some_rotations(rng, frames, 3), rng.normal(size=(frames, 3, 3))
    joints, points = rng.integers(0, 3, len(counts)), [rng.normal(size=(count, 3)) for count in counts]
    found = lowest_points.lowest(positions, rotations, joints, points)
    np.testing.assert_allclose(found, twins.lowest(positions, rotations, joints, points), atol=1e-12)


@given(SEEDS, TYPES, st.integers(1, 40))
def test_slerp(seed: int, dtype: type, count: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = some_rotations(rng, count, dtype=dtype), some_rotations(rng, count, dtype=dtype)
    b[::3] = a[::3] * -1  # opposite signs of one rotation
    b[1::3] = a[1::3] + dtype(1e-4)
    b /= np.linalg.norm(b, axis=-1, keepdims=True)
    t = rng.uniform(0, 1, count).astype(dtype)
    out = np.empty((count, 4), dtype)
    quaternions.slerp(a, b, t, out)
    np.testing.assert_allclose(out, twins.slerp(a, b, t), atol=tolerance(dtype))


@given(SEEDS, st.integers(1, 12), st.integers(1, 5))
def test_slerp_frames(seed: int, frames: int, joints: int) -> None:
    rng = np.random.default_rng(seed)
    rotations = some_rotations(rng, frames, joints, dtype=np.float32)
    before = rng.integers(0, frames, 17)
    t = rng.uniform(0, 1, 17).astype(np.float32)
    out = np.empty((17, joints, 4), np.float32)
    quaternions.slerp_frames(rotations, before, t, out)
    np.testing.assert_allclose(out, twins.slerp_frames(rotations, before, t), atol=5e-6)


@given(SEEDS, st.integers(1, 30), st.integers(1, 4))
def test_make_continuous(seed: int, frames: int, joints: int) -> None:
    rotations = some_rotations(np.random.default_rng(seed), frames, joints, dtype=np.float32)
    expected = twins.make_continuous(rotations)
    quaternions.make_continuous(rotations)
    np.testing.assert_array_equal(rotations, expected)
    assert (np.einsum("fji,fji->fj", rotations[1:], rotations[:-1]) >= 0).all()


@given(SEEDS, TYPES, st.integers(1, 6), st.integers(1, 12), st.booleans())
def test_forward_kinematics(seed: int, dtype: type, frames: int, joints: int, moves: bool) -> None:
    rng = np.random.default_rng(seed)
    parents = np.array([-1, *(rng.integers(0, j) for j in range(1, joints))], np.int32)
    rotations = some_rotations(rng, frames, joints, dtype=dtype)
    root, offsets = rng.normal(size=(frames, 3)).astype(dtype), rng.normal(size=(joints, 3)).astype(dtype)
    moved_joints, moved = None, None
    if moves and joints > 1:
        moved_joints = np.sort(rng.choice(np.arange(1, joints), min(3, joints - 1), replace=False)).astype(np.int32)
        moved = rng.normal(size=(frames, len(moved_joints), 3)).astype(dtype)
    got = kinematics.forward_kinematics(rotations, root, offsets, parents, moved_joints, moved)
    want = twins.forward_kinematics(rotations, root, offsets, parents, moved_joints, moved)
    scale = 20 if dtype == np.float32 else 1
    np.testing.assert_allclose(got[0], want[0], atol=scale * tolerance(dtype))
    np.testing.assert_allclose(got[1], want[1], atol=scale * tolerance(dtype))


def euler_tables(orders: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    columns = np.arange(3 * len(orders), dtype=np.int32).reshape(-1, 3)
    axes = np.array(orders, np.int32)
    parities = np.array([1.0 if (b - a) % 3 == 1 else -1.0 for a, b, _ in orders])
    return columns, axes, parities


@given(SEEDS, st.sampled_from([180.0, math.pi]), st.floats(0.1, 20.0))
def test_from_euler(seed: int, half_turn: float, turns: float) -> None:
    orders = list(itertools.permutations(range(3)))
    columns, axes, parities = euler_tables(orders)
    angles = np.random.default_rng(seed).uniform(-turns * half_turn, turns * half_turn, (9, 18))
    out = np.empty((9, 6, 4))
    euler.from_euler(angles, half_turn, columns, axes, parities, out)
    for j, order in enumerate(orders):
        want = twins.from_euler(angles[:, 3 * j : 3 * j + 3] * math.pi / half_turn, order)
        np.testing.assert_allclose(out[:, j], want, atol=1e-10)


def test_from_euler_without_some_angles() -> None:
    columns = np.array([[-1, -1, -1], [0, -1, -1], [1, 2, -1]], np.int32)
    axes = np.array([[2, 1, 0], [1, 0, 2], [0, 2, 1]], np.int32)
    out = np.empty((2, 3, 4))
    angles = np.radians([[10.0, 20.0, 30.0], [-40.0, 50.0, 200.0]])
    euler.from_euler(angles, math.pi, columns, axes, np.array([-1.0, -1.0, -1.0]), out)
    np.testing.assert_allclose(out[:, 0], [[1, 0, 0, 0]] * 2)
    zero = np.zeros(2)
    np.testing.assert_allclose(
        out[:, 1], twins.from_euler(np.stack([angles[:, 0], zero, zero], -1), (1, 0, 2)), atol=1e-10
    )
    np.testing.assert_allclose(
        out[:, 2], twins.from_euler(np.stack([angles[:, 1], angles[:, 2], zero], -1), (0, 2, 1)), atol=1e-10
    )


@given(SEEDS)
def test_to_euler_gives_the_rotation_back(seed: int) -> None:
    orders = list(itertools.permutations(range(3)))
    _, axes, parities = euler_tables(orders)
    rotations = some_rotations(np.random.default_rng(seed), 70, 6)
    out = np.empty((70, 18))
    euler.to_euler(rotations, axes, parities, math.pi, np.full(18, np.nan), out)
    for j, order in enumerate(orders):
        back = twins.from_euler(out[:, 3 * j : 3 * j + 3], order)
        assert np.abs(np.abs(np.einsum("fi,fi->f", back, rotations[:, j])) - 1).max() < 1e-10
        np.testing.assert_allclose(
            np.sin(out[0, 3 * j : 3 * j + 3]), np.sin(twins.to_euler(rotations[0, j], order)), atol=1e-9
        )


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_to_euler_stays_continuous_through_gimbal_lock(order: tuple[int, int, int]) -> None:
    _, axes, parities = euler_tables([order])
    ramp = np.linspace(0, 1, 721)
    smooth = np.stack([40 * ramp, -200 + 400 * ramp, 170 + 300 * ramp], axis=-1)  # the middle angle passes -90 and 90
    rotations = twins.from_euler(np.radians(smooth), order)[:, None]
    out = np.empty((721, 3))
    euler.to_euler(rotations, axes, parities, 180.0, np.full(3, np.nan), out)
    back = twins.from_euler(np.radians(out), order)
    assert np.abs(np.abs(np.einsum("fi,fi->f", back, rotations[:, 0])) - 1).max() < 1e-10
    assert np.abs(np.diff(out, axis=0)).max() < 2.0


def test_to_euler_at_exact_gimbal_lock_keeps_the_frame_before() -> None:
    _, axes, parities = euler_tables([(2, 1, 0)])
    angles = np.array([[30.0, 80.0, 10.0], [30.0, 90.0, 10.0], [30.0, 90.0, 10.0], [30.0, 85.0, 10.0]])
    rotations = twins.from_euler(np.radians(angles), (2, 1, 0))[:, None]
    out = np.empty((4, 3))
    euler.to_euler(rotations, axes, parities, 180.0, np.full(3, np.nan), out)
    np.testing.assert_allclose(out, angles, atol=1e-4)


NUMBERS = st.one_of(
    st.floats(-1e6, 1e6).map(lambda x: f"{x:.4f}"),
    st.floats(-1e9, 1e9).map(repr),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e200, max_value=1e200).map(repr),
    st.integers(-(10**17), 10**17).map(str),
    st.sampled_from(
        ["0", "-0", ".5", "5.", "+3", "1e5", "1E-5", "-1.6201e-014", "0000000000000000000001.5", "1e-300", ".0083333"]
    ),
    st.integers(1, 10**30).map(lambda n: f"0.{n:030d}"),
)


def padded(text: bytes) -> np.ndarray:
    return np.frombuffer(text + bytes(16), np.uint8).copy()


@given(
    st.lists(NUMBERS, min_size=6, max_size=6),
    st.sampled_from([" ", "\t", "  "]),
    st.sampled_from(["\n", "\r\n", "\r", " \n\n"]),
)
def test_parse_rows(words: list[str], blank: str, line_end: str) -> None:
    text = (blank.join(words[:3]) + line_end + blank.join(words[3:])).encode()
    out = np.empty((2, 3))
    rows, _, status = bvh_text.parse_rows(padded(text), 0, len(text), 2, out)
    assert (rows, status) == (2, bvh_text.DONE)
    np.testing.assert_allclose(out, twins.parse_rows(text, 3), rtol=4e-16, atol=0)


def test_short_numbers_are_exactly_what_float_gives() -> None:
    rng = np.random.default_rng(4)
    words = [f"{x:.{d}f}" for x, d in zip(rng.uniform(-360, 360, 5000), rng.integers(0, 9, 5000), strict=True)]
    text = " ".join(words).encode()
    out = np.empty(5000)
    count, _, status = bvh_text.parse_wrapped(padded(text), 0, len(text), out)
    assert (count, status) == (5000, bvh_text.DONE)
    np.testing.assert_array_equal(out, [float(word) for word in words])


@pytest.mark.parametrize(
    ("text", "rows", "status"),
    [
        (b"1 2 3\n4 5", 1, bvh_text.SHORT_ROW),
        (b"1 2 3\n4 5\n6 7 8", 1, bvh_text.SHORT_ROW),
        (b"1 2 3 4\n", 0, bvh_text.LONG_ROW),
        (b"1 2 x\n", 0, bvh_text.BAD_NUMBER),
        (b"1 2 nan\n", 0, bvh_text.BAD_NUMBER),
        (b"1 2 -1.#IND\n", 0, bvh_text.BAD_NUMBER),
        (b"1 2 1e999\n", 0, bvh_text.BAD_NUMBER),
        (b"1 2 -\n", 0, bvh_text.BAD_NUMBER),
        (b"1 2 .\n", 0, bvh_text.BAD_NUMBER),
        (b"1 2 1e\n", 0, bvh_text.BAD_NUMBER),
        (b"1 2 3\n\n \n", 1, bvh_text.END_OF_TEXT),
        (b"", 0, bvh_text.END_OF_TEXT),
    ],
)
def test_parse_rows_says_why_it_stopped(text: bytes, rows: int, status: int) -> None:
    got = bvh_text.parse_rows(padded(text), 0, len(text), 3, np.empty((3, 3)))
    assert (got[0], got[2]) == (rows, status)


@given(st.binary(max_size=60))
@settings(max_examples=300)
def test_parse_rows_survives_any_bytes(text: bytes) -> None:
    out = np.empty((4, 2))
    rows, at, _ = bvh_text.parse_rows(padded(text), 0, len(text), 4, out)
    assert 0 <= rows <= 4
    assert 0 <= at <= len(text)
    assert np.isfinite(out[:rows]).all()


@given(st.lists(st.floats(-99999, 99999), min_size=4, max_size=4), st.integers(0, 8))
def test_format_rows(numbers: list[float], decimals: int) -> None:
    values = np.array(numbers).reshape(2, 2)
    text = np.empty(4 * (13 + decimals) + 16, np.uint8)
    end = bvh_text.format_rows(values, decimals, text, 0)
    written = text[:end].tobytes()
    assert written.count(b"\n") == 2
    # halves may be rounded either way: compare the numbers, and the shape of the text
    np.testing.assert_allclose(twins.parse_rows(written, 2), values, atol=0.5000001 * 10.0**-decimals + 1e-10)
    for word in written.split():
        assert len(word.partition(b".")[2]) == decimals


def test_format_rows_matches_the_twin_letter_for_letter() -> None:
    rng = np.random.default_rng(2)
    values = np.round(rng.uniform(-1e5, 1e5, (200, 7)), 3)
    values[0] = [0.0, -0.0004, 0.5, 9.9999, 10.0, 99.9996, 100.0]
    text = np.empty(values.size * 20, np.uint8)
    end = bvh_text.format_rows(values, 5, text, 0)
    assert text[:end].tobytes() == twins.format_rows(values + 0.0, 5)


@given(SEEDS, st.integers(1, 90))
def test_decode_is_parsing_then_composing(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    orders = list(itertools.permutations(range(3)))
    columns, axes, parities = euler_tables(orders)
    columns = columns + 3  # after the three position channels
    values = np.round(rng.uniform(-400, 400, (rows, 21)), 4)
    text = twins.format_rows(values, 4)
    rotations, places = np.empty((rows, 6, 4), np.float32), np.empty((rows, 3), np.float32)
    placed = np.array([0, 1, 2], np.int32)
    got = bvh_text.decode(padded(text), 0, len(text), rows, 21, columns, axes, parities, placed, rotations, places, 0)
    assert (got[0], got[2]) == (rows, bvh_text.DONE)
    np.testing.assert_allclose(places, values[:, :3], rtol=1e-6)
    for j, order in enumerate(orders):
        want = twins.from_euler(np.radians(values[:, 3 + 3 * j : 6 + 3 * j]), order)
        np.testing.assert_allclose(rotations[:, j], want, atol=1e-6)
