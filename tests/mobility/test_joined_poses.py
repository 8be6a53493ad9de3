"""Poses played with their jumps blended."""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.placement import Placement
from reenact.mobility.joined_poses import find_jumps, play_blended


def _way(built) -> np.ndarray:
    """Poses with two jumps, of which the first is a rough one."""
    second = int(built.map.database.starts[2])
    return np.concatenate([np.arange(190, 210), np.arange(second + 40, second + 60), np.arange(220, 240)])


def test_jumps_are_found(built) -> None:
    database = built.map.database
    first = int(database.starts[1])
    assert find_jumps(database, [5, 6, 7, 30, 31, 31]).tolist() == [3, 5]
    assert find_jumps(database, [first - 1, first]).tolist() == [1]
    assert find_jumps(database, [3]).tolist() == []


def test_a_blended_way_has_no_steps_and_ends_where_the_plain_one_does(built) -> None:
    database, poses = built.map.database, _way(built)
    here = Placement((1.0, 2.0), 0.5)
    plain, blended = database.play(poses, here), play_blended(database, poses, here)
    assert len(plain) == len(blended)

    def jerk(clip) -> float:
        q = clip.rotations.astype(np.float64)
        rates = R.log(R.multiply(R.conjugate(q[:-1]), q[1:]))
        return float(np.linalg.norm(np.diff(rates, axis=0), axis=-1).max())

    assert jerk(blended) < 0.5 * jerk(plain)
    recorded = play_blended(database, np.arange(5, 25), here)
    np.testing.assert_allclose(recorded.root, database.play(np.arange(5, 25), here).root, atol=1e-6)
    jump = int(find_jumps(database, poses)[-1])
    settled = jump + 8
    np.testing.assert_allclose(blended.root[settled:], plain.root[settled:], atol=1e-5)
    apart = R.angle_between(blended.rotations[settled:].astype(float), plain.rotations[settled:].astype(float))
    assert np.max(apart) < 1e-3


def test_without_blending_the_poses_stay_what_they_are(built) -> None:
    database, poses = built.map.database, _way(built)
    np.testing.assert_array_equal(play_blended(database, poses, frames=0).rotations, database.play(poses).rotations)
    first = play_blended(database, poses[[0, -1]])
    assert np.isfinite(first.rotations).all()
