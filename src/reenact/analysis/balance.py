"""Balance: where the weight must press on the floor for a body to move as it does, and whether a foot is there.

The floor pushes a body at one point, the centre of pressure, which lies within the feet that stand. Where that point must be follows
from the motion alone: it is away from below the centre of mass by what the mass accelerates (the zero-moment point of Vukobratovic and
Borovac 2004, here with the mass at the joints). Accelerations of a clip that plays twice too fast are four times too large, so the point
leaves the feet, whatever the body does: walking, kicking, dancing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact import kernels
from reenact.analysis.free_flight import G
from reenact.core.arrays import Float, Float64

_WINDOW = 0.1  # seconds over which an acceleration is fitted
_LIGHT = 0.3  # of the weight: with less on the floor the centre of pressure is anywhere
_ADULT_LEG = 0.83  # metres
_FOOT = 0.06  # metres that a foot reaches beyond its joints, for such a leg
_ERROR = 0.02  # metres, of the centre of pressure
_ANKLE, _BALL = 0.17, 0.1  # of a leg: how high over the lowest ones the joints of a standing foot may be
_STAYS = 0.03  # of a leg: and how far they may move in the window
_STILL, _NEAR = 0.15, 0.12  # a foot that carries a step: slower than this share of the other, and as low, of a leg
_STEP, _LEAST_STEP = 0.2, 4  # of a leg, and samples: what the other foot is carried in a step
_ASIDE = 0.03  # of a leg: the mass must be this far from over the foot to lean
_FIRM = 0.15  # seconds before and after in which both feet stand, too, for the body to be on both
_FEW = 8  # samples


@dataclass(frozen=True, slots=True)
class Balance:
    """How a clip keeps its balance.

    Attributes:
        leans: (N,) for each step on one foot, how far the pressure is from below the mass towards the foot: 0 without acceleration,
            about 0.75 for people, never much above 1, and four times that for a clip that plays twice too fast.
        loads: three quarters and nine tenths of the time the pressure is nearer to below the mass than this share of the way to
            the end of the feet.
        seconds: how long the feet stand, by the clip's frame rate; 0 when too short for `loads`.
        plunge: fastest rise or fall of the mass over feet that stay, metres per second; 0 when they never do.
    """

    leans: Float64
    loads: tuple[float, float]
    seconds: float
    plunge: float


NO_BALANCE = Balance(np.empty(0), (0.0, 0.0), 0.0, 0.0)
"""Of clips that show none."""


def find_balance(points: Float, masses: Float64, feet: tuple[int, int, int, int], leg: float, fps: float) -> Balance:
    """How a body on a level floor keeps its balance.

    Args:
        points: (F, K, 3) joints, metres, Y up, finite.
        masses: (K,) share of the mass at each, sum 1.
        feet: places of both ankles and both balls among the joints, the left one first.
        leg: leg length, metres.
        fps: of these samples.
    """
    half = max(2, round(_WINDOW * fps / 2))
    if len(points) < 2 * half + _LEAST_STEP:
        return NO_BALANCE
    limits = kernels.balance.BalanceLimits(
        half, G, _LIGHT, _FOOT * leg / _ADULT_LEG, _ERROR, _ANKLE * leg, _BALL * leg, _STAYS * leg,
        _STILL, _NEAR * leg, _STEP * leg, _LEAST_STEP, _ASIDE * leg, max(2, round(_FIRM * fps)), _FEW,
    )  # fmt: skip
    leans, numbers = kernels.balance.find_balance(points, masses, feet, fps, limits)
    most, nearly_all, seconds, plunge = numbers.tolist()
    return Balance(leans, (most, nearly_all), seconds, plunge)
