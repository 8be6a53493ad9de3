"""Pictures of a registration: the grid of distances with its path, the cells of a path under its slope limit, the stages of alignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw

from reenact.blend.alignment_curve import turn_floor
from reenact.blend.distance_grid import DistanceGrid, align_clouds, marker_points
from reenact.blend.registration_curve import RegistrationCurve
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import SIDES, FootPlants
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError
from reenact.render.lettering import shorten, text_font, text_width
from reenact.render.palette import PALETTES, Background, Colour, Palette, find_palette

_SMOOTH = 3  # everything but cells is drawn so many times larger, then made small
_BAND = 7  # pixels of a bar of foot plants
_PATH, _WARP, _WRONG = (240, 118, 44), (70, 170, 255), (224, 48, 72)
_ONE, _OTHER = (52, 124, 232), (240, 118, 44)


@dataclass(frozen=True, slots=True)
class GridPictureParameters:
    """How a grid of distances is drawn."""

    size: int = option(560, "longest side of the grid", unit="pixels", low=60, high=8000)
    path: bool = option(True, "draw the path of corresponding samples")
    warp: bool = option(True, "draw the time warp fitted to it")
    plants: bool = option(True, "draw foot plants along the axes")
    background: Background = option("light", "light or dark")

    def __post_init__(self) -> None:
        check_ranges(self)
        find_palette(self.background)


def grid_image(grid: DistanceGrid) -> Image.Image:
    """The grid alone, one pixel a cell: the first motion runs to the right, the second upwards; dark is similar, light is not."""
    grey = np.rint(255 * grid.shown()).astype(np.uint8)
    return Image.fromarray(np.ascontiguousarray(grey.T[::-1]))


def draw_grid(
    curve: RegistrationCurve, motion: int | None = None, parameters: GridPictureParameters | None = None
) -> Image.Image:
    """The distances of a motion to the reference, with the path, the time warp and the feet.

    Args:
        curve: a registration.
        motion: the motion that runs upwards; None: the first that is not the reference.
        parameters: how it looks.
    """
    parameters = parameters or GridPictureParameters()
    other = next(j for j in range(curve.motions) if j != curve.reference) if motion is None else motion
    grid = curve.grids[other] if 0 <= other < curve.motions else None
    if grid is None:
        raise ParameterError(
            f"motion must be one of 0 to {curve.motions - 1} but the reference {curve.reference}, not {other}"
        )
    palette = find_palette(parameters.background)
    scale = parameters.size / max(grid.shape)
    wide, high = (max(round(n * scale), 1) for n in grid.shape)
    cells = grid_image(grid).resize((wide, high), Image.Resampling.NEAREST if scale >= 1 else Image.Resampling.BOX)
    sheet = _Sheet(wide + 80, high + 104, palette)
    left, top = 62, 38
    sheet.paste(cells, left, top)

    def place(samples: Float) -> list[tuple[float, float]]:
        return [(left + (x + 0.5) * scale, top + high - (y + 0.5) * scale) for x, y in samples]

    if parameters.path:
        sheet.line(place(curve.pair_path(other).astype(np.float64)), _PATH, 3.2)
    if parameters.warp:
        frames = curve.warp.frames_at(np.linspace(0, curve.length, 400))
        at = [
            np.interp(frames[:, j], curve.samples[j], np.arange(len(curve.samples[j])))
            for j in (curve.reference, other)
        ]
        sheet.line(place(np.column_stack(at)), _WARP, 2.0)
    names = [curve.clips[j].name for j in (curve.reference, other)]
    for axis, j in enumerate((curve.reference, other)):
        length = wide if axis == 0 else high
        sheet.axis(axis, left, top, wide, high, len(curve.clips[j]) / curve.fps)
        feet = curve.plants[j]
        if parameters.plants and feet is not None:
            _draw_plants(sheet, feet, axis, left, top + high, length)
    sheet.text(f"right: {names[0]}", (left + wide / 2, top + high + 40), "middle", room=wide)
    sheet.text(f"up: {names[1]}", (8, 10), "left", room=wide / 2)
    quality = curve.quality
    sheet.text(
        f"q = {quality.each[other]:.2f}, {100 * grid.along(curve.pair_path(other)).mean():.1f} cm on the path",
        (left + wide, 10),
        "right",
    )
    return sheet.picture()


def _draw_plants(sheet: _Sheet, plants: FootPlants, axis: int, left: int, bottom: int, length: int) -> None:
    """Bars of the feet along an axis, left feet nearer to the grid."""
    tint = PALETTES["light"].tints[0]
    for row, side in enumerate(SIDES):
        for start, end in plants.foot(side).intervals():
            a, b = (length * x / len(plants) for x in (start, end))
            near = 2 + row * (_BAND + 1)
            if axis == 0:
                box = (left + a, bottom + near, left + b, bottom + near + _BAND)
            else:
                box = (left - near - _BAND, bottom - b, left - near, bottom - a)
            sheet.box(box, tint.left if side == "left" else tint.right)


def draw_slope_cells(
    distances: Float,
    paths: Sequence[tuple[str, np.ndarray]],
    slope_limit: int,
    *,
    cell: int = 18,
    background: Background = "light",
) -> Image.Image:
    """Paths over a small grid, side by side, cell by cell: steps beyond the slope limit in red, legal ones in blue.

    Args:
        distances: (m, n) of the grid, or of a part of it.
        paths: a title and cells (P, 2) of each; cells outside the grid are left out.
        slope_limit: the most steps in one direction that may follow each other.
        cell: pixels of a cell.
        background: "light" or "dark".
    """
    rows, columns = distances.shape
    wide, high = rows * cell, columns * cell
    sheet = _Sheet(len(paths) * (wide + 28) + 12, high + 52, find_palette(background))
    low, span = float(distances.min()), max(float(np.ptp(distances)), 1e-12)
    grey = np.rint(90 + 165 * (distances - low) / span).astype(np.uint8)  # light enough for lines to be seen
    cells = Image.fromarray(np.ascontiguousarray(grey.T[::-1])).resize((wide, high), Image.Resampling.NEAREST)
    for n, (title, path) in enumerate(paths):
        left, top = 20 + n * (wide + 28), 40
        sheet.paste(cells, left, top)
        for x in range(rows + 1):
            sheet.line([(left + x * cell, top), (left + x * cell, top + high)], (255, 255, 255), 0.6)
        for y in range(columns + 1):
            sheet.line([(left, top + y * cell), (left + wide, top + y * cell)], (255, 255, 255), 0.6)
        at = [(left + (i + 0.5) * cell, top + high - (j + 0.5) * cell) for i, j in path.tolist()]
        wrong = _beyond(path, slope_limit)
        inside = (path >= 0).all(axis=1) & (path[:, 0] < rows) & (path[:, 1] < columns)
        for k in range(1, len(path)):
            if inside[k - 1] and inside[k]:
                sheet.line([at[k - 1], at[k]], _WRONG if wrong[k] else _WARP, 3)
        for k in np.flatnonzero(inside):
            sheet.dot(at[k], 0.16 * cell, _WRONG if wrong[k] else _WARP)
        sheet.text(title, (left, 12), "left", room=wide)
    return sheet.picture()


def _beyond(path: np.ndarray, slope_limit: int) -> np.ndarray:
    """(P,) True for cells reached by a step that makes a run longer than the limit."""
    wrong = np.zeros(len(path), np.bool_)
    run, last = 0, (1, 1)
    for k, step in enumerate(np.diff(path, axis=0).tolist(), 1):
        move = (step[0], step[1])
        run = 0 if move == (1, 1) else run + 1 if move == last else 1
        last = move
        wrong[k] = run > slope_limit
    return wrong


def draw_alignment_stages(
    curve: RegistrationCurve,
    motion: int | None = None,
    *,
    cell: int | None = None,
    window: int = 2,
    scope: Literal["window", "clip"] = "window",
    size: int = 300,
    background: Background = "light",
) -> Image.Image:
    """Four stages of alignment: the motions as recorded, corresponding frames, the clouds of one pair of frames, and these aligned.

    Args:
        curve: a registration.
        motion: laid on the reference; None: the first that is not the reference.
        cell: which cell of the path the clouds show; None: the middle one.
        window: samples to either side that belong to a cloud.
        scope: "window": clouds of one pair of frames; "clip": of all frames on the path at once, with one alignment, as in Aherne (2005).
        size: pixels of each picture.
        background: "light" or "dark".
    """
    other = next(j for j in range(curve.motions) if j != curve.reference) if motion is None else motion
    if curve.grids[other] is None:
        raise ParameterError(f"motion {other} is the reference", where="motion")
    pair = curve.reference, other
    at = len(curve.path) // 2 if cell is None else cell
    sheet = _Sheet(4 * (size + 12) + 12, size + 56, find_palette(background))
    points = [marker_points(curve.clips[j]) for j in pair]
    names = [curve.clips[j].name for j in pair]
    picked = np.rint(curve.frames[np.linspace(0, len(curve.path) - 1, 5).astype(int)][:, list(pair)]).astype(int)
    if scope == "clip":
        clouds = [points[k][np.rint(curve.frames[:, j]).astype(int)].reshape(-1, 3) for k, j in enumerate(pair)]
    else:
        clouds = [_cloud(curve, j, at, window) for j in pair]
    found = align_clouds(clouds[0], clouds[1])
    laid = clouds[1].copy()
    laid[:, [0, 2]] = turn_floor(clouds[1][:, [0, 2]], found.turn) + found.shift
    paths = [p[:, 0] * (1.0, 0.0, 1.0) for p in points]
    apart = 100 * float(np.sqrt(np.mean(np.sum((clouds[0] - laid) ** 2, axis=1))))
    stages = [
        _Stage("1  motions as recorded", paths=paths, poses=[p[:: max(len(p) // 4, 1)] for p in points]),
        _Stage("2  frames that correspond", poses=[points[k][picked[:, k]] for k in (0, 1)]),
        _Stage("3  clouds of " + ("all of them" if scope == "clip" else "one pair of them"), clouds=clouds),
        _Stage(f"4  turned by {np.degrees(found.turn[0]):.0f}°: {apart:.1f} cm apart", clouds=[clouds[0], laid]),
    ]
    bones = _bones(curve.clips[0])
    for n, stage in enumerate(stages):
        left = 12 + n * (size + 12)
        _draw_stage(sheet, stage, bones, _Oblique(stage.all_points(), left, 40, size))
        sheet.text(stage.title, (left, 12), "left", room=size)
    sheet.text(names[0], (12, size + 36), "left", colour=_ONE)
    sheet.text(names[1], (24 + text_width(names[0], 13), size + 36), "left", colour=_OTHER)
    return sheet.picture()


@dataclass(frozen=True, slots=True, eq=False)
class _Stage:
    """What one of the four pictures holds, of the reference and of the other: root paths (F, 3), poses (N, P, 3), clouds (N, 3)."""

    title: str
    paths: Sequence[Float] = ()
    poses: Sequence[Float] = ()
    clouds: Sequence[Float] = ()

    def all_points(self) -> Float:
        return np.concatenate([part.reshape(-1, 3) for part in (*self.paths, *self.poses, *self.clouds)])


def _draw_stage(sheet: _Sheet, stage: _Stage, bones: Sequence[tuple[int, int]], camera: _Oblique) -> None:
    for path, colour in zip(stage.paths, (_ONE, _OTHER), strict=False):
        sheet.line(camera.flat(path), colour, 2)
    for poses, colour in zip(stage.poses, (_ONE, _OTHER), strict=False):
        for pose in poses:
            for a, b in bones:
                sheet.line(camera.flat(pose[[a, b]]), colour, 1.2)
    for cloud, colour in zip(stage.clouds, (_ONE, _OTHER), strict=False):
        for place in camera.flat(cloud):
            sheet.dot(place, 1.9, colour)


def _cloud(curve: RegistrationCurve, motion: int, cell: int, window: int) -> Float:
    """(W P, 3) points of the samples round a cell of the path."""
    samples = curve.samples[motion]
    near = np.clip(curve.path[cell, motion] + np.arange(-window, window + 1), 0, len(samples) - 1)
    frames = np.rint(samples[near]).astype(int)
    clip = curve.clips[motion]
    return np.concatenate([marker_points(cut_frames(clip, f, f + 1))[0] for f in frames])


def _bones(clip: Clip) -> list[tuple[int, int]]:
    skeleton = clip.skeleton
    bones = [(int(parent), joint) for joint, parent in enumerate(skeleton.parents) if parent >= 0]
    return bones + [(int(joint), len(skeleton) + n) for n, joint in enumerate(skeleton.end_joints)]


class _Oblique:
    """Looks at points from above and aside, all of them within a square."""

    def __init__(self, points: Float, left: float, top: float, size: float) -> None:
        self._seen = np.array([[0.82, 0.0, 0.57], [0.2, -0.94, -0.29]])  # right and down in the picture, from x, y, z
        flat = points @ self._seen.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        self._scale = size / max(float((high - low).max()), 1e-6) * 0.94
        self._shift = np.array([left, top]) + size / 2 - self._scale * (low + high) / 2

    def flat(self, points: Float) -> list[tuple[float, float]]:
        return [(float(x), float(y)) for x, y in points @ self._seen.T * self._scale + self._shift]


class _Sheet:
    """A picture whose lines are smooth, and whose cells stay sharp."""

    def __init__(self, width: int, height: int, palette: Palette) -> None:
        self._palette = palette
        self._base = Image.new("RGB", (width, height), palette.background)
        self._over = Image.new("RGBA", (width * _SMOOTH, height * _SMOOTH), (*palette.background, 0))
        self._draw = ImageDraw.Draw(self._over)
        self._words: list[tuple[str, tuple[float, float], int, Colour]] = []

    def paste(self, cells: Image.Image, left: int, top: int) -> None:
        self._base.paste(cells, (left, top))

    def line(self, points: Sequence[tuple[float, float]], colour: Colour, width: float) -> None:
        large = [(x * _SMOOTH, y * _SMOOTH) for x, y in points]
        self._draw.line(large, (*colour, 255), max(round(width * _SMOOTH), 1), joint="curve")

    def dot(self, place: tuple[float, float], radius: float, colour: Colour) -> None:
        x, y = place
        box = [(v + r) * _SMOOTH for v, r in ((x, -radius), (y, -radius), (x, radius), (y, radius))]
        self._draw.ellipse(box, (*colour, 255))

    def box(self, box: tuple[float, float, float, float], colour: Colour) -> None:
        self._draw.rectangle([v * _SMOOTH for v in box], (*colour, 255))

    def axis(self, axis: int, left: float, top: float, wide: float, high: float, seconds: float) -> None:
        """Seconds along the lower or the left edge."""
        length = wide if axis == 0 else high
        step = next((s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300) if s / seconds * length >= 44), seconds)
        for n in range(int(seconds / step + 1e-6) + 1):
            along = n * step / seconds * length
            word = f"{n * step:g} s"
            if axis == 0:
                self.text(word, (left + along, top + high + 2 * _BAND + 8), "middle", quiet=True)
            else:
                self.text(word, (left - 2 * _BAND - 8, top + high - along - 8), "right", quiet=True)

    def text(
        self,
        words: str,
        place: tuple[float, float],
        align: str,
        *,
        quiet: bool = False,
        room: float | None = None,
        colour: Colour | None = None,
    ) -> None:
        size = 11 if quiet else 13
        words = words if room is None else shorten(words, size, room)
        left = place[0] - {"left": 0.0, "middle": 0.5, "right": 1.0}[align] * text_width(words, size)
        chosen = colour or (self._palette.quiet if quiet else self._palette.text)
        self._words.append((words, (left, place[1]), size, chosen))

    def picture(self) -> Image.Image:
        small = self._over.resize(self._base.size, Image.Resampling.BOX)
        out = self._base.copy()
        out.paste(small, (0, 0), small)
        draw = ImageDraw.Draw(out)
        for words, place, size, colour in self._words:
            draw.text(place, words, colour, text_font(size))
        return out
