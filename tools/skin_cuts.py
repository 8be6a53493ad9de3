"""Triangles of a skin that cut through each other, found by FCL: the judge of `measure_adapt`, which knows nothing of the package's own
distances. Needs `python-fcl` (pip install python-fcl).
"""

from __future__ import annotations

import fcl
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from reenact.body.character import Character
from reenact.body.limb_parts import GROUPS
from reenact.body.part_skin import BodySkin, body_skin
from reenact.core.clip import Clip, World

_PAIRS = (
    ("left_arm", ("trunk", "head", "left_leg", "right_leg", "right_arm")),
    ("right_arm", ("trunk", "head", "left_leg", "right_leg")),
    ("left_leg", ("right_leg",)),
)
_ROUND = 2.2  # times the radius of a limb: skin this near along the surface folds in any pose (armpits, the crotch)
_SOCKET = 1.8  # times that: skin this near to the joint of an upper arm turns within its socket
_MOST = 200_000


class SkinCuts:
    """Counts cuts between the limbs of a body in poses of a motion."""

    def __init__(self, character: Character) -> None:
        self.character = character
        self.skin: BodySkin = body_skin(character)
        groups = self.skin.of_groups[self.skin.face_part]
        self.faces = {name: self.skin.faces[groups == n] for n, name in enumerate(GROUPS)}
        self.near = self._near(groups)

    def _near(self, groups: np.ndarray) -> dict[tuple[str, str], np.ndarray]:
        """For each pair of limbs which faces of the first are next to the second along the skin."""
        skin = self.skin
        edges = np.concatenate([skin.faces[:, [0, 1]], skin.faces[:, [1, 2]], skin.faces[:, [2, 0]]])
        edges = np.unique(np.sort(edges, axis=1), axis=0)
        lengths = np.linalg.norm(skin.places[edges[:, 0]] - skin.places[edges[:, 1]], axis=1)
        count = len(skin.places)
        graph = coo_array((np.maximum(lengths, 1e-9), (edges[:, 0], edges[:, 1])), shape=(count, count)).tocsr()
        found = {}
        for first, others in _PAIRS:
            for second in others:
                if not len(self.faces[first]) or not len(self.faces[second]):
                    continue
                own = np.unique(self.faces[first])
                size = skin.places[skin.part == self._root(first)]
                values = np.linalg.eigvalsh(np.cov((size - size.mean(axis=0)).T))
                reach = _ROUND * np.sqrt(max(values[0] + values[1], 0.0))
                far = dijkstra(graph, directed=False, indices=np.unique(self.faces[second]), min_only=True, limit=reach)
                close = np.zeros(count, np.bool_)
                close[own] = far[own] < reach
                if second == "trunk":  # bodies may be put together from shells: the ball of a shoulder in its socket
                    joint = np.linalg.inv(skin.inverse_binds[skin.parts[self._root(first)].joint])[:3, 3]
                    close[own] |= np.linalg.norm(skin.places[own] - joint, axis=1) < _SOCKET / _ROUND * reach
                found[first, second] = close[self.faces[first]].any(axis=1)
        return found

    def _root(self, group: str) -> int:
        return next(n for n, part in enumerate(self.skin.parts) if part.group == group)

    def count(self, clip: Clip, frames: np.ndarray) -> dict[str, tuple[int, int]]:
        """Pair of limbs -> cuts that a pose is to blame for, and cuts of skin that folds beside a joint, summed over frames."""
        world = clip.world(np.float64)
        total = {f"{a}/{b}": [0, 0] for a, b in self.near}
        for frame in frames:
            one = World(world.positions[frame : frame + 1], world.rotations[frame : frame + 1])
            places = self.character.skinned(one)[0].astype(np.float64)[self.skin.first]
            for (a, b), near in self.near.items():
                numbers = _cut(places, self.faces[a], self.faces[b])
                folds = int(near[numbers].sum())
                total[f"{a}/{b}"][0] += len(numbers) - folds
                total[f"{a}/{b}"][1] += folds
        return {name: (both[0], both[1]) for name, both in total.items()}


def _cut(places: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """For every cut of two sets of faces the number of the face in the first; those far from the other set are left out first."""
    own, other = np.arange(len(first)), np.arange(len(second))
    boxes = [(places[faces].min(axis=1), places[faces].max(axis=1)) for faces in (first, second)]
    for _ in range(3):
        if not len(own) or not len(other):
            return np.zeros(0, np.int64)
        low = np.maximum(boxes[0][0][own].min(axis=0), boxes[1][0][other].min(axis=0))
        high = np.minimum(boxes[0][1][own].max(axis=0), boxes[1][1][other].max(axis=0))
        own = own[np.all((boxes[0][1][own] >= low) & (boxes[0][0][own] <= high), axis=1)]
        other = other[np.all((boxes[1][1][other] >= low) & (boxes[1][0][other] <= high), axis=1)]
    if not len(own) or not len(other):
        return np.zeros(0, np.int64)
    models = []
    for faces in (first[own], second[other]):
        used, numbers = np.unique(faces, return_inverse=True)
        model = fcl.BVHModel()
        model.beginModel(len(used), len(faces))
        model.addSubModel(places[used], numbers.reshape(-1, 3))
        model.endModel()
        models.append(fcl.CollisionObject(model))
    result = fcl.CollisionResult()
    fcl.collide(*models, fcl.CollisionRequest(num_max_contacts=_MOST, enable_contact=True), result)
    if not result.contacts:
        return np.zeros(0, np.int64)
    return own[np.unique([(contact.b1, contact.b2) for contact in result.contacts], axis=0)[:, 0]]
