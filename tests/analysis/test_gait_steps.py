"""The kernel of the default classifier against its rules written plainly, and the rules one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reenact.analysis import gait_steps
from reenact.analysis.body_motion import BodyMotion, observe_body
from reenact.analysis.foot_points import find_foot_points
from reenact.analysis.free_flight import G
from reenact.analysis.gait_machine import UNKNOWN, label_runs
from reenact.analysis.gait_steps import GaitParameters, label_steps
from reenact.analysis.plants import detect_plants
from reenact.analysis.segments import TYPES, Segment, merge_segments
from reenact.analysis.tokens import SHORT, TokenRun, condition_runs, merge_runs, token_runs, tokens_of
from reenact.core.foot_plants import FootContact, FootPlants, intervals_of
from reenact.samples import make_sample, sample_names

_STAND, _WALK, _JUMP, _OTHER = (TYPES.index(kind) for kind in ("stand", "walk", "jump", "other"))


def plain_label_steps(
    runs: Sequence[TokenRun], body: BodyMotion, fps: float, parameters: GaitParameters
) -> list[Segment]:
    """The rules as sentences, run by run: what the kernel must agree with."""
    runs = _without_false_flights(merge_runs(runs), body, fps)
    runs = _even_jumps(_without_cut_flights(merge_runs(runs), fps), fps)
    runs = _settle_changes(runs, body, fps, parameters)
    runs = condition_runs(runs, fps, missed_supports=False)
    frames = runs[-1].end
    labels = np.empty(frames, np.uint8)
    for item in label_runs(runs, leap=gait_steps._LEAP * fps).labels:
        labels[item.start : item.end] = _OTHER if item.label == UNKNOWN else TYPES.index(item.label)
    _join_hops(labels, runs)
    _check_walks(labels, runs, body, fps, parameters)
    _part_stands(labels, runs, body, fps, parameters)
    segments = _without_shreds(_segments(labels), runs, fps, parameters.shortest * fps)
    return _check_posture(segments, body, frames, fps, parameters)


def _segments(labels: NDArray[np.uint8]) -> list[Segment]:
    """Segments of the numbers of types (F,)."""
    edges = [0, *(np.flatnonzero(labels[1:] != labels[:-1]) + 1).tolist(), len(labels)]
    return [Segment(TYPES[labels[a]], a, b) for a, b in pairwise(edges)]


def _even_jumps(runs: list[TokenRun], fps: float) -> list[TokenRun]:
    """Jumps off and onto both feet, whose feet do not leave or land within one frame; after a leap the second lands still later.

    A clip that ends with the landing of a leap off both feet may show the first foot alone.
    """
    out = list(runs)
    for n in range(1, len(out)):
        run, before = out[n], out[n - 1].token
        after = out[n + 1].token if n + 1 < len(out) else None
        if run.token not in "LR":
            continue
        uneven = len(run) / fps < gait_steps._UNEVEN
        staggered = len(run) / fps < gait_steps._STAGGERED and len(out[n - 1]) >= gait_steps._LEAP * fps
        if (
            (before == "B" and after == "N" and uneven)
            or (before == "N" and after == "B" and (uneven or staggered))
            or (before == "N" and after is None and staggered and n >= 2 and out[n - 2].token == "B")
        ):
            out[n] = run.as_token("B")
    return merge_runs(out)


def _without_false_flights(runs: list[TokenRun], body: BodyMotion, fps: float) -> list[TokenRun]:
    """Times without a planted foot in which the body does not fall are no flights: something carries it, so they become both feet.

    In a flight of T seconds the body is g T^2 / 8 higher in the middle than midway between its ends, and so it is in any part of one.
    """
    out = list(runs)
    for n, run in enumerate(runs):
        seconds = len(run) / fps
        if 0 < n < len(out) - 1:
            changes = {out[n - 1].token, out[n + 1].token} == {"L", "R"}
            least = gait_steps._LONG_STEP if changes else gait_steps._BRIEF
        else:
            least = gait_steps._LEAP
        if run.token != "N" or seconds < least or len(runs) == 1:
            continue
        height = body.hips[:, 1]
        at = np.array([run.start - 0.5, (run.start + run.end - 1) / 2, run.end - 0.5]) / body.step
        first, middle, last = np.interp(at, np.arange(len(height)), height)
        if middle - (first + last) / 2 < gait_steps._FALLING * G * seconds**2 / 8:
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

    Each change is judged by its length, the body's speed and the rise of the hips, and all of them together by the likeliest sequence
    (Viterbi 1967) in which going from walking to running or back costs as much as `gait_steps._SWITCH` doubts.
    """
    runs = _with_changes(runs)
    change = parameters.change * math.sqrt(G * body.leg)
    places, evidence = [], []
    for n in range(1, len(runs) - 1):
        run = runs[n]
        if run.token in "BN" and {runs[n - 1].token, runs[n + 1].token} == {"L", "R"}:
            overlap = len(run) / fps * (1 if run.token == "B" else -1)
            pull = min(1.0, max(-1.0, (body.mean_speed(run.start, run.end) / change - 1) / gait_steps._SPREAD))
            rise = (_rise(runs, n, body, fps) / body.leg - gait_steps._LEVEL) / gait_steps._BOUNCE
            pull += gait_steps._BOUNCES * min(1.0, max(-1.0, rise))
            places.append(n)
            evidence.append(min(gait_steps._MOST, max(-gait_steps._MOST, pull - overlap / max(parameters.doubt, 1e-9))))
    for n, running in zip(places, _likeliest(evidence, gait_steps._SWITCH), strict=True):
        runs[n] = runs[n].as_token("N" if running else "B")
    return merge_runs(runs)


def _rise(runs: list[TokenRun], n: int, body: BodyMotion, fps: float) -> float:
    """Height of the hips in a change of feet over that in the middle of the steps around it, a quarter stride away at most."""
    before, run, after = runs[n - 1 : n + 2]
    reach = gait_steps._STRIDE / 4 * fps
    at = (
        max((before.start + before.end - 1) / 2, before.end - 1 - reach),
        (run.start + run.end - 1) / 2,
        min((after.start + after.end - 1) / 2, after.start + reach),
    )
    height = body.hips[:, 1].astype(np.float64)
    first, middle, last = np.interp(np.array(at) / body.step, np.arange(len(height)), height)
    return float(middle - (first + last) / 2)


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
    """Call steps that lead nowhere, or to the side, "other", but for up to three beside a walk that turn the body."""
    still = parameters.still * fps
    steps = [n for n, run in enumerate(runs) if run.token in "LR" and labels[run.start] == _WALK]
    leads = [_leads_ahead(runs[n], body, runs[-1].end, parameters.step * body.leg) for n in steps]
    walks = []
    for k, n in enumerate(steps):
        near = [leads[m] for m in (k - 1, k, k + 1) if 0 <= m < len(steps) and abs(steps[m] - n) <= 2]
        walks.append(sum(near) * 2 > len(near) or (leads[k] and sum(near) * 2 >= len(near)))
    for _ in range(gait_steps._TURNS):
        before = list(walks)
        for k, n in enumerate(steps):
            beside = [m for m in (k - 1, k + 1) if 0 <= m < len(steps) and before[m] and abs(steps[m] - n) <= 2]
            walks[k] = walks[k] or (bool(beside) and _turns(runs[n], body))
    for n, walking in zip(steps, walks, strict=True):
        if walking:
            continue
        run = runs[n]
        start = runs[n - 1].start if n and _is_support(runs[n - 1], still) else run.start
        end = runs[n + 1].end if n + 1 < len(runs) and _is_support(runs[n + 1], still) else run.end
        part = labels[start:end]
        part[part == _WALK] = _STAND if _fidgets(run, body) else _OTHER


def _turns(run: TokenRun, body: BodyMotion) -> bool:
    """True when the body turns in a step."""
    first, last = body.forward[body.sample(run.start)], body.forward[body.sample(run.end)]
    return bool(first.any() and last.any() and first @ last < gait_steps._TURNING)


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
    return bool(
        np.max(np.einsum("fi,fi->f", away, away)) < (gait_steps._FIDGET * body.leg) ** 2
        and first @ last > gait_steps._SAME_HEADING
    )


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
        if end - start < parameters.still * fps or body.median_speed(start, end) > gait_steps._TRAVEL * body.leg:
            continue
        labels[start:end] = _STAND


def _without_shreds(segments: list[Segment], runs: Sequence[TokenRun], fps: float, shortest: float) -> list[Segment]:
    """Short segments between two of one type, and short ones that are nothing at an end, given to their neighbours.

    Within a walk or a run, other gaits of less than a stride go to it as well, unless they hold a leap.
    """
    out = list(segments)
    for n, segment in enumerate(out):
        if segment.type == "stand":
            continue
        before = out[n - 1].type if n else None
        after = out[n + 1].type if n + 1 < len(out) else None
        leaps = any(
            run.token == "N"
            and segment.start <= run.start
            and run.end <= segment.end
            and len(run) >= gait_steps._LEAP * fps
            for run in runs
        )
        inside = before == after and before in ("walk", "run") and segment.type != "other"
        if inside and len(segment) < gait_steps._STRIDE * fps and not leaps:
            out[n] = Segment(str(before), segment.start, segment.end)
        elif len(segment) >= shortest:
            continue
        elif before is not None and (before == after or (after is None and segment.type == "other")):
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
    sinks = (usual - body.hips[:, 1] > (1 - parameters.sink) * body.leg) | (body.upright < gait_steps._BENT)
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


def made_up(seed: int, step: int) -> tuple[FootPlants, BodyMotion]:
    """Plants in runs of any length and a body that wanders: nothing a person does, but everything the rules can meet."""
    rng = np.random.default_rng(seed)
    runs = rng.choice([1, 2, 4, 7, 12, 25, 70, 150], rng.integers(1, 25))
    token = np.repeat(rng.integers(0, 4, len(runs)), runs).astype(np.uint8)
    left, right = (token & 1).astype(bool), (token & 2).astype(bool)
    part = rng.random(len(token)) < 0.5
    plants = FootPlants(FootContact(left, left & part), FootContact(right & part, right), 120.0)
    count = -(-len(token) // step)
    hips = np.cumsum(rng.normal(0, 0.03, (count, 3)), axis=0).astype(np.float32) + np.float32([0, 0.9, 0])
    feet = np.cumsum(rng.normal(0, 0.06, (count, 2, 3)), axis=0).astype(np.float32)
    speed = np.abs(rng.normal(0.2, 1.0, count)) * rng.integers(0, 3)
    angle = np.cumsum(rng.normal(0, 0.1, count))
    forward = np.stack([np.sin(angle), np.cos(angle)], axis=1) * (rng.random() < 0.9)
    upright = np.clip(rng.normal(0.9, 0.15, count), -1, 1)
    travelled = np.concatenate([[0.0], np.cumsum(speed)])
    return plants, BodyMotion(step, hips, speed, travelled, forward, upright, feet, 0.83)


@settings(max_examples=300)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_kernel_follows_the_plain_rules(seed: int, step: int) -> None:
    plants, body = made_up(seed, step)
    plain = plain_label_steps(token_runs(tokens_of(plants)), body, plants.fps, GaitParameters())
    assert label_steps(plants, body, plants.fps, GaitParameters()) == plain


@given(st.integers(0, 2**32 - 1), st.floats(0.3, 1.5), st.floats(0, 0.2), st.floats(0.1, 1.0))
def test_kernel_follows_them_with_other_limits(seed: int, change: float, doubt: float, still: float) -> None:
    plants, body = made_up(seed, 4)
    asked = GaitParameters(change=change, doubt=doubt, still=still, crouch=still / 2, step=change / 4, shortest=doubt)
    plain = plain_label_steps(token_runs(tokens_of(plants)), body, plants.fps, asked)
    assert label_steps(plants, body, plants.fps, asked) == plain


@pytest.mark.parametrize("name", sample_names()[::6])
def test_kernel_follows_the_plain_rules_on_samples(name: str) -> None:
    clip = make_sample(name, 60.0).clip
    plants, body = detect_plants(clip), observe_body(clip, find_foot_points(clip.skeleton, clip))
    plain = plain_label_steps(token_runs(tokens_of(plants)), body, clip.fps, GaitParameters())
    assert label_steps(plants, body, clip.fps, GaitParameters()) == plain
