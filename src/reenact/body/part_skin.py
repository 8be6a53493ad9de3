"""The skin of each part of a body as a closed surface of its own, in the bind pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.body.character import Character
from reenact.body.limb_parts import GROUPS, LimbPart, limb_parts, part_of_vertices
from reenact.core.arrays import Float, Float64, Int, Int32
from reenact.core.role_finding import assign_roles
from reenact.errors import ParameterError

_WELD = 1e-5  # of the body's size: vertices this near are one: meshes are cut open where their textures are
_FEWEST = 4  # faces of a part that has skin


@dataclass(frozen=True, slots=True, eq=False)
class BodySkin:
    """A character's mesh, welded and shared out among the parts of its body.

    Attributes:
        parts: the parts.
        places: (N, 3) metres, the welded vertices in the bind pose, mesh space times `scale`.
        faces: (T, 3) triangles of welded vertices.
        welded: (V,) the welded vertex of each vertex of the mesh.
        first: (N,) one vertex of the mesh for each welded one.
        part: (N,) number of the part each welded vertex belongs to.
        face_part: (T,) number of the part each face belongs to: that of most of its corners.
        inverse_binds: (J, 4, 4) from `places` to the joints' frames, metres.
    """

    parts: tuple[LimbPart, ...]
    places: Float64
    faces: Int32
    welded: Int32
    first: Int32
    part: Int32
    face_part: Int32
    inverse_binds: Float64

    def local(self, vertices: Int32, joint: int) -> Float64:
        """(N, 3) welded vertices in the frame of a joint, metres."""
        to = self.inverse_binds[joint]
        return self.places[vertices] @ to[:3, :3].T + to[:3, 3]

    def number(self, name: str) -> int:
        """The number of a part by its name; -1 where there is none."""
        return next((n for n, part in enumerate(self.parts) if part.name == name), -1)

    def group_faces(self, group: str) -> Int32:
        """(T, 3) faces of a limb."""
        return self.faces[self.of_groups[self.face_part] == GROUPS.index(group)]  # type: ignore[arg-type]

    @property
    def of_groups(self) -> Int32:
        """(P,) for each part the number of its group in `GROUPS`."""
        return np.array([GROUPS.index(part.group) for part in self.parts], np.int32)


def body_skin(character: Character) -> BodySkin:
    """The welded mesh of a character, shared out among the parts of its body.

    Raises:
        ParameterError: the character has no mesh, or none of its vertices follow a joint.
        SkeletonError: it is no body with hips and legs.
    """
    if not len(character.faces):
        raise ParameterError("the character has no mesh", where=character.name)
    if not character.weights.size or len(character.skeleton) < 2:
        raise ParameterError("the mesh is not skinned: it hangs on one joint", where=character.name)
    skeleton, _ = assign_roles(character.skeleton)
    parts = limb_parts(skeleton)
    size = np.ptp(character.vertices, axis=0).max()
    keys = np.round(character.vertices / max(size * _WELD, 1e-12)).astype(np.int64)
    _, first, welded = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    welded = welded.reshape(-1)
    faces = welded[character.faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])]
    # scale within the bind matrices belongs to the mesh: places are metres, and the matrices rigid
    scale = np.linalg.norm(character.inverse_binds[parts[0].joint, :3, 0])
    binds = character.inverse_binds.copy()
    binds[:, :3, :3] /= scale
    part = part_of_vertices(character, parts)[first]
    corners = part[faces]
    most = np.where(corners[:, 1] == corners[:, 2], corners[:, 1], corners[:, 0])
    if not len(faces):
        raise ParameterError("the mesh has no face with an area", where=character.name)
    return BodySkin(
        parts,
        character.vertices[first].astype(np.float64) * scale,
        faces.astype(np.int32),
        welded.astype(np.int32),
        first.astype(np.int32),
        part.astype(np.int32),
        most.astype(np.int32),
        binds,
    )


def open_edges(faces: Int) -> Int:
    """(E, 2) directed edges of faces that no other face runs along the other way: the rims of holes."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).astype(np.int64)
    count = int(edges.max()) + 1 if len(edges) else 1
    there, back = edges[:, 0] * count + edges[:, 1], edges[:, 1] * count + edges[:, 0]
    return edges[~np.isin(there, back)].astype(np.int32)


def closed_faces(places: Float, faces: Int) -> tuple[Float, Int]:
    """Vertices and faces of a patch of skin whose holes are closed, each by a fan around the middle of its rim.

    Returns:
        The places with the middles of the fans after them, and all faces.
    """
    rims = open_edges(faces)
    if not len(rims):
        return places, faces
    more, fans = [], []
    for rim in _joined_rims(rims):
        middle = len(places) + len(more)
        more.append(places[np.unique(rim)].mean(axis=0))
        fans.append(np.column_stack([rim[:, 1], rim[:, 0], np.full(len(rim), middle)]))
    return np.concatenate([places, more]), np.concatenate([faces, *fans]).astype(np.int32)


def _joined_rims(edges: Int) -> list[Int]:
    """Edges sorted into connected rims."""
    names, flat = np.unique(edges, return_inverse=True)
    flat = flat.reshape(edges.shape)
    root = np.arange(len(names))
    while True:  # the lowest number runs round each rim
        low = root.copy()
        np.minimum.at(low, flat[:, 0], root[flat[:, 1]])
        np.minimum.at(low, flat[:, 1], root[flat[:, 0]])
        low = low[low]
        if np.array_equal(low, root):
            break
        root = low
    of_edge = root[flat[:, 0]]
    return [edges[of_edge == which] for which in np.unique(of_edge)]


def has_skin(skin: BodySkin, part: int) -> bool:
    """Whether a part has enough faces to be a body."""
    return int(np.count_nonzero(skin.face_part == part)) >= _FEWEST
