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

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import intervals_of
from reenact.core.ramps import bridge, bump, coast, rise
from reenact.core.smoothing import smooth
from reenact.solve.feet import Foot, FootTrack, track_foot
from reenact.solve.limb import bend_limb, smooth_bend

_STRETCH = 0.985  # of the leg: how straight a leg may get by a correction; one that was straighter may stay so
_SMOOTH = 0.05  # seconds, width of the low-pass over what the pelvis is moved by
_EDGE = 0.12  # seconds at the ends of the range in which the pelvis comes back to where it was
_KNEE = 0.025  # seconds, width of the low-pass over the bend of a nearly straight knee
_GIVE = (0.001, 0.008)  # metres an ankle may give way for that: planted, and in the air
_GIVE_TIME = 0.08  # seconds from a plant until it may give all of that
_FOLDED = (
    0.3  # of the leg's length: nearer than this a planted ankle does not come to its hip, unless it does so by itself
)
_OUT_OF_REACH = 0.0028  # metres a leg may miss its plant before the plant is cut short
_SOONER = 0.03  # seconds it is cut shorter than needed, so that the foot is on its way
_RELEASES = 4
_ROUNDS = 8
_SLOPE_FRAMES = 3
_STOP = 0.15  # seconds in which the speed dies out with which a correction comes out of a plant
_NEAREST = 0.45  # of the leg's length: how near a swinging ankle comes to its hip, unless it does so by itself
_NEAREST_SOFT = 0.03  # of the leg's length over which it is turned away
_NEAREST_EASE = 0.08  # seconds beside a plant in which it is not
_CLEAR = 0.08  # seconds around a foot that lies too low in which it is raised
_CLEAR_EASE = 0.06  # seconds beside a plant in which it is raised less
_MOST_LIFT = 0.25  # metres
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


def steer_feet(base: Clip, goals: Sequence[FootGoal]) -> Steered:
    """The base motion with its feet where the goals want them.

    Plants out of reach are cut short: the foot comes down later or lifts sooner. Frames outside all plants are corrected as little as
    smoothness allows: first and last frame are not moved unless they are planted.

    Args:
        base: (F frames) the motion to correct.
        goals: one for each foot to lead; a foot without a goal keeps its place in the world, too, when the body is moved.
    """
    if not goals or len(base) < 2:
        return Steered(base, (), (), 0.0)
    steered = _steer(base, goals)
    for _ in range(_RELEASES):
        if steered.residual <= _OUT_OF_REACH:
            break
        goals = [_release(goal, missed, base.fps) for goal, missed in zip(goals, steered.missed, strict=True)]
        steered = _steer(base, goals)
    return steered


def _release(goal: FootGoal, missed: Float, fps: float) -> FootGoal:
    """The goal with plants cut short where the leg does not reach them."""
    planted, early = goal.planted.copy(), round(_SOONER * fps)
    for start, end in intervals_of(goal.planted):
        bad = start + np.flatnonzero(missed[start:end] > _OUT_OF_REACH)
        if not len(bad):
            continue
        if bad[0] - start >= end - 1 - bad[-1]:
            planted[max(bad[0] - early, start) : end] = False
        else:
            planted[start : min(bad[-1] + 1 + early, end)] = False
    return replace(goal, planted=planted)


def _steer(base: Clip, goals: Sequence[FootGoal]) -> Steered:
    world = base.world(np.float64)
    wanted = [
        _keep_away(_lead(track_foot(world, goal.foot), goal, base.fps), world.positions, goal, base.fps)
        for goal in goals
    ]
    shift = _move_pelvis(world.positions, goals, wanted, base.fps)
    rotations = base.rotations.astype(np.float64)
    places = world.positions + shift[:, None]
    missed = tuple(
        np.where(
            goal.planted, _solve_leg(base, goal.foot, goal.planted, places, world.rotations, track, rotations), 0.0
        )
        for goal, track in zip(goals, wanted, strict=True)
    )
    root = base.root.astype(np.float64) + shift
    clip = replace(base, rotations=rotations.astype(np.float32), root=root.astype(np.float32))
    return Steered(clip, tuple(goal.planted for goal in goals), missed, float(np.linalg.norm(shift, axis=1).max()))


def _lead(own: FootTrack, goal: FootGoal, fps: float) -> FootTrack:
    """The foot's track: the goal in planted frames, its own motion plus a smooth correction elsewhere."""
    count = len(own)
    # ankle shift, foot turn, toe turn against the foot's own motion
    turn = R.log(R.multiply(goal.track.foot, R.conjugate(own.foot)))
    bend = R.log(R.multiply(goal.track.toes, R.conjugate(own.toes)))
    offsets = np.concatenate([goal.track.ankle - own.ankle, turn, bend], axis=1)
    offsets[~goal.planted] = 0.0
    planted = intervals_of(goal.planted)
    for start, end in intervals_of(~goal.planted):
        first, last = start - 1, end  # the planted frames around the gap; -1 and count where there is none
        before, slope_before = _edge(offsets, first, -1, planted)
        after, slope_after = _edge(offsets, last, 1, planted)
        low, high = (start if first < 0 else first), (end - 1 if last >= count else last)
        if high <= low:
            continue
        frames = np.arange(start, end)
        still = np.zeros_like(before)
        offsets[start:end] = bridge((frames - low) / (high - low), before, still, after, still)
        stop = min(_STOP * fps, high - low)
        offsets[start:end] += coast((frames - low) / stop, slope_before * stop)
        offsets[start:end] += coast((high - frames) / stop, -slope_after * stop)
    shift, turns, bends = offsets[:, :3], R.exp(offsets[:, 3:6]), R.exp(offsets[:, 6:])
    ankle = own.ankle + shift
    foot, toes = R.multiply(turns, own.foot), R.multiply(bends, own.toes)
    heel = ankle + R.rotate(turns, own.heel - own.ankle)
    ball = ankle + R.rotate(turns, own.ball - own.ankle)
    up = _lift(own, heel, ball, goal, fps)
    return FootTrack(ankle + up, foot, toes, heel + up, ball + up)


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


def _edge(offsets: Float, frame: int, away: int, planted: list[tuple[int, int]]) -> tuple[Float, Float]:
    """Correction at a planted frame beside a gap, and its slope per frame; zero where the range ends."""
    if not 0 <= frame < len(offsets):
        return np.zeros(offsets.shape[1]), np.zeros(offsets.shape[1])
    start, end = next((s, e) for s, e in planted if s <= frame < e)
    inner = min(max(frame + away * _SLOPE_FRAMES, start), end - 1)
    slope = np.zeros(offsets.shape[1]) if inner == frame else (offsets[frame] - offsets[inner]) / (frame - inner)
    return offsets[frame], slope


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
        if height > 0:
            shape = bump(t)
            middle = float(np.max((lowest + raised - floor) * (shape > 0.5), initial=0.0))
            raised += max(height - middle, 0.0) * shape
        up[start:end, 1] = np.minimum(raised, _MOST_LIFT)
    return up


def _clear(sunk: Float, away: Float, fps: float) -> Float:
    """(N,) metres to raise a foot that lies `sunk` (N,) too low: smooth, no more than it takes there, nothing beside its plants.

    Args:
        sunk: metres, negative where the foot is high enough.
        away: frames to the nearer end of the swing.
        fps: frames per second.
    """
    from scipy.ndimage import maximum_filter1d

    if sunk.max() <= 0:
        return np.zeros(len(sunk))
    reach = max(round(_CLEAR * fps), 1)
    around = maximum_filter1d(np.maximum(sunk, 0.0), 2 * reach + 1, mode="nearest")
    return smooth(around, 0.5 * reach) * rise(away / (_CLEAR_EASE * fps))


def _move_pelvis(places: Float, goals: Sequence[FootGoal], wanted: list[FootTrack], fps: float) -> Float:
    """(F, 3) the smallest smooth move of the body that keeps every led ankle within reach of its hip."""
    count = len(places)
    legs = []
    for goal, track in zip(goals, wanted, strict=True):
        legs.append((places[:, goal.foot.leg.root], track.ankle, _reach(places, goal.foot)))
    edge = np.arange(count) / (_EDGE * fps)
    taper = rise(edge) * rise(edge[::-1])
    shift = np.zeros((count, 3))
    for _ in range(_ROUNDS):
        extra = np.zeros((count, 3))
        for _ in range(4):
            for hip, target, limit in legs:
                way = hip + shift + extra - target
                length = np.linalg.norm(way, axis=1)
                extra -= way * (np.maximum(length - limit, 0.0) / np.maximum(length, 1e-9))[:, None]
        if np.abs(extra).max() < 1e-5:
            break
        shift += 1.4 * smooth(extra, _SMOOTH * fps) * taper[:, None]
    return shift


def _reach(places: Float, foot: Foot) -> Float:
    """(F,) metres a leg may reach: nearly its full length, or what it reaches already."""
    hip, knee, ankle = (places[:, joint] for joint in (foot.leg.root, foot.leg.mid, foot.leg.end))
    full = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
    own = np.linalg.norm(ankle - hip, axis=1)
    return np.minimum(np.maximum(own, _STRETCH * full), 0.9995 * full)


def _give(planted: Bool, fps: float) -> Float:
    """(F,) metres an ankle may give way: little while planted, more the longer before and after."""
    frames, down = np.arange(len(planted)), np.flatnonzero(planted)
    away = np.abs(frames[:, None] - down).min(axis=1) if len(down) else np.full(len(planted), np.inf)
    return _GIVE[0] + (_GIVE[1] - _GIVE[0]) * rise(away / (_GIVE_TIME * fps))


def _solve_leg(
    base: Clip, foot: Foot, planted: Bool, places: Float, turned: Float, track: FootTrack, rotations: Float
) -> Float:
    """Write the leg's local rotations into `rotations`; (F,) metres the ankle stays away from its target."""
    leg, parents = foot.leg, base.skeleton.parents
    hip_at, knee_at, ankle_at = places[:, leg.root], places[:, leg.mid], places[:, leg.end]
    links = (float(np.linalg.norm(y - x, axis=1).mean()) for x, y in ((hip_at, knee_at), (knee_at, ankle_at)))
    held = bool(planted[0]), bool(planted[-1])
    target = smooth_bend(hip_at, track.ankle, *links, sigma=_KNEE * base.fps, most=_give(planted, base.fps), held=held)
    hinge = R.rotate(turned[:, leg.root], foot.hinge)
    bend = bend_limb(hip_at, knee_at, ankle_at, target, hinge=hinge, softness=0.0)
    above = int(parents[leg.root])
    hip = R.multiply(bend.root_turn, turned[:, leg.root])
    rotations[:, leg.root] = hip if above < 0 else R.multiply(R.conjugate(turned[:, above]), hip)
    over_knee = R.multiply(bend.root_turn, turned[:, parents[leg.mid]])
    knee = R.multiply(bend.mid_turn, turned[:, leg.mid])
    rotations[:, leg.mid] = R.multiply(R.conjugate(over_knee), knee)
    over_ankle = R.multiply(bend.mid_turn, turned[:, parents[leg.end]])
    rotations[:, leg.end] = R.multiply(R.conjugate(over_ankle), track.foot)
    changed = [leg.root, leg.mid, leg.end]
    if foot.toes >= 0:
        # what lies between ankle and toes rides along with the foot
        ride = R.multiply(track.foot, R.conjugate(turned[:, leg.end]))
        over_toes = R.multiply(ride, turned[:, parents[foot.toes]])
        rotations[:, foot.toes] = R.multiply(R.conjugate(over_toes), track.toes)
        changed.append(foot.toes)
    rotations[:, changed] = R.normalize(rotations[:, changed])
    # a plant so near the hip that the leg would fold up is out of reach as well
    own, near = (np.linalg.norm(place - hip_at, axis=1) for place in (ankle_at, track.ankle))
    full = np.linalg.norm(knee_at - hip_at, axis=1) + np.linalg.norm(ankle_at - knee_at, axis=1)
    return np.maximum(np.linalg.norm(bend.end - track.ankle, axis=1), np.minimum(_FOLDED * full, own) - near)
