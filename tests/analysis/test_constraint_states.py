"""The seven constraint states, and the gaps the source leaves."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.analysis.constraint_states import STATES, constraint_states
from reenact.core.foot_plants import FootContact, FootPlants


def states(tokens: str) -> list[str]:
    left = np.array([token in "LB" for token in tokens], bool)
    right = np.array([token in "RB" for token in tokens], bool)
    plants = FootPlants(FootContact(left, left), FootContact(right, right), 60.0)
    return [STATES[index] for index in constraint_states(plants)]


@pytest.mark.parametrize(
    ("tokens", "want"),
    [
        ("", ""),
        ("LLBBRRBL", "L L LB LB R R RB L"),
        ("LNNRRNL", "L LN LN R R RN L"),
        ("BBL", "RB RB L"),
        ("BBR", "LB LB R"),
        ("NNL", "N N L"),
        ("LBNBR", "L LB N LB R"),
        ("BBBB", "B B B B"),
        ("BNB", "B N B"),
        ("NNN", "N N N"),
    ],
)
def test_states(tokens: str, want: str) -> None:
    assert states(tokens) == want.split()
