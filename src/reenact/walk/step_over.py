"""Swings over uneven ground: up before the foot goes ahead, ahead before it goes down, and no higher than the ground asks for.

How long a foot waits before it goes down depends on where the edge is that it has to pass: of several waits the one is taken with which
it passes lowest over the ground, the raise included that keeps it off the edge.
"""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.feet import FootTrack
from reenact.walk.clearance import raise_over, room_over
from reenact.walk.step_plan import WalkPlan
from reenact.walk.walk_study import Swing, WalkStudy

SHORT = (0.08, 0.3)
"""Metres: a shorter swing goes by time, a longer one by where the foot is."""

_LATE, _STEEP = 0.2, 0.2  # of a swing that a foot waits before it goes ahead where it climbs by so many metres
_AHEADS = (0.7, 0.8, 0.9)  # of a swing in which a foot that steps down is there
_RESTS = ((0.0, 0.0), (0.0, 0.1), (0.0, 0.2), (0.1, 0.0), (0.2, 0.0), (0.1, 0.1), (0.1, 0.2), (0.2, 0.1))
"""Of a swing in which a foot is lifted before it goes ahead over something, and let down after it: it passes where it is highest."""
_WAITS = (0.0, 0.12, 0.24, 0.36, 0.48)  # of a swing that it waits before it goes down
_RAISED = 0.5  # metres over the ground that weigh as much as one that it is raised
_THERE = 0.88  # of a swing in which a foot has climbed: the leg has time to straighten
_CALM = 0.02  # seconds, width of the low-pass over where it is


def swing_times(swing: Swing) -> Float:
    """(N,) 0..1 within a swing."""
    return (np.arange(swing.start, swing.end) - swing.start + 1) / (swing.end - swing.start + 1)


def step_over(study: WalkStudy, plan: WalkPlan, swing: Swing, track: FootTrack) -> Float:
    """(N, 3) metres that a swinging foot is moved by on uneven ground.

    Args:
        study, plan: the motion, and where it goes.
        swing: of which foot.
        track: where that foot is before it is moved.
    """
    one, two = plan.prints[swing.before], plan.prints[swing.after]
    climb = float(two.place[1] - two.old.place[1] - one.place[1] + one.old.place[1])
    if plan.ground.is_stepped_over:
        moves = [_moved_between(study, plan, swing, rests) for rests in _RESTS]
    elif climb >= 0.0:
        return _moved(study, plan, swing, _AHEADS[-1], 0.0)
    else:
        moves = [_moved(study, plan, swing, ahead, wait) for ahead in _AHEADS for wait in _WAITS]
    return moves[int(np.argmin([_cost(study, plan, swing, track, move) for move in moves]))]


def _cost(study: WalkStudy, plan: WalkPlan, swing: Swing, track: FootTrack, move: Float) -> float:
    """Metres over the ground, on the average, of a foot so moved and raised off what is in its way, and some of what it is raised."""
    frames = np.arange(swing.start, swing.end)
    shift = np.zeros((len(track), 3))
    shift[frames] = move
    there = track.moved(shift, R.identity(len(track)))
    up = raise_over(study, plan, there, swing)
    clear = up + room_over(study, plan, there, swing)
    return float(np.mean(clear) + _RAISED * up.max())


def _moved_between(study: WalkStudy, plan: WalkPlan, swing: Swing, rests: tuple[float, float]) -> Float:
    """The same for a foot that goes ahead between two shares of the swing, at its beginning and at its end, in which it rests."""
    ahead = rise((swing_times(swing) - rests[0]) / (1.0 - sum(rests)))
    return _carried(study, plan, swing, ahead, rise(swing_times(swing)))


def _moved(study: WalkStudy, plan: WalkPlan, swing: Swing, there_at: float, wait: float) -> Float:
    """The same for a foot that is there at a share of the swing if it steps down, and waits for another before it goes down."""
    one, two = plan.prints[swing.before], plan.prints[swing.after]
    climb = float(two.place[1] - two.old.place[1] - one.place[1] + one.old.place[1])
    t, steep = swing_times(swing), float(np.clip(climb / _STEEP, -1.0, 1.0))
    ahead = calm_progress(study, swing) * rise(t / (2.5 * max(steep * _LATE, 1e-6)))
    ahead = ahead + max(-steep, 0.0) * (rise(t / there_at) - ahead)
    there = _THERE if steep > 0 else 1.0
    late = max(steep, 0.0) * _LATE + wait
    return _carried(study, plan, swing, ahead, rise((t - wait) / (there - late)))


def _carried(study: WalkStudy, plan: WalkPlan, swing: Swing, ahead: Float, upward: Float) -> Float:
    """(N, 3) metres that a foot is moved by which is so far (N,) ahead and up of its way; both go from 0 to 1."""
    one, two = plan.prints[swing.before], plan.prints[swing.after]
    first, last = one.place - one.old.place, two.place - two.old.place
    old_way, new_way = ((b - a) * (1.0, 0.0, 1.0) for a, b in ((one.old.place, two.old.place), (one.place, two.place)))
    out = first * (1.0, 0.0, 1.0) + ahead[:, None] * new_way - calm_progress(study, swing)[:, None] * old_way
    out[:, 1] = first[1] + upward * (last[1] - first[1])
    return out


def _own_progress(study: WalkStudy, swing: Swing) -> Float:
    """(N,) 0..1, how far a swinging foot is on its recorded way: its ball when it leaves, its heel when it comes down."""
    one, two = study.prints[swing.before], study.prints[swing.after]
    track = study.tracks[one.side]
    frames = np.arange(swing.start, swing.end)
    way = (two.place - one.place)[[0, 2]]
    length = float(np.linalg.norm(way))
    if length < SHORT[0]:
        return rise(swing_times(swing))
    gone, left = (
        (path[frames][:, [0, 2]] - path[at][[0, 2]]) @ (way / length)
        for path, at in ((track.ball, swing.start - 1), (track.heel, swing.end))
    )
    late = rise(swing_times(swing))
    return ((1.0 - late) * gone + late * (length + left)) / length


def calm_progress(study: WalkStudy, swing: Swing) -> Float:
    """(N,) the same low-passed: toes that twitch in the recording do not push the whole foot."""
    own = np.concatenate([np.zeros(9), _own_progress(study, swing), np.ones(9)])
    return smooth(own, _CALM * study.clip.fps)[9:-9]
