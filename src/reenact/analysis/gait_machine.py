"""The state machine that labels frames by the order in which feet are planted (Shanbhag, section 3.2.1 and appendix C).

The diagrams of the source are lost; the transitions here satisfy its grammar, every transition its text names, and its worked example
(frames 1 to 245 walk, 246 to 294 jump).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from reenact.analysis.tokens import TokenRun

UNKNOWN, STAND, WALK, RUN, JUMP = "unknown", "stand", "walk", "run", "jump"

_NAMES = {"N": "None", "L": "Left", "R": "Right", "B": "Both"}


@dataclass(frozen=True, slots=True)
class Labelled:
    """Frames [start, end) of one label."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the machine says.

    Attributes:
        labels: runs of labels over all frames, neighbours different.
        states: (first frame, name) of every sub-state that was entered, such as (80, "Walk_Left"): for looking into the machine.
    """

    labels: tuple[Labelled, ...]
    states: tuple[tuple[int, str], ...]


def flight_verdict(take_off: str | None, landing: str, strict: bool, leapt: bool = False) -> str:
    """What a flight is, by the feet before and after it; `take_off` is None when the clip begins in the air.

    Strict: from one foot to both, and from both to one, is neither run nor jump (running jumps are not meant). Literal: such a landing
    on both feet is a jump and on one foot a run, whatever came before. Where the body `leapt`, which no step does, it is a jump.
    """
    if take_off is None:
        return JUMP if landing == "B" else RUN
    if take_off == landing:
        return JUMP
    if "B" in (take_off, landing):
        if leapt:
            return JUMP
        return UNKNOWN if strict else (JUMP if landing == "B" else RUN)
    return RUN


def label_runs(runs: Sequence[TokenRun], strict: bool = True, leap: float = math.inf) -> Verdict:
    """Labels of all frames by the complete machine; unknown stays `UNKNOWN`.

    Args:
        runs: tokens, neighbours different.
        strict: see `flight_verdict`.
        leap: frames from which on a flight is a leap, also one that the clip's end cuts off; the published machine knows none.
    """
    if not runs:
        return Verdict((), ())
    labels: list[Labelled] = []

    def label(kind: str, start: int, end: int) -> None:
        if end > start:
            labels.append(Labelled(kind, start, end))

    state, entry = UNKNOWN, runs[0].start
    take_off: str | None = None
    flight = runs[0].start
    states = [(runs[0].start, _state_name(UNKNOWN, runs[0].token, None))]
    for before, run in pairwise(runs):
        was, now, at = before.token, run.token, run.start
        if now == "N":
            take_off, flight = was, at
        if was == "N":
            verdict = flight_verdict(take_off, now, strict, at - flight >= leap)
            if state == UNKNOWN:
                label(verdict, entry, at)
                state, entry = verdict, at
            elif verdict != state:
                label(state, entry, flight)
                label(verdict, flight, at)
                state, entry = verdict, at
        elif state == UNKNOWN:
            if now != "N" and "B" in (was, now):
                label(WALK, entry, at)
                state, entry = WALK, at
        elif state == WALK:
            if now == "N" or "B" not in (was, now):
                label(WALK, entry, at)
                state, entry = UNKNOWN, at
        elif now != "N":
            label(state, entry, at)
            state, entry = UNKNOWN, at
        states.append((at, _state_name(state, now, take_off if now == "N" else None)))
    last = runs[-1]
    if state == UNKNOWN and last.token == "N" and take_off == "B" and len(last) >= leap:
        state = JUMP
    label(STAND if state == UNKNOWN and last.token == "B" else state, entry, last.end)
    return Verdict(tuple(merge_labels(labels)), tuple(states))


def merge_labels(labels: Sequence[Labelled]) -> list[Labelled]:
    """The same frames with neighbouring equal labels made one."""
    merged: list[Labelled] = []
    for item in labels:
        if merged and merged[-1].label == item.label:
            merged[-1] = Labelled(item.label, merged[-1].start, item.end)
        elif item.end > item.start:
            merged.append(item)
    return merged


def _state_name(state: str, token: str, take_off: str | None) -> str:
    foot = f"{_NAMES[take_off]}_" if take_off and state == RUN else ""
    return f"{state.capitalize()}_{foot}{_NAMES[token]}"
