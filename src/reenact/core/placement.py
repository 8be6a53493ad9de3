"""Where a body stands on the floor, motion relative to that, and moving whole clips (mobility specification A1, M3 to M6).

A placement is a point on the floor and a heading. The point is the hips' (by role, else the root's), so it also carries clips whose
root joint stands still. Root-relative motion stores each pose as a planar step from the pose before, in that pose's facing frame; the
height and the tilt of the root stay absolute, so a trajectory rebuilt over thousands of jumps does not drift. The thesis' own form
(equations 3.3 to 3.6, corrected) integrates the full root transform and is kept as `form="literal"`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.heading import (
    HeadingParameters,
    Headings,
    factor_heading,
    find_headings,
    headings,
    wrap,
)
from reenact.core.parameters import check_ranges, option
from reenact.core.rotations import about_y, conjugate, multiply, normalize, rotate, to_matrix
from reenact.errors import ParameterError

__all__ = [
    "HeadingParameters",
    "Headings",
    "LiteralMotion",
    "MoveParameters",
    "Placement",
    "RootMotion",
    "advance",
    "factor_heading",
    "factor_root",
    "factor_root_literally",
    "find_headings",
    "headings",
    "move",
    "move_rigidly",
    "place_at",
    "placement_of",
    "replay",
    "replay_clip",
    "replay_literally",
    "root_increments",
]


class Placement(NamedTuple):
    """A stand on the floor: `position` (x, z) in metres and `heading` in radians."""

    position: tuple[float, float] = (0.0, 0.0)
    heading: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class RootMotion:
    """A clip's root motion without the place and direction it was recorded in.

    Attributes:
        increments: (F, 3) float64 (dx, dz, dheading): the step from the pose before, dx and dz in metres to the left and forward in that
            pose's facing frame. The first is a copy of the second; entering pose i from anywhere applies `increments[i]`.
        positions: (F, 3) float64 metres, the root joint seen from the placement: y is its height; x and z are 0 where the root is the hips.
        tilts: (F, 4) float64, root orientations without heading.
        start: placement of the first frame as recorded.
        headings: headings as recorded, with frames that have none marked.
    """

    increments: Float
    positions: Float
    tilts: Float
    start: Placement
    headings: Headings


def _floor_points(clip: Clip) -> Float:
    """(F, 3) world positions of the joint that carries the body."""
    hips = clip.skeleton.roles.get("hips", 0)
    return clip.root.astype(np.float64) if hips == 0 else clip.world(np.float64).positions[:, hips]


def placement_of(clip: Clip, frame: int = 0, parameters: HeadingParameters | None = None) -> Placement:
    """Where the body stands and faces in a frame (negative counts from the end); heading in -pi..pi."""
    frame = _frame(clip, frame)
    parameters = parameters or HeadingParameters()
    moved = clip.translations
    one = replace(
        clip,
        rotations=clip.rotations[frame : frame + 1],
        root=clip.root[frame : frame + 1],
        translations=None if moved is None else moved[frame : frame + 1],
    )
    found = find_headings(one, HeadingParameters(flattest=parameters.flattest))
    angle = found.angles[0]
    if parameters.smoothing > 0 or not found.defined[0]:
        angle = find_headings(clip, parameters).angles[frame]
    x, _, z = _floor_points(one)[0]
    return Placement((float(x), float(z)), float(wrap(angle)))


def _frame(clip: Clip, frame: int) -> int:
    if not -len(clip) <= frame < len(clip):
        raise ParameterError(f"no frame {frame}; the clip has frames 0 to {len(clip) - 1}", where=clip.name)
    return frame % len(clip)


@dataclass(frozen=True, slots=True)
class MoveParameters:
    """A rigid move of the whole motion: a turn about a vertical axis, then a shift."""

    x: float = option(0.0, "shift along x", unit="m", low=-1e6, high=1e6)
    y: float = option(0.0, "shift upwards", unit="m", low=-1e6, high=1e6)
    z: float = option(0.0, "shift along z", unit="m", low=-1e6, high=1e6)
    turn: float = option(0.0, "turn, counter-clockwise seen from above", unit="rad")
    about: Literal["start", "origin"] = option(
        "start", "the turn's axis: where the body stands in the first frame, or the origin"
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.about not in ("start", "origin"):
            raise ParameterError(f"about must be start or origin, not {self.about!r}", where="about")


def move(clip: Clip, parameters: MoveParameters) -> Clip:
    """The clip turned and shifted as a whole."""
    about = _floor_points(clip)[0][[0, 2]] if parameters.about == "start" else (0.0, 0.0)
    return move_rigidly(clip, (parameters.x, parameters.y, parameters.z), parameters.turn, about)


def move_rigidly(
    clip: Clip, translation: ArrayLike = (0, 0, 0), heading: float = 0.0, about: ArrayLike = (0, 0)
) -> Clip:
    """The clip turned by `heading` radians about the vertical axis through `about` (x, z), then shifted by `translation` (x, y, z)."""
    centre, shift = _vector(about, 2, "about"), _vector(translation, 3, "translation")
    axis = np.array([centre[0], 0.0, centre[1]])
    turn = about_y(heading)
    root = rotate(turn, clip.root.astype(np.float64) - axis) + axis + shift
    rotations = clip.rotations.copy()
    rotations[:, 0] = normalize(multiply(turn, clip.rotations[:, 0].astype(np.float64)))
    moved = replace(clip, rotations=rotations, root=root.astype(np.float32))
    if clip.plants is None:
        return moved
    turned = to_matrix(turn)
    return moved.with_plants(clip.plants.on_floor(clip.plants.floor.moved(turned, axis - turned @ axis + shift)))


def place_at(clip: Clip, position: ArrayLike, heading: float, frame: int = 0) -> Clip:
    """The clip moved as a whole so that in `frame` the body stands at `position` (x, z) and faces `heading`; heights do not change."""
    target = _vector(position, 2, "position")
    here = placement_of(clip, frame)
    shift = target - here.position
    return move_rigidly(clip, (shift[0], 0.0, shift[1]), heading - here.heading, here.position)


def _vector(values: ArrayLike, count: int, what: str) -> Float:
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (count,) or not np.all(np.isfinite(vector)):
        axes = "(x, z)" if count == 2 else "(x, y, z)"
        raise ParameterError(f"{what} must be {count} finite numbers {axes}, not {values!r}", where=what)
    return vector


def factor_root(clip: Clip, parameters: HeadingParameters | None = None) -> RootMotion:
    """Root-relative motion in the planar form."""
    found, tilts = factor_heading(clip, parameters)
    points, angles = _floor_points(clip), found.angles
    away = about_y(-angles)
    floor = points * (1.0, 0.0, 1.0)
    positions = rotate(away, clip.root.astype(np.float64) - floor)
    increments = np.zeros((len(clip), 3))
    if len(clip) > 1:
        steps = rotate(away[:-1], np.diff(floor, axis=0))
        increments[1:] = np.column_stack([steps[:, 0], steps[:, 2], wrap(np.diff(angles))])
        increments[0] = increments[1]
    start = Placement((float(points[0, 0]), float(points[0, 2])), float(wrap(angles[0])))
    return RootMotion(increments, positions, tilts, start, found)


def root_increments(clip: Clip, parameters: HeadingParameters | None = None) -> Float:
    """(F, 3) planar steps (dx, dz, dheading), see `RootMotion.increments`."""
    return factor_root(clip, parameters).increments


def advance(placement: Placement, increment: ArrayLike) -> Placement:
    """The placement after one step (dx, dz, dheading): the product in SE(2)."""
    dx, dz, turn = (float(number) for number in np.asarray(increment, dtype=np.float64))
    sine, cosine = np.sin(placement.heading), np.cos(placement.heading)
    x, z = placement.position
    return Placement((float(x + cosine * dx + sine * dz), float(z - sine * dx + cosine * dz)), placement.heading + turn)


def replay(increments: ArrayLike, heights: ArrayLike, tilts: ArrayLike, placement: Placement) -> tuple[Float, Float]:
    """World root trajectory of poses played one after the other; the first stands at `placement`.

    Any row order will do: picking rows of `RootMotion` arrays plays jumps from clip to clip.

    Args:
        increments: (F, 3) planar steps; the first is not applied.
        heights: (F,) root heights, or (F, 3) root positions seen from the placement (`RootMotion.positions`).
        tilts: (F, 4) root orientations without heading.
        placement: stand of the first pose.

    Returns:
        root positions (F, 3) and root orientations (F, 4), float64.
    """
    steps, local = np.array(increments, dtype=np.float64), np.asarray(heights, dtype=np.float64)
    if local.ndim == 1:
        local = np.stack([np.zeros_like(local), local, np.zeros_like(local)], axis=1)
    angles = placement.heading + np.cumsum(np.concatenate([np.zeros(min(1, len(steps))), steps[1:, 2]]))
    floor = np.zeros((len(steps), 3))
    if len(steps):
        floor[0] = (placement.position[0], 0.0, placement.position[1])
        flat = np.stack([steps[1:, 0], np.zeros(len(steps) - 1), steps[1:, 1]], axis=1)
        floor[1:] = rotate(about_y(angles[:-1]), flat)
    turn = about_y(angles)
    return np.cumsum(floor, axis=0) + rotate(turn, local), multiply(turn, np.asarray(tilts, dtype=np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class LiteralMotion:
    """The thesis' stored quantities: each pose's full root transform relative to the pose before.

    Attributes:
        tilts: (F, 4) yaw-free orientations (3.2).
        turns: (F, 4) rotations since the pose before, in its frame (3.3); the first is a copy of the second.
        steps: (F, 3) metres, moves since the pose before, in its frame (3.4, corrected); the first is a copy of the second.
        heights: (F,) metres, only used where a replay starts.
    """

    tilts: Float
    turns: Float
    steps: Float
    heights: Float


def factor_root_literally(clip: Clip, parameters: HeadingParameters | None = None) -> LiteralMotion:
    """Root-relative motion by equations 3.2 to 3.4, with 3.4 corrected to the orientation of the pose before."""
    _, tilts = factor_heading(clip, parameters)
    rotations, root = clip.rotations[:, 0].astype(np.float64), clip.root.astype(np.float64)
    turns, steps = np.tile((1.0, 0.0, 0.0, 0.0), (len(clip), 1)), np.zeros((len(clip), 3))
    if len(clip) > 1:
        back = conjugate(rotations[:-1])
        turns[1:], steps[1:] = multiply(back, rotations[1:]), rotate(back, np.diff(root, axis=0))
        turns[0], steps[0] = turns[1], steps[1]
    return LiteralMotion(tilts, turns, steps, root[:, 1].copy())


def replay_literally(motion: LiteralMotion, frames: Sequence[int], placement: Placement) -> tuple[Float, Float]:
    """World root trajectory by equations 3.5 and 3.6 (corrected order): positions (F, 3) and orientations (F, 4).

    Orientation takes tilt from the stored pose and yaw from the character; the position integrates all three axes, so over jumps the
    height wanders, as in the thesis.
    """
    root, rotations = np.empty((len(frames), 3)), np.empty((len(frames), 4))
    yaw = placement.heading
    for k, frame in enumerate(frames):
        if k == 0:
            root[0] = (placement.position[0], motion.heights[frame], placement.position[1])
            rotations[0] = multiply(about_y(yaw), motion.tilts[frame])
            continue
        root[k] = root[k - 1] + rotate(rotations[k - 1], motion.steps[frame])
        pose = max(
            frame, min(1, len(motion.tilts) - 1)
        )  # a first pose has none before it: it is entered like the second
        before = multiply(about_y(yaw), motion.tilts[max(pose - 1, 0)])
        turned = multiply(before, motion.turns[pose])
        rest = multiply(turned, conjugate(motion.tilts[pose]))
        yaw = 2 * np.arctan2(rest[2], rest[0])
        rotations[k] = normalize(turned if pose == frame else multiply(about_y(yaw), motion.tilts[frame]))
    return root, rotations


def replay_clip(
    clip: Clip,
    placement: Placement,
    frames: Sequence[int] | None = None,
    *,
    form: Literal["planar", "literal"] = "planar",
    parameters: HeadingParameters | None = None,
) -> Clip:
    """The clip's frames (all, or those listed, in that order) rebuilt from root-relative motion, the first standing at `placement`."""
    order = (
        np.arange(len(clip)) if frames is None else np.array([_frame(clip, int(frame)) for frame in frames], dtype=int)
    )
    if form == "planar":
        motion = factor_root(clip, parameters)
        root, turned = replay(motion.increments[order], motion.positions[order], motion.tilts[order], placement)
    elif form == "literal":
        root, turned = replay_literally(factor_root_literally(clip, parameters), order.tolist(), placement)
    else:
        raise ParameterError(f"form must be planar or literal, not {form!r}", where="form")
    rotations = clip.rotations[order].copy()
    rotations[:, 0] = turned
    moved = clip.translations
    return replace(
        clip, rotations=rotations, root=root.astype(np.float32), translations=None if moved is None else moved[order]
    )
