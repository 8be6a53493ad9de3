"""What a clip is: stand, walk, run, jump or other, with the segments it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.analysis.body_motion import BodyMotion, observe_body, observe_paths, sampling_step, trunk_points
from reenact.analysis.foot_points import FootPoints, find_foot_points, point_paths
from reenact.analysis.gait_machine import UNKNOWN, label_runs
from reenact.analysis.gait_steps import GaitParameters, label_steps
from reenact.analysis.in_place import put_on_ground
from reenact.analysis.plants import detect_plants
from reenact.analysis.plants_adaptive import detect_adaptive, detect_on_paths, watched_points
from reenact.analysis.segments import Classification, Segment, homogeneous_type, merge_segments
from reenact.analysis.tokens import condition_runs, token_runs, tokens_of
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError

CLASSIFIERS = ("steps", "thesis", "thesis-literal")
"""The default; the published machine with conditioned tokens and guard; the same with the memoryless reading of flights."""

_DEFAULTS = GaitParameters()
_LEAST = {"walk": 0.3, "run": 0.3, "jump": 0.2}  # least share of all frames: few steps in a long stand make no walk
_BETWEEN = 0.2  # largest share of other things between the parts of a walk
_STRANGE = 0.25  # likewise of things that are no walk, anywhere in a run or jump
_WALKED = 0.7  # least share of what is not standing, of a walk
_RAN, _RAN_WAY = 0.4, 0.6  # likewise of a run, in time and of the way: to start, turn and stop takes steps of a walk
_JUMPED = 0.5  # of a jump: approach and way back are walked
_TURNED = 0.5  # cosine: other steps at an end that turn the body by 60 degrees are a turn before or after the gait
_LIES = 0.15  # seconds of a lying or inverted trunk that make a clip "other"
_GUARD_LEAN = 0.5  # the guard of the published machine: cosine of the trunk's lean
_GUARD_SINK = 0.75  # and height of the hips over the floor, of the leg


@dataclass(frozen=True, slots=True)
class ClassifyParameters:
    """How a clip is classified."""

    classifier: Literal["steps", "thesis", "thesis-literal"] = option(
        "steps", "steps: the default; thesis: the published machine with conditioned tokens; thesis-literal: without"
    )

    def __post_init__(self) -> None:
        check_ranges(self)


def classify_clip(
    clip: Clip, parameters: ClassifyParameters | None = None, plants: FootPlants | None = None
) -> Classification:
    """Type and segments of a clip; see `classify`."""
    return classify(clip, plants, (parameters or ClassifyParameters()).classifier)


def classify(
    clip: Clip,
    plants: FootPlants | None = None,
    classifier: str = "steps",
    parameters: GaitParameters | None = None,
) -> Classification:
    """Type and segments of a clip.

    Args:
        clip: any skeleton with feet.
        plants: its foot plants, where they are known; else those that travel with it, else detected.
        classifier: a name out of `CLASSIFIERS`.
        parameters: of the default classifier.

    Raises:
        SkeletonError: the skeleton has no feet.
        ParameterError: no such classifier, or plants of another number of frames.
    """
    if classifier not in CLASSIFIERS:
        raise ParameterError(f"no classifier {classifier!r}; there are {', '.join(CLASSIFIERS)}", where="classifier")
    plants = clip.plants if plants is None else plants
    plants = detect_plants(clip, usual_detector(classifier)) if plants is None else plants.standing()
    if len(plants) != len(clip):
        raise ParameterError(f"the plants have {len(plants)} frames, the clip {len(clip)}")
    if not len(clip):
        return Classification("other", (), classifier)
    points = find_foot_points(clip.skeleton, clip)
    body = observe_body(clip, points)
    if classifier != "steps":
        runs = token_runs(tokens_of(plants))
        verdict = label_runs(condition_runs(runs, clip.fps), strict=classifier == "thesis")
        named = [Segment("other" if v.label == UNKNOWN else v.label, v.start, v.end) for v in verdict.labels]
        segments = tuple(merge_segments(named))
        kind = "other" if _is_lying(body, plants) else homogeneous_type(segments)
        return Classification(kind, segments, classifier)
    return _classify_steps(clip, plants, points, body, parameters or _DEFAULTS)


def usual_detector(classifier: str) -> str:
    """The detector of foot plants that a classifier goes with."""
    return "adaptive" if classifier == "steps" else "threshold"


def detect_and_classify(clip: Clip, parameters: GaitParameters | None = None) -> tuple[FootPlants, Classification]:
    """Foot plants and what the clip is, both by the defaults: quicker than one after the other, as the body's paths are shared.

    Raises:
        SkeletonError: the skeleton has no feet.
    """
    points = find_foot_points(clip.skeleton, clip)
    watched = watched_points(points)
    paths = point_paths(clip, [*watched, *trunk_points(clip.skeleton, points)])
    plants = detect_on_paths(paths, clip.fps, points)
    if not len(clip):
        return plants, Classification("other", (), "steps")
    step, feet = sampling_step(clip.fps), len(points.sides)
    # hips, hip joints and top of the trunk, then the ball of each side: of the one foot twice where there is one
    order = [2 * feet + n for n in range(4)] + ([1, 3] if feet == 2 else [1, 1])
    body = observe_paths(paths[::step].take(order, axis=1), clip.fps, step, points.leg)
    return plants, _classify_steps(clip, plants, points, body, parameters or _DEFAULTS)


def _classify_steps(
    clip: Clip, plants: FootPlants, points: FootPoints, body: BodyMotion, parameters: GaitParameters
) -> Classification:
    fps = clip.fps
    over_ground = put_on_ground(clip, plants, points, body)
    if over_ground is not None:
        plants, body = detect_adaptive(over_ground, points=points), observe_body(over_ground, points)
    segments = tuple(label_steps(plants, body, fps, parameters))
    return Classification(_prevailing(segments, body, fps, parameters), segments, "steps")


def _prevailing(segments: tuple[Segment, ...], body: BodyMotion, fps: float, parameters: GaitParameters) -> str:
    """The gait of a clip: what prevails when standing is left out and nothing else comes between; "other" else."""
    lying = np.count_nonzero(body.upright < parameters.lean) * body.step / fps
    if lying > _LIES:
        return "other"
    active = [segment for segment in segments if segment.type != "stand"]
    if not active:
        return "stand"
    active = _without_turns(active, body)
    counts: dict[str, int] = {}
    way: dict[str, float] = {}
    for segment in active:
        counts[segment.type] = counts.get(segment.type, 0) + len(segment)
        way[segment.type] = way.get(segment.type, 0.0) + body.mean_speed(segment.start, segment.end) * len(segment)
    total, frames = sum(counts.values()), segments[-1].end

    def has(kind: str, share: float) -> bool:
        return counts.get(kind, 0) >= max(share * total, _LEAST[kind] * frames)

    # a walk may lead to, part or follow a run or jump; anything else in it, or a run in a jump, makes the clip a mixed one
    strange = {kind: total - counts.get(kind, 0) - counts.get("walk", 0) for kind in ("run", "jump")}
    if has("run", _RAN) and way["run"] >= _RAN_WAY * sum(way.values()) and strange["run"] <= _STRANGE * total:
        return "run"
    if has("jump", _JUMPED) and strange["jump"] <= _STRANGE * total:
        return "jump"
    if not has("walk", _WALKED):
        return "other"
    places = [n for n, segment in enumerate(active) if segment.type == "walk"]
    between = active[places[0] : places[-1] + 1]
    foreign = sum(len(segment) for segment in between if segment.type != "walk")
    return "walk" if foreign <= _BETWEEN * total else "other"


def _without_turns(active: list[Segment], body: BodyMotion) -> list[Segment]:
    """The segments without turns on the spot before the first gait and after the last; all of them where there is no other."""
    first, last = 0, len(active)
    while first < last and _is_turn(active[first], body):
        first += 1
    while first < last and _is_turn(active[last - 1], body):
        last -= 1
    return active[first:last] or active


def _is_turn(segment: Segment, body: BodyMotion) -> bool:
    if segment.type != "other":
        return False
    before, after = body.forward[body.sample(segment.start)], body.forward[body.sample(segment.end - 1)]
    return bool(before.any() and after.any() and before @ after < _TURNED)


def _is_lying(body: BodyMotion, plants: FootPlants) -> bool:
    """The guard of the published machine's acrobatic clips: the trunk far from upright, or the hips near the floor."""
    low = body.hips @ plants.floor.normal - plants.floor.height < _GUARD_SINK * body.leg
    return bool(np.any(low | (body.upright < _GUARD_LEAN)))
