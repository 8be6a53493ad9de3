"""Knees of swinging legs calmed: a foot that climbs or is lifted comes down with a knee that has come to rest, as in the recording.

The way of a foot over new ground is smooth, and the knee that carries it need not be: nearly straight, it turns fast for a little way
of the foot, and where the foot comes down the knee stops at once. A foot in the air need not be where it was planned to the centimetre, so
there the bend of the knee is replaced by the nearest curve with less jerk that meets the standing leg before and after, and the foot goes
along the line from the hip.
"""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.solve.feet import Foot, FootTrack, track_foot
from reenact.walk.clearance import room_over
from reenact.walk.grounds import Ground
from reenact.walk.step_plan import WalkPlan
from reenact.walk.walk_study import Swing, WalkStudy, knee_bends

_QUINTIC = 5.78  # peak acceleration of the smoothest way, in units of way / time^2
_PERIODS = (
    0.07,
    0.1,
    0.14,
    0.2,
    0.28,
    0.4,
)  # seconds: shorter waves of a knee's bend are taken out, the longer ones only if need be
_ENOUGH, _NEARLY = 0.85, 1.1  # of what is allowed; up to the second a foot keeps its lift
_BESIDE = 3  # frames beside a swing that the new curve meets
_MOST = 0.08  # metres that a foot in the air may be moved
# of its lift that a foot over even ground may be lifted less or more for that; the second only if need be
_LIFTS = (0.015, np.inf)
_CLEAR = 0.008  # metres that it stays above the ground where it was higher
# seconds beside a stance in which a sole may be that many metres below the ground, or lower than it was: it is about to stand there
_LANDS, _SINKS, _LOWER = 0.05, 0.006, 0.003


def calm_knees(
    study: WalkStudy, plan: WalkPlan, clip: Clip, tracks: dict[str, FootTrack], allowed: Float
) -> dict[str, FootTrack]:
    """The tracks of both feet with ankles in the air moved so that knees are pushed by no more than `allowed` (2,) rad/s^2, if that can be.

    Args:
        study: the motion.
        plan: where it goes.
        clip: as it came out.
        tracks: side -> where the foot was to be.
        allowed: for each foot.
    """
    world, found = clip.world(np.float64), dict(tracks)
    for foot, most in zip(study.feet, allowed, strict=True):
        bends = knee_bends(foot, clip)
        pushes = np.abs(np.diff(bends, 2, prepend=bends[:1], append=bends[-1:])) * clip.fps**2
        shift = np.zeros((len(clip), 3))
        hips = world.positions[:, foot.leg.root]
        track = track_foot(world, foot)
        for swing in study.swings:
            start, end = swing.start, swing.end
            if study.prints[swing.before].side != foot.side or end - start < 8:
                continue
            near = slice(max(start - _BESIDE, 0), end + _BESIDE)
            if pushes[near].max() <= most or start < _BESIDE or end + _BESIDE > len(clip):
                continue
            shift[start:end] = _calmed(study, plan, swing, foot, bends, hips, track, float(most))
        if shift.any():
            found[foot.side] = tracks[foot.side].moved(shift, R.identity(len(clip)))
    return found


def needed_pushes(study: WalkStudy, plan: WalkPlan, clip: Clip) -> Float:
    """(2,) rad/s^2, what knees have to do at least where feet are lifted higher than recorded, over ground or as asked; 0 elsewhere.

    A knee that bends by an angle in a time and comes to rest there is pushed by 5.8 times the angle over the square of the time if it
    moves as smoothly as can be.
    """
    needed = np.zeros(len(study.feet))
    if type(plan.ground) is Ground and not np.any(plan.lifts > 1.0 + 1e-9):
        return needed
    for n, foot in enumerate(study.feet):
        bends = knee_bends(foot, clip)
        for swing in study.swings:
            before, after = study.prints[swing.before], study.prints[swing.after]
            if before.side != foot.side:
                continue
            start, end = before.middle, min(after.middle + 1, len(bends))
            at = start + int(np.argmax(bends[start:end]))
            for rest in (
                start + int(np.argmin(bends[start : at + 1])),
                at + int(np.argmin(bends[at:end])),
            ):
                time = max(abs(at - rest), 1) / study.clip.fps
                needed[n] = max(needed[n], _QUINTIC * abs(bends[at] - bends[rest]) / time**2)
    return needed


def _calmed(
    study: WalkStudy, plan: WalkPlan, swing: Swing, foot: Foot, bends: Float, hips: Float, track: FootTrack, most: float
) -> Float:
    """(N, 3) metres that the ankle of a swing is moved by: with its lift if that calms the knee, else by the best curve."""
    moved, push = _calmest(study, plan, swing, foot, bends, hips, track, most, _LIFTS[0])
    for share in _LIFTS[1:]:
        if push <= _NEARLY * most:
            break
        moved, push = _calmest(study, plan, swing, foot, bends, hips, track, most, share)
    return moved


def _calmest(
    study: WalkStudy,
    plan: WalkPlan,
    swing: Swing,
    foot: Foot,
    bends: Float,
    hips: Float,
    track: FootTrack,
    most: float,
    share: float,
) -> tuple[Float, float]:
    """(N, 3) metres that the ankle of a swing is moved by, zero where no curve is better, and how hard the knee is pushed then.

    Over even ground the foot is lifted less or more by a share of its lift at most.
    """
    start, end, fps = swing.start, swing.end, study.clip.fps
    window = slice(start - _BESIDE, end + _BESIDE)
    own, inside = bends[window], slice(_BESIDE, _BESIDE + end - start)
    upper, lower = np.linalg.norm(study.clip.skeleton.offsets[[foot.leg.mid, foot.leg.end]], axis=1)
    line = track.ankle[start:end] - hips[start:end]
    length = np.linalg.norm(line, axis=1)
    best, least = np.zeros((end - start, 3)), _hardest(own, fps)
    frames = np.arange(start, end)
    room = None if plan.ground.is_even else room_over(study, plan, track, swing)
    for period in _PERIODS:
        bent = np.clip(smoothest(own, _BESIDE, period * fps), 0.0, None)
        reach = np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(bent[inside]))
        was = np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(own[inside]))
        moved = line * ((reach - was) / length)[:, None]
        if np.abs(reach - was).max() > _MOST:
            break
        sunk = track.ankle[start:end, 1].max() - (track.ankle[start:end, 1] + moved[:, 1]).max()
        if plan.ground.is_even and abs(sunk) > share * swing.lift:
            continue
        if room is not None:
            all_moved = np.zeros((len(track), 3))
            all_moved[frames] = moved
            there = track.moved(all_moved, R.identity(len(track)))
            above = room_over(study, plan, there, swing)
            least_above = np.minimum(_CLEAR, room) - 1e-6
            landing = np.minimum(frames - start, end - 1 - frames) < _LANDS * fps
            if np.any(above < np.where(landing, np.minimum(least_above - _LOWER, -_SINKS), least_above)):
                continue
        push = _hardest(bent, fps)
        if push < least:
            best, least = moved, push
        if push <= _ENOUGH * most:
            break
    return best, least


def _hardest(bends: Float, fps: float) -> float:
    """rad/s^2."""
    return float(np.max(np.abs(np.diff(bends, 2)), initial=0.0)) * fps**2


def smoothest(values: Float, fixed: int, period: float) -> Float:
    """(N,) the curve nearest to `values` (N,) without waves shorter than `period` frames; `fixed` values at both ends stay.

    The sum of squared third differences, weighed against the squared distance, is least.
    """
    count = len(values)
    third = np.diff(np.eye(count), 3, axis=0)
    weight = (2.0 * np.pi / period) ** 6
    free = np.arange(fixed, count - fixed)
    system = third.T @ third + weight * np.eye(count)
    right = (
        weight * values[free]
        - system[np.ix_(free, np.r_[0:fixed, count - fixed : count])] @ np.r_[values[:fixed], values[count - fixed :]]
    )
    out = values.copy()
    out[free] = np.linalg.solve(system[np.ix_(free, free)], right)
    return out
