"""Ways over the floor to walk along: circles, curves through points, and how tight a curve may be."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float
from reenact.core.smoothing import smooth
from reenact.errors import ParameterError
from reenact.walk.travel_path import TravelPath, unit

G = 9.81
_GRAIN = 0.01  # metres between the points of a way
_MOST_LEAN = 0.5  # tangent of the lean that a curve asks for at most
_MOST_TURN = 1.0  # radians that a step may turn
# of what would balance a curve, by recorded walks and runs (tools/measure_leans.py): how far trunks lean, and hips are beside the feet
_TRUNK, _TRUNK_LIMIT = 0.4, 0.15  # the most in radians
_FEET, _FEET_LIMIT = 0.9, 0.3
_CALM = 0.3  # seconds, width of the low-pass over what balances a recording's own curves


def circle(start: ArrayLike, direction: float, radius: float, length: float) -> TravelPath:
    """A way on a circle.

    Args:
        start: (x, z) metres.
        direction: radians, heading at the start.
        radius: metres; positive turns to the left, negative to the right.
        length: metres of the way.
    """
    along = np.arange(0.0, length + 1.0, _GRAIN)
    directions = direction + along / radius
    middle = direction + (along[1:] - 0.5 * _GRAIN) / radius
    points = np.concatenate([np.zeros((1, 2)), np.cumsum(_GRAIN * unit(middle), axis=0)])
    return TravelPath(points + np.asarray(start, dtype=np.float64), along, directions)


def curve_through(points: ArrayLike) -> TravelPath:
    """A smooth way through points (N, 2) metres (x, z), which are passed in their order.

    Raises:
        ParameterError: fewer than two different points.
    """
    from scipy.interpolate import CubicSpline

    places = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    away = np.linalg.norm(np.diff(places, axis=0), axis=1) if len(places) > 1 else np.zeros(0)
    places = places[np.concatenate([[True], away > 1e-6])]
    if len(places) < 2:
        raise ParameterError("a way needs at least two different points", where="through")
    if not np.isfinite(places).all():
        raise ParameterError("the points of a way must be finite numbers", where="through")
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    knots = np.concatenate([[0.0], np.cumsum(np.sqrt(steps))])  # centripetal: no loops beside points that lie close
    if len(places) == 2:
        fine = places[0] + np.linspace(0.0, 1.0, max(int(steps[0] / _GRAIN), 2))[:, None] * (places[1] - places[0])
    else:
        count = max(int(4 * steps.sum() / _GRAIN), 8)
        fine = CubicSpline(knots, places, bc_type="natural")(np.linspace(0.0, knots[-1], count))
    sizes = np.linalg.norm(np.diff(fine, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(sizes)])
    even = np.linspace(0.0, along[-1], max(int(along[-1] / _GRAIN), 2))
    line = np.stack([np.interp(even, along, fine[:, axis]) for axis in (0, 1)], axis=1)
    steps = np.diff(line, axis=0)
    turned = np.unwrap(np.arctan2(steps[:, 0], steps[:, 1]))
    middle = 0.5 * (even[1:] + even[:-1])
    return TravelPath(line, even, np.interp(even, middle, turned))


def curvature(way: TravelPath, along: Float) -> Float:
    """(N,) radians per metre, to the left positive, over about a fifth of a metre."""
    near = 0.1
    return (way.direction_at(along + near) - way.direction_at(along - near)) / (2 * near)


def check_curves(way: TravelPath, along: Float, speed: float, step: float) -> None:
    """Raise an error where a way is too tight to be walked.

    Args:
        way: the way.
        along: (N,) metres along it that are walked.
        speed: metres per second.
        step: metres.
    """
    tightest = max(speed**2 / (G * _MOST_LEAN), step / _MOST_TURN, 0.2)
    bends = np.abs(curvature(way, np.clip(along, way.along[0], way.along[-1])))
    worst = int(np.argmax(bends))
    if bends[worst] > 1.0 / tightest:
        raise ParameterError(
            f"the path turns with a radius of {1.0 / bends[worst]:.2f} m after {along[worst]:.2f} m; at {speed:.1f} m/s with steps of "
            f"{step:.2f} m the tightest that can be walked is {tightest:.2f} m",
            where="path",
        )


def balance(way: TravelPath, along: Float, fps: float) -> Float:
    """(F,) radians to the left that balance the curves of a way at the speed it is walked."""
    speed = np.gradient(along) * fps if len(along) > 1 else np.zeros(len(along))
    return np.arctan(speed**2 * curvature(way, along) / G)


def lean_into(balanced: Float, fps: float) -> Float:
    """(F,) radians to the left that a trunk leans into curves, as recorded ones do; `balanced` (F,) see `balance`."""
    return smooth(_TRUNK_LIMIT * np.tanh(_TRUNK * balanced / _TRUNK_LIMIT), 0.15 * fps)


def feet_outside(balanced: Float, fps: float) -> Float:
    """(F,) of the height of the hips: how far feet stand to the right of the body in curves to the left, as recorded ones do."""
    return np.tan(smooth(_FEET_LIMIT * np.tanh(_FEET * balanced / _FEET_LIMIT), 0.15 * fps))


def balance_of(path: TravelPath, fps: float) -> Float:
    """(F,) radians to the left that balance the curves of a recorded way."""
    return smooth(balance(path, path.along, fps), _CALM * fps)
