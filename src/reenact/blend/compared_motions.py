"""Distances of motions to each other, made once, so that many parts of them can be tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.blend.distance_grid import describe_samples, measure_grid, sample_frames
from reenact.blend.gate import STRETCH, GateLimits
from reenact.blend.jumps import jumping_frames
from reenact.blend.local_path import find_local_path
from reenact.blend.registration_parameters import RegistrationParameters
from reenact.blend.registration_quality import GOING, worst_stretch
from reenact.blend.standing_heights import heights_apart, standing_heights
from reenact.blend.travel_direction import CHORD, angles_apart, local_velocity
from reenact.blend.warp_path import find_path, smallest_slope_limit
from reenact.core.arrays import Bool
from reenact.core.clip import Clip
from reenact.core.cutting import leg_length
from reenact.core.foot_plants import FootPlants

_LEAST = 1e-9
_ALIKE = (
    0.65,
    0.75,
    0.9,
)  # of the mean distance of bodies that travel: nearer frames make a path longer, others end it


@dataclass(frozen=True, slots=True)
class PartMeasures:
    """What the gate would look at if only a part of the motions were registered; of several pairs the worst.

    Attributes:
        q: mean distance on the path over the mean of the part's grid.
        distance: leg lengths, mean along the path.
        stretch: leg lengths, over the worst third of a second.
        astray: share of the path on which the bodies travel in different directions.
        uneven: leg lengths by which one stands higher than the other where both stand, but for a tenth of that time.
    """

    q: float = 0.0
    distance: float = 0.0
    stretch: float = 0.0
    astray: float = 0.0
    uneven: float = 0.0

    def unlike(self, limits: GateLimits, most_q: float) -> float:
        """How much of its limit the worst measure of how alike they look throughout takes up, with this limit of q."""
        return max(self.q / max(most_q, _LEAST), self.distance / max(limits.most_distance, _LEAST))

    def contrary(self, limits: GateLimits) -> float:
        """How much of its limit the worst measure of other things that they do takes up: for a while, where they go, where they stand."""
        return max(
            self.stretch / max(limits.most_stretch, _LEAST),
            self.astray / max(limits.most_astray, _LEAST),
            self.uneven / max(limits.most_uneven, _LEAST),
        )

    def strain(self, limits: GateLimits, most_q: float) -> float:
        """How much of its limit the worst measure takes up, with this limit of q."""
        return max(self.unlike(limits, most_q), self.contrary(limits))


class ComparedMotions:
    """Motions of one skeleton and rate, compared: the first with all others."""

    def __init__(
        self, clips: Sequence[Clip], plants: Sequence[FootPlants | None], parameters: RegistrationParameters
    ) -> None:
        fps = clips[0].fps
        rate = min(parameters.rate, fps)
        self._step = fps / rate
        self._limit = parameters.slope_limit
        self._angle = parameters.astray_angle
        self._wide, self._leg = max(round(STRETCH * rate), 1), leg_length(clips[0])
        shares = parameters.point_weights()
        at = [sample_frames(len(clip), fps, rate) for clip in clips]
        described = [
            describe_samples(clip, own, rate, parameters.window, parameters.taper, shares, parameters.markers)
            for clip, own in zip(clips, at, strict=True)
        ]
        metric, first = described[0]
        self._grids = [measure_grid(metric, first, other) for _, other in described[1:]]
        self._nearest = nearest = [np.rint(own).astype(np.int64) for own in at]
        self._ways = [local_velocity(clip)[own] for clip, own in zip(clips, nearest, strict=True)]
        self._jumping = [
            jumping_frames(clip, planted, CHORD / 2)[own]
            for clip, planted, own in zip(clips, plants, nearest, strict=True)
        ]
        heights = standing_heights(clips, plants)
        self._standing = [height[own] for height, own in zip(heights, nearest, strict=True)]

    def measure(self, ranges: Sequence[tuple[int, int]]) -> PartMeasures | None:
        """What is found when only these frames [start, end) of each motion are matched; None when the slope limit does not allow it."""
        parts = [slice(int(start / self._step + 0.5), int((end - 1) / self._step + 0.5) + 1) for start, end in ranges]
        q = distance = stretch = astray = uneven = 0.0
        for n, (grid, other) in enumerate(zip(self._grids, parts[1:], strict=True), 1):
            part = grid.distances[parts[0], other]
            if min(part.shape) < 2 or self._limit < smallest_slope_limit(*part.shape):
                return None
            path = find_path(part, self._limit)
            on_path = part[path[:, 0], path[:, 1]].astype(np.float64)
            mean = float(on_path.mean())
            q = max(q, mean / max(float(part.mean(dtype=np.float64)), _LEAST))
            distance = max(distance, mean / self._leg)
            stretch = max(stretch, worst_stretch(on_path, self._wide)[2] / self._leg)
            rows, columns = path[:, 0] + parts[0].start, path[:, 1] + other.start
            astray = max(astray, float(self._astray(n, rows, columns).mean()))
            apart = heights_apart(self._standing[0][rows], self._standing[n][columns])
            uneven = max(uneven, apart / self._leg)
        return PartMeasures(q, distance, stretch, astray, uneven)

    def travelling_together(self) -> list[tuple[tuple[int, int], ...]]:
        """Ranges of frames [start, end) of two motions in which both go somewhere, in the same direction, and look alike for the longest.

        Several, as it is tried with frames that are more and less alike; of more than two motions none.
        """
        if len(self._grids) != 1:
            return []
        distances = self._grids[0].distances.astype(np.float64)
        rows, columns = np.indices(distances.shape)
        moving = [np.linalg.norm(way, axis=1) > GOING for way in self._ways]
        alike = moving[0][:, None] & moving[1][None]
        alike &= ~self._astray(1, rows.ravel(), columns.ravel()).reshape(distances.shape)
        if not alike.any():
            return []
        usual, found = float(distances[alike].mean()), []
        for share in _ALIKE:
            near = share * usual
            path = find_local_path(np.where(alike, np.maximum(near - distances, -2 * near), -2 * near), self._limit)
            if len(path) > 1:
                ends = zip(*path[[0, -1]].tolist(), strict=True)
                found.append(
                    tuple(
                        (int(own[low]), int(own[high]) + 1)
                        for own, (low, high) in zip(self._nearest, ends, strict=True)
                    )
                )
        return found

    def _astray(self, other: int, rows: np.ndarray, columns: np.ndarray) -> Bool:
        """(N,) cells in which the first motion and another travel in different directions, but for where both jump."""
        apart = angles_apart(self._ways[0][rows], self._ways[other][columns], self._leg) > self._angle
        return apart & ~(self._jumping[0][rows] & self._jumping[other][columns])
