"""Balance kept: hips shifted over feet that stay, and a trunk that leans the other way, until the zero-moment point is no farther from the
soles than it was in the recording.

After É. Lyard (2008), section 4.7.3. Real motion leaves its support: a walk falls from foot to foot. So nothing is forced into it; the
distance of the recording, frame by frame, is the threshold. Four curves are found at once over the whole clip, since accelerations tie its
frames together: legs sideways and ahead (thighs and ankles turn by opposite angles, the body moves like a parallelogram on its feet), trunk
sideways and ahead. Slopes are analytic: those of the masses by the turns, through the low-pass and the second differences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.adapt.control_points import REACH, ControlPoints
from reenact.adapt.corrections import Layer
from reenact.adapt.degrees import Degree, Degrees, Link, Posed, world_axis
from reenact.adapt.stages import Studied
from reenact.adapt.support_area import SupportAreas, support_areas
from reenact.adapt.zmp import CUT, accelerations, low_passed, zero_moment_of
from reenact.analysis.free_flight import G
from reenact.body.character import Character
from reenact.body.masses import BodyMasses
from reenact.core import filters
from reenact.core.arrays import Float, Float64
from reenact.core.clip import World
from reenact.core.foot_plants import FootPlants

_MOST = np.pi / 8
_CHANGE = 1.0  # of a radian
_OUT = 3.0  # of a centimetre beyond the threshold
_SOFT = 0.03  # radians from which on a turn costs as much as it is large, and no more as its square
_CALM = 2.0  # of second differences of control points
_HAND_OVER = 0.04  # seconds in which the body passes from one foot to the other
_STEPS, _LEAST_GAIN = 15, 0.01
_TRIES, _MORE = 6, 5.0


@dataclass(frozen=True, slots=True, eq=False)
class Balanced:
    """What balance asked for.

    Attributes:
        layer: its corrections.
        costs: the objective before and after each step.
        points: (K, 4) control points: legs aside, legs ahead, trunk aside, trunk ahead.
        control: where they are.
    """

    layer: Layer
    costs: tuple[float, ...]
    points: Float
    control: ControlPoints


def keep_balance(
    seen: Studied, character: Character, masses: BodyMasses, plants: FootPlants, allowed: Float, floor: float
) -> Balanced:
    """Corrections that bring the zero-moment point as near to the soles as allowed, as far as that goes.

    Args:
        seen: the motion.
        character: its body.
        masses: of the body.
        plants: when its feet are planted.
        allowed: (F,) metres, how far the point may be outside in each frame; not a number where that is not known.
        floor: metres, height of the floor.
    """
    way = _Way(seen, masses, plants, floor)
    areas = support_areas(character, seen.few.world(np.float64), plants.picked(seen.frames, seen.few.fps))
    few = _Problem(way, seen, areas, allowed[seen.frames])
    points = np.zeros((seen.control.count, len(way.degrees)))
    cost, residuals = few.cost(points)
    costs, damping = [cost], 1e-2
    for _ in range(_STEPS):
        if not len(residuals[0]):
            break
        equations = few.equations(points, residuals)
        for _ in range(_TRIES):
            step = few.step(*equations, damping)
            tried = np.clip(points + step, -_MOST, _MOST)
            tried_cost, tried_residuals = few.cost(tried)
            if tried_cost < cost:
                break
            damping *= _MORE
        else:
            break
        damping = max(damping / _MORE, 1e-4)
        gained, points, cost, residuals = cost - tried_cost, tried, tried_cost, tried_residuals
        costs.append(cost)
        if gained < _LEAST_GAIN * cost:
            break
    if not np.any(points):
        return Balanced(Layer("balance", {}), tuple(costs), points, seen.control)
    full = _Way(replace(seen, few=seen.clip, frames=np.arange(len(seen.clip), dtype=np.int32)), masses, plants, floor)
    values = seen.control.values(points, np.arange(len(seen.clip)))
    turns = {seen.clip.skeleton.names[joint]: turn for joint, turn in full.degrees.vectors(values).items()}
    _, shift = full.pose(values)
    return Balanced(Layer("balance", turns, shift), tuple(costs), points, seen.control)


class _Way:
    """The four turns on some frames, and the shift that leaves the planted feet where they are."""

    def __init__(self, seen: Studied, masses: BodyMasses, plants: FootPlants, floor: float) -> None:
        clip, frames = seen.few, seen.frames
        skeleton, self.world = clip.skeleton, clip.world(np.float64)
        self.masses, self.floor = masses, floor
        hips = skeleton.require_roles("left_upper_leg", "right_upper_leg")
        self.ankles = skeleton.require_roles("left_foot", "right_foot")
        across = self.world.positions[:, hips[0]] - self.world.positions[:, hips[1]]
        across[:, 1] = 0.0
        across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
        ahead = np.cross(across, (0.0, 1.0, 0.0))
        trunk = skeleton.joint("spine") if "spine" in skeleton.roles else skeleton.joint("chest")
        degrees = []
        for name, axis in (("legs aside", ahead), ("legs ahead", across)):
            links = [Link(hip, world_axis(clip, self.world, hip, axis)) for hip in hips]
            links += [Link(foot, -world_axis(clip, self.world, foot, axis)) for foot in self.ankles]
            degrees.append(Degree(name, tuple(links), _MOST))
        for name, axis in (("trunk aside", ahead), ("trunk ahead", across)):
            degrees.append(Degree(name, (Link(trunk, world_axis(clip, self.world, trunk, axis)),), _MOST))
        self.degrees = Degrees(clip, degrees)
        fps = plants.fps
        stands = np.stack([plants.foot(side).plant for side in ("left", "right")], axis=1).astype(np.float64)
        stands = filters.gaussian(stands, _HAND_OVER * fps, axis=0, edge="nearest")
        total = stands.sum(axis=1, keepdims=True)
        self.carries = np.where(total > 1e-3, stands / np.maximum(total, 1e-3), 0.5)[frames]
        self.joints = masses.joints.tolist()

    def pose(self, values: Float64) -> tuple[Posed, Float]:
        """The motion with some turns, and what its root is shifted by."""
        posed = self.degrees.pose(values)
        moved = self.world.positions[:, self.ankles] - posed.world.positions[:, self.ankles]
        shift = np.einsum("fs,fsk->fk", self.carries, moved)
        there = World(posed.world.positions + shift[:, None], posed.world.rotations)
        return Posed(posed.values, there, posed.origins + shift[:, None], posed.spins), shift

    def places(self, posed: Posed) -> Float:
        """(F, P, 3) metres above the floor."""
        return self.masses.places(posed.world) - (0.0, self.floor, 0.0)

    def slopes(self, posed: Posed) -> Float:
        """(F, D, P, 3) metres per radian, how the masses move."""
        feet = [self.degrees.point_slopes(posed, posed.world.positions[:, ankle], ankle) for ankle in self.ankles]
        shift = sum(self.carries[:, n, None, None] * feet[n] for n in range(2))
        places = self.masses.places(posed.world)
        own = np.stack(
            [self.degrees.point_slopes(posed, places[:, n], joint) for n, joint in enumerate(self.joints)], axis=2
        )
        return own - np.asarray(shift)[:, :, None]


class _Problem:
    """The objective over control points."""

    def __init__(self, way: _Way, seen: Studied, areas: SupportAreas, allowed: Float) -> None:
        self.way, self.areas, self.allowed = way, areas, allowed
        self.control, self.frames = seen.control, seen.frames
        self.first, self.weights = seen.control.basis(seen.frames)
        count = len(seen.frames)
        self.rate = (count - 1) / max((seen.frames[-1] - seen.frames[0]) / seen.clip.fps, 1e-9) if count > 1 else 30.0
        self.smooth = low_passed(np.eye(count), self.rate, CUT)
        self.bend = self.smooth if count < 3 else accelerations(self.smooth, self.rate)

    def values(self, points: Float) -> Float64:
        """(F, D) turns."""
        return np.einsum("fk,fkd->fd", self.weights, points[self.first[:, None] + np.arange(REACH)])

    def cost(self, points: Float):
        """The objective, and what is beyond the threshold: frames, centimetres, directions, and the state they come from."""
        posed, _ = self.way.pose(self.values(points))
        places = self.way.places(posed)
        count = len(places)
        smooth = (self.smooth @ places.reshape(count, -1)).reshape(places.shape)
        pulls = (self.bend @ places.reshape(count, -1)).reshape(places.shape)
        moment = zero_moment_of(smooth, pulls, self.way.masses.masses)
        known = moment.defined & self.areas.any & np.isfinite(self.allowed)
        points_at = np.nan_to_num(moment.points)
        away = points_at - np.where(known[:, None], self.areas.nearest(points_at), points_at)
        far = np.linalg.norm(away, axis=1)
        over = np.flatnonzero(known & (far > self.allowed + 1e-6))
        out = far[over] - self.allowed[over]
        cost = 0.5 * float(np.sum((_OUT * 100 * out) ** 2)) + self._kept(points)
        return cost, (over, out, away[over] / np.maximum(far[over, None], 1e-12), posed, smooth, pulls, moment)

    def _kept(self, points: Float) -> float:
        values = self.values(points)
        soft = np.sqrt(values**2 + _SOFT**2) - _SOFT
        bends = np.diff(points, 2, axis=0)
        return float(_CHANGE * soft.sum() + 0.5 * _CALM * (bends * bends).sum())

    def equations(self, points: Float, residuals) -> tuple[Float, Float]:
        """Normal equations (K D, K D) of a step, and their right side (K D,)."""
        over, out, ways, posed, smooth, pulls, moment = residuals
        slopes = self._slopes(over, ways, posed, smooth, pulls, moment)  # (R, K D)
        scale = _OUT * 100
        count, dofs = points.shape
        matrix = scale**2 * slopes.T @ slopes
        side = -(scale**2) * slopes.T @ out
        values = self.values(points)
        basis = np.zeros((len(values), count))
        rows = np.arange(len(values))
        for n in range(REACH):
            basis[rows, self.first + n] += self.weights[:, n]
        bends = np.diff(np.eye(count), 2, axis=0)
        for d in range(dofs):
            soft = _CHANGE / np.sqrt(values[:, d] ** 2 + _SOFT**2)
            own = slice(d, None, dofs)
            matrix[own, own] += basis.T @ (soft[:, None] * basis) + _CALM * bends.T @ bends
            side[own] -= basis.T @ (soft * values[:, d]) + _CALM * bends.T @ (bends @ points[:, d])
        return matrix, side

    def step(self, matrix: Float, side: Float, damping: float) -> Float:
        """A damped step, (K, D)."""
        damped = matrix.copy()
        damped[np.diag_indices_from(damped)] *= 1 + damping
        damped[np.diag_indices_from(damped)] += damping * np.trace(matrix) / len(matrix) + 1e-9
        return np.linalg.solve(damped, side).reshape(self.control.count, -1)

    def _slopes(self, over, ways, posed, smooth, pulls, moment) -> Float:
        """(R, K D) metres per radian, how far the point leaves its support by each control point."""
        masses = self.way.masses.masses
        moves = self.way.slopes(posed)  # (F, D, P, 3)
        frames, dofs = moves.shape[:2]
        total = moment.weight[over] * G * masses.sum()
        at = np.nan_to_num(moment.points)[over]
        # the way out as a linear form of the smoothed places and pulls of the masses
        on_place = np.zeros((len(over), len(masses), 3))
        on_pull = np.zeros_like(on_place)
        for axis, column in ((0, 0), (1, 2)):
            share = ways[:, axis, None] / total[:, None]
            on_place[..., column] += share * masses * (pulls[over, :, 1] + G)
            on_place[..., 1] -= share * masses * pulls[over, :, column]
            on_pull[..., column] -= share * masses * smooth[over, :, 1]
            on_pull[..., 1] += share * masses * (smooth[over, :, column] - at[:, axis, None])
        found = np.zeros((len(over), self.control.count, dofs))
        flat = moves.reshape(frames, dofs, -1)
        place, pull = on_place.reshape(len(over), -1), on_pull.reshape(len(over), -1)
        for d in range(dofs):
            # (R, F): how the residual changes with the turn in each frame
            by_frame = self.smooth[over] * (place @ flat[:, d].T) + self.bend[over] * (pull @ flat[:, d].T)
            for n in range(REACH):
                np.add.at(found[:, :, d].T, self.first + n, (by_frame * self.weights[:, n]).T)
        return found.reshape(len(over), -1)
