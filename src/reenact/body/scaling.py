"""Skeletons, characters and motions of another size, as a whole or segment by segment.

The seven segments are the thesis' (Lyard 2008, 5.4 and appendix E): scye, upper arm, forearm, waist to knee, inside leg, waist height and
back length. A segment grows along its bone: what hangs on it moves along, what is beside it stays beside it. A motion's way is scaled as
its legs are, so that the steps fit them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.body.skinning import skin
from reenact.core import rotations
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip, JointTranslations, World
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.role_finding import assign_roles
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError

LEG_SHARE = 0.491
"""Thigh and shank of body height (Drillis and Contini 1966); the height of a skeleton without a mesh is told by it."""


def _segment(help: str) -> Any:
    return option(1.0, f"length of {help}, 1.2: a fifth longer", low=0.1, high=10.0)


@dataclass(frozen=True, slots=True)
class ScaleParameters:
    """What size a body gets. Segments multiply the whole; with `height` they come first and the whole is brought to that height."""

    height: float | None = option(
        None,
        "body height that it is brought to; of a skeleton without a mesh as its legs tell",
        unit="m",
        above=0,
        high=1000,
    )
    factor: float = option(1.0, "scale of everything", above=0, high=1000)
    shoulders: float = _segment("the shoulders (scye), from the collar bones to the arms")
    upper_arm: float = _segment("the upper arms")
    forearm: float = _segment("the forearms")
    thigh: float = _segment("the thighs (waist to knee)")
    shank: float = _segment("the shanks (inside leg)")
    waist: float = _segment("the waist (waist height), from the hips to the spine")
    back: float = _segment("the back (back length), from there to the head")
    mesh: Literal["follow", "kept"] = option(
        "follow",
        "what segments do to a mesh: it follows the bones, or it has the wanted shape already and is attached to them again",
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.height is not None and self.factor != 1.0:
            raise ParameterError("height and factor both say how large the whole is: give one of them", where="height")

    @property
    def segments(self) -> dict[str, float]:
        """The segments that change."""
        return {name: value for name in SEGMENTS if (value := getattr(self, name)) != 1.0}


SEGMENTS = ("shoulders", "upper_arm", "forearm", "thigh", "shank", "waist", "back")

_LIMBS = {
    "shoulders": ("shoulder", "upper_arm"),
    "upper_arm": ("upper_arm", "lower_arm"),
    "forearm": ("lower_arm", "hand"),
    "thigh": ("upper_leg", "lower_leg"),
    "shank": ("lower_leg", "foot"),
}


def scale_skeleton(skeleton: Skeleton, parameters: ScaleParameters | None = None, **segments: Any) -> Skeleton:
    """A skeleton of another size, its lowest joint as high over the floor as it was.

    Args:
        skeleton: roles are needed for segments and heights.
        parameters: how; or its fields by name.

    Raises:
        SkeletonError: a segment is asked for whose joints are not known.
    """
    parameters = _asked(parameters, segments)
    skeleton = skeleton if skeleton.roles else assign_roles(skeleton)[0]
    stretched = _stretched(skeleton, parameters.segments)
    factor = parameters.factor
    if parameters.height is not None:
        factor = parameters.height / skeleton_height(stretched)
    return stretched.scaled(factor) if factor != 1.0 else stretched


def skeleton_height(skeleton: Skeleton) -> float:
    """The body height that a skeleton's legs tell, in metres."""
    return _leg(skeleton) / LEG_SHARE


def scale_character(character: Character, parameters: ScaleParameters | None = None, **segments: Any) -> Character:
    """A character of another size: skeleton, mesh, binds, morph targets and what hangs on joints.

    Args:
        character: whose. Segments of a mesh that is bound in another pose than the skeleton's rest pose are scaled in that pose.
        parameters: how; or its fields by name. With `mesh="kept"` the mesh stays as it is and follows the new joints from there.

    Raises:
        SkeletonError: a segment is asked for whose joints are not known.
    """
    parameters = _asked(parameters, segments)
    made = character
    if parameters.segments:
        made = _segmented(character, parameters)
    factor = parameters.factor
    if parameters.height is not None:
        factor = parameters.height / _height(made)
    return _resized(made, factor) if factor != 1.0 else made


def scale_clip(clip: Clip, parameters: ScaleParameters | None = None) -> Made:
    """A motion on a body of another size; its way is scaled as the legs are, its turns stay.

    Raises:
        SkeletonError: segments or a height are asked for, and the joints that tell them are not known.
    """
    parameters = parameters or ScaleParameters()
    skeleton = scale_skeleton(clip.skeleton, parameters)
    factor = _whole_factor(clip.skeleton, skeleton, parameters)
    ratio = factor
    if parameters.segments:
        ratio = _standing(skeleton, factor * _ankle(clip.skeleton)) / _standing(clip.skeleton, _ankle(clip.skeleton))
    moved = clip.translations
    if moved is not None:
        old, new = (np.linalg.norm(one.offsets[moved.joints], axis=1) for one in (clip.skeleton, skeleton))
        sizes = np.where(old > 1e-9, new / np.maximum(old, 1e-9), factor)
        moved = JointTranslations(moved.joints, (moved.values * sizes[None, :, None]).astype(np.float32))
    root = (clip.root * np.float32(ratio)).astype(np.float32)
    scaled = replace(clip, skeleton=skeleton, root=root, translations=moved)
    report: dict[str, Any] = {"factor": round(float(factor), 6), "way": round(float(ratio), 6)}
    if skeleton.has_roles("left_upper_leg", "left_lower_leg", "left_foot"):
        report["height_m"] = round(skeleton_height(skeleton), 4)
    return Made(scaled, report, clip.plants)


def _asked(parameters: ScaleParameters | None, segments: Mapping[str, Any]) -> ScaleParameters:
    try:
        return replace(parameters or ScaleParameters(), **segments)
    except TypeError as error:
        raise ParameterError(str(error).replace("ScaleParameters.__init__() ", ""), where="scale") from None


def _whole_factor(before: Skeleton, after: Skeleton, parameters: ScaleParameters) -> float:
    if parameters.height is None:
        return parameters.factor
    return parameters.height / skeleton_height(
        _stretched(before if before.roles else assign_roles(before)[0], parameters.segments)
    )


def _height(character: Character) -> float:
    if len(character.vertices):
        return float(np.ptp(character.vertices[:, 1]))
    return skeleton_height(character.skeleton if character.skeleton.roles else assign_roles(character.skeleton)[0])


def _leg(skeleton: Skeleton) -> float:
    hip, knee, ankle = skeleton.require_roles("left_upper_leg", "left_lower_leg", "left_foot")
    places = rest_world(skeleton).positions[0]
    return float(np.linalg.norm(places[knee] - places[hip]) + np.linalg.norm(places[ankle] - places[knee]))


def _ankle(skeleton: Skeleton) -> float:
    """How high the ankle is over the sole, by the usual proportions."""
    return 0.039 / LEG_SHARE * _leg(skeleton)


def _standing(skeleton: Skeleton, ankle: float) -> float:
    return _leg(skeleton) + ankle


@dataclass(frozen=True, slots=True, eq=False)
class _Growth:
    """What segments do to a skeleton.

    Attributes:
        stretches: (J, 3, 3) in each joint's frame, what becomes of its skin and of the places of its children.
        alone: joint -> scale of its own offset, where its parent keeps its shape.
    """

    stretches: Float64
    alone: dict[int, float]

    def offsets(self, skeleton: Skeleton) -> Float64:
        """(J, 3) the places of joints in their parents' frames."""
        parents = np.maximum(skeleton.parents, 0)
        found = np.einsum("jab,jb->ja", self.stretches[parents], skeleton.offsets)
        found[0] = skeleton.offsets[0]
        for joint, scale in self.alone.items():
            found[joint] = scale * skeleton.offsets[joint]
        return found


def _growth(skeleton: Skeleton, segments: Mapping[str, float]) -> _Growth:
    stretches, alone = np.tile(np.eye(3), (len(skeleton), 1, 1)), {}
    for segment, scale in segments.items():
        for way in _ways(skeleton, segment):
            if len(way) == 1:
                alone[way[0]] = scale
            for joint, child in pairwise(way):
                length = np.linalg.norm(skeleton.offsets[child])
                if length > 1e-9:
                    along = skeleton.offsets[child] / length
                    stretches[joint] += (scale - 1) * np.outer(along, along)
    return _Growth(stretches, alone)


def _ways(skeleton: Skeleton, segment: str) -> list[tuple[int, ...]]:
    """The joints along a segment, from its near end to its far one; the far one alone where its parent has other limbs."""
    if segment in _LIMBS:
        near, far = _LIMBS[segment]
        found = []
        for side in ("left", "right"):
            (end,) = skeleton.require_roles(f"{side}_{far}")
            if near == "shoulder" and f"{side}_shoulder" not in skeleton.roles:
                found.append((end,))
            else:
                (start,) = skeleton.require_roles(f"{side}_{near}")
                found.append(_between(skeleton, start, end, segment))
        return found
    spine, head = skeleton.require_roles("spine", "head")
    return [(spine,)] if segment == "waist" else [_between(skeleton, spine, head, segment)]


def _between(skeleton: Skeleton, start: int, end: int, segment: str) -> tuple[int, ...]:
    way = skeleton.ancestors(end)
    if start not in way:
        named = f"{skeleton.names[end]!r} does not hang on {skeleton.names[start]!r}"
        raise SkeletonError(f"{named}, so the segment {segment} has no length")
    return tuple(reversed(way[: way.index(start) + 1]))


def _stretched(skeleton: Skeleton, segments: Mapping[str, float]) -> Skeleton:
    """The skeleton with longer or shorter segments, on the floor it stood on."""
    if not segments:
        return skeleton
    growth = _growth(skeleton, segments)
    ends = np.einsum("eab,eb->ea", growth.stretches[skeleton.end_joints], skeleton.end_offsets)
    made = replace(skeleton, offsets=growth.offsets(skeleton), end_offsets=ends)
    offsets = made.offsets.copy()
    offsets[0, 1] += _lowest(skeleton) - _lowest(made)
    return replace(made, offsets=offsets)


def _lowest(skeleton: Skeleton) -> float:
    """The height of the lowest foot joint in the rest pose, else of any joint."""
    return _sole(skeleton, rest_world(skeleton).positions[0])


def _segmented(character: Character, parameters: ScaleParameters) -> Character:
    """Segments of a character scaled in its bind pose, which becomes the pose of the new mesh."""
    old = character.skeleton if character.skeleton.roles else assign_roles(character.skeleton)[0]
    skeleton = _stretched(old, parameters.segments)
    bound = character.bind_world()
    stood = _in_pose(old, bound, old.offsets)
    places = _in_pose(old, bound, skeleton.offsets)
    shift = np.zeros(3)
    shift[1] = _sole(old, stood) - _sole(old, places)
    places = places + shift + (bound.positions[0, 0] - stood[0])
    if parameters.mesh == "kept":
        binds = rigid_inverse(places, bound.rotations[0])
        return replace(character, skeleton=skeleton, inverse_binds=binds)
    stretch = np.tile(np.eye(4), (len(old), 1, 1))
    stretch[:, :3, :3] = _growth(old, parameters.segments).stretches
    binds = stretch @ character.inverse_binds
    posed = skin(
        replace(character, inverse_binds=binds),
        World(places[None], bound.rotations),
        normals=character.normals is not None,
    )
    moves = _bind_moves(places, bound.rotations[0], binds, character)
    return replace(
        character,
        skeleton=skeleton,
        vertices=posed.vertices[0],
        normals=None if posed.normals is None else posed.normals[0],
        inverse_binds=rigid_inverse(places, bound.rotations[0]),
        tangents=_turned(character.tangents, moves),
        morphs=tuple(
            replace(one, moves=np.einsum("nab,nb->na", moves[one.vertices], one.moves).astype(np.float32))
            for one in character.morphs
        ),
    )


def _in_pose(skeleton: Skeleton, bound: World, offsets: Float64) -> Float64:
    """(J, 3) joints with these offsets, turned as in the bind pose."""
    places = np.empty((len(skeleton), 3))
    for joint, parent in enumerate(skeleton.parents):
        if parent < 0:
            places[joint] = offsets[joint]
        else:
            places[joint] = places[parent] + rotations.rotate(bound.rotations[0, parent], offsets[joint])
    return places


def _sole(skeleton: Skeleton, places: Float) -> float:
    """The height of the lowest foot joint, else of any joint."""
    feet = [
        skeleton.roles[role]
        for role in ("left_foot", "right_foot", "left_toes", "right_toes")
        if role in skeleton.roles
    ]
    return float(places[feet, 1].min() if feet else places[:, 1].min())


def _bind_moves(places: Float64, turns: Float, binds: Float64, character: Character) -> Float64:
    """(V, 3, 3) what the change does to directions at each vertex."""
    linear = rotations.to_matrix(np.asarray(turns, np.float64)) @ binds[:, :3, :3]
    return np.einsum("vk,vkab->vab", character.weights.astype(np.float64), linear[character.weight_joints])


def _turned(tangents: Float | None, moves: Float64) -> Any:
    if tangents is None:
        return None
    turned = np.einsum("vab,vb->va", moves, tangents[:, :3])
    lengths = np.linalg.norm(turned, axis=1, keepdims=True)
    return np.hstack([turned / np.where(lengths > 0, lengths, 1), tangents[:, 3:]]).astype(np.float32)


def _resized(character: Character, factor: float) -> Character:
    """Everything of a character times a factor."""
    binds = character.inverse_binds.copy()
    binds[:, :3, 3] *= factor
    attachments = []
    for one in character.attachments:
        place = one.place.copy()
        place[:3, 3] *= factor
        attachments.append(replace(one, place=place))
    return replace(
        character,
        skeleton=character.skeleton.scaled(factor),
        vertices=character.vertices * np.float32(factor),
        inverse_binds=binds,
        morphs=tuple(replace(one, moves=one.moves * np.float32(factor)) for one in character.morphs),
        attachments=tuple(attachments),
    )
