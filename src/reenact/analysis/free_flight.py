"""Free flight: while nothing touches the floor, the centre of mass falls at g, whatever the body does.

The height of the centre of mass over a flight is then a parabola whose curvature gives the time scale of the recording: a
clip played twice too fast falls at 4 g. A body that is not flying can fall slower than g but not faster, so a fall well beyond g
tells the same even where the feet are hidden by stairs, boxes or a rolling floor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.limbs import Limbs
from reenact.core.arrays import Bool, Float, Float64

G = 9.81
"""Metres per second squared."""

_CLEAR = 0.06  # of a leg: height of feet and hands over the floor in flight
_LEAST_SAMPLES = 5
_LEAST_ARC = 0.012  # metres, height of the parabola over its chord
_ROUGH = 0.09  # largest residual, as a share of the arc
_LATE = 0.3  # of the flight: how far its top may lie from the middle
_LONGEST = 2.5  # seconds; nobody flies longer than 1.2, and a clip may play twice too slowly
_HELD = 0.55  # of the mean speed of the centre of mass: a foot or hand that is slower carries the body
_WINDOW = 0.1  # seconds over which an acceleration is fitted
_FALL = 1.6  # g, from which on a fall is looked at


@dataclass(frozen=True, slots=True)
class Flight:
    """One time with neither foot nor hand on the floor.

    Attributes:
        seconds: its length by the clip's frame rate.
        fall: downward acceleration of the centre of mass, metres per second squared.
        arc: height of the fitted parabola over its chord, metres.
        frames: half-open range of the samples it was found in.
    """

    seconds: float
    fall: float
    arc: float
    frames: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Fall:
    """One time in which the centre of mass falls faster than it can.

    Attributes:
        seconds: its length by the clip's frame rate, without the window of the fit.
        fall: median downward acceleration, metres per second squared.
        rough: residual of the fit as a share of the arc; a fault of the recording is rough, a flight is not.
        push: largest upward acceleration within 0.3 s before or after.
    """

    seconds: float
    fall: float
    rough: float
    push: float


def mass_weights(limbs: Limbs) -> dict[int, float]:
    """Weight of each joint in the centre of mass (sum 1), from segment masses and centres of de Leva 1996, rounded.

    Trunk and head count half at the hips and half at the head, a limb's segment at the joints of its ends, so that turning a limb
    moves as much mass as it does.
    """
    weights: dict[int, float] = {}

    def add(joints: tuple[int, ...], share: float) -> None:
        for joint in joints:
            weights[joint] = weights.get(joint, 0.0) + share / len(joints)

    head = (limbs.head,) if limbs.head >= 0 else (limbs.hips,)
    arms, elbows, hands = (limbs.arms, limbs.elbows, limbs.hands) if limbs.arms else (head, head, head)
    for joints, share in (
        ((limbs.hips,), 0.289), (head, 0.289), (limbs.thighs, 0.114), (limbs.knees, 0.139), (limbs.feet, 0.04),
        (limbs.soles, 0.029), (arms, 0.023), (elbows, 0.05), (hands, 0.027),
    ):  # fmt: skip
        add(joints, share)
    return weights


def find_flights(mass: Float64, points: Float, leg: float, fps: float) -> list[Flight]:
    """Flights over a level floor.

    Args:
        mass: (F, 3) centre of mass, metres, Y up.
        points: (F, K, 3) feet and hands.
        leg: leg length, metres.
        fps: of these samples.
    """
    lowest = points[..., 1].min(axis=1)
    floor = np.percentile(lowest, 10)
    found = []
    for begin, end in runs(lowest > floor + _CLEAR * leg):
        count = end - begin
        seconds = count / fps
        if count < _LEAST_SAMPLES or begin < 2 or end > len(mass) - 2 or seconds > _LONGEST:
            continue
        fall, rough, apex = _parabola(mass[begin:end, 1], fps)
        arc = fall * seconds * seconds / 8
        if arc < _LEAST_ARC or rough > _ROUGH * arc or abs(apex) > _LATE * seconds:
            continue
        slowest = _moves(points[begin:end]).mean(axis=0).min()
        if slowest < _HELD * _moves(mass[begin:end]).mean():
            continue  # a hand or a foot stays where it is: a cartwheel, a step on a box
        found.append(Flight(seconds, fall, arc, (begin, end)))
    return found


def find_falls(height: Float64, fps: float) -> list[Fall]:
    """Times in which the centre of mass falls at more than 1.6 g; `height` (F,) in metres."""
    half = max(2, round(_WINDOW * fps / 2))
    if len(height) < 2 * half + 3:
        return []
    times = np.arange(-half, half + 1) / fps
    curve = times**2 - np.mean(times**2)
    curve *= 2 / (curve @ times**2)
    acceleration = np.convolve(height, curve[::-1], "valid")
    reach = max(1, round(0.3 * fps))
    found = []
    for begin, end in runs(acceleration < -_FALL * G):
        fall = -float(np.median(acceleration[begin:end]))
        roughs = [_parabola(height[k : k + 2 * half + 1], fps)[1] for k in range(begin, end)]
        arc = fall * (half / fps) ** 2 / 2
        around = np.concatenate([acceleration[max(0, begin - reach) : begin], acceleration[end : end + reach]])
        push = float(around.max()) if len(around) else 0.0
        found.append(Fall((end - begin) / fps, fall, float(np.median(roughs)) / arc, push))
    return found


def runs(mask: Bool) -> list[tuple[int, int]]:
    """Half-open ranges in which `mask` (F,) is True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _moves(points: Float) -> Float:
    """(F - 1, ...) distances from frame to frame of points (F, ..., 3)."""
    apart = np.diff(points, axis=0)
    return np.sqrt(np.einsum("...i,...i->...", apart, apart))


def _parabola(height: Float64, fps: float) -> tuple[float, float, float]:
    """Downward acceleration, residual (root mean square) and time of the top from the middle, of the best parabola."""
    count = len(height)
    times = (np.arange(count) - (count - 1) / 2) / fps
    square = times**2 - np.mean(times**2)  # orthogonal to 1 and to the times: each coefficient by itself
    bend, slope = (square @ height) / (square @ square), (times @ height) / (times @ times)
    residual = height - height.mean() - bend * square - slope * times
    top = -slope / (2 * bend) if bend != 0 else 0.0
    return -2 * float(bend), float(np.sqrt(np.mean(residual**2))), float(top)
