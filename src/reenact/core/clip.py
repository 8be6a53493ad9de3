"""A clip: one recorded or made motion of one skeleton."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from reenact import kernels
from reenact.core.arrays import Float, Float32, Int32, frozen
from reenact.core.foot_plants import FootPlants
from reenact.core.origin import Origin
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True, eq=False)
class JointTranslations:
    """Positions of the joints that really move in their parent's frame (they replace `Skeleton.offsets`).

    Attributes:
        joints: (K,) int32, ascending, never the root.
        values: (F, K, 3) float32 metres.
    """

    joints: Int32
    values: Float32

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", frozen(self.joints, np.int32, (None,), "translated joints"))
        object.__setattr__(self, "values", frozen(self.values, np.float32, (None, len(self.joints), 3), "translations"))
        if np.any(self.joints < 1) or np.any(np.diff(self.joints) <= 0):
            raise ParameterError("translated joints must be ascending and may not hold the root")

    def __getitem__(self, frames: slice | np.ndarray) -> JointTranslations:
        return JointTranslations(self.joints, self.values[frames])


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Joints in the world: the result of forward kinematics.

    Attributes:
        positions: (F, J, 3) metres.
        rotations: (F, J, 4) wxyz, world from joint.
    """

    positions: Float
    rotations: Float

    def point(self, joint: int, offset: Float | tuple[float, float, float]) -> Float:
        """(F, 3) positions of a point fixed in a joint's frame, such as an end site."""
        from reenact.core.rotations import rotate

        return self.positions[:, joint] + rotate(
            self.rotations[:, joint], np.asarray(offset, dtype=self.positions.dtype)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """Motion of a skeleton at a fixed frame rate. Frame k is at time k / fps.

    Attributes:
        skeleton: the joints.
        rotations: (F, J, 4) float32 wxyz, local to the parent; the root's is its world rotation.
        root: (F, 3) float32 metres, world position of the root joint.
        fps: frames per second.
        name: for people; unique within a library.
        translations: only for joints that really move in their parent's frame.
        origin: how the file held it.
        pristine: True only for a clip exactly as a reader or the library delivered it. Every `dataclasses.replace` resets it,
            so an edit is never mistaken for the recording.
        plants: foot plants that travel with the motion: carried by the method that made it, read from its file or given by hand; None
            where nobody knows them. Set by `with_plants`; every `dataclasses.replace` drops them, so they never belong to other frames.
    """

    skeleton: Skeleton
    rotations: Float32
    root: Float32
    fps: float
    name: str = ""
    translations: JointTranslations | None = None
    origin: Origin = field(default_factory=Origin)
    pristine: bool = field(default=False, init=False)
    plants: FootPlants | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        rotations = frozen(self.rotations, np.float32, (None, len(self.skeleton), 4), "rotations")
        object.__setattr__(self, "rotations", rotations)
        object.__setattr__(self, "root", frozen(self.root, np.float32, (len(rotations), 3), "root"))
        if not (math.isfinite(self.fps) and self.fps > 0):
            raise ParameterError(f"fps must be a positive number, not {self.fps}")
        if self.translations is not None and len(self.translations.values) != len(rotations):
            raise ParameterError(
                f"translations hold {len(self.translations.values)} frames, rotations {len(rotations)}"
            )

    def __len__(self) -> int:
        return len(self.rotations)

    def __repr__(self) -> str:
        return f"Clip({self.name!r}, {len(self)} frames at {self.fps:g} Hz, {len(self.skeleton)} joints)"

    @property
    def frames(self) -> int:
        """Number of frames."""
        return len(self.rotations)

    @property
    def seconds(self) -> float:
        """Duration: frames / fps."""
        return len(self.rotations) / self.fps

    @property
    def times(self) -> Float:
        """(F,) seconds of every frame."""
        return np.arange(len(self.rotations)) / self.fps

    def world(self, dtype: type = np.float32) -> World:
        """Forward kinematics: positions and rotations of every joint in every frame."""
        moved = self.translations
        positions, rotations = kernels.kinematics.forward_kinematics(
            self.rotations.astype(dtype, copy=False),
            self.root.astype(dtype, copy=False),
            self.skeleton.offsets.astype(dtype),
            self.skeleton.parents,
            None if moved is None else moved.joints,
            None if moved is None else moved.values.astype(dtype, copy=False),
        )
        return World(positions, rotations)

    def same_body(self, other: Clip) -> bool:
        """True when a pose of one is that pose of the other: one tree, and equal offsets (of joints that do not move) and rest poses."""
        moving = [
            set() if clip.translations is None else {*clip.translations.joints.tolist()} for clip in (self, other)
        ]
        return self.skeleton.same_body(other.skeleton, moving=tuple(moving[0] & moving[1]))

    def as_recorded(self) -> Clip:
        """The same clip marked as exactly what was read; for readers and the library."""
        return self._kept(replace(self), pristine=True)

    def renamed(self, name: str) -> Clip:
        """The same motion under another name; stays pristine and keeps its plants."""
        return self._kept(replace(self, name=name))

    def with_skeleton(self, skeleton: Skeleton) -> Clip:
        """The same motion on an equal tree with other facts known about it (roles); stays pristine and keeps its plants."""
        return self._kept(replace(self, skeleton=skeleton))

    def with_origin(self, origin: Origin) -> Clip:
        """The same motion with other facts known about where it came from; stays pristine and keeps its plants."""
        return self._kept(replace(self, origin=origin))

    def with_plants(self, plants: FootPlants | None) -> Clip:
        """The same motion, with these foot plants to travel with it; None takes them away. Stays pristine.

        Raises:
            ParameterError: plants of another number of frames.
        """
        if plants is not None and len(plants) != len(self):
            raise ParameterError(f"the plants have {len(plants)} frames, the clip {len(self)}", where=self.name)
        clip = self._kept(replace(self))
        object.__setattr__(clip, "plants", plants)
        return clip

    def _kept(self, other: Clip, pristine: bool | None = None) -> Clip:
        """Another clip of the same motion, with what `replace` has reset."""
        object.__setattr__(other, "pristine", self.pristine if pristine is None else pristine)
        object.__setattr__(other, "plants", self.plants)
        return other
