"""Pose strips: a motion in one picture, every n-th pose in a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError
from reenact.render.camera import Camera, fit_orthographic, fit_perspective, view_axes
from reenact.render.canvas import Canvas
from reenact.render.caption import CAPTION_HEIGHT, LABEL_HEIGHT, write_caption, write_frame_label
from reenact.render.cast import Cast, gather, pose_points
from reenact.render.ground import Ground, grid_step
from reenact.render.palette import Background, find_palette
from reenact.render.people import FIGURE_HELP, FigureKind
from reenact.render.stage import paint_poses, paint_traces
from reenact.render.view import View, parse_view

Mode = Literal["auto", "path", "row"]
MODES = ("auto", "path", "row")

_PAD = 0.075  # radius of free room round every point, in body sizes
_MOST_POSES = 400
_MOST_ROWS = 8
_MOST_PIXELS = 60_000_000
_SIDE = 14  # pixels free at the left and right of a path
_SPACING = 0.34  # from pose to pose along a path, in body sizes
_TRACED = 0.6  # seconds of foot trace before and after a pose that stands by itself
_PATH_VIEW = View(
    70, 12
)  # what "three-quarter" means for a path: nearer to the side, so that poses do not hide one another


@dataclass(frozen=True, slots=True)
class StripParameters:
    """How a pose strip looks."""

    every: int | None = option(None, "frames from pose to pose; default: chosen", unit="frames", low=1, short="-n")
    count: int | None = option(None, "number of poses over the whole clip, instead of every", low=1, high=_MOST_POSES)
    mode: Mode = option(
        "auto",
        "path leaves the poses where they are in the world, row sets them side by side; auto: path when it goes somewhere",
    )
    view: str = option("three-quarter", "three-quarter, side, front, back, top, or AZIMUTH,ELEVATION in degrees")
    width: int = option(1600, "most pixels across", unit="pixels", low=200, high=8000)
    height: int = option(250, "height of a standing body", unit="pixels", low=40, high=2000)
    background: Background = option("light", "light or dark")
    traces: bool = option(True, "draw foot traces")
    caption: bool = option(True, "write names, times and a legend")
    floor: float | None = option(None, "height of the ground; default: found", unit="m")
    figure: FigureKind = option("auto", FIGURE_HELP)

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.every is not None and self.count is not None:
            raise ParameterError("give either every or count, not both", where="every")
        if self.mode not in MODES:
            raise ParameterError(f"mode {self.mode!r} is not one of {', '.join(MODES)}", where="mode")
        parse_view(self.view)
        find_palette(self.background)


def render_strip(clips: Clip | Made | Sequence[Clip | Made], parameters: StripParameters | None = None) -> Image.Image:
    """A picture of a motion as a strip of poses, or of several motions laid over one another in different tints."""
    parameters = parameters or StripParameters()
    cast = gather(clips, find_palette(parameters.background), parameters.floor, parameters.figure)
    heading, view = cast.lead.direction(), parse_view(parameters.view)
    along = view_axes(_PATH_VIEW if parameters.view == "three-quarter" else view, heading)
    if parameters.mode == "path" or (parameters.mode == "auto" and _goes_across(cast, along)):
        return _render_path(cast, along, parameters)
    return _render_row(cast, view_axes(view, heading), parameters)


def _goes_across(cast: Cast, axes: Float) -> bool:
    """Whether the motion crosses the picture far, straight and steadily enough for poses to stand where they are."""
    _, length, path = cast.lead.travel()
    across = cast.lead.centre.astype(np.float64) @ axes[0]
    span = float(across[-1] - across[0])
    if not (abs(span) > 1.3 * cast.size and length > 0.72 * path):
        return False
    gaps = np.diff(across[np.linspace(0, len(across) - 1, _poses_along(abs(span), cast.size) + 1).round().astype(int)])
    return float(np.mean(gaps * np.sign(span) < 0.4 * abs(span) / len(gaps))) < 0.2  # else poses would pile up


def _poses_along(span: float, size: float) -> int:
    """How many poses have room side by side along a way."""
    return int(np.clip(span / (_SPACING * size), 4, 60))


def choose_frames(frames: int, parameters: StripParameters, suggested: int) -> NDArray[np.integer]:
    """(N,) ascending frames to show: as asked for, or about `suggested` of them a whole number of frames apart."""
    if parameters.count is not None:
        return np.unique(np.linspace(0, frames - 1, min(parameters.count, frames)).round().astype(int))
    every = parameters.every or max(1, math.ceil(frames / max(suggested, 1)))
    if -(-frames // every) > _MOST_POSES:
        raise ParameterError(
            f"every {every} frames of {frames} would give more than {_MOST_POSES} poses; "
            f"every must be at least {-(-frames // _MOST_POSES)}"
        )
    return np.arange(0, frames, every)


def _render_row(cast: Cast, axes: Float, parameters: StripParameters) -> Image.Image:
    """Poses side by side, each seen by the same camera from the same side, numbered; rows wrap."""
    clip = cast.longest.clip
    suggested = int(np.clip(round(clip.seconds * 3.4), 8, 30))
    shown = choose_frames(len(clip), parameters, suggested)
    times = shown / clip.fps
    centres = np.array([cast.centre(time) for time in times]) * (1.0, 0.0, 1.0)
    points = np.concatenate(
        [pose_points(cast.poses(time)) - centre for time, centre in zip(times, centres, strict=True)]
        + [np.array([[0.0, cast.floor, 0.0]])]
    )
    pad = _PAD * cast.size
    local = points @ axes.T
    wide, tall = (np.ptp(local, axis=0) + 2 * pad)[:2]
    label = LABEL_HEIGHT if parameters.caption else 0
    head = CAPTION_HEIGHT if parameters.caption else 0
    scale = min(parameters.height / cast.size, (parameters.width - 16) / wide, 2400 / tall)
    cell = max(math.ceil(wide * scale), 58), math.ceil(tall * scale) + label
    columns = max(1, min(len(shown), parameters.width // cell[0]))
    rows = math.ceil(len(shown) / columns)
    columns = math.ceil(len(shown) / rows)  # rows of equal length
    width = max(columns * cell[0], 560 if parameters.caption else 0)
    _check_extent(width, head + rows * cell[1])
    canvas = Canvas(width, head + rows * cell[1], cast.palette.background)
    camera = fit_perspective(points, axes, cell, (0, 0, 0, label), pad=pad)
    ground = Ground(camera, cast.floor)
    edges = _edge_fade(*cell, label)
    left = (width - columns * cell[0]) // 2
    for index, (frame, time, centre) in enumerate(zip(shown, times, centres, strict=True)):
        part = Canvas(*cell, cast.palette.background)
        here = camera.moved(centre)
        ground.paint(
            part, here, cast.palette, grid_step(cast.size), centre, (0.2 * wide, max(0.62 * wide, 0.55 * cast.size))
        )
        if parameters.traces:
            reach = round(_TRACED * clip.fps)
            _trace(part, here, cast, max(int(frame) - reach, 0), min(int(frame) + reach + 1, len(clip)))
        part.paint(edges, cast.palette.background)
        paint_poses(part, here, cast.palette, cast.poses(float(time)), cast.floor)
        if parameters.caption and len(clip) > 1:
            write_frame_label(part, cast.palette, int(frame), float(time), cell[0] / 2, cell[1] - label + 2)
        row, column = divmod(index, columns)
        canvas.place(part, left + column * cell[0], head + row * cell[1])
    if parameters.caption:
        write_caption(canvas, cast, shown, grid_step(cast.size))
    return canvas.picture()


def _check_extent(width: int, height: int) -> None:
    if width * height > _MOST_PIXELS:
        raise ParameterError(
            f"the strip would have {width} x {height} pixels, at most {_MOST_PIXELS // 1_000_000} million are allowed; "
            "show fewer poses or make them smaller"
        )


def _edge_fade(width: int, height: int, label: int) -> Float:
    """(height, width) 0..1: how much a cell's ground gives way to the background: towards both sides, and all below the label's top."""
    x, y = np.arange(width) + 0.5, np.arange(height) + 0.5
    nearest = np.minimum(np.minimum(x, width - x) / (0.16 * width), ((height - label - y) / (0.05 * height))[:, None])
    return ((1 - np.clip(nearest, 0, 1)) ** 2).astype(np.float32)


def _render_path(cast: Cast, axes: Float, parameters: StripParameters) -> Image.Image:
    """Poses where they are in the world on one floor, with foot traces; a long way is cut into rows of the same scale."""
    clip = cast.longest.clip
    across = cast.longest.centre.astype(np.float64) @ axes[0]
    span = float(np.ptp(across))
    shown = choose_frames(len(clip), parameters, _poses_along(span, cast.size))
    pad = _PAD * cast.size
    inner = parameters.width - 2 * _SIDE
    body = 1.1 * cast.size
    scale = parameters.height / cast.size
    scale *= float(
        np.clip(0.6 * inner / ((span + body) * scale), 1.0, 1.35)
    )  # a short way leaves room for larger bodies
    rows = int(np.clip(math.ceil((span + body) * scale / inner), 1, min(_MOST_ROWS, max(1, len(shown) // 2))))
    groups = _split_rows(across[shown], rows)
    points = [pose_points([p for f in shown[g] for p in cast.poses(f / clip.fps)]) for g in groups]
    points = [_with_floor(part, cast.floor) for part in points]
    extents = np.array([np.ptp(part @ axes.T, axis=0)[:2] + 2 * pad for part in points]).max(axis=0)
    scale = min(scale, inner / extents[0], 1600 / extents[1])
    label = LABEL_HEIGHT if parameters.caption else 0
    head = CAPTION_HEIGHT if parameters.caption else 0
    width = max(math.ceil(extents[0] * scale) + 2 * _SIDE, 620 if parameters.caption else 0)
    size = width, math.ceil(extents[1] * scale) + label
    pictures = []
    for group, part in zip(groups, points, strict=True):
        camera = fit_orthographic(part, axes, size, (0, 0, 0, label), pad=pad, scale=scale)
        pictures.append(_paint_path_row(cast, camera, shown, group, part, label, parameters))
    canvas = Canvas(width, head + size[1] * len(pictures), cast.palette.background)
    for index, picture in enumerate(pictures):
        canvas.place(picture, 0, head + index * size[1])
    if parameters.caption:
        write_caption(canvas, cast, shown, grid_step(cast.size))
    return canvas.picture()


def _paint_path_row(
    cast: Cast,
    camera: Camera,
    shown: NDArray[np.integer],
    group: slice,
    points: Float,
    label: int,
    parameters: StripParameters,
) -> Canvas:
    clip = cast.longest.clip
    canvas = Canvas(camera.width, camera.height, cast.palette.background)
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    reach = 0.5 * math.hypot(*np.ptp(points, axis=0)[[0, 2]])
    ground = Ground(camera, cast.floor)
    ground.paint(
        canvas, camera, cast.palette, grid_step(cast.size), middle, (reach + 0.3 * cast.size, reach + 1.4 * cast.size)
    )
    frames = shown[group]
    if parameters.traces:
        stop = group.stop
        last = len(clip) if stop >= len(shown) else int(shown[stop]) + 1
        _trace(canvas, camera, cast, int(frames[0]), last)
    poses = [pose for frame in frames for pose in cast.poses(frame / clip.fps)]
    paint_poses(canvas, camera, cast.palette, poses, cast.floor)
    if parameters.caption:
        canvas.clear(cast.palette.background, canvas.height - label)
        taken = -math.inf
        for frame in frames:
            place = cast.longest.centre[frame] * (1, 0, 1) + (0, cast.floor, 0)
            x = float(camera.project(place)[0][0])
            if x - taken >= 46:
                write_frame_label(canvas, cast.palette, int(frame), frame / clip.fps, x, camera.height - label + 2)
                taken = x
    return canvas


def _split_rows(across: Float, rows: int) -> list[slice]:
    """Cut poses into consecutive groups that cover about the same distance across the picture."""
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(across)))])
    bounds = np.searchsorted(way, np.linspace(0, way[-1], rows + 1)[1:-1], side="right")
    edges = np.unique(np.concatenate([[0], bounds, [len(across)]]))
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def _with_floor(points: Float, floor: float) -> Float:
    """The points and their feet on the floor, so that the ground is always in the picture."""
    return np.concatenate([points, points * (1, 0, 1) + (0, floor, 0)])


def _trace(canvas: Canvas, camera: Camera, cast: Cast, first: int, stop: int) -> None:
    """Everyone's foot traces from frame `first` to `stop` of the longest clip."""
    fps = cast.longest.clip.fps
    for index, subject in enumerate(cast.subjects):
        ratio = subject.clip.fps / fps
        frames = range(min(round(first * ratio), len(subject.clip)), min(round(stop * ratio), len(subject.clip)))
        paint_traces(canvas, camera, subject, cast.palette.tint(index), frames, width=1.3)
