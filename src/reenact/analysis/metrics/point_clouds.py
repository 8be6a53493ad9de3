"""Windows of joint positions as point clouds, each pair turned and shifted on the floor until it fits best.

Kovar, Gleicher and Pighin (2002); Kovar and Gleicher (2003); registration specification A2 to A4. For clouds p, p' with weights that sum
to 1 the best turn about the vertical and the best shift have a closed form, and so has what remains of the distance::

    D = V + V' + sum w (y - y')^2 - 2 sqrt(N^2 + C^2),   turn = atan2(N, C)

with C and N the sums of w (x x' + z z') and w (x z' - z x') over centred points, V = sum w (x^2 + z^2).

A window is a run of frames, so its sums are sums of the products of single frames along the diagonal. The three matrix products are
therefore taken over the points of one frame (inner size 2 P, 2 P and P, whatever the window), and a compiled loop adds them up along the
diagonals, takes out the means and finishes the distance. In float64 that is exact to rounding wherever the clip stands, and takes less
time than float32 products over whole windows, which are what the closed form needs when it is applied window by window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from reenact import kernels
from reenact.analysis.metrics.protocol import joined_starts
from reenact.core.arrays import Float, Float32, Float64
from reenact.core.clip import Clip
from reenact.core.joint_weights import JointWeights
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True)
class PointCloudParameters:
    """The window of frames that makes up a cloud."""

    frames: int = option(5, "frames in a window", low=1, high=1001)
    span: float = option(
        4 / 30, "time from the first to the last frame of a window; 0: consecutive frames", unit="s", low=0
    )
    taper: Literal["even", "triangle"] = option("even", "weights within the window: all alike, or falling to its ends")

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.taper not in ("even", "triangle"):
            raise ParameterError(f"taper must be even or triangle, not {self.taper!r}", where="taper")

    def offsets(self, fps: float) -> np.ndarray:
        """(W,) int64, the frames of a window counted from its first."""
        step = 1
        if self.frames > 1 and self.span > 0:
            step = max(1, round(self.span * fps / (self.frames - 1)))
        return np.arange(self.frames, dtype=np.int64) * step

    def weights(self) -> Float64:
        """(W,) weights of the frames of a window, sum 1."""
        middle = (self.frames - 1) / 2
        apart = np.abs(np.arange(self.frames) - middle)
        shares = np.ones(self.frames) if self.taper == "even" else 1.0 - apart / (middle + 1)
        return shares / shares.sum()


@dataclass(frozen=True, slots=True, eq=False)
class PointCloudFeatures:
    """Points of single frames and sums of windows.

    Clips are padded by repeating their first and last frames, so that every frame has a whole window; frame n is then the window that
    begins in padded frame `first[n]`. Points are counted from the middle of their clip.

    Attributes:
        points: (M, 3 P) float64, root of each weight times all x, all z, all y of the padded frames.
        first: (N,) int64, ascending.
        sums: (N,) float64, weighted squares of each window: x and z centred, y as it is.
        spread: (N,) float64, those of x and z alone.
        means: (N, 2) float64, weighted means of x and z.
        origin: (N, 2) float64 metres, x and z of the middle of each frame's clip.
        offsets: (W,) int64, the frames of a window.
        weights: (W,) float64.
        starts: (C + 1,) first frame of each clip, then N.
    """

    points: Float64
    first: np.ndarray
    sums: Float64
    spread: Float64
    means: Float64
    origin: Float64
    offsets: np.ndarray
    weights: Float64
    starts: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """How to lay clouds of one side over those of the other: turn about the vertical axis, then shift on the floor.

    Attributes:
        turn: (R, C) radians, counter-clockwise seen from above; (P,) where single cells were asked for.
        shift: (R, C, 2) metres along x and z; (P, 2).
        confidence: (R, C) or (P,) 0..1, how well the turn is determined; near 0 a cloud has no horizontal shape, and the turn no meaning.
    """

    turn: Float
    shift: Float
    confidence: Float


@dataclass(frozen=True)
class PointCloudMetric:
    """Root mean square distances of points in metres, after the best turn and shift on the floor.

    Attributes:
        parameters: the window.
        joint_weights: by joint or role; None: all joints alike.
    """

    parameters: PointCloudParameters = field(default_factory=PointCloudParameters)
    joint_weights: JointWeights | None = None
    name = "point-clouds"
    unit = "m"

    def describe(self, clip: Clip) -> PointCloudFeatures:
        """Features of every frame, from the positions of all weighted joints."""
        positions = clip.world(np.float64).positions
        weights = None
        if self.joint_weights is not None:
            weights = self.joint_weights.of(clip.skeleton)
            positions, weights = positions[:, weights > 0], weights[weights > 0]
        return self.describe_points(positions, clip.fps, weights)

    def describe_points(self, positions: Float, fps: float, weights: Float | None = None) -> PointCloudFeatures:
        """Features of points (F, P, 3) in metres with weights (P,): markers, or virtual points on bones."""
        if positions.ndim != 3 or positions.shape[2] != 3 or positions.shape[1] == 0:
            raise ParameterError(f"points must have shape (frames, points, 3), not {positions.shape}")
        frames, count = positions.shape[:2]
        shares = np.full(count, 1.0 / count) if weights is None else np.asarray(weights, dtype=np.float64)
        if frames == 0 or shares.shape != (count,) or not shares.sum() > 0:
            raise ParameterError(f"{frames} frames of {count} points need {count} weights above zero")
        shares = shares / shares.sum()
        offsets, taper = self.parameters.offsets(fps), self.parameters.weights()
        reach = int(offsets[-1])
        padded = np.clip(np.arange(-((reach + 1) // 2), frames + reach // 2), 0, max(frames - 1, 0))
        here = positions[padded].astype(np.float64)
        middle = here.reshape(-1, 3).mean(axis=0) * (1.0, 0.0, 1.0)
        here -= middle
        single = np.einsum("fpi,p->fi", here, shares)
        squares = np.einsum("fpi,fpi,p->fi", here, here, shares)
        windows = [slice(shift, shift + frames) for shift in offsets.tolist()]
        means = sum((w * single[part] for w, part in zip(taper, windows, strict=True)), np.zeros((frames, 3)))
        total = sum((w * squares[part] for w, part in zip(taper, windows, strict=True)), np.zeros((frames, 3)))
        spread = total[:, 0] + total[:, 2] - means[:, 0] ** 2 - means[:, 2] ** 2
        points = np.moveaxis(here * np.sqrt(shares)[:, None], 2, 1)[:, [0, 2, 1]].reshape(len(padded), -1)
        return PointCloudFeatures(
            np.ascontiguousarray(points),
            np.arange(frames),
            spread + total[:, 1],
            spread,
            np.ascontiguousarray(means[:, [0, 2]]),
            np.tile(middle[[0, 2]], (frames, 1)),
            offsets,
            taper,
            (0, frames),
        )

    def join(self, features: Sequence[PointCloudFeatures]) -> PointCloudFeatures:
        """Features of several clips, end to end; all must have one frame rate, or windows of consecutive frames."""
        starts = joined_starts(features)
        if any(not np.array_equal(part.offsets, features[0].offsets) for part in features):
            raise ParameterError("clips of different frame rates have different windows; resample them to one rate")
        begin = np.cumsum([0] + [len(part.points) for part in features])

        def stacked(field: str) -> Float64:
            return np.concatenate([getattr(part, field) for part in features])

        return PointCloudFeatures(
            np.concatenate([part.points for part in features]),
            np.concatenate([part.first + shift for part, shift in zip(features, begin, strict=False)]),
            stacked("sums"),
            stacked("spread"),
            stacked("means"),
            stacked("origin"),
            features[0].offsets,
            features[0].weights,
            starts,
        )

    def tile(self, a: PointCloudFeatures, b: PointCloudFeatures, rows: slice, columns: slice) -> Float32:
        """(R, C) root mean square distances in metres."""
        above, left = _block(a, rows), _block(b, columns)
        out = np.empty((above.windows, left.windows), np.float32)
        if out.size == 0:
            return np.empty((len(above.first), len(left.first)), np.float32)
        kernels.metrics.aligned_clouds(
            *_products(above.points, left.points),
            a.offsets,
            a.weights,
            above.scattered(a.sums[rows]),
            left.scattered(b.sums[columns]),
            above.scattered(a.means[rows]),
            np.ascontiguousarray(left.scattered(b.means[columns]).T),
            out,
        )
        if above.gaps or left.gaps:
            out = np.ascontiguousarray(out[np.ix_(above.first, left.first)])
        return kernels.metrics.root(out)

    def align(self, a: PointCloudFeatures, b: PointCloudFeatures, rows: slice, columns: slice) -> Alignment:
        """How windows of `b` are best laid over those of `a`: p = turn(p') + shift."""
        above, left = _block(a, rows), _block(b, columns)
        mean_a, mean_b = a.means[rows], b.means[columns]
        cosine, sine, _ = _products(above.points, left.points)

        def slide(products: Float) -> Float:
            found = np.zeros((above.windows, left.windows))
            for shift, weight in zip(a.offsets.tolist(), a.weights, strict=True):
                found += weight * products[shift : shift + above.windows, shift : shift + left.windows]
            return found[np.ix_(above.first, left.first)]

        along = slide(cosine) - mean_a @ mean_b.T
        across = slide(sine) - np.outer(mean_a[:, 0], mean_b[:, 1]) + np.outer(mean_a[:, 1], mean_b[:, 0])
        turn = np.arctan2(across, along)
        spread = np.sqrt(np.maximum(np.outer(a.spread[rows], b.spread[columns]), 1e-30))
        here, there = mean_a + a.origin[rows], mean_b + b.origin[columns]
        sines, cosines = np.sin(turn), np.cos(turn)
        shift = np.empty((*turn.shape, 2))
        shift[..., 0] = here[:, :1] - cosines * there[:, 0] - sines * there[:, 1]
        shift[..., 1] = here[:, 1:] + sines * there[:, 0] - cosines * there[:, 1]
        return Alignment(turn, shift, np.clip(np.hypot(along, across) / spread, 0, 1))

    def align_cells(
        self, a: PointCloudFeatures, b: PointCloudFeatures, rows: np.ndarray, columns: np.ndarray
    ) -> Alignment:
        """Like `align` for single cells: window `rows[n]` of `a` with window `columns[n]` of `b`."""
        count = a.points.shape[1] // 3
        along, across = np.zeros(len(rows)), np.zeros(len(rows))
        for shift, weight in zip(a.offsets.tolist(), a.weights, strict=True):
            p, other = a.points[a.first[rows] + shift], b.points[b.first[columns] + shift]
            x, z, x1, z1 = p[:, :count], p[:, count : 2 * count], other[:, :count], other[:, count : 2 * count]
            along += weight * (np.einsum("np,np->n", x, x1) + np.einsum("np,np->n", z, z1))
            across += weight * (np.einsum("np,np->n", x, z1) - np.einsum("np,np->n", z, x1))
        here, there = a.means[rows], b.means[columns]
        along -= here[:, 0] * there[:, 0] + here[:, 1] * there[:, 1]
        across -= here[:, 0] * there[:, 1] - here[:, 1] * there[:, 0]
        turn = np.arctan2(across, along)
        spread = np.sqrt(np.maximum(a.spread[rows] * b.spread[columns], 1e-30))
        here, there = here + a.origin[rows], there + b.origin[columns]
        sines, cosines = np.sin(turn), np.cos(turn)
        shift = np.empty((len(turn), 2))
        shift[:, 0] = here[:, 0] - cosines * there[:, 0] - sines * there[:, 1]
        shift[:, 1] = here[:, 1] + sines * there[:, 0] - cosines * there[:, 1]
        return Alignment(turn, shift, np.clip(np.hypot(along, across) / spread, 0, 1))


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """The padded frames that the windows of some frames need, and where among them each window begins."""

    points: Float64
    windows: int
    first: np.ndarray

    @property
    def gaps(self) -> bool:
        """True when windows that reach over two clips lie between."""
        return self.windows != len(self.first)

    def scattered(self, values: Float64) -> Float64:
        """Values of frames at the windows they belong to."""
        if not self.gaps:
            return values
        found = np.zeros((self.windows, *values.shape[1:]))
        found[self.first] = values
        return found


def _block(features: PointCloudFeatures, frames: slice) -> _Block:
    first = features.first[frames]
    if len(first) == 0:
        return _Block(features.points[:0], 0, first)
    begin, windows = int(first[0]), int(first[-1] - first[0]) + 1
    end = begin + windows + int(features.offsets[-1])
    return _Block(features.points[begin:end], windows, first - begin)


def _products(a: Float64, b: Float64) -> tuple[Float64, Float64, Float64]:
    """Sums over the points of x x' + z z', of x z' - z x' and of y y', every frame with every frame."""
    count = a.shape[1] // 3
    floor, turned = b[:, : 2 * count], np.empty((len(b), 2 * count))
    turned[:, :count] = b[:, count : 2 * count]
    np.negative(b[:, :count], out=turned[:, count:])
    return a[:, : 2 * count] @ floor.T, a[:, : 2 * count] @ turned.T, a[:, 2 * count :] @ b[:, 2 * count :].T
