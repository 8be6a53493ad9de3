"""The body a motion is brought onto: how its skeleton is built, how it stands on its feet, and the skin around it.

A clip tells that by how it moves, a character by the pose it was modelled in and by its skin: the soles on which it stands are those of
its shoes (`body.soles`), whatever its skeleton says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.analysis.foot_stance import FootStance, find_stances
from reenact.body.character import Character
from reenact.body.dressing import renumbered
from reenact.body.soles import Sole, soles
from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.findings import Finding
from reenact.core.foot_plants import FootPlants
from reenact.core.foot_point import FootPoint
from reenact.core.role_finding import find_roles
from reenact.solve.feet import Foot, find_feet
from reenact.solve.loose_feet import Hung, hang_clip, hang_feet
from reenact.solve.standing_pose import goes_on_four, posed, rest_of, standing_pose, stands

_UP = (0.0, 1.0, 0.0)
_SOLE = 0.1  # of the way from heel to ball, that joints of toes lie above the floor


@dataclass(frozen=True, slots=True, eq=False)
class TargetBody:
    """A body that motions are brought onto.

    Attributes:
        clip: a motion of its skeleton, or one frame of the pose it was modelled in.
        stances: side -> how the foot stands; a character stands on a floor at height 0.
        feet: its feet, on the soles of its skin where it has one.
        still: it is known by the pose it was modelled in alone.
        character: its mesh; None for a skeleton.
        widths: side -> metres, how wide its sole is, where it is known.
        findings: what is to be known about it.
        hung: of a rig whose feet hang on no leg, how they were hung below its shins.
        on_floor: it stands on a floor at height 0, on which planted feet are put; else on that of the motion it is known by.
    """

    clip: Clip
    stances: dict[str, FootStance]
    feet: tuple[Foot, ...]
    still: bool = False
    character: Character | None = None
    widths: dict[str, float] | None = None
    findings: tuple[Finding, ...] = ()
    hung: Hung | None = None
    on_floor: bool = False

    @property
    def name(self) -> str:
        """What it is called."""
        return self.clip.name


def body_of_clip(target: Clip, plants: FootPlants | None = None) -> TargetBody:
    """The body that a motion shows."""
    still = not float(np.ptp(target.rotations, axis=0).max(initial=0.0)) and standing_pose(target) is not None
    return TargetBody(target, find_stances(target, plants), find_feet(target.skeleton, target), still)


def body_of_skeleton(clip: Clip) -> TargetBody:
    """The body of a skeleton without a mesh, on a floor at height 0: as it stands, where it has such a pose, else as it moves."""
    pose = standing_pose(clip)
    if pose is None:
        moving = body_of_clip(clip)
        return replace(moving, stances={side: _at_floor(one) for side, one in moving.stances.items()}, on_floor=True)
    hung = hang_feet(pose.skeleton, pose.world(np.float64))
    if hung is not None:
        pose = hang_clip(pose, hung)
    pose = replace(pose, name=clip.name)
    stances = {side: _at_floor(one) for side, one in find_stances(pose).items()}
    return TargetBody(pose, stances, find_feet(pose.skeleton, pose), True, hung=hung, on_floor=True)


def body_of_character(character: Character, roles: dict[str, int] | None = None) -> TargetBody:
    """A character as it was modelled.

    Args:
        character: with or without a mesh.
        roles: which joint is what; default: found out.
    """
    bound = character.bind_world()
    findings: tuple[Finding, ...] = ()
    if roles is None:
        if character.skeleton.roles:
            roles = dict(character.skeleton.roles)
        else:
            found = find_roles(character.skeleton, bound.positions)
            roles, findings = dict(found.roles), found.findings
    skeleton = character.skeleton.with_roles(roles)
    hung = hang_feet(skeleton, bound)
    if hung is None:
        worked_on = replace(character, skeleton=skeleton)
    else:
        skeleton, worked_on = (
            hung.skeleton,
            renumbered(character, hung.skeleton, np.argsort(hung.order).astype(np.int32)),
        )
        bound = worked_on.bind_world()
    parents = skeleton.parents
    turned = bound.rotations[0].copy()
    turned[1:] = R.multiply(R.conjugate(bound.rotations[0][parents[1:]]), bound.rotations[0][1:])
    clip = replace(posed(skeleton, turned, root=bound.positions[0, 0]), name=character.name)
    as_modelled = stands(clip) or not stands(rest_of(clip))
    if not as_modelled:
        clip = replace(rest_of(clip), name=character.name)
    found_soles = soles(worked_on) if len(character.vertices) and as_modelled else None
    feet = find_feet(skeleton, clip)
    if found_soles is None:
        stances = {side: _at_floor(one) for side, one in find_stances(clip).items()}
        return TargetBody(clip, stances, feet, True, worked_on, None, findings, hung, on_floor=True)
    feet = tuple(
        replace(foot, heel=found_soles[foot.side].heel, ball=found_soles[foot.side].ball, on_sole=True)
        if foot.side in found_soles
        else foot
        for foot in feet
    )
    world = clip.world(np.float64)
    stances = {foot.side: _stance_on(found_soles[foot.side], foot, world) for foot in feet if foot.side in found_soles}
    if goes_on_four(clip):  # on its toes: what lies behind them is no heel
        feet = tuple(replace(foot, heel=foot.ball) for foot in feet)
        stances = {side: replace(one, heel=one.ball) for side, one in stances.items()}
    missing = {side: _at_floor(one) for side, one in find_stances(clip).items() if side not in stances}
    widths = {side: found_soles[side].width for side in found_soles.sides}
    return TargetBody(
        clip, {**missing, **stances}, feet, True, worked_on, widths, (*findings, *found_soles.findings), hung, True
    )


def _stance_on(sole: Sole, foot: Foot, world: World) -> FootStance:
    """How a foot stands that lies flat on its sole, on a floor at height 0."""
    ankle, front = foot.leg.end, sole.ball.joint
    heel, ball = (_in_ankle(world, ankle, point) for point in (sole.heel, sole.ball))
    along = R.normalize(ball - heel)
    up = R.rotate(R.conjugate(world.rotations[0, ankle]), _UP)
    up = R.normalize(up - (up @ along) * along)
    turn = R.multiply(R.conjugate(world.rotations[0, ankle]), world.rotations[0, front])
    return FootStance(foot.side, ankle, front, up, turn, heel, ball, 0.0, 0.0)


def _in_ankle(world: World, ankle: int, point: FootPoint) -> Float:
    place = world.point(point.joint, np.asarray(point.place, dtype=np.float64))[0] - world.positions[0, ankle]
    return R.rotate(R.conjugate(world.rotations[0, ankle]), place)


def _at_floor(stance: FootStance) -> FootStance:
    """A stance of a body that nobody saw walk, on a floor at height 0: its ball lies a little above it."""
    return replace(stance, level=_SOLE * float(np.linalg.norm(stance.ball - stance.heel)))
