"""Skeletons and weights for meshes that have none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reenact.body.auto_weights import WeightMethod, find_weights
from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.body.fitting import bend_into, lies_in, person_skeleton, scale_into
from reenact.body.landmarks import Landmarks, find_landmarks
from reenact.body.solid import Solid, fill
from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.core.made import Made, clip_of
from reenact.core.parameters import check_ranges, option
from reenact.core.role_finding import ESSENTIAL, assign_roles
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError


@dataclass(frozen=True, slots=True)
class RigParameters:
    """How a mesh gets a skeleton and weights."""

    method: WeightMethod = option(
        "heat", "weights by heat that spreads over the surface, or by distances through voxels (for damaged surfaces)"
    )
    resolution: int = option(80, "cells along the longest side of the mesh", low=24, high=400)
    fit: bool = option(True, "take a given skeleton as it lies, without fitting it into the mesh", off="as-it-lies")
    again: bool = option(False, "replace the weights that the mesh has")

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True, eq=False)
class Rigged:
    """A character that was given a skeleton.

    Attributes:
        character: with skeleton and weights.
        report: plain values: method, joints, how the skeleton was laid in, joints that nothing follows.
        findings: what was guessed.
    """

    character: Character
    report: dict[str, Any]
    findings: tuple[Finding, ...] = ()


def rig(
    mesh: Character, skeleton: Skeleton | Character | Clip | Made | None = None, parameters: RigParameters | None = None
) -> Rigged:
    """A mesh with a skeleton and weights, so that it can be animated.

    Args:
        mesh: a character whose mesh hangs on a single joint; another with `again`.
        skeleton: the joints it gets, laid into it; None: those of a person, found in its shape, or its own with `again`.
        parameters: how.

    Raises:
        SkeletonError: no person was found in the mesh and no skeleton given, or the skeleton does not fit.
        ParameterError: there is no mesh, or it has weights already.
    """
    parameters = parameters or RigParameters()
    if not len(mesh.faces):
        raise ParameterError(f"{mesh.name or 'the character'} has no faces", where="mesh")
    rigged = len(mesh.skeleton) > 1 and len(np.unique(mesh.influences.joints)) > 1
    if rigged and not parameters.again:
        count = len(mesh.skeleton)
        raise ParameterError(
            f"the mesh has a skeleton of {count} joints and weights already; --again replaces them", where="again"
        )
    solid = fill(mesh.vertices, mesh.faces, parameters.resolution)
    given = _skeleton_of(skeleton)
    findings: tuple[Finding, ...] = ()
    if given is None and len(mesh.skeleton) > 1:
        laid, how = _bound(mesh), "its own"
    elif given is None:
        landmarks = find_landmarks(solid)
        laid, how, findings = person_skeleton(landmarks), "a person, found in the shape of the mesh", landmarks.findings
    else:
        laid, how, findings = _lay(given, solid, parameters)
    found = find_weights(mesh.vertices, mesh.faces, laid, solid, parameters.method)
    rest = rest_world(laid)
    root = [replace(one, joint=0) for one in mesh.attachments]
    character = replace(
        mesh,
        skeleton=laid,
        weight_joints=found.joints,
        weights=found.weights,
        inverse_binds=rigid_inverse(rest.positions[0], rest.rotations[0]),
        attachments=tuple(mesh.attachments if given is None and len(mesh.skeleton) > 1 else root),
    )
    report = {
        "joints": len(laid),
        "skeleton": how,
        "method": parameters.method,
        "vertices": len(mesh.vertices),
        "roles": len(laid.roles),
        "without_skin": [laid.names[joint] for joint in found.bare],
    }
    return Rigged(character, report, findings)


def _skeleton_of(given: Skeleton | Character | Clip | Made | None) -> Skeleton | None:
    if isinstance(given, Made):
        given = clip_of(given)
    if isinstance(given, Character):
        given = _bound(given) if len(given.vertices) else given.skeleton
    elif isinstance(given, Clip):
        given = given.skeleton
    if given is None or given.roles:
        return given
    return assign_roles(given)[0]


def _bound(character: Character) -> Skeleton:
    """The skeleton with the pose in which the mesh is bound as its rest pose."""
    from reenact.core import rotations as R

    skeleton, world = character.skeleton, character.bind_world()
    above = np.maximum(skeleton.parents, 0)
    root = (skeleton.parents < 0)[:, None]
    places, turns = world.positions[0], world.rotations[0]
    back = R.conjugate(turns[above])
    offsets = np.where(root, places, R.rotate(back, places - places[above]))
    bound = replace(skeleton, offsets=offsets, rest=np.where(root, turns, R.multiply(back, turns)))
    return bound if bound.roles else assign_roles(bound)[0]


def _lay(skeleton: Skeleton, solid: Solid, parameters: RigParameters) -> tuple[Skeleton, str, tuple[Finding, ...]]:
    if not parameters.fit or lies_in(skeleton, solid):
        return skeleton, "as it lies in the mesh", ()
    why = ""
    if skeleton.has_roles(*ESSENTIAL):
        try:
            landmarks: Landmarks = find_landmarks(solid)
            return (
                bend_into(skeleton, landmarks),
                "laid on the joints found in the shape of the mesh",
                landmarks.findings,
            )
        except SkeletonError as error:
            why = error.message.partition(";")[0]
    message = "the skeleton was scaled and moved as a whole; look at the picture whether its bones lie in the limbs"
    if why:
        message = f"it could not be laid on joints ({why}): {message}"
    found = (Finding("rig.scaled", "warning", "skeleton", message),)
    return scale_into(skeleton, solid), "scaled and moved into the mesh", found
