"""Markers for planted feet, exported as extra joints, so that other programs can hold the feet by their own inverse kinematics.

Each plant has a ground marker that stands still, each foot an ankle marker that follows its ankle as it would go without any plant; the
weight of a ground marker is 1 during its plant and rises and falls smoothly beside it. Where the ankle should be is
(1 - weight) x ankle marker + weight x ground marker.

In a file every marker is a joint below a new root, "scene", that stands at the origin; `plant_L_03_weight` lies as many metres above
`plant_L_03` as its weight says, because files of motion hold nothing but places and turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, JointTranslations
from reenact.core.foot_plants import intervals_of
from reenact.core.ramps import rise
from reenact.core.skeleton import IDENTITY, Skeleton
from reenact.errors import SkeletonError
from reenact.solve.feet import FootTrack
from reenact.solve.holding import FootHold

SCENE = "scene"
"""Name of the root above body and markers."""

WEIGHT_RAMP = 0.13
"""Seconds in which a weight rises before a plant and falls after it."""


@dataclass(frozen=True, slots=True, eq=False)
class GroundMarker:
    """Where the ankle of one plant belongs.

    Attributes:
        name: such as "plant_L_03": the foot, and the number of its plant.
        foot: "left" or "right".
        start, end: half-open range of planted frames.
        place: (3,) float64 metres: the mean of the ankle's places in those frames.
        heading: radians about the vertical, of the foot in the middle of the plant; 0 points along +Z.
        weight: (F,) float64 0..1.
    """

    name: str
    foot: str
    start: int
    end: int
    place: Float
    heading: float
    weight: Float


@dataclass(frozen=True, slots=True, eq=False)
class AnkleMarker:
    """The way of an ankle that nothing holds.

    Attributes:
        name: "ankle_L" or "ankle_R".
        foot: "left" or "right".
        path: (F, 3) float64 metres.
    """

    name: str
    foot: str
    path: Float


@dataclass(frozen=True, slots=True, eq=False)
class Markers:
    """All markers of a motion."""

    ground: tuple[GroundMarker, ...]
    ankles: tuple[AnkleMarker, ...]


def place_markers(holds: Sequence[FootHold], fps: float, ramp: float = WEIGHT_RAMP) -> Markers:
    """Markers of a motion.

    Args:
        holds: the feet, their ways before they were held, and when they are planted.
        fps: frames per second.
        ramp: seconds.
    """
    ground, ankles = [], []
    for hold in holds:
        letter = hold.foot.side[0].upper()
        track = hold.track
        ankles.append(AnkleMarker(f"ankle_{letter}", hold.foot.side, track.ankle))
        for number, (start, end) in enumerate(intervals_of(hold.planted)):
            name, place = f"plant_{letter}_{number:02d}", track.ankle[start:end].mean(axis=0)
            heading = _foot_heading(track, hold, (start + end - 1) // 2)
            weight = weight_curve(start, end, len(track), fps, ramp)
            ground.append(GroundMarker(name, hold.foot.side, start, end, place, heading, weight))
    return Markers(tuple(ground), tuple(ankles))


def weight_curve(start: int, end: int, frames: int, fps: float, ramp: float = WEIGHT_RAMP) -> Float:
    """(F,) 1 in frames [start, end), falling to 0 within `ramp` seconds on either side without a jump in value or slope."""
    frame = np.arange(frames)
    away = np.maximum(np.maximum(start - frame, frame - (end - 1)), 0) / fps
    return 1.0 - rise(away / ramp, "cubic")


def _foot_heading(track: FootTrack, hold: FootHold, frame: int) -> float:
    """Where the foot points in a frame: from heel to ball, else from knee to ankle turned flat."""
    way = track.ball[frame] - track.heel[frame]
    if hold.foot.single or np.hypot(way[0], way[2]) < 1e-6:
        way = R.rotate(track.foot[frame], np.array([0.0, 0.0, 1.0]))
    return float(np.arctan2(way[0], way[2]))


def add_markers(clip: Clip, holds: Sequence[FootHold]) -> tuple[Clip, list[dict[str, Any]]]:
    """The clip with a joint for every marker, and what there is to know about the markers as plain values.

    Args:
        clip: the motion that gets the markers.
        holds: the feet, their ways before they were held, and when they are planted.

    Raises:
        SkeletonError: the skeleton has a joint of such a name already.
    """
    markers = place_markers(holds, clip.fps)
    told = [
        {
            "name": marker.name,
            "foot": marker.foot,
            "start": marker.start,
            "end": marker.end,
            "place": [round(float(number), 5) for number in marker.place],
            "heading_degrees": round(float(np.degrees(marker.heading)), 2),
        }
        for marker in markers.ground
    ]
    return attach_markers(clip, markers), told


def attach_markers(clip: Clip, markers: Markers) -> Clip:
    """The clip on a skeleton that holds body and markers below one root that stands still."""
    body, count = clip.skeleton, len(clip)
    names = [SCENE, *body.names]
    taken = set(names[1:]) & {SCENE, *_marker_names(markers)}
    if taken:
        raise SkeletonError(f"the skeleton has a joint {sorted(taken)[0]!r} already; markers need that name")
    parents = [-1, 0, *(int(parent) + 1 for parent in body.parents[1:])]
    offsets = [np.zeros(3), *body.offsets]
    turns = [np.tile(IDENTITY, (count, 1)), *(clip.rotations[:, joint] for joint in range(len(body)))]
    moved: dict[int, Float] = {1: clip.root}
    if clip.translations is not None:
        moved |= {int(joint) + 1: clip.translations.values[:, n] for n, joint in enumerate(clip.translations.joints)}
    for marker in markers.ground:
        names += [marker.name, f"{marker.name}_weight"]
        parents += [0, len(names) - 2]
        offsets += [marker.place, np.zeros(3)]
        turns += [np.tile(R.about_y(marker.heading), (count, 1)), np.tile(IDENTITY, (count, 1))]
        moved[len(names) - 1] = marker.weight[:, None] * np.array([0.0, 1.0, 0.0])
    for marker in markers.ankles:
        names.append(marker.name)
        parents.append(0)
        offsets.append(marker.path[0])
        turns.append(np.tile(IDENTITY, (count, 1)))
        moved[len(names) - 1] = marker.path
    rest = np.tile(IDENTITY, (len(names), 1))
    rest[1 : len(body) + 1] = body.rest
    skeleton = Skeleton(
        tuple(names),
        np.array(parents, np.int32),
        np.array(offsets),
        rest,
        body.end_joints + 1,
        body.end_offsets,
        {role: joint + 1 for role, joint in body.roles.items()},
    )
    joints = sorted(moved)
    values = np.stack([moved[joint] for joint in joints], axis=1)
    return replace(
        clip,
        skeleton=skeleton,
        rotations=np.stack(turns, axis=1).astype(np.float32),
        root=np.zeros((count, 3), np.float32),
        translations=JointTranslations(np.array(joints, np.int32), values.astype(np.float32)),
        origin=replace(clip.origin, channels=(), adds_offset=False, added_pose=None, acclaim=()),
    )


def _marker_names(markers: Markers) -> list[str]:
    ground = [name for marker in markers.ground for name in (marker.name, f"{marker.name}_weight")]
    return ground + [marker.name for marker in markers.ankles]
