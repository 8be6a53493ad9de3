"""Pushes that holding the feet has added, taken out again: the last step over a motion whose feet are held.

Where a joint is pushed harder than it is by itself, what the body was moved by is low-passed around that moment, and so are the turns of
thigh and shank of a leg whose foot is in the air there. Held feet stay where they are; their legs follow the body. What does not help is
not done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reenact.core import filters
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.feet import Foot
from reenact.solve.joint_pushes import joint_pushes
from reenact.solve.letting_go import TOO_HARD
from reenact.solve.placing import calm_knee
from reenact.solve.reaching import reach

_ROUNDS = 6
_WIDTH = (0.008, 0.012)  # seconds, width of the first low-pass over legs and body; each round's is wider by as much
_WINDOW = 0.08  # seconds around a push in which something is done
_LAND = 0.05  # seconds beside a held plant in which less is done to its leg
_LEAST = 1e-4  # of a weight
_BETTER = 0.01  # of what joints are pushed too hard, all in all


def calm_pushes(clip: Clip, before: Clip, plants: FootPlants, feet: Sequence[Foot], allowed: Float) -> Clip:
    """The clip without what it is pushed more than it may be, as far as that can be had.

    Args:
        clip: the motion, with its feet held.
        before: the same without that: what was added to its root is low-passed.
        plants: those that are held.
        feet: its feet.
        allowed: (F, J) m/s^2 that joints may be pushed.
    """
    ratios = joint_pushes(clip) / allowed
    for turn in range(1, _ROUNDS + 1):
        if not (ratios > TOO_HARD).any():
            break
        found = False
        for steps in ((_calm_legs,), (_calm_body,), (_calm_body, _calm_legs)):
            made: Clip | None = clip
            for step in steps:
                made = step(made or clip, before, plants, feet, ratios > TOO_HARD, turn) or made
            if made is clip:
                continue
            now = joint_pushes(made) / allowed
            if _over(now) < _over(ratios) - _BETTER and float(now.max()) < float(ratios.max()) + _BETTER:
                clip, ratios, found = made, now, True
        if not found and turn > 2:
            break
    return clip


def _over(ratios: Float) -> float:
    """How much joints are pushed too hard, all in all."""
    return float(np.maximum(ratios - TOO_HARD, 0.0).sum())


def _weight(bad: Bool, fps: float, turn: int) -> Float:
    """(F,) 1 around bad frames, falling to 0 beside them."""
    wide = max(round(_WINDOW * fps * (0.5 + 0.25 * turn)), 2)
    away = filters.distance_to(bad) / wide
    return 1.0 - rise(np.clip(away, 0.0, 1.0))


def _calm_body(clip: Clip, before: Clip, plants: FootPlants, feet: Sequence[Foot], bad: Bool, turn: int) -> Clip | None:
    """What the body was moved by low-passed, its ankles where they were."""
    weight = _weight(np.any(bad, axis=1), clip.fps, turn)
    shift = (clip.root - before.root).astype(np.float64)
    moved = weight[:, None] * (smooth(shift, turn * _WIDTH[1] * clip.fps) - shift)
    if float(np.abs(moved).max(initial=0.0)) < 1e-6:
        return None
    places = clip.world(np.float64).positions
    made = replace(clip, root=(clip.root + moved).astype(np.float32))
    changed = np.where(np.abs(moved).max(axis=1) > 1e-7, 1.0, 0.0)
    for foot in feet:
        hip, knee, ankle = (places[:, joint] + moved for joint in (foot.leg.root, foot.leg.mid, foot.leg.end))
        target = calm_knee(hip, knee, ankle, places[:, foot.leg.end], plants.foot(foot.side).plant, clip.fps)
        made = reach(made, foot.leg, target, changed)
    return made


def _calm_legs(clip: Clip, before: Clip, plants: FootPlants, feet: Sequence[Foot], bad: Bool, turn: int) -> Clip | None:
    """Thighs and shanks of legs whose feet are in the air low-passed."""
    world, rotations, changed = clip.world(np.float64).rotations, clip.rotations.astype(np.float64), False
    for foot in feet:
        leg = foot.leg
        pushed = np.any(bad[:, clip.skeleton.subtree(leg.mid)], axis=1)
        if not pushed.any():
            continue
        held = plants.foot(foot.side).plant
        free = rise(filters.distance_to(held) / (_LAND * clip.fps)) if held.any() else np.ones(len(clip))
        weight = free * _weight(pushed, clip.fps, turn)
        if float(weight.max()) < _LEAST:
            continue
        turned = {
            joint: R.slerp(world[:, joint], _smoothed(world[:, joint], turn * _WIDTH[0] * clip.fps), weight)
            for joint in (leg.root, leg.mid)
        } | {leg.end: world[:, leg.end]}
        delta = R.identity(len(clip))
        for joint in (leg.root, leg.mid, leg.end):
            parent = int(clip.skeleton.parents[joint])
            over = R.identity(len(clip)) if parent < 0 else R.multiply(delta, world[:, parent])
            rotations[:, joint] = R.multiply(R.conjugate(over), turned[joint])
            delta = R.multiply(turned[joint], R.conjugate(world[:, joint]))
        changed = True
    if not changed:
        return None
    return replace(clip, rotations=R.make_continuous(R.normalize(rotations)).astype(np.float32))


def _smoothed(turns: Float, sigma: float) -> Float:
    """(F, 4) rotations, low-passed."""
    return R.normalize(smooth(R.make_continuous(turns[:, None])[:, 0], sigma))
