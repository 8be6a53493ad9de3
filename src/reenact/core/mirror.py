"""Mirroring a motion: what the left did, the right does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from reenact.core.arrays import Float
from reenact.core.clip import Clip, JointTranslations
from reenact.core.mirror_map import MirrorMap, find_mirror_map
from reenact.core.parameters import check_ranges, option
from reenact.core.placement import place_at, placement_of
from reenact.core.rotations import conjugate, from_matrix, multiply, normalize
from reenact.errors import ParameterError

_FLIP = np.array([1.0, 1.0, -1.0, -1.0])  # a rotation seen in a mirror square to x
_SIDEWAYS = np.diag([-1.0, 1.0, 1.0])


@dataclass(frozen=True, slots=True)
class MirrorParameters:
    """Where the mirror stands."""

    place: Literal["world", "start"] = option(
        "world", "world: x becomes -x; start: the first frame keeps its place and heading"
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.place not in ("world", "start"):
            raise ParameterError(f"place must be world or start, not {self.place!r}", where="place")


@dataclass(frozen=True, slots=True)
class MirrorReport:
    """How true a mirrored clip is.

    Attributes:
        error: metres, the largest distance of a joint from its partner's mirror image; not 0 when left and right bones differ.
        typical: metres, the root mean square of those distances.
        kept: names of joints of one side without a counterpart, which keep their own rotation (not counted above).
        basis: whether local frames were compared in the rest pose or in the motion.
    """

    error: float
    typical: float
    kept: tuple[str, ...]
    basis: Literal["rest", "motion"]


def mirror(clip: Clip, parameters: MirrorParameters | None = None) -> Clip:
    """The clip with left and right swapped.

    World positions are exactly the reflected positions of the opposite joints when left and right bones are equally long
    (`measure_mirror` says how far off otherwise); mirroring twice gives the clip back.
    """
    parameters = parameters or MirrorParameters()
    mirrored = reflect(clip, find_mirror_map(clip))
    if parameters.place == "start":
        mirrored = place_at(mirrored, *placement_of(clip))
    return mirrored


def reflect(clip: Clip, joints: MirrorMap) -> Clip:
    """The clip reflected in the plane x = 0 with a given mirror map.

    With C = S M, the world rotation S W M is (S W S) C, so a local rotation becomes C_parent^-1 (S L S) C.
    """
    partners, parents = joints.partners, clip.skeleton.parents
    corrections = from_matrix(_SIDEWAYS @ joints.reflections)
    flipped = clip.rotations[:, partners].astype(np.float64) * _FLIP
    local = multiply(flipped, corrections)
    local[:, 1:] = multiply(conjugate(corrections[parents[1:]]), local[:, 1:])
    local[:, joints.kept] = clip.rotations[:, joints.kept]
    reflected = replace(
        clip,
        rotations=normalize(local).astype(np.float32),
        root=clip.root * np.array([-1, 1, 1], np.float32),
        translations=_reflect_translations(clip, joints),
    )
    return reflected if clip.plants is None else reflected.with_plants(clip.plants.mirrored())


def _reflect_translations(clip: Clip, joints: MirrorMap) -> JointTranslations | None:
    moved = clip.translations
    if moved is None:
        return None
    slots = {int(joint): slot for slot, joint in enumerate(moved.joints)}
    values: dict[int, Float] = {}
    for joint, slot in slots.items():
        partner = joint if joints.kept[joint] else int(joints.partners[joint])
        own = moved.values[:, slot].astype(np.float64)
        if joints.kept[joint]:
            values[joint] = own
        else:
            values[partner] = own @ joints.reflections[clip.skeleton.parents[partner]]
    order = sorted(values)
    return JointTranslations(np.array(order, np.int32), np.stack([values[joint] for joint in order], axis=1))


def measure_mirror(clip: Clip) -> MirrorReport:
    """How far the joints of the mirrored clip lie from the mirror images of their partners."""
    joints = find_mirror_map(clip)
    wanted = clip.world(np.float64).positions[:, joints.partners] * (-1.0, 1.0, 1.0)
    found = reflect(clip, joints).world(np.float64).positions
    distances = np.linalg.norm(found - wanted, axis=2)[:, ~joints.kept]
    kept = tuple(clip.skeleton.names[joint] for joint in np.flatnonzero(joints.kept))
    typical = float(np.sqrt(np.mean(distances**2)))
    return MirrorReport(float(distances.max()), typical, kept, joints.basis)
