"""How a clip is laid out as an Acclaim skeleton and its channels.

A clip read from an AMC file keeps its skeleton: axes, degrees of freedom, order and limits. A bone whose motion no longer fits its
degrees of freedom (after a blend, say) gets all three rotations. Any other clip gets one bone a joint with its axes along the
world's. Acclaim lets children begin only at the end of their parent, so a joint with children in several places, the root too, gets
a bone without length, and a stiff bone `linkN` to each of them; an end site is the end of its joint's bone or of such a link.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact import kernels
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip
from reenact.core.rotations import conjugate, multiply, rotate, to_matrix
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError
from reenact.formats.acclaim import (
    INCH,
    ROOT,
    AcclaimBone,
    AcclaimSkeleton,
    Prepared,
    Triple,
    decode,
    order_bones,
    prepare,
)
from reenact.formats.asf import parse_skeleton
from reenact.formats.asf_text import format_skeleton

CUSTOM_LENGTH = 0.45  # the length unit of the large public collections
ANGLE_FIT, PLACE_FIT = 1e-4, 1e-5
"""How well degrees of freedom must give a bone's motion back: radians, metres."""

SAME_PLACE = 1e-7  # metres


@dataclass(frozen=True, slots=True)
class Layout:
    """A clip as Acclaim holds it.

    Attributes:
        text: the skeleton file.
        lines: (bone, values) of each line of a frame, in order.
        values: (F, C) float64 in the order of the lines, angles in the skeleton's unit.
        degrees: angles are degrees, not radians.
    """

    text: str
    lines: tuple[tuple[str, int], ...]
    values: Float64
    degrees: bool


def plan_layout(clip: Clip, unit: float | None = None) -> Layout:
    """Lay out a clip; `unit` is metres per file unit, None keeps that of an AMC file, else the custom of large collections."""
    kept = _keep(clip, unit) if clip.origin.acclaim else None
    return kept or _lay_free(clip, unit)


def _keep(clip: Clip, unit: float | None) -> Layout | None:
    """The layout of the file the clip came from, or None when its skeleton no longer has that shape."""
    try:
        prepared, _, text = parse_skeleton(clip.origin.acclaim[0].encode("utf-8"), "recover")
    except FormatError:
        return None
    acclaim, skeleton, _ = prepared
    if not skeleton.same_tree(clip.skeleton):
        return None
    tips = _tips(clip.skeleton)
    if tips is None:
        return None
    moved = not _same_lengths(skeleton, clip.skeleton)
    if unit is not None and not math.isclose(unit, acclaim.unit, rel_tol=1e-9):
        acclaim = _rescale(acclaim, unit)
        moved = True
    if moved:
        acclaim = _with_tips(acclaim, tips)
        text = ""
    values, acclaim, changed = _encode(clip, acclaim)
    if changed or not text:
        text = format_skeleton(acclaim)
    return _ordered(Layout(text, (), values, acclaim.degrees), prepare(acclaim), clip.origin.acclaim[1:])


def _same_lengths(a: Skeleton, b: Skeleton) -> bool:
    """True when two equal trees have equal bones and end sites; the root's rest position does not matter."""
    return (
        np.allclose(a.offsets[1:], b.offsets[1:], rtol=0, atol=SAME_PLACE)
        and np.array_equal(a.end_joints, b.end_joints)
        and np.allclose(a.end_offsets, b.end_offsets, rtol=0, atol=SAME_PLACE)
    )


def _tips(skeleton: Skeleton) -> Float64 | None:
    """(J, 3) where each joint's bone ends, metres; None when children or end sites of a joint lie in several places."""
    tips = np.full((len(skeleton), 3), np.nan)
    tips[0] = 0
    hanging = [*zip(skeleton.parents[1:], skeleton.offsets[1:], strict=True)]
    hanging += [*zip(skeleton.end_joints, skeleton.end_offsets, strict=True)]
    for joint, offset in hanging:
        if np.isnan(tips[joint, 0]):
            tips[joint] = offset
        elif np.abs(tips[joint] - offset).max() > SAME_PLACE:
            return None
    return np.nan_to_num(tips)


def _rescale(acclaim: AcclaimSkeleton, unit: float) -> AcclaimSkeleton:
    """The same skeleton in other file units."""
    factor = acclaim.unit / unit
    x, y, z = acclaim.root.position
    bones = []
    for bone in acclaim.bones:
        scales = [1.0 if dof.startswith("r") else factor for dof in bone.dofs]
        limits = tuple((low * s, high * s) for (low, high), s in zip(bone.limits, scales, strict=False))
        bones.append(replace(bone, length=bone.length * factor, limits=limits))
    root = replace(acclaim.root, position=(x * factor, y * factor, z * factor))
    return replace(acclaim, bones=tuple(bones), root=root, length=INCH / unit)


def _with_tips(acclaim: AcclaimSkeleton, tips: Float64) -> AcclaimSkeleton:
    """The same bones with other lengths and directions; `tips` (J, 3) metres in joint order."""
    bones = list(acclaim.bones)
    for joint, bone in enumerate(order_bones(acclaim.parents)):
        if bone != ROOT:
            direction, length = _split(tips[joint] / acclaim.unit)
            bones[bone] = replace(bones[bone], direction=direction if length else bones[bone].direction, length=length)
    return replace(acclaim, bones=tuple(bones))


def _split(vector: Float64) -> tuple[Triple, float]:
    """Direction and length."""
    length = float(np.linalg.norm(vector))
    x, y, z = (vector / length if length > 0 else np.zeros(3)).tolist()
    return (x, y, z), length


def _ordered(layout: Layout, prepared: Prepared, names: Sequence[str]) -> Layout:
    """The layout with its lines as in the file it came from, as far as it names them."""
    channels = prepared.channels
    place = {name: n for n, name in enumerate(names)}
    groups = sorted(range(len(channels.names)), key=lambda group: place.get(channels.names[group], len(place)))
    columns = [channels.starts[group] + n for group in groups for n in range(channels.counts[group])]
    lines = tuple((channels.names[group], channels.counts[group]) for group in groups)
    return replace(layout, lines=lines, values=np.ascontiguousarray(layout.values[:, columns]))


def _encode(clip: Clip, acclaim: AcclaimSkeleton) -> tuple[Float64, AcclaimSkeleton, bool]:
    """Channel values of a clip, the skeleton with degrees of freedom added where they did not suffice, and whether any were."""
    values = _solve(clip, acclaim)
    rotations, root, translations = decode(prepare(acclaim), values, 180.0 if acclaim.degrees else math.pi)
    # chordal, as the angle of nearly equal float32 rotations is mostly noise
    apart = 2 * np.minimum(_distance(rotations, clip.rotations), _distance(rotations, -clip.rotations)).max(
        axis=0, initial=0.0
    )
    wrong = apart > ANGLE_FIT
    places = np.broadcast_to(clip.skeleton.offsets.astype(np.float32), (len(clip), len(clip.skeleton), 3))
    want, have = places.copy(), places.copy()
    for moved, into in ((clip.translations, want), (translations, have)):
        if moved is not None:
            into[:, moved.joints] = moved.values
    shifted = np.abs(want - have).max(axis=(0, 2), initial=0.0) > PLACE_FIT
    shifted[0] = np.abs(root - clip.root).max(initial=0.0) > PLACE_FIT
    if not wrong.any() and not shifted.any():
        return values, acclaim, False
    bones = list(acclaim.bones)
    base = acclaim.root
    for joint, bone in enumerate(order_bones(acclaim.parents)):
        dofs = base.dofs if bone == ROOT else bones[bone].dofs
        added = (("tx", "ty", "tz") if shifted[joint] else ()) + (("rx", "ry", "rz") if wrong[joint] else ())
        missing = tuple(dof for dof in added if dof not in dofs)
        if bone == ROOT:
            base = replace(base, dofs=dofs + missing)
        elif missing:
            limits = bones[bone].limits
            limits = limits + ((-math.inf, math.inf),) * len(missing) if limits or not dofs else ()
            bones[bone] = replace(bones[bone], dofs=dofs + missing, limits=limits)
    acclaim = replace(acclaim, bones=tuple(bones), root=base)
    return _solve(clip, acclaim), acclaim, True


def _distance(a: Float, b: Float) -> Float:
    return np.linalg.norm(a - b, axis=-1)


def _solve(clip: Clip, acclaim: AcclaimSkeleton) -> Float64:
    """(F, C) channel values that give the clip's motion, as near as the degrees of freedom allow."""
    prepared = prepare(acclaim)
    channels, order = prepared.channels, order_bones(acclaim.parents)
    unit = 180.0 / math.pi if acclaim.degrees else 1.0
    values = np.zeros((len(clip), channels.width))
    turns = clip.rotations.astype(np.float64)
    turns[:, 0] = multiply(conjugate(acclaim.root.placement), turns[:, 0])
    for joint, frame in zip(channels.turned, channels.frames, strict=True):
        turns[:, joint] = multiply(multiply(conjugate(frame), turns[:, joint]), frame)
    full = [joint for joint in range(len(order)) if np.all(channels.columns[joint] >= 0)]
    _solve_full(turns, full, prepared, values, unit)
    for joint in sorted(set(range(len(order))) - set(full)):
        _solve_few(turns[:, joint], channels.columns[joint], channels.axes[joint], values, unit)
    root = clip.root / acclaim.unit - np.array(acclaim.root.position)
    _put(values, channels.root_columns, rotate(conjugate(acclaim.root.placement), root))
    _solve_moves(clip, prepared, order, values)
    return values


def _solve_full(turns: Float64, joints: list[int], prepared: Prepared, values: Float64, unit: float) -> None:
    """Angles of joints with three rotations, continuous from frame to frame."""
    axes = np.ascontiguousarray(prepared.channels.axes[joints])
    angles = np.empty((len(turns), 3 * len(joints)))
    previous = np.full(3 * len(joints), np.nan)
    parities = np.ascontiguousarray(prepared.channels.parities[joints])
    picked = np.ascontiguousarray(turns[:, joints])
    kernels.euler.to_euler(picked, axes, parities, unit * math.pi, previous, angles)
    values[:, prepared.channels.columns[joints].reshape(-1)] = angles


def _solve_few(q: Float64, columns: np.ndarray, axes: np.ndarray, values: Float64, unit: float) -> None:
    """Angles of a joint with one or two rotations, any angle: R_i(a), or R_i(a) R_j(b)."""
    used = np.flatnonzero(columns >= 0)
    if len(used) == 0:
        return
    i = int(axes[used[0]])
    if len(used) == 1:
        angle = 2 * np.arctan2(q[:, 1 + i], q[:, 0])
        values[:, columns[used[0]]] = np.unwrap(angle) * unit
        return
    j = int(axes[used[1]])
    k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    # w = ca cb, q_i = sa cb, q_j = ca sb, q_k = sign sa sb: each half angle from the pair that is better conditioned
    w, x, y, z = q[:, 0], q[:, 1 + i], q[:, 1 + j], sign * q[:, 1 + k]
    first = w * w + x * x > y * y + z * z
    a = np.where(first, np.arctan2(x, w), np.arctan2(z, y))
    b = np.arctan2(np.cos(a) * y + np.sin(a) * z, np.cos(a) * w + np.sin(a) * x)
    values[:, columns[used[0]]] = np.unwrap(2 * a) * unit
    values[:, columns[used[1]]] = np.unwrap(2 * b) * unit


def _solve_moves(clip: Clip, prepared: Prepared, order: list[int], values: Float64) -> None:
    """Values of `tx ty tz` and `l` from the places of the joints in their parents' frames."""
    acclaim, skeleton, channels = prepared
    slots = {} if clip.translations is None else {int(joint): n for n, joint in enumerate(clip.translations.joints)}
    known: set[int] = set()  # lengths that an earlier child of the same bone has given
    for joint, own, stretch in channels.moves:
        place = np.broadcast_to(clip.skeleton.offsets[joint], (len(clip), 3))
        if joint in slots and clip.translations is not None:
            place = clip.translations.values[:, slots[joint]].astype(np.float64)
        shift = (place - skeleton.offsets[joint]) / acclaim.unit
        columns = [column for column in own if column >= 0]
        ways = to_matrix(acclaim.bones[order[joint]].axes)[:, [n for n in range(3) if own[n] >= 0]]
        if stretch >= 0:
            direction = np.array(acclaim.bones[acclaim.parents[order[joint]]].direction)
            if stretch in known:
                shift = shift - values[:, stretch, None] * direction
            else:
                columns, ways = [*columns, stretch], np.column_stack([ways, direction])
                known.add(stretch)
        values[:, columns] = shift @ np.linalg.pinv(ways).T


def _put(values: Float64, columns: Sequence[int], triples: Float) -> None:
    for n, column in enumerate(columns):
        if column >= 0:
            values[:, column] = triples[:, n]


def _lay_free(clip: Clip, unit: float | None) -> Layout:
    """One bone a joint, axes along the world's, three rotations each; three translations more where the joint moves."""
    skeleton = clip.skeleton
    unit = INCH / CUSTOM_LENGTH if unit is None else unit
    moving = set() if clip.translations is None else {int(joint) for joint in clip.translations.joints}
    names = _clean_names(skeleton)
    turns, moves = ("rx", "ry", "rz"), ("tx", "ty", "tz")
    bones: list[AcclaimBone] = []
    parents: list[int] = []
    bone_of = {0: ROOT}
    tips = np.zeros((len(skeleton), 3))
    hanging: list[list[Float64]] = [[] for _ in skeleton.names]
    for joint, offset in zip(skeleton.parents[1:], skeleton.offsets[1:], strict=True):
        hanging[joint].append(offset)
    for joint, offset in zip(skeleton.end_joints, skeleton.end_offsets, strict=True):
        hanging[joint].append(offset)

    def add(name: str, parent: int, vector: Float64, dofs: tuple[str, ...]) -> int:
        direction, length = _split(vector / unit)
        bones.append(AcclaimBone(name, direction, length, dofs=dofs))
        parents.append(parent)
        return len(bones) - 1

    links = 0
    for joint in range(1, len(skeleton)):
        parent = int(skeleton.parents[joint])
        begins_at = bone_of[parent]
        if np.abs(skeleton.offsets[joint] - tips[parent]).max() > SAME_PLACE:
            links += 1
            begins_at = add(f"link{links}", begins_at, skeleton.offsets[joint], ())
        places = hanging[joint]
        if places and all(np.abs(place - places[0]).max() <= SAME_PLACE for place in places):
            tips[joint] = places[0]
        dofs = moves + turns if joint in moving else turns
        bone_of[joint] = add(names[joint], begins_at, tips[joint], dofs)
    for joint, offset in zip(skeleton.end_joints, skeleton.end_offsets, strict=True):
        if np.abs(offset - tips[joint]).max() > SAME_PLACE:
            links += 1
            add(f"link{links}", bone_of[int(joint)], offset, ())
    acclaim = AcclaimSkeleton(tuple(bones), tuple(parents), name="reenact", length=INCH / unit)
    spread = _spread(clip, acclaim, bone_of)
    prepared = prepare(acclaim)
    return _ordered(Layout(format_skeleton(acclaim), (), _solve(spread, acclaim), True), prepared, ("root", *names[1:]))


def _spread(clip: Clip, acclaim: AcclaimSkeleton, bone_of: dict[int, int]) -> Clip:
    """The clip on the skeleton that has link bones too; those stay at rest."""
    skeleton = prepare(acclaim).skeleton
    joint_of = {bone: joint for joint, bone in enumerate(order_bones(acclaim.parents))}
    new = [joint_of[bone_of[joint]] for joint in range(len(clip.skeleton))]
    rotations = np.zeros((len(clip), len(skeleton), 4), np.float32)
    rotations[..., 0] = 1
    rotations[:, new] = clip.rotations
    moved = clip.translations
    if moved is not None:
        joints = np.array([new[joint] for joint in moved.joints])
        by_joint = np.argsort(joints)
        # a link has brought the joint to its rest place, so its own moves are what is left, from the link's end
        shift = moved.values + (skeleton.offsets[joints] - clip.skeleton.offsets[moved.joints])
        moved = type(moved)(joints[by_joint].astype(np.int32), shift[:, by_joint].astype(np.float32))
    return Clip(skeleton, rotations, clip.root, clip.fps, clip.name, moved)


def _clean_names(skeleton: Skeleton) -> list[str]:
    """Joint names that an Acclaim file can hold: no blanks or signs of its own, no bare numbers, unique whatever the case."""
    taken = {"root", "begin", "end"}
    cleaned = ["root"]
    for name in skeleton.names[1:]:
        base = "".join(
            "_" if letter.isspace() or letter in "#:(),\0" or not letter.isprintable() else letter for letter in name
        )
        if not base or base[0].isdigit():
            base = f"_{base}"
        unique, count = base, 1
        while unique.casefold() in taken or (unique.startswith("link") and unique[4:].isdigit()):
            count += 1
            unique = f"{base}_{count}"
        taken.add(unique.casefold())
        cleaned.append(unique)
    return cleaned
