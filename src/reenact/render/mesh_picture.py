"""Pictures of a character's mesh, painted face by face: with its weights as colours, or plain in a pose."""

from __future__ import annotations

import colorsys
import io
from collections.abc import Sequence

import numpy as np
import PIL.Image
import PIL.ImageDraw

from reenact.body.character import Character
from reenact.body.skinning import Method, skin
from reenact.core.arrays import Float, Float64
from reenact.core.clip import World

_LIGHT = np.array([0.35, 0.55, 0.75]) / np.linalg.norm([0.35, 0.55, 0.75])
_GROUND = (250, 250, 251)
_BONE, _JOINT = (20, 20, 24), (255, 255, 255)
_FINE = 2  # pixels that become one
_MARGIN = 0.05
_GOLDEN = 0.61803


def joint_colors(character: Character) -> Float64:
    """(J, 3) a colour for each joint, neighbours far apart."""
    found = [
        colorsys.hsv_to_rgb((n * _GOLDEN + 0.02) % 1.0, 0.75 if n % 2 else 0.5, 0.95 if n % 3 else 0.8)
        for n in range(len(character.skeleton))
    ]
    return np.array(found)


def weight_colors(character: Character) -> Float64:
    """(V, 3) the colours of the joints that each vertex follows, mixed by its weights."""
    shades = joint_colors(character)[character.weight_joints]
    return np.einsum("vk,vkc->vc", character.weights.astype(np.float64), shades)


def face_colors(character: Character) -> Float64:
    """(T, 3) what the faces look like in even light, as a screen shows it: base colours, textures at the middle of each face."""
    faces = character.faces
    linear = np.tile(np.array(character.color[:3]), (len(faces), 1))
    of_faces = np.zeros(len(faces), int) if character.face_materials is None else character.face_materials
    for number, made in enumerate(character.materials):
        own = of_faces == number
        linear[own] = made.base_color[:3]
        texture = made.base_color_texture
        uvs = (character.uvs, *character.more_uvs)[texture.uv_set] if texture is not None else None
        if texture is not None and uvs is not None:
            with PIL.Image.open(io.BytesIO(texture.image.data)) as picture:
                pixels = np.asarray(picture.convert("RGB")) / 255.0
            middle = uvs[faces[own]].mean(axis=1) * texture.scale + texture.offset
            at = ((middle % 1.0) * pixels.shape[1::-1]).astype(int)
            linear[own] *= pixels[at[:, 1], at[:, 0]] ** 2.2
    if character.vertex_colors is not None:
        linear *= character.vertex_colors[faces, :3].mean(axis=1)
    return linear ** (1 / 2.2)


def paint_weights(
    character: Character, height: int = 720, turns: Sequence[float] = (0.0, 90.0, 180.0)
) -> PIL.Image.Image:
    """The mesh in its bind pose from some sides, coloured by its weights, with its bones."""
    return paint_meshes([(character, character.bind_world())] * len(turns), height, turns, bones=True, weights=True)


def paint_meshes(
    bodies: Sequence[tuple[Character, World]],
    height: int = 720,
    turns: Sequence[float] = (0.0,),
    method: Method = "linear",
    *,
    bones: bool = False,
    weights: bool = False,
) -> PIL.Image.Image:
    """Characters side by side, at one scale and on one floor.

    Args:
        bodies: each with joints in the world, whose first frame is painted.
        height: pixels.
        turns: degrees by which each is seen from its left; the last goes on for the rest.
        method: how the skin follows.
        bones: draw the bones over it.
        weights: colour it by its weights.
    """
    posed = [skin(one, world, 0, method).vertices[0].astype(np.float64) for one, world in bodies]
    low = min(float(points[:, 1].min()) for points in posed)
    high = max(float(points[:, 1].max()) for points in posed)
    scale = _FINE * height * (1 - 2 * _MARGIN) / max(high - low, 1e-9)
    pieces = []
    for number, ((character, world), points) in enumerate(zip(bodies, posed, strict=True)):
        turn = turns[min(number, len(turns) - 1)]
        colors = weight_colors(character)[character.faces].mean(axis=1) if weights else face_colors(character)
        pieces.append(_paint(character, world, points, colors, turn, scale, (low, high), bones=bones))
    width = sum(piece.width for piece in pieces)
    whole = PIL.Image.new("RGB", (width, pieces[0].height), _GROUND)
    at = 0
    for piece in pieces:
        whole.paste(piece, (at, 0))
        at += piece.width
    return whole.resize((whole.width // _FINE, whole.height // _FINE), PIL.Image.Resampling.LANCZOS)


def _paint(
    character: Character,
    world: World,
    points: Float64,
    colors: Float64,
    turn: float,
    scale: float,
    span: tuple[float, float],
    *,
    bones: bool,
) -> PIL.Image.Image:
    angle = np.radians(turn)
    right = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    ahead = np.array([np.sin(angle), 0.0, np.cos(angle)])
    across = points @ right
    low, high = span
    margin = _MARGIN * (high - low)
    left = float(across.min()) - margin
    size = (int(scale * (np.ptp(across) + 2 * margin)) + 1, int(scale * (high - low + 2 * margin)) + 1)

    def flat(places: Float) -> Float:
        return np.stack([scale * (places @ right - left), scale * (high + margin - places[..., 1])], axis=-1)

    image = PIL.Image.new("RGB", size, _GROUND)
    draw = PIL.ImageDraw.Draw(image)
    corners = points[character.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    light = np.stack([right, np.array([0.0, 1.0, 0.0]), ahead]).T @ _LIGHT
    shade = 0.45 + 0.55 * np.abs(normals @ light)
    shown = (255 * np.clip(colors * shade[:, None], 0, 1)).astype(int)
    order = np.argsort((corners @ ahead).mean(axis=1))
    outlines = flat(corners)
    for face in order:
        draw.polygon([tuple(corner) for corner in outlines[face]], fill=tuple(shown[face]))
    if bones:
        _draw_bones(draw, character, world, flat)
    return image


def _draw_bones(draw: PIL.ImageDraw.ImageDraw, character: Character, world: World, flat) -> None:
    places = flat(world.positions[0].astype(np.float64))
    for joint, parent in enumerate(character.skeleton.parents):
        if parent >= 0:
            draw.line([tuple(places[parent]), tuple(places[joint])], fill=_BONE, width=2 * _FINE)
    for x, y in places:
        radius = 2.5 * _FINE
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=_JOINT, outline=_BONE, width=_FINE)
