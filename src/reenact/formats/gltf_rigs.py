"""Which nodes of a glTF file are skeletons, and their rest pose without scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.body.character import rest_world
from reenact.core import rotations
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError
from reenact.formats.gltf_document import Document
from reenact.formats.gltf_nodes import Nodes
from reenact.formats.gltf_scale import Stretch, absorb_scale, carry_root, is_plain, stretch_vectors
from reenact.formats.loaded import MAX_JOINTS

_MOST_RIGS = 256


@dataclass(frozen=True)
class Rig:
    """One skeleton of a file.

    Attributes:
        nodes: the node of each joint.
        skeleton: the joints, in metres, scale worked into the offsets.
        above: the nodes over the root, the topmost first; their transforms are part of the root's.
        stretches: for each joint the scale its rigid frame lost, a (1, 3, 3) matrix or one number.
        ends: the nodes of the end sites.
        skins: the skins that hang on this skeleton.
        title: what to call it among several.
        size: metres, the largest extent of the rest pose along an axis.
    """

    nodes: tuple[int, ...]
    skeleton: Skeleton
    above: tuple[int, ...]
    stretches: tuple[Stretch, ...]
    ends: tuple[int, ...]
    skins: tuple[int, ...]
    title: str
    size: float


def find_rigs(doc: Document, nodes: Nodes, animated: set[int]) -> list[Rig]:
    """The skeletons of a file: of its skins, else of its animated nodes, else of a bare tree of nodes.

    Skins belong to one skeleton when the tree of one lies within the tree of another.
    """
    skins = [doc.references(skin, "joints", "nodes", f"skins[{i}]") for i, skin in enumerate(doc.objects("skins"))]
    for i, joints in enumerate(skins):
        if not joints:
            doc.quirk("empty-skin", f"skins[{i}]", "has no joints; ignored")
    groups: list[tuple[int, set[int], list[int]]] = []  # root node, joints, skins
    roots = [(common_root(nodes, joints), set(joints), [i]) for i, joints in enumerate(skins) if joints]
    loose = [entry for entry in roots if entry[0] < 0]
    if loose:
        doc.note(
            "no-common-root",
            "warning",
            "skins",
            "joints of one skin stand in different trees; a root was added",
            fixed=True,
        )
        joints = set().union(*(entry[1] for entry in roots))
        return [_make_rig(doc, nodes, -1, joints, [i for entry in roots for i in entry[2]], animated, whole=False)]
    for root, joints, members in sorted(roots, key=lambda entry: (nodes.first[entry[0]], -nodes.last[entry[0]])):
        if groups and nodes.first[root] < nodes.last[groups[-1][0]]:
            groups[-1][1].update(joints)
            groups[-1][2].extend(members)
        else:
            groups.append((root, joints, members))
    if len(groups) > _MOST_RIGS:
        doc.fail(f"the file holds {len(groups)} separate skeletons, at most {_MOST_RIGS} are read")
    if groups:
        return [_make_rig(doc, nodes, root, joints, members, animated, whole=False) for root, joints, members in groups]
    if animated:
        by_tree: dict[int, list[int]] = {}
        tree_of: dict[int, int] = {}
        for node in nodes.order:
            tree_of[node] = tree_of.get(int(nodes.parents[node]), node)
        for node in sorted(animated):
            by_tree.setdefault(tree_of[node], []).append(node)
        if len(by_tree) > _MOST_RIGS:
            doc.fail(f"the file animates {len(by_tree)} separate trees of nodes, at most {_MOST_RIGS} are read")
        return [
            _make_rig(doc, nodes, common_root(nodes, found), set(found), [], animated, whole=True)
            for found in by_tree.values()
        ]
    if nodes.count > 1 and not any(mesh is not None for mesh in nodes.meshes):
        tops = [node for node in range(nodes.count) if nodes.parents[node] < 0]
        largest = max(tops, key=lambda node: int(nodes.last[node] - nodes.first[node]))
        return [_make_rig(doc, nodes, largest, {largest}, [], animated, whole=True)]
    return []


def common_root(nodes: Nodes, joints: Sequence[int]) -> int:
    """The lowest node that has all these joints at or below it; -1 when they stand in different trees."""
    first, last = min(nodes.first[j] for j in joints), max(nodes.first[j] for j in joints)
    node = nodes.order[first]
    while node >= 0 and nodes.last[node] <= last:
        node = int(nodes.parents[node])
    return node


def _make_rig(
    doc: Document, nodes: Nodes, root: int, joints: set[int], skins: list[int], animated: set[int], *, whole: bool
) -> Rig:
    members = _member_nodes(nodes, root, joints, animated, whole=whole)
    if len(members) > MAX_JOINTS:
        doc.fail(f"the skeleton has {len(members)} joints, expected at most {MAX_JOINTS}")
    order = _joint_order(doc, nodes, members, skins)
    slot = {node: joint for joint, node in enumerate(order)}
    between = [node for node in order if node >= 0 and node not in joints] if not whole else []
    if between:
        named = ", ".join(repr(nodes.names[node] or f"nodes[{node}]") for node in between[:4])
        doc.note(
            "extra-joints",
            "info",
            "skins",
            f"{len(between)} nodes that are no joints carry joints and were kept: {named}",
            fixed=True,
        )
    # Where no node is over all joints the added root is joint 0, and nodes without a parent hang on it.
    parents = [-1, *(slot.get(int(nodes.parents[node]), 0) for node in order[1:])]
    above = nodes.above(root) if root >= 0 else []
    ends = tuple(
        node
        for node in range(nodes.count)
        if nodes.parents[node] >= 0
        and int(nodes.parents[node]) in slot
        and node not in slot
        and not nodes.children[node]
        and not nodes.carries[node]
        and node not in animated
    )
    skeleton, stretches = _rest(doc, nodes, order, parents, above, ends, slot)
    title = next((nodes.names[node] for node in reversed([*above, order[0]]) if node >= 0 and nodes.names[node]), "")
    size = float(np.ptp(rest_world(skeleton).positions[0], axis=0).max())
    return Rig(tuple(order), skeleton, tuple(above), stretches, ends, tuple(skins), title, size)


def _member_nodes(nodes: Nodes, root: int, joints: set[int], animated: set[int], *, whole: bool) -> list[int]:
    """The joints and what lies between them, parents first; with `whole` everything below the root but what it only shows."""
    inside = nodes.subtree(root) if root >= 0 else nodes.order
    if whole:
        return [
            node
            for node in inside
            if node == root or node in animated or nodes.children[node] or not nodes.carries[node]
        ]
    needed = np.zeros(nodes.count, bool)
    for node in reversed(inside):
        if node in joints or needed[node]:
            needed[node] = True
            if nodes.parents[node] >= 0 and node != root:
                needed[nodes.parents[node]] = True
    return [*([-1] if root < 0 else []), *(node for node in inside if needed[node])]


def _joint_order(doc: Document, nodes: Nodes, members: list[int], skins: list[int]) -> list[int]:
    """The order of a skin that holds exactly these joints, where it puts parents first; else depth first."""
    for skin in skins:
        listed = doc.references(doc.objects("skins")[skin], "joints", "nodes", f"skins[{skin}]")
        if len(listed) != len(members) or set(listed) != set(members):
            continue
        place = {node: at for at, node in enumerate(listed)}
        if (
            all(place.get(int(nodes.parents[node]), -1) < at for at, node in enumerate(listed))
            and listed[0] == members[0]
        ):
            return listed
        doc.note("joint-order", "info", f"skins[{skin}]", "joints stand before their parents; put in order", fixed=True)
    return members


def _rest(
    doc: Document,
    nodes: Nodes,
    order: list[int],
    parents: list[int],
    above: list[int],
    ends: tuple[int, ...],
    slot: dict[int, int],
) -> tuple[Skeleton, tuple[Stretch, ...]]:
    """The skeleton in its rest pose, and the scale of each joint that its rigid frame lost."""
    chain = [*above, *order]
    chain_parents = [i - 1 for i in range(len(above))] + [len(above) - 1 if p < 0 else p + len(above) for p in parents]
    turns = np.array([nodes.rotations[node] if node >= 0 else (1.0, 0, 0, 0) for node in chain])
    moves = np.array([nodes.translations[node] if node >= 0 else (0.0, 0, 0) for node in chain])
    scales = np.array([nodes.scales[node] if node >= 0 else (1.0, 1, 1) for node in chain])
    offsets, stretches = absorb_scale(chain_parents, list(turns[:, None]), list(moves[:, None]), list(scales[:, None]))
    position, turn = carry_root(list(turns[: len(above), None]), offsets[: len(above) + 1])
    local = turns[len(above) :].copy()
    local[0] = rotations.multiply(turn[0], local[0]) if above else local[0]
    found = np.array([offset[0] for offset in offsets[len(above) :]])
    found[0] = position[0]
    stretches = stretches[len(above) :]
    end_joints = [slot[int(nodes.parents[node])] for node in ends]
    end_offsets = [
        stretch_vectors(stretches[j], nodes.translations[node][None])[0]
        for j, node in zip(end_joints, ends, strict=True)
    ]
    if not (np.isfinite(found).all() and np.isfinite(end_offsets).all() and max(np.abs(found).max(), 0) < 1e12):
        doc.fail("the nodes' translations and scales multiply to numbers beyond all measure")
    if any(not is_plain(stretch) for stretch in stretches):
        shown = next(stretch for stretch in stretches if not is_plain(stretch))
        size = float(np.cbrt(abs(np.linalg.det(shown[0])))) if isinstance(shown, np.ndarray) else shown
        doc.note(
            "scale", "info", "nodes", f"nodes have scale (about {size:.6g}); it was worked into the offsets", fixed=True
        )
    names = _unique_names(doc, [nodes.names[node] if node >= 0 else "root" for node in order], order)
    try:
        skeleton = Skeleton(
            names, np.array(parents), found, local, np.array(end_joints, np.int32), np.array(end_offsets).reshape(-1, 3)
        )
    except SkeletonError as error:
        doc.fail(str(error))
    return skeleton, tuple(stretches)


def _unique_names(doc: Document, names: list[str], order: list[int]) -> tuple[str, ...]:
    """Every joint with a name of its own: missing ones are made from the node, repeated ones get a number."""
    missing = sum(not name for name in names)
    if missing:
        doc.note(
            "no-name",
            "info",
            "nodes",
            f"{missing} of {len(names)} joints have no name; named after their node",
            fixed=True,
        )
    found = make_unique([name or f"node_{node}" for name, node in zip(names, order, strict=True)])
    repeated = [name for name, unique in zip(names, found, strict=True) if name and unique != name]
    if repeated:
        message = f"{len(repeated)} joints share a name ({repeated[0]!r}, ...) and got a number"
        doc.note("same-name", "warning", "nodes", message, fixed=True)
    return tuple(found)


def make_unique(names: Sequence[str]) -> list[str]:
    """The names with a number behind each that stands for a second time; a number that another name has already is passed over."""
    taken = set(names)
    seen: set[str] = set()
    numbers: dict[str, int] = {}
    found = []
    for name in names:
        unique = name
        while unique in seen or (unique != name and unique in taken):
            numbers[name] = numbers.get(name, 1) + 1
            unique = f"{name}_{numbers[name]}"
        seen.add(unique)
        found.append(unique)
    return found
