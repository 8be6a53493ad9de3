"""Joint transforms as matrices (reuse A02)."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.cli.main import main
from reenact.core import rotations as R
from reenact.core.clip import Clip, JointTranslations
from reenact.core.joint_matrices import joint_matrices, rest_matrices
from reenact.core.pose_sampling import sample_between
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError
from reenact.loading import load, save
from reenact.samples import make_sample

SEEDS = st.integers(0, 2**32 - 1)


def random_motion(seed: int, moving: bool = True) -> Clip:
    """A tree of up to eight joints with forks, some of which move."""
    rng = np.random.default_rng(seed)
    joints, frames = int(rng.integers(1, 9)), int(rng.integers(1, 6))
    parents = np.array([-1, *(rng.integers(0, j) for j in range(1, joints))])
    skeleton = Skeleton(tuple(f"j{j}" for j in range(joints)), parents, rng.normal(size=(joints, 3)))
    moved = None
    if moving and joints > 2:
        which = np.sort(rng.choice(np.arange(1, joints), 2, replace=False))
        moved = JointTranslations(which, rng.normal(size=(frames, 2, 3)))
    rotations = R.normalize(rng.normal(size=(frames, joints, 4)))
    return Clip(skeleton, rotations, rng.normal(size=(frames, 3)), 60.0, "random", moved)


def test_three_joints_by_hand() -> None:
    """A hip at height 1, a knee 0.5 below turned by 90 degrees about x, an ankle 0.4 below that: it lies behind the knee."""
    chain = Skeleton(("hip", "knee", "ankle"), np.array([-1, 0, 1]), np.array([[0, 0, 0], [0, -0.5, 0], [0, -0.4, 0]]))
    half = math.sqrt(0.5)
    rotations = np.array([[[half, 0, half, 0], [half, half, 0, 0], [1, 0, 0, 0]]])  # 90 degrees about y, then about x
    made = joint_matrices(Clip(chain, rotations, np.array([[2.0, 1.0, 3.0]]), 30.0), 0)
    want = np.array(
        [
            [[0, 0, 1, 2], [0, 1, 0, 1], [-1, 0, 0, 3], [0, 0, 0, 1]],
            [[0, 1, 0, 2], [0, 0, -1, 0.5], [-1, 0, 0, 3], [0, 0, 0, 1]],
            [[0, 1, 0, 1.6], [0, 0, -1, 0.5], [-1, 0, 0, 3], [0, 0, 0, 1]],
        ]
    )
    np.testing.assert_allclose(made.world, want, atol=1e-9)
    np.testing.assert_allclose(
        made.modelling[1], [[1, 0, 0, 0], [0, 0, -1, -0.5], [0, 1, 0, 0], [0, 0, 0, 1]], atol=1e-9
    )


@given(SEEDS)
def test_inverses_lead_back(seed: int) -> None:
    made = joint_matrices(random_motion(seed))
    one = np.broadcast_to(np.eye(4), made.world.shape)
    np.testing.assert_allclose(made.world @ made.world_inverse, one, atol=1e-9)
    np.testing.assert_allclose(made.modelling @ made.modelling_inverse, one, atol=1e-9)


@given(SEEDS)
def test_world_is_forward_kinematics(seed: int) -> None:
    clip = random_motion(seed)
    made, world = joint_matrices(clip), clip.world(np.float64)
    np.testing.assert_allclose(made.world[..., :3, 3], world.positions, atol=1e-6)
    np.testing.assert_allclose(made.world[..., :3, :3], R.to_matrix(R.normalize(world.rotations)), atol=1e-6)


@given(SEEDS)
def test_scales_are_inherited_and_led_back(seed: int) -> None:
    clip, rng = random_motion(seed), np.random.default_rng(seed)
    scales = rng.uniform(0.3, 2.0, (len(clip), len(clip.skeleton), 3)) * rng.choice([-1.0, 1.0])
    made, plain = joint_matrices(clip, scales=scales), joint_matrices(clip)
    one = np.broadcast_to(np.eye(4), made.world.shape)
    np.testing.assert_allclose(made.world @ made.world_inverse, one, atol=1e-9 * (0.3 ** -len(clip.skeleton)))
    for joint, parent in enumerate(clip.skeleton.parents):
        sized = plain.modelling[:, joint] @ (
            np.eye(4) * np.append(scales[:, joint], np.ones((len(clip), 1)), 1)[:, None]
        )
        outer = made.world[:, parent] if parent >= 0 else np.eye(4)
        np.testing.assert_allclose(made.world[:, joint], outer @ sized, atol=1e-9)
    twice = joint_matrices(clip, scales=2.0).world
    depth = [len(clip.skeleton.ancestors(j)) for j in range(len(clip.skeleton))]
    np.testing.assert_allclose(np.linalg.det(twice[0, :, :3, :3]), 8.0 ** np.array(depth), rtol=1e-6)


def test_scales_that_do_not_fit() -> None:
    clip = make_sample("stand").clip
    with pytest.raises(ParameterError, match="not 0"):
        joint_matrices(clip, 0, scales=0.0)
    with pytest.raises(ParameterError, match="scales must be one number"):
        joint_matrices(clip, 0, scales=np.ones(3))


def test_one_frame_several_and_between() -> None:
    clip = make_sample("walk_normal").clip
    every = joint_matrices(clip)
    assert every.world.shape == (len(clip), len(clip.skeleton), 4, 4)
    np.testing.assert_array_equal(joint_matrices(clip, 7).world, every.world[7])
    np.testing.assert_array_equal(joint_matrices(clip, [3, 9]).world_inverse, every.world_inverse[[3, 9]])
    poses = sample_between(clip, clip, 7, 8, 0.5)
    np.testing.assert_allclose(joint_matrices(poses, 0).world, joint_matrices(clip, 7.5).world, atol=1e-9)
    with pytest.raises(ParameterError, match="frames must lie in"):
        joint_matrices(clip, len(clip))
    with pytest.raises(ParameterError, match="cannot be taken"):
        joint_matrices(poses, 0.5)


def test_rest_pose() -> None:
    skeleton = make_sample("stand").clip.skeleton
    made = rest_matrices(skeleton)
    np.testing.assert_allclose(made.world @ made.world_inverse, np.tile(np.eye(4), (len(skeleton), 1, 1)), atol=1e-12)


def test_recordings(corpus: Path) -> None:
    for file in (
        next(corpus.joinpath("cmu-bvh").rglob("02_01.bvh")),
        sorted(corpus.joinpath("cmu-asfamc").rglob("*.amc"))[0],
    ):
        clip = load(file)
        made = joint_matrices(clip)
        one = np.broadcast_to(np.eye(4), made.world.shape)
        np.testing.assert_allclose(made.world @ made.world_inverse, one, atol=1e-9)
        np.testing.assert_allclose(made.world[..., :3, 3], clip.world(np.float64).positions, atol=1e-6)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip = make_sample("walk_normal").clip
    file, out = tmp_path / "walk.bvh", tmp_path / "walk.npz"
    save(clip, file)
    assert main(["matrices", str(file), "-o", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    with np.load(out) as held:
        assert held["world"].shape == (len(clip), len(clip.skeleton), 4, 4)
        assert list(held["joints"]) == told["joints"]
        np.testing.assert_allclose(held["world"], joint_matrices(load(file)).world)
    assert main(["matrices", str(file), "--frame", "3.5", "--joint", "left_foot", "--json"]) == 0
    one = json.loads(capsys.readouterr().out)["matrices"]
    joint = clip.skeleton.roles["left_foot"]
    np.testing.assert_allclose(
        one[clip.skeleton.names[joint]]["world_inverse"], joint_matrices(load(file), 3.5).world_inverse[joint]
    )
    assert main(["matrices", str(file), "--frame", "0"]) == 0
    assert clip.skeleton.names[joint] in capsys.readouterr().out
    assert main(["matrices", str(file)]) == 2
    assert main(["matrices", str(file), "-o", str(tmp_path / "walk.txt")]) == 2


def test_the_pose_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / "walk.bvh", tmp_path / "run.bvh"]
    for name, file in zip(("walk_normal", "run"), files, strict=True):
        save(make_sample(name).clip, file)
    out = tmp_path / "pose.bvh"
    words = ["pose", *map(str, files), "--at", "10.5", "--second-at", "20.25", "--share", "0.3", "-o", str(out)]
    assert main(words) == 0
    want = sample_between(load(files[0]), load(files[1]), 10.5, 20.25, 0.3)
    np.testing.assert_allclose(load(out).world().positions, want.as_clip(1.0).world().positions, atol=1e-4)
    assert main([*words, "--share", "2"]) == 2
    assert "0 to 1" in capsys.readouterr().err
