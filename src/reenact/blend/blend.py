"""Blends of two or more motions by registration curves (Kovar and Gleicher 2003; Aherne 2005), and the linear baselines.

from reenact.blend.blend import BlendParameters, blend
made = blend([walk, sneak], BlendParameters(weights="0.3,0.7"))
made.clip, made.plants, made.report
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reenact.analysis.carried_plants import known_plants
from reenact.blend.blend_parameters import BlendParameters
from reenact.blend.blend_quality import floor_way, mean_jerk, slide_speed, way_ratio
from reenact.blend.cut_steps import describe_cut_steps
from reenact.blend.grounding import stand_heights
from reenact.blend.joining import join
from reenact.blend.linear import Pairing, blend_linearly, schedule_linear
from reenact.blend.plant_matching import match_plants
from reenact.blend.playing import Played, play, schedule_curve
from reenact.blend.preparing import bring_together
from reenact.blend.registration import register
from reenact.blend.registration_curve import RegistrationCurve
from reenact.blend.standing_feet import doubt_standing
from reenact.blend.timing import Schedule
from reenact.blend.trial import blend_by_steps, blend_what_holds
from reenact.blend.weights import WeightFunction, Weights, passing_weights, weights_of
from reenact.core.arrays import Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.progress import stage, tell
from reenact.solve.result_quality import measure_result
from reenact.solve.second_opinion import doubt_glides
from reenact.solve.shown import Shown

__all__ = ["BlendParameters", "blend", "blend_curve"]


def blend(
    clips: Sequence[Clip],
    parameters: BlendParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
    weights: WeightFunction | Sequence[float] | None = None,
) -> Made:
    """The motion between several motions, or from the first to the last of them.

    The result has the first clip's skeleton and rate and starts where the reference does. Clips of other bone lengths are scaled by leg
    length, clips on another floor are levelled. With all weight on one clip the result is that clip: whole, and with its feet as recorded,
    to a hundredth of a millimetre; with `untouched` it is that clip to the bit.

    Args:
        clips: two or more with the same joints.
        parameters: see `BlendParameters`.
        plants: foot plants of the clips; detected where None.
        weights: instead of `parameters.weights`: one number for each clip, or a function of the result's time in seconds that gives them.
            What a function will say is not known beforehand: its result is the registered part of the motions (`ranges`, in words
            `left_out`) even where it gives all weight to one clip all along, which as numbers would be that clip, whole; that is a doubt.

    Returns:
        clip; plants carried from the motions; report with `q`, `verdict`, `reasons`, `ranges` (the frames of each clip that were used),
        `left_out` and `mid_step` (words), `matches`, `slide_m_s` over the carried plants, `path_m`, `path_ratio`, `jerk_m_s3`, `seconds`
        and what the clean-up did.

    Raises:
        ParameterError: weights that do not fit, clips that are too short, or motions that do not correspond; the message says why, and
            how to blend them all the same.
        SkeletonError: the clips have different joints.
    """
    parameters = parameters or BlendParameters()
    motions = len(clips)
    if parameters.mode == "transition":
        plan = passing_weights(max(motions, 2))
    else:
        plan = weights_of(parameters.weights if weights is None else weights, motions)
    alone = plan.alone()
    if parameters.untouched and alone is not None and parameters.mode == "interpolate":
        own = None if plants is None else plants[alone]
        report = {"weights": plan.describe(), "untouched": clips[alone].name, "seconds": round(clips[alone].seconds, 4)}
        return Made(clips[alone], report, known_plants(clips[alone], own))
    together, known = bring_together(clips, plants)
    if parameters.local:
        return join(together, known, parameters)
    if parameters.method in ("linear", "linear-normalised"):
        pairing: Pairing = "index" if parameters.method == "linear" else "normalised"
        made = blend_linearly(together, plan, pairing, known)
        schedule = schedule_linear(together, plan, pairing)
        return replace(made, report=_measure(made, together, plan, schedule) | made.report)
    if alone is not None and parameters.trim == "auto":  # nothing is mixed: the clip as it is, all of it
        parameters = replace(parameters, trim="off")
    asked = parameters.registration()
    with stage(0.05, 0.6, "finding which frames belong together"):
        curve = register(together, replace(asked, gate="warn") if parameters.gate == "try" else asked, known)
    with stage(0.6, 1.0):
        if parameters.gate == "try" and curve.quality.verdict == "refused":
            return blend_what_holds(curve, asked, lambda part: blend_curve(part, parameters, plan))
        made = blend_curve(curve, parameters, plan)
        if alone is not None or parameters.trim != "auto" or parameters.mode != "interpolate" or made.plants is None:
            return made
        return blend_by_steps(made, together, known, asked, lambda part: blend_curve(part, parameters, plan))


def blend_curve(curve: RegistrationCurve, parameters: BlendParameters, weights: Weights | None = None) -> Made:
    """A blend along a curve that is there already; cheap, so that many weights can be tried on one registration.

    Args:
        curve: the registered motions.
        parameters: only what concerns the blend counts, not the registration.
        weights: instead of the parameters'.
    """
    thesis = parameters.method == "thesis"
    if weights is None and parameters.mode == "transition":
        weights = passing_weights(curve.motions)
    plan = weights_of(parameters.weights, curve.motions) if weights is None else weights
    curve, matching = match_plants(curve, parameters.gap_rule, parameters.overlap)
    timing = "path_cells" if thesis else parameters.timing
    fps = _cell_rate(curve) if timing == "path_cells" else curve.fps
    schedule = schedule_curve(curve, plan, timing, fps)
    tell(0.1, "mixing poses")
    played = play(curve, schedule, "reference" if thesis else parameters.path, fps)
    quality, left_out = curve.quality, _left_out(curve)
    made = Made(played.clip, {}, played.plants)
    report = {
        "q": round(quality.q, 4),
        "mean_distance_m": round(quality.mean_distance, 4),
        "verdict": quality.verdict,
        "reasons": list(quality.reasons),
        "ranges": [list(kept) for kept in curve.ranges],
        **({"part": curve.part} if curve.part else {}),
        **({"left_out": left_out} if left_out else {}),
        "reference": curve.clips[curve.reference].name,
        "matches": matching.describe(),
        **_measure(made, curve.clips, plan, played.schedule),
        **_opposed(played),
    }
    tell(0.4, "holding planted feet")
    alone = not (schedule.mixed.any() or np.ptp(schedule.weights, axis=0).any())
    if alone:
        report["clean_up"] = "not done: one clip has all the weight, and its feet stay as recorded"
    made = replace(made, report=report)
    if parameters.enforce and not (thesis or alone):
        made = _enforce(
            made, [clip for clip, _ in curve.wholes], stand_heights(curve.clips, played.schedule, made.plants)
        )
    tell(0.9, "measuring the result")
    made = _judged(made, curve, played.schedule)
    cut = describe_cut_steps(made.plants, curve.ranges, [len(clip) for clip, _ in curve.wholes], curve.fps)
    if cut:
        made.report["mid_step"] = cut
    if alone and plan.function is not None and left_out:
        said = f"the weights are a function, and give one clip all along: {left_out}; the same weights as numbers give it whole"
        made.report["doubts"].append(said)
    return made


def _left_out(curve: RegistrationCurve) -> str:
    """In words, which frames of the clips lie outside the registered part; empty where there are none."""
    found = []
    for (clip, _), (start, end) in zip(curve.wholes, curve.ranges, strict=True):
        parts = [f"{a} to {b}" for a, b in ((0, start), (end, len(clip))) if b > a]
        if parts:
            found.append(f"frames {' and '.join(parts)} of {clip.name or 'a clip'}")
    return f"{', '.join(found)} are left out" if found else ""


def _judged(made: Made, curve: RegistrationCurve, schedule: Schedule) -> Made:
    """The blend with what it is worth against its sources, the whole of them, in the report."""
    sources = []
    for n, ((clip, own), (start, end)) in enumerate(zip(curve.wholes, curve.ranges, strict=True)):
        shown = np.clip(np.rint(schedule.frames[:, n]).astype(int), 0, end - start - 1) + start
        sources.append(Shown(clip, own, shown, schedule.weights[:, n]))
    measured = measure_result(made.clip, made.plants, sources)
    standing = made.report["clean_up"].get("standing") if isinstance(made.report.get("clean_up"), dict) else None
    doubts = measured.doubts() + (doubt_standing(standing) if standing else [])
    if standing and not doubts:
        doubts = doubt_glides(made.clip, sources[0].clip)
    return replace(made, report={**made.report, "quality": measured.describe(), "doubts": doubts})


def _cell_rate(curve: RegistrationCurve) -> float:
    """Frames per second at which the samples were compared: those of a mean motion."""
    lengths = [(len(at) - 1) / max(float(at[-1] - at[0]), 1e-9) for at in curve.samples]
    return float(np.mean(lengths)) * curve.fps


def _opposed(played: Played) -> dict[str, Any]:
    return {"opposed": played.opposed} if played.opposed else {}


def _measure(made: Made, sources: Sequence[Clip], plan: Weights, schedule: Schedule) -> dict[str, Any]:
    """What is measured on every blend."""
    ratio = way_ratio(made.clip, sources, schedule)
    report: dict[str, Any] = {
        "weights": plan.describe(),
        "path_m": round(floor_way(made.clip), 4),
        "path_ratio": None if ratio is None else round(ratio, 4),
        "jerk_m_s3": round(mean_jerk(made.clip), 2),
        "jerk_of_clips_m_s3": [round(mean_jerk(source), 2) for source in sources],
        "seconds": round(made.clip.seconds, 4),
    }
    if made.plants is not None:
        report["slide_m_s"] = round(slide_speed(made.clip, made.plants), 5)
    return report


def _enforce(
    made: Made, sources: Sequence[Clip] = (), heights: dict[str, tuple[Float64, Float64]] | None = None
) -> Made:
    """The blend with its planted feet held still, as high as those of its motions stand on the average."""
    if made.plants is None:
        return replace(made, report={**made.report, "clean_up": "not done: no foot plants are known"})
    from reenact.blend.clean import CleanParameters, clean

    cleaned = clean(made.clip, CleanParameters(), made.plants, sources=sources, heights=heights)
    plants = made.plants if cleaned.plants is None else cleaned.plants
    report = {
        **made.report,
        "slide_before_clean_up_m_s": made.report.get("slide_m_s"),
        "slide_m_s": round(slide_speed(cleaned.clip, plants), 5),
        "path_m": round(floor_way(cleaned.clip), 4),
        "jerk_m_s3": round(mean_jerk(cleaned.clip), 2),
        "clean_up": cleaned.report,
    }
    if made.report.get("path_ratio") is not None and made.report.get("path_m"):
        report["path_ratio"] = round(made.report["path_ratio"] * report["path_m"] / made.report["path_m"], 4)
    return Made(cleaned.clip, report, plants)
