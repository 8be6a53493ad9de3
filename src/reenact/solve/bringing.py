"""Clips brought together for a method that joins them: one skeleton, one frame rate, one floor. The one way for every method."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.analysis.carried_plants import fit_plants
from reenact.analysis.foot_stance import find_stances
from reenact.core.clip import Clip
from reenact.core.correspondence import match_joints
from reenact.core.cutting import match_rate
from reenact.core.foot_plants import FootPlants
from reenact.core.placement import move_rigidly
from reenact.errors import Remedy, SkeletonError
from reenact.solve.skeleton_map import map_with_plants

_NOTHING = 5e-4  # metres between floors that are one


@dataclass(frozen=True, slots=True, eq=False)
class Brought:
    """A clip on another clip's skeleton, at its rate and on its floor.

    Attributes:
        clip: the motion.
        plants: its foot plants, as far as they are known.
        mapped: the skeleton was another one.
    """

    clip: Clip
    plants: FootPlants | None
    mapped: bool


def bring_onto(
    clip: Clip,
    target: Clip,
    plants: FootPlants | None = None,
    target_plants: FootPlants | None = None,
    *,
    other_joints: bool = False,
) -> Brought:
    """A clip on the skeleton of another, at its rate and on its floor.

    Where both have one skeleton (offsets and rest pose) and one rate the frames stay what they are, but for the height of the floor.
    Elsewhere the motion is mapped (`solve.skeleton_map.map_with_plants`).

    Args:
        clip: the motion.
        target: the clip it is to be joined with.
        plants: foot plants of `clip`; without them feet are not held.
        target_plants: foot plants of `target`.
        other_joints: take skeletons with other joints as well, as far as their roles are known.

    Raises:
        SkeletonError: the joints differ and that is not asked for, or too few of them are known.
    """
    if not other_joints:
        require_joints(clip, target)
    rated = match_rate(clip, target)
    brought = put_on_skeleton(rated, target, fit_plants(plants, clip.fps, rated), target_plants)
    if brought.mapped:
        return brought
    return _level(brought, target, target_plants)


def put_on_skeleton(
    clip: Clip, target: Clip, plants: FootPlants | None = None, target_plants: FootPlants | None = None
) -> Brought:
    """A clip on the skeleton of another, frame by frame at its own rate; as it is where both have one skeleton. See `bring_onto`."""
    made, plants = map_with_plants(clip, target, plants, target_plants)
    mapped = not clip.same_body(target)
    return Brought(made, _on_floor(plants, target_plants) if mapped else plants, mapped)


def require_joints(clip: Clip, target: Clip) -> None:
    """Raise an error that says what differs, and what could be done, unless both skeletons have the same joints."""
    if clip.skeleton.same_tree(target.skeleton):
        return
    found = match_joints(clip.skeleton, target.skeleton)
    raise SkeletonError(
        f"the skeletons of {clip.name!r} and {target.name!r} differ ({target.skeleton.difference(clip.skeleton)}); "
        f"{found.offer()}",
        where=clip.name,
        remedies=[] if found.missing else [Remedy(f"bring it onto the skeleton of {target.name}", {"map": True})],
    )


def _level(brought: Brought, target: Clip, target_plants: FootPlants | None) -> Brought:
    """A clip raised or lowered so that its feet stand as high as those of a target of the same skeleton."""
    own, other = find_stances(brought.clip, brought.plants), find_stances(target, target_plants)
    sides = [side for side in own if side in other]
    if not sides:
        return brought
    higher = float(np.mean([other[side].level - own[side].level for side in sides]))
    if abs(higher) < _NOTHING:
        return brought
    plants = _on_floor(brought.plants, target_plants)
    return replace(brought, clip=move_rigidly(brought.clip, (0.0, higher, 0.0)), plants=plants)


def _on_floor(plants: FootPlants | None, target: FootPlants | None) -> FootPlants | None:
    return plants if plants is None or target is None else replace(plants, floor=target.floor)
