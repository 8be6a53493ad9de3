"""Questions about trees."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reenact.core.tree import Tree


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    count = draw(st.integers(1, 30))
    return Tree(np.array([-1, *(draw(st.integers(0, j - 1)) for j in range(1, count))]))


def ancestors(tree: Tree, joint: int) -> list[int]:
    found = []
    while tree.parents[joint] >= 0:
        joint = tree.parents[joint]
        found.append(joint)
    return found


@given(trees(), st.data())
def test_against_plain_ancestor_lists(tree: Tree, data: st.DataObject) -> None:
    count = len(tree.parents)
    a, b = data.draw(st.integers(0, count - 1)), data.draw(st.integers(0, count - 1))
    assert tree.is_above(a, b) == (a in ancestors(tree, b))
    shared = [j for j in [a, *ancestors(tree, a)] if j in [b, *ancestors(tree, b)]]
    assert tree.meet([a, b]) == shared[0]
    assert (
        tree.path(tree.meet([a, b]), b) == [*reversed(ancestors(tree, b)[: ancestors(tree, b).index(shared[0]) + 1]), b]
        if shared[0] != b
        else [b]
    )
    assert tree.subtree(a) == [j for j in range(count) if j == a or a in ancestors(tree, j)]
    assert all(tree.parents[child] == a for child in tree.children[a])
