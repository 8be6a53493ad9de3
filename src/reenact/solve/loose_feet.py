"""Feet that hang on no leg: rigs whose feet are moved by themselves, with legs that only point to them.

The skin of such a character wants its feet where its shins end. So they are hung below the shins for the time a motion is worked on, and
put back to where they were with a way of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.clip import Clip, JointTranslations, World
from reenact.core.foot_plants import SIDES
from reenact.core.role_names import read_name
from reenact.core.skeleton import Skeleton

_NEAR = 1.6  # times the length of a thigh that a foot may be from its knee


@dataclass(frozen=True, slots=True, eq=False)
class Hung:
    """A skeleton with its loose feet hung below its shins.

    Attributes:
        skeleton: with the feet and their roles.
        loose: as it was.
        order: (J,) for each joint of `skeleton` that of `loose`.
        feet: joints of `loose` that were hung.
    """

    skeleton: Skeleton
    loose: Skeleton
    order: np.ndarray
    feet: tuple[int, ...]


def hang_feet(skeleton: Skeleton, pose: World) -> Hung | None:
    """The skeleton with its loose feet hung below its shins; None where it has none.

    Args:
        skeleton: with roles.
        pose: in which the feet are at the ends of the legs, one frame.
    """
    found = _loose_feet(skeleton, pose)
    if not found:
        return None
    parents = skeleton.parents.copy()
    offsets, rest = skeleton.offsets.copy(), skeleton.rest.copy()
    for side, foot in found.items():
        shin = skeleton.roles[f"{side}_lower_leg"]
        back = R.conjugate(pose.rotations[0, shin])
        parents[foot] = shin
        offsets[foot] = R.rotate(back, pose.positions[0, foot] - pose.positions[0, shin])
        rest[foot] = R.multiply(back, pose.rotations[0, foot])
    order = _parents_first(parents)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order))
    roles = {**skeleton.roles, **{f"{side}_foot": foot for side, foot in found.items()}}
    for side, foot in found.items():
        toes = [joint for joint in skeleton.subtree(foot) if read_name(skeleton.names[joint]).kind == "toes"]
        if toes:
            roles.setdefault(f"{side}_toes", toes[0])
    hung = Skeleton(
        tuple(skeleton.names[joint] for joint in order),
        np.array([-1 if parents[joint] < 0 else place[parents[joint]] for joint in order], np.int32),
        offsets[order],
        rest[order],
        place[skeleton.end_joints] if len(skeleton.end_joints) else skeleton.end_joints,
        skeleton.end_offsets,
        {role: int(place[joint]) for role, joint in roles.items()},
    )
    return Hung(hung, skeleton, order, tuple(found.values()))


def hang_clip(clip: Clip, hung: Hung) -> Clip:
    """A motion of the loose skeleton on the one with hung feet; the feet keep their turns, and the length of their legs."""
    world = clip.world(np.float64)
    turned = world.rotations[:, hung.order]
    parents = hung.skeleton.parents
    local = turned.copy()
    local[:, 1:] = R.multiply(R.conjugate(turned[:, parents[1:]]), turned[:, 1:])
    rotations = R.make_continuous(R.normalize(local)).astype(np.float32)
    made = Clip(hung.skeleton, rotations, clip.root, clip.fps, clip.name, None, clip.origin)
    return made.with_plants(clip.plants)


def let_feet_loose(clip: Clip, hung: Hung) -> Clip:
    """A motion of the skeleton with hung feet on the loose one: the feet have ways of their own."""
    world = clip.world(np.float64)
    place = np.argsort(hung.order)
    rotations = clip.rotations[:, place].astype(np.float64)
    ways = []
    for foot in sorted(hung.feet):
        above, own = int(place[hung.loose.parents[foot]]), int(place[foot])
        back = R.conjugate(world.rotations[:, above])
        rotations[:, foot] = R.multiply(back, world.rotations[:, own])
        ways.append(R.rotate(back, world.positions[:, own] - world.positions[:, above]))
    moved = JointTranslations(np.array(sorted(hung.feet), np.int32), np.stack(ways, axis=1).astype(np.float32))
    smooth = R.make_continuous(rotations).astype(np.float32)
    made = replace(clip, skeleton=hung.loose, rotations=smooth, translations=moved)
    return made.with_plants(clip.plants)


def _loose_feet(skeleton: Skeleton, pose: World) -> dict[str, int]:
    """Side -> joint called a foot that hangs on no leg, of legs that have none."""
    found: dict[str, int] = {}
    for side in SIDES:
        thigh, shin = (skeleton.roles.get(f"{side}_{part}") for part in ("upper_leg", "lower_leg"))
        if thigh is None or shin is None or f"{side}_foot" in skeleton.roles:
            continue
        longest = _NEAR * float(np.linalg.norm(pose.positions[0, shin] - pose.positions[0, thigh]))
        for joint, name in enumerate(skeleton.names):
            reading = read_name(name)
            if joint == 0 or reading.side != side or reading.kind != "foot" or reading.helper:
                continue
            away = float(np.linalg.norm(pose.positions[0, joint] - pose.positions[0, shin]))
            if joint not in skeleton.ancestors(shin) and away <= longest:
                found[side] = joint
                break
    return found


def _parents_first(parents: np.ndarray) -> np.ndarray:
    """(J,) joints in an order in which every parent comes before its children, otherwise as they were."""
    done: list[int] = []
    seen: set[int] = {-1}
    left = list(range(len(parents)))
    while left:
        ready = next(joint for joint in left if int(parents[joint]) in seen)
        done.append(ready)
        seen.add(ready)
        left.remove(ready)
    return np.array(done, np.int32)
