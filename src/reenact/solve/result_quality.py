"""What a result is worth: how far planted points slip, and how hard joints are pushed compared with the sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.derivatives import differentiate_twice
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.solve.feet import Foot, find_feet, track_foot


def measure_slips(
    clip: Clip, plants: FootPlants, start: int = 0, end: int | None = None, feet: Sequence[Foot] | None = None
) -> list[dict[str, Any]]:
    """Slip of every planted point within frames [start, end).

    For each interval of a point (heel in heel intervals, ball in ball intervals): `slip_mm`, the farthest two of its places lie apart
    horizontally; `way_mm`, the length of the horizontal path it makes; `step_mm`, the most it moves in one frame. The feet are those
    of the clip unless they are given.
    """
    end = len(clip) if end is None else end
    world = clip.world(np.float64)
    found = []
    for foot in find_feet(clip.skeleton, clip) if feet is None else feet:
        track, contact = track_foot(world, foot), plants.foot(foot.side)
        points = (("heel", contact.heel, track.heel), ("ball", contact.ball, track.ball))
        for name, mask, path in points[: 1 if foot.single else 2]:
            for first, last in intervals_of(mask[start:end]):
                places = path[start + first : start + last][:, [0, 2]]
                away = ground_diameter(places)
                steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
                found.append(
                    {
                        "foot": foot.side,
                        "point": name,
                        "start": start + first,
                        "end": start + last,
                        "slip_mm": round(1000 * float(away), 3),
                        "way_mm": round(1000 * float(steps.sum()), 3),
                        "step_mm": round(1000 * float(steps.max(initial=0.0)), 3),
                    }
                )
    return found


def ground_diameter(places: Float) -> float:
    """The largest distance between any two points (N, 2) on the ground; by their hull's directions, to a thousandth."""
    angles = np.linspace(0, np.pi, 72, endpoint=False)
    along = places @ np.stack([np.cos(angles), np.sin(angles)])
    return float(np.ptp(along, axis=0).max(initial=0.0))


def joint_accelerations(clip: Clip) -> Float:
    """(F,) m/s^2, the largest world acceleration of any joint in every frame; the first and last frame have none."""
    if len(clip) < 3:
        return np.zeros(len(clip))
    pushed = np.linalg.norm(differentiate_twice(clip.world(np.float64).positions, clip.fps), axis=2).max(axis=1)
    pushed[[0, -1]] = 0.0  # one-sided there, which only makes noise larger
    return pushed


def acceleration_ratio(result: Clip, start: int, end: int, sources: Sequence[Clip]) -> float:
    """The largest joint acceleration in frames [start, end) of the result, as a share of the sources' largest."""
    most = max((float(joint_accelerations(source).max(initial=0.0)) for source in sources), default=0.0)
    here = float(joint_accelerations(result)[max(start, 0) : end].max(initial=0.0))
    return here / most if most > 1e-9 else (0.0 if here < 1e-9 else float("inf"))
