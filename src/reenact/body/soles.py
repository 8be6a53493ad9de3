"""The soles of a character, found from its skin.

After É. Lyard, *Motion Adaptation Based on Character Shape* (University of Geneva, thesis 4020, 2008), section 3.1.1: the sole is the
skin of a foot that looks down. What a foot stands on is here taken from the convex outline of that skin seen from the side, so that shoes
with the foot still inside, coarse boxes and feet that hang in the bind pose have a sole too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.body.character import Character
from reenact.body.mesh_normals import face_normals
from reenact.body.sole_profile import SoleProfile, sole_profile
from reenact.core.arrays import Float64, Int32
from reenact.core.findings import Finding
from reenact.core.foot_plants import SIDES
from reenact.core.foot_point import FootPoint
from reenact.core.role_finding import assign_roles

How = Literal["skin", "loosely"]

_LOOKS_DOWN = -0.5  # of a normal along up: below it the skin looks down
_OWNS = 0.5  # share of a vertex' weight from which on it is skin of the foot
_OWNS_LOOSELY = 0.2
_TRIES: tuple[tuple[How, float], ...] = (("skin", _OWNS), ("loosely", _OWNS_LOOSELY))
_FEWEST = 3  # vertices of a sole
_SHORTEST = 0.06  # of the leg: a shorter foot is none
_DEEP = 0.15  # of the foot's length: skin this far above the line of the sole is no sole, though it looks down
_BALL = 0.7  # of the way from heel to toe, where no joint tells it
_BALL_RANGE = (0.4, 0.92)
_AROUND = 0.12  # of the foot's length, around heel, ball and toe, tells where their middle is


@dataclass(frozen=True, slots=True, eq=False)
class Sole:
    """What one foot stands on.

    Attributes:
        side: "left" or "right".
        heel: the rearmost point that the foot stands on, in the frame of the foot's joint.
        ball: the point under the joint of the toes, in the frame of that joint; of the foot where there are no toes.
        toe: the foremost point of the underside, in the frame of the toes' joint; of the foot where there are none.
        level: metres, height of the sole in the bind pose (the lower of heel and ball), Y of mesh space.
        ankle: metres from the sole up to the joint of the foot, at right angles to the sole.
        length: metres from the back of the foot to its tip.
        width: metres, the widest the sole is.
        tilt: radians by which the sole rises from heel to ball in the bind pose; 0 for a foot that stands flat.
        vertices: (S,) int32, the skin of the sole.
        how: "skin" when the sole is skin that follows the foot and looks down; "loosely" when it had to be taken from skin that follows
            the foot only in part, or does not look down.
    """

    side: str
    heel: FootPoint
    ball: FootPoint
    toe: FootPoint
    level: float
    ankle: float
    length: float
    width: float
    tilt: float
    vertices: Int32
    how: How = "skin"

    @property
    def points(self) -> tuple[FootPoint, FootPoint, FootPoint]:
        """Heel, ball and toe."""
        return self.heel, self.ball, self.toe


@dataclass(frozen=True, slots=True, eq=False)
class Soles:
    """The soles of a character.

    Attributes:
        by_side: side -> sole, for the feet that were found.
        findings: what is to be known: which feet were not found and why.
    """

    by_side: dict[str, Sole]
    findings: tuple[Finding, ...] = ()

    @property
    def sides(self) -> tuple[str, ...]:
        """The feet there are."""
        return tuple(side for side in SIDES if side in self.by_side)

    def __getitem__(self, side: str) -> Sole:
        return self.by_side[side]

    def __contains__(self, side: object) -> bool:
        return side in self.by_side

    @property
    def level(self) -> float | None:
        """Metres, height of the floor under the character in its bind pose; None without feet."""
        return min((sole.level for sole in self.by_side.values()), default=None)


def soles(character: Character) -> Soles:
    """Where a character's feet meet the floor, by its skin in the bind pose.

    A foot without skin, or a character without feet, is left out and told in the findings; `analysis.find_foot_points` estimates heels
    from bones alone.
    """
    finder = _Finder(character)
    found: dict[str, Sole] = {}
    findings: list[Finding] = []
    for side in SIDES:
        sole, why = finder.find(side)
        if sole is None:
            message = f"no sole of the {side} foot was found: {why}"
            findings.append(Finding("soles.missing", "warning", character.name or "character", message))
            continue
        found[side] = sole
        if sole.how != "skin":
            message = f"the sole of the {side} foot is a guess: little of its skin follows the foot and looks down"
            findings.append(Finding("soles.guessed", "warning", character.name or "character", message))
    return Soles(found, tuple(findings))


class _Finder:
    """A character's bind pose, as the search for soles needs it. Up is Y: mesh space is upright."""

    def __init__(self, character: Character) -> None:
        self.character = character
        bind = character.bind_world()
        skeleton = character.skeleton
        self.skeleton = skeleton if skeleton.roles else assign_roles(skeleton, bind.positions)[0]
        self.joints = np.asarray(bind.positions[0], np.float64)
        self.vertices = np.asarray(character.vertices, np.float64)
        self.normals = face_normals(character.vertices, character.faces)

    def find(self, side: str) -> tuple[Sole | None, str]:
        """The sole of one side, or why there is none."""
        roles = self.skeleton.roles
        foot = roles.get(f"{side}_foot")
        if foot is None:
            return None, "no joint is known for it"
        if not len(self.vertices):
            return None, "the character has no mesh"
        toes = roles.get(f"{side}_toes")
        owned = self._weight_on(self.skeleton.subtree(foot))
        for how, least in _TRIES:
            mine = owned >= least
            if np.count_nonzero(mine) < _FEWEST:
                continue
            sole = self._sole(side, foot, toes, mine, how)
            if sole is not None and sole.length >= _SHORTEST * self._leg(side, foot):
                return sole, ""
        if not np.any(owned > 0):
            return None, f"no vertex follows {self.skeleton.names[foot]!r}"
        return None, f"the skin that follows {self.skeleton.names[foot]!r} has no underside"

    def _weight_on(self, joints: Iterable[int]) -> Float64:
        inside = np.zeros(len(self.skeleton), bool)
        inside[list(joints)] = True
        character = self.character
        return np.where(inside[character.weight_joints], character.weights, 0).sum(axis=1, dtype=np.float64)

    def _leg(self, side: str, foot: int) -> float:
        top = self.skeleton.roles.get(f"{side}_upper_leg", 0)
        chain = [joint for joint in self.skeleton.ancestors(foot) if joint >= top]
        ways = np.diff(self.joints[chain], axis=0) if len(chain) > 1 else np.zeros((0, 3))
        return float(np.linalg.norm(ways, axis=1).sum())

    def _sole(self, side: str, foot: int, toes: int | None, mine: np.ndarray, how: How) -> Sole | None:
        points = self.vertices[mine]
        ahead, across = self._axes(foot, toes, points)
        ankle = self.joints[foot]
        flat = np.column_stack([(points - ankle) @ ahead, points[:, 1] - ankle[1]])
        profile = sole_profile(flat)
        if profile is None:
            return None
        sideways = (points - ankle) @ across
        above = profile.above(flat)
        down, how = self._looking_down(mine, profile, ahead, above, how)
        underside = down[mine] & (above <= _DEEP * profile.length)
        if np.count_nonzero(underside) < _FEWEST:
            underside, how = above <= 0.5 * _DEEP * profile.length, "loosely"

        def place(at: Float64, joint: int) -> FootPoint:
            near = underside & (np.abs(flat[:, 0] - at[0]) <= _AROUND * profile.length)
            chosen = sideways[near] if near.any() else sideways[underside]
            middle = 0.5 * float(chosen.min() + chosen.max())
            point = ankle + at[0] * ahead + at[1] * np.array([0.0, 1.0, 0.0]) + middle * across
            bind = self.character.inverse_binds[joint]
            return FootPoint(joint, bind[:3, :3] @ point + bind[:3, 3])

        front = foot if toes is None else toes
        ball = self._ball(profile, ankle, ahead, toes)
        return Sole(
            side,
            place(profile.heel, foot),
            place(ball, front),
            place(profile.toe, front),
            level=float(ankle[1] + min(profile.heel[1], ball[1])),
            ankle=float(profile.above(np.zeros((1, 2)))[0]),
            length=profile.length,
            width=float(np.ptp(sideways[underside])),
            tilt=profile.tilt,
            vertices=np.flatnonzero(mine)[underside].astype(np.int32),
            how=how,
        )

    def _axes(self, foot: int, toes: int | None, points: Float64) -> tuple[Float64, Float64]:
        """Level unit vectors ahead and across (to the left of ahead) of a foot in the bind pose."""
        ankle, roles = self.joints[foot], self.skeleton.roles
        flat = np.array([1.0, 0.0, 1.0])
        way = np.zeros(3) if toes is None else (self.joints[toes] - ankle) * flat
        size = float(np.ptp(points, axis=0).max())
        if np.linalg.norm(way) < 0.05 * size:  # no toes, or straight under the ankle
            facing = np.array([0.0, 0.0, 1.0])
            if "left_upper_leg" in roles and "right_upper_leg" in roles:
                left = (self.joints[roles["left_upper_leg"]] - self.joints[roles["right_upper_leg"]]) * flat
                if np.linalg.norm(left) > 1e-6:
                    facing = np.cross(left, [0.0, 1.0, 0.0])
            way = _longer_way(points * flat, facing)
        ahead = way / np.linalg.norm(way)
        return ahead, np.cross([0.0, 1.0, 0.0], ahead)

    def _looking_down(
        self, mine: np.ndarray, profile: SoleProfile, ahead: Float64, above: Float64, how: How
    ) -> tuple[np.ndarray, How]:
        """(V,) bool: vertices of faces that look out of the sole. Where faces are wound the wrong way round, the lowest ones tell."""
        out = profile.out[0] * ahead + np.array([0.0, profile.out[1], 0.0])
        toward = self.normals @ out
        faces = self.character.faces
        low = np.zeros(len(self.vertices), bool)
        low[np.flatnonzero(mine)[above <= 0.03 * profile.length]] = True
        lowest = low[faces].all(axis=1)
        if lowest.any() and toward[lowest].sum() > 0:
            toward = -toward
        tries: tuple[tuple[float, How], ...] = ((_LOOKS_DOWN, how), (0.0, "loosely"))
        for limit, kind in tries:
            found = np.zeros(len(self.vertices), bool)
            found[faces[toward < limit]] = True
            if np.count_nonzero(found & mine) >= _FEWEST:
                return found, kind
        return np.zeros(len(self.vertices), bool), "loosely"

    def _ball(self, profile: SoleProfile, ankle: Float64, ahead: Float64, toes: int | None) -> Float64:
        """The point of the sole under the joint of the toes, (ahead, up); a usual share of the foot without such a joint."""
        whole = float((profile.toe - profile.heel) @ profile.along)
        share = _BALL
        if toes is not None:
            way = self.joints[toes] - ankle
            at = np.array([way @ ahead, way[1]])
            share = float((at - profile.heel) @ profile.along) / max(whole, 1e-9)
            share = share if _BALL_RANGE[0] <= share <= _BALL_RANGE[1] else _BALL
        return profile.heel + share * whole * profile.along


def _longer_way(points: Float64, facing: Float64) -> Float64:
    """The level direction a foot is longest in, on the side of `facing`; `facing` itself where it is about round."""
    spread = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(spread.T @ spread)
    long, short = values[2], values[1]
    if long < 1.5 * short:
        return facing
    way = axes[:, 2]
    if abs(way @ facing) < 0.5 * float(np.linalg.norm(facing)):
        return facing  # longer across than along: a wide shoe
    return way if way @ facing > 0 else -way
