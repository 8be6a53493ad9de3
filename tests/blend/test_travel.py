"""The path of a blend over the floor."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reenact.blend.alignment_curve import turn_floor
from reenact.blend.travel import chain, keep_pace, travel

SEEDS = st.integers(0, 2**32 - 1)


def _curves(rng: np.random.Generator, motions: int = 2, frames: int = 40):
    """Transforms of motions and aligned roots; the first motion is the reference."""
    placements = np.cumsum(rng.normal(scale=0.02, size=(frames, motions, 3)), axis=0) + rng.normal(size=(motions, 3))
    placements[:, 0] = 0
    roots = np.cumsum(rng.normal(scale=0.05, size=(frames, 1, 2)), axis=0) + rng.normal(
        scale=0.02, size=(frames, motions, 2)
    )
    return placements, roots


@given(SEEDS, st.integers(0, 2))
def test_one_motion_alone_is_moved_as_a_whole(seed, motion):
    placements, roots = _curves(np.random.default_rng(seed), 3)
    weights = np.tile(np.eye(3)[motion], (len(placements), 1))
    whole = chain(travel(placements, roots, weights), placements[:, motion])
    assert np.abs(whole - whole[0]).max() < 1e-12


@given(SEEDS, st.floats(-3, 3), st.floats(-1000, 1000), st.floats(-1000, 1000))
def test_where_the_origin_lies_does_not_matter(seed, turn, x, z):
    """All motions turned and moved together: the blend is turned and moved."""
    rng = np.random.default_rng(seed)
    placements, roots = _curves(rng)
    weights = rng.dirichlet(np.ones(2), len(placements))
    move = np.array([turn, x, z])
    back = np.array([-turn, *-turn_floor(np.array([x, z]), -turn)])
    moved = chain(chain(move, placements), back)  # the same transforms seen from the other origin
    roots_moved = turn_floor(roots, turn) + move[1:]
    plain = travel(placements, roots, weights)
    other = travel(moved, roots_moved, weights)
    middle = np.einsum("nk,nki->ni", weights, roots)
    wanted = turn_floor(turn_floor(middle, plain[:, 0]) + plain[:, 1:], turn) + move[1:]
    found = turn_floor(turn_floor(middle, turn) + move[1:], other[:, 0]) + other[:, 1:]
    assert np.abs(found - wanted).max() < 1e-8


def test_equal_votes_one_left_one_right_go_straight():
    """One motion turns left by as much as the other turns right."""
    frames = 90
    arc = np.linspace(0, np.pi / 2, frames)
    reference = np.column_stack([1 - np.cos(arc), np.sin(arc)])  # towards +x: to the left when heading +z
    mirrored = reference * (-1, 1)
    # the mirrored motion laid on the reference: its root there, turned by twice the angle
    turn = 2 * arc
    shift = reference - turn_floor(mirrored, turn)
    placements = np.zeros((frames, 2, 3))
    placements[:, 1] = np.column_stack([turn, shift])
    roots = np.repeat(reference[:, None], 2, axis=1)
    whole = travel(placements, roots, np.full((frames, 2), 0.5))
    path = turn_floor(reference, whole[:, 0]) + whole[:, 1:]
    assert np.abs(path[:, 0]).max() < 0.01
    assert abs(np.linalg.norm(np.diff(path, axis=0), axis=1).sum() - np.pi / 2) < 0.01


def test_the_pace_is_that_of_the_motions():
    """Two motions that head 40 degrees to the left and to the right: the mean step is shorter by the cosine of it."""
    fps, frames = 60.0, 300
    ahead = np.linspace(0, 5, frames)
    left, right = (np.column_stack([ahead * np.sin(a), ahead * np.cos(a)]) for a in (0.4, -0.4))
    sources, weights = np.stack([left, right], axis=1), np.full((frames, 2), 0.5)
    path = sources.mean(axis=1)
    kept = keep_pace(path, sources, weights, fps)
    assert abs(path[-1, 1] - 5 * np.cos(0.4)) < 1e-9
    assert abs(kept[-1, 1] - 5) < 0.03
    assert np.abs(kept[:, 0]).max() < 1e-9
    alone = np.tile([1.0, 0.0], (frames, 1))
    assert np.abs(keep_pace(left, sources, alone, fps) - left).max() < 1e-12
    assert np.array_equal(keep_pace(path[:2], sources[:2], weights[:2], fps), path[:2])


def test_standing_motions_do_not_begin_to_walk():
    rng = np.random.default_rng(2)
    sources = np.cumsum(rng.normal(scale=2e-4, size=(300, 2, 2)), axis=0)
    path = sources.mean(axis=1)
    assert np.abs(keep_pace(path, sources, np.full((300, 2), 0.5), 60.0) - path).max() < 0.002
