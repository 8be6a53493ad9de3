"""Questions about a tree given by its parents: who is above whom, paths, where branches meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


class Tree:
    """A tree of joints with `parents[j] < j` and `parents[0] == -1`.

    Attributes:
        parents: (J,) list of int.
        children: for each joint its children, in order.
    """

    def __init__(self, parents: ArrayLike) -> None:
        self.parents: list[int] = np.asarray(parents).tolist()
        self.children: list[list[int]] = [[] for _ in self.parents]
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                self.children[parent].append(joint)

    def is_above(self, above: int, joint: int) -> bool:
        """True when `above` is a proper ancestor of `joint`."""
        if joint <= above:
            return False
        while joint > above:
            joint = self.parents[joint]
        return joint == above

    def path(self, top: int, joint: int) -> list[int]:
        """The joints from `top` down to `joint`, both included; `top` must be `joint` or above it."""
        found = [joint]
        while found[-1] != top:
            found.append(self.parents[found[-1]])
        return found[::-1]

    def meet(self, joints: Sequence[int]) -> int:
        """The lowest joint that is, or is above, every given one."""
        meeting = joints[0]
        for joint in joints[1:]:
            a, b = meeting, joint
            while a != b:
                if a > b:
                    a = self.parents[a]
                else:
                    b = self.parents[b]
            meeting = a
        return meeting

    def subtree(self, joint: int) -> list[int]:
        """The joint and everything below it, ascending."""
        inside = [joint]
        for j in inside:
            inside.extend(self.children[j])
        return sorted(inside)
