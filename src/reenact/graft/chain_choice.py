"""Which joints a graft replaces: chains by the names people use, chains as they are found, ways along the tree, single joints.

A branching joint belongs to the chain that ends in it (reuse specification 3.10), so a grafted arm never turns the chest. Root and legs are
the base's, always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reenact.analysis.chains import define_chain, find_chains, group_joints, named_chains
from reenact.core.skeleton import Skeleton
from reenact.core.tree import Tree
from reenact.errors import ParameterError, SkeletonError


@dataclass(frozen=True, slots=True)
class ChosenChains:
    """What is grafted.

    Attributes:
        names: as they were asked for.
        joints: (K,) the joints whose rotations are replaced, ascending; never the root, never a leg.
        spine: joints from below the hips to the chest, where all of them are replaced; else empty.
        neck: joints from below the chest to the head, likewise.
        arms: sides of which the whole arm is replaced.
    """

    names: tuple[str, ...]
    joints: tuple[int, ...]
    spine: tuple[int, ...]
    neck: tuple[int, ...]
    arms: tuple[str, ...]

    def describe(self, skeleton: Skeleton) -> str:
        """In words, for a report."""
        return f"{', '.join(self.names)}: {', '.join(skeleton.names[joint] for joint in self.joints)}"


def choose_chains(skeleton: Skeleton, chains: str | Sequence[str], *, include_base: bool = False) -> ChosenChains:
    """The joints of some chains.

    Args:
        skeleton: the base's.
        chains: names with commas between, or in a row: upper, torso, head, arms, left_arm, right_arm, ...; the names of chains as
            they are found; ways such as "chest..left_hand"; joints by name or role.
        include_base: take ways literally, with their first joint, which belongs to another chain.

    Raises:
        ParameterError: an unknown chain (the message lists those there are), legs, or nothing.
    """
    names = [name.strip() for name in (chains.split(",") if isinstance(chains, str) else chains)]
    names = [name for name in names if name]
    if not names:
        raise ParameterError(f"say which chains to graft; there are {_listed(skeleton)}", where="chains")
    found: set[int] = set()
    for name in names:
        found |= set(_joints_of(skeleton, name, include_base))
    lower = set(group_joints(skeleton)["lower"])
    if found & lower:
        leg = ", ".join(skeleton.names[joint] for joint in sorted(found & lower)[:3])
        raise ParameterError(
            f"legs and root are always those of the base, and {leg} belong to a leg; there are {_listed(skeleton)}",
            where="chains",
        )
    found -= set(group_joints(skeleton)["root"])
    if not found:
        raise ParameterError(f"nothing is left to graft; there are {_listed(skeleton)}", where="chains")
    return ChosenChains(
        tuple(names),
        tuple(sorted(found)),
        _whole_way(skeleton, "hips", "chest", found),
        _whole_way(skeleton, "chest", "head", found),
        tuple(side for side in ("left", "right") if _has_arm(skeleton, side, found)),
    )


def _joints_of(skeleton: Skeleton, name: str, include_base: bool) -> tuple[int, ...]:
    known = named_chains(skeleton)
    if name in known:
        return known[name]
    own = {chain.name: chain.owned for chain in find_chains(skeleton)}
    if name in own:
        return own[name]
    try:
        return define_chain(skeleton, name, name, include_base=include_base or ".." not in name).owned
    except SkeletonError as error:
        if ".." in name:
            raise ParameterError(error.message, where="chains") from error
        raise ParameterError(f"no chain {name!r}; there are {_listed(skeleton)}", where="chains") from error


def _listed(skeleton: Skeleton) -> str:
    """The chains that can be grafted."""
    lower = set(group_joints(skeleton)["lower"])
    known = {name: joints for name, joints in named_chains(skeleton).items() if not lower & set(joints)}
    more = {chain.name: chain.owned for chain in find_chains(skeleton) if chain.group == "upper"}
    return ", ".join(dict.fromkeys((*known, *more)))


def _whole_way(skeleton: Skeleton, top: str, bottom: str, found: set[int]) -> tuple[int, ...]:
    """The joints from below one role to another, where all of them are among those found; a chest that is not known is the spine's end."""
    roles = dict(skeleton.roles)
    if "chest" not in roles:
        roles["chest"] = chest_of(skeleton)
    first, last = roles.get(top, -1), roles.get(bottom, -1)
    if first < 0 or last < 0 or first == last or first not in skeleton.ancestors(last):
        return ()
    way = tuple(Tree(skeleton.parents).path(first, last))[1:]
    return way if set(way) <= found else ()


def chest_of(skeleton: Skeleton) -> int:
    """The joint that arms and head hang on: where the ways to the arms part; -1 where arms are not known."""
    if not skeleton.has_roles("left_upper_arm", "right_upper_arm"):
        return skeleton.roles.get("chest", -1)
    return Tree(skeleton.parents).meet(skeleton.require_roles("left_upper_arm", "right_upper_arm"))


def _has_arm(skeleton: Skeleton, side: str, found: set[int]) -> bool:
    roles = [f"{side}_{part}" for part in ("upper_arm", "lower_arm", "hand")]
    return skeleton.has_roles(*roles) and set(skeleton.require_roles(*roles)) <= found
