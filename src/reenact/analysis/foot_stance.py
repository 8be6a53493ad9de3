"""How the feet of a skeleton stand: which way is up in a foot whose sole lies flat, and how high its ball is then.

Skeletons do not tell it. Joints of ankle and toes lie somewhere in the foot, at other heights and other angles for every subject, and the
axes of the foot follow from them. What a sole is has to be seen in the motion: heel and ball are both planted and the foot is still. A
motion that hardly ever stands flat (on tiptoe, at a run) would tell it wrong; there the other foot, which is built alike, and the rest
pose, in which the shank stands upright on the sole, have their say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reenact.analysis.foot_points import find_foot_points
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.core.skeleton import Skeleton
from reenact.core.smoothing import smooth
from reenact.errors import SkeletonError

_UP = np.array([0.0, 1.0, 0.0])
_STANDING, _LEAST_STANDING = 0.15, 0.4  # m/s up to which a foot stands still, and seconds of that which tell how high
_SELDOM = 0.05  # of the time a foot stands still, at a level that is not its own
_USUAL_DIP, _DEEP = 0.012, 0.07  # metres toes dip into the floor: mostly, and too deep
_OFTEN = 0.1  # of the time a foot is near its lowest: it walks there, if it does not stand
_LEVEL = 5.0  # per cent of the frames in which a ball lies lower than its level
_NEAR = 0.025  # metres above or below its level in which a ball is on the floor
_UNEVEN = 0.03  # metres between the levels of both balls that skeletons have; more, and the higher one does not stand on the floor
_STILL = 0.3  # metres per second at which a frame counts half
_SPIN = 0.12  # metres: what turning counts beside moving, about the length of a foot
_SMOOTH = 0.02  # seconds
_FEW = 3  # frames
_LOW = 0.02  # metres above their levels in which heel and ball are low
_TRUSTED, _DISTRUSTED = (
    np.radians(10.0),
    np.radians(20.0),
)  # away from the rest pose: a foot that stands so is flat, is not
_LOWEST = 20  # per cent of a plant's frames in which a point lies lower than where it stands
_RISEN = 0.006  # metres that heel or ball have risen in a plant at which its frames count half
_OTHER, _REST = 0.1, 0.05  # seconds of standing that the other foot, at most, and the rest pose count
_UPRIGHT = 0.8  # cosine between the shank of a rest pose and the vertical
_STRAIGHT = 0.82  # |cos| between shank and sole at rest, from which on the rest pose does not tell how the foot stands


@dataclass(frozen=True, slots=True, eq=False)
class FootStance:
    """One foot as it stands flat.

    Attributes:
        side: "left" or "right".
        foot: joint of the ankle.
        toes: joint of the toes; that of the ankle where there is none.
        up: (3,) upwards, square to the sole, in the axes of the ankle joint.
        toes_turn: (4,) how the joint of the toes is turned against that of the ankle.
        heel, ball: (3,) metres from the ankle in its axes.
        level: metres, the height of the ball on the floor.
        seconds: how long the foot is seen standing; 0 where the rest pose alone told how it does.
    """

    side: str
    foot: int
    toes: int
    up: Float
    toes_turn: Float
    heel: Float
    ball: Float
    level: float
    seconds: float

    @property
    def heel_above(self) -> float:
        """Metres that the heel point lies above the ball point while the sole is flat."""
        return float((self.heel - self.ball) @ self.up)

    @property
    def pitch(self) -> float:
        """Radians that the way from the ankle to the ball rises while the sole is flat."""
        return float(np.arcsin(np.clip(self.ball @ self.up / max(float(np.linalg.norm(self.ball)), 1e-9), -1.0, 1.0)))

    @property
    def single(self) -> bool:
        """One point stands for heel and ball: the foot has no sole to speak of."""
        return bool(np.linalg.norm(self.ball - self.heel) < 1e-6)


def floor_levels(balls: Mapping[str, Float], fps: float) -> dict[str, float]:
    """Side -> metres: the heights of the balls on the floor.

    Toes dip into the floor now and then, so it is not the lowest but what is undercut in few frames. In some recordings, as where a dance
    squats on its toes, both are deep in the floor for longer, and seldom elsewhere: there the heights at which the feet stand still
    tell. Levels are no farther apart than feet of one body have them; one foot may hardly ever come down to the floor.

    Args:
        balls: side -> (F, 3) world positions.
        fps: frames per second.
    """
    low = {side: float(np.percentile(ball[np.isfinite(ball[:, 1]), 1], _LEVEL)) for side, ball in balls.items()}
    standing = {side: _standing_above(ball[np.isfinite(ball[:, 1])], low[side], fps) for side, ball in balls.items()}
    if low and all(above > _DEEP for above in standing.values()):
        low = {side: level + standing[side] - _USUAL_DIP for side, level in low.items()}
    highest = min(low.values(), default=0.0) + _UNEVEN
    return {side: min(level, highest) for side, level in low.items()}


def near_floor(height: Float, level: float) -> Bool:
    """(F,) whether a ball is near the height at which it stands; the lowest frames where it never is."""
    near = np.abs(height - level) <= _NEAR
    return near if near.any() else height <= np.percentile(height, _LEVEL)


def _standing_above(ball: Float, low: float, fps: float) -> float:
    """Metres by which a ball (F, 3) mostly stands still above a level; 0 where it stands or walks there, or stands nowhere for long."""
    if len(ball) < 3 or float(np.mean(ball[:, 1] < low + 2 * _USUAL_DIP)) > _OFTEN:
        return 0.0
    speed = np.linalg.norm(np.gradient(smooth(ball, _SMOOTH * fps), axis=0), axis=1) * fps
    still = ball[speed < _STANDING, 1]
    if len(still) < _LEAST_STANDING * fps or float(np.mean(still < low + 2 * _USUAL_DIP)) > _SELDOM:
        return 0.0
    return float(np.median(still)) - low


def find_stances(clip: Clip, plants: FootPlants | None = None, world: World | None = None) -> dict[str, FootStance]:
    """Side -> how the foot stands, for the feet there are.

    Args:
        clip: a motion; it should stand on both feet at some time.
        plants: its foot plants; without them frames in which heel and ball are low and slow count as planted.
        world: its forward kinematics in float64, when at hand.
    """
    try:
        points = find_foot_points(clip.skeleton, clip)
    except SkeletonError:
        return {}
    world = clip.world(np.float64) if world is None else world
    finite: Bool = np.asarray(np.isfinite(world.positions).all(axis=(1, 2)))
    if not finite.any():
        return {}
    seen: dict[str, _Seen] = {}
    balls: dict[str, Float] = {}
    for side in points.sides:
        foot = clip.skeleton.roles[f"{side}_foot"]
        heel, ball = (world.point(point.joint, point.place) for point in (points.heel[side], points.ball[side]))
        balls[side] = ball
        if plants is None:
            flat = _low(ball, finite) & _low(heel, finite)
        else:
            flat = plants.foot(side).heel & plants.foot(side).ball
        flat = flat & finite
        turned = world.rotations[:, foot]
        local_heel, local_ball = (
            np.median(R.rotate(R.conjugate(turned[finite]), (path - world.positions[:, foot])[finite]), axis=0)
            for path in (heel, ball)
        )
        weight = _stillness(world, foot, ball, flat, clip.fps) * _lowness((heel, ball), flat)
        seen[side] = _look(clip, world, foot, (local_heel, local_ball), flat, weight)
    levels = floor_levels(balls, clip.fps)
    stances = {}
    for side, own in seen.items():
        toes = clip.skeleton.roles.get(f"{side}_toes", own.foot)
        up, told = _told_by_all(own, next((other for name, other in seen.items() if name != side), None))
        turn = _toes_turn(clip.skeleton, world, own, toes, told)
        stances[side] = FootStance(side, own.foot, toes, up, turn, own.heel, own.ball, levels[side], own.seconds)
    return stances


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What a motion shows of one foot: the frames in which it stands flat, what each counts, which way is up then, and at rest."""

    foot: int
    heel: Float
    ball: Float
    flat: Bool
    weight: Float
    up: Float | None
    rest: Float | None
    seconds: float

    def axes(self) -> Float:
        """(3, 3) rows: ahead along the sole, up, across, as the foot rests."""
        up = _UP if self.rest is None else self.rest
        ahead = self.ball - self.heel
        ahead = R.normalize(ahead - (ahead @ up) * up + 1e-12)
        return np.stack([ahead, up, np.cross(ahead, up)])


def _look(clip: Clip, world: World, foot: int, points: tuple[Float, Float], flat: Bool, weight: Float) -> _Seen:
    """One foot as it is seen in a motion; where it stands too far from how it rests, it is not taken to be flat."""
    heel, ball = points
    rest = _up_at_rest(clip.skeleton, foot, ball - heel)
    if flat.sum() < _FEW:
        return _Seen(foot, heel, ball, flat, weight, None, rest, 0.0)
    own = R.rotate(R.conjugate(world.rotations[flat, foot]), _UP)
    up = R.normalize(np.array([_weighted_median(column, weight) for column in own.T]) + 1e-12)
    trust = 1.0
    if rest is not None:
        away = float(np.arccos(np.clip(up @ rest, -1.0, 1.0)))
        trust = float(np.clip((_DISTRUSTED - away) / (_DISTRUSTED - _TRUSTED), 0.0, 1.0))
    return _Seen(foot, heel, ball, flat, weight, up, rest, trust * float(weight.sum()) / clip.fps)


def _told_by_all(own: _Seen, other: _Seen | None) -> tuple[Float, float]:
    """(3,) upwards from the sole in the axes of the ankle, and 0..1 how far that is told by this foot's own motion."""
    if own.rest is None:
        return (_UP, 0.0) if own.up is None else (own.up, 1.0)
    up, total = _REST * own.rest, _REST
    if own.up is not None:
        up, total = up + own.seconds * own.up, total + own.seconds
    if other is not None and other.up is not None and other.rest is not None:
        mirrored = (other.axes() @ other.up) * (1.0, 1.0, -1.0)
        counts = min(other.seconds, _OTHER)
        up, total = up + counts * (mirrored @ own.axes()), total + counts
    return R.normalize(up), (own.seconds / total if own.up is not None else 0.0)


def _low(path: Float, finite: Bool) -> Bool:
    """(F,) whether a point is near its level."""
    return path[:, 1] < np.percentile(path[finite, 1], _LEVEL) + _LOW


def _lowness(paths: tuple[Float, Float], flat: Bool) -> Float:
    """(N,) what each flat frame counts, 0..1: the less heel and ball have risen within the plant, the more."""
    counts = np.ones(len(flat))
    for start, end in intervals_of(flat):
        for path in paths:
            risen = path[start:end, 1] - np.percentile(path[start:end, 1], _LOWEST)
            counts[start:end] /= 1.0 + (np.maximum(risen, 0.0) / _RISEN) ** 2
    return counts[flat]


def _stillness(world: World, foot: int, ball: Float, flat: Bool, fps: float) -> Float:
    """(N,) what each flat frame counts, 0..1: the stiller the foot, the more."""
    if len(ball) < 2:
        return np.ones(int(flat.sum()))
    paths = [smooth(path, _SMOOTH * fps) for path in (world.positions[:, foot], ball)]
    speed = sum(np.linalg.norm(np.gradient(path, axis=0), axis=1) for path in paths) * fps
    spin = np.zeros(len(ball))
    spin[1:] = R.angle_between(world.rotations[1:, foot], world.rotations[:-1, foot]) * fps
    return 1.0 / (1.0 + ((speed + _SPIN * smooth(spin, _SMOOTH * fps))[flat] / _STILL) ** 2)


def _toes_turn(skeleton: Skeleton, world: World, seen: _Seen, toes: int, told: float) -> Float:
    """(4,) the turn from the ankle's axes to those of the toes while the foot stands; `told` is how far the motion tells it."""
    chain, flat = skeleton.ancestors(toes), seen.flat
    if toes == seen.foot or seen.foot not in chain:
        return R.identity()
    rest = R.identity()
    for joint in reversed(chain[: chain.index(seen.foot)]):
        rest = R.multiply(rest, skeleton.rest[joint])
    if told <= 0.0:
        return rest
    own = R.multiply(R.conjugate(world.rotations[flat, seen.foot]), world.rotations[flat, toes])
    return R.slerp(rest, R.normalize(R.mean(own[seen.weight >= np.median(seen.weight)])), told)


def _up_at_rest(skeleton: Skeleton, foot: int, sole: Float) -> Float | None:
    """(3,) up the shank and square to the sole, in the axes of the ankle at rest; None where the rest pose does not stand on its feet."""
    length, shank = float(np.linalg.norm(sole)), skeleton.offsets[foot]
    if length < 1e-6 or foot == 0 or np.linalg.norm(shank) < 1e-6:
        return None
    turn = R.identity()
    for joint in reversed(skeleton.ancestors(foot)[1:]):
        turn = R.multiply(turn, skeleton.rest[joint])
    down = shank / np.linalg.norm(shank)
    ahead, up = sole / length, -R.rotate(R.conjugate(skeleton.rest[foot]), down)
    if R.rotate(turn, down)[1] > -_UPRIGHT or abs(float(up @ ahead)) > _STRAIGHT:
        return None
    return R.normalize(up - (up @ ahead) * ahead)


def _weighted_median(values: Float, weight: Float) -> float:
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(total, 0.5 * total[-1])])
