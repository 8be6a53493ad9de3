"""How far along the way each footprint shall lie: steps scaled evenly or from step to step, given one by one, or set on stairs.

Footprints come first and everything else follows from them (reuse specification 3.15.4): a swing between steps of different lengths
joins the two places, whatever the factors are, and nothing adds up wrongly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.core.arrays import Float
from reenact.core.ramps import rise
from reenact.errors import ParameterError
from reenact.walk.clearance import TOES
from reenact.walk.grounds import Obstacle, Stairs
from reenact.walk.lifting import is_step
from reenact.walk.step_plan import follow_prints
from reenact.walk.walk_study import WalkStudy, foot_length

_ROOM = 0.1  # metres that a foot keeps from an obstacle
_AHEAD = 0.3  # of the mean step: who comes down less far ahead does not step ahead
_BEND = 0.35  # share by which steps before an obstacle may be longer or shorter


def scaled(study: WalkStudy, factors: Float | Sequence[float]) -> Float:
    """(N,) metres along the new way of every footprint, with each step multiplied by its own factor; the body starts where it did.

    Args:
        study: the walk.
        factors: (N - 1,) what each step is multiplied by.
    """
    steps = study.steps * np.asarray(factors, dtype=np.float64)
    along = study.prints[0].along + np.concatenate([[0.0], np.cumsum(steps)])
    return along - float(follow_prints(study, along, np.zeros(1))[0])


def factors_over(study: WalkStudy, first: float, last: float, ease_in: int, ease_out: int) -> Float:
    """(N - 1,) factors of the steps: from one to another evenly over the walk, growing from nothing and shrinking to nothing.

    Args:
        study: the walk.
        first, last: of the first and the last step.
        ease_in, ease_out: steps over which the walk begins and ends.
    """
    count = len(study.prints) - 1
    if ease_in + ease_out > count:
        raise ParameterError(
            f"the walk has {count} steps, too few to ease in over {ease_in} and out over {ease_out}",
            where=study.clip.name,
        )
    n = np.arange(count)
    factors = first + (last - first) * (n / max(count - 1, 1))
    if ease_in:
        factors = factors * rise((n + 0.5) / ease_in, "cubic")
    if ease_out:
        factors = factors * rise((count - 0.5 - n) / ease_out, "cubic")
    return factors


def given_steps(study: WalkStudy, lengths: Sequence[float]) -> Float:
    """(N - 1,) factors by which the steps get the lengths given, metres each; steps beyond them stay as they are."""
    own, wanted = study.steps, np.asarray(lengths, dtype=np.float64)
    if len(wanted) > len(own):
        raise ParameterError(f"{len(wanted)} steps are planned, the walk has {len(own)}", where="plan")
    factors = np.ones(len(own))
    short = np.flatnonzero(own[: len(wanted)] < 0.05)
    if len(short):
        raise ParameterError(
            f"step {short[0] + 1} of the recording goes nowhere ({own[short[0]]:.2f} m), so its length cannot be set",
            where="plan",
        )
    factors[: len(wanted)] = wanted / own[: len(wanted)]
    return factors


def swing_lifts(study: WalkStudy, lift: float, factors: Float) -> Float:
    """(S,) factors of the swings: `lift`, and less where steps nearly stand still."""
    found = np.full(len(study.swings), float(lift))
    for n, swing in enumerate(study.swings):
        steps = factors[swing.before : max(swing.after, swing.before + 1)]
        least = float(np.clip(np.mean(np.abs(steps)), 0.0, 1.0)) if len(steps) else 1.0
        found[n] *= 0.25 + 0.75 * min(1.0, 2.0 * least)
    return found


def steps_ahead(study: WalkStudy, first: int = 1) -> list[int]:
    """Numbers of the footprints from `first` on that are a step ahead of the one before: not beside it, not the same foot's, no shuffle."""
    swung = {swing.after for swing in study.swings if is_step(study, swing)}
    return [
        n
        for n in range(max(first, 1), len(study.prints))
        if n in swung
        and study.prints[n].side != study.prints[n - 1].side
        and study.steps[n - 1] > _AHEAD * study.stride
    ]


def on_stairs(study: WalkStudy, rise_of: float, depth: float, count: int, before: int) -> tuple[Float, Stairs]:
    """Footprints one on each tread, and the stairs.

    Args:
        study: the walk.
        rise_of: metres from tread to tread, negative downwards.
        depth: metres of a tread.
        count: steps of the stairs.
        before: footprints on the floor before the first tread.
    """
    steps = study.steps.copy()
    climbing = steps_ahead(study, before)
    count = min(count, len(climbing))
    if count < 1:
        raise ParameterError(
            f"the walk has {len(study.prints)} footprints, {before} of them before the stairs: none is left to climb",
            where="stairs",
        )
    before, last = climbing[0], climbing[count - 1]
    steps[before - 1 : last] = 0.0  # who shuffles stays on the tread
    steps[[n - 1 for n in climbing[:count]]] = depth
    places = [one.along for one in study.prints[:before]]
    steps[before - 1] += max(places) - places[-1]  # no foot on the floor stands where the stairs are
    if last < len(steps) and steps[last] > depth:  # off the stairs with a step between both lengths
        steps[last] = 0.5 * (steps[last] + depth)
    along = study.prints[0].along + np.concatenate([[0.0], np.cumsum(steps)])
    along = along - float(follow_prints(study, along, np.zeros(1))[0])
    # heel and toes stand on the tread; who climbs keeps off the next riser, who goes down steps near the edge
    foot = foot_length(study)
    room = max(depth - (1.0 + TOES) * foot, 0.0)
    behind = min(0.01, 0.5 * room) if rise_of > 0 else room - min(0.01, 0.5 * room)
    begin = (
        along[before] - foot - behind if room > 0 else along[before] - (1.0 - 0.5 * (1.0 + TOES)) * foot - 0.5 * depth
    )
    return along, Stairs(rise_of, depth, count, begin)


def over_obstacle(study: WalkStudy, at: float, depth: float, height: float) -> tuple[Float, Obstacle]:
    """Footprints that leave room for an obstacle, and the obstacle; feet are lifted over it as over any ground.

    Args:
        study: the walk.
        at: metres along the way from where the body starts.
        depth: metres along the way.
        height: metres.
    """
    old = np.array([one.along for one in study.prints])
    foot = foot_length(study)
    toes, heel = TOES * foot, foot
    # the nearest pair of footprints between which it can lie: toes before it, the next heel behind it
    best = None
    for n in (after - 1 for after in steps_ahead(study, 2)):
        near, far = at - toes - _ROOM, at + depth + heel + _ROOM
        step = max(old[n + 1] - old[n], far - near)
        centre = 0.5 * (near + far)
        moved = centre - 0.5 * (old[n] + old[n + 1])
        before = old[n] - old[0]
        stretch = (centre - 0.5 * step - old[0]) / max(before, 1e-6)
        cost = abs(stretch - 1.0) + 0.1 * abs(moved)
        beyond = centre + 0.5 * step + np.min(old[n + 1 :]) - old[n + 1]
        if beyond < far - _ROOM:  # comes back
            continue
        if before > 0.2 and abs(stretch - 1.0) <= _BEND and (best is None or cost < best[0]):
            best = (cost, n, stretch, step)
    if best is None:
        raise ParameterError(
            f"no two footprints can be placed before and behind an obstacle {at:g} m from the start; the walk has footprints at "
            + ", ".join(f"{one:.2f}" for one in old)
            + " m",
            where="obstacle",
        )
    _, n, stretch, step = best
    factors = np.ones(len(old) - 1)
    factors[:n] = stretch
    factors[n] = step / (old[n + 1] - old[n])
    along = old[0] + np.concatenate([[0.0], np.cumsum(study.steps * factors)])
    return along, Obstacle(at, depth, height)
