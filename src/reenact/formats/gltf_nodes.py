"""The node graph of a glTF file: parents, order, names and local transforms."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from reenact.core import rotations
from reenact.core.arrays import Float, Float64
from reenact.formats.gltf_document import Document

_UNIT = (1.0, 0.0, 0.0, 0.0)
_IDENTITY = (1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0)


class Nodes:
    """All nodes of a file, checked to be a forest.

    Attributes:
        count: how many there are.
        names: as the file spells them; empty where it gives none.
        parents: (N,) int64, -1 for roots.
        children: for each node its children.
        order: every node, parents first, depth first.
        first, last: half-open range of a node's subtree within `order`.
        translations, rotations, scales: (N, 3), (N, 4) wxyz, (N, 3) float64 local transforms.
        meshes, skins: index or None.
        carries: True for a node that shows something (mesh, camera, light).
    """

    def __init__(self, doc: Document) -> None:
        entries = doc.objects("nodes")
        self.count = len(entries)
        self.names = [doc.text(entry, "name") for entry in entries]
        self.children = [doc.references(entry, "children", "nodes", f"nodes[{i}]") for i, entry in enumerate(entries)]
        self.meshes = [doc.reference(entry, "mesh", "meshes", f"nodes[{i}]") for i, entry in enumerate(entries)]
        self.skins = [doc.reference(entry, "skin", "skins", f"nodes[{i}]") for i, entry in enumerate(entries)]
        self.carries = ["mesh" in entry or "camera" in entry or "extensions" in entry for entry in entries]
        self.parents = np.full(self.count, -1, np.int64)
        for node, below in enumerate(self.children):
            for child in below:
                if self.parents[child] >= 0 or child == node:
                    doc.fail(
                        f"nodes[{child}] is a child of nodes[{self.parents[child]}] and of nodes[{node}]; nodes must form trees"
                    )
                self.parents[child] = node
        self._sort(doc)
        self.translations = np.zeros((self.count, 3))
        self.rotations = rotations.identity(self.count)
        self.scales = np.ones((self.count, 3))
        for node in range(self.count):
            self._read_transform(doc, node)
        self.rotations = unit_rotations(doc, self.rotations, "nodes")

    def _sort(self, doc: Document) -> None:
        self.order: list[int] = []
        self.first = np.zeros(self.count, np.int64)
        stack = [node for node in range(self.count - 1, -1, -1) if self.parents[node] < 0]
        while stack:
            node = stack.pop()
            self.first[node] = len(self.order)
            self.order.append(node)
            stack.extend(reversed(self.children[node]))
        if len(self.order) != self.count:
            inside = set(self.order)
            lost = next(node for node in range(self.count) if node not in inside)
            doc.fail(f"the children of nodes form a cycle through nodes[{lost}]")
        sizes = np.ones(self.count, np.int64)
        for node in reversed(self.order):
            if self.parents[node] >= 0:
                sizes[self.parents[node]] += sizes[node]
        self.last = self.first + sizes

    def _read_transform(self, doc: Document, node: int) -> None:
        entry, where = doc.objects("nodes")[node], f"nodes[{node}]"
        if "matrix" in entry:
            if any(key in entry for key in ("translation", "rotation", "scale")):
                doc.quirk("matrix", where, "has a matrix and a translation, rotation or scale; the matrix is used")
            matrix = doc.numbers(entry, "matrix", _IDENTITY, where).reshape(4, 4).T
            self.translations[node] = matrix[:3, 3]
            self.rotations[node], self.scales[node] = split_linear(matrix[:3, :3])
            return
        self.translations[node] = doc.numbers(entry, "translation", (0.0, 0.0, 0.0), where)
        self.scales[node] = doc.numbers(entry, "scale", (1.0, 1.0, 1.0), where)
        self.rotations[node] = doc.numbers(entry, "rotation", (0.0, 0.0, 0.0, 1.0), where)[[3, 0, 1, 2]]

    def subtree(self, node: int) -> list[int]:
        """A node and everything below it, parents first."""
        return self.order[self.first[node] : self.last[node]]

    def above(self, node: int) -> list[int]:
        """The ancestors of a node, the topmost first, without the node."""
        found = []
        while (node := int(self.parents[node])) >= 0:
            found.append(node)
        return found[::-1]

    def local_matrix(self, node: int) -> Float64:
        """(4, 4) parent from node."""
        found = np.eye(4)
        found[:3, :3] = rotations.to_matrix(self.rotations[node]) * self.scales[node]
        found[:3, 3] = self.translations[node]
        return found

    @cached_property
    def world_matrices(self) -> Float64:
        """(N, 4, 4) world from node, in the rest pose."""
        found = np.empty((self.count, 4, 4))
        for node in self.order:
            parent = self.parents[node]
            found[node] = self.local_matrix(node) if parent < 0 else found[parent] @ self.local_matrix(node)
        return found


def split_linear(linear: Float64) -> tuple[Float, Float]:
    """Rotation (4,) wxyz and scale (3,) of a 3x3 matrix; a mirrored one gets a negative first scale."""
    scale = np.linalg.norm(linear, axis=0)
    if np.linalg.det(linear) < 0:
        scale[0] = -scale[0]
    if np.any(np.abs(scale) < 1e-12) or not np.isfinite(scale).all():
        return np.array(_UNIT), scale
    return rotations.from_matrix(linear / scale), scale


def unit_rotations(doc: Document, q: np.ndarray, where: str) -> np.ndarray:
    """Quaternions made unit where they are not nearly so; a zero becomes the identity."""
    length = np.sqrt(np.einsum("...i,...i->...", q, q))
    off = np.abs(length - 1) > 1e-5
    if not off.any():
        return q
    empty = (length < 1e-12) | ~np.isfinite(length)
    if empty.any():
        doc.quirk("zero-rotation", where, f"{np.count_nonzero(empty)} rotations have no length; taken as no rotation")
    if np.abs(length[~empty] - 1).max(initial=0) > 0.01:
        doc.quirk("rotation-length", where, "rotations are not unit quaternions; made so")
    turned = q / np.where(empty | ~off, 1, length)[..., None].astype(q.dtype)
    turned[empty] = np.array(_UNIT, q.dtype)
    return turned
