"""A character: a skeleton with a mesh that follows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from reenact import kernels
from reenact.body.attachments import Attachment
from reenact.body.influences import Influences, compact_influences
from reenact.body.materials import Material
from reenact.body.morphs import MorphTarget
from reenact.body.skinning import skin
from reenact.core import rotations
from reenact.core.arrays import Float, Float32, Float64, Int32, frozen
from reenact.core.clip import World
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError

_SUM_TOLERANCE = 1e-3  # how far a vertex's weights may add up from 1


@dataclass(frozen=True, eq=False)
class Character:
    """A mesh bound to a skeleton: each vertex follows a few joints.

    The mesh may be empty: a bare rig.

    Attributes:
        skeleton: the joints.
        vertices: (V, 3) float32 metres, in the bind pose.
        faces: (T, 3) int32 triangles, counter-clockwise seen from outside.
        weight_joints: (V, K) int32, the joints each vertex follows; entries with weight 0 count for nothing.
        weights: (V, K) float32, how much; each row adds up to 1.
        inverse_binds: (J, 4, 4) float64, for each joint the map from mesh space (where `vertices` are given) to the joint's frame in
            the bind pose.
        normals: (V, 3) float32 unit vectors, or None.
        uvs: (V, 2) float32 texture coordinates, (0, 0) at the upper left of the image, or None.
        color: linear RGBA, 0..1, of a mesh without materials; of one with materials their base colour, where it is one.
        vertex_colors: (V, 4) float32 linear RGBA, multiplied with `color` or the base colours; None where there are none.
        name: for people.
        materials: what the faces are made of; empty for a plain mesh of one `color`.
        face_materials: (T,) int32, the material of each face; None where all have the first.
        more_uvs: further sets of texture coordinates, each (V, 2) float32; a texture's `uv_set` 1 is the first of them.
        tangents: (V, 4) float32 along u, with the handedness in the fourth; zeros at vertices that have none. None where nobody has.
        morphs: shapes the mesh can be moved towards.
        parts: names of the meshes it was put together from (body, sword, helmet); empty for one mesh.
        vertex_parts: (V,) int32, the part of each vertex; a face lies within one part. None without parts.
        attachments: cameras, lights and empty nodes that follow joints.
    """

    skeleton: Skeleton
    vertices: Float32
    faces: Int32
    weight_joints: Int32
    weights: Float32
    inverse_binds: Float64
    normals: Float32 | None = None
    uvs: Float32 | None = None
    color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    vertex_colors: Float32 | None = None
    name: str = field(default="")
    materials: tuple[Material, ...] = ()
    face_materials: Int32 | None = None
    more_uvs: tuple[Float32, ...] = ()
    tangents: Float32 | None = None
    morphs: tuple[MorphTarget, ...] = ()
    parts: tuple[str, ...] = ()
    vertex_parts: Int32 | None = None
    attachments: tuple[Attachment, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        try:
            put(self, "vertices", frozen(self.vertices, np.float32, (None, 3), "vertices"))
            count, joints = len(self.vertices), len(self.skeleton)
            put(self, "faces", frozen(self.faces, np.int32, (None, 3), "faces"))
            put(self, "weight_joints", frozen(self.weight_joints, np.int32, (count, None), "weight_joints"))
            influences = self.weight_joints.shape[1]
            put(self, "weights", frozen(self.weights, np.float32, (count, influences), "weights"))
            put(self, "inverse_binds", frozen(self.inverse_binds, np.float64, (joints, 4, 4), "inverse_binds"))
            for what, width in (("normals", 3), ("uvs", 2), ("vertex_colors", 4), ("tangents", 4)):
                values = getattr(self, what)
                if values is not None:
                    put(self, what, frozen(values, np.float32, (count, width), what))
            put(self, "more_uvs", tuple(frozen(uvs, np.float32, (count, 2), "more_uvs") for uvs in self.more_uvs))
            for what, rows in (("face_materials", len(self.faces)), ("vertex_parts", count)):
                values = getattr(self, what)
                if values is not None:
                    put(self, what, frozen(values, np.int32, (rows,), what))
            for what in ("materials", "morphs", "parts", "attachments"):
                put(self, what, tuple(getattr(self, what)))
            put(self, "color", tuple(float(c) for c in self.color))
        except ValueError as error:
            raise ParameterError(str(error)) from None
        self._check_values()
        self._check_looks()

    def _check_values(self) -> None:
        count = len(self.vertices)
        for what in ("vertices", "weights", "inverse_binds", "normals", "uvs", "vertex_colors", "tangents"):
            values = getattr(self, what)
            if values is not None and not np.isfinite(values).all():
                raise ParameterError(f"{what} hold values that are not finite")
        if self.faces.size and (self.faces.min() < 0 or self.faces.max() >= count):
            raise ParameterError(
                f"faces name vertices from {self.faces.min()} to {self.faces.max()}, there are {count}"
            )
        named = self.weight_joints
        if named.size and (named.min() < 0 or named.max() >= len(self.skeleton)):
            raise ParameterError(
                f"weights name joints from {named.min()} to {named.max()}, there are {len(self.skeleton)}"
            )
        if count:
            if self.weights.size and self.weights.min() < 0:
                raise ParameterError(f"weights must not be negative, found {self.weights.min()}")
            off = np.abs(self.weights.sum(axis=1) - 1)
            if off.max() > _SUM_TOLERANCE:
                vertex = int(off.argmax())
                raise ParameterError(f"weights of vertex {vertex} add up to {self.weights[vertex].sum():g}, expected 1")
        if np.any(np.abs(self.inverse_binds[:, 3] - (0, 0, 0, 1)) > 1e-6):
            raise ParameterError("the last row of an inverse bind matrix must be 0 0 0 1")
        if np.any(np.linalg.det(self.inverse_binds[:, :3, :3]) == 0):
            raise ParameterError("an inverse bind matrix cannot be inverted")
        if len(self.color) != 4 or not all(0 <= c <= 1 for c in self.color):
            raise ParameterError(f"color must be four numbers from 0 to 1, not {self.color}")

    def _check_looks(self) -> None:
        """Materials, parts, morph targets and attachments name what is there."""
        _check_numbers(self.face_materials, len(self.materials), "face_materials", "materials")
        _check_numbers(self.vertex_parts, len(self.parts), "vertex_parts", "parts")
        if self.parts and self.vertex_parts is None:
            raise ParameterError("a character of parts needs vertex_parts", where="vertex_parts")
        if self.vertex_parts is not None and len(self.faces):
            of_corners = self.vertex_parts[self.faces]
            if (of_corners != of_corners[:, :1]).any():
                raise ParameterError("a face lies within one part of the mesh", where="vertex_parts")
        if not all(np.isfinite(uvs).all() for uvs in self.more_uvs):
            raise ParameterError("more_uvs hold values that are not finite")
        if len({target.name for target in self.morphs}) < len(self.morphs):
            raise ParameterError("two morph targets have the same name", where="morphs")
        for target in self.morphs:
            if len(target.vertices) and target.vertices[-1] >= len(self.vertices):
                raise ParameterError(
                    f"the morph target {target.name!r} moves vertex {target.vertices[-1]}, there are {len(self.vertices)}"
                )
        _check_numbers(np.array([one.joint for one in self.attachments]), len(self.skeleton), "attachments", "joints")

    def __repr__(self) -> str:
        return f"Character({self.name!r}, {len(self.vertices)} vertices, {len(self.faces)} faces, {len(self.skeleton)} joints)"

    @cached_property
    def influences(self) -> Influences:
        """What each vertex follows, without the entries that count for nothing."""
        return compact_influences(self.weight_joints, self.weights)

    def skinned(self, world: World) -> Float32:
        """(F, V, 3) float32 metres: the vertices in every frame, by linear-blend skinning; see `body.skinning.skin` for more."""
        return skin(self, world).vertices

    def bind_world(self) -> World:
        """The joints in the bind pose, one frame: skinning it gives `vertices`. Scale within the bind matrices is left out."""
        binds = np.linalg.inv(self.inverse_binds)
        axes = binds[:, :3, :3] / np.linalg.norm(binds[:, :3, :3], axis=1, keepdims=True)
        return World(binds[None, :, :3, 3], rotations.from_matrix(axes)[None])

    def rest_world(self) -> World:
        """The joints in the skeleton's rest pose, one frame, float64."""
        return rest_world(self.skeleton)


def _check_numbers(numbers: Int32 | None, count: int, what: str, named: str) -> None:
    if numbers is not None and numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise ParameterError(
            f"{what} name {named} from {numbers.min()} to {numbers.max()}, there are {count}", where=what
        )


def rest_world(skeleton: Skeleton) -> World:
    """The joints of a skeleton in its rest pose, one frame, float64."""
    found = kernels.kinematics.forward_kinematics(
        skeleton.rest[None], skeleton.offsets[:1], skeleton.offsets, skeleton.parents
    )
    return World(*found)


def rigid_inverse(positions: Float, turns: Float) -> Float64:
    """(J, 4, 4) inverses of rigid joint frames: `positions` (J, 3) and `turns` (J, 4) wxyz, world from joint."""
    back = np.swapaxes(rotations.to_matrix(np.asarray(turns, dtype=np.float64)), -1, -2)
    found = np.tile(np.eye(4), (len(back), 1, 1))
    found[:, :3, :3] = back
    found[:, :3, 3] = -np.einsum("jab,jb->ja", back, positions)
    return found
