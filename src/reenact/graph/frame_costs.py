"""What leaving one clip and entering another costs at every frame, and where it is not allowed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.action import lost_after, lost_before
from reenact.core.arrays import Float64
from reenact.graph.cluster_graph import ClusterGraph
from reenact.graph.search_parameters import SearchParameters

_LEAST_ROOM = 0.1  # seconds
_MOST = 0.5  # share of a clip named, of its time or its action, that is lost only where there is no other way

BOUNDS = ((True, True), (False, True), (True, False), (False, False))
"""Whether no more than half may be lost of the clip that is left, and of the one entered; tried in this order until there is a way."""


@dataclass(frozen=True, slots=True)
class Waypoint:
    """A clip to be played, or several of which any will do.

    Attributes:
        clips: numbers of clips in the graph.
        frame: the clip is entered before it, so that it is reached (None: as much of the clip as possible is played).
        leave: the clip is left near it (None: near its end).
        label: what was asked for.
    """

    clips: tuple[int, ...]
    frame: int | None = None
    leave: int | None = None
    label: str = ""


class FrameCosts:
    """What leaving and entering at every frame costs, inf where it is not allowed: arrays (N,), by reason and in all."""

    def __init__(
        self,
        graph: ClusterGraph,
        source: Waypoint,
        target: Waypoint,
        parameters: SearchParameters,
    ) -> None:
        count, self.graph = graph.frames, graph
        self.source, self.target, self.parameters = source, target, parameters
        self.leave, self.enter = np.full(count, np.inf), np.full(count, np.inf)
        self.exit, self.entry = np.zeros(count), np.zeros(count)
        self._plain: tuple[dict[int, Float64], dict[int, Float64]] = ({}, {})
        self.leave_lost, self.enter_lost = np.zeros(count), np.zeros(count)
        self.leave_room, self.enter_room = np.zeros(count), np.zeros(count)
        self.mirror = parameters.mirror * np.array([clip.mirrored for clip in graph.clips], dtype=np.float64)
        for clip in source.clips:
            span, k, fps = self._span(graph, clip)
            wanted = graph.clips[clip].frames - 1 if source.leave is None else source.leave
            self.exit[span] = parameters.exit * np.abs(k - wanted) / fps
            self.leave_room[span] = parameters.room * _missing(k, k[::-1], parameters.window / 2 * fps)
            if parameters.search == "action" and source.leave is None:
                faded = round(parameters.window / 2 * fps)
                self.leave_lost[span] = parameters.lost * lost_after(graph.action_of(clip), faded, faded)
            self.leave[span] = self.exit[span] + self.leave_lost[span] + self.leave_room[span]
            self.leave[span][np.minimum(k, k[::-1]) < least_room(parameters, fps)] = np.inf
            self._plain[0][clip] = self.leave[span].copy()
        for clip in target.clips:
            span, k, fps = self._span(graph, clip)
            late = k if target.frame is None else target.frame - k
            self.entry[span] = parameters.entry * np.abs(late) / fps
            self.enter_room[span] = parameters.room * _missing(k, k[::-1], parameters.window / 2 * fps)
            if parameters.search == "action" and target.frame is None:
                faded = round(parameters.window / 2 * fps)
                self.enter_lost[span] = parameters.lost * lost_before(graph.action_of(clip), faded, faded)
            self.enter[span] = self.entry[span] + self.enter_lost[span] + self.enter_room[span] + self.mirror[clip]
            self.enter[span][(late < 0) | (np.minimum(k, k[::-1]) < least_room(parameters, fps))] = np.inf
            self._plain[1][clip] = self.enter[span].copy()

    def bound(self, bounds: tuple[bool, bool]) -> None:
        """Allow only frames at which no more than half is lost of the clip that is left, of the one entered, or of both; see `BOUNDS`."""
        ends = (
            (self.leave, self._plain[0], self.source.clips, self.source.leave, self._left),
            (self.enter, self._plain[1], self.target.clips, self.target.frame, self._entered),
        )
        for bounded, (costs, plain, clips, asked, lost) in zip(bounds, ends, strict=True):
            for clip in clips:
                span, _, _ = self._span(self.graph, clip)
                over = (lost(clip) > _MOST) & bounded & (asked is None)
                costs[span] = np.where(over, np.inf, plain[clip])

    @staticmethod
    def _span(graph: ClusterGraph, clip: int) -> tuple[slice, np.ndarray, float]:
        about = graph.clips[clip]
        start = int(graph.starts[clip])
        return slice(start, start + about.frames), np.arange(about.frames), about.fps

    def at_exit(self, frames: np.ndarray) -> Float64:
        """Costs of leaving the source at some frames, without those for room."""
        return np.where(np.isfinite(self.leave[frames]), self.exit[frames] + self.leave_lost[frames], np.inf)

    def at_entry(self, graph: ClusterGraph) -> Float64:
        """Costs of entering the target at the alignment frames, without those for room."""
        frames = graph.aligned
        plain = self.entry[frames] + self.enter_lost[frames] + self.mirror[graph.sequence_clips]
        return np.where(np.isfinite(self.enter[frames]), plain, np.inf)

    def parts(self, leave: int, enter: int) -> dict[str, float]:
        """Costs of the two ends by reason."""
        return {
            "exit": float(self.exit[leave]),
            "entry": float(self.entry[enter]),
            "lost": float(self.leave_lost[leave] + self.enter_lost[enter]),
            "room": float(self.leave_room[leave] + self.enter_room[enter]),
        }

    def say_lost(self, leave: tuple[int, int], enter: tuple[int, int]) -> str:
        """In words, what is lost of clips left or entered at (clip, frame), where it is more than half and was not asked for."""
        words, why = [], "no other way was found" if self.parameters.search == "action" else "search anywhere"
        ends = (("left", leave, self.source.leave, self._left), ("entered", enter, self.target.frame, self._entered))
        for how, (clip, frame), asked, lost in ends:
            share = float(lost(clip)[frame])
            if asked is None and share > _MOST:
                name = self.graph.clips[clip].label
                words.append(f"{100 * share:.0f} % of {name} is lost: it is {how} at frame {frame} ({why})")
        return "; ".join(words)

    def _left(self, clip: int) -> Float64:
        """(F,) share of a clip, of its time or its action, that is lost when it is left at a frame."""
        k = np.arange(self.graph.clips[clip].frames)
        return np.maximum(k[::-1] / len(k), lost_after(self.graph.action_of(clip)))

    def _entered(self, clip: int) -> Float64:
        """(F,) share of a clip that is lost when it is entered at a frame."""
        k = np.arange(self.graph.clips[clip].frames)
        return np.maximum(k / len(k), lost_before(self.graph.action_of(clip)))


def least_room(parameters: SearchParameters, fps: float | Float64) -> np.ndarray:
    """Frames that must lie on either side of a switch: a tenth of a second, or half a blend that is shorter. Less would be a jump."""
    return np.maximum(np.round(np.minimum(_LEAST_ROOM, parameters.window / 2) * fps), 1)


def _missing(before: np.ndarray, after: np.ndarray, half: float) -> Float64:
    """Share (F,) of half a blend for which there are no frames, before or after."""
    return np.clip(1.0 - np.minimum(before, after) / max(half, 1e-9), 0.0, 1.0)
