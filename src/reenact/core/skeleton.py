"""The skeleton: a tree of named joints with fixed offsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from reenact.core.arrays import Float64, Int32, frozen
from reenact.errors import SkeletonError

IDENTITY = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints in the order of the file, parents before children (depth first in BVH, any such order in glTF).

    Attributes:
        names: (J,) joint names as the file spells them; unique.
        parents: (J,) int32, `parents[0] == -1` and `parents[j] < j`.
        offsets: (J, 3) float64 metres, each joint's position in its parent's frame; `offsets[0]` is the rest position of the root.
        rest: (J, 4) float64 wxyz, local rotations of the rest pose. A clip's rotations are complete: `rest` is never multiplied in.
        end_joints: (E,) int32, the joint each end site hangs on.
        end_offsets: (E, 3) float64 metres, end site positions in their joint's frame.
        roles: role name (see `core.roles.ROLES`) -> joint index, as far as they were found.
    """

    names: tuple[str, ...]
    parents: Int32
    offsets: Float64
    rest: Float64 = field(default=None)  # type: ignore[assignment]
    end_joints: Int32 = field(default=None)  # type: ignore[assignment]
    end_offsets: Float64 = field(default=None)  # type: ignore[assignment]
    roles: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", tuple(self.names))
        count = len(self.names)
        if count == 0:
            raise SkeletonError("a skeleton needs at least one joint")
        if len(set(self.names)) != count:
            twice = next(name for i, name in enumerate(self.names) if name in self.names[:i])
            raise SkeletonError(f"joint names must be unique, {twice!r} stands twice")
        put(self, "parents", frozen(self.parents, np.int32, (count,), "parents"))
        put(self, "offsets", frozen(self.offsets, np.float64, (count, 3), "offsets"))
        rest = np.tile(IDENTITY, (count, 1)) if self.rest is None else self.rest
        put(self, "rest", frozen(rest, np.float64, (count, 4), "rest"))
        ends = () if self.end_joints is None else self.end_joints
        put(self, "end_joints", frozen(ends, np.int32, (None,), "end_joints"))
        ends = np.zeros((0, 3)) if self.end_offsets is None else self.end_offsets
        put(self, "end_offsets", frozen(ends, np.float64, (len(self.end_joints), 3), "end_offsets"))
        put(self, "roles", MappingProxyType(dict(self.roles)))
        order = np.arange(count)
        if self.parents[0] != -1 or np.any(self.parents[1:] < 0) or np.any(self.parents >= order):
            raise SkeletonError("parents must come before their children, and only joint 0 may be a root")
        if np.any(self.end_joints < 0) or np.any(self.end_joints >= count):
            raise SkeletonError("an end site hangs on a joint that does not exist")
        wrong = [role for role, joint in self.roles.items() if not 0 <= joint < count]
        if wrong:
            raise SkeletonError(f"role {wrong[0]!r} names a joint that does not exist")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        parts = (self.names, self.parents, self.offsets, self.rest, self.end_joints, self.end_offsets, dict(self.roles))
        return Skeleton, parts

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Skeleton({len(self)} joints, root {self.names[0]!r}, {len(self.roles)} roles)"

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each joint its children, in order."""
        lists: list[list[int]] = [[] for _ in self.names]
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                lists[parent].append(joint)
        return tuple(tuple(found) for found in lists)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: joint for joint, name in enumerate(self.names)}

    def joint(self, which: str | int) -> int:
        """Index of a joint given by its role, its name (exact, else ignoring case), or its index."""
        if isinstance(which, str):
            if which in self.roles:
                return self.roles[which]
            if which in self._index:
                return self._index[which]
            folded = [joint for joint, name in enumerate(self.names) if name.casefold() == which.casefold()]
            if len(folded) == 1:
                return folded[0]
            choices = ", ".join([*self.roles, *(name for name in self.names if name not in self.roles)])
            raise SkeletonError(f"no joint or role {which!r}; there are {choices}")
        if not 0 <= int(which) < len(self):
            raise SkeletonError(f"no joint {which}; there are joints 0 to {len(self) - 1}")
        return int(which)

    def has_roles(self, *roles: str) -> bool:
        """True when a joint is known for each of these roles."""
        return all(role in self.roles for role in roles)

    def require_roles(self, *roles: str) -> tuple[int, ...]:
        """Joints of these roles, or a `SkeletonError` that says which are missing."""
        missing = [role for role in roles if role not in self.roles]
        if missing:
            found = ", ".join(self.roles) or "none"
            raise SkeletonError(
                f"this needs the roles {', '.join(missing)}, which were not found on the skeleton (found: {found})"
            )
        return tuple(self.roles[role] for role in roles)

    def ancestors(self, joint: int) -> tuple[int, ...]:
        """The joint, its parent, and so on up to the root."""
        found = []
        while joint >= 0:
            found.append(joint)
            joint = int(self.parents[joint])
        return tuple(found)

    def subtree(self, joint: int) -> tuple[int, ...]:
        """The joint and everything below it, in order."""
        inside = {joint}
        for j in range(joint + 1, len(self)):
            if int(self.parents[j]) in inside:
                inside.add(j)
        return tuple(sorted(inside))

    def scaled(self, factor: float) -> Skeleton:
        """The same skeleton with every length multiplied by `factor`."""
        return replace(self, offsets=self.offsets * factor, end_offsets=self.end_offsets * factor)

    def with_roles(self, roles: Mapping[str, int]) -> Skeleton:
        """The same skeleton with these roles instead."""
        return replace(self, roles=dict(roles))

    def same_tree(self, other: Skeleton) -> bool:
        """True when names and parents are equal: clips of both can be mixed (lengths may differ)."""
        return self.names == other.names and np.array_equal(self.parents, other.parents)

    def same_body(self, other: Skeleton, within: float = 1e-6, moving: Sequence[int] = ()) -> bool:
        """True when trees, offsets, end sites and rest poses are equal (`within` metres): a pose of one is that pose of the other.

        Offsets of `moving` joints do not count: clips tell them frame by frame.
        """
        if self is other:
            return True
        if not self.same_tree(other) or not np.array_equal(self.end_joints, other.end_joints):
            return False
        sign = np.where(np.einsum("ji,ji->j", self.rest, other.rest) < 0, -1.0, 1.0)[:, None]
        if np.abs(self.rest - sign * other.rest).max() > within:
            return False
        fixed = np.setdiff1d(np.arange(1, len(self)), moving)
        lengths = ((self.offsets[fixed], other.offsets[fixed]), (self.end_offsets, other.end_offsets))
        return all(np.abs(a - b).max(initial=0.0) <= within for a, b in lengths)

    def difference(self, other: Skeleton) -> str:
        """One sentence on the first thing that keeps two trees from being equal; empty when they are."""
        if self.same_tree(other):
            return ""
        if len(self) != len(other):
            missing = [name for name in self.names if name not in other.names]
            added = [name for name in other.names if name not in self.names]
            named = f"; only the first has {', '.join(missing[:4])}" if missing else ""
            named += f"; only the second has {', '.join(added[:4])}" if added else ""
            return f"{len(self)} joints against {len(other)}{named}"
        for a, b, p, q in zip(self.names, other.names, self.parents, other.parents, strict=True):
            if a != b:
                return f"joint {a!r} against {b!r}"
            if p != q:
                return f"the parent of {a!r} differs"
        return ""
