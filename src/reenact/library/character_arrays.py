"""A character as named arrays, and back: images byte for byte, what is no number as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from reenact.body.attachments import Attachment
from reenact.body.character import Character
from reenact.body.materials import Image, materials_from_json, materials_to_json
from reenact.body.morphs import MorphTarget
from reenact.core.skeleton import Skeleton

_NEEDED = ("vertices", "faces", "weight_joints", "weights", "inverse_binds")
_OPTIONAL = ("normals", "uvs", "vertex_colors", "face_materials", "tangents", "vertex_parts")


def character_to_arrays(character: Character) -> dict[str, np.ndarray]:
    """All of a character but its skeleton."""
    arrays = {name: getattr(character, name) for name in _NEEDED}
    arrays |= {name: values for name in _OPTIONAL if (values := getattr(character, name)) is not None}
    arrays |= {"color": np.asarray(character.color), "name": np.asarray(character.name)}
    arrays |= {f"uvs_{at}": uvs for at, uvs in enumerate(character.more_uvs, 1)}
    materials, images = materials_to_json(character.materials)
    about: dict[str, Any] = {
        "materials": materials,
        "images": [{"mime": image.mime, "name": image.name} for image in images],
        "parts": character.parts,
        "morphs": [{"name": target.name, "weight": target.weight} for target in character.morphs],
        "attachments": [
            {"name": one.name, "joint": one.joint, "camera": one.camera, "light": one.light}
            for one in character.attachments
        ],
    }
    if any(about.values()):
        arrays["about"] = np.asarray(json.dumps(about))
    arrays |= {f"image_{at}": np.frombuffer(image.data, np.uint8) for at, image in enumerate(images)}
    for at, target in enumerate(character.morphs):
        arrays |= {f"morph_vertices_{at}": target.vertices, f"morph_moves_{at}": target.moves}
        if target.turns is not None:
            arrays[f"morph_turns_{at}"] = target.turns
    if character.attachments:
        arrays["places"] = np.stack([one.place for one in character.attachments])
    return arrays


def character_from_arrays(skeleton: Skeleton, held: Mapping[str, np.ndarray]) -> Character:
    """The character that `character_to_arrays` was given; whatever is wrong with the arrays is an error of some kind."""
    vertices, faces, weight_joints, weights, inverse_binds = (held[name] for name in _NEEDED)
    red, green, blue, alpha = (float(part) for part in held["color"])
    about = json.loads(str(held["about"])) if "about" in held else {}
    images = tuple(Image(held[f"image_{at}"].tobytes(), **one) for at, one in enumerate(about.get("images", ())))
    more: dict[str, Any] = {name: held[name] for name in _OPTIONAL if name in held}
    sets = 1 + sum(name.startswith("uvs_") for name in held)
    return Character(
        skeleton,
        vertices,
        faces,
        weight_joints,
        weights,
        inverse_binds,
        color=(red, green, blue, alpha),
        name=str(held["name"]),
        materials=materials_from_json(about.get("materials", []), images),
        more_uvs=tuple(held[f"uvs_{at}"] for at in range(1, sets)),
        parts=tuple(map(str, about.get("parts", ()))),
        morphs=tuple(_morph(held, at, one) for at, one in enumerate(about.get("morphs", ()))),
        attachments=tuple(
            Attachment(place=held["places"][at], **one) for at, one in enumerate(about.get("attachments", ()))
        ),
        **more,
    )


def _morph(held: Mapping[str, np.ndarray], at: int, about: Mapping[str, Any]) -> MorphTarget:
    turns = held.get(f"morph_turns_{at}")
    return MorphTarget(
        about["name"], held[f"morph_vertices_{at}"], held[f"morph_moves_{at}"], turns, about.get("weight", 0.0)
    )
