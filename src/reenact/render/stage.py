"""Painting subjects: the ground, traces, shadows, bodies and joint dots of some poses, seen by one camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.render.camera import Camera
from reenact.render.canvas import Canvas, Capsules, join_capsules
from reenact.render.ground import paint_lines, paint_shadows
from reenact.render.mesh_paint import paint_of
from reenact.render.mesh_painter import draw_mesh
from reenact.render.palette import Palette, Tint
from reenact.render.people import skin_in_frame
from reenact.render.subject import Subject

_THINNEST = 0.75  # pixels: a thinner limb would vanish
_FAR = 0.26  # how much darker the far side of a body is


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """One frame of a subject to be painted, in its colours."""

    subject: Subject
    frame: int
    tint: Tint
    among: int | None = None  # its number, where there are others

    def capsules(self) -> tuple[Float, Float, Float, Float]:
        """Ends (S, 2, 3), radii (S, 2) in metres, colours (S, 3) and roundness (S,)."""
        figure = self.subject.figure
        points = self.subject.points[self.frame].astype(np.float64)
        ends, radii, sides, roundness = figure.capsules(points, self.subject.world.rotations[self.frame])
        colours = np.array([self.tint.of(side) for side in range(4)], np.float32)[sides]
        return ends, radii, colours, roundness


def paint_poses(canvas: Canvas, camera: Camera, palette: Palette, poses: Sequence[Pose], floor: float) -> None:
    """Paint shadows, then bodies with joint dots; bodies hide one another by depth."""
    parts = [pose.capsules() for pose in poses]
    for pose, (ends, radii, _, _) in zip(poses, parts, strict=True):
        paint_shadows(canvas, camera, palette, ends, radii, floor, pose.subject.figure.size)
    drawn = [
        _to_picture(camera, palette, pose, *part)
        for pose, part in zip(poses, parts, strict=True)
        if pose.subject.person is None
    ]
    if drawn:
        canvas.draw_capsules(join_capsules(drawn))
    for pose in poses:
        person = pose.subject.person
        if person is not None:
            shirt = None if pose.among is None else pose.tint.left
            skin = skin_in_frame(person, pose.subject.world, pose.frame)
            draw_mesh(canvas, camera, skin, person.faces, paint_of(person, shirt))


def _to_picture(
    camera: Camera, palette: Palette, pose: Pose, ends: Float, radii: Float, colours: Float, roundness: Float
) -> Capsules:
    figure = pose.subject.figure
    pixels, depth, scale = camera.project(ends)
    middle = float(np.median(depth)) if len(depth) else 0.0
    behind = np.clip((depth.mean(axis=1) - middle) / (0.5 * figure.size) + 0.25, 0, 1)
    shaded = colours * (1 - _FAR * behind)[:, None]
    bodies = Capsules(pixels, np.maximum(radii * scale, _THINNEST), depth, radii, shaded, roundness)
    return join_capsules([bodies, _joint_dots(camera, pose, palette)])


def _joint_dots(camera: Camera, pose: Pose, palette: Palette) -> Capsules:
    """Small balls on the surface over the joints, towards the camera."""
    figure = pose.subject.figure
    places = pose.subject.points[pose.frame, figure.dots].astype(np.float64)
    pixels, depth, scale = camera.project(places)
    lift = np.zeros(pose.subject.points.shape[1])
    np.maximum.at(lift, figure.starts, figure.radii[:, 0])
    np.maximum.at(lift, figure.ends, figure.radii[:, 1])
    size = np.clip(0.26 * lift[figure.dots], 0.005 * figure.size, 0.009 * figure.size)
    shown = size * scale > 0.9
    pixels, depth = pixels[shown], depth[shown] - lift[figure.dots][shown] - 0.004 * figure.size
    radius = (size * scale)[shown]
    return Capsules(
        np.repeat(pixels[:, None], 2, axis=1),
        np.repeat(radius[:, None], 2, axis=1),
        np.repeat(depth[:, None], 2, axis=1),
        np.zeros((len(pixels), 2)),
        np.tile(np.array(palette.dot, np.float32), (len(pixels), 1)),
        np.full(len(pixels), 0.5),
    )


def paint_traces(
    canvas: Canvas, camera: Camera, subject: Subject, tint: Tint, frames: range, *, width: float, strength: float = 1.0
) -> None:
    """Foot traces: a thin line through the air, and on the floor a line that is thick where the foot rests.

    Args:
        canvas: with the ground painted.
        camera: the camera.
        subject: whose feet.
        tint: its colours.
        frames: which frames.
        width: pixels of the thin lines.
        strength: 0..1.
    """
    if len(frames) < 2:
        return
    # the eye cannot tell more than some hundred points a second apart, so long clips are thinned
    step = max(1, int(subject.clip.fps // 60))
    chosen = np.unique(np.append(np.arange(frames.start, frames.stop, step), frames.stop - 1))
    for foot in subject.feet:
        path = subject.points[chosen, foot.point].astype(np.float64)
        shade = path.copy()
        shade[:, 1] = subject.floor
        resting = _resting(path, chosen / subject.clip.fps, subject.floor, subject.figure.size)
        colour = tint.of(foot.side)
        air, air_depth, _ = camera.project(path)
        floor, floor_depth, _ = camera.project(shade)
        before = (air_depth > 0.1 * subject.figure.size) & (floor_depth > 0.1 * subject.figure.size)
        before |= not camera.perspective  # an orthographic picture has no behind
        paint_lines(canvas, [air[run] for run in _runs(before)], colour, width, 0.38 * strength)
        paint_lines(canvas, [floor[run] for run in _runs(before)], colour, width, 0.5 * strength)
        paint_lines(canvas, [floor[run] for run in _runs(before & resting)], colour, 3.4 * width, 0.9 * strength)


def _resting(path: Float, times: Float, floor: float, size: float) -> Bool:
    """(N,) bool: the foot is low and hardly moves; for drawing only."""
    speed = np.linalg.norm(np.diff(path, axis=0), axis=1) / np.maximum(np.diff(times), 1e-9)
    speed = np.append(speed, speed[-1])
    return (speed < 0.26 * size) & (path[:, 1] < floor + 0.09 * size)


def _runs(flags: Bool) -> list[slice]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return [slice(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]
