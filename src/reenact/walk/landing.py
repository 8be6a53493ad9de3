"""Feet that step down land on the ball: the foot points downward before it comes down, and the heel follows while the leg takes the weight.

Recorded walks on level floor land on the heel. People who go down stairs do not: in recorded descents feet come down pitched by about 20
degrees and are flat a fifth of a second later. The ankle then is higher and the leg less straight when it meets the ground, which is why
no knee has to stop at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.core.ramps import bridge, rise
from reenact.core.smoothing import smooth
from reenact.solve.fading import fade_between
from reenact.solve.feet import FootTrack
from reenact.solve.stances import GRAIN
from reenact.walk.step_plan import WalkPlan
from reenact.walk.walk_study import Swing, WalkStudy

_PITCH = 0.35  # radians: 20 degrees, the median of recorded descents
_DROP = (
    0.05,
    0.15,
)  # metres that a foot steps down: from the first on it is pitched, from the second on as far as above
_TIME = 0.2  # seconds until the heel is down
_PACE = -1.2  # of the pitch in that time: how fast the heel sinks when the ball comes down
_TURN = 0.55  # of a swing before it in which the foot takes up that pitch
_FAR = 1000.0  # seconds: the whole of that goes over into the landing
_SINK = 0.02  # metres that the body is carried lower
_HIGHER = 0.02  # metres that a swing is lifted more than on level ground
_EARLY, _EASE = 0.15, 0.12  # seconds before a landing in which it is, and the width of the low-pass over that


@dataclass(frozen=True, slots=True)
class Landing:
    """A foot that comes down on its ball.

    Attributes:
        swing: before it.
        flat: the first frame in which it stands flat again.
        pitch: radians by which it points downward when it comes down.
    """

    swing: Swing
    flat: int
    pitch: float


def find_landings(study: WalkStudy, plan: WalkPlan, side: str) -> tuple[Landing, ...]:
    """The steps of a foot that end on a level lower than the other foot's."""
    found = []
    if not plan.ground.is_climbed:
        return ()
    for swing in study.swings:
        two = study.prints[swing.after]
        if two.side != side or swing.after == 0:
            continue
        levels = [plan.prints[n].place[1] - study.prints[n].place[1] for n in (swing.after - 1, swing.after)]
        pitch = _PITCH * float(rise((levels[0] - levels[1] - _DROP[0]) / (_DROP[1] - _DROP[0])))
        contact = study.plants.foot(side)
        both = np.flatnonzero((contact.heel & contact.ball)[two.start : two.end])
        least = round(_TIME * study.clip.fps)
        if pitch <= 0.0 or not len(both) or two.start + both[-1] <= two.start + 2:
            continue
        flat = two.start + min(max(int(both[0]), least), int(both[-1]))
        found.append(Landing(swing, flat, pitch))
    return tuple(found)


def land_on_ball(study: WalkStudy, plan: WalkPlan, side: str) -> FootTrack:
    """What a foot does on its recorded footprints, with the landings that its plan asks for."""
    own, fps = study.tracks[side], study.clip.fps
    landings = find_landings(study, plan, side)
    if not landings:
        return own
    count = len(own)
    known = np.ones(count, np.bool_)
    shift, turn, toes = np.zeros((count, 3)), R.identity(count), R.identity(count)
    joint = own.ankle + R.rotate(own.foot, _toes_in_foot(study, side))
    for one in landings:
        start, end = one.swing.end, one.flat
        begin = start - round(_TURN * (start - one.swing.start))
        frames = np.arange(begin, end)
        base = np.full(len(frames), end)
        pitch = _pitch_over(one, frames, start, fps)
        heading = study.prints[one.swing.after].heading
        axis = np.array([np.cos(heading), 0.0, -np.sin(heading)])
        pitched = R.multiply(R.exp(pitch[:, None] * axis), own.foot[base])
        there = R.multiply(pitched, R.conjugate(own.foot[frames]))
        flat_toes = R.multiply(own.toes[base], R.conjugate(own.toes[frames]))
        taken = np.where(frames < start, rise((frames - begin + 1) / (start - begin + 1)), 1.0)
        turn[frames] = R.slerp(R.identity(len(frames)), there, taken)
        toes[frames] = R.slerp(R.identity(len(frames)), flat_toes, taken)
        known[begin:start] = False
        down = frames >= start
        ankle = joint[base] - R.rotate(pitched, _toes_in_foot(study, side))
        shift[frames[down]] = (ankle - own.ankle[frames])[down]
    shift = fade_between(shift, known, _FAR, fps, GRAIN)
    moved = own.moved(shift, turn)
    return replace(moved, toes=R.multiply(toes, own.toes), ball=_ball_of(study, side, own, moved, toes))


def land_plants(study: WalkStudy, plan: WalkPlan, plants: FootPlants) -> FootPlants:
    """The plants with those of landings on the ball: the ball stands from the first frame, the heel from when it is down."""
    feet = {}
    for side in ("left", "right"):
        contact = plants.foot(side)
        heel, ball = contact.heel.copy(), contact.ball.copy()
        for one in find_landings(study, plan, side):
            heel[one.swing.end : one.flat], ball[one.swing.end : one.flat] = False, True
        feet[side] = FootContact(heel, ball, contact.confidence)
    return FootPlants(feet["left"], feet["right"], plants.fps, plants.floor, plants.source)


def _pitch_over(one: Landing, frames: np.ndarray, start: int, fps: float) -> Float:
    """(N,) radians: on at the pace of the landing before it comes down, to nothing when it is flat."""
    length = one.flat - start
    t = (frames - start) / length
    end = np.zeros(1)
    sinking = bridge(np.clip(t, 0.0, 1.0), np.ones(1), np.array([_PACE]), end, end)[:, 0]
    early = np.minimum(t, 0.0)
    return one.pitch * (sinking + _PACE * early * np.exp(early * length / (0.08 * fps)))


def _toes_in_foot(study: WalkStudy, side: str) -> Float:
    """(3,) where the joint of the toes, or the ball where there is none, is in the frame of the foot."""
    foot = study.foot(side)
    if foot.toes < 0:
        return np.asarray(foot.ball.place, dtype=np.float64)
    return study.clip.skeleton.offsets[foot.toes].astype(np.float64)


def _ball_of(study: WalkStudy, side: str, own: FootTrack, moved: FootTrack, toes: Float) -> Float:
    """(F, 3) the ball, which keeps its place under the joint of the toes."""
    arm = _toes_in_foot(study, side)
    joint = own.ankle + R.rotate(own.foot, arm)
    under = own.ball - joint
    foot = study.foot(side)
    if foot.toes >= 0 and foot.ball.joint == foot.toes:
        under = R.rotate(toes, under)
    else:
        under = R.rotate(R.multiply(moved.foot, R.conjugate(own.foot)), under)
    return moved.ankle + R.rotate(moved.foot, arm) + under


def landing_depth(study: WalkStudy, plan: WalkPlan) -> Float:
    """(F,) metres that the body is carried lower where its feet land on the ball: knees give when they take its weight."""
    fps, lower = study.clip.fps, np.zeros(len(study.clip))
    for side in study.tracks:
        for one in find_landings(study, plan, side):
            frames = slice(max(one.swing.end - round(_EARLY * fps), 0), study.prints[one.swing.after].end)
            lower[frames] = np.maximum(lower[frames], one.pitch / _PITCH)
    return _SINK * smooth(lower, _EASE * fps) if lower.any() else lower


def where_legs_work(
    study: WalkStudy, plan: WalkPlan, level: dict[str, FootTrack], lifted: dict[str, FootTrack]
) -> Float:
    """(F,) 0..1, where a body may be carried lower so that no leg is straight: about steps lifted over something, else anywhere."""
    if plan.ground.is_even:
        return np.ones(len(study.clip))
    fps, there = study.clip.fps, np.zeros(len(study.clip))
    for swing in study.swings:
        side, frames = study.prints[swing.before].side, slice(swing.start, swing.end)
        up = lifted[side].ankle[frames, 1] - level[side].ankle[frames, 1]
        if len(up) and np.max(up) > _HIGHER:
            there[study.prints[swing.before].middle : study.prints[swing.after].middle] = 1.0
    return smooth(there, _EASE * fps) if there.any() else there
