"""Feet held where they stand: the one way in which every method keeps planted feet still.

Which plants can be held (`holdable`), where the feet have to be for that (`holding`), and how body and legs get there (`placing`). A plant
that a leg cannot reach, or that leaves the foot no time to get to the next, is cut short, and tried again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import FootContact, FootPlants, intervals_of
from reenact.solve.feet import Foot
from reenact.solve.holdable import holdable_plants
from reenact.solve.holding import FootHold, HeldBefore, hold_foot
from reenact.solve.joint_pushes import around, joint_pushes, pushes_and_usual, usual_pushes
from reenact.solve.letting_go import BORNE, Cut, find_cuts, frames_of, out_of_reach
from reenact.solve.placing import Placed, place_feet
from reenact.solve.stances import HoldParameters

_ROUNDS, _PATIENT = 12, 7  # times it is tried, and times a plant is cut shorter before it is let go altogether
_RISEN = 0.03  # metres a point has risen when it stands no longer
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
    usual: Float | None = None,
    heights: Mapping[str, tuple[Float, Float]] | None = None,
    period: int | None = None,
    firm: bool = False,
    over_ground: float | None = None,
    upright: float = 1.0,
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
        usual: (J,) m/s^2, how hard its joints may be pushed, when at hand, instead of `sources`.
        heights: side -> (F,) metres, how high heel and ball stand there; default: as they do in the clip.
        period: frames after which the clip repeats itself: then what is held does, too.
        firm: hold every plant as it is given, whatever it costs.
        over_ground, upright: how freely the body is moved over the ground, and how much knees count, see `solve.body_moves.move_body`.
    """
    how = how or HoldParameters()
    world = clip.world(np.float64) if world is None else world
    if usual is None and not sources:
        own, usual = pushes_and_usual(clip, world)
    else:
        own, usual = joint_pushes(clip, world), usual_pushes(sources) if usual is None else usual
    allowed = np.maximum(usual, around(own))
    pushes = {foot.side: max(_SHARE * float(usual[foot.leg.end]), _LEAST_PUSH) for foot in feet}
    plants, jumps = holdable_plants(plants, world, feet, clip.fps, None if firm else _RISEN)
    before, tried, cuts, borne = plants, plants, list[Cut](), np.zeros(len(clip), np.bool_)
    best: HeldFeet | None = None
    known: dict[str, FootHold] = {}
    held_before = {foot.side: HeldBefore() for foot in feet}
    least = np.inf
    for turn in (_ROUNDS,) if firm else range(1, _ROUNDS + 1):
        last = turn == _ROUNDS
        for foot in feet:
            if foot.side not in known or _changed(tried.foot(foot.side), plants.foot(foot.side)):
                known[foot.side] = hold_foot(
                    world,
                    foot,
                    plants.foot(foot.side),
                    clip.fps,
                    how,
                    plants.floor,
                    None if heights is None else heights.get(foot.side),
                    held_before[foot.side],
                )
        tried, holds = plants, [known[foot.side] for foot in feet]
        hurried = {hold.foot.side: _hurried(hold, clip.fps, pushes[hold.foot.side]) for hold in holds}
        if not last and any(mask.any() for mask in hurried.values()):
            plants = let_go(plants, _repeated(hurried, period))
            continue
        placed = place_feet(
            clip, world, holds, most=most, stretch=stretch, usual=usual, over_ground=over_ground, upright=upright
        )
        held = HeldFeet(placed.clip, plants, tuple(holds), placed, jumps)
        if firm:
            return held
        spoiled = {
            hold.foot.side: out_of_reach(hold.planted, away, clip.fps)
            for hold, away in zip(holds, placed.missed, strict=True)
        }
        if not any(mask.any() for mask in spoiled.values()):
            ratios = joint_pushes(placed.clip) / allowed
            peaks = ratios.max(axis=1)
            worst = max(float(peaks.max(initial=0.0)), BORNE)
            if worst < least:
                best, least = held, worst
            vain = [cut for cut in cuts if not cut.helped(peaks, clip.fps)]
            for cut in vain:
                borne[cut.window(clip.fps)] = True
            back = [cut for cut in vain if cut.peak < BORNE]
            if back and not last:  # what let go did not help is held again
                again = _repeated(frames_of(back, holds, len(clip)), period)
                plants, cuts = _held_again(plants, before, again), []
                continue
            cuts = find_cuts(ratios, placed.clip, holds, whole=turn > _PATIENT, borne=borne)
            spoiled = frames_of(cuts, holds, len(clip))
            if not cuts:  # all is well, or no plant is to blame
                return held if worst <= least or best is None else best
        spoiled = _repeated(spoiled, period)
        if not any(mask.any() for mask in spoiled.values()):
            return held
        if last:
            return best or held
        before, plants = plants, let_go(plants, spoiled)
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


def _held_again(plants: FootPlants, before: FootPlants, frames: dict[str, Bool]) -> FootPlants:
    """The plants with what was planted before in some frames: side -> (F,)."""
    feet = {}
    for side in ("left", "right"):
        contact, old, again = plants.foot(side), before.foot(side), frames.get(side)
        feet[side] = (
            contact
            if again is None
            else FootContact(contact.heel | old.heel & again, contact.ball | old.ball & again, contact.confidence)
        )
    return FootPlants(feet["left"], feet["right"], plants.fps, plants.floor, plants.source)


def _repeated(frames: dict[str, Bool], period: int | None) -> dict[str, Bool]:
    """What is let go in any repetition but the first and last, which have ends, in all of them."""
    if period is None:
        return frames
    return {
        side: np.tile(mask.reshape(-1, period)[1:-1].any(axis=0), len(mask) // period) for side, mask in frames.items()
    }


def _changed(one: FootContact, other: FootContact) -> bool:
    """Two contacts of a foot differ."""
    return one is not other and not (np.array_equal(one.heel, other.heel) and np.array_equal(one.ball, other.ball))


def _hurried(hold: FootHold, fps: float, push: float) -> Bool:
    """(F,) frames beside gaps between plants in which a foot has to be let go, so that it has the time to get to the next place."""
    free = np.zeros(len(hold.planted), np.bool_)
    runs = intervals_of(hold.planted)
    for (start, first), (second, end) in pairwise(runs):
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
