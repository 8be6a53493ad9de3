"""Which joint is whose mirror image, and how their local frames are related.

For a reflection S of the world, the mirrored world rotation of joint j is S W_partner(j) M_j, where M_j takes directions of j's frame to
the reflected ones of its partner's frame. A skeleton in T-pose with equal frames everywhere has M = S. Other skeletons give each bone
its own frame (bones along X, frames of the right side turned half round): there M comes from the rest pose when that is symmetric, else
from the motion, held to the bone directions.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.core.arrays import Bool, Float, Int32
from reenact.core.clip import Clip
from reenact.core.heading import headings
from reenact.core.rest_pose import pose_at_rest
from reenact.core.role_names import pair_names, read_name
from reenact.core.roles import other_side
from reenact.core.rotations import about_y, between, multiply, to_matrix
from reenact.core.skeleton import Skeleton
from reenact.core.tree import Tree
from reenact.errors import SkeletonError

_SIDEWAYS = np.diag([-1.0, 1.0, 1.0])
_SYMMETRIC = 0.15  # a rest pose is used when its bones miss their mirror images by less, as a share of length
_UNEQUAL = 0.2  # a bone of a used rest pose that misses by more was drawn in another pose left than right
_ALONG_AXIS = 0.97  # cosine from which a sideways direction is taken for an axis
_AS_PARENT = 0.5  # how much a joint's frames are expected to be related like its parent's, against 1 for the motion
_SIGNS_ALONE = 1.0  # how much axes that keep their place (only signs change) are preferred


@dataclass(frozen=True, slots=True, eq=False)
class MirrorMap:
    """Partners and frame relations.

    Attributes:
        partners: (J,) int32; a middle joint is its own partner.
        reflections: (J, 3, 3) the matrices M, orthogonal with determinant -1.
        kept: (J,) bool, joints of one side without a counterpart; they keep their own local rotations.
        basis: what the reflections were taken from.
    """

    partners: Int32
    reflections: Float
    kept: Bool
    basis: Literal["rest", "motion"]


def find_partners(skeleton: Skeleton) -> tuple[Int32, Bool]:
    """(partners, kept) of every joint: by roles, by names that differ in the side alone, then by place and size in the tree."""
    tree = Tree(skeleton.parents)
    hints = pair_names(skeleton.names)
    for role, joint in skeleton.roles.items():
        other = skeleton.roles.get(other_side(role))
        if other is None or other == joint:
            continue
        a, b = joint, other
        while a != b and a >= 0 and b >= 0:  # what carries a left part mirrors what carries the right one
            hints[a], hints[b] = b, a
            a, b = tree.parents[a], tree.parents[b]
    partners = np.arange(len(skeleton), dtype=np.int32)
    kept = np.zeros(len(skeleton), dtype=bool)
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    for joint in range(len(skeleton)):
        if kept[joint]:
            kept[tree.children[joint]] = True
        elif partners[joint] >= joint:
            _match_children(skeleton, tree, lengths, hints, joint, partners, kept)
    if np.array_equal(partners, np.arange(len(skeleton))):
        raise SkeletonError("no joint has a mirror image: neither roles nor names tell left from right")
    return partners, kept


def _match_children(
    skeleton: Skeleton, tree: Tree, lengths: Float, hints: dict[int, int], joint: int, partners: Int32, kept: Bool
) -> None:
    other = int(partners[joint])
    mine, theirs = list(tree.children[joint]), list(tree.children[other])
    for a in tree.children[joint]:
        b = hints.get(a)
        if b is not None and a in mine and b in theirs and a != b:
            partners[a], partners[b] = b, a
            for done in {a, b}:
                if done in mine:
                    mine.remove(done)
                if done in theirs:
                    theirs.remove(done)
    if joint == other:
        for a in mine:
            kept[a] = bool(read_name(skeleton.names[a]).side)
        return
    sizes = {a: (len(tree.subtree(a)), float(lengths[a])) for a in (*mine, *theirs)}
    fits = sorted(
        (abs(sizes[a][0] - sizes[b][0]), abs(sizes[a][1] - sizes[b][1]), a, b)
        for a, b in itertools.product(mine, theirs)
    )
    for difference, _, a, b in fits:
        if a in mine and b in theirs and difference == 0:
            partners[a], partners[b] = b, a
            mine.remove(a)
            theirs.remove(b)
    kept[mine + theirs] = True


def find_mirror_map(clip: Clip) -> MirrorMap:
    """Partners and frame relations of a clip's skeleton."""
    skeleton = clip.skeleton
    partners, kept = find_partners(skeleton)
    bones = _bones(clip, partners, kept)
    reflections = _reflect_rest(skeleton, partners)
    if reflections is not None and _misses(reflections, bones) < _SYMMETRIC:
        return MirrorMap(partners, _straighten(reflections, partners, bones), kept, "rest")
    return MirrorMap(partners, _reflect_by_motion(clip, partners, bones), kept, "motion")


_Bones = list[list[tuple[Float, Float]]]


def _bones(clip: Clip, partners: Int32, kept: Bool) -> _Bones:
    """For each joint the offsets of its children with those of their partners."""
    skeleton = clip.skeleton
    free = set() if clip.translations is None else set(clip.translations.joints.tolist())
    bones: _Bones = [[] for _ in skeleton.names]
    for child, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0 and not kept[child] and child not in free and int(partners[child]) not in free:
            bones[parent].append((skeleton.offsets[child], skeleton.offsets[partners[child]]))
    return bones


def _misses(reflections: Float, bones: _Bones) -> float:
    """How far bones lie from their partner's mirror image, as a share of all lengths."""
    missed = total = 0.0
    for matrix, pairs in zip(reflections, bones, strict=True):
        for mine, theirs in pairs:
            missed += float(np.linalg.norm(matrix @ mine - theirs))
            total += float(np.linalg.norm(mine))
    return missed / total if total > 0 else 0.0


def _reflect_rest(skeleton: Skeleton, partners: Int32) -> Float | None:
    """Reflections that leave the rest pose as it is; None when it has no sideways direction."""
    points, rotations = pose_at_rest(skeleton)
    across = points - points[partners]
    pairs = (("left_upper_leg", "right_upper_leg"), ("left_upper_arm", "right_upper_arm"))
    sides = [points[skeleton.joint(a)] - points[skeleton.joint(b)] for a, b in pairs if skeleton.has_roles(a, b)]
    direction = sum(sides, np.zeros(3))
    if np.linalg.norm(direction) < 1e-6:
        if not np.any(np.linalg.norm(across, axis=1) > 1e-6):
            return None
        direction = np.linalg.svd(across, full_matrices=False)[2][0]
    direction = direction / np.linalg.norm(direction)
    axis = int(np.argmax(np.abs(direction)))
    if (
        abs(direction[axis]) > _ALONG_AXIS
    ):  # a rest pose is drawn along the axes; bones that differ a little do not turn it
        direction = np.eye(3)[axis]
    plane = np.eye(3) - 2 * np.outer(direction, direction)
    world = to_matrix(rotations)
    return np.einsum("jki,kl,jlm->jim", world[partners], plane, world)


def _signed_axes() -> Float:
    found = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[range(3), order] = signs
            if np.linalg.det(matrix) < 0:
                found.append(matrix)
    return np.array(found)


_SIGNED_AXES = _signed_axes()


def _reflect_by_motion(clip: Clip, partners: Int32, bones: _Bones) -> Float:
    """Reflections under which the motion, seen along its heading, is as symmetric as can be, with bones on their mirror images."""
    world = clip.world(np.float64).rotations
    turned = to_matrix(multiply(about_y(-headings(clip))[:, None], world))
    above = list(clip.skeleton.ancestors(clip.skeleton.roles.get("hips", 0))[1:])
    turned[:, above] = to_matrix(world[:, above])  # a root that stands still above the hips does not turn with the body
    seen = np.einsum("fjki,kl,fjlm->jim", turned[:, partners], _SIDEWAYS, turned) / len(clip)
    reflections = np.empty((len(partners), 3, 3))
    for joint, partner in enumerate(partners.tolist()):
        if partner < joint:
            reflections[joint] = reflections[partner].T
            continue
        parent = int(clip.skeleton.parents[joint])
        near_parent = _AS_PARENT * reflections[parent] if parent >= 0 else np.zeros((3, 3))
        reflections[joint] = _nearest_reflection(seen[joint], near_parent, bones[joint], is_own=partner == joint)
    return reflections


def _nearest_reflection(wanted: Float, near_parent: Float, bones: list[tuple[Float, Float]], *, is_own: bool) -> Float:
    """The reflection that maps the bones and is nearest to the motion's, among axis swaps if one of them does.

    Bones come first and the motion only settles what they leave open, so that the mirrored motion gives the same answer.
    """
    long = [(mine, theirs) for mine, theirs in bones if min(np.linalg.norm(mine), np.linalg.norm(theirs)) > 1e-6]
    choices = [
        matrix
        for matrix in _SIGNED_AXES
        if (not is_own or np.array_equal(matrix, matrix.T))
        and all(np.linalg.norm(matrix @ mine - theirs) < 0.2 * np.linalg.norm(mine) for mine, theirs in long)
    ]
    if choices:
        hoped = wanted + near_parent
        return max(choices, key=lambda matrix: float(np.sum(matrix * hoped)) + _SIGNS_ALONE * np.trace(np.abs(matrix)))
    return _reflect_own(wanted, long) if is_own else _reflect_pair(wanted, long)


def _reflect_own(wanted: Float, bones: list[tuple[Float, Float]]) -> Float:
    """A plane reflection: its normal joins the two bones of a pair, else it is square to the bones of the middle."""
    apart = np.array([mine - theirs for mine, theirs in bones])
    if np.linalg.norm(apart) > 1e-3 * np.linalg.norm([mine for mine, _ in bones]):
        normal = np.linalg.svd(apart)[2][0]
    else:
        plane = np.linalg.svd(np.array([mine for mine, _ in bones]))[2][1:]
        normal = np.linalg.eigh(plane @ (wanted + wanted.T) @ plane.T)[1][:, 0] @ plane
    return np.eye(3) - 2 * np.outer(normal, normal)


def _reflect_pair(wanted: Float, bones: list[tuple[Float, Float]]) -> Float:
    """The reflection that takes bones to bones; when all lie along one line, the turn about it is the motion's."""
    cross = sum((np.outer(theirs, mine) for mine, theirs in bones), np.zeros((3, 3)))
    left, sizes, right = np.linalg.svd(cross)
    if sizes[1] > 0.01 * sizes[0]:
        return left @ np.diag([1.0, 1.0, -np.sign(np.linalg.det(left @ right))]) @ right
    to, back = left.copy(), right.T.copy()  # the bone and two directions square to it, right-handed on both sides
    to[:, 2], back[:, 2] = np.cross(to[:, 0], to[:, 1]), np.cross(back[:, 0], back[:, 1])
    open_turn = to[:, 1:].T @ wanted @ back[:, 1:]
    angle = np.arctan2(open_turn[0, 1] + open_turn[1, 0], open_turn[0, 0] - open_turn[1, 1])
    cosine, sine = np.cos(angle), np.sin(angle)
    inner = np.array([[1.0, 0, 0], [0, cosine, sine], [0, sine, -cosine]])
    return to @ inner @ back.T


def _straighten(reflections: Float, partners: Int32, bones: _Bones) -> Float:
    """Reflections of a rest pose, turned the least so that bones drawn in unequal poses left and right meet their mirror images."""
    fixed = reflections.copy()
    for joint, partner in enumerate(partners.tolist()):
        mine = sum((a for a, _ in bones[joint]), np.zeros(3))
        theirs = sum((b for _, b in bones[joint]), np.zeros(3))
        if partner > joint and np.linalg.norm(reflections[joint] @ mine - theirs) > _UNEQUAL * np.linalg.norm(mine):
            fixed[joint] = to_matrix(between(reflections[joint] @ mine, theirs)) @ reflections[joint]
            fixed[partner] = fixed[joint].T
    return fixed
