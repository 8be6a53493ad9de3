"""How high the body is carried by its legs: the compass model of a walk (reuse specification 3.15.3), in its two forms.

    h = sqrt(leg^2 - (S / 2)^2)     at double support, with the step S
    h = leg                         where one leg passes the other

`delta` adds what the model changes between the old step and the new one, scaled by how much of the model's rise and fall the recording
shows (a third to a half: real knees and ankles give); it changes nothing where nothing is asked. `literal` replaces the recorded height
by the model's, as the thesis does.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from reenact.core.arrays import Float
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.walk.step_plan import WalkPlan
from reenact.walk.walk_study import WalkStudy

_MOST_GAIN = 1.0
_GRADE = 0.3  # seconds, width of the low-pass over how steep the way is: more than a step of it
_UPHILL, _DOWNHILL = 0.45, 0.1  # of the angle of the way: how far a trunk bends forward, and back


def hip_clearance(leg: float, step: Float) -> Float:
    """Metres, the height of the hips over the heels at double support (equation 6.1)."""
    return np.sqrt(np.maximum(leg * leg - 0.25 * np.asarray(step, dtype=np.float64) ** 2, 0.0))


def model_height(study: WalkStudy, plan: WalkPlan) -> Float:
    """(F,) metres by which the body is raised or sinks for the new steps: the model's change, as far as the recording follows the model."""
    old, new = (_steps(study, plan, which) for which in ("old", "new"))
    change = hip_clearance(study.leg, new) - hip_clearance(study.leg, old)
    return bob_gain(study) * _spread(study, change)


def literal_height(study: WalkStudy, plan: WalkPlan) -> Float:
    """(F,) metres that turn the recorded height of the hips into the model's own (equations 6.1 and 6.2 with the corrected angle).

    h_min + (leg - h_min) sin(pi u) over the floor, with u from 0 to 1 between two double supports, and over the heels as the recording
    carries its hips over them on the average.
    """
    hips = study.world.positions[:, study.clip.skeleton.roles.get("hips", 0), 1]
    model = np.full(len(hips), study.leg)
    steps = _steps(study, plan, "new")
    starts = _double_supports(study)
    frames = np.arange(len(hips))
    for n, (left, right) in enumerate(pairwise(starts)):
        inside = (frames >= left) & (frames < right)
        least = float(hip_clearance(study.leg, steps[min(n + 1, len(steps) - 1)]))
        model[inside] = least + (study.leg - least) * np.sin(np.pi * (frames[inside] - left) / max(right - left, 1e-6))
    if len(starts) > 1:
        model[frames < starts[0]], model[frames >= starts[-1]] = np.nan, np.nan
    old = study.leg - 0.5 * (study.leg - float(hip_clearance(study.leg, np.array(study.stride))))
    wanted = model + (float(np.mean(hips)) - old)
    return np.where(np.isfinite(wanted), wanted - hips, 0.0)


def bend_into(study: WalkStudy, plan: WalkPlan, amount: float) -> Float:
    """(F,) radians that a body bends forward over its hips where its way climbs, and a little backward where it descends.

    Args:
        study: the walk.
        plan: where it goes.
        amount: multiple of what is usual; 0 keeps the trunk as recorded.
    """
    if amount == 0.0 or not np.any(plan.rise):
        return np.zeros(len(plan.rise))
    fps = study.clip.fps
    rise_, way = (smooth(np.gradient(values) * fps, _GRADE * fps) for values in (plan.rise, plan.along))
    grade = np.arctan2(rise_, np.maximum(way, 0.1))
    return amount * np.where(grade > 0, _UPHILL, _DOWNHILL) * grade


def _double_supports(study: WalkStudy) -> list[float]:
    """Frames in the middle of each change from one foot to the next."""
    return [0.5 * (one.start + min(before.end, one.end)) for before, one in pairwise(study.prints)]


def bob_gain(study: WalkStudy) -> float:
    """The recorded rise and fall of the hips as a share of the model's, at most 1."""
    hips = study.world.positions[:, study.clip.skeleton.roles.get("hips", 0), 1]
    moves, models = [], []
    for one, two in pairwise(study.prints):
        if one.side == two.side or two.start <= one.start:
            continue
        between = hips[one.start : two.start + 1]
        moves.append(float(np.ptp(between)))
        models.append(study.leg - float(hip_clearance(study.leg, np.array(two.along - one.along))))
    if not models or np.sum(models) <= 0:
        return 0.0
    return float(min(np.sum(moves) / np.sum(models), _MOST_GAIN))


def _steps(study: WalkStudy, plan: WalkPlan, which: str) -> Float:
    """(N,) metres from the footprint before to each footprint, in three dimensions for those that rise."""
    if which == "old":
        places = np.array([[one.old.along, 0.0] for one in plan.prints])
    else:
        places = np.array([[one.along, one.place[1] - one.old.place[1]] for one in plan.prints])
    steps = np.abs(np.diff(places[:, 0]))
    return np.concatenate([steps[:1], steps])


def _spread(study: WalkStudy, change: Float) -> Float:
    """(F,) what the body sinks by: all of it where both feet are down, nothing where one leg passes the other (1 + cos over the step)."""
    out = np.zeros(len(study.clip))
    starts = _double_supports(study)
    if not starts:
        return out
    frames = np.arange(len(out))
    for n, (left, right) in enumerate(pairwise(starts)):
        inside = (frames >= left) & (frames < right)
        phase = (frames[inside] - left) / max(right - left, 1e-6)
        mixed = change[n + 1] + (change[n + 2] - change[n + 1]) * rise(phase)
        out[inside] = mixed * 0.5 * (1 + np.cos(2 * np.pi * phase))
    out[frames < starts[0]] = change[1]
    out[frames >= starts[-1]] = change[-1]
    for edge, value in (
        (starts[0], change[1]),
        (starts[-1], change[-1]),
    ):  # half a step of the same shape beyond both ends
        step = float(np.median(np.diff(starts))) if len(starts) > 1 else 1.0
        away = np.abs(frames - edge) / max(step, 1e-6)
        beyond = (frames < starts[0]) if edge == starts[0] else (frames >= starts[-1])
        out[beyond] = value * 0.5 * (1 + np.cos(2 * np.pi * np.minimum(away[beyond], 0.5)))
    return smooth(out, 0.02 * study.clip.fps)
