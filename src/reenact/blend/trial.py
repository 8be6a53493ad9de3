"""Blends that are tried out: their measured quality against their sources decides.

Of motions that look too unlike for the gate parts are blended. Of motions whose ends do not go together the steps alone are.

How alike two motions look throughout only promises what a blend of them is worth. Where bodies go and stand the same way, are nowhere far
apart for a third of a second and only look otherwise, the blend is made and measured against its sources. Bodies that travel in different
directions, stand on different floors, or of which only one jumps do different things, and nothing measured of a blend makes that good.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from reenact.blend.common_parts import find_parts_to_try
from reenact.blend.gate import LIKENESS
from reenact.blend.registration import refusal, register, register_part
from reenact.blend.registration_curve import RegistrationCurve
from reenact.blend.registration_parameters import RegistrationParameters
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.progress import tell
from reenact.errors import ParameterError
from reenact.solve.result_quality import LIMITS, badness_of

_MOST_TRIED = 6
_KEPT = 0.8  # of a blend's time that one from step to step lasts at least
_GOOD = 1.0  # on the scale of `ResultQuality.badness`


def blend_what_holds(
    refused: RegistrationCurve, parameters: RegistrationParameters, make: Callable[[RegistrationCurve], Made]
) -> Made:
    """The blend of the first part that the gate refuses for its looks alone and that blends well all the same.

    Args:
        refused: the registration of the motions, refused.
        parameters: those of that registration.
        make: makes the blend of a registration, with what it is worth in its report.

    Returns:
        the blend; its verdict is "doubtful", its reasons say what is above the limits and that it was tried out.

    Raises:
        ParameterError: no part goes alike, or no blend of one is good in every figure; the message says which.
    """
    clips, plants = zip(*refused.wholes, strict=True)
    if parameters.trim not in ("auto", "needed"):
        raise refusal(refused)
    why = next(excess.message for excess in refused.quality.excesses if excess.refused)
    nearest: tuple[float, str] | None = None
    tried = 0
    for part in find_parts_to_try(clips, plants, parameters):
        curve = register_part(clips, parameters, plants, part, why)
        if curve is None or any(one.refused and one.limit not in LIKENESS for one in curve.quality.excesses):
            continue
        tell(tried / _MOST_TRIED, "trying what blends well")
        tried += 1
        curve = replace(curve, wholes=refused.wholes)
        made = make(curve)
        worst, said = _worst_figure(made.report["quality"])
        doubts = made.report["doubts"]
        if not doubts and worst <= _GOOD:
            return _accepted(made)
        if nearest is None or worst < nearest[0]:
            nearest = worst, doubts[0] if doubts else said
        if tried == _MOST_TRIED:
            break
    if nearest is None:
        raise refusal(refused)
    raise refusal(
        refused,
        f"{tried} parts that go the same way were blended all the same, and none is good: of the best, {nearest[1]}",
    )


def blend_by_steps(
    made: Made,
    clips: Sequence[Clip],
    plants: Sequence[FootPlants | None],
    parameters: RegistrationParameters,
    make: Callable[[RegistrationCurve], Made],
) -> Made:
    """A blend that is not good in every figure, cut to the steps that all motions take where that is good; else as it is.

    Where one motion begins or ends in the middle of a swing and another in a stance, a foot has to be there in no time: legs whip and
    hips hurry.

    Args:
        made: the blend as it was made, with what it is worth in its report.
        clips: its motions.
        plants: their foot plants.
        parameters: those of its registration.
        make: makes the blend of a registration.
    """
    worst, said = _worst_figure(made.report["quality"])
    if worst <= _GOOD:
        return made
    try:
        curve = register(clips, replace(parameters, trim="steps", gate="warn"), plants)
    except ParameterError:
        return made
    if curve.quality.verdict == "refused":
        return made
    again = make(curve)
    good = _worst_figure(again.report["quality"])[0] <= _GOOD and not again.report["doubts"]
    if not good or again.clip.seconds < _KEPT * made.clip.seconds:
        return made
    return replace(again, report={**again.report, "part": f"from step to step; with what is around them, {said}"})


def _accepted(made: Made) -> Made:
    """The blend of a part that was refused for its looks, with the verdict that it has earned."""
    said = "yet the blend was tried out, and is good in all that is measured against its sources"
    return replace(made, report={**made.report, "verdict": "doubtful", "reasons": [*made.report["reasons"], said]})


def _worst_figure(quality: Mapping[str, Any]) -> tuple[float, str]:
    """The worst of the figures of a report, on the scale of `ResultQuality.badness`, and it in words."""
    found = [
        (badness_of(quality[name], good, limit), f"{name} is {quality[name]:g}, good is up to {good:g} {unit}")
        for name, (good, limit, unit) in LIMITS.items()
        if name in quality
    ]
    return max(found)
