"""Constraint states: which feet stand, and which one stood alone before (reuse specification 3.5.3).

Only frames in the same state are compared when frames are clustered: a foot that lands must not be mixed with one that lifts.
"""

from __future__ import annotations

import numpy as np

from reenact.core.foot_plants import FootPlants

STATES = ("L", "LB", "LN", "R", "RB", "RN", "N", "B")
"""L, R: only that foot is planted; LB, RB: both, after L or R; LN, RN: none, after L or R; N: none, after both; B: both, and no foot ever
stood alone before or after."""


def constraint_states(plants: FootPlants) -> np.ndarray:
    """(F,) int8 indices into `STATES`.

    Where the source says nothing: both planted at the start take the foot opposite to the first later single support (`B L` is RB);
    both planted after flight take the last foot that stood alone; flight at the start is N; a clip without single support has B and N.
    """
    left, right = plants.left.plant, plants.right.plant
    count = len(plants)
    alone = np.where(left & ~right, 1, np.where(right & ~left, 2, 0))  # 1 left, 2 right
    single = np.flatnonzero(alone)
    states = np.full(count, STATES.index("N"), np.int8)
    if count == 0:
        return states
    last = np.maximum.accumulate(np.where(alone > 0, np.arange(count), -1))
    foot = np.where(last >= 0, alone[np.maximum(last, 0)], 0)  # the foot that stood alone last
    if len(single):
        foot[: single[0]] = 3 - alone[single[0]]
    both, none = left & right, ~(left | right)
    for side, name in ((1, "L"), (2, "R")):
        states[alone == side] = STATES.index(name)
        states[both & (foot == side)] = STATES.index(f"{name}B")
    states[both & (foot == 0)] = STATES.index("B")
    # a flight keeps the state it began in: after one foot, or after both
    supported = np.maximum.accumulate(np.where(none, -1, np.arange(count)))
    before = np.where(supported >= 0, alone[np.maximum(supported, 0)], 0)
    states[none & (before == 1)] = STATES.index("LN")
    states[none & (before == 2)] = STATES.index("RN")
    return states
