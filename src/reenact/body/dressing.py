"""Putting a character's mesh on a skeleton with the same joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from reenact.body.character import Character
from reenact.core.arrays import Int32
from reenact.core.skeleton import Skeleton


def fit_character(character: Character, skeleton: Skeleton) -> Character | None:
    """The same mesh with the joints numbered as in `skeleton`; None without a mesh, or when a joint is missing there."""
    if not len(character.vertices) or not len(character.faces):
        return None
    if character.skeleton.same_tree(skeleton):
        return replace(character, skeleton=skeleton)
    place = {name: joint for joint, name in enumerate(skeleton.names)}
    if any(name not in place for name in character.skeleton.names):
        return None
    return renumbered(character, skeleton, np.array([place[name] for name in character.skeleton.names], np.int32))


def renumbered(character: Character, skeleton: Skeleton, place: Int32) -> Character:
    """The same mesh on another skeleton; `place` (J,) has for each of its joints the number of that one there."""
    place = np.asarray(place, np.int32)
    binds = np.tile(np.eye(4), (len(skeleton), 1, 1))
    binds[place] = character.inverse_binds
    return replace(
        character,
        skeleton=skeleton,
        weight_joints=place[character.weight_joints],
        inverse_binds=binds,
        attachments=tuple(replace(one, joint=int(place[one.joint])) for one in character.attachments),
    )


def first_fitting(characters: Iterable[Character], skeleton: Skeleton) -> Character | None:
    """The first of some characters whose mesh fits a skeleton, with its joints; None when none does."""
    for character in characters:
        fitted = fit_character(character, skeleton)
        if fitted is not None:
            return fitted
    return None
