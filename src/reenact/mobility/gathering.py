"""A pose database made of clips: one skeleton, one rate, foot plants carried over, mirror images where they are wanted (A0)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.analysis.carried_plants import fit_plants, known_plants, one_for_each
from reenact.analysis.plants import require_detector
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.correspondence import match_joints
from reenact.core.foot_plants import SIDES, FootPlants
from reenact.core.heading import HeadingParameters
from reenact.core.mirror import mirror
from reenact.core.parameters import check_ranges, option
from reenact.core.placement import factor_root
from reenact.core.progress import tell
from reenact.core.resample import ResampleParameters, resample
from reenact.errors import ParameterError, Remedy, SkeletonError
from reenact.mobility.labels import find_labels
from reenact.mobility.level_clips import MOST, share_off_level
from reenact.mobility.pose_database import PoseDatabase, join_databases, turn_rates_of
from reenact.solve.bringing import put_on_skeleton

LEAST_POSES = 3
"""A clip with fewer has no pose that can be left as well as entered."""


@dataclass(frozen=True, slots=True)
class GatheringParameters:
    """How clips become poses."""

    fps: float = option(30.0, "poses per second", unit="Hz", low=5, high=240)
    mirrored: bool = option(True, "also take every clip with left and right exchanged")
    map: bool = option(False, "bring clips with other joints onto the skeleton of the first")
    heading_smoothing: float = option(
        0.0, "width (sigma) of the low-pass over the heading; 0.2 takes the sway of the gait out of it", unit="s", low=0
    )
    uneven: bool = option(False, "also take clips that leave their floor: steps, slopes, climbing")
    detector: str = option("adaptive", "how foot plants are found that are not given", hidden=True)

    def __post_init__(self) -> None:
        check_ranges(self)
        require_detector(self.detector)


def build_pose_database(
    clips: Sequence[Clip],
    parameters: GatheringParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> PoseDatabase:
    """The poses of clips on the skeleton of the first, originals in front and mirror images behind.

    Clips of other lengths of bones are mapped onto the first's skeleton; clips with other joints only where `map` asks for it. Clips of
    less than three poses are left out, and clips that leave their floor (`uneven` takes them, too).

    Raises:
        SkeletonError: the joints differ; the message offers to map them.
        ParameterError: no clip of three poses or more that stays on its floor.
    """
    parameters = parameters or GatheringParameters()
    if not clips:
        raise ParameterError("a pose database needs at least one clip, there is none")
    check_joints(clips, mapped=parameters.map)
    given = one_for_each(plants, clips)
    like = clips[0]
    like_plants = None
    if any(not clip.same_body(like) for clip in clips):
        like_plants = known_plants(like, given[0], detector=parameters.detector)
    made: list[PoseDatabase] = []
    left_out: list[str] = []
    mirror_images: list[PoseDatabase] = []
    for number, (clip, own) in enumerate(zip(clips, given, strict=True)):
        tell(number / len(clips), "gathering poses")
        if _poses_of(clip, parameters.fps) < LEAST_POSES:
            continue
        brought, known = _bring(clip, own, like, like_plants, parameters)
        if not parameters.uneven and share_off_level(brought, known) > MOST:
            left_out.append(clip.name)
            continue
        made.append(_factor(brought, known, parameters, mirrored=False))
        if parameters.mirrored:
            other = None if known is None else known.mirrored()
            mirror_images.append(_factor(mirror(brought.with_plants(None)), other, parameters, mirrored=True))
    if not made and left_out:
        raise ParameterError(
            f"no clip stays on its floor ({', '.join(left_out[:5])}); a mobility map knows only level ground: "
            "uneven takes them all the same",
            where="uneven",
        )
    if not made:
        raise ParameterError(
            f"no clip has {LEAST_POSES} poses at {parameters.fps:g} Hz: a pose must have one before and one after it"
        )
    return join_databases([*made, *mirror_images])


def check_joints(clips: Sequence[Clip], *, mapped: bool) -> None:
    """Raise an error that names the first clip which cannot stand in one database with the first, and says what could be done."""
    for clip in clips[1:]:
        if clips[0].skeleton.same_tree(clip.skeleton):
            continue
        found = match_joints(clip.skeleton, clips[0].skeleton)
        if mapped and found.possible:
            continue
        raise SkeletonError(
            f"its skeleton differs from that of {clips[0].name!r} ({clips[0].skeleton.difference(clip.skeleton)}); {found.offer()}",
            where=clip.name,
            remedies=[Remedy(f"bring it onto the skeleton of {clips[0].name}", {"map": True})]
            if found.possible
            else [],
        )


def _poses_of(clip: Clip, fps: float) -> int:
    return 0 if len(clip) == 0 else int((len(clip) - 1) * fps / clip.fps + 1e-9) + 1


def _bring(
    clip: Clip, plants: FootPlants | None, like: Clip, like_plants: FootPlants | None, parameters: GatheringParameters
) -> tuple[Clip, FootPlants | None]:
    """A clip at the database's rate on its skeleton, with its plants."""
    known = known_plants(clip, plants, detector=parameters.detector)
    slow = resample(clip.with_plants(None), ResampleParameters(fps=parameters.fps, method="smooth"))
    known = fit_plants(known, clip.fps, slow)
    brought = put_on_skeleton(slow, like, known, like_plants)
    return brought.clip, brought.plants


def _factor(clip: Clip, plants: FootPlants | None, parameters: GatheringParameters, *, mirrored: bool) -> PoseDatabase:
    """The poses of one clip."""
    motion = factor_root(clip, HeadingParameters(smoothing=parameters.heading_smoothing))
    rotations = R.make_continuous(clip.rotations.astype(np.float64))
    rates = turn_rates_of(rotations, clip.fps)
    rotations[:, 0] = R.make_continuous(motion.tilts)
    positions = motion.positions.copy()
    if plants is not None:
        positions[:, 1] -= plants.floor.height
    velocities = np.zeros((len(clip), 3))
    velocities[:, [0, 2]] = motion.increments[:, :2] * clip.fps
    velocities[1:, 1] = np.diff(motion.positions[:, 1]) * clip.fps
    velocities[0, 1] = velocities[1, 1]
    contacts = np.zeros((len(clip), 4), np.bool_)
    if plants is not None:
        feet = [plants.foot(side) for side in SIDES]
        contacts[:] = np.column_stack([points for foot in feet for points in (foot.heel, foot.ball)])
    return PoseDatabase(
        clip.skeleton,
        rotations.astype(np.float32),
        positions.astype(np.float32),
        motion.increments.astype(np.float32),
        velocities.astype(np.float32),
        rates.astype(np.float32),
        contacts,
        find_labels(clip, plants, motion.increments),
        np.array([0, len(clip)]),
        (clip.name,),
        np.array([mirrored]),
        clip.fps,
    )
