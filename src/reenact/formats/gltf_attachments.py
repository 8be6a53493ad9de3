"""Cameras and lights that hang on the joints of a glTF file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from reenact.body.attachments import Attachment
from reenact.core.arrays import Float64
from reenact.errors import FormatError
from reenact.formats.gltf_document import Document, Json
from reenact.formats.gltf_nodes import Nodes

LIGHTS = "KHR_lights_punctual"
_LONGEST = 4096  # characters of the JSON of a camera or light


def read_attachments(doc: Document, nodes: Nodes, owners: Mapping[int, tuple[int, Float64]]) -> list[Attachment]:
    """The cameras and lights among some nodes, each with its joint and the joint's frame from its own."""
    found: list[Attachment] = []
    for node, entry in enumerate(doc.objects("nodes")):
        if "camera" not in entry and "extensions" not in entry:
            continue
        where = f"nodes[{node}]"
        try:
            camera = _text(_camera(doc, entry, where))
            light = _text(_light(doc, entry, where))
        except FormatError as error:
            doc.quirk("attachment", where, f"its camera or light is left out: {error.message}")
            continue
        if not camera and not light:
            continue
        if node not in owners or nodes.meshes[node] is not None:
            doc.note("attachment", "info", where, "its camera or light follows no joint; left out")
            continue
        joint, place = owners[node]
        if not np.isfinite(place).all() or np.linalg.det(place[:3, :3]) == 0:
            doc.quirk("attachment", where, "its camera or light stands nowhere; left out")
            continue
        found.append(Attachment(nodes.names[node], joint, place, camera, light))
    return found


def _camera(doc: Document, entry: Json, where: str) -> Json | None:
    index = doc.reference(entry, "camera", "cameras", where)
    return None if index is None else doc.objects("cameras")[index]


def _light(doc: Document, entry: Json, where: str) -> Json | None:
    described = doc.object(doc.object(entry, "extensions", where) or {}, LIGHTS, where)
    if described is None:
        return None
    holder = doc.object(doc.object(doc.tree, "extensions", "") or {}, LIGHTS, "extensions") or {}
    lights = doc.objects("lights", holder, f"extensions.{LIGHTS}")
    index = doc.integer(described, "light", where)
    if index >= len(lights):
        doc.fail(f"{where}: names light {index}, there are {len(lights)}")
    return lights[index]


def _text(described: Json | None) -> str:
    if described is None:
        return ""
    try:
        text = json.dumps(described, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError):
        text = ""
    if not text or len(text) > _LONGEST:
        raise FormatError("it cannot be kept")
    return text


def add_attachments(attachments: tuple[Attachment, ...], nodes: list[dict[str, Any]], tree: dict[str, Any]) -> None:
    """Write attachments as nodes below their joints, whose nodes come first."""
    lights: list[Any] = []
    for one in attachments:
        node: dict[str, Any] = {"name": one.name} if one.name else {}
        if not np.array_equal(one.place, np.eye(4)):
            node["matrix"] = one.place.T.reshape(-1).tolist()
        if one.camera:
            tree.setdefault("cameras", []).append(json.loads(one.camera))
            node["camera"] = len(tree["cameras"]) - 1
        if one.light:
            lights.append(json.loads(one.light))
            node["extensions"] = {LIGHTS: {"light": len(lights) - 1}}
        nodes[one.joint].setdefault("children", []).append(len(nodes))
        nodes.append(node)
    if lights:
        tree.setdefault("extensions", {})[LIGHTS] = {"lights": lights}
        tree.setdefault("extensionsUsed", []).append(LIGHTS)
