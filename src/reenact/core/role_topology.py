"""Roles from the shape of the tree and the proportions of the body, for skeletons whose names say nothing.

Two pairs of equal branches are looked for, the legs and the arms. The legs point away from the arms and hang nearer to the root;
thigh and shank, upper arm and forearm have nearly the same lengths on every body, which tells the knee and the elbow from twist
joints. Feet point forward and knees bend forward, which tells left from right. Only distances and directions between joints are
used, so the pose may face or lie any way.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float
from reenact.core.rest_pose import pose_at_rest
from reenact.core.role_sides import some_frames, vote_for_first
from reenact.core.rotations import rotate
from reenact.core.skeleton import Skeleton
from reenact.core.tree import Tree

_ALIKE = 0.25  # two branches are a pair when their bone lengths differ by less, as a share of their sum
_SKIP = 1.0  # cost of a joint within a thigh, shank, upper arm or forearm: only twist joints are passed over
_PAIRS = 8  # longest pairs tried as legs and arms
_MOST_JOINTS = 2000  # of a skeleton that is looked at; the fullest rigs of people, faces and all, have about 800
_MOST_BRANCHES = 24  # the longest ones of a joint are paired
_LONGEST_LIMB = 40  # joints; more is a rope or a tail
_BODY, _LIMB, _HEAD, _TOES = (
    0.85,
    0.85,
    0.75,
    0.7,
)  # confidence of a clear case, from the accuracy table in docs/roles.md
_FOUR_LEGS = 0.4  # a trunk that is not in line with the legs: an animal, or a person crawling


@dataclass(frozen=True, slots=True)
class ShapeFinding:
    """Roles found by shape; `reason` says what was in the way where some are missing."""

    roles: dict[str, int] = field(default_factory=dict)
    confidence: dict[str, float] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Limb:
    """A branch: its joints down the longest way, and how far each lies from the joint the branch hangs on (metres along bones)."""

    joints: list[int]
    reach: list[float]
    length: float
    end: int  # index of the end site at its tip, -1 for none


@dataclass(frozen=True, slots=True)
class _Pair:
    at: int
    one: _Limb
    two: _Limb

    @property
    def length(self) -> float:
        return 0.5 * (self.one.length + self.two.length)


@dataclass(frozen=True, slots=True)
class _Body:
    """The skeleton as seen here: tree, bone lengths, and poses (K, J, 3) with the end sites (K, E, 3) where known."""

    tree: Tree
    lengths: Float
    end_of: dict[int, tuple[int, float]]
    poses: Float
    ends: Float | None
    is_rest: bool


def find_by_shape(skeleton: Skeleton, positions: ArrayLike | None = None) -> ShapeFinding:
    """Roles by tree and proportions.

    Args:
        skeleton: names are not looked at.
        positions: (F, J, 3) world positions of some frames; None uses the rest pose.
    """
    if len(skeleton) > _MOST_JOINTS:
        return ShapeFinding(reason=f"{len(skeleton)} joints are too many for a body to be told by its shape")
    body = _look(skeleton, positions)
    pairs = _find_pairs(body)
    chosen = _choose_legs_and_arms(body, pairs)
    if chosen is None:
        return ShapeFinding(reason="the tree has no two pairs of equal branches that could be legs and arms")
    legs, arms = chosen
    roles: dict[str, int] = {}
    sure: dict[str, float] = {}
    base = 1.0 if _stands(body, legs, arms) else _FOUR_LEGS / _BODY
    _add_trunk(body, legs, arms, roles, sure)
    leg_parts = _split(body, legs, _score_leg, ("upper_leg", "lower_leg", "foot"))
    arm_parts = _split(body, arms, _score_arm, ("upper_arm", "lower_arm", "hand"))
    _add_toes(body, legs, leg_parts)
    for part in arm_parts:
        limb = (arms.one, arms.two)[arm_parts.index(part)]
        if part["upper_arm"] != limb.joints[0]:
            part["shoulder"] = limb.joints[0]
    sides = _tell_sides(body, legs, leg_parts, arm_parts)
    reason = ""
    if sides is None:
        reason = "left and right cannot be told from this pose; positions of frames with bent knees would do"
    else:
        (leg_is_left, arm_is_left), certainty = sides
        for parts, first_is_left in ((leg_parts, leg_is_left), (arm_parts, arm_is_left)):
            for part, side in zip(parts, ("left", "right") if first_is_left else ("right", "left"), strict=True):
                for name, joint in part.items():
                    roles[f"{side}_{name}"] = joint
                    sure[f"{side}_{name}"] = min(certainty, _TOES if name in ("toes", "shoulder") else _LIMB)
    return ShapeFinding(roles, {role: base * value for role, value in sure.items()}, reason)


def _look(skeleton: Skeleton, positions: ArrayLike | None) -> _Body:
    tree = Tree(skeleton.parents)
    end_of: dict[int, tuple[int, float]] = {}
    for index, joint in enumerate(skeleton.end_joints.tolist()):
        length = float(np.linalg.norm(skeleton.end_offsets[index]))
        if joint not in end_of or length > end_of[joint][1]:
            end_of[joint] = (index, length)
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    if positions is None:
        points, rotations = pose_at_rest(skeleton)
        on = skeleton.end_joints
        poses, ends = points[None], (points[on] + rotate(rotations[on], skeleton.end_offsets))[None]
    else:
        poses, ends = some_frames(skeleton, positions), None
        if len(skeleton) > 1:
            lengths[1:] = np.median(np.linalg.norm(poses[:, 1:] - poses[:, skeleton.parents[1:]], axis=2), axis=0)
    lengths[0] = 0
    return _Body(tree, lengths, end_of, poses, ends, positions is None)


def _find_pairs(body: _Body) -> list[_Pair]:
    tree = body.tree
    below = np.zeros(len(tree.parents))  # longest way from the joint down to a tip
    down = [-1] * len(tree.parents)
    for joint in range(len(tree.parents) - 1, -1, -1):
        below[joint] = body.end_of[joint][1] if joint in body.end_of else 0.0
        for child in tree.children[joint]:
            if down[joint] < 0 or body.lengths[child] + below[child] > below[joint]:
                below[joint], down[joint] = max(below[joint], body.lengths[child] + below[child]), child

    def follow(joint: int) -> _Limb:
        joints, reach = [joint], [float(body.lengths[joint])]
        while down[joints[-1]] >= 0:
            joints.append(down[joints[-1]])
            reach.append(reach[-1] + float(body.lengths[joints[-1]]))
        end = body.end_of.get(joints[-1], (-1, 0.0))
        return _Limb(joints, reach, reach[-1] + end[1], end[0])

    pairs: list[_Pair] = []
    for joint, children in enumerate(tree.children):
        if len(children) < 2:
            continue
        longest = sorted(children, key=lambda child: -float(body.lengths[child] + below[child]))[:_MOST_BRANCHES]
        limbs = [limb for limb in map(follow, sorted(longest)) if len(limb.joints) <= _LONGEST_LIMB]
        for one, two in itertools.combinations(limbs, 2):
            if len(one.joints) >= 2 and len(two.joints) >= 2 and _difference(one, two) < _ALIKE:
                pairs.append(_Pair(joint, one, two))
    pairs.sort(key=lambda pair: -pair.length * (1 - 2 * _difference(pair.one, pair.two)))
    outer: list[_Pair] = []
    for pair in pairs:  # fingers and eyes are pairs inside a branch of a longer pair
        tops = [top for other in outer for top in (other.one.joints[0], other.two.joints[0])]
        shared = any(top in (pair.one.joints[0], pair.two.joints[0]) for top in tops)
        if not shared and not any(top == pair.at or tree.is_above(top, pair.at) for top in tops):
            outer.append(pair)
    return outer[:_PAIRS]


def _difference(one: _Limb, two: _Limb) -> float:
    """How much two branches differ in their bone lengths, 0 to 1."""
    a, b = (np.diff([0.0, *limb.reach, limb.length]) for limb in (one, two))
    count = max(len(a), len(b))
    a, b = np.pad(a, (0, count - len(a))), np.pad(b, (0, count - len(b)))
    total = float(np.sum(a) + np.sum(b))
    return float(np.sum(np.abs(a - b))) / total if total > 0 else 1.0


def _tip(body: _Body, limb: _Limb) -> Float:
    return body.poses[:, limb.joints[-1]]


def _away(body: _Body, legs: _Pair, arms: _Pair) -> float:
    """Cosine between the way the legs point and the way from arms to legs, the median over poses; 0 where undefined."""
    trunk = body.poses[:, legs.at] - body.poses[:, arms.at]
    down = 0.5 * (_tip(body, legs.one) + _tip(body, legs.two)) - body.poses[:, legs.at]
    scale = np.linalg.norm(trunk, axis=1) * np.linalg.norm(down, axis=1)
    good = scale > 1e-12
    return float(np.median(np.einsum("fi,fi->f", trunk, down)[good] / scale[good])) if np.any(good) else 0.0


def _stands(body: _Body, legs: _Pair, arms: _Pair) -> bool:
    """True for legs in line with the trunk; in a rest pose with all bones along one axis they lie on the trunk instead."""
    away = _away(body, legs, arms)
    return away > 0.6 or (body.is_rest and away < -0.75)


def _choose_legs_and_arms(body: _Body, pairs: list[_Pair]) -> tuple[_Pair, _Pair] | None:
    best, chosen = -math.inf, None
    longest = sum(sorted(pair.length for pair in pairs)[-2:])
    for legs, arms in itertools.permutations(pairs, 2):
        if legs.length <= 0 or arms.length <= 0:
            continue
        score = 3.0 * (legs.length + arms.length) / longest
        score += 2.0 * _away(body, legs, arms) - abs(math.log(legs.length / arms.length / 1.2))
        if body.tree.is_above(legs.at, arms.at):
            score += 2.0
        elif body.tree.is_above(arms.at, legs.at):
            score -= 2.0
        elif legs.at != arms.at:  # a pelvis beside the spine, both below the root
            score += 1.5
        if len(body.tree.children[arms.at]) > 2:  # a neck between the arms
            score += 0.5
        if score > best:
            best, chosen = score, (legs, arms)
    return chosen


def _score_leg(body: _Body, limb: _Limb, u: int, m: int, e: int) -> float:
    thigh, shank = limb.reach[m] - limb.reach[u], limb.reach[e] - limb.reach[m]
    lead, rest = limb.reach[u] / limb.length, (limb.length - limb.reach[e]) / limb.length
    return -((math.log(thigh / shank) / 0.2) ** 2) - ((lead - 0.08) / 0.1) ** 2 - ((rest - 0.17) / 0.1) ** 2


def _score_arm(body: _Body, limb: _Limb, u: int, m: int, e: int) -> float:
    upper, fore = limb.reach[m] - limb.reach[u], limb.reach[e] - limb.reach[m]
    lead, rest = limb.reach[u] / limb.length, (limb.length - limb.reach[e]) / limb.length
    score = (
        -((math.log(upper / fore / 1.15) / 0.25) ** 2)
        - 0.5 * ((lead - 0.2) / 0.15) ** 2
        - 0.5 * ((rest - 0.15) / 0.12) ** 2
    )
    return score + (1.0 if len(body.tree.children[limb.joints[e]]) > 1 else 0.0)  # fingers spread from the wrist


_Score = Callable[[_Body, _Limb, int, int, int], float]


def _split(
    body: _Body, pair: _Pair, score: Callable[[_Body, _Limb, int, int, int], float], names: tuple[str, str, str]
) -> tuple[dict[str, int], dict[str, int]]:
    """The three joints of each limb of a pair: the best fit to a body's proportions, the same places on both sides if possible."""
    limbs = (pair.one, pair.two)
    found: list[list[tuple[float, tuple[int, int, int]]]] = []
    for limb in limbs:
        options = []
        for u, m, e in itertools.combinations(range(len(limb.joints)), 3):
            if min(limb.reach[m] - limb.reach[u], limb.reach[e] - limb.reach[m]) > 0.05 * limb.length:
                # joints in one place: the limb turns at the last for its top, at the first for its other joints
                value = score(body, limb, u, m, e) + 1e-6 * (u - m - e) - _SKIP * (e - u - 2)
                options.append((value, (u, m, e)))
        found.append(sorted(options, reverse=True))
    if len(pair.one.joints) == len(pair.two.joints) and found[0] and found[1]:
        second = {places: value for value, places in found[1]}
        both = [(value + second[places], places) for value, places in found[0] if places in second]
        if both:
            best = max(both)
            found = [[best], [best]]
    parts = []
    for limb, options in zip(limbs, found, strict=True):
        if options:
            parts.append(dict(zip(names, (limb.joints[place] for place in options[0][1]), strict=True)))
        else:  # fewer than three joints: name what is there from the top
            parts.append(dict(zip(names, limb.joints, strict=False)))
    return parts[0], parts[1]


def _add_toes(body: _Body, legs: _Pair, parts: tuple[dict[str, int], dict[str, int]]) -> None:
    for limb, part in zip((legs.one, legs.two), parts, strict=True):
        if "foot" not in part:
            continue
        place = limb.joints.index(part["foot"])
        for after in range(place + 1, len(limb.joints)):
            if limb.reach[after] - limb.reach[place] > 0.02 * limb.length:
                part["toes"] = limb.joints[after]
                break


def _add_trunk(body: _Body, legs: _Pair, arms: _Pair, roles: dict[str, int], sure: dict[str, float]) -> None:
    tree = body.tree
    hips = tree.meet([legs.at, arms.at])
    roles["hips"], sure["hips"] = hips, _BODY
    path = tree.path(hips, arms.at)[1:]
    if path:
        roles["spine"], roles["chest"] = path[0], path[-1]
        sure["spine"] = sure["chest"] = _BODY
    others = [child for child in tree.children[arms.at] if child not in (arms.one.joints[0], arms.two.joints[0], *path)]
    others = [child for child in others if child != legs.at and not tree.is_above(child, legs.at)]
    if not others:
        return
    up = body.poses[:, arms.at] - body.poses[:, legs.at]

    def rise(child: int) -> float:
        tip = max(
            tree.subtree(child), key=lambda joint: float(np.sum((body.poses[:, joint] - body.poses[:, arms.at]) * up))
        )
        return float(np.mean(np.sum((body.poses[:, tip] - body.poses[:, arms.at]) * up, axis=1))) + 1e-3 * len(
            tree.subtree(child)
        )

    chain = [max(others, key=rise)]
    while len(tree.children[chain[-1]]) == 1:
        chain.append(tree.children[chain[-1]][0])
    is_tip = not tree.children[chain[-1]] and body.end_of.get(chain[-1], (0, 0.0))[1] <= 0
    if is_tip and len(chain) > 2:  # the last joint only marks the top of the head
        chain.pop()
    roles["head"], sure["head"] = chain[-1], _HEAD
    if len(chain) > 1:
        roles["neck"], sure["neck"] = chain[0], _HEAD


def _tell_sides(
    body: _Body,
    legs: _Pair,
    leg_parts: tuple[dict[str, int], dict[str, int]],
    arm_parts: tuple[dict[str, int], dict[str, int]],
) -> tuple[tuple[bool, bool], float] | None:
    """((first leg is left, first arm is left), confidence), from feet and knees that point forward; None without a pose."""
    poses = body.poses
    shoulders = [part["upper_arm"] for part in arm_parts]
    tips = []
    for limb in (legs.one, legs.two):
        ends = body.ends if limb.end >= 0 else None
        tips.append(_tip(body, limb) if ends is None else ends[:, limb.end])
    vote = vote_for_first(poses, leg_parts, shoulders, tips, legs.length)
    if abs(vote) < 1e-3:
        return None
    across = poses[:, leg_parts[0]["upper_leg"]] - poses[:, leg_parts[1]["upper_leg"]]
    agreement = float(np.mean(np.sign(np.einsum("fi,fi->f", across, poses[:, shoulders[0]] - poses[:, shoulders[1]]))))
    leg_is_left = vote > 0
    certainty = 0.5 + 0.5 * min(1.0, abs(vote) / 0.1) * min(1.0, 0.3 + 0.7 * abs(agreement))
    return (leg_is_left, leg_is_left if agreement >= 0 else not leg_is_left), certainty
