"""Transitions: from one motion into another without a jerk, a glide or a sliding foot (reuse specification 3.4 and 3.7).

from reenact.edit.transition import TransitionParameters, make_transition
made = make_transition(walk, kick, TransitionParameters(at=180, into=60, window=0.8))
made.clip, made.plants, made.report
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from reenact.analysis.carried_plants import fit_plants, known_plants, one_for_each
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.heading import wrap
from reenact.core.made import Made
from reenact.core.progress import stage, tell
from reenact.core.resample import ResampleParameters, resample
from reenact.core.rooting import carry_root
from reenact.edit.choosing import FramePair, Keep, rank_frames
from reenact.edit.crossing import Crossed, Sources, Window, cross, holdable
from reenact.edit.transition_parameters import OTHER_WINDOWS, TransitionParameters
from reenact.errors import ParameterError
from reenact.solve.bringing import bring_onto

__all__ = ["TransitionParameters", "keep_after", "make_transition", "transition"]

_MOST_PAIRS = 24  # pairs of frames that are tried where the first is not good
_MOST_TRIED = 48  # the same with other ways for their feet
_SHORTER = (1.0, 0.75, 0.5, 0.25, 0.12)  # of a blend in a chain whose clips are too short for whole ones
_OF_OTHERS = 12  # the same with each of the other lengths of the blend
_DOUBTFUL = (
    2.0  # what a result counts that only a second way of measuring finds over a limit: as one that is at its limit
)
_RANK = 2.0  # what a metre of difference between the frames counts against a result that is as good as its limit


def transition(
    clips: Sequence[Clip],
    parameters: TransitionParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made:
    """Clips one after the other, each joined to the next by a transition; see `make_transition`. `plants` are those of each clip."""
    if len(clips) < 2:
        raise ParameterError(f"a transition needs two clips, {len(clips)} given")
    parameters = parameters or TransitionParameters()
    known = one_for_each(plants, clips)
    with stage(0.0, 1 / (len(clips) - 1)):
        made = make_transition(clips[0], clips[1], parameters, known[0], known[1], keep=Keep(leaves=len(clips) > 2))
    for number, following in enumerate(clips[2:], start=3):
        so_far = made.report
        after = so_far["window_frames"][1] + round(parameters.seconds * made.clip.fps) // 2
        keep = keep_after(so_far, leaves=number < len(clips))
        with stage((number - 2) / (len(clips) - 1), (number - 1) / (len(clips) - 1), f"joining {following.name}"):
            made = go_on(made, following, parameters, known[number - 1], keep, after)
        before = so_far.get("before", []) + [{k: v for k, v in so_far.items() if k != "before"}]
        made = replace(made, report={**made.report, "before": before})
    return made


def go_on(
    made: Made, following: Clip, parameters: TransitionParameters, plants: FootPlants | None, keep: Keep, after: int
) -> Made:
    """A chain joined to its next clip, after frame `after`; by a shorter blend where the clip before is too short for two whole ones."""
    end, half = made.report["window_frames"][1], after - made.report["window_frames"][1]
    for share in _SHORTER:
        least = max(round(share * half), 1)
        asked = replace(parameters, at=None, earliest=end + least)
        if share < 1:
            asked = replace(asked, window=2 * least / made.clip.fps)
        try:
            joined = make_transition(made.clip, following, asked, made.plants, plants, keep=keep)
        except ParameterError as error:
            if error.where != "earliest":
                raise
            continue
        if share == 1:
            return joined
        told = {"shortened_to_s": round(asked.seconds, 4)}
        return replace(joined, report={**joined.report, **told})
    raise ParameterError(
        f"the clip before {following.name!r} is over before the blend into it has ended; there is no room for another one after it: leave "
        "the clip out, give a longer one, or a shorter window",
        where=following.name,
    )


def keep_after(report: dict[str, Any], *, leaves: bool = False) -> Keep:
    """What the next transition of a chain must know of the one before: where its second clip begins, and what was lost of it."""
    return Keep(report["at"], (1 - report["played_of_second"], 1 - report["action_of_second"]), leaves)


def make_transition(
    a: Clip,
    b: Clip,
    parameters: TransitionParameters | None = None,
    plants_a: FootPlants | None = None,
    plants_b: FootPlants | None = None,
    *,
    keep: Keep | None = None,
) -> Made:
    """The first clip up to the blend, the blend, the second clip from there on, moved to where the blend ends.

    Frames before the blend are those of `a`, frames after it those of `b` moved as a whole (and brought to `a`'s skeleton and rate
    where those differ); only where a planted foot is held beyond the blend, its leg differs until the foot lifts.

    Args:
        a: the first clip.
        b: the second clip: same joints, bone lengths, directions of bones and rate may differ; with `map` any skeleton whose roles are
            known. It is brought onto the skeleton, the rate and the floor of the first.
        parameters: frames, window, method.
        plants_a: foot plants of `a`; detected when None.
        plants_b: foot plants of `b`; detected when None.
        keep: for one transition of several: what was lost of `a` already, and whether `b` is left again.

    Returns:
        clip; plants carried from the sources; report with `at`, `into`, `window_frames` (half-open, in the result), `changed_frames`
        (longer where a foot is held beyond the window), `cost`, `played_of_first` and `played_of_second` (shares of the clips' time),
        `action_of_first` and `action_of_second` (shares of their action), `lost` (words, where more than half is), `moved` (what the
        path of `b` was moved by), `feet` (every plant within the blend with its case and what was done), `slip_mm`,
        `acceleration_ratio` against the sources.

    Raises:
        SkeletonError: the skeletons differ; the message says in what, and whether `map` would help.
        ParameterError: frames outside the clips, or clips too short for any blend.
    """
    parameters = parameters or TransitionParameters()
    _require_frames(a, b)
    plants_a = known_plants(a, plants_a, wanted=parameters.feet == "hold")
    plants_b = known_plants(b, plants_b, wanted=parameters.feet == "hold")
    brought = bring_onto(b, a, plants_b, plants_a, other_joints=parameters.map)
    recorded = b if b.skeleton.same_tree(a.skeleton) else brought.clip
    a, b = carry_root(a), carry_root(brought.clip)
    recorded = _at_rate(recorded, a.fps)
    stood = plants_a, (fit_plants(plants_b, plants_b.fps, recorded) if plants_b is not None else None)
    source = Sources(a, b, holdable(a, plants_a), holdable(b, brought.plants), recorded, stood)
    made = _best_of(source, parameters, keep)
    return replace(made, report={**made.report, "mapped": True}) if brought.mapped else made


def _best_of(sources: Sources, parameters: TransitionParameters, keep: Keep | None) -> Made:
    """The first transition that is good by its own measure, of those at the frames that are most alike; else the best of them."""
    best: tuple[float, Crossed, Window, FramePair, bool] | None = None
    tried = 0
    for pair, source, flipped, asked in _trials(sources, parameters, keep):
        tell(tried / _MOST_TRIED, f"trying frames {pair.at} and {pair.into}")
        crossed, window = _at(source, pair, asked)
        tried += 1
        worth = max(crossed.measured.badness, 1.0) + _RANK * pair.total
        if best is not None and worth >= best[0]:
            if crossed.measured.badness <= 1.0:
                break
            continue
        doubted = crossed.measured.badness <= _DOUBTFUL and bool(crossed.other_doubts())
        worth = max(worth, _DOUBTFUL) if doubted else worth
        if best is None or worth < best[0]:
            best = worth, crossed, window, pair, flipped
        if crossed.measured.badness <= 1.0 and not doubted:
            break
    assert best is not None
    _, crossed, window, pair, flipped = best
    report = _report(crossed, window, pair) | ({"mirrored": True} if flipped else {}) | {"tried": tried}
    return Made(crossed.clip, report, crossed.plants)


def _trials(
    sources: Sources, parameters: TransitionParameters, keep: Keep | None
) -> Iterator[tuple[FramePair, Sources, bool, TransitionParameters]]:
    """What to try, the most promising first: frames, other ways for feet that contradict, then blends of other lengths."""
    for window in (parameters.seconds, *(OTHER_WINDOWS if parameters.window is None else ())):
        asked = replace(parameters, window=window)
        if parameters.earliest is not None:  # a longer blend begins no sooner
            later = round(0.5 * (window - parameters.seconds) * sources.a.fps)
            asked = replace(asked, earliest=parameters.earliest + max(later, 0))
        try:
            ranked = _ranked(sources, asked, keep)
        except ParameterError:
            if window == parameters.seconds:
                raise
            continue  # no room for a longer one
        ways = ((*one, way) for one in ranked for way in _variations(asked))
        yield from islice(ways, _MOST_TRIED if window == parameters.seconds else _OF_OTHERS)


def _variations(parameters: TransitionParameters) -> Sequence[TransitionParameters]:
    """The parameters as they are, and other ways with feet that contradict, where that is left to us."""
    if parameters.feet == "free" or parameters.contradiction != "auto":
        return (parameters,)
    return (parameters, replace(parameters, contradiction="step"), replace(parameters, near=max(parameters.near, 0.15)))


def _at(source: Sources, pair: FramePair, parameters: TransitionParameters) -> tuple[Crossed, Window]:
    """The transition at one pair of frames."""
    window = _fit_window(
        source.a, source.b, pair, round(parameters.seconds * source.a.fps), parameters.method != "crossfade"
    )
    return cross(source, window, parameters), window


def _require_frames(a: Clip, b: Clip) -> None:
    for clip in (a, b):
        if len(clip) < 4:
            raise ParameterError(
                f"a transition needs clips of at least 4 frames, this has {len(clip)}", where=clip.name
            )


def _ranked(
    sources: Sources, parameters: TransitionParameters, keep: Keep | None
) -> list[tuple[FramePair, Sources, bool]]:
    """The frames to join, given or the best, best first; with `mirrored`, those of the second clip and of its mirror image."""
    a, b = sources.a, sources.b
    half = round(parameters.seconds * a.fps) // 2
    at = None if parameters.at is None else _frame(parameters.at, a, "at")
    into = None if parameters.into is None else _frame(parameters.into, b, "into")
    found: list[tuple[FramePair, Sources, bool]] = []
    for source in (sources, sources.mirrored()) if parameters.mirrored else (sources,):
        pairs = rank_frames(
            source.a,
            source.b,
            at,
            into,
            half,
            source.plants_a,
            source.plants_b,
            one_sided=parameters.method != "crossfade",
            bounds=(parameters.earliest, parameters.latest),
            search=parameters.search,
            keep=keep,
            most=_MOST_PAIRS,
        )
        found += [(pair, source, source is not sources) for pair in pairs]
    return sorted(found, key=lambda one: one[0].total)


def _frame(frame: int, clip: Clip, where: str) -> int:
    if not -len(clip) <= frame < len(clip):
        raise ParameterError(
            f"{where} {frame} is not a frame of {clip.name!r}, which has frames 0 to {len(clip) - 1}", where=where
        )
    return frame % len(clip)


def _fit_window(a: Clip, b: Clip, pair: FramePair, length: int, one_sided: bool) -> Window:
    """The window round the frames, made shorter where a clip does not reach."""
    asked = max(length, 2)
    if one_sided:
        room = len(b) - 1 - pair.into
        fits = min(asked, room)
        start = Window(pair.at, pair.into, fits, fits < asked)
    else:
        half = min(asked // 2, pair.at, pair.into, len(a) - 1 - pair.at, len(b) - 1 - pair.into)
        rest = min(asked - asked // 2, len(a) - 1 - pair.at, len(b) - 1 - pair.into) if half == asked // 2 else half
        start = Window(pair.at - half, pair.into - half, half + rest, half + rest < asked)
    if start.length < 2:
        raise ParameterError(
            f"no room for a blend at frame {pair.at} of {a.name!r} ({len(a)} frames) and frame {pair.into} of {b.name!r} "
            f"({len(b)} frames): a frame of both on either side is needed; choose frames further inside",
            where="at",
        )
    return start


def _at_rate(clip: Clip, fps: float) -> Clip:
    return clip if abs(clip.fps - fps) <= 1e-6 * fps else resample(clip, ResampleParameters(fps=fps))


def _shares(pair: FramePair) -> dict[str, Any]:
    """What is played of both clips, and in words what is lost."""
    shares: dict[str, Any] = {
        f"{name}_of_{which}": round(shares[n], 4)
        for name, shares in (("played", pair.played), ("action", pair.action))
        for n, which in enumerate(("first", "second"))
    }
    return {**shares, "lost": pair.lost} if pair.lost else shares


def _report(crossed: Crossed, window: Window, pair: FramePair) -> dict[str, Any]:
    measured = crossed.measured
    report: dict[str, Any] = {
        "at": pair.at,
        "into": pair.into,
        "window_frames": list(crossed.inside),
        "changed_frames": list(crossed.changed),
        "cost": round(pair.cost, 6),
        **_shares(pair),
        "acceleration_ratio": round(measured.acceleration, 4),
        "quality": measured.describe(),
        "doubts": [*crossed.doubts(), *([pair.lost] if pair.lost else [])],
    }
    if window.shortened:
        report["shortened_to_s"] = round(window.length / crossed.clip.fps, 4)
    if crossed.plants is None:
        report["feet"] = "not held: no foot plants are known"
        return report
    report["slip_mm"] = measured.slip_mm
    report["plants"] = measured.plants
    report["feet"] = crossed.footwork.describe(window.start_a)
    if np.any(crossed.moved):
        turn = float(np.degrees(wrap(crossed.moved[2:]))[0])
        report["moved"] = {"metres": round(float(np.hypot(*crossed.moved[:2])), 4), "degrees": round(turn, 3)}
    return report
