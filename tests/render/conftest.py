"""Small bodies with known places, for the tests of pictures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from reenact.core.clip import Clip
from reenact.core.rotations import about_y, identity
from reenact.core.skeleton import Skeleton

# name, parent, offset in metres, role
_BODY = [
    ("Hips", -1, (0, 0.9, 0), "hips"),
    ("Spine", 0, (0, 0.15, 0), "spine"),
    ("Chest", 1, (0, 0.25, 0), "chest"),
    ("Neck", 2, (0, 0.15, 0), "neck"),
    ("Head", 3, (0, 0.08, 0), "head"),
    *(
        (
            f"{side}{name}",
            parent if isinstance(parent, int) else f"{side}{parent}",
            (sign * x, y, z),
            f"{side.lower()}_{role}",
        )
        for side, sign in (("Left", 1), ("Right", -1))
        for name, parent, (x, y, z), role in (
            ("UpLeg", 0, (0.1, -0.03, 0), "upper_leg"),
            ("Leg", "UpLeg", (0, -0.42, 0), "lower_leg"),
            ("Foot", "Leg", (0, -0.38, 0), "foot"),
            ("Toe", "Foot", (0, -0.05, 0.14), "toes"),
            ("Arm", 2, (0.18, 0.1, 0), "upper_arm"),
            ("ForeArm", "Arm", (0.26, 0, 0), "lower_arm"),
            ("Hand", "ForeArm", (0.24, 0, 0), "hand"),
        )
    ),
]


def _person() -> Skeleton:
    names = [name for name, *_ in _BODY]
    parents = [parent if isinstance(parent, int) else names.index(parent) for _, parent, *_ in _BODY]
    roles = {role: joint for joint, (*_, role) in enumerate(_BODY)}
    ends = [names.index("Head"), names.index("LeftHand"), names.index("RightHand")]
    tips = [(0, 0.18, 0), (0.16, 0, 0), (-0.16, 0, 0)]
    return Skeleton(
        tuple(names), parents, [offset for *_, offset, _ in _BODY], end_joints=ends, end_offsets=tips, roles=roles
    )


@pytest.fixture(scope="session")
def person() -> Skeleton:
    """An adult of about 1.7 m in a T-pose, facing +Z, standing on y = 0."""
    return _person()


MakeClip = Callable[..., Clip]


@pytest.fixture(scope="session")
def make_clip(person: Skeleton) -> MakeClip:
    """Make a clip of the person gliding in its T-pose: frames, fps, metres to go along its heading, heading in degrees."""

    def make(
        frames: int = 30, fps: float = 30.0, distance: float = 0.0, heading: float = 0.0, name: str = "glide"
    ) -> Clip:
        angle = np.radians(heading)
        rotations = np.tile(identity(len(person)), (frames, 1, 1))
        rotations[:, 0] = about_y(angle)
        way = np.linspace(0, distance, frames)[:, None] * np.array([np.sin(angle), 0, np.cos(angle)])
        return Clip(person, rotations, way + np.array([0, 0.9, 0]), fps, name)

    return make
