"""Clips shown as people or as the characters they came with: who is put on a skeleton."""

from __future__ import annotations

from typing import Literal

from reenact.body.character import Character
from reenact.body.dressing import fit_character
from reenact.body.humanoid import HumanoidParameters
from reenact.core.arrays import Float32
from reenact.core.clip import Clip, World
from reenact.core.made import Made, clip_of
from reenact.errors import ReenactError

FigureKind = Literal["auto", "person", "sticks"]
"""As what a clip is shown: `auto` takes the mesh that it came with, else a generated person on its skeleton; `person` always the generated
one; `sticks` the bones, which also show what has neither a mesh nor a human shape."""

FIGURE_HELP = (
    "auto: the mesh of the file, else a generated person on the skeleton; person: always that one; sticks: its bones"
)
"""Help of the parameter."""


def shown_as(given: Clip | Made, figure: FigureKind) -> Character | None:
    """Who is drawn for a clip, or for what was made with a character; None where its bones are."""
    clip = clip_of(given)
    if figure == "auto" and isinstance(given, Made) and given.character is not None:
        own = fit_character(given.character, clip.skeleton)
        if own is not None:
            return own
    return None if figure == "sticks" else person_on(clip)


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
