"""The hot loops, compiled by Numba: arrays in, arrays out, no package types.

The submodules load on first use (Numba's own import takes a third of a second), so callers write
`kernels.kinematics.forward_kinematics(...)` after `from reenact import kernels`. Every kernel has a plain NumPy twin in
`kernels.twins`, and a property test that the two agree.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__all__ = [
    "adaptive",
    "amc_text",
    "balance",
    "balance_twins",
    "banded",
    "blend_twins",
    "body_moves",
    "body_twins",
    "bvh_text",
    "circle_splines",
    "clustering",
    "contacts",
    "euler",
    "fading",
    "fading_twins",
    "floor_plane",
    "gait",
    "gait_tokens",
    "geodesic_twins",
    "geodesics",
    "kinematics",
    "leg_twins",
    "legs",
    "live_blending",
    "live_feet",
    "live_memory",
    "live_walk",
    "lowest_points",
    "medians",
    "metric_twins",
    "metrics",
    "overlaps",
    "overlaps_twins",
    "piecewise",
    "point_paths",
    "pushes",
    "quaternions",
    "rotation_means",
    "sequences",
    "skin_contacts",
    "skinning",
    "skinning_twins",
    "spline_equations",
    "swing_twins",
    "swings",
    "twins",
    "walk_twins",
    "warping",
    "weighing",
]

if TYPE_CHECKING:
    from reenact.kernels import (
        adaptive,
        amc_text,
        balance,
        balance_twins,
        banded,
        blend_twins,
        body_moves,
        body_twins,
        bvh_text,
        circle_splines,
        clustering,
        contacts,
        euler,
        fading,
        fading_twins,
        floor_plane,
        gait,
        gait_tokens,
        geodesic_twins,
        geodesics,
        kinematics,
        leg_twins,
        legs,
        live_blending,
        live_feet,
        live_memory,
        live_walk,
        lowest_points,
        medians,
        metric_twins,
        metrics,
        overlaps,
        overlaps_twins,
        piecewise,
        point_paths,
        pushes,
        quaternions,
        rotation_means,
        sequences,
        skin_contacts,
        skinning,
        skinning_twins,
        spline_equations,
        swing_twins,
        swings,
        twins,
        walk_twins,
        warping,
        weighing,
    )


def __getattr__(name: str) -> object:
    if name in __all__:
        return importlib.import_module(f"reenact.kernels.{name}")
    raise AttributeError(f"module 'reenact.kernels' has no attribute {name!r}")
