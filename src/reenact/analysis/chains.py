"""Independent kinematic chains of any skeleton, their upper and lower groups, and chains named by people.

A chain runs from the root or a branching joint down to a leaf or to the next branching joint (reuse specification 3.10, after
Shanbhag 2009, section 5.2, with the loop as it was evidently meant). Neither names nor counts of joints matter; every bone lies in
exactly one chain. A branching joint belongs to several chains, but its own rotation to the one that *ends* in it: replacing an arm must not
turn the chest, which would carry the head and the other arm along. So a chain owns its joints without the first, and nobody owns the
root, whose motion is the body's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reenact.analysis.limbs import find_limbs
from reenact.core.skeleton import Skeleton
from reenact.core.tree import Tree
from reenact.errors import ParameterError, SkeletonError

Group = Literal["root", "lower", "upper"]

GROUPS: tuple[Group, ...] = ("root", "lower", "upper")
"""What a chain belongs to: what carries the whole body, the legs, and all the rest."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain of joints.

    Attributes:
        name: by roles where they are known (`left_arm`), else `base-end` by the joints' names; given by hand otherwise.
        joints: (N,) indices; a found chain runs from its base downwards, one made by hand holds them in order of the skeleton.
        group: "lower" for legs, "upper" for the rest, "root" for what carries the whole body.
        include_base: True when the first joint is owned too (chains written down by hand, taken literally).
    """

    name: str
    joints: tuple[int, ...]
    group: Group = "upper"
    include_base: bool = False

    @property
    def base(self) -> int:
        """The joint it hangs on."""
        return self.joints[0]

    @property
    def end(self) -> int:
        """Its last joint: a leaf, or the branching joint in which further chains begin."""
        return self.joints[-1]

    @property
    def owned(self) -> tuple[int, ...]:
        """The joints whose rotations belong to this chain; never the root."""
        mine = self.joints if self.include_base else self.joints[1:]
        return tuple(joint for joint in mine if joint != 0)


@dataclass(frozen=True, slots=True)
class BodyPart:
    """A part of the body and what it divides into, down to single chains.

    Attributes:
        name: "body", "root", "upper", "lower", or a chain's name; where a chain branches on, the part has its name and the chain alone
            is `NAME_chain`.
        joints: (N,) joints owned by the part, ascending.
        parts: what it divides into; empty for a single chain. Their joints do not overlap and make up the part's.
    """

    name: str
    joints: tuple[int, ...]
    parts: tuple[BodyPart, ...] = ()

    def find(self, name: str) -> BodyPart:
        """The part of this name, at any depth, or a `ParameterError` that lists the names."""
        found = {part.name: part for part in reversed(list(self.walk()))}
        if name not in found:
            raise ParameterError(f"no part {name!r}; there are {', '.join(sorted(found))}")
        return found[name]

    def walk(self) -> Iterable[BodyPart]:
        """This part and all below it, parents first."""
        yield self
        for part in self.parts:
            yield from part.walk()


def find_chains(skeleton: Skeleton, trim: Sequence[str | int] = ()) -> tuple[Chain, ...]:
    """All chains of a skeleton, in the order of their ends.

    Args:
        skeleton: any tree; roles only give names and tell the legs.
        trim: joints (roles, names, indices) below which nothing is looked at: ("left_hand", "right_hand") leaves fingers out, so that
            an arm ends at the wrist. Roles that the skeleton does not have are passed over.
    """
    cut = _cut_below(skeleton, trim)
    children = [[child for child in found if child not in cut] for found in skeleton.children]
    legs = _leg_joints(skeleton)
    chains = []
    for end in range(1, len(skeleton)):
        if end in cut or len(children[end]) == 1:
            continue  # neither a leaf nor a branching joint
        joints = [end]
        while True:
            joints.append(int(skeleton.parents[joints[-1]]))
            if joints[-1] == 0 or len(children[joints[-1]]) > 1:
                break
        way = tuple(reversed(joints))
        group = _group_of(skeleton, way, legs)
        chains.append(Chain(_name_of(skeleton, way, group), way, group))
    return _with_unique_names(skeleton, chains)


def group_joints(skeleton: Skeleton) -> dict[Group, tuple[int, ...]]:
    """Every joint in exactly one group: "root" (carries the body), "lower" (legs), "upper" (all the rest), each ascending."""
    members: dict[Group, list[int]] = {group: [] for group in GROUPS}
    members["root"].append(0)
    for chain in find_chains(skeleton):
        members[chain.group] += chain.owned
    return {group: tuple(sorted(found)) for group, found in members.items()}


def divide_body(skeleton: Skeleton) -> BodyPart:
    """The body as a tree of parts: root, lower and upper; the upper body into trunk, arms and head; an arm into arm and fingers.

    The same rule at every level: a part is the chain to the next branching joint, and one part for each chain that begins there.
    """
    chains = find_chains(skeleton)
    below: dict[int, list[Chain]] = {}
    for chain in chains:
        below.setdefault(chain.base, []).append(chain)

    def divide(chain: Chain) -> BodyPart:
        own = tuple(sorted(chain.owned))
        inner = [divide(found) for found in below.get(chain.end, ()) if found.group == chain.group]
        if not inner:
            return BodyPart(chain.name, own)
        return _join(chain.name, [BodyPart(f"{chain.name}_chain", own), *inner])

    parts = [BodyPart("root", group_joints(skeleton)["root"])]
    for group in ("lower", "upper"):
        tops = [chain for chain in chains if chain.group == group and not _hangs_in_group(chain, chains)]
        if tops:
            divided = [divide(chain) for chain in tops]
            # a single part, such as a trunk with all that hangs on it, is the group itself
            parts.append(_join(group, list(divided[0].parts) or divided if len(divided) == 1 else divided))
    return _join("body", parts)


def named_chains(skeleton: Skeleton) -> dict[str, tuple[int, ...]]:
    """Joints by the names people use, as far as the roles are known: left_arm, right_arm, left_leg, right_leg, torso, head, and
    left_hand, right_hand (wrist and fingers), arms, legs, upper, lower.

    An arm reaches from the collar bone to the fingers, a leg from the pelvis to the toes; both hold whole branches, so nothing
    below is forgotten. `torso` is what lies between the hips and the limbs, without the hips.
    """
    groups = group_joints(skeleton)
    found: dict[str, tuple[int, ...]] = {}
    for side in ("left", "right"):
        for name, roles in (
            (f"{side}_arm", ("shoulder", "upper_arm", "lower_arm", "hand")),
            (f"{side}_leg", ("upper_leg", "lower_leg", "foot")),
            (f"{side}_hand", ("hand",)),
        ):
            top = next((skeleton.roles[f"{side}_{role}"] for role in roles if f"{side}_{role}" in skeleton.roles), None)
            if top is not None:
                found[name] = skeleton.subtree(_top_of_branch(skeleton, top) if name.endswith("leg") else top)
    head = next((skeleton.roles[role] for role in ("neck", "head") if role in skeleton.roles), None)
    if head is not None:
        found["head"] = skeleton.subtree(head)
    limbs = {joint for joints in found.values() for joint in joints}
    found["torso"] = tuple(joint for joint in groups["upper"] if joint not in limbs)
    for name, sides in (("arms", ("left_arm", "right_arm")), ("legs", ("left_leg", "right_leg"))):
        if all(side in found for side in sides):
            found[name] = tuple(sorted(found[sides[0]] + found[sides[1]]))
    found["upper"], found["lower"] = groups["upper"], groups["lower"]
    return {name: joints for name, joints in found.items() if joints}


def define_chain(
    skeleton: Skeleton, name: str, joints: str | Sequence[str | int], *, include_base: bool = True
) -> Chain:
    """A chain as a person writes it down.

    Args:
        skeleton: the joints.
        name: of the chain.
        joints: a named chain ("left_arm"), a way "chest..left_hand" along the tree (both ends included), or single joints by role, name
            or index; a list may mix them.
        include_base: take the list literally and own its first joint too; False gives the first joint to the chain that ends in it.

    Raises:
        SkeletonError: for an unknown joint or a way that does not run down the tree.
        ParameterError: when nothing is left.
    """
    entries = [joints] if isinstance(joints, str) else list(joints)
    known = named_chains(skeleton)
    found: set[int] = set()
    for entry in entries:
        if isinstance(entry, str) and ".." in entry:
            found.update(_way(skeleton, entry))
        elif isinstance(entry, str) and entry in known and entry not in skeleton.names:
            found.update(known[entry])
        else:
            found.add(skeleton.joint(entry))
    if not found - {0}:
        raise ParameterError(f"the chain {name!r} holds no joint but the root, whose motion is the body's", where=name)
    lower = set(group_joints(skeleton)["lower"])
    group: Group = "lower" if found - {0} <= lower else "upper"
    return Chain(name, tuple(sorted(found)), group, include_base)


def define_chains(skeleton: Skeleton, chains: Mapping[str, str | Sequence[str | int]]) -> dict[str, Chain]:
    """Several chains by name, see `define_chain`."""
    return {name: define_chain(skeleton, name, joints) for name, joints in chains.items()}


def _way(skeleton: Skeleton, text: str) -> tuple[int, ...]:
    first, _, last = (part.strip() for part in text.partition(".."))
    top, bottom = skeleton.joint(first), skeleton.joint(last)
    if top not in skeleton.ancestors(bottom):
        raise SkeletonError(f"{skeleton.names[bottom]!r} does not lie below {skeleton.names[top]!r}", where=text)
    return tuple(Tree(skeleton.parents).path(top, bottom))


def _cut_below(skeleton: Skeleton, trim: Sequence[str | int]) -> set[int]:
    from reenact.core.roles import ROLES

    cut: set[int] = set()
    for which in trim:
        if isinstance(which, str) and which in ROLES and which not in skeleton.roles:
            continue
        joint = skeleton.joint(which)
        cut |= set(skeleton.subtree(joint)) - {joint}
    return cut


def _leg_joints(skeleton: Skeleton) -> set[int]:
    """Everything from the thighs down; by roles, else the mirrored pair of branches nearest the root."""
    tops = []
    for side in ("left", "right"):
        roles = (f"{side}_upper_leg", f"{side}_lower_leg", f"{side}_foot")
        tops += [skeleton.roles[role] for role in roles if role in skeleton.roles][:1]
    if not tops and not skeleton.has_roles("left_upper_arm"):
        limbs = find_limbs(skeleton)
        tops = [] if limbs is None else list(limbs.thighs)
    return {joint for top in tops for joint in skeleton.subtree(top)}


def _top_of_branch(skeleton: Skeleton, joint: int) -> int:
    """The highest joint above `joint` that still has only this branch below it: a leg begins right below the pelvis."""
    while (parent := int(skeleton.parents[joint])) > 0 and len(skeleton.children[parent]) == 1:
        joint = parent
    return joint


def _group_of(skeleton: Skeleton, way: tuple[int, ...], legs: set[int]) -> Group:
    if legs & set(way[1:]):
        return "lower"
    # a chain that ends above the legs and the trunk carries the whole body: a motionless root over the hips
    return "root" if legs and legs <= set(skeleton.subtree(way[-1])) else "upper"


_PARTS = (
    ("{side}_leg", ("{side}_foot", "{side}_lower_leg", "{side}_upper_leg")),
    ("{side}_arm", ("{side}_hand", "{side}_lower_arm", "{side}_upper_arm")),
    ("head", ("head", "neck")),
)


def _name_of(skeleton: Skeleton, way: tuple[int, ...], group: Group) -> str:
    owned = set(way[1:])
    for name, roles in _PARTS:
        for side in ("left", "right"):
            if any(skeleton.roles.get(role.format(side=side), -1) in owned for role in roles):
                return name.format(side=side)
    if group == "root":
        return "root"
    if skeleton.roles.get("hips", 0) == way[0] and {skeleton.roles.get("spine"), skeleton.roles.get("chest")} & owned:
        return "torso"
    return f"{skeleton.names[way[0]]}-{skeleton.names[way[-1]]}"


def _with_unique_names(skeleton: Skeleton, chains: list[Chain]) -> tuple[Chain, ...]:
    """The same chains; where two have one name, all but the first are called by their joints."""
    seen: set[str] = set()
    out = []
    for chain in chains:
        name = chain.name
        if name in seen:
            name = f"{skeleton.names[chain.base]}-{skeleton.names[chain.end]}"
        seen.add(name)
        out.append(Chain(name, chain.joints, chain.group))
    return tuple(out)


def _hangs_in_group(chain: Chain, chains: Sequence[Chain]) -> bool:
    return any(above.end == chain.base and above.group == chain.group for above in chains)


def _join(name: str, parts: list[BodyPart]) -> BodyPart:
    return BodyPart(name, tuple(sorted(joint for part in parts for joint in part.joints)), tuple(parts))
