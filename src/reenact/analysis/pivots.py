"""Feet that turn where they stand: only the point they turn about is planted.

Both ends of a foot are low and slow while a body turns on it, so both are found planted; holding both would keep the foot from turning.
"""

from __future__ import annotations

import numpy as np

from reenact.analysis.foot_points import find_foot_points
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootContact, FootPlants, intervals_of
from reenact.errors import SkeletonError

MOST_TURN = np.radians(15.0)
"""Radians that a foot may turn about the vertical while heel and ball are planted; recorded feet that stand turn by less."""


def let_pivot(plants: FootPlants, clip: Clip) -> FootPlants:
    """The plants, with the point that sweeps let go wherever a foot turns on heel and ball; a foot that was planted still is."""
    try:
        points = find_foot_points(clip.skeleton, clip)
    except SkeletonError:
        return plants
    paths = points.paths(clip).astype(np.float64)[:, :, [0, 2]]
    feet = {side: plants.foot(side) for side in ("left", "right")}
    changed = False
    for number, side in enumerate(points.sides):
        if points.single(side):
            continue
        ends = {"heel": paths[:, 2 * number], "ball": paths[:, 2 * number + 1]}
        masks = {"heel": feet[side].heel.copy(), "ball": feet[side].ball.copy()}
        sole = ends["ball"] - ends["heel"]
        for start, end in intervals_of(masks["heel"] & masks["ball"]):
            angles = np.unwrap(np.arctan2(sole[start:end, 0], sole[start:end, 1]))
            if np.ptp(angles) > MOST_TURN:
                way = {name: float(np.ptp(path[start:end], axis=0).sum()) for name, path in ends.items()}
                masks["heel" if way["heel"] >= way["ball"] else "ball"][start:end] = False
                changed = True
        feet[side] = FootContact(masks["heel"], masks["ball"], feet[side].confidence)
    return FootPlants(feet["left"], feet["right"], plants.fps, plants.floor, plants.source) if changed else plants
