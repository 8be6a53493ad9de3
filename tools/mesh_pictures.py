"""Characters painted as their meshes, for sheets that people look through: an orthographic view, faces shaded by where they look."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from reenact.body.character import Character
from reenact.core.arrays import Float
from reenact.core.clip import World

_LIGHT = np.array([0.35, 0.8, 0.5]) / np.linalg.norm([0.35, 0.8, 0.5])
_SIDES = {"left": (0.45, 0.62, 0.95), "right": (0.98, 0.66, 0.42), "": (0.80, 0.80, 0.82)}


def face_colors(character: Character) -> Float:
    """(T, 3) colours that tell left limbs from right ones."""
    side = np.zeros(len(character.skeleton), np.int32)
    for role, joint in character.skeleton.roles.items():
        if role.startswith(("left_", "right_")):
            side[list(character.skeleton.subtree(joint))] = 1 if role.startswith("left") else 2
    owner = character.weight_joints[np.arange(len(character.weights)), character.weights.argmax(axis=1)]
    table = np.array([_SIDES[""], _SIDES["left"], _SIDES["right"]])
    return table[side[owner[character.faces[:, 0]]]]


def paint_body(
    character: Character, world: World, frame: int, size: int, yaw: float = 35.0, tall: float | None = None
) -> Image.Image:
    """A picture (size, size) of one frame; the floor at height 0 is drawn as a line through the body's place.

    Args:
        character: with roles, which colour its limbs.
        world: its motion.
        frame: which.
        size: pixels.
        yaw: degrees the camera is turned about the vertical.
        tall: metres that fill the picture; default: the body and a little.
    """
    one = World(world.positions[frame : frame + 1], world.rotations[frame : frame + 1])
    points = character.skinned(one)[0].astype(np.float64)
    middle = world.positions[frame, character.skeleton.roles.get("hips", 0)]
    tall = tall or 1.3 * float(np.ptp(character.vertices[:, 1]))
    angle = np.radians(yaw)
    right = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    pitch = np.radians(8.0)
    ahead = np.array([np.sin(angle) * np.cos(pitch), np.sin(pitch), np.cos(angle) * np.cos(pitch)])
    up = np.cross(ahead, right)
    scale = size / tall
    seen = points - np.array([middle[0], 0.0, middle[2]])
    flat = np.column_stack([0.5 * size + scale * (seen @ right), 0.88 * size - scale * (seen @ up)])
    corners = points[character.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    shade = 0.55 + 0.45 * np.abs(normals @ _LIGHT)
    colors = (255 * np.clip(face_colors(character) * shade[:, None], 0, 1)).astype(int)
    order = np.argsort((seen @ ahead)[character.faces].mean(axis=1))
    image = Image.new("RGB", (size, size), (248, 248, 250))
    draw = ImageDraw.Draw(image)
    span = 0.48 * size / scale
    for n in range(-2, 3):
        for a, b in (((n / 2, -1), (n / 2, 1)), ((-1, n / 2), (1, n / 2))):
            ends = [np.array([span * x, 0.0, span * z]) for x, z in (a, b)]
            places = [(float(0.5 * size + scale * (e @ right)), float(0.88 * size - scale * (e @ up))) for e in ends]
            draw.line(places, (215, 218, 224))
    for face in order:
        draw.polygon([tuple(corner) for corner in flat[character.faces[face]]], fill=tuple(colors[face]))
    return image
