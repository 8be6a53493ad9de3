"""Meshes of a glTF file bound to its skeletons: characters."""

from __future__ import annotations

import numpy as np

from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.core import rotations
from reenact.core.arrays import Float32, Float64, Int32
from reenact.core.skeleton import Skeleton
from reenact.formats.gltf_accessors import read_floats
from reenact.formats.gltf_attachments import read_attachments
from reenact.formats.gltf_document import Document
from reenact.formats.gltf_extras import read_character_name
from reenact.formats.gltf_geometry import GeometryReader
from reenact.formats.gltf_materials import MaterialReader
from reenact.formats.gltf_nodes import Nodes
from reenact.formats.gltf_parts import CharacterParts, Part, join_parts
from reenact.formats.gltf_rigs import Rig

_ROUNDED = 0.02  # weights of a vertex add up to 1 but for this where they are stored in bytes
_SAME_BIND = 1e-4  # bind matrices this near to each other (share of the skeleton's size) are one


def read_characters(doc: Document, nodes: Nodes, rigs: list[Rig]) -> list[Character]:
    """The skinned meshes of each skeleton with what hangs rigidly on its joints; without any skeleton the meshes alone."""
    reader, materials = GeometryReader(doc), MaterialReader(doc)
    found: list[tuple[Skeleton, CharacterParts]] = []
    for rig in rigs:
        builds = _collect_skinned(doc, nodes, rig, reader)
        _collect_rigid(doc, nodes, rig, reader, builds)
        found.extend((rig.skeleton, build) for build in builds if build.parts)
    if not rigs:
        found = _read_unrigged(doc, nodes, reader)
    title = read_character_name(doc) if len(found) == 1 else ""
    return [join_parts(doc, materials, skeleton, build, title) for skeleton, build in found]


def bare_rig(rig: Rig, name: str) -> Character:
    """A character without a mesh, so that a skeleton that nothing animates is not lost."""
    rest = rest_world(rig.skeleton)
    return Character(
        rig.skeleton,
        vertices=np.zeros((0, 3), np.float32),
        faces=np.zeros((0, 3), np.int32),
        weight_joints=np.zeros((0, 1), np.int32),
        weights=np.zeros((0, 1), np.float32),
        inverse_binds=rigid_inverse(rest.positions[0], rest.rotations[0]),
        name=rig.title or name,
    )


def _collect_skinned(doc: Document, nodes: Nodes, rig: Rig, reader: GeometryReader) -> list[CharacterParts]:
    slot = {node: joint for joint, node in enumerate(rig.nodes)}
    builds: list[CharacterParts] = []
    home: dict[int, tuple[CharacterParts, Float64] | None] = {}
    for node in range(nodes.count):
        mesh, skin = nodes.meshes[node], nodes.skins[node]
        if mesh is None or skin is None or skin not in rig.skins:
            continue
        listed = [slot[one] for one in doc.references(doc.objects("skins")[skin], "joints", "nodes", f"skins[{skin}]")]
        if skin not in home:
            home[skin] = _settle(
                doc, rig, builds, _mesh_binds(doc, rig, skin, listed), nodes.world_matrices[node], skin
            )
        settled = home[skin]
        if settled is None:
            continue
        build, place = settled
        build.names.append(nodes.names[node])
        for geometry in reader.read_mesh(mesh):
            if geometry.joints is None or geometry.weights is None:
                doc.quirk(
                    "no-weights",
                    f"meshes[{mesh}]",
                    "is skinned but has no joints and weights; bound to the first joint",
                )
                joints, weights = (
                    np.zeros((len(geometry.vertices), 1), np.int32),
                    np.ones((len(geometry.vertices), 1), np.float32),
                )
            else:
                joints, weights = geometry.joints, geometry.weights
            joints, weights = _clean_weights(doc, joints, weights, len(listed), f"meshes[{mesh}]")
            build.parts.append(Part(len(build.names) - 1, geometry, place, np.array(listed, np.int32)[joints], weights))
    return builds


def _mesh_binds(doc: Document, rig: Rig, skin: int, listed: list[int]) -> dict[int, Float64]:
    """Inverse bind matrices by joint, scale of the joints worked in (they are rigid here)."""
    where = f"skins[{skin}]"
    source = doc.reference(doc.objects("skins")[skin], "inverseBindMatrices", "accessors", where)
    if source is None:
        matrices = np.tile(np.eye(4), (len(listed), 1, 1))
    else:
        matrices = (
            read_floats(doc, source, ("MAT4",), "inverse bind matrices")
            .reshape(-1, 4, 4)
            .swapaxes(1, 2)
            .astype(np.float64)
        )
        if len(matrices) < len(listed):
            doc.fail(f"{where}: {len(listed)} joints, but {len(matrices)} inverse bind matrices")
    found: dict[int, Float64] = {}
    for joint, matrix in zip(listed, matrices, strict=False):
        matrix[3] = (0, 0, 0, 1)
        found.setdefault(joint, _stretch_matrix(rig, joint) @ matrix)
    return found


def _stretch_matrix(rig: Rig, joint: int) -> Float64:
    """(4, 4) map from a joint's scaled frame to its rigid one."""
    stretch = rig.stretches[joint]
    found = np.eye(4)
    found[:3, :3] = stretch[0] if isinstance(stretch, np.ndarray) else stretch * np.eye(3)
    return found


def _settle(
    doc: Document, rig: Rig, builds: list[CharacterParts], binds: dict[int, Float64], shown: Float64, skin: int
) -> tuple[CharacterParts, Float64] | None:
    """The character a skin belongs to, and the map from its vertices into that character's mesh space.

    Mesh space is where the rest pose shows the mesh. Another skin joins a character when its bind matrices differ from the
    character's by one common map; else it is a character of its own, since a joint has one bind matrix.
    """
    place = _mesh_place(rig, binds, shown)
    if place is None or any(abs(np.linalg.det(bind[:3, :3])) < 1e-18 for bind in binds.values()):
        doc.damage("bind", f"skins[{skin}]", "bind matrices cannot be inverted; its meshes are left out")
        return None
    back = np.linalg.inv(place)
    binds = {joint: bind @ back for joint, bind in binds.items()}
    for build in builds:
        shared = [joint for joint in binds if joint in build.binds]
        maps = np.array([np.linalg.inv(build.binds[joint]) @ binds[joint] for joint in shared])
        if len(maps) and np.abs(maps - maps[0]).max() <= _SAME_BIND * max(1.0, rig.size):
            for joint, bind in binds.items():
                build.binds.setdefault(joint, bind @ np.linalg.inv(maps[0]))
            return build, maps[0] @ place
    if builds:
        doc.note(
            "several-binds",
            "info",
            f"skins[{skin}]",
            "is bound in another pose than the skin before; made a character of its own",
        )
    builds.append(CharacterParts(binds=binds))
    return builds[-1], place


def _mesh_place(rig: Rig, binds: dict[int, Float64], shown: Float64) -> Float64 | None:
    """Where the bind pose of a mesh is in the world: by its node where that has the size the joints give it, else by its first joint.

    glTF ignores the node of a skinned mesh, but exporters place it where the mesh was modelled, upright and in metres.
    """
    rest = rest_world(rig.skeleton)
    joint = min(binds)
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = rotations.to_matrix(rest.rotations[0, joint]), rest.positions[0, joint]
    by_joint = frame @ binds[joint]
    volumes = [float(np.linalg.det(matrix[:3, :3])) for matrix in (shown, by_joint)]
    if not np.isfinite(volumes).all() or abs(volumes[1]) < 1e-18:
        return None
    return shown if abs(volumes[0] / volumes[1] - 1) < 0.05 else by_joint


def _clean_weights(doc: Document, joints: Int32, weights: Float32, count: int, where: str) -> tuple[Int32, Float32]:
    """Weights that add up to 1, the largest first, without empty columns; joints of weight 0 are 0."""
    weights = np.maximum(weights, 0)
    lost = (joints >= count) & (weights > 0)
    if lost.any():
        doc.damage("weights", where, f"follows joint {int(joints[lost].max())} of a skin with {count}")
    weights = np.where(joints < count, weights, 0)
    total = weights.sum(axis=1, dtype=np.float64)
    empty = total <= 1e-12
    if empty.any():
        doc.quirk("zero-weights", where, f"{np.count_nonzero(empty)} vertices follow no joint; bound to the first")
        weights = weights.copy()
        weights[empty, 0] = 1
        joints = np.where(empty[:, None], 0, joints)
        total = np.where(empty, 1, total)
    off = np.abs(total - 1)
    if off.max(initial=0) > _ROUNDED:
        worst = float(total[off.argmax()])
        message = f"the weights of {np.count_nonzero(off > _ROUNDED)} vertices do not add up to 1 (one to {worst:.4g}); scaled to do so"
        doc.note("weights-sum", "warning", where, message, fixed=True)
    weights = (weights / total[:, None]).astype(np.float32)
    order = np.argsort(-weights, axis=1, kind="stable")
    weights, joints = np.take_along_axis(weights, order, 1), np.take_along_axis(joints, order, 1)
    used = max(1, int((weights > 0).any(axis=0).sum()))
    weights, joints = weights[:, :used], joints[:, :used]
    return np.where(weights > 0, joints, 0), weights


def _collect_rigid(doc: Document, nodes: Nodes, rig: Rig, reader: GeometryReader, builds: list[CharacterParts]) -> None:
    """Meshes without a skin below a joint follow that joint alone; so do cameras and lights."""
    slot = {node: joint for joint, node in enumerate(rig.nodes) if node >= 0}
    owner: dict[int, int] = {}  # node -> the joint at or above it
    below: dict[int, Float64] = {}  # node -> map from it to that joint
    for node in nodes.order:
        parent = int(nodes.parents[node])
        if node in slot:
            owner[node], below[node] = slot[node], np.eye(4)
        elif parent in owner:
            owner[node], below[node] = owner[parent], below[parent] @ nodes.local_matrix(node)
    hanging = [
        node for node in nodes.order if nodes.meshes[node] is not None and nodes.skins[node] is None and node in owner
    ]
    if not hanging and not builds:
        return
    if not builds:
        builds.append(CharacterParts())
    build = builds[0]
    build.attachments += read_attachments(
        doc, nodes, {node: (owner[node], _stretch_matrix(rig, owner[node]) @ below[node]) for node in owner}
    )
    if not hanging:
        return
    rest = rest_world(rig.skeleton)
    rest_binds = rigid_inverse(rest.positions[0], rest.rotations[0])
    for node in hanging:
        joint = owner[node]
        bind = build.binds.setdefault(joint, rest_binds[joint])
        _add_rigid(
            doc, nodes, node, reader, build, joint, np.linalg.inv(bind) @ _stretch_matrix(rig, joint) @ below[node]
        )
    doc.note(
        "rigid-parts",
        "info",
        "nodes",
        f"{len(hanging)} meshes without a skin hang on joints and were bound to them",
        fixed=True,
    )


def _add_rigid(
    doc: Document,
    nodes: Nodes,
    node: int,
    reader: GeometryReader,
    build: CharacterParts,
    joint: int,
    place: Float64,
) -> None:
    """The mesh of a node as a part that follows one joint."""
    mesh = nodes.meshes[node]
    if mesh is None:
        return
    build.names.append(nodes.names[node])
    for geometry in reader.read_mesh(mesh):
        count = len(geometry.vertices)
        joints, weights = np.full((count, 1), joint, np.int32), np.ones((count, 1), np.float32)
        build.parts.append(Part(len(build.names) - 1, geometry, place, joints, weights))


def _read_unrigged(doc: Document, nodes: Nodes, reader: GeometryReader) -> list[tuple[Skeleton, CharacterParts]]:
    """All meshes of a file without a skeleton, as one character with a single joint at the origin."""
    build = CharacterParts()
    for node in nodes.order:
        _add_rigid(doc, nodes, node, reader, build, 0, nodes.world_matrices[node])
    if not build.parts:
        return []
    build.attachments += read_attachments(doc, nodes, {node: (0, nodes.world_matrices[node]) for node in nodes.order})
    doc.note(
        "no-skeleton", "warning", "nodes", "the file has no skeleton; the mesh hangs on a single joint", fixed=True
    )
    return [(Skeleton(("root",), np.array([-1]), np.zeros((1, 3))), build)]
