"""A plain body for the tests of this room: 1.75 m tall, facing +Z, left = +X, rest pose a T-pose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from reenact.core.clip import Clip
from reenact.core.skeleton import Skeleton

BODY = (
    ("hips", -1, (0, 0.93, 0)),
    ("spine", 0, (0, 0.12, 0)),
    ("chest", 1, (0, 0.2, 0)),
    ("neck", 2, (0, 0.2, 0)),
    ("head", 3, (0, 0.12, 0)),
    *(
        part
        for side, sign, first in (("left", 1, 5), ("right", -1, 12))
        for part in (
            (f"{side}_upper_leg", 0, (sign * 0.1, -0.04, 0)),
            (f"{side}_lower_leg", first, (0, -0.42, 0)),
            (f"{side}_foot", first + 1, (0, -0.41, 0)),
            (f"{side}_toes", first + 2, (0, -0.05, 0.14)),
            (f"{side}_upper_arm", 2, (sign * 0.18, 0.12, 0)),
            (f"{side}_lower_arm", first + 4, (sign * 0.28, 0, 0)),
            (f"{side}_hand", first + 5, (sign * 0.25, 0, 0)),
        )
    ),
)


def make_body(*, named: bool = True) -> Skeleton:
    """The body with its roles, or without names and roles."""
    names = tuple(name for name, _, _ in BODY)
    roles = {name: joint for joint, name in enumerate(names)}
    shown = names if named else tuple(f"joint{n}" for n in range(len(names)))
    return Skeleton(
        shown, np.array([p for _, p, _ in BODY]), np.array([o for _, _, o in BODY], float), roles=roles if named else {}
    )


@pytest.fixture(scope="session")
def body() -> Skeleton:
    """The body with roles."""
    return make_body()


@pytest.fixture(scope="session")
def nameless() -> Skeleton:
    """The same body with neither names nor roles."""
    return make_body(named=False)


@pytest.fixture
def standing() -> Callable[..., Clip]:
    """Makes a clip of a skeleton in its rest pose, the root where `root` (F, 3) says."""

    def make(skeleton: Skeleton, root: np.ndarray, fps: float = 60.0) -> Clip:
        rotations = np.zeros((len(root), len(skeleton), 4))
        rotations[..., 0] = 1
        return Clip(skeleton, rotations, root, fps)

    return make
