"""Registration of two or more motions: which frames correspond, and how the bodies lie on each other.

Kovar and Gleicher (2003); Aherne (2005); registration specification A2 to A7 and A16. Every motion is matched with one reference; the
matches are merged along the reference's frames into one path of k-tuples, through which the time warp and the alignment curve are fitted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.blend.alignment_curve import fit_alignment_curve
from reenact.blend.common_parts import CommonPart, describe_part, find_common_parts
from reenact.blend.distance_grid import DistanceGrid, describe_samples, measure_grid, sample_frames
from reenact.blend.preparing import bring_together
from reenact.blend.registration_curve import RegistrationCurve, RegistrationQuality
from reenact.blend.registration_parameters import THESIS, RegistrationParameters
from reenact.blend.registration_quality import judge
from reenact.blend.time_warp import fit_time_warp, lowered_floor, slope_floor
from reenact.blend.trimming import match_steps
from reenact.blend.warp_path import (
    InfeasiblePath,
    find_free_path,
    find_greedy_path,
    find_path,
    find_path_through,
    longest_run,
)
from reenact.core.arrays import Float64
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.findings import Finding
from reenact.core.foot_plants import FootPlants
from reenact.core.progress import tell
from reenact.errors import ParameterError, Remedy

__all__ = ["THESIS", "RegistrationParameters", "merge_paths", "register"]

_KEPT = 0.5  # share of at least one motion that cutting to steps must leave when it was not asked for
_KEPT_OF_REFUSED = 0.4  # and where the whole motions are refused, if two steps at least are left
_MOST_CELLS = 400_000_000
_NO_PART = "and no part of use corresponds: neither steps of about a cycle with the same feet nor a jump of each"


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """Two motions compared: the distances, and the path (P, 2) of reference samples and samples of the other."""

    grid: DistanceGrid
    path: np.ndarray


def register(
    clips: Sequence[Clip],
    parameters: RegistrationParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> RegistrationCurve:
    """The registration curve of two or more motions of one skeleton.

    Motions are brought to the first one's skeleton, frame rate and floor, and compared at `parameters.rate`. Everything in the result
    counts frames at the first one's rate, so nothing of the recordings is lost when they are blended.

    Args:
        clips: two or more.
        parameters: see `RegistrationParameters`.
        plants: foot plants of the clips as given; those that are None are detected.

    Raises:
        ParameterError: fewer than two clips, a clip of less than four frames, no path within the slope limit, or motions that do not
            correspond (`gate="refuse"`).
        SkeletonError: the clips have different joints.
    """
    parameters = parameters or RegistrationParameters()
    for clip in clips:
        if not (np.isfinite(clip.root).all() and np.isfinite(clip.rotations).all()):
            raise ParameterError("the clip holds numbers that are none", where=clip.name)
    tell(0.0, "finding foot plants")
    clips, plants = bring_together(clips, plants)
    tell(0.2, "comparing whole motions")
    whole = tuple((0, len(clip)) for clip in clips)
    curve = None
    if parameters.through is not None:
        _check_through(clips, parameters.through)
        parameters = replace(parameters, trim="off")
    if parameters.trim != "steps":
        try:
            curve = _register(clips, parameters, plants, whole)
        except InfeasiblePath:
            if parameters.trim == "off":
                raise
    parts = parameters.trim in ("auto", "needed") and parameters.gate != "off"
    try:
        if curve is None or _wants_cutting(curve, parameters):
            tell(0.5, "comparing steps")
            curve = _register_steps(clips, parameters, plants, curve)
        why = next((excess.message for excess in curve.quality.excesses if excess.refused), "")
    except InfeasiblePath as error:
        part = _register_part(clips, parameters, plants, str(error)) if parts else None
        if part is None:
            raise
        curve, why = part, ""
    if why and parts:
        tell(0.75, "looking for parts that correspond")
        part = _register_part(clips, parameters, plants, why)
        curve = part or replace(curve, quality=replace(curve.quality, reasons=(*curve.quality.reasons, _NO_PART)))
    if parameters.gate == "refuse" and curve.quality.verdict == "refused":
        raise refusal(curve)
    return replace(curve, wholes=tuple(zip(clips, plants, strict=True)))


def refusal(curve: RegistrationCurve, tried: str = "") -> ParameterError:
    """The error that refuses motions which do not correspond.

    Args:
        curve: their registration.
        tried: in words, what else was tried.
    """
    said = "; ".join((*curve.quality.reasons, *([tried] if tried else [])))
    return ParameterError(
        f"these motions do not correspond (q = {curve.quality.q:.2f}): {said}. gate=warn registers them all the same",
        where=" x ".join(clip.name for clip in curve.clips),
        remedies=[Remedy("register them all the same", {"gate": "warn"})],
    )


def _check_through(clips: Sequence[Clip], through: tuple[int, int]) -> None:
    if len(clips) != 2:
        raise ParameterError(f"through joins two motions, {len(clips)} given", where="through")
    for frame, clip in zip(through, clips, strict=True):
        if frame >= len(clip):
            raise ParameterError(
                f"through must lie in the clips: {clip.name!r} has {len(clip)} frames at the common rate, not {frame + 1}",
                where="through",
            )


def _wants_cutting(curve: RegistrationCurve, parameters: RegistrationParameters) -> bool:
    """Whether equal steps may be better than the whole motions."""
    doubtful = curve.quality.verdict != "good"
    if parameters.trim == "auto":
        return doubtful or bool(
            curve.quality.reasons
        )  # such as other numbers of steps, which squeezes some at the ends
    return parameters.trim == "needed" and doubtful


def _register_steps(
    clips: tuple[Clip, ...],
    parameters: RegistrationParameters,
    plants: tuple[FootPlants | None, ...],
    whole: RegistrationCurve | None,
) -> RegistrationCurve:
    """The registration of equal steps; the registration of the whole motions when there are none, or when it is no worse."""
    try:
        match = match_steps(clips, plants, parameters)
    except ParameterError as error:
        if whole is None and parameters.trim != "steps":
            raise _no_path(clips, parameters, str(error)) from error
        if whole is None:
            raise
        return replace(whole, quality=replace(whole.quality, reasons=(*whole.quality.reasons, str(error))))
    shares = [(end - start) / len(clip) for clip, (start, end) in zip(clips, match.ranges, strict=True)]
    enough = _KEPT_OF_REFUSED if whole is not None and whole.quality.verdict == "refused" and match.steps > 1 else _KEPT
    if max(shares) < enough and (whole is not None or parameters.trim != "steps"):
        said = f"only {match.steps} step{'s' * (match.steps != 1)} with the same feet, {100 * max(shares):.0f} % of a motion at the most"
        if whole is None:
            raise _no_path(clips, parameters, said)
        return replace(whole, quality=replace(whole.quality, reasons=(*whole.quality.reasons, said)))
    cut = tuple(cut_frames(clip, *kept) for clip, kept in zip(clips, match.ranges, strict=True))
    part = tuple(None if p is None else p.cut(*kept) for p, kept in zip(plants, match.ranges, strict=True))
    curve = _register(cut, parameters, part, match.ranges)
    if whole is not None and _rank(curve.quality) >= _rank(whole.quality):
        return whole
    kept = ", ".join(f"{clip.name} {start} to {end}" for clip, (start, end) in zip(clips, match.ranges, strict=True))
    said = f"cut to {match.steps} steps that begin with the {match.first} foot: frames {kept}"
    found = Finding("registration.trimmed", "info", " x ".join(clip.name for clip in clips), said, fixed=True)
    return replace(curve, part=said, findings=(found, *curve.findings))


def _no_path(clips: tuple[Clip, ...], parameters: RegistrationParameters, why: str) -> InfeasiblePath:
    """The whole motions cannot be matched, which is said first, and neither can equal steps of them."""
    counts = [len(sample_frames(len(c), c.fps, min(parameters.rate, c.fps), parameters.samples)) for c in clips]
    return InfeasiblePath(max(counts), min(counts), parameters.slope_limit, f"; {why}")


def _register_part(
    clips: tuple[Clip, ...], parameters: RegistrationParameters, plants: tuple[FootPlants | None, ...], why: str
) -> RegistrationCurve | None:
    """The registration of a part that the motions have in common, if there is one.

    Args:
        why: in words, why the whole of them is not registered.
    """
    for part in find_common_parts(clips, plants, parameters):
        curve = register_part(clips, parameters, plants, part, why)
        if curve is None or curve.quality.verdict == "refused" or curve.quality.q > part.most_q(parameters.limits):
            continue
        return curve
    return None


def register_part(
    clips: tuple[Clip, ...],
    parameters: RegistrationParameters,
    plants: tuple[FootPlants | None, ...],
    part: CommonPart,
    why: str,
) -> RegistrationCurve | None:
    """The registration of one part, whatever the gate says to it; None when the slope limit allows no path.

    Args:
        clips: the whole motions, of one skeleton and rate.
        parameters: as of `register`.
        plants: of the whole motions.
        part: the frames of each.
        why: in words, why the whole of them is not registered.
    """
    cut = tuple(cut_frames(clip, *kept) for clip, kept in zip(clips, part.ranges, strict=True))
    own = tuple(None if p is None else p.cut(*kept) for p, kept in zip(plants, part.ranges, strict=True))
    try:
        curve = _register(cut, parameters, own, part.ranges)
    except InfeasiblePath:
        return None
    said = describe_part(clips, part, why)
    found = Finding("registration.part", "warning", " x ".join(clip.name for clip in clips), said, fixed=True)
    return replace(curve, part=said, findings=(found, *curve.findings))


def _rank(quality: RegistrationQuality) -> tuple[int, float]:
    """The verdict, then q: what is better comes first."""
    return ("good", "doubtful", "refused").index(quality.verdict), quality.q


def _register(
    clips: tuple[Clip, ...],
    parameters: RegistrationParameters,
    plants: tuple[FootPlants | None, ...],
    ranges: tuple[tuple[int, int], ...],
) -> RegistrationCurve:
    fps = clips[0].fps
    rate = min(parameters.rate, fps)
    at = tuple(sample_frames(len(clip), fps, rate, parameters.samples) for clip in clips)
    if max(len(a) for a in at) ** 2 > _MOST_CELLS:
        raise ParameterError(
            f"{max(len(a) for a in at)} samples are too many; cut the clips or lower the rate", where="rate"
        )
    shares = parameters.point_weights()
    described = [
        describe_samples(clip, a, rate, parameters.window, parameters.taper, shares, parameters.markers)
        for clip, a in zip(clips, at, strict=True)
    ]
    metric, features = described[0][0], [found for _, found in described]
    findings: list[Finding] = []

    cell = None
    if parameters.through is not None:
        cell = [int(np.argmin(np.abs(own - frame))) for own, frame in zip(at, parameters.through, strict=True)]

    def pair(one: int, other: int) -> _Pair:
        grid = measure_grid(metric, features[one], features[other])
        if cell is not None:
            return _Pair(grid, find_path_through(grid.distances, parameters.slope_limit, (cell[one], cell[other])))
        return _Pair(grid, _find_path(grid, parameters))

    reference, pairs = _choose_reference(len(clips), parameters.reference, pair)
    path = merge_paths([None if p is None else p.path for p in pairs], reference)
    frames = np.column_stack([np.interp(path[:, j], np.arange(len(at[j])), at[j]) for j in range(len(clips))])
    cells = np.rint(path).astype(np.int64)
    fixed = None
    if parameters.through is not None and cell is not None:
        fixed = int(np.flatnonzero((cells == cell).all(axis=1))[0])
        frames = _set_row(frames, fixed, parameters.through)
    floor = slope_floor(parameters.slope_limit)
    lowered = lowered_floor(frames[-1] - frames[0], floor)
    if lowered < floor:
        lengths = ", ".join(f"{n:.0f}" for n in frames[-1] - frames[0])
        findings.append(
            Finding(
                "registration.slope-floor",
                "warning",
                " x ".join(clip.name for clip in clips),
                f"lengths of {lengths} frames: one motion runs more than {parameters.slope_limit + 1} times as fast as another",
            )
        )
    warp = fit_time_warp(
        frames,
        parameters.slope_limit,
        knot_spacing=parameters.knots * fps,
        smoothing=parameters.smoothing,
        floor=lowered,
        fixed=fixed,
    )
    turns, shifts, sure = np.zeros(frames.shape), np.zeros((*frames.shape, 2)), np.ones(frames.shape)
    for j, found in enumerate(pairs):
        if found is not None:
            aligned = found.grid.align_cells(cells[:, [reference, j]])
            turns[:, j], shifts[:, j], sure[:, j] = aligned.turn, aligned.shift, aligned.confidence
    roots = [_floor_root(clip) for clip in clips]
    alignment = fit_alignment_curve(warp, frames, roots, reference, turns, shifts, sure, smoothing=parameters.smoothing)
    grids = tuple(None if p is None else p.grid for p in pairs)
    findings += _path_findings(clips, pairs, parameters)
    quality = judge(clips, plants, grids, cells, frames, warp, reference, lowered, parameters.limits, ranges)
    findings += _gate_findings(clips, quality, parameters)
    return RegistrationCurve(
        clips, reference, at, cells, frames, warp, alignment, plants, quality, grids, ranges, findings=tuple(findings)
    )


def _set_row(frames: Float64, row: int, wanted: tuple[int, int]) -> Float64:
    """Corresponding frames (P, 2) with one row set, and what would overtake it held back; the first and the last stay as they are."""
    found = frames.copy()
    if 0 < row < len(found) - 1:
        found[:row], found[row:] = np.minimum(found[:row], wanted), np.maximum(found[row:], wanted)
        found[row] = wanted
    return found


def _path_findings(
    clips: Sequence[Clip], pairs: Sequence[_Pair | None], parameters: RegistrationParameters
) -> list[Finding]:
    """What there is to say about the greedy rule: that it was used, and where it broke the limit."""
    if parameters.path != "greedy":
        return []
    run = max(longest_run(found.path) for found in pairs if found is not None)
    broken = f" and breaks its limit of {parameters.slope_limit} with {run} steps in a row" * (
        run > parameters.slope_limit
    )
    names = " x ".join(clip.name for clip in clips)
    return [
        Finding(
            "registration.greedy", "warning", names, f"the greedy path is not the cheapest{broken}; path=exact is both"
        )
    ]


def _gate_findings(
    clips: Sequence[Clip], quality: RegistrationQuality, parameters: RegistrationParameters
) -> list[Finding]:
    if parameters.gate == "off" or quality.verdict == "good":
        return []
    names = " x ".join(clip.name for clip in clips)
    code, said = (
        ("doubtful", "may not correspond") if quality.verdict == "doubtful" else ("refused", "do not correspond")
    )
    message = f"the motions {said} (q = {quality.q:.2f}): {'; '.join(quality.reasons)}"
    return [Finding(f"registration.{code}", "warning", names, message)]


def _find_path(grid: DistanceGrid, parameters: RegistrationParameters) -> np.ndarray:
    if parameters.path == "greedy":
        return find_greedy_path(grid.distances, parameters.slope_limit)
    if parameters.ends == "fixed":
        return find_path(grid.distances, parameters.slope_limit)
    slack = (round(parameters.slack * grid.shape[0]), round(parameters.slack * grid.shape[1]))
    return find_free_path(grid.distances, parameters.slope_limit, slack, slack, parameters.cover)


def _choose_reference(
    count: int, wanted: int | None, pair: Callable[[int, int], _Pair]
) -> tuple[int, list[_Pair | None]]:
    """The reference and every motion's pair with it; without a wish the motion whose paths to all others are the cheapest."""
    if wanted is not None and wanted >= count:
        raise ParameterError(f"reference must be 0 to {count - 1}, not {wanted}", where="reference")
    if wanted is not None or count == 2:
        chosen = wanted or 0
        return chosen, [None if j == chosen else pair(chosen, j) for j in range(count)]
    pairs: dict[tuple[int, int], _Pair] = {}
    costs, failed = np.zeros(count), None
    for i, j in itertools.combinations(range(count), 2):
        try:
            found = pairs[i, j] = pair(i, j)
            costs[[i, j]] += float(found.grid.along(found.path).mean())
        except InfeasiblePath as error:  # a third motion between the two may still do as the reference
            costs[[i, j]] = np.inf
            failed = failed or error
    chosen = int(np.argmin(costs))
    if failed is not None and not np.isfinite(costs[chosen]):
        raise failed

    def seen_from(other: int) -> _Pair:
        if chosen < other:
            return pairs[chosen, other]
        found = pairs[other, chosen]
        return _Pair(found.grid.transposed(), found.path[:, ::-1].copy())

    return chosen, [None if j == chosen else seen_from(j) for j in range(count)]


def merge_paths(paths: Sequence[np.ndarray | None], reference: int) -> Float64:
    """(P, k) one path of corresponding samples, out of the paths (P_j, 2) of every motion against the reference.

    For each sample of the reference there are as many rows as the motion with the longest run of partners needs; the others run evenly
    from their first partner to their last. With free ends only the samples of the reference that all paths cover are kept.
    """
    others = {j: path for j, path in enumerate(paths) if path is not None}
    begin = max(int(path[0, 0]) for path in others.values())
    end = min(int(path[-1, 0]) for path in others.values())
    if end - begin < 1:
        raise ParameterError("the motions have no stretch of the reference in common; allow less slack", where="slack")
    samples = np.arange(begin, end + 1)
    firsts = {j: path[np.searchsorted(path[:, 0], samples, side="left"), 1] for j, path in others.items()}
    lasts = {j: path[np.searchsorted(path[:, 0], samples, side="right") - 1, 1] for j, path in others.items()}
    counts = np.max([lasts[j] - firsts[j] for j in others], axis=0) + 1
    group = np.repeat(np.arange(len(samples)), counts)
    share = (np.arange(len(group)) - np.repeat(np.cumsum(counts) - counts, counts)) / np.maximum(counts - 1, 1)[group]
    merged = np.repeat(samples[group, None].astype(np.float64), len(paths), axis=1)
    for j in others:
        merged[:, j] = firsts[j][group] + share * (lasts[j] - firsts[j])[group]
    return merged


def _floor_root(clip: Clip) -> Float64:
    """(F, 2) x and z of the joint that carries the body, metres."""
    hips = clip.skeleton.roles.get("hips", 0)
    points = clip.root if hips == 0 else clip.world(np.float64).positions[:, hips]
    return points[:, [0, 2]].astype(np.float64)
