"""Transitions: from one motion into another without a jerk, a glide or a sliding foot (reuse specification 3.4 and 3.7).

from reenact.edit.transition import TransitionParameters, make_transition
made = make_transition(walk, kick, TransitionParameters(at=180, into=60, window=0.8))
made.clip, made.plants, made.report
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

import numpy as np

from reenact.analysis.carried_plants import known_plants, one_for_each
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.cutting import JoinParameters, concatenate, cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.core.heading import wrap
from reenact.core.made import Made
from reenact.core.mirror import mirror
from reenact.core.parameters import check_ranges, option
from reenact.core.placement import move_rigidly
from reenact.core.ramps import SHAPES, Shape, rise
from reenact.core.resample import ResampleParameters, resample, sample_at
from reenact.core.rooting import carry_root
from reenact.edit.blending import METHODS, Local, Method, add_up, blend, moving_joints, put_together, take_apart
from reenact.edit.calming import calm
from reenact.edit.carrying import carry_plants
from reenact.edit.choosing import SEARCHES, FramePair, Keep, Search, rank_frames
from reenact.edit.footwork import Footwork, hold_feet
from reenact.edit.limb_range import find_hinges, keep_bends
from reenact.edit.plant_plan import CONTRADICTIONS, Contradiction
from reenact.edit.tempo import match_tempo
from reenact.errors import ParameterError
from reenact.solve.bringing import bring_onto
from reenact.solve.feet import find_feet
from reenact.solve.holdable import holdable_plants
from reenact.solve.joint_pushes import joint_accelerations
from reenact.solve.result_quality import ResultQuality, Shown, measure_result

_RISEN = 0.015  # metres a heel has risen when it is not held through a blend
_MOST_PAIRS, _MOST_TRIED = 6, 9  # pairs of frames, and ways with their feet, that are tried where the first is not good
_RANK = 2.0  # what a metre of difference between the frames counts against a result that is as good as its limit
_NOTHING = 1e-9  # metres and radians
_PUSHED = 1.15  # of the sources' largest acceleration: what a blend may have before its feet are held


@dataclass(frozen=True, slots=True)
class TransitionParameters:
    """Where two clips are joined and how."""

    at: int | None = option(
        None,
        "frame of the first clip in the middle of the blend; negative counts from the end; default: the best",
        unit="frames",
    )
    into: int | None = option(
        None,
        "frame of the second clip in the middle of the blend; negative counts from the end; default: the best",
        unit="frames",
    )
    earliest: int | None = option(
        None, "when looking for the best frames: not before this frame of the first clip", unit="frames", low=0
    )
    latest: int | None = option(
        None, "when looking for the best frames: not after this frame of the second clip", unit="frames", low=0
    )
    search: Search = option(
        "action",
        "action: leave the first clip late and enter the second early, so that both play mostly; anywhere: where they are most alike",
    )
    window: float = option(0.8, "length of the blend", unit="s", above=0, high=30)
    method: Method = option(
        "crossfade",
        "crossfade: both play; inertial: the second plays, the difference dies out; dead: the first runs on by its speed; "
        "one_sided: to a pose some frames ahead, in a straight line with a linear weight",
    )
    weight: Shape = option("smooth", "how the blend rises: smooth, cubic, or linear as in the thesis")
    root: Literal["relative", "absolute"] = option(
        "relative", "relative: steps and turns are blended; absolute: recorded places are (glides)"
    )
    feet: Literal["hold", "free"] = option(
        "hold", "hold: planted feet stay where they are; free: they go where the blend takes them"
    )
    contradiction: Contradiction = option(
        "auto",
        "plants that contradict: hold the first place where it is near, step to the second, or slip as in the thesis",
    )
    near: float = option(0.06, "places of a foot nearer than this are one", unit="m", low=0, high=0.5)
    absorb: bool = option(True, "move the path of the second clip so that plants of both fall together")
    tempo: bool = option(False, "bring both to one tempo within the blend (needs steps in both)")
    mirrored: bool = option(False, "try the second clip mirrored, too, and take the better")
    map: bool = option(False, "bring a second clip with other joints onto the skeleton of the first")

    def __post_init__(self) -> None:
        check_ranges(self)
        for name, value, words in (
            ("search", self.search, SEARCHES),
            ("method", self.method, METHODS),
            ("weight", self.weight, SHAPES),
            ("root", self.root, ("relative", "absolute")),
            ("feet", self.feet, ("hold", "free")),
            ("contradiction", self.contradiction, CONTRADICTIONS),
        ):
            if value not in words:
                raise ParameterError(f"{name} must be one of {', '.join(words)}, not {value!r}", where=name)


@dataclass(frozen=True, slots=True)
class _Window:
    """Frames of a blend: it begins in frame `start_a` of the first clip and `start_b` of the second and lasts `length` frames."""

    start_a: int
    start_b: int
    length: int
    shortened: bool


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
    made = make_transition(clips[0], clips[1], parameters, known[0], known[1], keep=Keep(leaves=len(clips) > 2))
    for number, following in enumerate(clips[2:], start=3):
        so_far = made.report
        after = so_far["window_frames"][1] + round(parameters.window * made.clip.fps) // 2
        asked = replace(parameters, at=None, earliest=after)
        keep = keep_after(so_far, leaves=number < len(clips))
        made = make_transition(made.clip, following, asked, made.plants, known[number - 1], keep=keep)
        before = so_far.get("before", []) + [{k: v for k, v in so_far.items() if k != "before"}]
        made = replace(made, report={**made.report, "before": before})
    return made


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
    plants_a, plants_b = _holdable(a, plants_a), _holdable(b, brought.plants)
    source = _Sources(a, b, plants_a, plants_b, _at_rate(recorded, a.fps))
    made = _best_of(source, parameters, keep)
    return replace(made, report={**made.report, "mapped": True}) if brought.mapped else made


@dataclass(frozen=True, slots=True, eq=False)
class _Sources:
    """Both clips on one skeleton, at one rate and on one floor, with what can be held of their plants; and the second as recorded."""

    a: Clip
    b: Clip
    plants_a: FootPlants | None
    plants_b: FootPlants | None
    recorded: Clip

    def mirrored(self) -> _Sources:
        """With the second clip mirrored."""
        plants = None if self.plants_b is None else self.plants_b.mirrored()
        return replace(self, b=mirror(self.b), plants_b=plants, recorded=mirror(self.recorded))


def _best_of(sources: _Sources, parameters: TransitionParameters, keep: Keep | None) -> Made:
    """The first transition that is good by its own measure, of those at the frames that are most alike; else the best of them."""
    best: tuple[float, Made] | None = None
    tried = 0
    trials = (
        (pair, source, flipped, asked)
        for pair, source, flipped in _ranked(sources, parameters, keep)
        for asked in _variations(parameters)
    )
    for pair, source, flipped, asked in islice(trials, _MOST_TRIED):
        made, measured = _join(source, pair, asked)
        tried += 1
        worth = max(measured.badness, 1.0) + _RANK * pair.total
        if best is None or worth < best[0]:
            best = worth, replace(made, report=made.report | ({"mirrored": True} if flipped else {}))
        if measured.badness <= 1.0:
            break
    assert best is not None
    return replace(best[1], report=best[1].report | {"tried": tried})


def _variations(parameters: TransitionParameters) -> Sequence[TransitionParameters]:
    """The parameters as they are, and other ways with feet that contradict, where that is left to us."""
    if parameters.feet == "free" or parameters.contradiction != "auto":
        return (parameters,)
    return (parameters, replace(parameters, contradiction="step"), replace(parameters, near=max(parameters.near, 0.15)))


def _join(source: _Sources, pair: FramePair, parameters: TransitionParameters) -> tuple[Made, ResultQuality]:
    """The transition at one pair of frames, and what it is worth."""
    a, b, plants_a, plants_b = source.a, source.b, source.plants_a, source.plants_b
    one_sided = parameters.method != "crossfade"
    window = _fit_window(a, b, pair, round(parameters.window * a.fps), one_sided)
    work = _blend_window(a, b, window, parameters, plants_a, plants_b)
    head, tail = cut_frames(a, 0, window.start_a), cut_frames(work.second, window.start_b + window.length, len(b))
    middle, rest = cut_frames(work.base, 0, window.length), tail
    if work.extra:
        rest = concatenate_kept(
            [cut_frames(work.base, window.length, len(work.base)), cut_frames(tail, work.extra, len(tail))]
        )
    parts = [part for part in (head, middle, rest) if len(part)]
    name = f"{a.name}>{b.name}" if a.name or b.name else ""
    clip = replace(concatenate_kept(parts), name=name)
    plants = carry_plants(plants_a, plants_b, window.start_a, window.start_b, window.length, work.footwork)
    inside = (window.start_a, window.start_a + window.length + 1)
    shown = _shown(clip, (a, source.recorded), (plants_a, plants_b), window, one_sided)
    measured = measure_result(clip, plants, shown, (inside[0], inside[1] - 1 + work.extra), inside)
    report = _report(clip, plants, measured, window, pair, work, inside)
    return Made(clip, report, plants), measured


def concatenate_kept(parts: Sequence[Clip]) -> Clip:
    """Clips of one skeleton and rate one after the other, each where it stands."""
    return parts[0] if len(parts) == 1 else concatenate(parts, JoinParameters(place="keep"))


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    """A blend that was made: the frames of the window and of what is held beyond it, the second clip in its place."""

    base: Clip
    second: Clip
    extra: int
    moved: Float
    footwork: Footwork


def _holdable(clip: Clip, plants: FootPlants | None) -> FootPlants | None:
    """The plants without what no foot can do; those planned or carried are left as they are."""
    if plants is None or plants.source == "carried":
        return plants
    return holdable_plants(plants, clip.world(np.float64), find_feet(clip.skeleton, clip), clip.fps, _RISEN)[0]


def _require_frames(a: Clip, b: Clip) -> None:
    for clip in (a, b):
        if len(clip) < 4:
            raise ParameterError(
                f"a transition needs clips of at least 4 frames, this has {len(clip)}", where=clip.name
            )


def _ranked(
    sources: _Sources, parameters: TransitionParameters, keep: Keep | None
) -> list[tuple[FramePair, _Sources, bool]]:
    """The frames to join, given or the best, best first; with `mirrored`, those of the second clip and of its mirror image."""
    a, b = sources.a, sources.b
    half = round(parameters.window * a.fps) // 2
    at = None if parameters.at is None else _frame(parameters.at, a, "at")
    into = None if parameters.into is None else _frame(parameters.into, b, "into")
    found: list[tuple[FramePair, _Sources, bool]] = []
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


def _fit_window(a: Clip, b: Clip, pair: FramePair, length: int, one_sided: bool) -> _Window:
    """The window round the frames, made shorter where a clip does not reach."""
    asked = max(length, 2)
    if one_sided:
        room = len(b) - 1 - pair.into
        fits = min(asked, room)
        start = _Window(pair.at, pair.into, fits, fits < asked)
    else:
        half = min(asked // 2, pair.at, pair.into, len(a) - 1 - pair.at, len(b) - 1 - pair.into)
        rest = min(asked - asked // 2, len(a) - 1 - pair.at, len(b) - 1 - pair.into) if half == asked // 2 else half
        start = _Window(pair.at - half, pair.into - half, half + rest, half + rest < asked)
    if start.length < 2:
        raise ParameterError(
            f"no room for a blend at frame {pair.at} of {a.name!r} ({len(a)} frames) and frame {pair.into} of {b.name!r} "
            f"({len(b)} frames): a frame of both on either side is needed; choose frames further inside",
            where="at",
        )
    return start


def _blend_window(
    a: Clip,
    b: Clip,
    window: _Window,
    parameters: TransitionParameters,
    plants_a: FootPlants | None,
    plants_b: FootPlants | None,
) -> _Work:
    moving = moving_joints(a, b)
    length, one_sided = window.length, parameters.method != "crossfade"
    frames_a = window.start_a + np.arange(length + 1, dtype=np.float64)
    frames_b = window.start_b + np.arange(length + 1, dtype=np.float64)
    if parameters.tempo and not one_sided:
        frames_a, frames_b = match_tempo(frames_a, frames_b, (plants_a, plants_b), (len(a), len(b)), parameters.weight)
    if one_sided:  # two frames of the first clip: the one it is left in, and the one before for its speed
        first = _local(a, np.array([max(window.start_a - 1, 0), window.start_a], dtype=np.float64), moving)
    else:
        first = _local(a, frames_a, moving)
    second = _local(b, frames_b, moving)
    mixed = blend(first, second, parameters.method, parameters.weight, a.fps)
    start = first.stands[1 if one_sided else 0]
    stands = mixed.stands if parameters.root == "absolute" else add_up(start, mixed.steps)
    shown = (_frames_of(a, frames_a[:1] if one_sided else frames_a), _frames_of(b, frames_b))
    mixed = _tame(mixed, stands, a, b, shown)

    def make(moved: Float) -> tuple[Clip, Clip]:
        path = stands + weights_of_move(length)[:, None] * moved
        base = put_together(mixed, path, a)
        if not one_sided and _same(base, frames_a, a):
            base = cut_frames(a, window.start_a, window.start_a + length + 1)
        placed = b if parameters.root == "absolute" else _place(b, second.stands[-1], path[-1])
        return base, placed

    if parameters.feet == "free" or plants_a is None or plants_b is None:
        base, placed = make(np.zeros(3))
        return _Work(cut_frames(base, 0, length), placed, 0, np.zeros(3), Footwork())
    absorb = parameters.absorb and parameters.root == "relative" and parameters.contradiction != "slip"
    footwork = hold_feet(
        a=a,
        frames_a=frames_a[:1] if one_sided else frames_a,
        frames_b=frames_b,
        plants=(plants_a, plants_b),
        make=make,
        contradiction=parameters.contradiction,
        near=parameters.near,
        absorb=absorb,
    )
    return _Work(footwork.clip, footwork.second, len(footwork.clip) - length, footwork.moved, footwork.footwork)


def _tame(mixed: Local, stands: Float, a: Clip, b: Clip, shown: Sequence[Clip]) -> Local:
    """A blend without limbs bent through and without jerks that its sources do not have."""
    bent = keep_bends(put_together(mixed, stands, a), shown, find_hinges(a.skeleton, (a, b)))
    turns = mixed.turns.copy()
    turns[:, 1:] = bent.rotations[:, 1:]
    mixed = replace(mixed, turns=turns)
    limit = _PUSHED * max(float(joint_accelerations(clip).max(initial=0.0)) for clip in (a, b))
    return calm(mixed, lambda local: put_together(local, stands, a), limit)


def _frames_of(clip: Clip, frames: Float) -> Clip:
    """The frames of a clip that lie around some moments."""
    return cut_frames(clip, int(np.floor(frames.min())), int(np.ceil(frames.max())) + 1)


def weights_of_move(length: int) -> Float:
    """(length + 1,) how much of a move of the second path is done in each frame."""
    return rise(np.arange(length + 1) / length)


def _same(base: Clip, frames: Float, source: Clip) -> bool:
    """Whether a blend shows just what its first clip shows, but for rounding: a clip blended into itself."""
    if np.any(frames != np.rint(frames)):
        return False
    at = frames.astype(int)
    turned = np.abs(np.einsum("fji,fji->fj", base.rotations, source.rotations[at]))
    return bool(turned.min() > 1 - 1e-6 and np.abs(base.root - source.root[at]).max() < 1e-5)


def _local(clip: Clip, frames: Float, moving: tuple[int, ...]) -> Local:
    """Frames of a clip without place and direction; whole numbers are taken as they are."""
    low, high = int(np.floor(frames.min())), int(np.ceil(frames.max())) + 1
    low = max(low - 1, 0)  # one more, so that the first step is the one that leads into it
    part = cut_frames(clip, low, min(high, len(clip)))
    if np.all(frames == np.rint(frames)):
        local = take_apart(part, moving)
        which = np.rint(frames).astype(int) - low
        return Local(local.turns[which], local.points[which], local.steps[which], local.stands[which], moving)
    return take_apart(sample_at(part, frames - low, clip.fps, "smooth"), moving)


def _place(clip: Clip, here: Float, there: Float) -> Clip:
    """The clip moved as a whole so that the stand `here` (x, z, heading) comes to `there`."""
    if np.abs(there - here).max() < _NOTHING:
        return clip
    shift = there[:2] - here[:2]
    return move_rigidly(clip, (shift[0], 0.0, shift[1]), float(there[2] - here[2]), here[:2])


def _at_rate(clip: Clip, fps: float) -> Clip:
    return clip if abs(clip.fps - fps) <= 1e-6 * fps else resample(clip, ResampleParameters(fps=fps))


def _shown(
    result: Clip,
    sources: tuple[Clip, Clip],
    plants: tuple[FootPlants | None, FootPlants | None],
    window: _Window,
    one_sided: bool,
) -> tuple[Shown, Shown]:
    """What the result shows of both clips, frame by frame; both over the window."""
    frames = np.arange(len(result))
    last = window.start_a + (1 if one_sided else window.length + 1)
    first = np.where(frames < last, frames, -1)
    second = np.where(frames >= window.start_a, frames - window.start_a + window.start_b, -1)
    second = np.minimum(second, len(sources[1]) - 1)
    return Shown(sources[0], plants[0], first), Shown(sources[1], plants[1], second)


def _shares(pair: FramePair) -> dict[str, Any]:
    """What is played of both clips, and in words what is lost."""
    shares: dict[str, Any] = {
        f"{name}_of_{which}": round(shares[n], 4)
        for name, shares in (("played", pair.played), ("action", pair.action))
        for n, which in enumerate(("first", "second"))
    }
    return {**shares, "lost": pair.lost} if pair.lost else shares


def _report(
    clip: Clip,
    plants: FootPlants | None,
    measured: ResultQuality,
    window: _Window,
    pair: FramePair,
    work: _Work,
    inside: tuple[int, int],
) -> dict[str, Any]:
    changed = (inside[0], inside[1] - 1 + work.extra)
    report: dict[str, Any] = {
        "at": pair.at,
        "into": pair.into,
        "window_frames": list(inside),
        "changed_frames": list(changed),
        "cost": round(pair.cost, 6),
        **_shares(pair),
        "acceleration_ratio": round(measured.acceleration, 4),
        "quality": measured.describe(),
        "doubts": [*measured.doubts(), *([pair.lost] if pair.lost else [])],
    }
    if window.shortened:
        report["shortened_to_s"] = round(window.length / clip.fps, 4)
    if plants is None:
        report["feet"] = "not held: no foot plants are known"
        return report
    report["slip_mm"] = measured.slip_mm
    report["plants"] = measured.plants
    report["feet"] = work.footwork.describe(window.start_a)
    if np.any(work.moved):
        turn = float(np.degrees(wrap(work.moved[2:]))[0])
        report["moved"] = {"metres": round(float(np.hypot(*work.moved[:2])), 4), "degrees": round(turn, 3)}
    return report
