"""What of a body can run into what: points of its skin, and the parts whose skin they must stay out of.

Skin next to a joint always touches, in armpits and elsewhere: points that are near the other part along the skin, or near the joint
that an arm hangs on, are not looked at, and what is within another part in the bind pose already may stay as deep. Beyond the socket of an
arm the flesh of the armpit gives way, less and less along the arm: to free the last centimetre beside a joint would spread the whole arm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact import kernels
from reenact.body.character import Character
from reenact.body.part_fields import PartFields, part_fields
from reenact.body.part_skin import BodySkin, body_skin, has_skin
from reenact.core.arrays import Float64, Int32
from reenact.core.clip import World
from reenact.errors import ParameterError

_APART = 0.022  # metres between points of the skin, for a body of 1.7 m
_BODY = 1.7
_LEAST, _MOST = 16, 90  # points of a part
_ROUND = 2.2  # times the radius of a part: skin this near along the surface touches in any pose
_SOCKET = 1.8  # times that radius: skin this near to the joint of an upper arm turns within its socket
_SOFT, _YIELDS = 3.0, 0.5  # up to so many radii from that joint flesh gives way, by so much of what is missing to them
_HANGS = ("upper_arm", "thigh")
_FIRM = 0.5  # share of a vertex' weight on its part from which on it moves with it
_NEVER = 1e9
_ROOM = 400  # contacts a frame that are kept at most, on average


@dataclass(frozen=True, slots=True, eq=False)
class Contacts:
    """Points of the skin that are too near.

    Attributes:
        frames: (C,) places among the frames looked at.
        depths: (C,) metres too deep.
        points, normals: (C, 3) where, and the way out of the other part, in the world: the slope of its distance, about 1 long.
        pairs: (C,) number of the pair.
    """

    frames: Int32
    depths: Float64
    points: Float64
    normals: Float64
    pairs: Int32

    def __len__(self) -> int:
        return len(self.frames)


@dataclass(frozen=True, slots=True, eq=False)
class ContactBody:
    """A body whose contacts can be found.

    Attributes:
        skin: its skin, by part.
        fields: distances to the skin of each part.
        joints: (P,) the joint of each part.
        first, last: (P,) ranges of `probes`.
        probes: (N, 3) metres, points of the skin, each in the frame of its part's joint.
        pairs: (K, 2) part of the points, part whose skin they must stay out of.
        allowed: metres that each point of each pair may be deeper; 1e9 where it is not looked at.
        offsets: (K,) where each pair begins in `allowed`.
        margin: metres of air that is kept.
    """

    skin: BodySkin
    fields: PartFields
    joints: Int32
    first: Int32
    last: Int32
    probes: Float64
    pairs: Int32
    allowed: Float64
    offsets: Int32
    margin: float

    def pair_name(self, pair: int) -> str:
        """A pair in words: left_forearm in chest."""
        a, b = self.pairs[pair]
        return f"{self.skin.parts[a].name} in {self.skin.parts[b].name}"

    def chosen(self, *kinds: tuple[str, str]) -> Int32:
        """Numbers of the pairs whose parts have such kinds or groups (without the side)."""
        wanted = []
        for number, (a, b) in enumerate(self.pairs):
            first, second = (
                {self.skin.parts[n].kind, self.skin.parts[n].group.partition("_")[2] or self.skin.parts[n].group}
                for n in (a, b)
            )
            if any(one in first and other in second for one, other in kinds):
                wanted.append(number)
        return np.array(wanted, np.int32)

    def contacts(self, world: World, pairs: Int32 | None = None, reach: float | None = None) -> Contacts:
        """Contacts of some pairs in all frames of a motion (float64)."""
        numbers = np.arange(len(self.pairs), dtype=np.int32) if pairs is None else pairs
        room = 4096 + _ROOM * len(world.positions)
        found = kernels.skin_contacts.find_contacts(
            (np.ascontiguousarray(world.positions, np.float64), np.ascontiguousarray(world.rotations, np.float64)),
            self.joints, self.fields, (self.first, self.last, self.probes), np.ascontiguousarray(self.pairs[numbers]),
            self.allowed, np.ascontiguousarray(self.offsets[numbers]), self.margin if reach is None else reach, room,
        )  # fmt: skip
        frames, depths, points, normals, whose = found
        return Contacts(frames, depths, points, normals, numbers[whose] if len(whose) else whose)


def contact_body(character: Character, margin: float = 0.004) -> ContactBody:
    """Points of a character's skin, and what they must stay out of.

    Args:
        character: any skinned body.
        margin: metres of air that is kept between limbs, for a body of 1.7 m.

    Raises:
        ParameterError: no mesh, one that is not skinned, or no arm and no second leg that could touch anything.
        SkeletonError: it is no body with hips and legs.
    """
    skin = body_skin(character)
    fields = part_fields(skin)
    size = float(np.ptp(skin.places, axis=0).max()) / _BODY
    shares = _shares(character, skin)
    first, last, chosen = [], [], []
    joints = np.array([part.joint for part in skin.parts], np.int32)
    for number in range(len(skin.parts)):
        own = (
            np.flatnonzero((skin.part == number) & (shares > _FIRM))
            if has_skin(skin, number)
            else np.zeros(0, np.int64)
        )
        own = own[np.isin(own, skin.faces)]
        picked = _spread(skin.places[own], _APART * size) if len(own) else own
        first.append(sum(map(len, chosen)))
        chosen.append(own[picked])
        last.append(sum(map(len, chosen)))
    probes = np.concatenate([skin.local(own.astype(np.int32), int(j)) for own, j in zip(chosen, joints, strict=True)])
    pairs = _pairs(skin)
    if not pairs:
        raise ParameterError(
            "the body has no arms, and no two legs with skin, that could run into anything", where=character.name
        )
    allowed, offsets, kept = [], [], []
    radii = _radii(skin)
    near = _near_along(skin, chosen, pairs, radii)
    used = 0
    for pair, close in zip(pairs, near, strict=True):
        a, b = pair
        if close.all():
            continue
        place = skin.local(chosen[a].astype(np.int32), int(joints[b]))
        free = np.maximum(margin * size - fields.distances(b, place), 0.0)
        if skin.parts[a].kind == "upper_arm" and skin.parts[b].group == "trunk":
            free = free + _YIELDS * np.maximum(_SOFT * radii[a] - _from_joint(skin, a, chosen[a]), 0.0)
        allowed.append(np.where(close, _NEVER, free))
        offsets.append(used)
        kept.append(pair)
        used += len(chosen[a])
    return ContactBody(
        skin,
        fields,
        joints,
        np.array(first, np.int32),
        np.array(last, np.int32),
        probes,
        np.array(kept, np.int32).reshape(-1, 2),
        np.concatenate(allowed) if allowed else np.zeros(0),
        np.array(offsets, np.int32),
        margin * size,
    )


def _shares(character: Character, skin: BodySkin) -> Float64:
    """(N,) share of each welded vertex' weight that is on its own part."""
    from reenact.body.limb_parts import part_of_joints

    of_joint = part_of_joints(character.skeleton, skin.parts)
    own = of_joint[character.weight_joints[skin.first]] == skin.part[:, None]
    return np.where(own, character.weights[skin.first], 0.0).sum(axis=1)


def _spread(places: Float64, apart: float) -> Int32:
    """Numbers of places that are spread evenly: each next one is the farthest from those taken."""
    most = min(_MOST, len(places))
    taken = [int(np.linalg.norm(places - places.mean(axis=0), axis=1).argmax())]
    far = np.linalg.norm(places - places[taken[0]], axis=1)
    while len(taken) < most:
        following = int(far.argmax())
        if far[following] < apart and len(taken) >= min(_LEAST, most):
            break
        taken.append(following)
        far = np.minimum(far, np.linalg.norm(places - places[following], axis=1))
    return np.array(sorted(set(taken)), np.int32)


def _pairs(skin: BodySkin) -> list[tuple[int, int]]:
    """Arms in everything but themselves, each leg in the other."""
    found = []
    for a, part in enumerate(skin.parts):
        _, _, limb = part.group.partition("_")
        if limb not in ("arm", "leg") or not has_skin(skin, a):
            continue
        for b, other in enumerate(skin.parts):
            if other.group == part.group or not has_skin(skin, b):
                continue
            if limb == "arm" or other.group.endswith("_leg"):
                found.append((a, b))
    return found


def _from_joint(skin: BodySkin, part: int, own: np.ndarray) -> Float64:
    """(N,) metres in the bind pose, how far some of the skin is from the joint of a part."""
    joint = np.linalg.inv(skin.inverse_binds[skin.parts[part].joint])[:3, 3]
    return np.asarray(np.linalg.norm(skin.places[own] - joint, axis=1))


def _near_along(
    skin: BodySkin, chosen: list[np.ndarray], pairs: list[tuple[int, int]], radii: Float64
) -> list[np.ndarray]:
    """For each pair which points of the first part are near the second along the skin."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    edges = np.unique(
        np.sort(np.concatenate([skin.faces[:, [0, 1]], skin.faces[:, [1, 2]], skin.faces[:, [2, 0]]]), axis=1), axis=0
    )
    lengths = np.linalg.norm(skin.places[edges[:, 0]] - skin.places[edges[:, 1]], axis=1)
    count = len(skin.places)
    graph = coo_array((np.maximum(lengths, 1e-9), (edges[:, 0], edges[:, 1])), shape=(count, count)).tocsr()
    found = []
    cache: dict[int, Float64] = {}
    for a, b in pairs:
        if b not in cache:
            sources = np.flatnonzero(skin.part == b)
            cache[b] = dijkstra(graph, directed=False, indices=sources, min_only=True, limit=_ROUND * radii.max())
        close = cache[b][chosen[a]] < _ROUND * radii[a]
        if skin.parts[b].group == "trunk" and skin.parts[a].kind in _HANGS:
            # of a body put together from shells, no way along the skin leads from one to the other
            close |= _from_joint(skin, a, chosen[a]) < _SOCKET * radii[a]
        found.append(close)
    return found


def _radii(skin: BodySkin) -> Float64:
    """(P,) metres, mean distance of each part's skin from the line through it."""
    found = np.zeros(len(skin.parts))
    for number in range(len(skin.parts)):
        own = skin.places[skin.part == number]
        if len(own) >= 4:
            values = np.linalg.eigvalsh(np.cov((own - own.mean(axis=0)).T))
            found[number] = np.sqrt(max(values[0] + values[1], 0.0))
    return found
