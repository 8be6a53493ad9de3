"""Plain linear blending, the baseline: equal frames or equal shares of the time, places as recorded, no alignment, no plants.

It makes paths shorter where motions head different ways, mixes planted feet with swinging ones, and flips where headings are opposite;
registration curves are measured against it (Aherne 2005, 6.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reenact.blend.poses import mean_poses, sample_poses
from reenact.blend.timing import Schedule
from reenact.blend.weights import Weights
from reenact.core.clip import Clip
from reenact.core.foot_plants import SIDES, FootContact, FootPlants
from reenact.core.made import Made
from reenact.errors import ParameterError

Pairing = Literal["index", "normalised"]


def schedule_linear(clips: Sequence[Clip], weights: Weights, pairing: Pairing) -> Schedule:
    """Which frames are blended: number by number, as many as the shortest clip has, or share by share, as many as the weighted mean."""
    lengths = np.array([len(clip) for clip in clips])
    if pairing == "index":
        count = int(lengths.min())
        frames = np.repeat(np.arange(count, dtype=np.float64)[:, None], len(clips), axis=1)
    elif pairing == "normalised":
        count = max(int(np.rint(weights.typical() @ (lengths - 1))), 1) + 1
        frames = np.linspace(0, 1, count)[:, None] * (lengths - 1)
    else:
        raise ParameterError(f"pairing must be index or normalised, not {pairing!r}", where="pairing")
    share = np.linspace(0, 1, count) if count > 1 else np.zeros(1)
    used = np.array([weights.at(n / clips[0].fps, float(at)) for n, at in enumerate(share)])
    return Schedule(share, frames, used)


def blend_linearly(
    clips: Sequence[Clip], weights: Weights, pairing: Pairing, plants: Sequence[FootPlants | None] = ()
) -> Made:
    """The linear blend of clips of one skeleton and rate.

    Args:
        clips: the motions.
        weights: of them.
        pairing: which frames belong together.
        plants: of the clips; the result's are those of all motions that have weight.
    """
    schedule = schedule_linear(clips, weights, pairing)
    poses = sample_poses(clips, schedule.frames)
    mean = mean_poses(poses, schedule.weights)
    clip = mean.as_clip(clips[0], "+".join(clip.name for clip in clips))
    report = {"opposed": mean.turned.opposed(clips[0].skeleton.names)}
    known = [own for own in plants if own is not None]
    return Made(clip, report, _common_plants(known, schedule) if known and len(known) == len(clips) else None)


def _common_plants(plants: Sequence[FootPlants], schedule: Schedule) -> FootPlants:
    """Planted where every motion that has weight is."""
    free = schedule.weights == 0
    feet = []
    for side in SIDES:
        masks = []
        for name in ("heel", "ball"):
            states = [
                getattr(own.foot(side), name)[np.clip(np.rint(schedule.frames[:, motion]).astype(int), 0, len(own) - 1)]
                for motion, own in enumerate(plants)
            ]
            masks.append(np.all(np.column_stack(states) | free, axis=1))
        feet.append(FootContact(*masks))
    return FootPlants(feet[0], feet[1], plants[0].fps, plants[0].floor, "carried")
