"""The figure: a simple shaded body of capsules around any skeleton.

Thicknesses are shares of the body's size, so a child, a giant and a fox in centimetres all look right. With roles the limbs get the
proportions of a slim adult; without them a bone is as thick as its length suggests.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core import rotations as rot
from reenact.core.arrays import Float, Int32
from reenact.core.skeleton import Skeleton
from reenact.render.sides import FACE, MIDDLE, joint_sides

_SPAN = 1.42  # longest way through the bones of an adult, finger tips to toes, in body heights
_SHORTEST = 0.004  # bones below this share of the size are not drawn
_SLACK = 0.25  # a bone above the hips whose length varies more than this carries the body instead of being part of it

_PARTS = {  # radius at the near and far end of a part, in body heights
    "hips": (0.050, 0.050),
    "spine": (0.050, 0.052),
    "chest": (0.052, 0.044),
    "neck": (0.028, 0.026),
    "head": (0.026, 0.022),
    "shoulder": (0.028, 0.030),
    "upper_arm": (0.031, 0.024),
    "lower_arm": (0.024, 0.016),
    "hand": (0.017, 0.012),
    "upper_leg": (0.047, 0.034),
    "lower_leg": (0.034, 0.021),
    "foot": (0.022, 0.018),
    "toes": (0.018, 0.013),
}
_FINE = ("hand", "toes", "head")  # parts that may end in fingers, claws or hair: short bones there are thin
_TRUNK = ("hips", "spine", "chest")
_BRANCH = {"upper_leg": (0.044, 0.042), "shoulder": (0.036, 0.028), "upper_arm": (0.036, 0.030)}
_FLAT = 0.5  # roundness of the trunk's parts
_HEAD_RADIUS, _HEAD_HALF, _HEAD_RAISE = 0.054, 0.014, 0.058

_Parts = tuple[Float, Float, Int32, Float]  # ends, radii, sides, roundness


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """How to draw a skeleton. Points are the joints, then the end sites.

    Attributes:
        size: about the body's height in metres, from bone lengths; 1 when there are none.
        starts: (B,) point where a bone starts.
        ends: (B,) point where it ends.
        radii: (B, 2) metres at both ends.
        sides: (B,) MIDDLE, LEFT or RIGHT.
        dots: points that get a joint dot.
        flanks: (T, 4) points right shoulder, left shoulder, right hip, left hip that a trunk is drawn between; T is 0 or 1.
        head: joint that a head is drawn on, or -1.
        head_from: point whose line to `head_to` the head's long axis follows.
        head_to: see `head_from`.
        face: (3,) direction of the nose in the head joint's frame; zero when unknown.
    """

    size: float
    starts: Int32
    ends: Int32
    radii: Float
    sides: Int32
    dots: Int32
    flanks: Int32
    head: int
    head_from: int
    head_to: int
    face: Float

    def capsules(self, points: Float, rotations: Float) -> tuple[Float, Float, Int32, Float]:
        """The body in one pose: ends (S, 2, 3) and radii (S, 2) in metres, sides (S,), roundness (S,).

        Args:
            points: (P, 3) joints and end sites.
            rotations: (J, 4) world rotations of the joints.
        """
        trunk = self.sides == MIDDLE if len(self.flanks) else np.zeros(len(self.sides), bool)
        parts: list[_Parts] = [
            (
                np.stack([points[self.starts], points[self.ends]], axis=1),
                self.radii,
                self.sides,
                np.where(trunk, _FLAT, 1.0),
            )
        ]
        if len(self.flanks):
            right_shoulder, left_shoulder, right_hip, left_hip = points[self.flanks[0]]
            top, low = (right_shoulder + left_shoulder) / 2, (right_hip + left_hip) / 2
            lines = [
                (top + share * (shoulder - top), low + 1.1 * share * (hip - low))
                for shoulder, hip in ((right_shoulder, right_hip), (left_shoulder, left_hip))
                for share in (0.26, 0.52)
            ]
            parts.append(_extra_parts(lines, (0.056 * self.size, 0.050 * self.size), _FLAT))
        if self.head >= 0:
            centre, axis = self._head_place(points)
            half = _HEAD_HALF * self.size * axis
            parts.append(
                _extra_parts(
                    [(centre - half, centre + half)], (_HEAD_RADIUS * self.size, _HEAD_RADIUS * self.size), 1.0
                )
            )
            if np.any(self.face):
                nose = self.size * rot.rotate(rotations[self.head].astype(np.float64), self.face)
                line = centre + 0.035 * nose, centre + 0.064 * nose - 0.2 * half
                parts.append(_extra_parts([line], (0.019 * self.size, 0.011 * self.size), 1.0, FACE))
        ends, radii, sides, roundness = (np.concatenate(column) for column in zip(*parts, strict=True))
        return ends, radii, sides, roundness

    def _head_place(self, points: Float) -> tuple[Float, Float]:
        line = points[self.head_to] - points[self.head_from]
        length = float(np.linalg.norm(line))
        axis = line / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])
        return points[self.head] + axis * (_HEAD_RAISE * self.size), axis


def _extra_parts(
    lines: list[tuple[Float, Float]], radii: tuple[float, float], roundness: float, side: int = MIDDLE
) -> _Parts:
    """Capsules along these lines."""
    count = len(lines)
    return np.array(lines), np.tile(radii, (count, 1)), np.full(count, side, np.int32), np.full(count, roundness)


def build_figure(skeleton: Skeleton, points: Float, rotations: Float) -> Figure:
    """A figure for a skeleton, measured on some frames of its motion.

    Args:
        skeleton: the joints.
        points: (F, P, 3) metres, joints and end sites in a few frames.
        rotations: (F, J, 4) world rotations there.
    """
    count = len(skeleton)
    ends = np.arange(1, points.shape[1], dtype=np.int32)
    starts = np.concatenate([skeleton.parents[1:], skeleton.end_joints]).astype(np.int32)
    distances = np.linalg.norm(points[:, ends] - points[:, starts], axis=-1)
    lengths = np.median(distances, axis=0) if len(ends) else np.zeros(0)
    lengths = np.where(_carrying(skeleton, points, starts, ends, distances), 0.0, lengths)
    size = _longest_way(points.shape[1], starts, ends, lengths) / _SPAN
    size = size if size > 0 else 1.0
    sides = joint_sides(skeleton)
    head, head_from, head_to = _find_head(skeleton, points, size)
    radii = _bone_radii(skeleton, starts, ends, lengths, size, sides)
    shown = lengths > _SHORTEST * size
    if head >= 0 and head_to != head:
        shown &= ~((starts == head) & (ends >= count))  # the head itself shows where its end site is
    if not shown.any():  # a body without extent still shows where it is
        starts, ends, lengths = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1)
        radii, shown = np.full((1, 2), 0.03 * size), np.ones(1, bool)
    branching = np.bincount(starts[shown], minlength=points.shape[1]) > 0
    far = np.zeros(points.shape[1])
    np.maximum.at(far, starts[shown], lengths[shown])
    np.maximum.at(far, ends[shown], lengths[shown])
    dots = np.flatnonzero(branching & (far > 0.09 * size) & (np.arange(points.shape[1]) < count)).astype(np.int32)
    limbs = ("right_upper_arm", "left_upper_arm", "right_upper_leg", "left_upper_leg")
    flanks = (
        np.array([skeleton.require_roles(*limbs)], np.int32)
        if skeleton.has_roles(*limbs)
        else np.empty((0, 4), np.int32)
    )
    return Figure(
        size=float(size),
        starts=starts[shown],
        ends=ends[shown],
        radii=radii[shown],
        sides=_bone_sides(skeleton, sides, starts, ends)[shown],
        dots=dots,
        flanks=flanks,
        head=head,
        head_from=head_from,
        head_to=head_to,
        face=_find_face(points, rotations, flanks, head),
    )


def _carrying(skeleton: Skeleton, points: Float, starts: Int32, ends: Int32, distances: Float) -> np.ndarray:
    """(B,) bones that are no part of the body: lines from the root that carry it through the world, and handles beside it."""
    carrying = np.zeros(len(ends), bool)
    if "hips" in skeleton.roles:
        body = _body_joints(skeleton)
        carrying |= ~body[starts]
    joint = 0
    while len(skeleton.children[joint]) == 1 and not np.any(skeleton.end_joints == joint):
        child = skeleton.children[joint][0]
        bone = child - 1  # bones are listed by their far end
        stretch = float(np.ptp(distances[:, bone]))
        moving = float(np.ptp(points[:, child], axis=0).max()) > 1e-4
        still = float(np.ptp(points[:, joint], axis=0).max()) <= 1e-6
        if not (stretch > _SLACK * float(np.median(distances[:, bone])) or (still and moving)):
            break
        carrying[bone] = True
        joint = child
    return carrying


def _body_joints(skeleton: Skeleton) -> np.ndarray:
    """(J,) bool: the hips and what hangs on them; of other branches (handles for inverse kinematics, say) only those with roles."""
    above = set(skeleton.ancestors(skeleton.roles["hips"])[1:])
    body = np.zeros(len(skeleton), bool)
    for joint in range(len(skeleton)):
        parent = int(skeleton.parents[joint])
        if joint in above:
            continue
        body[joint] = bool(parent >= 0 and body[parent]) or not set(skeleton.subtree(joint)).isdisjoint(
            skeleton.roles.values()
        )
    return body


def _longest_way(count: int, starts: Int32, ends: Int32, lengths: Float) -> float:
    """The longest way between two points through the tree, in metres: the same in every pose."""
    best, down = 0.0, np.zeros(count)
    order = np.argsort(-starts, kind="stable")
    for bone in order:
        start, end = int(starts[bone]), int(ends[bone])
        reach = float(down[end] + lengths[bone])
        best = max(best, float(down[start]) + reach)
        down[start] = max(float(down[start]), reach)
    return best


def _find_head(skeleton: Skeleton, points: Float, size: float) -> tuple[int, int, int]:
    """(head joint, two points its axis runs between); -1 when there is none."""
    head = skeleton.roles.get("head", -1)
    if head < 0:
        named = [j for j, name in enumerate(skeleton.names) if "head" in name.lower() and "end" not in name.lower()]
        head = named[0] if named else -1
    if head < 0:
        return -1, -1, -1
    tips = [len(skeleton) + int(k) for k in np.flatnonzero(skeleton.end_joints == head)]
    tips += list(skeleton.children[head])
    reach = [float(np.median(np.linalg.norm(points[:, tip] - points[:, head], axis=-1))) for tip in tips]
    if len(tips) == 1 and reach[0] > 0.03 * size:
        return head, head, tips[0]
    parent = int(skeleton.parents[head])
    while parent > 0 and float(np.median(np.linalg.norm(points[:, parent] - points[:, head], axis=-1))) < 0.01 * size:
        parent = int(skeleton.parents[parent])
    return head, max(parent, 0), head


def _find_face(points: Float, rotations: Float, flanks: Int32, head: int) -> Float:
    """(3,) where the face looks in the head's frame: on average where the trunk faces; zero when not known."""
    if head < 0 or not len(flanks):
        return np.zeros(3)
    right_shoulder, left_shoulder, right_hip, left_hip = np.moveaxis(points[:, flanks[0]].astype(np.float64), 1, 0)
    rise = rot.normalize(right_shoulder + left_shoulder - right_hip - left_hip)
    if float(np.mean(rise[:, 1])) < 0.35:  # on all fours or lying: the trunk does not tell where the face is
        return np.zeros(3)
    across = right_shoulder + right_hip - left_shoulder - left_hip
    forward = rot.normalize(np.cross(rise, across))
    local = rot.rotate(rot.conjugate(rotations[:, head].astype(np.float64)), forward)
    return rot.normalize(local.mean(axis=0))


def _bone_radii(skeleton: Skeleton, starts: Int32, ends: Int32, lengths: Float, size: float, sides: Int32) -> Float:
    """(B, 2) metres."""
    count = len(skeleton)
    role_of = {joint: role for role, joint in skeleton.roles.items()}
    part, along = [""] * count, np.zeros(count)
    bone_to = {int(end): bone for bone, end in enumerate(ends)}
    for joint in range(count):
        parent = int(skeleton.parents[joint])
        if joint in role_of:
            part[joint] = role_of[joint].removeprefix("left_").removeprefix("right_")
        elif parent >= 0:
            part[joint], along[joint] = part[parent], along[parent] + lengths[bone_to[joint]]
    total: dict[tuple[str, int], float] = {}
    for bone, start in enumerate(starts):
        key = part[start], int(sides[start])
        total[key] = max(total.get(key, 0.0), float(along[start] + lengths[bone]))
    radii = np.empty((len(ends), 2))
    trunk = _trunk_joints(skeleton, sides)
    leading = {above for joint in skeleton.roles.values() for above in skeleton.ancestors(joint)}
    for bone, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        length, name = lengths[bone] / size, part[start]
        target = part[end] if end < count else ""
        if not name:
            thick = 0.045 if end in trunk else float(np.clip(0.16 * length + 0.004, 0.007, 0.046))
            radii[bone] = thick, thick * (1.0 if end in trunk else 0.72)
            continue
        near, far = _PARTS[name]
        if name in _TRUNK and sides[start] == MIDDLE and end not in leading:  # a tail, a tie, a breast bone
            radii[bone] = float(np.clip(0.12 * length + 0.006, 0.007, 0.026))
            continue
        if sides[start] == MIDDLE and end < count and sides[end] != MIDDLE:
            near, far = _BRANCH.get(target, (0.036, 0.034))
        else:
            whole = total[name, int(sides[start])] or 1.0
            from_, to = along[start] / whole, (along[start] + lengths[bone]) / whole
            near, far = near + (far - near) * min(from_, 1.0), near + (far - near) * min(to, 1.0)
        if name in _FINE:
            thin = 0.25 * length + 0.004
            near, far = min(near, thin), min(far, thin)
        radii[bone] = near, far
    return radii * size


def _bone_sides(skeleton: Skeleton, sides: Int32, starts: Int32, ends: Int32) -> Int32:
    """(B,) a bone belongs to the side of the joint it starts at; the pelvis up to the hip joints is part of the trunk."""
    hips = [joint for role, joint in skeleton.roles.items() if role.endswith("_upper_leg")]
    return np.where(np.isin(ends, hips), MIDDLE, sides[starts]).astype(np.int32)


def _trunk_joints(skeleton: Skeleton, sides: Int32) -> set[int]:
    """Middle joints with sided limbs somewhere below: the spine of a skeleton without roles."""
    below = np.zeros(len(skeleton), bool)
    for joint in range(len(skeleton) - 1, 0, -1):
        below[skeleton.parents[joint]] |= below[joint] or sides[joint] != MIDDLE
    return {joint for joint in range(len(skeleton)) if below[joint] and sides[joint] == MIDDLE}
