"""Draw the pictures of `docs/characters.md`: automatic weights, people scaled segment by segment, a twisted arm by both ways of skinning.

python tools/draw_characters.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import reenact
from reenact.body.character import Character
from reenact.core import rotations as R
from reenact.core.clip import World
from reenact.core.skeleton import Skeleton
from reenact.render.mesh_picture import Shown, paint_meshes, paint_weights

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SIZES = (
    ("as made", {}),
    ("height 2.1", {"height": 2.1}),
    ("thigh, shank 1.25", {"thigh": 1.25, "shank": 1.25}),
    ("thigh, shank 0.7", {"thigh": 0.7, "shank": 0.7}),
    ("upper arm, forearm 1.3", {"upper_arm": 1.3, "forearm": 1.3}),
    ("back 1.3", {"back": 1.3}),
    ("shoulders 1.5", {"shoulders": 1.5}),
)


def mesh_alone(body: Character) -> Character:
    """The mesh of a character on a single joint."""
    count = len(body.vertices)
    single = Skeleton(("root",), np.array([-1], np.int32), np.zeros((1, 3)))
    ones = np.zeros((count, 1), np.int32), np.ones((count, 1), np.float32)
    return Character(single, body.vertices, body.faces, *ones, np.eye(4)[None])


def turned(body: Character, role: str, axis: tuple[float, float, float], degrees: float) -> World:
    """The bind pose with one joint, and what hangs on it, turned about an axis of the world."""
    world = body.bind_world()
    joint = body.skeleton.roles[role]
    below = list(body.skeleton.subtree(joint))
    turn = R.from_axis_angle(np.array(axis) / np.linalg.norm(axis), np.radians(degrees))
    places, turns = world.positions.copy(), world.rotations.copy()
    places[0, below] = places[0, joint] + R.rotate(turn, places[0, below] - places[0, joint])
    turns[0, below] = R.multiply(turn, turns[0, below])
    return World(places, turns)


def twisted(body: Character) -> list[Shown]:
    """An arm twisted by 150 degrees at the wrist, and one bent by 130 at the elbow, by both ways of skinning."""
    rest = body.bind_world().positions[0]
    elbow, wrist = (body.skeleton.roles[f"left_{part}"] for part in ("lower_arm", "hand"))
    along = rest[wrist] - rest[elbow]
    poses = turned(body, "left_hand", tuple(along), 150), turned(body, "left_lower_arm", (1.0, 0.9, 0.0), -130)
    return [Shown(body, world, 20, method=method) for world in poses for method in ("linear", "dual")]


def arms(shown: list[Shown], height: int = 620) -> Image.Image:
    """The left arms of some people, side by side."""
    pieces = []
    for one in shown:
        whole = paint_meshes([one], height, low=0.85, high=1.6)
        pieces.append(whole.crop((int(0.55 * whole.width), int(0.1 * height), whole.width, height)))
    found = Image.new("RGB", (sum(piece.width for piece in pieces), pieces[0].height))
    at = 0
    for piece in pieces:
        found.paste(piece, (at, 0))
        at += piece.width
    return found


def main() -> None:
    """Draw them all."""
    body = reenact.humanoid(preset="man")
    rigged = reenact.rig(mesh_alone(body))
    paint_weights(rigged.character, 460).save(IMAGES / "weights.png")
    scaled = [Shown(reenact.scale_character(body, **change), label=label) for label, change in SIZES]
    paint_meshes(scaled, 400).save(IMAGES / "scaled-people.png")
    arms(twisted(body)).save(IMAGES / "skinning.png")


if __name__ == "__main__":
    main()
