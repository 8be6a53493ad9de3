"""A clip made ready for drawing: where its points are, how its body looks, where it goes and where its floor is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reenact.body.character import Character
from reenact.core.arrays import Float, Int32
from reenact.core.clip import Clip, World
from reenact.core.made import Made, clip_of
from reenact.errors import ParameterError
from reenact.render.figure import Figure, build_figure
from reenact.render.people import FigureKind, shown_as
from reenact.render.sides import joint_sides

_MEASURED = 48  # frames on which a body is measured


@dataclass(frozen=True, slots=True, eq=False)
class Foot:
    """A point that touches the floor: a foot, a paw, a hand of someone who crawls."""

    point: int
    side: int


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """One clip to draw.

    Attributes:
        clip: the motion.
        world: joints in the world.
        points: (F, P, 3) float32 metres, joints then end sites.
        figure: the body.
        centre: (F, 3) the point that carries the body.
        floor: height of the ground in metres.
        feet: points whose traces are drawn.
        person: who is shown instead of the bones.
    """

    clip: Clip
    world: World
    points: Float
    figure: Figure
    centre: Float
    floor: float
    feet: tuple[Foot, ...]
    person: Character | None = None

    def facing(self, frame: int | None = None) -> float:
        """Heading in radians of the body, 0 = +Z: in a frame, or on average; the first frame's when it turns all around."""
        flanks = self.figure.flanks
        if not len(flanks):
            return 0.0
        right_shoulder, left_shoulder, right_hip, left_hip = np.moveaxis(self.points[:, flanks[0]], 1, 0)
        across = (right_hip - left_hip) + 0.5 * (right_shoulder - left_shoulder)
        turned = -across[:, 0] + 1j * across[:, 2]  # up x across, as a number whose angle is the heading
        unit = turned / np.maximum(np.abs(turned), 1e-9)
        if frame is not None:
            return float(np.angle(unit[frame]))
        mean = unit.mean()
        return float(np.angle(mean if abs(mean) > 0.5 else unit[0]))

    def travel(self) -> tuple[float, float, float]:
        """(heading in radians of the way from start to end, its length, length of the path) of the centre over the ground, metres."""
        level = self.centre[:, [0, 2]].astype(np.float64)
        net = level[-1] - level[0]
        step = max(1, round(self.clip.fps / 10))  # a tenth of a second: the sway within a step is no path
        path = float(np.linalg.norm(np.diff(level[::step], axis=0), axis=1).sum())
        length = float(np.hypot(*net))
        return math.atan2(net[0], net[1]), length, max(path, length)

    def direction(self) -> float:
        """Heading in radians that views are taken from: where it goes, or where it faces when it stays."""
        heading, length, path = self.travel()
        return heading if length > 1.0 * self.figure.size and length > 0.5 * path else self.facing()


def prepare(given: Clip | Made, floor: float | None = None, shown: FigureKind = "sticks") -> Subject:
    """Measure a clip for drawing.

    Args:
        given: the motion, every number in it finite; what was made with a character can be shown as that one.
        floor: height of the ground in metres; None takes 0, or the lowest points of the motion when those lie elsewhere.
        shown: as what.
    """
    clip = clip_of(given)
    if not len(clip):
        raise ParameterError("a clip without frames cannot be drawn", where=clip.name)
    if floor is not None and not math.isfinite(floor):
        raise ParameterError(f"floor must be a height in metres, not {floor}")
    _check_finite(clip)
    world = clip.world()
    skeleton = clip.skeleton
    tips = [
        world.point(int(joint), offset.astype(np.float32))
        for joint, offset in zip(skeleton.end_joints, skeleton.end_offsets, strict=True)
    ]
    points = np.concatenate([world.positions, np.stack(tips, axis=1)], axis=1) if tips else world.positions
    if not np.isfinite(points).all():
        raise ParameterError("positions grow beyond what numbers can hold", where=clip.name)
    chosen = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), _MEASURED)).round().astype(int))
    figure = build_figure(skeleton, points[chosen], world.rotations[chosen])
    ground = _find_floor(points, figure) if floor is None else floor
    centre = points[:, skeleton.roles.get("hips", _carrier(figure))]
    person = shown_as(given, shown)
    return Subject(clip, world, points, figure, centre, ground, _find_feet(clip, points, figure, ground), person)


def _check_finite(clip: Clip) -> None:
    moved = () if clip.translations is None else (("a joint's position", clip.translations.values),)
    for what, values in (("rotation", clip.rotations), ("root position", clip.root), *moved):
        bad = np.flatnonzero(~np.isfinite(values.reshape(len(clip), -1)).all(axis=1))
        if len(bad):
            raise ParameterError(
                f"{what} of frame {bad[0]} is not a finite number ({len(bad)} of {len(clip)} frames); "
                "such a clip cannot be drawn",
                where=clip.name,
            )


def _carrier(figure: Figure) -> int:
    """The first joint of the drawn body; the root when nothing is drawn."""
    return int(figure.starts.min()) if len(figure.starts) else 0


def _drawn_points(points: Float, figure: Figure) -> Int32:
    shown = np.unique(np.concatenate([figure.starts, figure.ends]))
    return shown if len(shown) else np.arange(points.shape[1], dtype=np.int32)


def _find_floor(points: Float, figure: Figure) -> float:
    lowest = points[:, _drawn_points(points, figure), 1].min(axis=1)
    low = float(np.percentile(lowest, 2))
    return 0.0 if -0.045 * figure.size <= low <= 0.036 * figure.size else low - 0.012 * figure.size


def _find_feet(clip: Clip, points: Float, figure: Figure, floor: float) -> tuple[Foot, ...]:
    skeleton, sides = clip.skeleton, joint_sides(clip.skeleton)
    feet: list[Foot] = []
    for number, side in enumerate(("left", "right"), start=1):
        joint = skeleton.roles.get(f"{side}_toes", skeleton.roles.get(f"{side}_foot", -1))
        if joint >= 0:
            feet.append(Foot(joint, number))
    known = {joint for foot in feet for joint in skeleton.ancestors(foot.point)}
    known |= {joint for foot in feet for joint in skeleton.subtree(foot.point)}
    starting = set(figure.starts.tolist())
    leaves = [int(end) for end in figure.ends if int(end) not in starting]
    for leaf in leaves:
        joint = leaf if leaf < len(skeleton) else int(skeleton.end_joints[leaf - len(skeleton)])
        low = float(np.mean(points[:, leaf, 1] < floor + 0.07 * figure.size))
        if joint not in known and low > 0.35:
            feet.append(Foot(leaf, int(sides[joint])))
            known.update(skeleton.ancestors(joint)[:2])
    return tuple(feet)
