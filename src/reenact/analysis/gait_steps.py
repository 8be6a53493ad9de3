"""Default reading of gait: the state machine, told by how fast the body goes where tokens alone are in doubt, and by where steps lead.

What is added to the published machine (Shanbhag, section 3.2.1), and why:

* Walking and running differ by a double support or a flight of a few hundredths of a second, which is within the error of any foot-plant
  detector. Where it is that short, the speed of the body decides: people change from walking to running near v^2 / (g l) = 0.5
  (Alexander 1989).
* Standing is told apart: both feet planted for long and the body not travelling. The machine calls it walking before and after steps.
* A step is walking when the foot is carried forward or backward. Kicks, turns on the spot and steps to the side have the tokens of a walk
  and are "other".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reenact.analysis.body_motion import BodyMotion
from reenact.analysis.free_flight import G
from reenact.analysis.gait_machine import UNKNOWN, label_runs
from reenact.analysis.segments import TYPES, Segment, merge_segments
from reenact.analysis.tokens import SHORT, TokenRun, condition_runs, merge_runs
from reenact.core.foot_plants import intervals_of
from reenact.core.parameters import check_ranges, option


@dataclass(frozen=True, slots=True)
class GaitParameters:
    """Limits of the default classifier. Lengths are shares of the leg, so that size does not matter."""

    change: float = option(0.7, "of sqrt(g l): speed at which walking becomes running", above=0, high=3)
    doubt: float = option(0.04, "flight or double support that the speed can outweigh", unit="s", low=0, high=0.5)
    still: float = option(0.5, "both feet planted for longer is standing", unit="s", above=0)
    crouch: float = option(1.0, "of standing before and after a jump belong to it, at most", unit="s", low=0)
    step: float = option(0.25, "of a leg: a foot carried less far forward is not walking", low=0)
    lean: float = option(0.35, "cosine of the trunk's lean, below which nothing is a gait", low=-1, high=1)
    sink: float = option(0.85, "of the usual height of the hips, below which standing is something else", low=0, high=1)
    shortest: float = option(0.3, "shorter segments between two of one type are taken for that type", unit="s", low=0)

    def __post_init__(self) -> None:
        check_ranges(self)


_STAND, _WALK, _JUMP, _OTHER = (TYPES.index(kind) for kind in ("stand", "walk", "jump", "other"))

_SPREAD = 0.2  # of the speed of change: how far from it speed outweighs one doubt, which is the most it does
_MOST = 3.0  # doubts that one change can count for
_SWITCH = 2.0  # doubts that going from walking to running, or back, must be worth
_FIDGET = 0.2  # of a leg: a foot that stays nearer to its place takes no step
_SAME_HEADING = 0.985  # cosine: 10 degrees
_BRIEF = 0.12  # seconds: shorter flights are too flat to be told by the body's height
_LONG_STEP = 0.25  # seconds: nor shorter ones from foot to foot, whose hips follow the legs
_FALLING = 0.35  # of what a falling body must rise over the ends of its flight
_UNEVEN = 0.08  # seconds between the feet of a jump off, or onto, both
_BENT = 0.75  # cosine of the trunk's lean, below which a standing body is doing something else
_TRAVEL = 0.3  # of a leg in a second: a faster body does not stand


def label_steps(runs: Sequence[TokenRun], body: BodyMotion, fps: float, parameters: GaitParameters) -> list[Segment]:
    """Segments of a clip from its tokens and the motion of its body.

    Args:
        runs: tokens of all frames.
        body: hips, speed, heading, feet.
        fps: frames per second.
        parameters: limits.
    """
    runs = _without_false_flights(merge_runs(runs), body, fps)
    runs = _even_jumps(_without_cut_flights(merge_runs(runs), fps), fps)
    runs = _settle_changes(runs, body, fps, parameters)
    runs = condition_runs(runs, fps, missed_supports=False)
    frames = runs[-1].end
    labels = np.empty(frames, np.uint8)
    for item in label_runs(runs).labels:
        labels[item.start : item.end] = _OTHER if item.label == UNKNOWN else TYPES.index(item.label)
    _join_hops(labels, runs)
    _check_walks(labels, runs, body, fps, parameters)
    _part_stands(labels, runs, body, fps, parameters)
    segments = _without_shreds(_segments(labels), parameters.shortest * fps)
    return _check_posture(segments, body, frames, fps, parameters)


def _segments(labels: NDArray[np.uint8]) -> list[Segment]:
    """Segments of the numbers of types (F,)."""
    edges = [0, *(np.flatnonzero(labels[1:] != labels[:-1]) + 1).tolist(), len(labels)]
    return [Segment(TYPES[labels[a]], a, b) for a, b in pairwise(edges)]


def _even_jumps(runs: list[TokenRun], fps: float) -> list[TokenRun]:
    """Jumps off and onto both feet, whose feet do not leave or land within one frame."""
    out = list(runs)
    for n in range(1, len(out) - 1):
        around = {out[n - 1].token, out[n + 1].token}
        if out[n].token in "LR" and around == {"B", "N"} and len(out[n]) < _UNEVEN * fps:
            out[n] = out[n].as_token("B")
    return merge_runs(out)


def _without_false_flights(runs: list[TokenRun], body: BodyMotion, fps: float) -> list[TokenRun]:
    """Times without a planted foot in which the body does not fall are no flights: something carries it, so they become both feet.

    In a flight of T seconds the body is g T^2 / 8 higher in the middle than midway between its ends.
    """
    out = list(runs)
    for n in range(1, len(out) - 1):
        run, seconds = out[n], len(out[n]) / fps
        changes = {out[n - 1].token, out[n + 1].token} == {"L", "R"}
        if run.token != "N" or seconds < (_LONG_STEP if changes else _BRIEF):
            continue
        height = body.hips[:, 1]
        at = np.array([run.start - 0.5, (run.start + run.end - 1) / 2, run.end - 0.5]) / body.step
        first, middle, last = np.interp(at, np.arange(len(height)), height)
        if middle - (first + last) / 2 < _FALLING * G * seconds**2 / 8:
            out[n] = run.as_token("B")
    return merge_runs(out)


def _without_cut_flights(runs: list[TokenRun], fps: float) -> list[TokenRun]:
    """Short flights at the clip's ends, where the foot was or will be planted as far as anybody can tell, given to their neighbour."""
    out = list(runs)
    for n, beside in ((0, 1), (len(out) - 1, len(out) - 2)):
        if len(out) > 1 and out[n].token == "N" and len(out[n]) < SHORT * fps:
            out[n] = out[n].as_token(out[beside].token)
    return merge_runs(out)


def _settle_changes(runs: list[TokenRun], body: BodyMotion, fps: float, parameters: GaitParameters) -> list[TokenRun]:
    """Changes from one foot to the other made a double support or a flight.

    Each change is judged by its length and the body's speed, and all of them together by the likeliest sequence (Viterbi 1967) in which
    going from walking to running or back costs as much as `_SWITCH` doubts.
    """
    runs = _with_changes(runs)
    change = parameters.change * math.sqrt(G * body.leg)
    places, evidence = [], []
    for n in range(1, len(runs) - 1):
        run = runs[n]
        if run.token in "BN" and {runs[n - 1].token, runs[n + 1].token} == {"L", "R"}:
            overlap = len(run) / fps * (1 if run.token == "B" else -1)
            pull = min(1.0, max(-1.0, (body.mean_speed(run.start, run.end) / change - 1) / _SPREAD))
            places.append(n)
            evidence.append(min(_MOST, max(-_MOST, pull - overlap / max(parameters.doubt, 1e-9))))
    for n, running in zip(places, _likeliest(evidence, _SWITCH), strict=True):
        runs[n] = runs[n].as_token("N" if running else "B")
    return merge_runs(runs)


def _with_changes(runs: list[TokenRun]) -> list[TokenRun]:
    """Runs with a frame put between a left and a right foot that follow each other directly."""
    out: list[TokenRun] = []
    for run in runs:
        if out and {out[-1].token, run.token} == {"L", "R"} and len(out[-1]) > 1:
            last = out[-1]
            out[-1] = TokenRun(last.token, last.start, last.end - 1)
            out.append(TokenRun("B", last.end - 1, last.end))
        out.append(run)
    return out


def _likeliest(evidence: Sequence[float], switch: float) -> list[bool]:
    """The sequence of yes and no with the largest sum of evidence (positive for yes), less `switch` for every change between them."""
    no, yes = 0.0, 0.0
    back: list[tuple[bool, bool]] = []  # for each place: whether the best way to "no" and to "yes" comes from "yes"
    for weight in evidence:
        to_no, to_yes = yes - switch > no, yes >= no - switch
        no, yes = max(no, yes - switch) - weight, max(yes, no - switch) + weight
        back.append((to_no, to_yes))
    state = yes > no
    path: list[bool] = []
    for came in reversed(back):
        path.append(state)
        state = came[state]
    return path[::-1]


def _join_hops(labels: NDArray[np.uint8], runs: Sequence[TokenRun]) -> None:
    """Standing on one foot before it hops belongs to the hop."""
    for run, flight in pairwise(runs):
        if run.token in "LR" and flight.token == "N" and labels[flight.start] == _JUMP:
            labels[run.start : run.end] = _JUMP


def _is_support(run: TokenRun, still: float) -> bool:
    """True for the double support of a step."""
    return run.token == "B" and len(run) < still


def _check_walks(
    labels: NDArray[np.uint8],
    runs: Sequence[TokenRun],
    body: BodyMotion,
    fps: float,
    parameters: GaitParameters,
) -> None:
    """Call steps that lead nowhere, or to the side, "other"."""
    still = parameters.still * fps
    steps = [n for n, run in enumerate(runs) if run.token in "LR" and labels[run.start] == _WALK]
    leads = [_leads_ahead(runs[n], body, runs[-1].end, parameters.step * body.leg) for n in steps]
    for k, n in enumerate(steps):
        near = [leads[m] for m in (k - 1, k, k + 1) if 0 <= m < len(steps) and abs(steps[m] - n) <= 2]
        if sum(near) * 2 > len(near) or (leads[k] and sum(near) * 2 >= len(near)):
            continue
        run = runs[n]
        start = runs[n - 1].start if n and _is_support(runs[n - 1], still) else run.start
        end = runs[n + 1].end if n + 1 < len(runs) and _is_support(runs[n + 1], still) else run.end
        part = labels[start:end]
        part[part == _WALK] = _STAND if _fidgets(run, body) else _OTHER


def _leads_ahead(run: TokenRun, body: BodyMotion, frames: int, least: float) -> bool:
    """True when the free foot, or the body over the standing one, is carried forward or backward more than to the side."""
    free = 1 if run.token == "L" else 0
    a, b = body.sample(run.start - 1), body.sample(run.end)
    at = body.sample((run.start + run.end) // 2)
    feet, ahead = body.feet, body.forward
    x, z = float(feet[b, free, 0] - feet[a, free, 0]), float(feet[b, free, 2] - feet[a, free, 2])
    ahead_x, ahead_z = float(ahead[at, 0]), float(ahead[at, 1])
    if ahead_x == 0 and ahead_z == 0:
        return math.hypot(x, z) >= least
    along, aside = abs(x * ahead_x + z * ahead_z), abs(x * ahead_z - z * ahead_x)
    cut = run.start == 0 or run.end >= frames  # a step the clip's end cuts off is judged by its direction
    return along > aside and (along >= least or (cut and along >= 0.2 * least))


def _fidgets(run: TokenRun, body: BodyMotion) -> bool:
    """True when the free foot stays near its place and the body keeps its heading: standing, with a foot shifted."""
    free = 1 if run.token == "L" else 0
    path = body.feet[body.sample(run.start - 1) : body.sample(run.end) + 1, free]
    away = path - path[0]
    first, last = body.forward[body.sample(run.start)], body.forward[body.sample(run.end)]
    return bool(np.max(np.einsum("fi,fi->f", away, away)) < (_FIDGET * body.leg) ** 2 and first @ last > _SAME_HEADING)


def _part_stands(
    labels: NDArray[np.uint8], runs: Sequence[TokenRun], body: BodyMotion, fps: float, parameters: GaitParameters
) -> None:
    """Tell standing from the double supports of steps, and from what belongs to a jump."""
    crouch = round(parameters.crouch * fps)
    for n, run in enumerate(runs):
        if run.token != "B" or len(run) < parameters.still * fps:
            continue
        start, end = run.start, run.end
        if n and runs[n - 1].token == "N":
            start = min(end, start + crouch)
        if n + 1 < len(runs) and runs[n + 1].token == "N":
            if labels[run.start] != _JUMP and labels[runs[n + 1].start] == _JUMP:
                labels[max(start, end - crouch) : end] = _JUMP
            end = max(start, end - crouch)
        if end - start < parameters.still * fps or body.median_speed(start, end) > _TRAVEL * body.leg:
            continue
        labels[start:end] = _STAND


def _without_shreds(segments: list[Segment], shortest: float) -> list[Segment]:
    """Short segments between two of one type, and short ones that are nothing at an end, given to their neighbours."""
    out = list(segments)
    for n, segment in enumerate(out):
        if len(segment) >= shortest or segment.type == "stand":
            continue
        before = out[n - 1].type if n else None
        after = out[n + 1].type if n + 1 < len(out) else None
        if before is not None and (before == after or (after is None and segment.type == "other")):
            out[n] = Segment(before, segment.start, segment.end)
        elif before is None and after is not None and segment.type == "other":
            out[n] = Segment(after, segment.start, segment.end)
    return merge_segments(out)


def _check_posture(
    segments: list[Segment], body: BodyMotion, frames: int, fps: float, parameters: GaitParameters
) -> list[Segment]:
    """Call frames "other" in which the trunk lies, and standing ones in which the hips sink or the trunk bends.

    Next to a jump that is its crouch.
    """
    usual = np.sort(body.hips[:, 1])[round(0.9 * (len(body.hips) - 1))]
    lies = body.upright < parameters.lean
    sinks = (usual - body.hips[:, 1] > (1 - parameters.sink) * body.leg) | (body.upright < _BENT)
    if not (lies.any() or sinks.any()):
        return segments
    at = np.minimum(np.arange(frames) // body.step, len(body.hips) - 1)
    labels = np.repeat(np.array([TYPES.index(s.type) for s in segments], np.uint8), [len(s) for s in segments])
    labels[lies[at]] = _OTHER
    near = max(1, round(parameters.shortest * fps))
    crouched = (labels == _STAND) & sinks[at]
    for start, end in intervals_of(crouched):
        beside = labels[max(0, start - near) : min(frames, end + near)]
        labels[start:end] = _JUMP if _JUMP in beside else _OTHER
    return _segments(labels)
