"""Where a skeleton has its legs, arms and head: by roles, else by the symmetry of its tree.

The inspection of a file runs whether or not roles were found, so it asks here and never a role directly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Float64
from reenact.core.skeleton import Skeleton

_PAIR_TOLERANCE = 0.1  # two limbs are a pair when their lengths differ by less than this share
_LIMB_SHARE = 0.15  # a limb's chain is at least this share of the longest chain from the root: keeps fingers out


@dataclass(frozen=True, slots=True)
class Limbs:
    """The parts of a body that tell its size and its pose.

    Attributes:
        hips: joint that carries the body.
        feet: ankles, left first where sides are known.
        soles: for each foot the joint that is lowest when standing (toes where there are any, else the ankle).
        knees: middle joints of the legs.
        thighs: upper joints of the legs.
        arms: upper joints of the arms; empty when there are none.
        elbows: their middle joints, in the same order.
        hands: wrists, in the same order.
        head: head joint, or -1.
        leg: length of thigh and shank along the bones, mean of both sides, in the skeleton's unit.
        named: True when roles gave the answer.
    """

    hips: int
    feet: tuple[int, int]
    soles: tuple[int, int]
    knees: tuple[int, int]
    thighs: tuple[int, int]
    arms: tuple[int, ...]
    elbows: tuple[int, ...]
    hands: tuple[int, ...]
    head: int
    leg: float
    named: bool


def chain_length(skeleton: Skeleton, top: int, bottom: int) -> float:
    """Length along the bones from `top` down to `bottom`, in the skeleton's unit; `top` must be an ancestor."""
    lengths = bone_lengths(skeleton)
    total, joint = 0.0, bottom
    while joint != top and joint > 0:
        total += lengths[joint]
        joint = int(skeleton.parents[joint])
    return float(total)


def bone_lengths(skeleton: Skeleton) -> Float64:
    """(J,) length of every joint's offset; 0 for the root, whose offset is a place and not a bone."""
    lengths = np.sqrt(np.einsum("ji,ji->j", skeleton.offsets, skeleton.offsets))
    lengths[0] = 0.0
    return lengths


def rest_positions(skeleton: Skeleton) -> Float64:
    """(J, 3) joints of the pose in which every rotation is none, relative to the root."""
    places = np.zeros((len(skeleton), 3))
    for joint in range(1, len(skeleton)):
        places[joint] = places[skeleton.parents[joint]] + skeleton.offsets[joint]
    return places


def find_limbs(skeleton: Skeleton) -> Limbs | None:
    """The limbs of a skeleton, or None when it has no pair of legs."""
    return _limbs_by_roles(skeleton) or _limbs_by_symmetry(skeleton)


def _limbs_by_roles(skeleton: Skeleton) -> Limbs | None:
    if not skeleton.has_roles("left_upper_leg", "right_upper_leg", "left_foot", "right_foot"):
        return None
    role = skeleton.roles
    thighs, feet = (role["left_upper_leg"], role["right_upper_leg"]), (role["left_foot"], role["right_foot"])
    if any(thigh not in skeleton.ancestors(foot) for thigh, foot in zip(thighs, feet, strict=True)):
        return None
    legs = [chain_length(skeleton, thigh, foot) for thigh, foot in zip(thighs, feet, strict=True)]
    arms = skeleton.has_roles("left_upper_arm", "right_upper_arm", "left_hand", "right_hand")
    return Limbs(
        hips=role.get("hips", _common_ancestor(skeleton, *thighs)),
        feet=feet,
        soles=(role.get("left_toes", feet[0]), role.get("right_toes", feet[1])),
        knees=(role.get("left_lower_leg", feet[0]), role.get("right_lower_leg", feet[1])),
        thighs=thighs,
        arms=(role["left_upper_arm"], role["right_upper_arm"]) if arms else (),
        elbows=tuple(role.get(f"{side}_lower_arm", role[f"{side}_hand"]) for side in ("left", "right")) if arms else (),
        hands=(role["left_hand"], role["right_hand"]) if arms else (),
        head=role.get("head", role.get("neck", -1)),
        leg=float(np.mean(legs)),
        named=True,
    )


def _limbs_by_symmetry(skeleton: Skeleton) -> Limbs | None:
    """Legs are the pair of equally long branches nearest the root, arms the next pair, the head ends what is left."""
    lengths = bone_lengths(skeleton)
    count = len(skeleton)
    reach, size, longest = np.zeros(count), np.ones(count, int), np.full(count, -1)
    depth, total = np.zeros(count, int), lengths.copy()
    for joint in range(1, count):
        depth[joint] = depth[skeleton.parents[joint]] + 1
    for joint in range(count - 1, 0, -1):
        parent = skeleton.parents[joint]
        size[parent] += size[joint]
        total[parent] += total[joint]
        if reach[joint] + lengths[joint] > reach[parent] or longest[parent] < 0:
            reach[parent], longest[parent] = reach[joint] + lengths[joint], joint
    pairs = []
    for parent, children in enumerate(skeleton.children):
        for n, a in enumerate(children):
            for b in children[n + 1 :]:
                larger = max(total[a], total[b])
                chain = min(reach[a], reach[b])
                alike = size[a] == size[b] and abs(total[a] - total[b]) <= _PAIR_TOLERANCE * larger
                if alike and chain > _LIMB_SHARE * reach[0] and size[a] > 2:
                    pairs.append((depth[parent], -chain, a, b))
    if not pairs:
        return None
    pairs.sort()
    legs = [_limb(longest, lengths, joint) for joint in pairs[0][2:]]
    in_legs = {joint for top in pairs[0][2:] for joint in skeleton.subtree(top)}
    inner = [pair for pair in pairs[1:] if pair[2] not in in_legs]
    arms = [_limb(longest, lengths, joint) for joint in inner[0][2:]] if inner else []
    taken = in_legs | {joint for pair in inner[:1] for top in pair[2:] for joint in skeleton.subtree(top)}
    hips = int(skeleton.parents[pairs[0][2]])
    free = [joint for joint in range(1, count) if joint not in taken and longest[joint] < 0 and joint != hips]
    head = max(free, key=lambda joint: chain_length(skeleton, 0, joint), default=-1)
    return Limbs(
        hips=hips,
        feet=(legs[0][2], legs[1][2]),
        soles=(legs[0][3], legs[1][3]),
        knees=(legs[0][1], legs[1][1]),
        thighs=(legs[0][0], legs[1][0]),
        arms=tuple(arm[0] for arm in arms),
        elbows=tuple(arm[1] for arm in arms),
        hands=tuple(arm[2] for arm in arms),
        head=int(head),
        leg=float(np.mean([leg[4] for leg in legs])),
        named=False,
    )


def _limb(longest: np.ndarray, lengths: Float64, top: int) -> tuple[int, int, int, int, float]:
    """Upper, middle, lower and last joint of a branch, and the length of its two longest bones."""
    chain = [top]
    while longest[chain[-1]] >= 0:
        chain.append(int(longest[chain[-1]]))
    bones = sorted(sorted(range(1, len(chain)), key=lambda n: lengths[chain[n]])[-2:])
    upper, lower = (bones[0], bones[-1])
    return chain[upper - 1], chain[upper], chain[lower], chain[-1], float(sum(lengths[chain[n]] for n in bones))


def _common_ancestor(skeleton: Skeleton, a: int, b: int) -> int:
    above = set(skeleton.ancestors(a))
    return next(joint for joint in skeleton.ancestors(b) if joint in above)
