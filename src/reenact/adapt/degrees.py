"""Degrees of freedom of a stage: turns of joints over time, some of which go together, and how points of the body follow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact import kernels
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float, Float64, Int32
from reenact.core.clip import Clip, World
from reenact.core.skeleton import Skeleton

_SMALL = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A joint that a degree of freedom turns.

    Attributes:
        joint: the joint.
        axis: (F, 3) the axis it is turned about before its own rotation, in its parent's frame; its length says by how much.
    """

    joint: int
    axis: Float


@dataclass(frozen=True, slots=True, eq=False)
class Degree:
    """One degree of freedom.

    Attributes:
        name: for people and files.
        links: the joints it turns; several turn together.
        most: radians, bound to both sides; `least` is the lower one where they differ.
        stiff: how dear a radian is, against 1.
        least: radians.
    """

    name: str
    links: tuple[Link, ...]
    most: float = np.pi / 2
    stiff: float = 1.0
    least: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Posed:
    """A motion with some turns added.

    Attributes:
        values: (F, D) radians.
        world: joints in the world, float64.
        origins: (F, L, 3) metres, the joints that turn.
        spins: (F, L, 3) axes in the world they turn about, per radian.
    """

    values: Float64
    world: World
    origins: Float64
    spins: Float64


class Degrees:
    """All degrees of freedom of a stage on some frames of a motion."""

    def __init__(self, clip: Clip, degrees: Sequence[Degree]) -> None:
        self.clip = clip
        self.degrees = tuple(degrees)
        self.links = [link for degree in degrees for link in degree.links]
        self.of_link = np.array([n for n, degree in enumerate(degrees) for _ in degree.links], np.int32)
        self.joints = sorted({link.joint for link in self.links})
        self._local = clip.rotations.astype(np.float64)
        self._root = clip.root.astype(np.float64)
        self.stiffness = np.array([degree.stiff for degree in degrees])
        self.high = np.array([degree.most for degree in degrees])
        self.low = np.array([-degree.most if degree.least is None else degree.least for degree in degrees])

    def __len__(self) -> int:
        return len(self.degrees)

    def vectors(self, values: Float64) -> dict[int, Float64]:
        """Joint -> (F, 3) rotation vectors in its parent's frame."""
        found = {joint: np.zeros((len(values), 3)) for joint in self.joints}
        for number, link in zip(self.of_link, self.links, strict=True):
            found[link.joint] += values[:, number, None] * link.axis
        return found

    def pose(self, values: Float64, *, slopes: bool = True) -> Posed:
        """The motion with these turns."""
        local = self._local.copy()
        vectors = self.vectors(values)
        for joint, vector in vectors.items():
            local[:, joint] = R.multiply(R.exp(vector), local[:, joint])
        moved = self.clip.translations
        world = World(
            *kernels.kinematics.forward_kinematics(
                local,
                self._root,
                self.clip.skeleton.offsets,
                self.clip.skeleton.parents,
                None if moved is None else moved.joints,
                None if moved is None else moved.values.astype(np.float64),
            )
        )
        origins, spins = np.zeros((2, len(values), len(self.links), 3))
        if slopes:
            for place, link in enumerate(self.links):
                origins[:, place] = world.positions[:, link.joint]
                spun = _left_jacobian(vectors[link.joint], link.axis)
                parent = self.clip.skeleton.parents[link.joint]
                spins[:, place] = spun if parent < 0 else R.rotate(world.rotations[:, parent], spun)
        return Posed(values, world, origins, spins)

    def moves(self, joints: Sequence[int]) -> Bool:
        """(L, N) whether each link moves what follows each of some joints."""
        above = [set(self.clip.skeleton.ancestors(int(joint))) for joint in joints]
        return np.array([[link.joint in line for line in above] for link in self.links], np.bool_).reshape(
            len(self.links), len(joints)
        )

    def point_slopes(self, posed: Posed, points: Float, joint: int) -> Float64:
        """(F, D, 3) metres per radian, how points (F, 3) that follow a joint move with each degree of freedom."""
        found = np.zeros((len(points), len(self), 3))
        for place in np.flatnonzero(self.moves([joint])[:, 0]):
            found[:, self.of_link[place]] += np.cross(posed.spins[:, place], points - posed.origins[:, place])
        return found

    def way_slopes(self, posed: Posed, ways: Float, joint: int) -> Float64:
        """(F, D, 3) per radian, how directions (F, 3) that follow a joint turn with each degree of freedom."""
        found = np.zeros((len(ways), len(self), 3))
        for place in np.flatnonzero(self.moves([joint])[:, 0]):
            found[:, self.of_link[place]] += np.cross(posed.spins[:, place], ways)
        return found


def _left_jacobian(vector: Float64, axis: Float) -> Float:
    """(F, 3) how fast the turn by a rotation vector turns when the vector grows along an axis."""
    angle = np.linalg.norm(vector, axis=1)
    near = angle < _SMALL
    safe = np.where(near, 1.0, angle)
    first = np.where(near, 0.5, (1 - np.cos(safe)) / safe**2)[:, None]
    second = np.where(near, 1 / 6, (safe - np.sin(safe)) / safe**3)[:, None]
    once = np.cross(vector, axis)
    return axis + first * once + second * np.cross(vector, once)


def world_axis(clip: Clip, world: World, joint: int, axis: Float) -> Float:
    """(F, 3) an axis given in the world (F, 3) or (3,), in the frame of a joint's parent."""
    parent = int(clip.skeleton.parents[joint])
    axis = np.broadcast_to(axis, (len(clip), 3))
    return axis if parent < 0 else R.rotate(R.conjugate(world.rotations[:, parent]), axis)


def swing_axes(ways: Float) -> tuple[Float, Float]:
    """Two axes (F, 3) across directions (F, 3) and each other, which turn along with them and not about them."""
    ways = ways / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-12)
    start = np.zeros(3)
    start[np.abs(ways[0]).argmin()] = 1.0
    first = kernels.circle_splines.carry_axis(ways, start)
    return first, np.cross(ways, first)


def limb_way(skeleton: Skeleton, world: World, joint: int, below: int) -> Float64:
    """(F, 3) unit directions from a joint to one below it."""
    way = world.positions[:, below] - world.positions[:, joint]
    return way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)


def link_joints(links: Sequence[Link]) -> Int32:
    """(L,) joints."""
    return np.array([link.joint for link in links], np.int32)
