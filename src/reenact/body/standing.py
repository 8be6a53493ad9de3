"""A character where a clip is wanted for its skeleton alone."""

from __future__ import annotations

import numpy as np

from reenact.body.character import Character
from reenact.core.clip import Clip
from reenact.core.role_finding import assign_roles

_STILL_FRAMES = 8  # of a character that shows how it is built and stands


def standing_still(character: Character) -> Clip:
    """A character in its rest pose for a few frames."""
    skeleton, _ = assign_roles(character.skeleton)
    rotations = np.tile(skeleton.rest, (_STILL_FRAMES, 1, 1))
    root = np.tile(skeleton.offsets[0], (_STILL_FRAMES, 1))
    return Clip(skeleton, rotations.astype(np.float32), root.astype(np.float32), 30.0, character.name)
