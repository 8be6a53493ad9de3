"""Chains of any skeleton: every bone in exactly one, named by roles, split and put together again bit for bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reenact
from reenact.analysis.chain_motion import compose_motion, split_motion, take_chain
from reenact.analysis.chains import (
    Chain,
    define_chain,
    define_chains,
    divide_body,
    find_chains,
    group_joints,
    named_chains,
)
from reenact.core.clip import Clip, JointTranslations
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.samples import make_sample, sample_skeleton

HANDS = ("left_hand", "right_hand")


def bones_of(chains: tuple[Chain, ...]) -> list[tuple[int, int]]:
    return [pair for chain in chains for pair in zip(chain.joints[:-1], chain.joints[1:], strict=True)]


def check_rules(skeleton: Skeleton) -> None:
    """What must hold for every skeleton."""
    chains = find_chains(skeleton)
    bones = bones_of(chains)
    assert sorted(bones) == sorted((int(p), j) for j, p in enumerate(skeleton.parents) if p >= 0)
    owned = [joint for chain in chains for joint in chain.owned]
    assert sorted(owned) == list(range(1, len(skeleton)))  # nobody owns the root, every other joint has one owner
    assert len({chain.name for chain in chains}) == len(chains)
    for chain in chains:
        assert chain.base == 0 or len(skeleton.children[chain.base]) > 1
        assert len(skeleton.children[chain.end]) != 1
        assert all(len(skeleton.children[joint]) == 1 for joint in chain.joints[1:-1])
    groups = group_joints(skeleton)
    assert sorted(joint for members in groups.values() for joint in members) == list(range(len(skeleton)))
    for part in divide_body(skeleton).walk():
        if part.parts:
            assert sorted(joint for inner in part.parts for joint in inner.joints) == list(part.joints)


def test_unknown_joint_and_part() -> None:
    skeleton = sample_skeleton()
    with pytest.raises(SkeletonError, match="no joint or role 'tail'"):
        define_chain(skeleton, "tail", ["tail"])
    with pytest.raises(SkeletonError, match="does not lie below"):
        define_chain(skeleton, "up", "left_hand..hips")
    with pytest.raises(ParameterError, match="no joint but the root"):
        define_chain(skeleton, "none", [0])
    with pytest.raises(ParameterError, match="no part 'wing'"):
        divide_body(skeleton).find("wing")


def test_six_chains_of_a_body() -> None:
    skeleton = sample_skeleton()
    chains = {chain.name: chain for chain in find_chains(skeleton)}
    assert set(chains) == {"torso", "head", "left_arm", "right_arm", "left_leg", "right_leg"}
    assert {name for name, chain in chains.items() if chain.group == "lower"} == {"left_leg", "right_leg"}
    assert skeleton.names[chains["left_arm"].end] == "LeftHand"
    assert chains["left_arm"].base == chains["torso"].end
    check_rules(skeleton)


def test_ten_chains_of_the_cmu_skeleton_and_six_without_fingers(corpus: Path) -> None:
    for file in ("cmu-bvh/02_01.bvh", "cmu-asfamc/02_01.amc"):
        skeleton = reenact.load(corpus / file).skeleton
        assert len(find_chains(skeleton)) == 10
        trimmed = find_chains(skeleton, HANDS)
        assert [chain.name for chain in trimmed] == ["left_leg", "right_leg", "torso", "head", "left_arm", "right_arm"]


@pytest.mark.corpus
def test_rules_on_every_skeleton_of_the_corpus(corpus: Path) -> None:
    files = [*sorted((corpus / "bvh-other").glob("*.bvh")), corpus / "cmu-bvh" / "02_01.bvh"]
    files += sorted(corpus.glob("noncommercial/*/*.bvh"))[:1] + sorted(corpus.glob("hdm05-asfamc/*.amc"))[:1]
    files += sorted((corpus / "noncommercial" / "lafan1").glob("*.bvh"))
    files += sorted(corpus.glob("characters/*/*.glb"))
    seen = 0
    for file in files:
        loaded = reenact.load_all(file)
        skeletons = [clip.skeleton for clip in loaded.clips[:1]] + [c.skeleton for c in loaded.characters]
        for skeleton in skeletons:
            check_rules(skeleton)
            seen += 1
    assert seen >= 25


@pytest.mark.corpus
def test_quadruped(corpus: Path) -> None:
    skeleton = reenact.load_all(corpus / "characters" / "khronos" / "Fox.glb").clips[0].skeleton
    lower = [chain for chain in find_chains(skeleton) if chain.group == "lower"]
    assert len(lower) == 2
    assert any("Tail" in skeleton.names[chain.end] for chain in find_chains(skeleton))


@given(st.lists(st.integers(0, 10_000), min_size=0, max_size=40))
def test_random_trees(seeds: list[int]) -> None:
    parents = [-1] + [seed % (n + 1) for n, seed in enumerate(seeds)]
    count = len(parents)
    skeleton = Skeleton(tuple(f"j{n}" for n in range(count)), np.array(parents), np.ones((count, 3)))
    check_rules(skeleton)


def test_names_do_not_matter(body: Skeleton, nameless: Skeleton) -> None:
    named, other = find_chains(body), find_chains(nameless)
    assert [chain.joints for chain in named] == [chain.joints for chain in other]
    assert [chain.group for chain in named] == [chain.group for chain in other]


def test_named_chains_hold_whole_branches(corpus: Path) -> None:
    skeleton = reenact.load(corpus / "cmu-bvh" / "02_01.bvh").skeleton
    parts = named_chains(skeleton)
    names = {name: [skeleton.names[joint] for joint in joints] for name, joints in parts.items()}
    assert names["left_arm"][0] == "LeftShoulder"
    assert "LThumb" in names["left_arm"]
    assert names["left_leg"][0] == "LHipJoint"
    assert set(parts["legs"]) == set(parts["lower"])
    assert set(parts["upper"]) == {*parts["arms"], *parts["head"], *parts["torso"]}


def test_defined_chains() -> None:
    skeleton = sample_skeleton()
    found = define_chains(
        skeleton, {"wave": "chest..right_hand", "both": "arms", "one": ["LeftHand"], "kick": ["left_leg"]}
    )
    assert [skeleton.names[j] for j in found["wave"].owned] == [
        "Spine2", "RightShoulder", "RightArm", "RightForeArm", "RightHand",
    ]  # fmt: skip
    without = define_chain(skeleton, "wave", "chest..right_hand", include_base=False)
    assert "Spine2" not in [skeleton.names[j] for j in without.owned]
    assert len(found["both"].joints) == 8
    assert found["one"].owned == (skeleton.joint("LeftHand"),)
    assert found["kick"].group == "lower"
    assert found["wave"].group == "upper"


def test_divided_body_is_recursive(corpus: Path) -> None:
    body = divide_body(reenact.load(corpus / "cmu-bvh" / "02_01.bvh").skeleton)
    assert [part.name for part in body.parts] == ["root", "lower", "upper"]
    assert {part.name for part in body.find("upper").parts} == {"torso_chain", "head", "left_arm", "right_arm"}
    assert len(body.find("left_arm").parts) == 3  # the arm, fingers, thumb
    assert len(body.joints) == 31


@pytest.mark.parametrize("name", ["walk_normal", "pick_up", "jump_up"])
def test_split_and_composed_bit_for_bit(name: str) -> None:
    clip = make_sample(name).clip
    other = replace(clip, rotations=np.roll(clip.rotations, 7, axis=0), root=clip.root + 1)
    back = compose_motion(other, split_motion(clip))
    np.testing.assert_array_equal(back.rotations, clip.rotations)
    np.testing.assert_array_equal(back.root, clip.root)


def test_translations_travel_with_their_chain(body: Skeleton) -> None:
    rng = np.random.default_rng(0)
    joints = np.array([1, 6, 16])
    moved = JointTranslations(joints, rng.normal(size=(5, 3, 3)).astype(np.float32))
    rotations = np.tile(np.array([1, 0, 0, 0], np.float32), (5, len(body), 1))
    clip = Clip(body, rotations, np.zeros((5, 3)), 60.0, translations=moved)
    bare = replace(clip, translations=None)
    back = compose_motion(bare, split_motion(clip))
    assert back.translations is not None
    np.testing.assert_array_equal(back.translations.joints, joints)
    np.testing.assert_array_equal(back.translations.values, moved.values)
    arm = take_chain(clip, next(chain for chain in find_chains(body) if chain.name == "left_arm"))
    only = compose_motion(bare, [arm])
    assert only.translations is None or 1 not in only.translations.joints


def test_only_the_part_changes() -> None:
    clip = make_sample("walk_normal").clip
    other = make_sample("walk_slow").clip
    count = min(len(clip), len(other))
    clip, other = (replace(c, rotations=c.rotations[:count], root=c.root[:count]) for c in (clip, other))
    arm = next(chain for chain in find_chains(clip.skeleton) if chain.name == "right_arm")
    mixed = compose_motion(clip, [take_chain(other, arm)])
    changed = np.flatnonzero(np.any(mixed.rotations != clip.rotations, axis=(0, 2)))
    assert set(changed) <= set(arm.owned)
    assert len(changed) > 1
    np.testing.assert_array_equal(mixed.rotations[:, list(arm.owned)], other.rotations[:, list(arm.owned)])
    with pytest.raises(ParameterError, match="frames"):
        compose_motion(clip, [take_chain(replace(other, rotations=other.rotations[:5], root=other.root[:5]), arm)])
