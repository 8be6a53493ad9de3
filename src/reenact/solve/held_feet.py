"""Feet held where they stand: the one way in which every method keeps planted feet still.

Which plants can be held (`holdable`), where the feet have to be for that (`holding`), and how body and legs get there (`placing`). A plant
that a leg cannot reach, or that leaves the foot no time to get to the next, is cut short, and tried again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import FootContact, FootPlants, intervals_of
from reenact.solve.feet import Foot
from reenact.solve.holdable import holdable_plants
from reenact.solve.holding import FootHold, hold_foot
from reenact.solve.joint_pushes import around, joint_pushes, usual_pushes
from reenact.solve.placing import Placed, place_feet
from reenact.solve.stances import HoldParameters

_ROUNDS = 6
_TOO_HARD = 1.2  # times what a joint does by itself, from which on a plant is let go
_OUT_OF_REACH = 0.002  # metres a leg may miss its plant before the plant is cut short
_SOONER = 0.025  # seconds it is cut shorter than needed, so that the foot is on its way
_TRIM = 0.05  # seconds by which a plant is cut shorter where its end pushes a joint too hard
_LEAST_GAP = 0.05  # seconds between two plants of a foot
_SHARE = 0.35  # of the hardest push of a foot, that it may take to get from one place to the next
_QUINTIC = 5.8  # peak acceleration of a smooth way, in units of way / time^2
_LEAST_PUSH = 4.0  # m/s^2


@dataclass(frozen=True, slots=True, eq=False)
class HeldFeet:
    """A motion with its feet held.

    Attributes:
        clip: the motion.
        plants: those that are held.
        holds: what was done to each foot.
        placed: body and legs.
        jumps: frames in which the recording of a planted foot jumps.
    """

    clip: Clip
    plants: FootPlants
    holds: tuple[FootHold, ...]
    placed: Placed
    jumps: list[int]


def hold_feet(
    clip: Clip,
    plants: FootPlants,
    feet: Sequence[Foot],
    how: HoldParameters | None = None,
    *,
    most: float = 0.1,
    stretch: float = 0.0,
    world: World | None = None,
    sources: Sequence[Clip] = (),
) -> HeldFeet:
    """The clip with its planted feet still.

    Args:
        clip: the motion.
        plants: when which point is planted.
        feet: its feet, see `find_feet`; at least one.
        how: see `HoldParameters`.
        most: metres the body may move.
        stretch: share by which legs may be lengthened where they do not reach.
        world: forward kinematics of the clip in float64, when at hand.
        sources: what the clip was made of, which tells how hard its joints may be pushed; default: the clip itself.
    """
    how = how or HoldParameters()
    world = clip.world(np.float64) if world is None else world
    own = joint_pushes(clip)
    usual = usual_pushes(sources or [clip])
    allowed = np.maximum(usual, around(own))
    pushes = {foot.side: max(_SHARE * float(usual[foot.leg.end]), _LEAST_PUSH) for foot in feet}
    plants, jumps = holdable_plants(plants, world, feet, clip.fps)
    holds: list[FootHold] = []
    for last in (False,) * (_ROUNDS - 1) + (True,):
        holds = [hold_foot(world, foot, plants.foot(foot.side), clip.fps, how, plants.floor) for foot in feet]
        hurried = {hold.foot.side: _hurried(hold, clip.fps, pushes[hold.foot.side]) for hold in holds}
        if not last and any(mask.any() for mask in hurried.values()):
            plants = let_go(plants, hurried)
            continue
        placed = place_feet(clip, world, holds, most=most, stretch=stretch, usual=usual)
        spoiled = {h.foot.side: _missed(h, away, clip.fps) for h, away in zip(holds, placed.missed, strict=True)}
        if not any(mask.any() for mask in spoiled.values()):
            spoiled = _too_hard(clip, placed, holds, allowed)
        if last or not any(mask.any() for mask in spoiled.values()):
            return HeldFeet(placed.clip, plants, tuple(holds), placed, jumps)
        plants = let_go(plants, spoiled)
    raise AssertionError("the last round returns")


def let_go(plants: FootPlants, frames: dict[str, Bool]) -> FootPlants:
    """The plants without those of some frames: side -> (F,)."""
    feet = {}
    for side in ("left", "right"):
        contact, free = plants.foot(side), frames.get(side)
        feet[side] = (
            contact if free is None else FootContact(contact.heel & ~free, contact.ball & ~free, contact.confidence)
        )
    return FootPlants(feet["left"], feet["right"], plants.fps, plants.floor, plants.source)


def _hurried(hold: FootHold, fps: float, push: float) -> Bool:
    """(F,) frames beside gaps between plants in which a foot has to be let go, so that it has the time to get to the next place."""
    free = np.zeros(len(hold.planted), np.bool_)
    runs = intervals_of(hold.planted)
    for (start, first), (second, end) in zip(runs, runs[1:], strict=False):
        away = float(np.linalg.norm(hold.shift[second] - hold.shift[first - 1]))
        gap, needed = second - first, int(np.ceil(max(_LEAST_GAP, np.sqrt(_QUINTIC * away / push)) * fps))
        short = needed - gap
        if short <= 0:
            continue
        left = min((short + 1) // 2, (first - start) // 2)
        right = min(short - left, (end - second) // 2)
        free[first - left : first] = True
        free[second : second + right] = True
    return free


def _missed(hold: FootHold, away: Float, fps: float) -> Bool:
    """(F,) frames in which a plant that the leg does not reach is let go."""
    free, early = np.zeros(len(away), np.bool_), max(round(_SOONER * fps), 1)
    for start, end in intervals_of(hold.planted):
        bad = start + np.flatnonzero(away[start:end] > _OUT_OF_REACH)
        if not len(bad):
            continue
        if bad[0] - start >= end - 1 - bad[-1]:
            free[max(bad[0] - early, start) : end] = True
        else:
            free[start : min(bad[-1] + 1 + early, end)] = True
    return free


def _too_hard(clip: Clip, placed: Placed, holds: Sequence[FootHold], allowed: Float) -> dict[str, Bool]:
    """Side -> (F,) frames in which plants are let go because holding them pushes a joint much harder than it is pushed by itself.

    Args:
        clip: the motion before.
        placed: the motion with its feet held.
        holds: what was done to each foot.
        allowed: (F, J) m/s^2.
    """
    ratios = joint_pushes(placed.clip) / allowed
    free = {hold.foot.side: np.zeros(len(clip), np.bool_) for hold in holds}
    trim = max(round(_TRIM * clip.fps), 2)
    bad = np.argwhere(ratios > _TOO_HARD)
    if not len(bad):
        return free
    legs = {hold.foot.side: set(clip.skeleton.subtree(hold.foot.leg.root)) for hold in holds}
    for start, end in intervals_of((ratios > _TOO_HARD).any(axis=1)):
        frame, joint = np.unravel_index(int(np.argmax(ratios[start:end])), ratios[start:end].shape)
        frame = start + int(frame)
        near = [hold for hold in holds if int(joint) in legs[hold.foot.side]] or holds
        found = [(abs(frame - edge), hold, run) for hold in near for run in intervals_of(hold.planted) for edge in run]
        inside = [(min(frame - run[0], run[1] - frame), hold, run) for _, hold, run in found if run[0] <= frame < run[1]]
        if not (inside or found):
            continue
        _, hold, (first, last) = min(inside or found, key=lambda one: one[0])
        mask = free[hold.foot.side]
        if last - first <= 3 * trim:
            mask[first:last] = True
        elif min(frame - first, last - frame) > 2 * trim:  # in the middle of a long plant: it becomes two
            mask[frame - trim : frame + trim] = True
        elif frame - first < last - frame:
            mask[first : max(frame, first) + trim] = True
        else:
            mask[min(frame, last) - trim : last] = True
    return free
