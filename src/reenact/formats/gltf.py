"""glTF 2.0, binary (.glb) and text (.gltf): skeletons, motion and skinned meshes. The format is metres, Y up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from reenact.body.character import Character, rest_world
from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.formats.gltf_animations import animated_nodes, make_clips, read_animations
from reenact.formats.gltf_document import Document
from reenact.formats.gltf_extras import read_roles
from reenact.formats.gltf_meshes import bare_rig, read_characters
from reenact.formats.gltf_nodes import Nodes
from reenact.formats.gltf_rigs import Rig, find_rigs
from reenact.formats.gltf_write import write
from reenact.formats.loaded import Loaded, ReadOptions

__all__ = ["read", "write"]

_HEIGHTS = (0.1, 10.0)  # metres; a character outside was hardly modelled in metres


def read(path: Path, options: ReadOptions | None = None) -> Loaded:
    """All animations of a file as clips, all skinned meshes as characters.

    Args:
        path: a .glb or .gltf file; which of the two is seen from its first bytes.
        options: the tolerance is used.
    """
    options = ReadOptions() if options is None else options
    doc = Document(Path(path), options.tolerance)
    # Absurd numbers may overflow on the way; what comes out is checked to be finite, so NumPy need not warn in between.
    with np.errstate(all="ignore"):
        try:
            return _read_document(doc)
        except np.linalg.LinAlgError:
            doc.fail("a matrix of a node or a skin cannot be inverted")


def _read_document(doc: Document) -> Loaded:
    nodes = Nodes(doc)
    animations = read_animations(doc)
    rigs = find_rigs(doc, nodes, animated_nodes(animations))
    if len(rigs) == 1:
        rigs = [replace(rigs[0], skeleton=read_roles(doc, rigs[0].skeleton))]
    clips = make_clips(doc, nodes, rigs, animations)
    characters = read_characters(doc, nodes, rigs)
    if not clips and not characters:
        characters = [bare_rig(rig, doc.path.stem) for rig in rigs]
    if not clips and not characters:
        doc.fail("the file holds no skeleton, no animation and no mesh")
    for rig in rigs:
        _check_height(doc, rig, characters)
    findings = tuple(doc.findings)
    clips = [_with_findings(clip, findings) for clip in clips]
    return Loaded(tuple(clips), tuple(characters), findings, doc.format)


def _with_findings(clip: Clip, findings: tuple[Finding, ...]) -> Clip:
    """A recorded clip keeps what was noticed; one written here keeps its own origin."""
    if clip.origin.format not in ("glb", "gltf") or clip.origin.findings:
        return clip
    noted = replace(clip, origin=replace(clip.origin, findings=findings))
    return noted.as_recorded() if clip.pristine else noted


def _check_height(doc: Document, rig: Rig, characters: list[Character]) -> None:
    rest = rest_world(rig.skeleton)
    points = [rest.positions[0]]
    points += [one.vertices for one in characters if one.skeleton is rig.skeleton]
    every = np.vstack(points)
    height = float(np.ptp(every[:, 1]))
    size = float(np.ptp(every, axis=0).max())
    if len(rig.skeleton) > 1 and (size < _HEIGHTS[0] or height > _HEIGHTS[1]):
        message = f"the character is {min(size, height) if height > 0 else size:.4g} m high; glTF is in metres, so its units may be wrong"
        doc.note("size", "warning", rig.skeleton.names[0], message)
