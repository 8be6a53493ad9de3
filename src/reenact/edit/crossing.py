"""One motion into another over a window: the one way in which every method joins two motions.

Poses are blended, the path is added up from steps and turns, the second motion is put where the blend ends, planted feet are held
(`footwork`), and the result is measured against both (`solve.result_quality`). Which frames of both belong together within the window is
given, or both play on at their own rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.analysis.plants import DETECTORS
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.cutting import JoinParameters, concatenate, cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.core.mirror import mirror
from reenact.core.placement import move_rigidly
from reenact.core.ramps import rise
from reenact.core.resample import sample_at
from reenact.edit.blending import Local, add_up, blend, moving_joints, put_together, take_apart
from reenact.edit.calming import calm
from reenact.edit.carrying import carry_plants
from reenact.edit.footwork import Footwork, hold_feet
from reenact.edit.limb_range import find_hinges, keep_bends
from reenact.edit.tempo import match_tempo
from reenact.edit.transition_parameters import TransitionParameters
from reenact.solve.feet import find_feet
from reenact.solve.holdable import holdable_plants
from reenact.solve.joint_pushes import around, joint_pushes, usual_pushes
from reenact.solve.result_quality import ResultQuality, measure_result
from reenact.solve.second_opinion import doubt_otherwise
from reenact.solve.shown import Shown

_RISEN = 0.015  # metres a heel has risen when it is not held through a blend
_NOTHING = 1e-9  # metres and radians
_PUSHED = 1.1  # of each joint's hardest push in the sources: what a blend may have before its feet are held


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """Which frames of two motions belong together in a window.

    Attributes:
        first, second: (N,) fractional frames; the first of the one and the last of the other are whole.
        weight: (N,) of the second motion, from 0 to 1.
    """

    first: Float
    second: Float
    weight: Float


@dataclass(frozen=True, slots=True)
class Window:
    """Frames of a blend: it begins in frame `start_a` of the first clip and `start_b` of the second and lasts `length` frames."""

    start_a: int
    start_b: int
    length: int
    shortened: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """Both clips on one skeleton, at one rate and on one floor, with what can be held of their plants.

    Attributes:
        a, b: the clips.
        plants_a, plants_b: what can be held of their plants.
        recorded: the second clip as it was before it was brought onto the skeleton of the first.
        stood: all plants of the first clip and of the second as recorded: they tell how the feet of either stand; None: as held.
    """

    a: Clip
    b: Clip
    plants_a: FootPlants | None
    plants_b: FootPlants | None
    recorded: Clip
    stood: tuple[FootPlants | None, FootPlants | None] | None = None

    def mirrored(self) -> Sources:
        """With the second clip mirrored."""

        def other(plants: FootPlants | None) -> FootPlants | None:
            return None if plants is None else plants.mirrored()

        stood = None if self.stood is None else (self.stood[0], other(self.stood[1]))
        recorded = mirror(self.recorded)
        return replace(self, b=mirror(self.b), plants_b=other(self.plants_b), recorded=recorded, stood=stood)


@dataclass(frozen=True, slots=True, eq=False)
class Crossed:
    """One motion into another.

    Attributes:
        clip: the first up to the window, the window, the second from there on.
        plants: carried from both; None where they are not known.
        inside: half-open range of the frames of the window.
        changed: half-open range of the frames that differ from both; longer where a foot is held beyond the window.
        moved: (3,) what the path of the second was moved by: x, z, heading.
        footwork: what the feet do.
        shown: what it shows of both.
        measured: what it is worth.
    """

    clip: Clip
    plants: FootPlants | None
    inside: tuple[int, int]
    changed: tuple[int, int]
    moved: Float
    footwork: Footwork
    shown: tuple[Shown, Shown]
    measured: ResultQuality

    def doubts(self) -> list[str]:
        """What is over a limit, by the one way of measuring or the other, in words."""
        return [*self.measured.doubts(), *self.other_doubts()]

    def other_doubts(self) -> list[str]:
        """What only a second way of measuring finds over a limit."""
        return doubt_otherwise(self.clip, self.plants, self.shown, self.changed, self.measured, self.inside)


def cross(source: Sources, window: Window, parameters: TransitionParameters, pairing: Pairing | None = None) -> Crossed:
    """One motion into another over a window.

    Args:
        source: both motions.
        window: its frames; with a pairing, `length` counts the frames of that.
        parameters: method, weight, root, feet; the frames it asks for do not count.
        pairing: the frames that belong together; None: both at their own rate.
    """
    a, b, plants_a, plants_b = source.a, source.b, source.plants_a, source.plants_b
    one_sided = parameters.method != "crossfade"
    work = _blend_window(a, b, window, parameters, plants_a, plants_b, pairing)
    head, tail = cut_frames(a, 0, window.start_a), cut_frames(work.second, window.start_b + window.length, len(b))
    middle, rest = cut_frames(work.base, 0, window.length), tail
    if work.extra:
        rest = concatenate_kept(
            [cut_frames(work.base, window.length, len(work.base)), cut_frames(tail, work.extra, len(tail))]
        )
    parts = [part for part in (head, middle, rest) if len(part)]
    name = f"{a.name}>{b.name}" if a.name or b.name else ""
    clip = replace(concatenate_kept(parts), name=name)
    plants = carry_plants(plants_a, plants_b, window.start_a, window.start_b, window.length, work.footwork)
    inside = (window.start_a, window.start_a + window.length + 1)
    changed = (inside[0], inside[1] - 1 + work.extra)
    stood = source.stood or (plants_a, plants_b)
    shown = _shown(clip, (a, source.recorded), stood, window, one_sided=one_sided, pairing=pairing)
    measured = measure_result(clip, plants, shown, changed, inside)
    return Crossed(clip, plants, inside, changed, work.moved, work.footwork, shown, measured)


def concatenate_kept(parts: Sequence[Clip]) -> Clip:
    """Clips of one skeleton and rate one after the other, each where it stands."""
    return parts[0] if len(parts) == 1 else concatenate(parts, JoinParameters(place="keep"))


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    """A blend that was made: the frames of the window and of what is held beyond it, the second clip in its place."""

    base: Clip
    second: Clip
    extra: int
    moved: Float
    footwork: Footwork


def holdable(clip: Clip, plants: FootPlants | None) -> FootPlants | None:
    """Detected plants without what no foot can do; those planned, carried or given by hand are left as they are."""
    if plants is None or plants.source not in DETECTORS:
        return plants
    return holdable_plants(plants, clip.world(np.float64), find_feet(clip.skeleton, clip), clip.fps, _RISEN)[0]


def _blend_window(
    a: Clip,
    b: Clip,
    window: Window,
    parameters: TransitionParameters,
    plants_a: FootPlants | None,
    plants_b: FootPlants | None,
    pairing: Pairing | None,
) -> _Work:
    moving = moving_joints(a, b)
    length, one_sided = window.length, parameters.method != "crossfade"
    frames_a = window.start_a + np.arange(length + 1, dtype=np.float64)
    frames_b = window.start_b + np.arange(length + 1, dtype=np.float64)
    if pairing is not None:
        frames_a, frames_b = pairing.first, pairing.second
    elif parameters.tempo and not one_sided:
        frames_a, frames_b = match_tempo(frames_a, frames_b, (plants_a, plants_b), (len(a), len(b)), parameters.weight)
    if one_sided:  # two frames of the first clip: the one it is left in, and the one before for its speed
        first = _local(a, np.array([max(window.start_a - 1, 0), window.start_a], dtype=np.float64), moving)
    else:
        first = _local(a, frames_a, moving)
    second = _local(b, frames_b, moving)
    weight = None if pairing is None else pairing.weight
    mixed = blend(first, second, parameters.method, parameters.weight, a.fps, weight)
    start = first.stands[1 if one_sided else 0]
    stands = mixed.stands if parameters.root == "absolute" else add_up(start, mixed.steps)
    shown = (_frames_of(a, frames_a[:1] if one_sided else frames_a), _frames_of(b, frames_b))
    mixed = _tame(mixed, stands, a, b, shown)

    def make(moved: Float) -> tuple[Clip, Clip]:
        path = stands + weights_of_move(length)[:, None] * moved
        base = put_together(mixed, path, a)
        if not one_sided and _same(base, frames_a, a):
            base = cut_frames(a, window.start_a, window.start_a + length + 1)
        placed = b if parameters.root == "absolute" else _place(b, second.stands[-1], path[-1])
        return base, placed

    if parameters.feet == "free" or plants_a is None or plants_b is None:
        base, placed = make(np.zeros(3))
        return _Work(cut_frames(base, 0, length), placed, 0, np.zeros(3), Footwork())
    absorb = parameters.absorb and parameters.root == "relative" and parameters.contradiction != "slip"
    footwork = hold_feet(
        a=a,
        frames_a=frames_a[:1] if one_sided else frames_a,
        frames_b=frames_b,
        plants=(plants_a, plants_b),
        make=make,
        contradiction=parameters.contradiction,
        near=parameters.near,
        absorb=absorb,
    )
    return _Work(footwork.clip, footwork.second, len(footwork.clip) - length, footwork.moved, footwork.footwork)


def _tame(mixed: Local, stands: Float, a: Clip, b: Clip, shown: Sequence[Clip]) -> Local:
    """A blend without limbs bent through and without jerks that its sources do not have."""
    bent = keep_bends(put_together(mixed, stands, a), shown, find_hinges(a.skeleton, (a, b)))
    turns = mixed.turns.copy()
    turns[:, 1:] = bent.rotations[:, 1:]
    mixed = replace(mixed, turns=turns)
    limit = np.tile(usual_pushes([a, b]), (len(mixed), 1))
    for clip in shown:  # a glitch that is played is not made by the blend
        if len(clip) == len(mixed):
            limit = np.maximum(limit, around(joint_pushes(clip)))
    return calm(mixed, lambda local: put_together(local, stands, a), _PUSHED * limit)


def _frames_of(clip: Clip, frames: Float) -> Clip:
    """The frames of a clip that lie around some moments."""
    return cut_frames(clip, int(np.floor(frames.min())), int(np.ceil(frames.max())) + 1)


def weights_of_move(length: int) -> Float:
    """(length + 1,) how much of a move of the second path is done in each frame."""
    return rise(np.arange(length + 1) / length)


def _same(base: Clip, frames: Float, source: Clip) -> bool:
    """Whether a blend shows just what its first clip shows, but for rounding: a clip blended into itself."""
    if np.any(frames != np.rint(frames)):
        return False
    at = frames.astype(int)
    turned = np.abs(np.einsum("fji,fji->fj", base.rotations, source.rotations[at]))
    return bool(turned.min() > 1 - 1e-6 and np.abs(base.root - source.root[at]).max() < 1e-5)


def _local(clip: Clip, frames: Float, moving: tuple[int, ...]) -> Local:
    """Frames of a clip without place and direction; whole numbers are taken as they are."""
    low, high = int(np.floor(frames.min())), int(np.ceil(frames.max())) + 1
    low = max(low - 1, 0)  # one more, so that the first step is the one that leads into it
    part = cut_frames(clip, low, min(high, len(clip)))
    if np.all(frames == np.rint(frames)):
        local = take_apart(part, moving)
        which = np.rint(frames).astype(int) - low
        return Local(local.turns[which], local.points[which], local.steps[which], local.stands[which], moving)
    return take_apart(sample_at(part, frames - low, clip.fps, "smooth"), moving)


def _place(clip: Clip, here: Float, there: Float) -> Clip:
    """The clip moved as a whole so that the stand `here` (x, z, heading) comes to `there`."""
    if np.abs(there - here).max() < _NOTHING:
        return clip
    shift = there[:2] - here[:2]
    return move_rigidly(clip, (shift[0], 0.0, shift[1]), float(there[2] - here[2]), here[:2])


def _shown(
    result: Clip,
    sources: tuple[Clip, Clip],
    plants: tuple[FootPlants | None, FootPlants | None],
    window: Window,
    *,
    one_sided: bool,
    pairing: Pairing | None,
) -> tuple[Shown, Shown]:
    """What the result shows of both clips, frame by frame; both over the window."""
    frames = np.arange(len(result))
    last = window.start_a + (1 if one_sided else window.length + 1)
    first = np.where(frames < last, frames, -1)
    second = np.where(frames >= window.start_a, frames - window.start_a + window.start_b, -1)
    second = np.minimum(second, len(sources[1]) - 1)
    if pairing is not None:
        inside = slice(window.start_a, window.start_a + len(pairing.first))
        first[inside], second[inside] = np.rint(pairing.first), np.rint(pairing.second)
    return Shown(sources[0], plants[0], first), Shown(sources[1], plants[1], second)
