"""Constraint states: which feet carry the body and which did before. Only frames in one state are compared (reuse 3.5.3).

| state | condition |
|---|---|
| L, R | only the left, only the right foot is planted |
| LB, RB | both are, after L, after R |
| LN, RN | none is, after L, after R |
| N | none is, after both |
| B | both are, and no single support says on which side |

Gaps of the thesis are filled as the specification does: both feet at the start of a clip are the state that the first single support
would have followed (`B L` is RB then L), both feet after flight go by the last single support, flight at the start is N.
"""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Bool
from reenact.core.foot_plants import FootPlants
from reenact.errors import ParameterError

STATES = ("L", "LB", "LN", "R", "RB", "RN", "N", "B")
"""Names of the states; a state's number is its place here."""

_L, _LB, _LN, _R, _RB, _RN, _N, _B = range(len(STATES))
_BOTH = {_L: _LB, _R: _RB}
_NONE = {_L: _LN, _R: _RN}


def constraint_states(left: Bool, right: Bool) -> np.ndarray:
    """States (F,) int8 of a clip whose feet are planted as the masks (F,) say."""
    left, right = np.asarray(left, dtype=np.bool_), np.asarray(right, dtype=np.bool_)
    if left.shape != right.shape or left.ndim != 1:
        raise ParameterError(f"masks of the feet must have one length, not {left.shape} and {right.shape}")
    states = np.empty(len(left), np.int8)
    token = left + 2 * right  # 0 none, 1 left, 2 right, 3 both
    bounds = np.flatnonzero(np.diff(token)) + 1
    single = next((int(t) for t in token if t in (1, 2)), 0)
    last = {1: _R, 2: _L, 0: -1}[single]  # the single support that would have come before the first one
    previous, seen = -1, False
    for start, end in zip([0, *bounds], [*bounds, len(token)], strict=True):
        if start == end:
            continue
        now = int(token[start])
        if now == 1:
            state = last = _L
        elif now == 2:
            state = last = _R
        elif now == 3:
            state = _BOTH.get(last, _B)
        elif not seen:
            state = _N
        else:
            state = _NONE.get(previous, _N)
        seen = True
        states[start:end] = previous = state
    return states


def states_of(plants: FootPlants) -> np.ndarray:
    """States (F,) int8 of a clip from its foot plants."""
    return constraint_states(plants.left.plant, plants.right.plant)


def describe_state(state: int) -> str:
    """A state in words for people."""
    return (
        "left foot planted",
        "both feet planted after the left",
        "in the air after the left foot",
        "right foot planted",
        "both feet planted after the right",
        "in the air after the right foot",
        "in the air after both feet",
        "both feet planted",
    )[int(state)]
