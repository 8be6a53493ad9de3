"""Moving pictures: frames of a motion in real time, as GIF or MP4."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import BinaryIO

import numpy as np
from PIL import Image

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.progress import tell
from reenact.errors import MissingExtraError, ParameterError
from reenact.formats.atomic import atomic_write
from reenact.render.camera import Camera, fit_orthographic, fit_perspective, view_axes
from reenact.render.canvas import Canvas
from reenact.render.caption import write_running_caption
from reenact.render.cast import Cast, gather, pose_points
from reenact.render.ground import Ground, grid_step
from reenact.render.palette import Background, find_palette
from reenact.render.people import FIGURE_HELP, FigureKind
from reenact.render.stage import paint_poses, paint_traces
from reenact.render.view import parse_view

_SMOOTH_FPS = 30.0  # the rate aimed at when none is asked for
_GIF_FASTEST = 50.0  # viewers slow a GIF down when a frame lasts less than two hundredths of a second
_TRAIL = 1.5  # seconds of foot trace kept
_CALM = 0.35  # seconds: standard deviation of the smoothing of the camera's way
_FRAMED = 240  # frames that the framing looks at
_PALETTE_FRAMES = 6


@dataclass(frozen=True, slots=True)
class AnimationParameters:
    """How a moving picture looks."""

    fps: float | None = option(
        None,
        "frames a second of the video; default: the clip's rate over a whole number, at most 30",
        unit="Hz",
        low=1,
        high=120,
        name="video-fps",
    )
    speed: float = option(1.0, "how fast it plays: 0.5 is half speed", low=0.01, high=100)
    width: int = option(640, "pixels across", unit="pixels", low=64, high=4096)
    height: int = option(480, "pixels down", unit="pixels", low=64, high=4096)
    view: str = option("three-quarter", "three-quarter, side, front, back, top, or AZIMUTH,ELEVATION in degrees")
    follow: bool | None = option(None, "the camera goes along; default: when the motion leaves the place")
    orthographic: bool = option(False, "no perspective")
    background: Background = option("light", "light or dark")
    traces: bool = option(True, "draw foot traces")
    caption: bool = option(True, "write name, frame and time")
    floor: float | None = option(None, "height of the ground; default: found", unit="m")
    figure: FigureKind = option("auto", FIGURE_HELP)

    def __post_init__(self) -> None:
        check_ranges(self)
        parse_view(self.view)
        find_palette(self.background)

    def rate(self, clip_fps: float) -> float:
        """Frames a second of the video for a clip of this rate."""
        return self.fps or clip_fps / math.ceil(clip_fps / _SMOOTH_FPS - 1e-3)


def video_times(seconds: float, rate: float, speed: float) -> Float:
    """(N,) seconds of the motion at which a video of `rate` frames a second shows it, from 0 to before its end."""
    count = max(1, math.ceil(round(seconds / speed * rate, 6)))
    return np.arange(count) * (speed / rate)


def render_frames(
    clips: Clip | Made | Sequence[Clip | Made], parameters: AnimationParameters | None = None
) -> Iterator[Image.Image]:
    """Frames of a video of one motion, or of several laid over one another in different tints."""
    parameters = parameters or AnimationParameters()
    cast = gather(clips, find_palette(parameters.background), parameters.floor, parameters.figure)
    clip = cast.longest.clip
    times = video_times(clip.seconds, parameters.rate(clip.fps), parameters.speed)
    return _paint_frames(cast, times, parameters)


def _paint_frames(cast: Cast, times: Float, parameters: AnimationParameters) -> Iterator[Image.Image]:
    way = _camera_way(cast, parameters.follow)
    clip = cast.longest.clip
    last = len(clip) - 1
    camera, reach = _frame_motion(cast, way, parameters)
    step = grid_step(cast.size)
    ground, floor = Ground(camera.moved(way[0]), cast.floor), None
    place = way[0]
    for number, time in enumerate(times):
        tell(number / len(times), f"drawing picture {number + 1} of {len(times)}")
        frame = min(round(float(time) * clip.fps), last)
        here = camera.moved(way[frame])
        if floor is None or np.any(way[frame] != place):  # while the camera stands still, so does the floor
            if way[frame, 1] != place[1]:
                ground = Ground(here, cast.floor)
            place = way[frame]
            floor = Canvas(parameters.width, parameters.height, cast.palette.background)
            ground.paint(floor, here, cast.palette, step, place + reach[0], (reach[1], reach[2]))
        canvas = floor.copy()
        if parameters.traces:
            for index, subject in enumerate(cast.subjects):
                now = min(round(float(time) * subject.clip.fps), len(subject.clip) - 1)
                frames = range(max(0, now - round(_TRAIL * subject.clip.fps)), now + 1)
                paint_traces(canvas, here, subject, cast.palette.tint(index), frames, width=1.3)
        paint_poses(canvas, here, cast.palette, cast.poses(frame / clip.fps), cast.floor)
        if parameters.caption:
            write_running_caption(canvas, cast, frame, frame / clip.fps, parameters.speed)
        yield canvas.picture()


def _camera_way(cast: Cast, follow: bool | None) -> Float:
    """(F, 3) how the camera moves with the longest clip; zero in height unless the motion climbs far."""
    clip = cast.longest.clip
    centres = np.array([cast.centre(frame / clip.fps) for frame in range(len(clip))])
    away = float(np.hypot(*np.ptp(centres[:, [0, 2]], axis=0)))
    climb = float(np.ptp(_smooth(centres[:, 1], 2 * _CALM * clip.fps)))
    going = away > 1.4 * cast.size if follow is None else follow
    way = np.zeros_like(centres)
    if going:
        for axis in (0, 2):
            way[:, axis] = _smooth(centres[:, axis], _CALM * clip.fps)
        if climb > 0.8 * cast.size:
            smooth = _smooth(centres[:, 1], 2 * _CALM * clip.fps)
            way[:, 1] = smooth - smooth[0]
    return way


def _smooth(values: Float, deviation: float) -> Float:
    """A curve passed through a Gaussian; at its ends it is continued by reflection in the end points, so that it starts and ends true."""
    reach = min(math.ceil(3 * deviation), len(values) - 1)
    if reach < 1:
        return values.copy()
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(deviation, 1e-6)) ** 2)
    before, after = 2 * values[0] - values[reach:0:-1], 2 * values[-1] - values[-2 : -reach - 2 : -1]
    return np.convolve(np.concatenate([before, values, after]), weights / weights.sum(), mode="valid")


def _frame_motion(cast: Cast, way: Float, parameters: AnimationParameters) -> tuple[Camera, tuple[Float, float, float]]:
    """A camera, at the way's origin, that sees the whole motion; and the middle and the reaches of the floor to paint."""
    clip = cast.longest.clip
    frames = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), _FRAMED)).round().astype(int))
    points = np.concatenate([pose_points(cast.poses(frame / clip.fps)) - way[frame] for frame in frames])
    feet = points * (1, 0, 1) + (0, cast.floor, 0)
    seen = np.concatenate([points, feet]) if not np.ptp(way[:, 1]) else points
    axes = view_axes(parse_view(parameters.view), cast.lead.direction())
    size = parameters.width, parameters.height
    below = 0.09 * parameters.height if parameters.caption else 0.03 * parameters.height
    margins = (0.03 * size[0], 0.03 * size[1], 0.03 * size[0], below)
    fit = fit_orthographic if parameters.orthographic else fit_perspective
    camera = fit(seen, axes, size, margins, pad=0.075 * cast.size)
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    reach = 0.5 * math.hypot(*np.ptp(points, axis=0)[[0, 2]])
    return camera, (middle, reach + 0.3 * cast.size, 1.6 * reach + 1.8 * cast.size)


def save_animation(
    clips: Clip | Made | Sequence[Clip | Made], path: str | PathLike[str], parameters: AnimationParameters | None = None
) -> int:
    """Write a `.gif` or `.mp4` of a motion, or of several laid over one another; gives the number of frames."""
    parameters = parameters or AnimationParameters()
    target = Path(path)
    _check_ending(target)
    cast = gather(clips, find_palette(parameters.background), parameters.floor, parameters.figure)
    clip = cast.longest.clip
    rate = parameters.rate(clip.fps)
    times = video_times(clip.seconds, rate, parameters.speed)
    write_moving_picture(target, lambda shown: _paint_frames(cast, shown, parameters), times, rate)
    return len(times)


Painter = Callable[[Float], Iterator[Image.Image]]
"""Makes the pictures of some times, all of one size."""


def write_moving_picture(target: Path, paint: Painter, times: Float, rate: float) -> None:
    """Write the pictures of `times` (N,) seconds as a `.gif` or `.mp4` of `rate` frames a second; whole or not at all."""
    ending = _check_ending(target)
    if ending == ".gif" and rate > _GIF_FASTEST:
        raise ParameterError(f"a GIF shows at most {_GIF_FASTEST:g} frames a second, not {rate:g}", where="fps")
    if ending == ".mp4":
        _import_av()
    with atomic_write(target) as stream:
        (_write_gif if ending == ".gif" else _write_mp4)(stream, paint, times, rate)


def _check_ending(target: Path) -> str:
    if target.suffix.lower() not in (".gif", ".mp4"):
        raise ParameterError(
            f"unknown ending {target.suffix!r} for a moving picture; known are .gif, .mp4", where=str(target)
        )
    return target.suffix.lower()


def _write_gif(stream: BinaryIO, paint: Painter, times: Float, rate: float) -> None:
    """One palette for all frames, no dither: still parts stay still, and only what changed is stored."""
    some = np.unique(np.linspace(0, len(times) - 1, min(len(times), _PALETTE_FRAMES)).round().astype(int))
    samples = list(paint(times[some]))
    sheet = Image.new("RGB", (samples[0].width, samples[0].height * len(samples)))
    for index, sample in enumerate(samples):
        sheet.paste(sample, (0, index * sample.height))
    palette = sheet.quantize(255, method=Image.Quantize.FASTOCTREE)
    frames = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in paint(times))
    marks = np.round(np.arange(len(times) + 1) * (100 / rate)).astype(int)  # hundredths of a second
    durations = (10 * np.diff(marks)).tolist()
    first = next(frames)
    first.save(
        stream,
        format="GIF",
        save_all=True,
        append_images=frames,
        duration=durations if len(durations) > 1 else durations[0],
        loop=0,
        disposal=1,
        optimize=False,
    )


def _write_mp4(stream: BinaryIO, paint: Painter, times: Float, rate: float) -> None:
    """H.264, 4:2:0, which every player knows; an odd picture loses a row or column, as 4:2:0 needs even sizes."""
    av = _import_av()
    pictures = paint(times)
    first = next(pictures)
    width, height = first.width // 2 * 2, first.height // 2 * 2
    with av.open(stream, mode="w", format="mp4") as container:
        video = container.add_stream("libx264", rate=Fraction(rate).limit_denominator(10_000))
        video.width, video.height, video.pix_fmt = width, height, "yuv420p"
        video.options = {"crf": "20", "preset": "veryfast"}
        for picture in chain([first], pictures):
            pixels = np.ascontiguousarray(np.asarray(picture)[:height, :width])
            container.mux(video.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(video.encode(None))


def _import_av():
    """PyAV, or the error that says how to get it."""
    try:
        import av
    except ImportError:
        raise MissingExtraError("MP4 output", "video") from None
    return av
