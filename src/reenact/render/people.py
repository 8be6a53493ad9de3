"""Clips shown as people: who is put on a skeleton, and how they look in a picture."""

from __future__ import annotations

from typing import Literal

import numpy as np

from reenact.body.character import Character
from reenact.body.humanoid import HumanoidParameters
from reenact.core.arrays import Float, Float32
from reenact.core.clip import Clip, World
from reenact.errors import ReenactError
from reenact.render.palette import Colour

FigureKind = Literal["person", "sticks"]
"""A generated person on the clip's skeleton, or its bones; what has no human shape is shown by its bones either way."""


def person_on(clip: Clip) -> Character | None:
    """A person on the skeleton of a clip; None where it is not one of a human."""
    from reenact.solve.dressing_clips import can_dress, dress_clip

    if not can_dress(clip.skeleton):
        return None
    try:
        return dress_clip(clip, HumanoidParameters())
    except ReenactError:  # roles that say one thing and places that say another: an animal, a heap of markers
        return None


def skin_in_frame(person: Character, world: World, frame: int) -> Float32:
    """(V, 3) the skin of a person in one frame."""
    here = slice(frame, frame + 1)
    return person.skinned(World(world.positions[here], world.rotations[here]))[0]


def face_colours(person: Character, shirt: Colour | None) -> Float:
    """(T, 3) colours of faces, 0..255; the shirt in another colour, where one is given."""
    linear = np.array([material.base_color[:3] for material in person.materials] or [person.color[:3]])
    shown = 255 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    for row, material in enumerate(person.materials):
        if shirt is not None and material.name == "shirt":
            shown[row] = shirt
    return shown[np.zeros(len(person.faces), int) if person.face_materials is None else person.face_materials]
