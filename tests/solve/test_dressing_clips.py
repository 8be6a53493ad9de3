"""People on the skeletons of clips: what is no human first, then that skin goes where the bones go, however those are built."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.body.character import Character
from reenact.body.humanoid import HumanoidParameters, humanoid
from reenact.core import rotations as R
from reenact.core.clip import Clip, World
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError
from reenact.samples import make_sample
from reenact.solve.dressing_clips import can_dress, dress_clip


def skin(character: Character, clip: Clip, frame: int) -> np.ndarray:
    world = clip.world(np.float64)
    here = slice(frame, frame + 1)
    return character.skinned(World(world.positions[here], world.rotations[here]))[0].astype(np.float64)


def test_a_skeleton_of_no_human_is_refused() -> None:
    skeleton = Skeleton(("root", "tail"), np.array([-1, 0]), np.array([[0, 1.0, 0], [0, 0.5, 0]]))
    clip = Clip(skeleton, np.tile(R.identity(), (3, 2, 1)).astype(np.float32), np.zeros((3, 3), np.float32), 30.0)
    assert not can_dress(skeleton)
    with pytest.raises(SkeletonError, match="left_upper_leg"):
        dress_clip(clip)


def test_skin_lies_around_its_bones() -> None:
    """Vertices that follow one limb segment alone are as far from its bone as limbs are thick, in every frame."""
    clip = make_sample("kick_right").clip
    person = dress_clip(clip)
    roles, positions = clip.skeleton.roles, clip.world(np.float64).positions
    strongest = person.weight_joints[np.arange(len(person.vertices)), person.weights.argmax(axis=1)]
    sure = person.weights.max(axis=1) > 0.99
    for frame in range(0, len(clip), 40):
        vertices = skin(person, clip, frame)
        for near, far, most in (
            ("upper_arm", "lower_arm", 0.08),
            ("lower_arm", "hand", 0.06),
            ("upper_leg", "lower_leg", 0.13),
        ):
            for side in ("left", "right"):
                a, b = (positions[frame, roles[f"{side}_{part}"]] for part in (near, far))
                mine = vertices[sure & (strongest == roles[f"{side}_{near}"])]
                assert len(mine) > 50
                way = (b - a) / np.linalg.norm(b - a)
                along = (mine - a) @ way
                off = np.linalg.norm(mine - a - along[:, None] * way, axis=1)
                assert off.max() < most
                assert along.max() < np.linalg.norm(b - a) + 0.05


def test_the_person_of_a_sample_is_the_usual_one() -> None:
    """The samples are of a person of usual proportions: who is put on them is that person, but for fractions of a millimetre."""
    clip = make_sample("walk_normal").clip
    fitted, usual = dress_clip(clip), humanoid(height=1.75)
    a, b = (skin(one, clip, 100) for one in (fitted, usual))
    for low, high in zip((a.min(axis=0), a.max(axis=0)), (b.min(axis=0), b.max(axis=0)), strict=True):
        np.testing.assert_allclose(low, high, atol=0.012)


def reoriented(clip: Clip, seed: int) -> Clip:
    """The same motion with the axes of every joint turned at random: bones point along any direction of their joint's frame."""
    draw = np.random.default_rng(seed)
    skeleton = clip.skeleton
    axes = R.normalize(draw.normal(size=(len(skeleton), 4)))
    parents = skeleton.parents

    def turned(local: np.ndarray) -> np.ndarray:
        found = R.multiply(np.asarray(local, np.float64), axes)
        found[..., 1:, :] = R.multiply(R.conjugate(axes[parents[1:]]), found[..., 1:, :])
        return found

    offsets = skeleton.offsets.copy()
    offsets[1:] = R.rotate(R.conjugate(axes[parents[1:]]), skeleton.offsets[1:])
    ends = R.rotate(R.conjugate(axes[skeleton.end_joints]), skeleton.end_offsets)
    other = replace(skeleton, offsets=offsets, rest=turned(skeleton.rest), end_offsets=ends)
    return replace(clip, skeleton=other, rotations=turned(clip.rotations).astype(np.float32))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_axes_of_joints_do_not_matter(seed: int) -> None:
    clip = make_sample("walk_normal").clip
    other = reoriented(clip, seed)
    np.testing.assert_allclose(other.world().positions, clip.world().positions, atol=1e-4)
    a, b = dress_clip(clip), dress_clip(other)
    assert len(a.vertices) == len(b.vertices)
    for frame in (10, 200):
        assert np.linalg.norm(skin(a, clip, frame) - skin(b, other, frame), axis=1).max() < 3e-3


def test_size_and_girth() -> None:
    clip = make_sample("walk_normal").clip
    small = replace(clip, skeleton=clip.skeleton.scaled(0.5), root=clip.root * np.float32(0.5))
    usual, tiny, thick = dress_clip(clip), dress_clip(small), dress_clip(clip, HumanoidParameters(girth=1.3))
    assert np.ptp(tiny.vertices[:, 1]) == pytest.approx(0.5 * np.ptp(usual.vertices[:, 1]), rel=0.01)
    assert np.ptp(skin(thick, clip, 0)[:, 1]) == pytest.approx(np.ptp(skin(usual, clip, 0)[:, 1]), rel=0.01)
    assert dress_clip(clip) is usual
