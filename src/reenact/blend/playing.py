"""Playing a registration curve: the blended motion along it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from reenact.blend.blended_plants import blend_plants
from reenact.blend.grounding import ground
from reenact.blend.poses import mean_poses, sample_poses
from reenact.blend.registration_curve import RegistrationCurve
from reenact.blend.stilling import still_twitches
from reenact.blend.timing import Schedule, Timing, find_key_times, schedule_blend, schedule_cells
from reenact.blend.travel import chain, keep_pace, travel
from reenact.blend.weights import Weights
from reenact.core.arrays import Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants

Path = Literal["incremental", "reference"]
PATHS = ("incremental", "reference")


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """A blend along a registration curve.

    Attributes:
        clip: the motion; nothing holds its feet yet.
        plants: carried from the motions; None when they are not known.
        schedule: where its frames lie.
        placements: (N, k, 3) turn, x, z that take each motion as recorded to where it lies in the blend.
        opposed: joints whose inputs are nearly half a turn apart, see `MeanRotations.opposed`.
    """

    clip: Clip
    plants: FootPlants | None
    schedule: Schedule
    placements: Float64
    opposed: list[dict[str, object]]


def schedule_curve(curve: RegistrationCurve, weights: Weights, timing: Timing, fps: float) -> Schedule:
    """Where the frames of a blend lie on the curve.

    Args:
        curve: the motions.
        weights: of them.
        timing: "blended" (A11 of the registration specification), "path_cells", or "keytimes".
        fps: frames per second of the result.
    """
    if timing == "path_cells":
        u = (curve.frames - curve.frames[0]).mean(axis=1)
        return schedule_cells(curve.frames, u, weights, fps)
    if timing == "keytimes":
        keys = find_key_times(curve.plants, [len(clip) for clip in curve.clips])
        found = schedule_blend(keys, weights, fps)
        own = np.column_stack([curve.warp.inverse(j, found.frames[:, j]) for j in range(curve.motions)])
        u = np.maximum.accumulate(np.einsum("nk,nk->n", own, found.weights))
        return Schedule(np.clip(u, 0.0, curve.length), found.frames, found.weights, found.rate)
    return schedule_blend(curve.warp, weights, fps)


def play(curve: RegistrationCurve, schedule: Schedule, path: Path, fps: float, *, refined: bool = True) -> Played:
    """The blended motion.

    Args:
        curve: the motions, with matched plants.
        schedule: where its frames lie.
        path: "incremental": what the motions do over the floor is averaged step by step; "reference": the reference's path (Aherne 2005).
        fps: frames per second of the result.
        refined: leave the twitches of recordings out of what is mixed (`stilling`), keep the lowest foot as high as the motions' lowest
            feet are on average (`grounding.ground`), the pace what theirs is (`travel.keep_pace`), and
            let stand what stands in every motion (`blended_plants`).
    """
    aligned = curve.alignment.placements_at(schedule.u)
    calm, recorded = list(curve.clips), sample_poses(curve.clips, schedule.frames)
    if refined and schedule.mixed.any():
        calm = [still_twitches(clip) for clip in curve.clips]
        recorded = recorded.where(~schedule.mixed, sample_poses(calm, schedule.frames, calm=True))
    poses = recorded.placed(aligned)
    mean = mean_poses(poses, schedule.weights)
    whole = np.zeros((len(schedule), 3))
    if path == "incremental":
        whole = travel(aligned, poses.roots[..., [0, 2]], schedule.weights)
    name = "+".join(clip.name for clip in curve.clips)
    clip = mean.as_clip(curve.clips[0], name, whole, fps)
    shift = np.zeros((len(schedule), 2))
    if refined:
        clip = ground(clip, calm, schedule)
    if refined and path == "incremental":
        way = clip.root[:, [0, 2]].astype(np.float64)
        shift = keep_pace(way, recorded.roots[..., [0, 2]], schedule.weights, fps) - way
        clip = replace(clip, root=(clip.root + np.insert(shift, 1, 0.0, axis=1)).astype(np.float32))
    plants = blend_plants(curve.matches, curve.plants, schedule, fps, matched_only=not refined)
    placements = chain(whole[:, None], aligned)
    placements[..., 1:] += shift[:, None]
    return Played(clip, plants, schedule, placements, mean.turned.opposed(clip.skeleton.names))
