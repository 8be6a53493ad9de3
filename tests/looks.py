"""A character with everything a material can have, made by code: boxes on joints, images as PNG and JPEG bytes."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image as Pillow

from reenact.body.attachments import Attachment
from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.body.materials import Image, Material, Texture
from reenact.body.morphs import MorphTarget
from reenact.cli.main import main
from reenact.core.skeleton import Skeleton

STEPS = (
    ("cut", "--start", "10", "--end", "150"),
    ("resample", "--fps", "60"),
    ("move", "--turn", "30"),
    ("mirror",),
    ("clean",),
    ("path", "--radius", "6"),
    ("walk", "--stride", "1.1"),
    ("warp", "--smooth", "2"),
    ("root", "--in-place"),
    ("convert",),
)
"""Ten operations that a character goes through one after the other."""

_FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}


def picture(pixels: np.ndarray, name: str = "", kind: str = "PNG") -> Image:
    """An image of (H, W, 3 or 4) values 0..255."""
    stream = io.BytesIO()
    Pillow.fromarray(np.asarray(pixels, np.uint8)).save(stream, kind)
    return Image(stream.getvalue(), _FORMATS[kind], name)


def checker(first: tuple[int, ...], second: tuple[int, ...], size: int = 32) -> np.ndarray:
    """Squares of two colours, eight along a side."""
    at = np.arange(size) * 8 // size
    return np.where(((at[:, None] + at) % 2 == 0)[..., None], first, second)


def bumps(size: int = 32) -> np.ndarray:
    """A normal map of one round bump."""
    x, y = np.meshgrid(*[np.linspace(-1, 1, size)] * 2)
    tilt = np.clip(1 - x * x - y * y, 0, 1)[..., None]
    normals = np.stack([x, -y, np.full_like(x, 2.0)], axis=-1) * tilt + np.array([0, 0, 1.0]) * (1 - tilt)
    return (normals / np.linalg.norm(normals, axis=-1, keepdims=True) * 0.5 + 0.5) * 255


def materials() -> tuple[Material, ...]:
    """Three materials that use every kind of map, sampler, transform, alpha mode and a second set of coordinates."""
    ramp = np.linspace(0, 255, 32)
    rough = np.stack(np.broadcast_arrays(0, ramp[:, None], ramp[None]), axis=-1)
    glow = picture(checker((255, 220, 60), (0, 0, 0)), "glow", "JPEG")
    skin = picture(checker((230, 30, 30), (30, 30, 230)), "skin")
    coat = picture(np.full((4, 4, 3), 200), "coat")
    return (
        Material(
            "skin",
            (1.0, 0.75, 0.5, 1.0),
            Texture(skin, mag_filter="nearest", min_filter="linear_mipmap_linear"),
            metallic=0.25,
            roughness=0.5,
            metallic_roughness_texture=Texture(picture(rough, "rough")),
            normal_texture=Texture(picture(bumps(), "bumps"), mag_filter="linear"),
            normal_scale=0.75,
            occlusion_texture=Texture(picture(np.repeat(rough[..., 1:2], 3, -1), "shade", "JPEG"), uv_set=1),
            occlusion_strength=0.5,
            emissive=(0.125, 0.0, 0.0),
            emissive_strength=2.0,
            extensions='{"KHR_materials_clearcoat":{"clearcoatFactor":0.5,"clearcoatTexture":{"texture":0}}}',
            extension_textures=(Texture(coat),),
        ),
        Material(
            "leaves",
            base_color_texture=Texture(
                picture(checker((20, 200, 20, 255), (20, 200, 20, 0)), "leaves"),
                wrap=("clamp", "mirror"),
                min_filter="nearest",
                offset=(0.25, 0.5),
                turn=0.5,
                scale=(2.0, 3.0),
            ),
            alpha_mode="mask",
            alpha_cutoff=0.25,
            double_sided=True,
        ),
        Material(
            "lamp",
            (0.25, 0.5, 1.0, 0.5),
            emissive=(1.0, 0.5, 0.25),
            emissive_texture=Texture(glow),
            alpha_mode="blend",
            unlit=True,
        ),
    )


_SIDES = [(axis, sign) for axis in range(3) for sign in (1, -1)]


def _box(size: float) -> tuple[np.ndarray, ...]:
    """Vertices, normals, tangents, coordinates and faces of a box with six separate sides."""
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    vertices, normals, tangents, faces = [], [], [], []
    for axis, sign in _SIDES:
        normal, along = np.eye(3)[axis] * sign, np.eye(3)[(axis + 1) % 3]
        up = np.cross(normal, along)
        faces += [[len(vertices) * 4 + k for k in one] for one in ((0, 1, 2), (0, 2, 3))]
        vertices.append(normal + (2 * square - 1) @ np.stack([along, up]))
        normals.append(np.tile(normal, (4, 1)))
        tangents.append(np.tile([*along, -1.0], (4, 1)))
    uvs = np.tile(np.stack([square[:, 0], 1 - square[:, 1]], axis=1), (6, 1))
    return np.vstack(vertices) * size / 2, np.vstack(normals), np.vstack(tangents), uvs, np.array(faces)


def dressed(skeleton: Skeleton, name: str = "Somebody", size: float = 0.1) -> Character:
    """A box on every joint in turns of three materials and parts, two morph targets, a camera and a light."""
    rest = rest_world(skeleton)
    vertices, normals, tangents, uvs, faces = _box(size)
    joints = np.arange(len(skeleton), dtype=np.int32)
    parts = np.minimum(joints * 3 // max(1, len(skeleton)), 2)
    count = len(vertices)
    head = count * (len(skeleton) - 1)
    top = head + np.flatnonzero(vertices[:, 1] > 0).astype(np.int32)
    everywhere = np.arange(count * len(skeleton), dtype=np.int32)
    return Character(
        skeleton,
        np.vstack([vertices + place for place in rest.positions[0]]),
        np.vstack([faces + count * joint for joint in joints]),
        np.repeat(joints, count)[:, None],
        np.ones((count * len(joints), 1)),
        rigid_inverse(rest.positions[0], rest.rotations[0]),
        normals=np.tile(normals, (len(joints), 1)),
        uvs=np.tile(uvs, (len(joints), 1)),
        more_uvs=(np.tile(uvs[:, ::-1], (len(joints), 1)),),
        tangents=np.tile(tangents, (len(joints), 1)),
        name=name,
        materials=materials(),
        face_materials=np.repeat(parts, len(faces)),
        parts=("body", "hat", "lamp"),
        vertex_parts=np.repeat(parts, count),
        morphs=(
            MorphTarget("swell", everywhere, np.tile(normals * 0.1 * size, (len(joints), 1))),
            MorphTarget("point", top, np.tile([0, size, 0], (len(top), 1)), np.tile([0, 0.5, 0], (len(top), 1)), 0.25),
        ),
        attachments=(
            Attachment("eye", len(joints) - 1, np.diag([1.0, 1, 1, 1]), '{"type":"perspective","perspective":{"yfov":0.6,"znear":0.01}}'),
            Attachment("torch", 0, np.eye(4)[[0, 2, 1, 3]] * [[1], [-1], [1], [1]], light='{"type":"point","intensity":2.0}'),
        ),
    )  # fmt: skip


def after_ten_operations(path: Path, folder: Path) -> list[Path]:
    """The files of a character in motion after each of the ten operations."""
    found = []
    for number, (verb, *more) in enumerate(STEPS):
        out = folder / f"{number}_{verb}.glb"
        target = [str(out)] if verb == "convert" else ["-o", str(out)]
        assert main([verb, str(path), *target, *more, "--json"]) == 0, verb
        found.append(out)
        path = out
    return found


def through_library(path: Path, folder: Path) -> Path:
    """The file that a library gives back of one that was put in."""
    library, out = folder / "library", folder / "out"
    assert main(["library", "init", str(library), "--json"]) == 0
    assert main(["library", "add", str(library), str(path), "--json"]) == 0
    assert main(["library", "export", str(library), str(out), "--format", "glb", "--json"]) == 0
    return next(out.rglob("*.glb"))
