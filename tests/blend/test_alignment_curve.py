"""Alignment curves: independent of where motions were recorded, continuous over whole turns, the reference untouched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reenact.blend.alignment_curve import between, fit_alignment_curve, turn_floor, unwrap_sure
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.registration_curve import RegistrationCurve
from reenact.blend.time_warp import fit_time_warp
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.placement import move_rigidly
from reenact.core.rotations import about_y, multiply, rotate

Find = Callable[[str], Clip]
WHOLE = RegistrationParameters(trim="off", gate="off")


def aligned_joints(curve: RegistrationCurve, motion: int, u: np.ndarray) -> np.ndarray:
    """(N, J, 2) floor positions of the joints of a motion laid on the reference."""
    positions = curve.clips[motion].world(np.float64).positions[:, :, [0, 2]]
    points = between(positions, curve.warp.frames_at(u)[:, motion])
    placed = curve.alignment.placements_at(u)[:, motion]
    return turn_floor(points, placed[:, :1]) + placed[:, None, 1:]


@pytest.mark.corpus
def test_far_away_and_turned_makes_no_difference(recording: Find) -> None:
    a, b = recording("16_11"), recording("16_13")
    here = register([a, b], WHOLE)
    there = register([a, move_rigidly(b, (800.0, 0.0, -600.0), 3.0)], WHOLE)
    u = np.linspace(0, here.length, 200)
    gap = aligned_joints(here, 1, u) - aligned_joints(there, 1, u)
    assert np.linalg.norm(gap, axis=2).max() < 1e-3
    assert here.path.tolist() == there.path.tolist()


@pytest.mark.corpus
def test_the_motions_lie_on_each_other(recording: Find) -> None:
    curve = register([recording("16_11"), recording("16_13")], WHOLE)
    u = np.linspace(0, curve.length, 100)
    gap = aligned_joints(curve, 0, u) - aligned_joints(curve, 1, u)
    assert np.sqrt(np.mean(np.sum(gap**2, axis=2))) < 1.5 * curve.quality.mean_distance
    np.testing.assert_array_equal(curve.alignment.placements_at(u)[:, 0], 0)
    np.testing.assert_array_equal(curve.alignment.offsets_at(u)[:, 0], 0)
    roots = curve.alignment.roots_at(u)
    placed = curve.alignment.placements_at(u)
    moved = turn_floor(roots[:, 1], placed[:, 1, 0]) + placed[:, 1, 1:]
    np.testing.assert_allclose(moved - roots[:, 0], curve.alignment.offsets_at(u)[:, 1], atol=1e-9)


def test_more_than_a_whole_turn_has_no_jump(sample: Find) -> None:
    straight = cut_frames(sample("walk_normal"), 0, 480)
    frames = len(straight)
    angle = np.linspace(0, 2.5 * 2 * np.pi, frames)  # the same walk, bent round and round
    steps = np.diff(straight.root.astype(np.float64), axis=0, prepend=straight.root[:1])
    turn = about_y(angle)
    rotations = straight.rotations.copy()
    rotations[:, 0] = multiply(turn, straight.rotations[:, 0].astype(np.float64))
    root = np.cumsum(rotate(turn, steps), axis=0)
    root[:, 1] = straight.root[:, 1]
    circling = replace(straight, rotations=rotations, root=root)
    curve = register([straight, circling], WHOLE)
    turns = curve.alignment.turns_at(np.arange(0, curve.length, 1.0))[:, 1]
    assert np.abs(np.diff(turns)).max() < 0.2
    assert abs(turns[-1] - turns[0]) > 2 * np.pi


def test_turns_that_mean_nothing_are_bridged() -> None:
    path = np.column_stack([np.arange(60), np.arange(60)])
    warp = fit_time_warp(path, 3)
    roots = [np.zeros((60, 2)), np.zeros((60, 2))]
    turns, sure = np.zeros((60, 2)), np.ones((60, 2))
    turns[:, 1] = 0.5
    turns[20:30, 1] = np.random.default_rng(0).uniform(-np.pi, np.pi, 10)
    sure[20:30, 1] = 0.02
    curve = fit_alignment_curve(warp, path, roots, 0, turns, np.zeros((60, 2, 2)), sure)
    np.testing.assert_allclose(curve.turns_at(np.linspace(0, warp.length, 100))[:, 1], 0.5, atol=1e-3)


def test_unwrapping_leaves_out_what_is_not_sure() -> None:
    turns = np.array([3.0, -3.1, 0.0, -3.0])
    sure = np.array([1.0, 1.0, 0.0, 1.0])
    found = unwrap_sure(turns, sure)
    np.testing.assert_allclose(found[[0, 1, 3]], [3.0, 2 * np.pi - 3.1, 2 * np.pi - 3.0])
    assert 3.0 < found[2] < 3.4
    np.testing.assert_allclose(unwrap_sure(turns, np.zeros(4)), np.unwrap(turns))


def test_a_turn_on_the_floor_is_counter_clockwise_from_above() -> None:
    point = np.array([0.3, 1.7])
    turned = rotate(about_y(0.8), np.array([0.3, 0.0, 1.7]))
    np.testing.assert_allclose(turn_floor(point, np.array(0.8)), turned[[0, 2]])
