"""A body of capsules around the bones of the sample skeleton: every radius, length and volume is known."""

from __future__ import annotations

import numpy as np

from reenact.body.character import Character, rigid_inverse
from reenact.core.skeleton import Skeleton
from reenact.samples import sample_skeleton

RADII = {
    "Hips": 0.13, "Spine": 0.125, "Spine1": 0.13, "Spine2": 0.14, "Head": 0.09,
    "Arm": 0.042, "ForeArm": 0.036, "Hand": 0.03, "UpLeg": 0.065, "Leg": 0.05, "Foot": 0.035,
}  # fmt: skip
"""Metres, by the name of the joint without its side."""


def capsule(start, end, radius: float, around: int = 20, along: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of a closed capsule."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    way = (end - start) / np.linalg.norm(end - start)
    side = np.cross(way, (0.0, 0.0, 1.0) if abs(way[2]) < 0.9 else (1.0, 0.0, 0.0))
    side /= np.linalg.norm(side)
    other = np.cross(way, side)
    turns = np.linspace(0, 2 * np.pi, around, endpoint=False)
    ring = np.cos(turns)[:, None] * side + np.sin(turns)[:, None] * other
    rows = [(start, -a) for a in np.linspace(np.pi / 2, 0, 6)[1:]]
    rows += [(start + (end - start) * s, 0.0) for s in np.linspace(0, 1, along)[1:-1]]
    rows += [(end, a) for a in np.linspace(0, np.pi / 2, 6)[:-1]]
    vertices = [start - radius * way]
    for centre, angle in rows:
        vertices += list(centre + radius * (np.cos(angle) * ring + np.sin(angle) * way))
    vertices.append(end + radius * way)
    faces = []
    for n in range(around):
        m = (n + 1) % around
        faces.append((0, 1 + m, 1 + n))
        for row in range(len(rows) - 1):
            a, b = 1 + row * around, 1 + (row + 1) * around
            faces += [(a + n, a + m, b + m), (a + n, b + m, b + n)]
        last = 1 + (len(rows) - 1) * around
        faces.append((last + n, last + m, len(vertices) - 1))
    return np.array(vertices), np.array(faces)


def bones(skeleton: Skeleton) -> dict[str, tuple[np.ndarray, np.ndarray, float]]:
    """Joint -> start, end and radius of its capsule, in the rest pose."""
    places = np.zeros((len(skeleton), 3))
    for joint, parent in enumerate(skeleton.parents):
        places[joint] = skeleton.offsets[joint] + (places[parent] if parent >= 0 else 0)
    found = {}
    for joint, name in enumerate(skeleton.names):
        kind = name.removeprefix("Left").removeprefix("Right")
        if kind not in RADII:
            continue
        radius = RADII[kind]
        start = places[joint]
        if kind == "Hips":
            end = start + (0.0, 0.05, 0.0)
        elif kind == "Head":
            end = start + (0.0, 0.12, 0.0)
        elif kind == "Hand":
            end = start + (np.sign(start[0]) * 0.12, 0.0, 0.0)
        else:
            end = places[skeleton.children[joint][0]]
        if kind == "Arm":  # the shoulder's end stays out of the chest
            start = start + 0.25 * (end - start)
        found[name] = start, end, radius
    return found


def capsule_body(skeleton: Skeleton | None = None) -> Character:
    """The character; every capsule follows one joint."""
    skeleton = skeleton or sample_skeleton()
    vertices, faces, joints, count = [], [], [], 0
    for name, (start, end, radius) in bones(skeleton).items():
        some, triangles = capsule(start, end, radius)
        vertices.append(some)
        faces.append(triangles + count)
        joints.append(np.full(len(some), skeleton.joint(name)))
        count += len(some)
    places = np.zeros((len(skeleton), 3))
    for joint, parent in enumerate(skeleton.parents):
        places[joint] = skeleton.offsets[joint] + (places[parent] if parent >= 0 else 0)
    turns = np.tile((1.0, 0.0, 0.0, 0.0), (len(skeleton), 1))
    return Character(
        skeleton, np.concatenate(vertices), np.concatenate(faces), np.concatenate(joints)[:, None],
        np.ones((count, 1)), rigid_inverse(places, turns), name="capsules",
    )  # fmt: skip
