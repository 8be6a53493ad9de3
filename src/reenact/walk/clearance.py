"""Swinging feet kept above the ground they pass over: noses of stairs, bumps of a terrain, obstacles.

What a foot is raised by is the smoothest curve that clears the ground: the one with the least jerk among all that begin and end at rest
and are high enough everywhere. Only a few moments of a swing touch that limit, and they are found one after the other.
"""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float, Int
from reenact.core.ramps import rise
from reenact.solve.feet import FootTrack
from reenact.walk.step_plan import PlannedPrint, WalkPlan, is_level_between
from reenact.walk.travel_path import unit
from reenact.walk.walk_study import Swing, WalkStudy, foot_length

MARGIN = 0.03
"""Metres that a foot passes above noses and obstacles (reuse specification 3.15.8)."""

TOES = 0.4
"""Of the way from the heel to the ball: how far the toes reach beyond the ball."""

_ALONG_THE_SOLE = (*np.linspace(-1.0, 0.0, 6), *np.linspace(0.0, TOES, 3)[1:])  # from the heel to the tips of the toes
_EASE = 0.12  # seconds beside a footprint in which the margin grows
_BESIDE = 0.04  # seconds beside a footprint in which the ground is not looked at
_SETTLED = 0.03  # seconds before a foot that climbs comes down, in which it is not raised any more: the leg straightens in time
_ROUNDS = 12
_FIRM = 1e-9  # weight of the raise itself beside its jerk


def clear_ground(study: WalkStudy, plan: WalkPlan, side: str, track: FootTrack) -> FootTrack:
    """The track of a foot, raised where it would run into the ground or come too near to it."""
    if plan.ground.is_even:
        return track
    up = np.zeros(len(track))
    for swing in study.swings:
        if study.prints[swing.before].side != side or swing.end - swing.start < 8:
            continue
        if not is_level_between(plan, swing.before, swing.after, foot_length(study)):
            up[swing.start : swing.end] = raise_over(study, plan, track, swing)
    if not up.any():
        return track
    return track.moved(up[:, None] * (0.0, 1.0, 0.0), R.identity(len(track)))


def raise_over(study: WalkStudy, plan: WalkPlan, track: FootTrack, swing: Swing) -> Float:
    """(N,) metres by which a foot is raised in a swing so that it keeps off the ground."""
    frames, fps = np.arange(swing.start, swing.end), study.clip.fps
    one, two = (plan.prints[n] for n in (swing.before, swing.after))
    climbs = two.place[1] - two.old.place[1] > one.place[1] - one.old.place[1] + 0.02
    settled = round(_SETTLED * fps) if climbs and len(frames) > 4 * round(_SETTLED * fps) else 0
    away = np.minimum(frames - swing.start + 1, swing.end - settled - frames)
    margin = MARGIN * rise(away / (_EASE * fps))
    room = room_over(study, plan, track, swing, beside=1)
    first, last, room = room[0], room[-1], room[1:-1]
    ease = np.maximum(_EASE * fps, 1.0)
    left, lands = ((1.0 - rise(n / ease)) for n in (frames - swing.start, swing.end - 1 - frames))
    deep = left * min(first, 0.0) + lands * min(last, 0.0)  # as deep as it stands beside the swing, it may be
    needed = margin + deep - room
    needed[away <= _BESIDE * fps] = -np.inf
    up = np.zeros(len(frames))
    up[: len(frames) - settled] = smoothest_raise(needed[: len(frames) - settled])
    return up


def smoothest_raise(needed: Float) -> Float:
    """(N,) the curve of least jerk that is at least `needed` (N,) everywhere and begins and ends at rest at zero."""
    count = len(needed)
    raised = np.zeros(count)
    if count < 3 or np.max(needed) <= 0.0:
        return raised
    jerk = np.diff(np.eye(count + 6), 3, axis=0)[:, 3:-3]  # three frames at rest before and after
    stiff = np.linalg.inv(jerk.T @ jerk + _FIRM * np.eye(count))
    touched: list[int] = []
    push = np.zeros(0)
    for _ in range(_ROUNDS):
        short = needed - raised
        worst = int(np.argmax(short))
        if short[worst] <= 1e-4:
            break
        touched.append(worst)
        while touched:
            push = np.linalg.solve(stiff[np.ix_(touched, touched)], needed[touched])
            if (push > 0).all():
                break
            touched.pop(int(np.argmin(push)))  # this moment would have to be pulled down: another carries it
        if not touched:
            break
        raised = stiff[:, touched] @ push
    return raised


def lowest(track: FootTrack, frames: Int) -> Float:
    """(N,) metres, the height of the lower one of heel and ball."""
    return np.minimum(track.heel[frames, 1], track.ball[frames, 1])


def room_over(study: WalkStudy, plan: WalkPlan, track: FootTrack, swing: Swing, beside: int = 0) -> Float:
    """(N,) metres that a swinging foot is above the ground, the lower one of heel and ball over the highest place below it, toes included.

    Counted from the height above the floor at which the foot stands. Where the ground is tilted, so is what heights are told from: a foot
    that lies on a slope is not in it. Of stairs no tread counts that is higher than both the one it leaves and the one it goes to.
    `beside` frames before and after the swing, in which the foot stands, count as well.
    """
    frames = np.arange(swing.start - beside, swing.end + beside)
    one, two = plan.prints[swing.before], plan.prints[swing.after]
    floor = np.interp(frames, [swing.start, swing.end], [study.prints[n].place[1] for n in (swing.before, swing.after)])
    heel, ball = track.heel[frames], track.ball[frames]
    way = (two.place - one.place)[[0, 2]]
    length = float(np.linalg.norm(way))
    direction = way / length if length > 0.05 else unit(plan.directions[swing.start])
    scale = (two.along - one.along) / length if length > 0.05 else 1.0
    highest = (
        max(one.place[1] - one.old.place[1], two.place[1] - two.old.place[1]) if plan.ground.is_climbed else np.inf
    )
    slopes = _slopes(one, two, rise((frames - swing.start + 1) / (swing.end - swing.start + 1)))
    start = one.along + scale * ((ball[:, [0, 2]] - one.place[[0, 2]]) @ direction)
    grounds = []
    for share in _ALONG_THE_SOLE:
        place = ball + share * (ball - heel)
        off = (place - ball)[:, [0, 2]]
        height = plan.ground.heights(place[:, [0, 2]], start + off @ direction)
        grounds.append(np.minimum(height, highest) - np.einsum("fi,fi->f", slopes, off))
    heel_up = heel[:, 1] - np.einsum("fi,fi->f", slopes, (heel - ball)[:, [0, 2]])
    return np.minimum(heel_up, ball[:, 1]) - floor - np.max(grounds, axis=0)


def _slopes(one: PlannedPrint, two: PlannedPrint, done: Float) -> Float:
    """(N, 2) metres of rise for a metre along x and along z of the ground that a foot goes over, from one footprint to the next."""
    first, last = (R.rotate(print_.tilt, np.array([0.0, 1.0, 0.0])) for print_ in (one, two))
    ends = [-normal[[0, 2]] / normal[1] for normal in (first, last)]
    return ends[0] + done[:, None] * (ends[1] - ends[0])
