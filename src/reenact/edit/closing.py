"""A cycle closed: its ends made alike, its planted feet held across the seam, ready to be repeated.

What the two ends differ by is spread over the whole cycle (the softfade of animation looping: half of it at either end, value and
velocity), instead of being blended away within a short window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.analysis.leg_gaps import leg_gaps
from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants, join_plants
from reenact.core.heading import wrap
from reenact.core.placement import move_rigidly
from reenact.core.ramps import coast
from reenact.edit.blending import Local, add_up, moving_joints, put_together, take_apart
from reenact.edit.crossing import concatenate_kept
from reenact.edit.cycles import Cycle
from reenact.edit.seam_stances import heights_across
from reenact.solve.adjusting import adjust
from reenact.solve.feet import Foot, find_feet, track_foot
from reenact.solve.held_feet import hold_feet
from reenact.solve.parting import leg_places
from reenact.solve.stances import HoldParameters

_UNROLLED = 5  # cycles solved at once, of which the middle one is taken: it knows its neighbours
_LEAST_UNROLLED = 2.5  # seconds of them before and after it
_MOST_MOVE = 0.1  # metres the body may move for that
_THROUGH = 0.01  # metres that legs run through each other deeper than recorded, from which on they are parted
_SPEED_FADE = 0.4  # seconds in which a change of speed at the seam dies out on either side


@dataclass(frozen=True, slots=True, eq=False)
class ClosedCycle:
    """One cycle that leads into itself.

    Attributes:
        clip: its frames, beginning where the recorded cycle begins.
        plants: those that are held, of one cycle; None where none are known.
        start: (3,) where it begins: x, z, heading.
        way: (3,) from there to where the next one begins: left, forward, turn.
    """

    clip: Clip
    plants: FootPlants | None
    start: Float
    way: Float

    def repeated(self, count: int) -> tuple[Clip, FootPlants | None]:
        """So many cycles in a row, and their plants."""
        start, copies = self.start, []
        for number in range(count):
            there = stand_after(start, self.way, number)
            moved = (there[0] - start[0], 0.0, there[1] - start[1])
            copies.append(move_rigidly(self.clip, moved, float(there[2] - start[2]), start[:2]))
        return concatenate_kept(copies), None if self.plants is None else join_plants([self.plants] * count)


def close_cycle(
    clip: Clip, cycle: Cycle, plants: FootPlants | None, *, straighten: float, in_place: bool, hold: bool
) -> ClosedCycle:
    """The cycle with its ends made alike.

    Args:
        clip: the recording.
        cycle: which of its frames.
        plants: of the recording.
        straighten: radians; a smaller turn per cycle is taken as walking straight on.
        in_place: take the way over the floor out.
        hold: keep planted feet where they are.
    """
    period = cycle.end - cycle.start
    local = take_apart(clip, moving_joints(clip))
    states = None if plants is None else plants.picked(np.arange(cycle.start, cycle.end))
    closed, way = _close(local, cycle, straighten, in_place, states, clip.fps)
    start = local.stands[cycle.start]
    times = _UNROLLED + 2 * int(_LEAST_UNROLLED * clip.fps / period / 2)
    unrolled = _unroll(closed, way, start, times, clip)
    if states is not None and hold:
        unrolled, states = _hold(unrolled, states, clip, cycle)
    middle = times // 2
    one = cut_frames(unrolled, middle * period, (middle + 1) * period)
    # back to where the recorded cycle stands: the middle cycle stands `middle` ways further
    here = stand_after(start, way, middle)
    one = move_rigidly(one, (start[0] - here[0], 0.0, start[1] - here[1]), float(start[2] - here[2]), here[:2])
    return ClosedCycle(one, states, start, way)


def _close(
    local: Local, cycle: Cycle, straighten: float, in_place: bool, states: FootPlants | None, fps: float
) -> tuple[Local, Float]:
    """The cycle with its ends made alike, and its way over the floor (left, forward, turn) from start to start."""
    start, end = cycle.start, cycle.end
    period = end - start
    t = np.arange(period) / period
    joints = local.turns.shape[1]
    gap = R.log(R.multiply(local.turns[end], R.conjugate(local.turns[start])))
    turn_speed = _speed_of_turns(local.turns, end) - _speed_of_turns(local.turns, start)
    offset = _softfade(t, gap.ravel(), turn_speed.ravel(), period, fps).reshape(period, joints, 3)
    turns = R.multiply(R.exp(offset), local.turns[start:end])
    gap_points = (local.points[end] - local.points[start]).ravel()
    point_speed = (_speed(local.points, end) - _speed(local.points, start)).ravel()
    points = local.points[start:end] + _softfade(t, gap_points, point_speed, period, fps).reshape(period, -1, 3)
    steps = local.steps[start + 1 : end + 1].copy()  # the step out of each frame
    uneven = np.mean(local.steps[end : end + 2], axis=0) - np.mean(local.steps[start : start + 2], axis=0)
    steps += _softfade(t, uneven, np.zeros(3), period, fps)
    stays = states is not None and any(bool(f.plant.all()) for f in (states.left, states.right))
    total = float(local.steps[start + 1 : end + 1, 2].sum())  # turns of more than half a circle are made as they are
    rest = float(wrap(np.array(total)))
    if stays or in_place:
        steps[:, :2] -= steps[:, :2].mean(axis=0)
    wanted = total - rest if stays or in_place or abs(rest) < straighten else total
    steps[:, 2] += (wanted - steps[:, 2].sum()) / period
    before = np.concatenate([steps[-1:], steps])
    way = add_up(np.zeros(3), before[: period + 1])[-1]
    if stays or in_place:  # the sum of steps turns as it goes: what is left is taken out evenly
        steps[:, :2] -= way[:2] / period
        way = np.zeros(3)
    # `steps[k]` leads into frame k, as in `Local`: the first comes from the frame before the seam
    into = np.concatenate([steps[-1:], steps[:-1]])
    return Local(turns, points, into, local.stands[start:end], local.moving), way


def _softfade(t: Float, gap: Float, speed: Float, period: int, fps: float) -> Float:
    """(N, D) what is added over a cycle so that its ends meet: half the gap and half the change of speed at either end.

    The gap goes away evenly over the whole cycle. A change of speed must not: kept up over a long cycle it would lead limbs far away, so
    it dies out within `_SPEED_FADE` of either end.
    """
    fade = min(0.5, _SPEED_FADE * fps / period)  # of the cycle
    push = 0.5 * speed * period * fade
    return (0.5 - t[:, None]) * gap + coast(t / fade, push) + coast((1.0 - t) / fade, push)


def _speed_of_turns(turns: Float, frame: int) -> Float:
    """(J, 3) rotation per frame about world-side axes, over two frames on either side."""
    low, high = max(frame - 2, 0), min(frame + 2, len(turns) - 1)
    return R.log(R.multiply(turns[high], R.conjugate(turns[low]))) / max(high - low, 1)


def _speed(values: Float, frame: int) -> Float:
    low, high = max(frame - 2, 0), min(frame + 2, len(values) - 1)
    return (values[high] - values[low]) / max(high - low, 1)


def stand_after(start: Float, way: Float, times: int) -> Float:
    """The stand (x, z, heading) after going `way` so many times."""
    return add_up(start, np.concatenate([np.zeros((1, 3)), np.tile(way, (times, 1))]))[-1]


def _unroll(closed: Local, way: Float, start: Float, times: int, like: Clip) -> Clip:
    """The cycle `times` times in a row."""
    one = add_up(np.zeros(3), closed.steps)
    stands = []
    for number in range(times):
        origin = stand_after(start, way, number)
        sine, cosine = np.sin(origin[2]), np.cos(origin[2])
        x = origin[0] + cosine * one[:, 0] + sine * one[:, 1]
        z = origin[1] - sine * one[:, 0] + cosine * one[:, 1]
        stands.append(np.column_stack([x, z, origin[2] + one[:, 2]]))
    order = np.tile(np.arange(len(closed)), times)
    many = Local(closed.turns[order], closed.points[order], closed.steps[order], closed.stands[order], closed.moving)
    return put_together(many, np.concatenate(stands), like)


def _hold(unrolled: Clip, states: FootPlants, source: Clip, cycle: Cycle) -> tuple[Clip, FootPlants]:
    """The unrolled cycles with planted feet still, each where the foot is on the average and as high as recorded; and the plants held."""
    times = len(unrolled) // len(states)
    feet = find_feet(source.skeleton, source)
    if not feet:
        return unrolled, states
    how = HoldParameters(on_floor="keep")
    world, heights = source.world(np.float64), {}
    for foot in feet:
        stands = states.foot(foot.side).plant
        heel, ball = heights_across(track_foot(world, foot), stands, cycle.start, cycle.end, source.fps)
        heights[foot.side] = np.tile(heel, times), np.tile(ball, times)
    plants = join_plants([states] * times)
    held = hold_feet(unrolled, plants, feet, how, sources=[source], heights=heights, period=len(states))
    middle = times // 2 * len(states)
    recorded = _least_gap(world, feet, slice(cycle.start, cycle.end))
    if _least_gap(held.clip.world(np.float64), feet, slice(middle, middle + len(states))) < recorded - _THROUGH:
        held = adjust(unrolled, unrolled.world(np.float64), held, most=_MOST_MOVE, sources=[source], apart=True).held
    return held.clip, held.plants.cut(middle, middle + len(states))


def _least_gap(world: World, feet: Sequence[Foot], frames: slice) -> float:
    """Metres between both legs below the knees where they come closest, below zero where they run through each other; at most zero."""
    legs = leg_places(world, feet)
    return 0.0 if legs is None else min(float(leg_gaps(legs[frames]).min()), 0.0)
