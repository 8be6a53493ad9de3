"""A skeleton laid into a mesh: the one for persons, or a given one scaled and bent to where the mesh has its joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.body.character import rest_world
from reenact.body.landmarks import Landmarks
from reenact.body.solid import Solid
from reenact.core import rotations as R
from reenact.core.arrays import Float, Float64
from reenact.core.skeleton import Skeleton

_INSIDE = 0.8  # share of joints in the mesh from which on a skeleton lies in it already

_TREE: tuple[tuple[str, str, str], ...] = (
    ("Hips", "", "hips"),
    ("Spine", "Hips", "spine"),
    ("Chest", "Spine", "chest"),
    ("Neck", "Chest", "neck"),
    ("Head", "Neck", "head"),
    *(
        (f"{side}{name}", f"{side}{parent}" if sided else parent, f"{side.lower()}_{role}")
        for side in ("Left", "Right")
        for name, parent, role, sided in (
            ("Shoulder", "Chest", "shoulder", False),
            ("Arm", "Shoulder", "upper_arm", True),
            ("ForeArm", "Arm", "lower_arm", True),
            ("Hand", "ForeArm", "hand", True),
            ("UpLeg", "Hips", "upper_leg", False),
            ("Leg", "UpLeg", "lower_leg", True),
            ("Foot", "Leg", "foot", True),
            ("Toe", "Foot", "toes", True),
        )
    ),
)
_TIPS = {"head": "crown", "left_hand": "left_finger_tip", "right_hand": "right_finger_tip"}
_TIPS |= {"left_toes": "left_toe_tip", "right_toes": "right_toe_tip"}
_AIMS = {"hips": "spine", "spine": "chest", "chest": "neck", "neck": "head", **_TIPS} | {
    f"{side}_{near}": f"{side}_{far}"
    for side in ("left", "right")
    for near, far in (
        ("shoulder", "upper_arm"),
        ("upper_arm", "lower_arm"),
        ("lower_arm", "hand"),
        ("upper_leg", "lower_leg"),
        ("lower_leg", "foot"),
        ("foot", "toes"),
    )
}
"""Where the bone of each role goes to."""


def person_skeleton(landmarks: Landmarks) -> Skeleton:
    """A plain skeleton of 21 joints at the landmarks; its rest pose is that of the mesh, without turns."""
    names = [name for name, _, _ in _TREE]
    places = np.array([landmarks.places[role] for _, _, role in _TREE])
    parents = np.array([names.index(parent) if parent else -1 for _, parent, _ in _TREE], np.int32)
    offsets = places - np.where(parents[:, None] < 0, 0, places[parents])
    roles = {role: joint for joint, (_, _, role) in enumerate(_TREE)}
    ends = [roles[role] for role in _TIPS]
    tips = np.array([landmarks.places[tip] for tip in _TIPS.values()])
    return Skeleton(
        tuple(names),
        parents,
        offsets,
        end_joints=np.array(ends, np.int32),
        end_offsets=tips - places[ends],
        roles=roles,
    )


def share_inside(skeleton: Skeleton, solid: Solid) -> float:
    """The share of joints whose rest place is in a mesh or less than two cells beside it."""
    _, far = solid.nearest(rest_world(skeleton).positions[0])
    return float((far < 2 * solid.size).mean())


def lies_in(skeleton: Skeleton, solid: Solid) -> bool:
    """Whether a skeleton is in a mesh as it is."""
    wide = np.ptp(solid.centres, axis=0).max()
    return share_inside(skeleton, solid) >= _INSIDE and np.ptp(_all_points(skeleton), axis=0).max() > 0.4 * wide


def scale_into(skeleton: Skeleton, solid: Solid) -> Skeleton:
    """The skeleton scaled and moved as a whole, so that its longest side lies in the middle of the mesh, on its floor."""
    points = _all_points(skeleton)
    low, high = points.min(axis=0), points.max(axis=0)
    goal_low, goal_high = solid.centres.min(axis=0), solid.centres.max(axis=0)
    longest = int((goal_high - goal_low).argmax())
    factor = 0.94 * float((goal_high - goal_low)[longest] / max((high - low)[longest], 1e-9))
    offsets = factor * skeleton.offsets
    offsets[0] += 0.5 * (goal_low + goal_high) - factor * 0.5 * (low + high)
    offsets[0, 1] += 0.5 * (factor * (high - low) - (goal_high - goal_low))[1]
    return replace(skeleton, offsets=offsets, end_offsets=factor * skeleton.end_offsets)


def _all_points(skeleton: Skeleton) -> Float:
    """The joints and end sites of the rest pose."""
    rest = rest_world(skeleton)
    ends = zip(skeleton.end_joints, skeleton.end_offsets, strict=True)
    return np.vstack([rest.positions[0], *(rest.point(int(joint), offset) for joint, offset in ends)])


def bend_into(skeleton: Skeleton, landmarks: Landmarks) -> Skeleton:
    """A skeleton with roles with its joints at the landmarks.

    Joints between two that are known keep their share of the way; what hangs on known ones (fingers, faces, tails) is turned and scaled
    with their bone. The axes of joints turn with their bones the short way.
    """
    rest = rest_world(skeleton)
    old, turns = rest.positions[0], rest.rotations[0]
    role_of = {joint: role for role, joint in sorted(skeleton.roles.items(), reverse=True)}
    known = {joint: landmarks.places[role] for joint, role in role_of.items() if role in landmarks.places}
    new, moved = np.empty_like(old), np.tile([1.0, 0, 0, 0], (len(skeleton), 1))
    sizes = np.full(len(skeleton), _whole_size(old, known))
    top = min(known)
    for joint in range(len(skeleton)):
        parent = int(skeleton.parents[joint])
        above = parent if parent >= 0 else joint
        moved[joint], sizes[joint] = moved[above], sizes[above]
        below = _next_known(skeleton, joint, known)
        if joint in known:
            new[joint] = known[joint]
        elif parent < 0:
            new[joint] = known[top] + sizes[joint] * (old[joint] - old[top])
        elif below is not None and parent in known | dict.fromkeys(_between(skeleton, known)):
            new[joint] = _on_the_way(old, new, parent, joint, below, known[below])
        else:
            new[joint] = new[parent] + sizes[parent] * R.rotate(moved[parent], old[joint] - old[parent])
        if joint in known:
            _turn_bone(skeleton, joint, role_of[joint], old, turns, known, landmarks, moved, sizes, new)
    world = R.multiply(moved, turns)
    parents = np.maximum(skeleton.parents, 0)
    back = R.conjugate(world[parents])
    root = (skeleton.parents < 0)[:, None]
    offsets = np.where(root, new, R.rotate(back, new - new[parents]))
    local = np.where(root, world, R.multiply(back, world))
    ends = skeleton.end_offsets * sizes[skeleton.end_joints][:, None]
    return replace(skeleton, offsets=offsets, rest=local, end_offsets=ends)


def _whole_size(old: Float, known: dict[int, Float64]) -> float:
    joints = list(known)
    here, there = old[joints], np.array([known[joint] for joint in joints])
    return float(np.ptp(there, axis=0).max() / max(np.ptp(here, axis=0).max(), 1e-9))


def _next_known(skeleton: Skeleton, joint: int, known: dict[int, Float64]) -> int | None:
    """The nearest known joint below, where there is one."""
    waiting = list(skeleton.children[joint])
    while waiting:
        one = waiting.pop(0)
        if one in known:
            return one
        waiting += skeleton.children[one]
    return None


def _between(skeleton: Skeleton, known: dict[int, Float64]) -> set[int]:
    """Joints that have known ones above and below."""
    found = set()
    for joint in known:
        way = skeleton.ancestors(joint)[1:]
        stops = [place for place, one in enumerate(way) if one in known]
        if stops:
            found |= set(way[: stops[0]])
    return found


def _on_the_way(old: Float, new: Float, parent: int, joint: int, below: int, goal: Float64) -> Float64:
    first, second = np.linalg.norm(old[joint] - old[parent]), np.linalg.norm(old[below] - old[joint])
    share = first / max(first + second, 1e-12)
    return new[parent] + share * (goal - new[parent])


def _turn_bone(
    skeleton: Skeleton,
    joint: int,
    role: str,
    old: Float,
    turns: Float,
    known: dict[int, Float64],
    landmarks: Landmarks,
    moved: Float64,
    sizes: Float64,
    new: Float,
) -> None:
    """Note how a known joint turns and how its bone is scaled, where both skeletons tell where the bone goes."""
    aim = _AIMS.get(role)
    if aim is None or aim not in landmarks.places:
        return
    if aim in skeleton.roles:
        there = old[skeleton.roles[aim]]
    else:
        below = [one for one in skeleton.subtree(joint) if one != joint]
        ends = np.flatnonzero(np.isin(skeleton.end_joints, [joint, *below]))
        tips = [old[one] for one in below if not skeleton.children[one]]
        tips += [
            old[skeleton.end_joints[e]] + R.rotate(turns[skeleton.end_joints[e]], skeleton.end_offsets[e]) for e in ends
        ]
        if not tips:
            return
        there = max(tips, key=lambda tip: float(np.linalg.norm(tip - old[joint])))
    before, after = there - old[joint], landmarks.places[aim] - new[joint]
    lengths = np.linalg.norm(before), np.linalg.norm(after)
    if min(lengths) < 1e-6:
        return
    moved[joint] = _short_turn(before / lengths[0], after / lengths[1])
    sizes[joint] = lengths[1] / lengths[0]


def _short_turn(here: Float, there: Float) -> Float64:
    """The smallest rotation (4,) from one unit vector to another."""
    w = 1 + float(here @ there)
    if w < 1e-9:
        across = np.cross(here, np.eye(3)[np.abs(here).argmin()])
        return R.normalize(np.array([0.0, *across])).astype(np.float64)
    return R.normalize(np.array([w, *np.cross(here, there)])).astype(np.float64)
