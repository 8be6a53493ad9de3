"""Feet led on another body: planted feet to where they are wanted, the body along with them, and plants let go where a leg would pop.

Letting go of a plant changes what is done for a second or two around it. In a long motion only that is done again, with the body beside
it held as it was; what comes of it tells which plants are let go, and in the end all is led once more as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact import kernels
from reenact.core import filters
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.core.smoothing import smooth
from reenact.solve.feet import Foot, track_foot
from reenact.solve.held_feet import let_go
from reenact.solve.holding import FootHold
from reenact.solve.joint_pushes import joint_pushes
from reenact.solve.letting_go import TOO_HARD, find_cuts, frames_of
from reenact.solve.placing import Placed, place_feet

MOST = 0.15
"""Metres the body of an adult may move to spare the knees."""

UPRIGHT, OVER_GROUND = 5.0, 0.008
"""See `move_body`: legs stay as straight as recorded, and bodies (of adults) over their feet."""

_LOST = 1.0  # times as hard a push as it may be, that weighs as much as a second in which a planted foot is not led
_ADULT = 0.85  # metres, legs of an adult
_BODY = 0.2  # seconds, width of the low-pass over what the body goes along with its feet
_BESIDE = 0.1  # seconds beside a plant in which a foot comes to go its own way
_LEAST = 0.02  # what a foot in the air counts beside a planted one
_SAME = 1e-6  # metres between two shifts that are one
_WIDER = 2.5  # seconds on either side of what changed in which the body may move otherwise
_SETTLES = 0.12  # seconds at the ends of such a part that are left as they were
_PART = 0.6  # of the frames: if more have to be led again, all are


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """Where planted feet are wanted.

    Attributes:
        planted: (F, L) frames in which the feet are planted.
        near: (F, L) 1 while they are, falling to 0 beside.
        body: (F, 3) metres the body goes along.
        shifts: (F, L, 3) metres the ankles are moved by beyond that, before reach is looked at.
    """

    planted: Bool
    near: Float
    body: Float
    shifts: Float

    def __getitem__(self, frames: slice) -> Wanted:
        return Wanted(self.planted[frames], self.near[frames], self.body[frames], self.shifts[frames])

    def differs(self, other: Wanted) -> Bool:
        """(F,) frames in which something else is wanted."""
        away = np.abs(self.shifts - other.shifts).max(axis=(1, 2)), np.abs(self.body - other.body).max(axis=1)
        return (np.maximum(*away) > _SAME) | (self.planted != other.planted).any(axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Led:
    """What came of leading.

    Attributes:
        clip: the motion; where parts were led again it is put together of them.
        wanted: what was wanted.
        holds: what was done to each foot; of a motion put together only `planted` counts.
        moved: (F, 3) metres the body was moved beyond what it goes along.
        pushes: see `Placed`.
        ratios: (F, J) how hard joints are pushed, as multiples of what they may be.
        whole: led as a whole.
    """

    clip: Clip
    wanted: Wanted
    holds: list[FootHold]
    moved: Float
    pushes: tuple[float, float]
    ratios: Float
    whole: bool


class Leading:
    """A motion whose feet are led for ever fewer plants."""

    def __init__(self, clip: Clip, feet: Sequence[Foot], shifts: Float, allowed: Float) -> None:
        """Begin.

        Args:
            clip: the motion.
            feet: its feet.
            shifts: (F, L, 3) metres, what the ankles shall be moved by while they are planted.
            allowed: (F, J) m/s^2, how hard its joints may be pushed.
        """
        self.clip, self.feet, self.shifts, self.allowed = clip, feet, shifts, allowed
        self.size = body_size(clip, feet)

    def lead_gently(self, plants: FootPlants, rounds: int) -> tuple[FootPlants, Clip]:
        """The plants that feet are led for, and the motion: where a leg of other proportions would pop, its foot need not be led.

        Of all that was tried the one in which joints are pushed least, as multiples of what they may be, and feet are led longest.
        """
        given, led, least = plants, self.lead(plants), np.inf
        best = plants, led
        for turn in range(rounds + 1):
            peaks = led.ratios.max(axis=1)
            worse = sum(float(peaks[a:b].max()) - TOO_HARD for a, b in intervals_of(peaks > TOO_HARD))
            lost = [given.foot(foot.side).plant & ~plants.foot(foot.side).plant for foot in self.feet]
            worse += _LOST * sum(int(mask.sum()) for mask in lost) / self.clip.fps
            if worse < least:
                best, least = (plants, led), worse
            free = frames_of(find_cuts(led.ratios, led.clip, led.holds), led.holds, len(self.clip))
            if turn == rounds or not any(mask.any() for mask in free.values()):
                break
            plants = let_go(plants, free)
            led = self.lead(plants, led)
        plants, led = best
        return plants, (led if led.whole else self.lead(plants)).clip

    def lead(self, plants: FootPlants, before: Led | None = None) -> Led:
        """The motion with its ankles moved while they are planted; the body goes along, feet in the air go their own way.

        `before` is what came of other plants; where it is of use, only what differs from it is led again.
        """
        wanted = self._wanted(plants)
        if before is not None:
            part = filters.widened(wanted.differs(before.wanted), round(_WIDER * self.clip.fps))
            if part.mean() <= _PART:
                return self._in_parts(wanted, before, part)
        placed, holds = self._place(self._part(wanted, slice(None)), wanted)
        ratios = joint_pushes(placed.clip) / self.allowed
        return Led(placed.clip, wanted, holds, placed.root_shift, placed.pushes, ratios, True)

    def _wanted(self, plants: FootPlants) -> Wanted:
        fps = self.clip.fps
        planted = [plants.foot(foot.side).plant for foot in self.feet]
        near = np.stack([nearness(one, fps) for one in planted], axis=1)
        aside = np.stack([_mean_offsets(self.shifts[:, n], one) for n, one in enumerate(planted)], axis=1)
        shifts = self.shifts - aside * (1.0, 0.0, 1.0)
        weight = (near + _LEAST * near.max(axis=1, keepdims=True) + 1e-6)[..., None]
        body = smooth((weight * shifts).sum(axis=1) / weight.sum(axis=1), _BODY * fps)
        own = [
            kernels.swings.bridge(shifts[:, n] - body, one, np.ascontiguousarray(near[:, n]))
            for n, one in enumerate(planted)
        ]
        return Wanted(np.stack(planted, axis=1), near, body, np.stack(own, axis=1))

    def _part(self, wanted: Wanted, frames: slice) -> Clip:
        """Some frames of the motion, the body gone along."""
        clip = self.clip
        return replace(
            clip,
            rotations=clip.rotations[frames],
            root=(clip.root[frames] + wanted.body[frames]).astype(np.float32),
            translations=None if clip.translations is None else clip.translations[frames],
        )

    def _place(
        self,
        clip: Clip,
        wanted: Wanted,
        pushes: tuple[float, float] | None = None,
        kept: tuple[Bool, Float] | None = None,
    ) -> tuple[Placed, list[FootHold]]:
        """A part of the motion with its ankles where they are wanted."""
        world, every, still = clip.world(np.float64), np.ones(len(clip), np.bool_), R.identity(len(clip))
        holds = []
        for n, foot in enumerate(self.feet):
            shift = wanted.shifts[:, n]
            shift = shift + (1.0 - wanted.near[:, n, None]) * (_within_reach(world, foot, shift) - shift)
            holds.append(FootHold(foot, shift, still, wanted.planted[:, n], every, (), track_foot(world, foot)))
        most, over = self.size * MOST, self.size * OVER_GROUND
        made = place_feet(clip, world, holds, most=most, over_ground=over, upright=UPRIGHT, pushes=pushes, kept=kept)
        return made, holds

    def _in_parts(self, wanted: Wanted, before: Led, part: Bool) -> Led:
        """What was led before, with some frames (F,) led again."""
        count, fps = len(self.clip), self.clip.fps
        rotations, root = before.clip.rotations.copy(), before.clip.root.copy()
        moved, ratios = before.moved.copy(), before.ratios.copy()
        for start, end in intervals_of(part):
            here, kept = slice(start, end), np.zeros(end - start, np.bool_)
            kept[:2], kept[-2:] = start > 0, end < count
            placed, _ = self._place(self._part(wanted, here), wanted[here], before.pushes, (kept, before.moved[here]))
            # what low-passes make of the ends is not what they make of the whole
            first = start + round(_SETTLES * fps) + 2 if start > 0 else 0
            last = end - round(_SETTLES * fps) - 2 if end < count else count
            inner = slice(first - start, last - start)
            rotations[first:last], root[first:last] = placed.clip.rotations[inner], placed.clip.root[inner]
            moved[first:last] = placed.root_shift[inner]
            around = replace(placed.clip, rotations=rotations[here], root=root[here])
            rows = slice(max(first - 1, 0), min(last + 1, count))
            beside = slice(rows.start - start, rows.stop - start)
            ratios[rows] = joint_pushes(around)[beside] / self.allowed[rows]
        clip = replace(before.clip, rotations=rotations, root=root)
        holds = [replace(hold, planted=wanted.planted[:, n]) for n, hold in enumerate(before.holds)]
        return Led(clip, wanted, holds, moved, before.pushes, ratios, False)


def body_size(clip: Clip, feet: Sequence[Foot]) -> float:
    """How long the legs are, from the hip joint along the bones to the ankle, beside those of an adult."""
    found = []
    for foot in feet:
        chain = clip.skeleton.ancestors(foot.leg.end)
        bones = chain[: chain.index(foot.leg.root)]
        found.append(float(np.linalg.norm(clip.skeleton.offsets[list(bones)], axis=1).sum()))
    return float(np.mean(found)) / _ADULT


def nearness(planted: Bool, fps: float) -> Float:
    """(F,) 1 while a foot is planted, falling to 0 beside its plants."""
    return kernels.swings.nearness(np.ascontiguousarray(planted), _BESIDE * fps)


def _mean_offsets(offset: Float, planted: Bool) -> Float:
    """(F, 3) the mean of an offset over every plant, and from one to the next in between.

    A foot stands where the directions of the bones take it on the average.
    """
    means = np.zeros(offset.shape)
    for start, end in intervals_of(planted):
        means[start:end] = offset[start:end].mean(axis=0)
    return kernels.swings.bridge(means, planted, np.zeros(len(offset)))


def _within_reach(world: World, foot: Foot, shift: Float) -> Float:
    """(F, 3) metres, a shift of the ankle that straightens its leg at most half as far as it can be: a leg in the air need not reach."""
    hip, knee, ankle = (world.positions[:, joint] for joint in (foot.leg.root, foot.leg.mid, foot.leg.end))
    full = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
    own, way = np.linalg.norm(ankle - hip, axis=1), ankle + shift - hip
    far, left = np.maximum(np.linalg.norm(way, axis=1), 1e-9), np.maximum(full - own, 1e-6)
    longer = (far - own) / left
    reach = np.where(longer > 0, own + 0.5 * left * np.tanh(2.0 * longer), far)
    return shift + way * (reach / far - 1.0)[:, None]
