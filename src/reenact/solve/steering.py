"""Leading feet through planned plants: corrections between plants, a body that stays within reach, legs solved by IK.

The method follows the footskate clean-up of Kovar, Schreiner and Gleicher (2002): where the feet have to be comes first, then the pelvis
moves as little as it must so that the legs can get there without being stretched, then each leg is solved in closed form, and what the
feet were moved by fades over the swings between plants. Between plants the correction is a quintic that takes over value and velocity
at both ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.core import filters
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import intervals_of
from reenact.core.ramps import bump, rise
from reenact.core.smoothing import smooth
from reenact.solve.fading import fade_between
from reenact.solve.feet import Foot, FootTrack, track_foot
from reenact.solve.holding import FootHold
from reenact.solve.joint_pushes import around, joint_pushes, usual_pushes
from reenact.solve.letting_go import out_of_reach, pushed_too_hard
from reenact.solve.placing import place_feet
from reenact.solve.stances import GRAIN

_OUT_OF_REACH = 0.0028  # metres a leg may miss its plant before the plant is cut short
_RELEASES = 4
_EDGE = 2  # frames at either end of the range in which the body stays where it is
_FAR = 1000.0  # seconds: a correction goes over from one plant to the next, however long that takes
_GRAIN_TURN = 0.03  # radians that a velocity may carry a turn to in any case
_MOST_MOVE = 0.15  # metres the body is moved
_FOLDED = (
    0.3  # of the leg's length: nearer than this a planted ankle does not come to its hip, unless it does so by itself
)
_NEAREST = 0.45  # of the leg's length: how near a swinging ankle comes to its hip, unless it does so by itself
_NEAREST_SOFT = 0.03  # of the leg's length over which it is turned away
_NEAREST_EASE = 0.08  # seconds beside a plant in which it is not
_CLEAR = 0.08  # seconds around a foot that lies too low in which it is raised
_CLEAR_EASE = 0.06  # seconds beside a plant in which it is raised less
_MOST_LIFT = 0.25  # metres
_STEP_LIFT, _MOST_STEP_LIFT = (
    0.3,
    0.05,
)  # of the way a foot is carried that it is lifted at least, and metres of that at most
_SINK = 0.001  # metres a foot may lie lower than both ends of its swing


@dataclass(frozen=True, slots=True, eq=False)
class FootGoal:
    """What one foot has to do.

    Attributes:
        foot: the foot.
        planted: (F,) frames in which `track` must be met.
        track: the foot in the world over all frames; only planted frames count.
        lifts: (start, end, metres): swings that have to clear the floor by so much because the base motion does not lift the foot.
        floor: metres, how low the foot may come in swings that do not lie between two plants; None: as low as the base motion.
    """

    foot: Foot
    planted: Bool
    track: FootTrack
    lifts: tuple[tuple[int, int, float], ...] = ()
    floor: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Steered:
    """Feet led through their goals.

    Attributes:
        clip: the motion.
        planted: for each goal (F,) the frames in which it was held; fewer than asked for where the leg does not reach.
        missed: for each goal (F,) metres an ankle stayed from where it should be; 0 in frames that are not planted.
        pelvis: metres, the farthest the body was moved.
    """

    clip: Clip
    planted: tuple[Bool, ...]
    missed: tuple[Float, ...]
    pelvis: float

    @property
    def residual(self) -> float:
        """Metres, the most that was missed in a planted frame."""
        return max((float(one.max(initial=0.0)) for one in self.missed), default=0.0)


def steer_feet(
    base: Clip, goals: Sequence[FootGoal], usual: Float | None = None, *, firm: bool = False, reach_only: bool = False
) -> Steered:
    """The base motion with its feet where the goals want them.

    Plants out of reach are cut short: the foot comes down later or lifts sooner. Frames outside all plants are corrected as little as
    smoothness allows: first and last frame are not moved unless they are planted.

    Args:
        base: (F frames) the motion to correct.
        goals: one for each foot to lead; a foot without a goal keeps its place in the world, too, when the body is moved.
        usual: (J,) m/s^2, how hard the joints are pushed in the motions that the base was made of; default: in itself.
        firm: plants within reach are held whatever it costs; else those that push a joint too hard are cut short, too.
        reach_only: the body is where it should be, and moved only for legs that do not reach.
    """
    if not goals or len(base) < 2:
        return Steered(base, (), (), 0.0)
    usual = usual_pushes([base]) if usual is None else usual
    allowed = np.maximum(usual, around(joint_pushes(base)))
    steered, holds = _steer(base, goals, usual, reach_only=reach_only)
    for _ in range(_RELEASES):
        free = [
            out_of_reach(goal.planted, missed, base.fps, _OUT_OF_REACH)
            for goal, missed in zip(goals, steered.missed, strict=True)
        ]
        if not (firm or any(mask.any() for mask in free)):
            hard = pushed_too_hard(steered.clip, holds, allowed)
            free = [hard[goal.foot.side] for goal in goals]
        if not any(mask.any() for mask in free):
            break
        goals = [replace(goal, planted=goal.planted & ~mask) for goal, mask in zip(goals, free, strict=True)]
        steered, holds = _steer(base, goals, usual, reach_only=reach_only)
    return steered


def _steer(base: Clip, goals: Sequence[FootGoal], usual: Float, *, reach_only: bool) -> tuple[Steered, list[FootHold]]:
    world = base.world(np.float64)
    holds = [_lead(world, goal, base.fps) for goal in goals]
    placed = place_feet(base, world, holds, most=_MOST_MOVE, usual=usual, reach_only=reach_only, edge=_EDGE)
    missed = []
    for hold, miss in zip(holds, placed.missed, strict=True):
        # a plant so near the hip that the leg would fold up is out of reach as well
        hip, knee, ankle = (world.positions[:, j] for j in (hold.foot.leg.root, hold.foot.leg.mid, hold.foot.leg.end))
        full = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
        own = np.linalg.norm(ankle - hip, axis=1)
        near = np.linalg.norm(ankle + hold.shift - hip - placed.root_shift, axis=1)
        missed.append(np.where(hold.planted, np.maximum(miss, np.minimum(_FOLDED * full, own) - near), 0.0))
    moved = float(np.linalg.norm(placed.root_shift, axis=1).max(initial=0.0))
    return Steered(placed.clip, tuple(goal.planted for goal in goals), tuple(missed), moved), holds


def _lead(world: World, goal: FootGoal, fps: float) -> FootHold:
    """What is done to a foot: the goal in planted frames, a smooth correction of its own motion elsewhere."""
    own = track_foot(world, goal.foot)
    turn = R.log(R.multiply(goal.track.foot, R.conjugate(own.foot)))
    bend = R.log(R.multiply(goal.track.toes, R.conjugate(own.toes)))
    known = goal.planted.copy()
    known[[0, -1]] = True  # nothing is changed at the ends of the range
    shift = np.where(goal.planted[:, None], goal.track.ankle - own.ankle, 0.0)
    turned = np.where(goal.planted[:, None], np.concatenate([turn, bend], axis=1), 0.0)
    shift = fade_between(shift, known, _FAR, fps, GRAIN)
    turned = fade_between(turned, known, _FAR, fps, _GRAIN_TURN)
    led = own.moved(shift, R.exp(turned[:, :3]))
    led = led.moved(_lift(own, led.heel, led.ball, goal, fps), R.identity(len(own)))
    led = _keep_away(led, world.positions, goal, fps)
    shift, turns, bends = led.ankle - own.ankle, R.exp(turned[:, :3]), R.exp(turned[:, 3:])
    active = np.ones(len(own), np.bool_)
    active[:_EDGE], active[-_EDGE:] = False, False
    active |= np.any(np.abs(shift) > 1e-6, axis=1) | (np.abs(turned).max(axis=1) > 1e-6)
    return FootHold(goal.foot, shift, turns, goal.planted, active, (), own, bends)


def _keep_away(track: FootTrack, places: Float, goal: FootGoal, fps: float) -> FootTrack:
    """The track with a swinging foot that passes the hip at a distance, on the side on which the leg is without correction.

    A foot that is led from one place to another far off may come near the hip, where its leg would have to whirl about.
    """
    hip, knee, ankle = (places[:, joint] for joint in (goal.foot.leg.root, goal.foot.leg.mid, goal.foot.leg.end))
    full = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
    own = np.linalg.norm(ankle - hip, axis=1)
    least = np.minimum(_NEAREST * full, own - 4 * _NEAREST_SOFT * full)
    way = track.ankle - hip
    far = np.linalg.norm(way, axis=1)
    soft = _NEAREST_SOFT * full
    wanted = least + soft * np.logaddexp(0.0, (far - least) / soft)
    wanted = np.where(far > least + 6 * soft, far, wanted)
    if np.all(wanted <= far + 1e-9):
        return track
    aside = R.normalize(ankle - hip)
    along = np.einsum("fi,fi->f", way, aside)
    push = -along + np.sqrt(np.maximum(along**2 + wanted**2 - far**2, 0.0))
    swinging = np.ones(len(track))
    for start, end in intervals_of(~goal.planted):
        frames = np.arange(start, end)
        since = np.where(start > 0, frames - start + 1, np.inf)
        until = np.where(end < len(track), end - frames, np.inf)
        swinging[start:end] = rise(np.minimum(np.minimum(since, until) / (_NEAREST_EASE * fps), 1.0))
    swinging[goal.planted] = 0.0
    return track.moved((push * swinging)[:, None] * aside, R.identity(len(track)))


def _lift(own: FootTrack, heel: Float, ball: Float, goal: FootGoal, fps: float) -> Float:
    """(F, 3) what the foot has to be raised between plants: enough to clear the floor, and as much as a step asks for."""
    up = np.zeros((len(own), 3))
    asked = {(start, end): height for start, end, height in goal.lifts}
    for start, end in intervals_of(~goal.planted):
        low, high = max(start - 1, 0), min(end, len(own) - 1)
        if high - low < 2:
            continue
        t = (np.arange(start, end) - low) / (high - low)
        lowest = np.minimum(heel[start:end, 1], ball[start:end, 1])
        floor = np.minimum.reduce([heel[low, 1], ball[low, 1], heel[high, 1], ball[high, 1]])
        if goal.floor is not None and (start == 0 or end == len(own)):
            floor = goal.floor
        elif start == 0:
            floor = min(floor, own.heel[start:end, 1].min(), own.ball[start:end, 1].min())
        raised = _clear(
            floor - _SINK - lowest, np.minimum(np.arange(start, end) - low, high - np.arange(start, end)), fps
        )
        height = next((h for (s, e), h in asked.items() if s < end and e > start), 0.0)
        shape = bump(t)
        if height > 0:
            middle = float(np.max((lowest + raised - floor) * (shape > 0.5), initial=0.0))
            raised += max(height - middle, 0.0) * shape
        if start > 0 and end < len(own):  # a foot that is set down elsewhere is lifted on the way, it does not scuff
            foot = 0.5 * (heel + ball)
            way = float(np.hypot(*(foot[high] - foot[low])[[0, 2]]))
            wanted = min(_STEP_LIFT * way, _MOST_STEP_LIFT)
            lifted = float(np.max(foot[start:end, 1] + raised - max(foot[low, 1], foot[high, 1]), initial=0.0))
            raised += max(wanted - lifted, 0.0) * shape
        up[start:end, 1] = np.minimum(raised, _MOST_LIFT)
    return up


def _clear(sunk: Float, away: Float, fps: float) -> Float:
    """(N,) metres to raise a foot that lies `sunk` (N,) too low: smooth, no more than it takes there, nothing beside its plants.

    Args:
        sunk: metres, negative where the foot is high enough.
        away: frames to the nearer end of the swing.
        fps: frames per second.
    """
    if sunk.max() <= 0:
        return np.zeros(len(sunk))
    reach = max(round(_CLEAR * fps), 1)
    around = filters.maximum(np.maximum(sunk, 0.0), 2 * reach + 1, edge="nearest")
    return smooth(around, 0.5 * reach) * rise(away / (_CLEAR_EASE * fps))
