"""What is asked of a body beyond still feet: that it rests above them, and that its legs do not run through each other.

Both are done by the engine that holds the feet: the body starts from a shifted place, or a foot in the air gets another one. What would
push a joint harder than allowed, or pull a planted foot off its place, is made smaller around there until it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.analysis.leg_gaps import LEG_RADIUS, leg_gaps
from reenact.core import filters
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import intervals_of
from reenact.solve.balancing import balance_offset, body_scale, measure_support
from reenact.solve.held_feet import HeldFeet
from reenact.solve.holding import FootHold
from reenact.solve.joint_pushes import around, joint_pushes, usual_pushes
from reenact.solve.parting import MOST_PUSH, leg_places, part_legs
from reenact.solve.placing import Placed, place_feet

_HARDEST = 1.2  # times a joint's own hardest push
_HARDLY_MORE = 1.02  # times what holding the feet does to it already
_ROUNDS = 9
_LESS = 0.35  # by which a correction is made smaller where it pushes too hard
_SHORT = 2.0  # seconds: shorter corrections are made smaller as a whole
_NEAR, _CALM = (
    0.6,
    0.2,
)  # seconds around a push that is too hard, and width of the low-pass over what is made smaller there
_PARTINGS = 3
_WORTH = 0.5  # of the frames in which legs overlap: a push that leaves more is not worth it
_SLIP = 0.0003  # metres that the ankle of a planted foot may be off where it was held


@dataclass(frozen=True, slots=True, eq=False)
class Adjusted:
    """Held feet, and what was done beyond.

    Attributes:
        held: the motion.
        offset: (F, 3) metres the body was moved for its balance.
        pushes: (F, 2, 3) metres the left and the right foot were pushed aside.
    """

    held: HeldFeet
    offset: Float
    pushes: Float


def adjust(
    clip: Clip,
    world: World,
    held: HeldFeet,
    *,
    most: float,
    stretch: float = 0.0,
    sources: Sequence[Clip] = (),
    balance: float = 0.0,
    apart: bool = False,
) -> Adjusted:
    """A motion with held feet, brought above them where it rests and with its legs parted.

    No joint is pushed harder than 1.2 times its own hardest push in the sources, unless holding the feet does so already, and planted
    feet stay where they are held.

    Args:
        clip: the motion before.
        world: its forward kinematics, float64.
        held: the same with its feet held.
        most: metres the body may move to spare the knees.
        stretch: share by which legs may be lengthened.
        sources: what the clip was made of; default: itself.
        balance: metres the body may be moved for its balance; 0: not at all.
        apart: push feet in the air out of the other leg.

    Raises:
        SkeletonError: balance is asked for and the skeleton lacks roles that the centre of mass needs.
    """
    usual = usual_pushes(sources or [clip])
    allowed = np.maximum(usual, around(joint_pushes(clip)))
    limit = np.maximum(_HARDEST * allowed, _HARDLY_MORE * around(joint_pushes(held.clip)))
    feet = [hold.foot for hold in held.holds]
    offset, pushes = np.zeros((len(clip), 3)), np.zeros((len(clip), 2, 3))
    still = held.clip.world(np.float64).positions

    def fails(placed: Placed) -> Bool:
        """(F,) frames in which a joint is pushed too hard, or a planted foot leaves its place."""
        bad = np.any(joint_pushes(placed.clip) > limit, axis=1)
        places = placed.clip.world(np.float64).positions
        for hold in held.holds:
            ankle = hold.foot.leg.end
            bad |= hold.planted & (np.linalg.norm(places[:, ankle] - still[:, ankle], axis=1) > _SLIP)
        return bad

    def place(holds: Sequence[FootHold], offset: Float) -> Placed:
        return place_feet(clip, world, holds, most=most, stretch=stretch, usual=usual, offset=offset)

    if balance > 0:
        support = measure_support(held.clip.world(np.float64), clip.skeleton, held.plants, feet)
        rest = measure_support(
            world, clip.skeleton, held.plants, feet
        ).rest  # of the motion as it came, as in the report
        offset = balance_offset(replace(support, rest=rest), clip.fps, balance)
        if offset.any():
            placed, offset = _restrained(lambda wanted: place(held.holds, wanted), offset, fails, clip.fps)
            held = replace(held, clip=placed.clip, placed=placed)
    if apart and len(feet) == 2:
        held, pushes = _part(clip, held, lambda holds: place(holds, offset), fails)
    return Adjusted(held, offset, pushes)


def _part(
    clip: Clip, held: HeldFeet, place: Callable[[Sequence[FootHold]], Placed], fails: Callable[[Placed], Bool]
) -> tuple[HeldFeet, Float]:
    """The motion with its legs parted, and what each foot was pushed by (F, 2, 3): left, right."""
    scale, first, found = body_scale(clip.skeleton), held, np.zeros((len(clip), 2, 3))
    order = {"left": 0, "right": 1}
    feet = [hold.foot for hold in held.holds]
    planted = np.stack([held.plants.foot(side).plant for side in order], axis=1)
    both = sorted(feet, key=lambda foot: foot.side)

    def pushed(pushes: Float) -> tuple[FootHold, ...]:
        return tuple(
            replace(hold, shift=hold.shift + part, active=hold.active | np.any(part != 0.0, axis=1))
            for hold in first.holds
            for part in (pushes[:, order[hold.foot.side]],)
        )

    def overlapping(one: HeldFeet) -> Bool:
        legs = leg_places(one.clip.world(np.float64), feet)
        return np.zeros(len(clip), np.bool_) if legs is None else leg_gaps(legs, LEG_RADIUS * scale) < 0

    def push(wanted: Float) -> tuple[HeldFeet, Float]:
        placed, kept = _restrained(
            lambda one: place(pushed(one.reshape(-1, 2, 3))), wanted.reshape(len(clip), 6), fails, clip.fps
        )
        pushes = kept.reshape(-1, 2, 3)
        return replace(first, clip=placed.clip, placed=placed, holds=pushed(pushes)), pushes

    before = overlapping(first)
    best, fewest = (first, found), int(before.sum())
    for _ in range(_PARTINGS):  # the legs do not follow quite as expected: what is left is added
        world = held.clip.world(np.float64)
        legs = leg_places(world, feet)
        hips = np.stack([world.positions[:, foot.leg.root] for foot in both], axis=1)
        more = np.zeros(1) if legs is None else part_legs(legs, planted, hips, clip.fps, scale)
        if not more.any():
            break
        wanted = found + more
        size = np.linalg.norm(wanted, axis=2, keepdims=True)
        held, found = push(wanted * np.minimum(1.0, MOST_PUSH * scale / np.maximum(size, 1e-12)))
        left = int(overlapping(held).sum())
        if left < fewest:
            best, fewest = (held, found), left
    held, found = best
    after, worth = overlapping(held), found.copy()
    for start, end in intervals_of(np.any(found != 0.0, axis=(1, 2))):
        if after[start:end].sum() > _WORTH * before[start:end].sum():
            worth[start:end] = 0.0
    return best if np.array_equal(worth, found) else push(worth)


def _restrained(
    place: Callable[[Float], Placed], wanted: Float, fails: Callable[[Placed], Bool], fps: float
) -> tuple[Placed, Float]:
    """What comes of a correction (F, D) that is zero in most frames, made smaller around the frames in which it fails."""
    wide = 2 * round(_NEAR * fps) + 1
    for last in (False,) * (_ROUNDS - 1) + (True,):
        placed = place(wanted)
        bad = fails(placed)
        if not bad.any():
            return placed, wanted
        near = filters.maximum(bad.astype(np.float64), wide, edge="constant")
        for start, end in intervals_of(np.any(wanted != 0.0, axis=1)):
            if end - start < _SHORT * fps and bad[max(start - 2, 0) : end + 2].any():
                near[max(start - wide, 0) : end + wide] = 1.0
        less = (1.0 if last else _LESS) * filters.gaussian(near, _CALM * fps, edge="nearest")
        wanted = wanted * np.clip(1.0 - less, 0.0, 1.0)[:, None]
        wanted = np.where(np.abs(wanted) > 1e-7, wanted, 0.0)
    placed = place(wanted)
    if fails(placed).any():  # beyond help: nothing is asked
        wanted = np.zeros_like(wanted)
        placed = place(wanted)
    return placed, wanted
