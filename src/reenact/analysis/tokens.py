"""Tokens: which feet are planted, as one letter for each frame, and as runs (Shanbhag, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reenact.core.foot_plants import FootPlants
from reenact.errors import ParameterError

LETTERS = "NLRB"
"""None, only the left, only the right, both feet planted; the place in the text is the token's number."""

SHORT = 0.05
"""Seconds: shorter runs are taken for feet that do not leave or land within one frame."""


@dataclass(frozen=True, slots=True)
class TokenRun:
    """Frames [start, end) with the same feet planted."""

    token: str
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def as_token(self, token: str) -> TokenRun:
        """The same frames with another token."""
        return TokenRun(token, self.start, self.end)


def tokens_of(plants: FootPlants) -> NDArray[np.uint8]:
    """(F,) numbers of the tokens, see `LETTERS`."""
    return plants.left.plant.astype(np.uint8) + 2 * plants.right.plant.astype(np.uint8)


def token_runs(tokens: NDArray[np.uint8]) -> list[TokenRun]:
    """Runs of equal tokens (F,)."""
    if not len(tokens):
        return []
    edges = [0, *(np.flatnonzero(tokens[1:] != tokens[:-1]) + 1).tolist(), len(tokens)]
    return [TokenRun(LETTERS[tokens[a]], a, b) for a, b in pairwise(edges)]


def runs_of_text(text: str) -> list[TokenRun]:
    """Runs of a text such as "B127 N49 L4 B142"; without numbers each letter is a run of one frame."""
    runs: list[TokenRun] = []
    at = 0
    for word in text.split() if " " in text or any(c.isdigit() for c in text) else text:
        letter, count = word[0], word[1:] or "1"
        if letter not in LETTERS or not count.isdigit() or int(count) < 1:
            raise ParameterError(f"a run is one of {', '.join(LETTERS)} and a number of frames, not {word!r}")
        runs.append(TokenRun(letter, at, at + int(count)))
        at += int(count)
    return runs


def merge_runs(runs: Iterable[TokenRun]) -> list[TokenRun]:
    """The same frames with neighbouring runs of one token made one."""
    merged: list[TokenRun] = []
    for run in runs:
        if merged and merged[-1].token == run.token:
            merged[-1] = TokenRun(run.token, merged[-1].start, run.end)
        else:
            merged.append(run)
    return merged


def condition_runs(
    runs: Sequence[TokenRun], fps: float, short: float = SHORT, *, missed_supports: bool = True
) -> list[TokenRun]:
    """Runs with what is too short to be meant put right, until nothing changes.

    For runs shorter than `short` seconds: one foot between both and none becomes both; none between different feet becomes both (a
    double support that was missed; not without `missed_supports`); and a run between equal ones becomes as they are.
    """
    runs = merge_runs(runs)
    while True:
        changed = False
        for n in range(1, len(runs) - 1):
            run, before, after = runs[n], runs[n - 1].token, runs[n + 1].token
            if len(run) >= short * fps:
                continue
            meant = run.token
            around = {before, after}
            lost = missed_supports and run.token == "N" and around == {"L", "R"}
            if lost or (run.token in "LR" and around == {"B", "N"}):
                meant = "B"
            elif before == after:
                meant = before
            if meant != run.token:
                runs[n] = run.as_token(meant)
                changed = True
                break
        if not changed:
            return runs
        runs = merge_runs(runs)
