"""Making the clip of a plan: every switch becomes a transition that keeps planted feet where they are (reuse 3.4 and 3.7)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.mirror import mirror
from reenact.core.progress import stage
from reenact.edit.choosing import Keep
from reenact.edit.transition import TransitionParameters, keep_after, make_transition
from reenact.edit.transition_parameters import USUAL_WINDOW
from reenact.errors import ParameterError
from reenact.graph.cluster_graph import ClusterGraph, GraphClip
from reenact.graph.planning import Segment


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A clip that is played, with its foot plants (found when None)."""

    clip: Clip
    plants: FootPlants | None = None


Sources = Callable[[str], Source]
"""Gives a clip by its name."""


def sources_from(clips: Sequence[Clip], plants: Sequence[FootPlants | None] | None = None) -> Sources:
    """Clips in memory as sources."""
    held = {clip.name: Source(clip, plants[n] if plants else None) for n, clip in enumerate(clips)}

    def find(name: str) -> Source:
        if name not in held:
            raise ParameterError(f"no clip {name!r}; there are {', '.join(held)}", where=name)
        return held[name]

    return find


def join_segments(
    graph: ClusterGraph, segments: Sequence[Segment], sources: Sources, parameters: TransitionParameters | None = None
) -> Made:
    """The segments one after the other, with a transition from each to the next.

    Segments that follow one another in the recording are played on without a blend.

    Returns:
        clip on the skeleton and at the rate of the first segment's; plants; report with a row for every transition: its frames in the
        result and what `make_transition` measured.
    """
    parameters = parameters or TransitionParameters(window=USUAL_WINDOW)
    runs = _merge(segments)
    if not runs:
        raise ParameterError("there is nothing to join")
    first = runs[0]
    current = take_source(graph.clips[first.clip], sources)
    if first.start:
        current = _cut(current, first.start, len(current.clip))
    clip, plants = current.clip, current.plants
    fps = clip.fps
    leave = first.end - first.start  # of the motion made so far
    rows: list[dict[str, Any]] = []
    keep: Keep | None = None
    for number, (before, after) in enumerate(itertools.pairwise(runs)):
        joining = stage(number / len(runs), (number + 1) / len(runs), f"joining {graph.clips[after.clip].label}")
        following = take_source(graph.clips[after.clip], sources)
        ratio = fps / following.clip.fps
        into = min(round(after.start * ratio), max(round((len(following.clip) - 1) * ratio), 0))
        asked = replace(parameters, at=leave, into=into, mirrored=False)
        with joining:
            made = make_transition(clip, following.clip, asked, plants, following.plants, keep=keep)
        keep = keep_after(made.report)
        rows.append(
            {
                "from": graph.clips[before.clip].label,
                "to": graph.clips[after.clip].label,
                "left_at": before.end,
                "entered_at": after.start,
                **made.report,
            }
        )
        clip, plants = made.clip, made.plants
        leave += round(after.end * ratio) - into
    clip = replace(clip, name=">".join(graph.clips[run.clip].name for run in runs))
    if leave < len(clip):
        clip = cut_frames(clip, 0, leave)
        plants = None if plants is None else plants.cut(0, leave)
    return Made(clip, {"transitions": rows}, plants)


def _merge(segments: Sequence[Segment]) -> list[Segment]:
    """Segments that continue one another as one."""
    runs: list[Segment] = []
    for segment in segments:
        if runs and runs[-1].clip == segment.clip and runs[-1].end == segment.start:
            runs[-1] = Segment(segment.clip, runs[-1].start, segment.end)
        else:
            runs.append(segment)
    return runs


def take_source(about: GraphClip, sources: Sources) -> Source:
    """A clip of a graph with its plants, mirrored where it stands so in the graph."""
    found = sources(about.name)
    if len(found.clip) != about.frames:
        raise ParameterError(
            f"the clip has {len(found.clip)} frames, the graph was built with {about.frames}; build it again",
            where=about.name,
        )
    if not about.mirrored:
        return found
    return Source(mirror(found.clip), None if found.plants is None else found.plants.mirrored())


def _cut(source: Source, start: int, end: int) -> Source:
    return Source(cut_frames(source.clip, start, end), None if source.plants is None else source.plants.cut(start, end))
