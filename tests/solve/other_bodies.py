"""The same body in other rigs, made by code: what people do to skeletons. Each takes a clip and gives the same motion on the other rig."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.rest_pose import pose_at_rest
from reenact.core.skeleton import Skeleton


def rebuilt(clip: Clip, skeleton: Skeleton, turned: np.ndarray, root: np.ndarray | None = None) -> Clip:
    """A clip of a skeleton from the world rotations (F, J, 4) of its joints."""
    local = turned.copy()
    local[:, 1:] = R.multiply(R.conjugate(turned[:, skeleton.parents[1:]]), turned[:, 1:])
    rotations = R.make_continuous(R.normalize(local)).astype(np.float32)
    return Clip(skeleton, rotations, clip.root if root is None else root, clip.fps, clip.name)


def renamed(clip: Clip) -> Clip:
    """Joints called as another program calls them."""
    names = tuple(f"rig:{name.lower()}_jnt" for name in clip.skeleton.names)
    return replace(clip, skeleton=replace(clip.skeleton, names=names))


def reoriented(clip: Clip, seed: int = 5) -> Clip:
    """Every joint's axes turned at random, the rest pose as it was."""
    skeleton, rng = clip.skeleton, np.random.default_rng(seed)
    turns = R.normalize(rng.normal(size=(len(skeleton), 4)))
    above = np.concatenate([R.identity(1), turns[skeleton.parents[1:]]])
    other = replace(
        skeleton,
        offsets=R.rotate(R.conjugate(above), skeleton.offsets),
        rest=R.multiply(R.multiply(R.conjugate(above), skeleton.rest), turns),
        end_offsets=R.rotate(R.conjugate(turns[skeleton.end_joints]), skeleton.end_offsets),
    )
    world = clip.world(np.float64).rotations
    return rebuilt(clip, other, R.multiply(world, turns[None]))


def rested_otherwise(clip: Clip, down: float = 0.7) -> Clip:
    """The rest pose with the arms lowered by so many radians: an A-pose instead of a T-pose. The motion is the same, bone by bone."""
    skeleton = clip.skeleton
    rest = skeleton.rest.copy()
    _, turned = pose_at_rest(skeleton)
    for side, sign in (("left", -1.0), ("right", 1.0)):
        arm = skeleton.roles[f"{side}_upper_arm"]
        above = turned[int(skeleton.parents[arm])]
        turn = R.from_axis_angle((0.0, 0.0, 1.0), sign * down)
        rest[arm] = R.multiply(R.multiply(R.multiply(R.conjugate(above), turn), above), rest[arm])
    return replace(clip, skeleton=replace(skeleton, rest=rest))


def inserted(clip: Clip, names: dict[str, int], called: str) -> Clip:
    """A joint put into the middle of some bones: name of the joint at the bone's end -> how many; they are called so."""
    skeleton = clip.skeleton
    world = clip.world(np.float64)
    rows: list[tuple[str, int, np.ndarray, np.ndarray, np.ndarray]] = []  # name, parent, offset, rest, world turn
    place: dict[int, int] = {}
    for joint, name in enumerate(skeleton.names):
        parent = -1 if joint == 0 else place[int(skeleton.parents[joint])]
        offset, count = skeleton.offsets[joint], names.get(name, 0)
        for n in range(count):
            old = int(skeleton.parents[joint])
            rows.append(
                (f"{name}_{called}{n + 1}", parent, offset / (count + 1), R.identity(), world.rotations[:, old])
            )
            parent = len(rows) - 1
        rows.append((name, parent, offset / (count + 1), skeleton.rest[joint], world.rotations[:, joint]))
        place[joint] = len(rows) - 1
    other = Skeleton(
        tuple(row[0] for row in rows),
        np.array([row[1] for row in rows], np.int32),
        np.stack([row[2] for row in rows]),
        np.stack([row[3] for row in rows]),
        np.array([place[int(joint)] for joint in skeleton.end_joints], np.int32),
        skeleton.end_offsets,
        {role: place[joint] for role, joint in skeleton.roles.items()},
    )
    return rebuilt(clip, other, np.stack([row[4] for row in rows], axis=1))


def with_twist_joints(clip: Clip) -> Clip:
    """Twist joints in forearms and upper arms."""
    roles, names = clip.skeleton.roles, clip.skeleton.names
    ends = [f"{side}_{part}" for side in ("left", "right") for part in ("hand", "lower_arm")]
    return inserted(clip, {names[roles[role]]: 2 for role in ends}, "twist")


def with_longer_spine(clip: Clip) -> Clip:
    """The spine cut into more pieces."""
    roles, names = clip.skeleton.roles, clip.skeleton.names
    top = roles["chest"]
    chain = [joint for joint in clip.skeleton.ancestors(top) if joint > roles["spine"]]
    return inserted(clip, {names[joint]: 1 for joint in chain}, "mid")


RIGS = {
    "renamed": renamed,
    "reoriented": reoriented,
    "rested_otherwise": rested_otherwise,
    "with_twist_joints": with_twist_joints,
    "with_longer_spine": with_longer_spine,
    "all_at_once": lambda clip: renamed(reoriented(rested_otherwise(with_twist_joints(with_longer_spine(clip))))),
}
