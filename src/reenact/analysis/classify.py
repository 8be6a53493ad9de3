"""What a clip is: stand, walk, run, jump or other, with the segments it is made of."""

from __future__ import annotations

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
from reenact.errors import ParameterError

CLASSIFIERS = ("steps", "thesis", "thesis-literal")
"""The default; the published machine with conditioned tokens and guard; the same with the memoryless reading of flights."""

_DEFAULTS = GaitParameters()
_PREVAILS = 0.75  # least share of what is not standing that a clip's gait has
_BETWEEN = 0.2  # largest share of other things between its parts
_LEAST = 0.3  # least share of all frames that it has: a few steps in a long stand do not make a walk
_LIES = 0.15  # seconds of a lying or inverted trunk that make a clip "other"
_GUARD_LEAN = 0.5  # the guard of the published machine: cosine of the trunk's lean
_GUARD_SINK = 0.75  # and height of the hips over the floor, of the leg


def classify(
    clip: Clip,
    plants: FootPlants | None = None,
    classifier: str = "steps",
    parameters: GaitParameters | None = None,
) -> Classification:
    """Type and segments of a clip.

    Args:
        clip: any skeleton with feet.
        plants: its foot plants, where they are known; detected else.
        classifier: a name out of `CLASSIFIERS`.
        parameters: of the default classifier.

    Raises:
        SkeletonError: the skeleton has no feet.
        ParameterError: no such classifier, or plants of another number of frames.
    """
    if classifier not in CLASSIFIERS:
        raise ParameterError(f"no classifier {classifier!r}; there are {', '.join(CLASSIFIERS)}", where="classifier")
    if plants is None:
        plants = detect_plants(clip, usual_detector(classifier))
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
    counts: dict[str, int] = {}
    for segment in active:
        counts[segment.type] = counts.get(segment.type, 0) + len(segment)
    kind = max(counts, key=lambda name: counts[name])
    total = sum(counts.values())
    if counts[kind] < max(_PREVAILS * total, _LEAST * segments[-1].end):
        return "other"
    places = [n for n, segment in enumerate(active) if segment.type == kind]
    between = active[places[0] : places[-1] + 1]
    foreign = sum(len(segment) for segment in between if segment.type != kind)
    return kind if foreign <= _BETWEEN * total else "other"


def _is_lying(body: BodyMotion, plants: FootPlants) -> bool:
    """The guard of the published machine's acrobatic clips: the trunk far from upright, or the hips near the floor."""
    low = body.hips @ plants.floor.normal - plants.floor.height < _GUARD_SINK * body.leg
    return bool(np.any(low | (body.upright < _GUARD_LEAN)))
