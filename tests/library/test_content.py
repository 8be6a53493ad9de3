"""Content addresses: equal motion, equal hash; anything else in the motion, another one."""

from dataclasses import replace

import numpy as np
import pytest

from reenact.core.clip import JointTranslations
from reenact.core.origin import Origin
from reenact.library.content import hash_clip, hash_skeleton, hash_text, hash_tree


def test_name_origin_and_roles_are_not_content(make_clip) -> None:
    clip = make_clip(1)
    other = replace(clip, name="else", origin=Origin("bvh", "/p")).with_skeleton(clip.skeleton.with_roles({}))
    assert hash_clip(clip) == hash_clip(other)
    assert len(hash_clip(clip)) == 40


def test_equal_motion_in_other_memory_has_the_same_hash(make_clip) -> None:
    clip = make_clip(1)
    strided = np.repeat(clip.rotations, 2, axis=0)[::2]
    assert hash_clip(clip) == hash_clip(replace(clip, rotations=strided, root=clip.root.astype(np.float64)))


@pytest.mark.parametrize(
    "what", ["rotations", "root", "fps", "translations", "offsets", "names", "rest", "ends", "parents"]
)
def test_every_part_of_the_motion_counts(make_clip, what: str) -> None:
    clip = make_clip(1)
    skeleton = clip.skeleton
    turned = clip.rotations.copy()
    turned[3, 2] *= -1
    moved = clip.root.copy()
    moved[-1, 2] = np.nextafter(moved[-1, 2], np.float32(9))
    changed = {
        "rotations": lambda: replace(clip, rotations=turned),
        "root": lambda: replace(clip, root=moved),
        "fps": lambda: replace(clip, fps=np.nextafter(clip.fps, 100)),
        "translations": lambda: replace(clip, translations=JointTranslations(np.array([2]), np.zeros((20, 1, 3)))),  # type: ignore[arg-type]
        "offsets": lambda: replace(clip, skeleton=skeleton.scaled(1 + 1e-15)),
        "names": lambda: replace(clip, skeleton=replace(skeleton, names=("hips", *skeleton.names[1:]))),
        "rest": lambda: replace(clip, skeleton=replace(skeleton, rest=np.roll(skeleton.rest, 1, axis=1))),
        "ends": lambda: replace(clip, skeleton=replace(skeleton, end_joints=np.array([2, 4, 5], np.int32))),
        "parents": lambda: replace(
            clip, skeleton=replace(skeleton, parents=np.array([-1, 0, 1, 0, 3, 0, 0], np.int32))
        ),
    }[what]()
    assert hash_clip(changed) != hash_clip(clip)


def test_translations_that_repeat_the_offsets_are_content_too(make_clip) -> None:
    clip = make_clip(1)
    same = np.broadcast_to(clip.skeleton.offsets[[1]], (20, 1, 3))
    assert hash_clip(replace(clip, translations=JointTranslations(np.array([1]), same))) != hash_clip(clip)  # type: ignore[arg-type]


def test_texts_do_not_run_together() -> None:
    assert hash_text("ab", "c") != hash_text("a", "bc")
    assert hash_text("ab") != hash_text("ab", "")
    assert hash_text("\udcff") != hash_text("?")


def test_tree_ignores_lengths(make_clip) -> None:
    one, two = make_clip(1).skeleton, make_clip(2, size=1.3).skeleton
    assert hash_tree(one) == hash_tree(two)
    assert hash_skeleton(one) != hash_skeleton(two)
    assert hash_tree(one) != hash_tree(replace(one, names=("a", *one.names[1:])))
