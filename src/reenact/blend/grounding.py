"""Keeping a blend on the floor: its lowest foot is as high as the motions' lowest feet are on average.

The mean of a bent leg and a straight one is not as long as the mean of both, so a body made of mean joint angles at the mean height of the
hips stands in the floor or floats over it. The difference is known at every frame, and the body is raised or lowered by it, smoothly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reenact.blend.alignment_curve import between
from reenact.blend.timing import Schedule
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.smoothing import smooth
from reenact.solve.feet import Foot, find_feet, track_foot

_SMOOTH = 0.05  # seconds, width of the low-pass over what the body is raised by


def ground(clip: Clip, sources: Sequence[Clip], schedule: Schedule) -> Clip:
    """The blend raised or lowered so that its lowest foot is where those of its sources are on average.

    Args:
        clip: the blend.
        sources: the motions, on one floor.
        schedule: where the frames of the blend lie; frames that are one motion's alone do not change.
    """
    feet = find_feet(clip.skeleton, *sources)
    if not feet or len(clip) < 2:
        return clip
    wanted = np.column_stack(
        [between(lowest_points(source, feet), schedule.frames[:, motion]) for motion, source in enumerate(sources)]
    )
    raised = np.einsum("nk,nk->n", wanted, schedule.weights) - lowest_points(clip, feet)
    raised = smooth(raised, _SMOOTH * clip.fps) * schedule.mixed
    root = clip.root.astype(np.float64)
    root[:, 1] += raised
    return replace(clip, root=root.astype(np.float32))


def lowest_points(clip: Clip, feet: Sequence[Foot]) -> Float64:
    """(F,) metres, height of the lowest heel or ball point."""
    world = clip.world(np.float64)
    tracks = [track_foot(world, foot) for foot in feet]
    return np.min([path[:, 1] for track in tracks for path in (track.heel, track.ball)], axis=0)


def stand_heights(
    sources: Sequence[Clip], schedule: Schedule, plants: FootPlants | None
) -> dict[str, tuple[Float64, Float64]]:
    """Side -> (N,) metres, how high heel and ball are in the motions on the average, at the frames of a blend.

    Where only one of the two is planted, the other is where the mean pitch of the motions puts it: the mean of a foot that stands on its
    toes and of one that is flat is not half as steep as the first in its heights.

    Args:
        sources: the motions, on one skeleton and one floor.
        schedule: where the frames of the blend lie.
        plants: of the blend, where they are known.
    """
    found: dict[str, tuple[Float64, Float64]] = {}
    for foot in find_feet(sources[0].skeleton, *sources):
        tracks = [track_foot(source.world(np.float64), foot) for source in sources]
        ways = [track.ball - track.heel for track in tracks]
        steep = [np.arctan2(way[:, 1], np.maximum(np.hypot(way[:, 0], way[:, 2]), 1e-9)) for way in ways]
        long = [np.linalg.norm(way, axis=1) for way in ways]
        heel, ball, pitch, length = (
            np.einsum("nk,nk->n", _at_frames(values, schedule.frames), schedule.weights)
            for values in ([t.heel[:, 1] for t in tracks], [t.ball[:, 1] for t in tracks], steep, long)
        )
        if plants is not None and not foot.single:
            contact, higher = plants.foot(foot.side), length * np.sin(pitch)
            heel, ball = (
                np.where(contact.ball & ~contact.heel, ball - higher, heel),
                np.where(contact.heel & ~contact.ball, heel + higher, ball),
            )
        found[foot.side] = (heel, ball)
    return found


def _at_frames(values: Sequence[Float], frames: Float64) -> Float64:
    """(N, k) one series of values (F,) for each motion, at its frames (N, k)."""
    return np.column_stack([between(own, frames[:, n]) for n, own in enumerate(values)])
