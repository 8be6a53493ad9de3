"""The Acclaim skeleton as data, and how its channels become joint rotations.

Acclaim (Schafer 1995) gives every bone a direction, a length and a set of axes C in the world of the rest pose; a bone begins where
its parent ends. The values of a frame turn bone b by M about its own axes, so its rotation relative to its parent is C M C^-1, and a
rest pose has identity rotations. Rotations are applied in the order of the degrees of freedom: `rx ry rz` is Rz Ry Rx.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reenact import kernels
from reenact.core.arrays import Float, Float32, Float64, Int32
from reenact.core.clip import JointTranslations
from reenact.core.rotations import from_euler, multiply, parity, rotate, to_matrix
from reenact.core.skeleton import IDENTITY, Skeleton

INCH = 0.0254  # metres
ROOT, LOOSE = -1, -2
"""Parents of bones: the root; nothing at all (a bone that the hierarchy does not name)."""

DOFS = ("tx", "ty", "tz", "rx", "ry", "rz", "l")
"""Degrees of freedom: moves along and turns about the bone's axes, and `l`, a change of its length."""

Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class AcclaimBone:
    """One bone, in file units.

    Attributes:
        name: as the file spells it.
        direction: from its beginning to its end, in the world of the rest pose.
        length: distance between them.
        axis: radians about x, y and z that make the bone's axes.
        axis_order: the order those are applied in, the first letter first.
        dofs: degrees of freedom in the order of the motion file, which is also the order rotations are applied in.
        limits: (lowest, highest) of each, radians or file lengths; may be infinite; empty when the file has none.
        mass: mass of the body part; None when the file has none.
        centre: centre of mass along the bone; likewise.
    """

    name: str
    direction: Triple = (0.0, 0.0, 0.0)
    length: float = 0.0
    axis: Triple = (0.0, 0.0, 0.0)
    axis_order: str = "xyz"
    dofs: tuple[str, ...] = ()
    limits: tuple[tuple[float, float], ...] = ()
    mass: float | None = None
    centre: float | None = None

    @property
    def tip(self) -> Float64:
        """(3,) from the bone's beginning to its end."""
        return np.array(self.direction) * self.length

    @property
    def axes(self) -> Float:
        """(4,) the quaternion C of the bone's axes."""
        return turn_in_order(self.axis, self.axis_order)


@dataclass(frozen=True, slots=True)
class AcclaimRoot:
    """The root: its channels in order, and a placement (position, orientation in radians) that all motion is relative to."""

    dofs: tuple[str, ...] = ("tx", "ty", "tz", "rx", "ry", "rz")
    axis_order: str = "xyz"
    position: Triple = (0.0, 0.0, 0.0)
    orientation: Triple = (0.0, 0.0, 0.0)

    @property
    def placement(self) -> Float:
        """(4,) the quaternion of the orientation."""
        return turn_in_order(self.orientation, self.axis_order)


@dataclass(frozen=True, slots=True)
class AcclaimSkeleton:
    """A whole ASF file.

    Attributes:
        bones: in file order.
        parents: for each bone the index of its parent, `ROOT` or `LOOSE`; no cycles.
        root: the root's channels and placement.
        name: of the skeleton.
        length: the `:units` multiplier: a file length divided by it is in inches.
        mass: the `:units` multiplier of masses.
        degrees: angles are degrees, not radians.
    """

    bones: tuple[AcclaimBone, ...]
    parents: tuple[int, ...]
    root: AcclaimRoot = AcclaimRoot()
    name: str = "skeleton"
    length: float = 1.0
    mass: float = 1.0
    degrees: bool = True

    @property
    def unit(self) -> float:
        """Metres per file unit."""
        return INCH / self.length


class Prepared(NamedTuple):
    """What decoding needs of one skeleton file."""

    acclaim: AcclaimSkeleton
    skeleton: Skeleton
    channels: Channels


def turn_in_order(angles: Triple, order: str) -> Float:
    """Quaternion of angles about x, y, z (radians), applied in the given order, the first letter first."""
    backwards = order[::-1]
    return from_euler(np.array([angles["xyz".index(letter)] for letter in backwards]), backwards)


def order_bones(parents: Sequence[int]) -> list[int]:
    """Bones of the tree, depth first, `ROOT` at the start; loose bones are left out."""
    children: dict[int, list[int]] = {}
    for bone, parent in enumerate(parents):
        children.setdefault(parent, []).append(bone)
    order, stack = [], [ROOT]
    while stack:
        bone = stack.pop()
        order.append(bone)
        stack.extend(reversed(children.get(bone, ())))
    return order


def prepare(acclaim: AcclaimSkeleton) -> Prepared:
    """The skeleton (metres) and the channels of an Acclaim skeleton."""
    order = order_bones(acclaim.parents)
    joint_of = {bone: joint for joint, bone in enumerate(order)}
    bones = [acclaim.bones[bone] for bone in order[1:]]
    parents = [-1, *(joint_of[acclaim.parents[bone]] for bone in order[1:])]
    tips = np.array([np.zeros(3), *(bone.tip for bone in bones)])
    offsets = tips[parents]
    offsets[0] = acclaim.root.position
    rest = np.tile(IDENTITY, (len(order), 1))
    rest[0] = acclaim.root.placement
    leaf = np.ones(len(order), bool)
    leaf[0] = False
    leaf[parents[1:]] = False
    leaf &= np.any(tips != 0, axis=1)
    skeleton = Skeleton(
        ("root", *(bone.name for bone in bones)),
        np.array(parents, np.int32),
        offsets * acclaim.unit,
        rest,
        np.flatnonzero(leaf).astype(np.int32),
        tips[leaf] * acclaim.unit,
    )
    return Prepared(acclaim, skeleton, Channels.of(acclaim, joint_of))


@dataclass(frozen=True, slots=True, eq=False)
class Channels:
    """Where each value of a frame goes. A row holds the root's values, then those of every bone that has any, in file order.

    Attributes:
        bones: bone of each group of values, `ROOT` first.
        names: name of each group.
        starts: first column of each group.
        counts: values of each group.
        width: values of a frame.
        columns: (J, 3) rotation columns of each joint as `kernels.euler` takes them, -1 for none; with `axes` and `parities`.
        axes: (J, 3).
        parities: (J,).
        turned: (K,) joints whose axes are not the world's; with `frames` (K, 4), their C.
        frames: (K, 4).
        root_columns: (3,) columns of the root's tx, ty, tz, -1 for none.
        moves: for every joint that moves in its parent's frame: (joint, columns of tx ty tz, column of the parent's `l`).
        still_tips: names of end bones with `l`: an end site cannot move, so the value is not used.
    """

    bones: tuple[int, ...]
    names: tuple[str, ...]
    starts: tuple[int, ...]
    counts: tuple[int, ...]
    width: int
    columns: Int32
    axes: Int32
    parities: Float64
    turned: Int32
    frames: Float64
    root_columns: tuple[int, ...]
    moves: tuple[tuple[int, tuple[int, ...], int], ...]
    still_tips: tuple[str, ...]

    @classmethod
    def of(cls, acclaim: AcclaimSkeleton, joint_of: dict[int, int]) -> Channels:
        """The channels of a skeleton whose bones are these joints."""
        groups = [(ROOT, "root", acclaim.root.dofs)]
        groups += [(number, bone.name, bone.dofs) for number, bone in enumerate(acclaim.bones) if bone.dofs]
        columns = np.full((len(joint_of), 3), -1, np.int32)
        axes = np.tile(np.array([2, 1, 0], np.int32), (len(joint_of), 1))
        starts, at = [], 0
        where: dict[int, dict[str, int]] = {}
        for bone, _, dofs in groups:
            starts.append(at)
            where[bone] = {dof: at + n for n, dof in enumerate(dofs)}
            at += len(dofs)
            if bone not in joint_of:
                continue
            turns = [
                dof for dof in reversed(dofs) if dof.startswith("r")
            ]  # the last one applied stands first in the product
            letters = [*(dof[1] for dof in turns), *(letter for letter in "zyx" if f"r{letter}" not in turns)]
            axes[joint_of[bone]] = ["xyz".index(letter) for letter in letters]
            columns[joint_of[bone]] = [where[bone].get(f"r{letter}", -1) for letter in letters]
        moves = []
        for bone, joint in joint_of.items():
            parent = ROOT if bone == ROOT else acclaim.parents[bone]
            own = tuple(where.get(bone, {}).get(dof, -1) for dof in ("tx", "ty", "tz"))
            stretch = where.get(parent, {}).get("l", -1) if parent != ROOT else -1
            if bone != ROOT and (max(own) >= 0 or stretch >= 0):
                moves.append((joint, own, stretch))
        turned = [
            (joint, acclaim.bones[bone].axes)
            for bone, joint in joint_of.items()
            if bone != ROOT and any(acclaim.bones[bone].axis)
        ]
        inner = {acclaim.parents[bone] for bone in joint_of if bone != ROOT}
        return cls(
            tuple(group[0] for group in groups),
            tuple(group[1] for group in groups),
            tuple(starts),
            tuple(len(group[2]) for group in groups),
            at,
            columns,
            axes,
            np.array([float(parity(row)) for row in axes]),
            np.array([joint for joint, _ in turned], np.int32),
            np.array([frame for _, frame in turned], np.float64).reshape(-1, 4),
            tuple(where[ROOT].get(dof, -1) for dof in ("tx", "ty", "tz")),
            tuple(sorted(moves)),
            tuple(
                bone.name
                for n, bone in enumerate(acclaim.bones)
                if "l" in bone.dofs and n in joint_of and n not in inner
            ),
        )


def decode(prepared: Prepared, values: Float64, half_turn: float) -> tuple[Float32, Float32, JointTranslations | None]:
    """Rotations (F, J, 4), root positions (F, 3) and joint translations, in metres, of channel values (F, C) in file units.

    Args:
        prepared: the skeleton.
        values: one row a frame, as `Channels` orders them.
        half_turn: what 180 degrees are in the values: 180.0 or pi.
    """
    acclaim, skeleton, channels = prepared
    rotations = np.empty((len(values), len(skeleton), 4), np.float32)
    kernels.euler.from_euler(values, half_turn, channels.columns, channels.axes, channels.parities, rotations)
    matrices = to_matrix(channels.frames).astype(np.float32)
    kernels.amc_text.turn_axes(rotations, channels.turned, matrices)
    root = pick_columns(values, channels.root_columns)
    if any(acclaim.root.orientation):
        placement = acclaim.root.placement
        root = rotate(placement, root)
        rotations[:, 0] = multiply(placement, rotations[:, 0])
    root = ((root + np.array(acclaim.root.position)) * acclaim.unit).astype(np.float32)
    return rotations, root, _decode_moves(prepared, values)


def _decode_moves(prepared: Prepared, values: Float64) -> JointTranslations | None:
    """Positions of the joints that move in their parent's frame; None when there are none."""
    acclaim, skeleton, channels = prepared
    if not channels.moves:
        return None
    order = order_bones(acclaim.parents)
    places = np.empty((len(values), len(channels.moves), 3), np.float32)
    for n, (joint, own, stretch) in enumerate(channels.moves):
        bone = acclaim.bones[order[joint]]
        place = rotate(bone.axes, pick_columns(values, own)) * acclaim.unit + skeleton.offsets[joint]
        if stretch >= 0:
            parent = acclaim.bones[acclaim.parents[order[joint]]]
            place = place + values[:, stretch, None] * np.array(parent.direction) * acclaim.unit
        places[:, n] = place
    return JointTranslations(np.array([move[0] for move in channels.moves], np.int32), places)


def pick_columns(values: Float64, columns: Sequence[int]) -> Float64:
    """(F, len(columns)) chosen columns, zeros where a column is -1."""
    picked = np.zeros((len(values), len(columns)))
    for n, column in enumerate(columns):
        if column >= 0:
            picked[:, n] = values[:, column]
    return picked
