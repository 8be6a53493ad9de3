"""What is known of which joints belong together: how sure it is, what has no partner, and pairs that were given by hand."""

from __future__ import annotations

from reenact.core.correspondence import Correspondence, match_joints, plain_name
from reenact.core.role_finding import find_roles
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError
from reenact.formats.mapping_json import JointPair, Mapping

_BY_NAME = 0.6  # how sure joints without a role are that have one name


def describe_pairs(skeletons: tuple[Skeleton, Skeleton], found: Correspondence, names: tuple[str, str]) -> Mapping:
    """Which joints belong together, for people."""
    source, target = skeletons
    sure = [find_roles(skeleton).confidence for skeleton in skeletons]
    pairs = [
        JointPair(role, source.names[a], target.names[b], min(of.get(role, 0.5) for of in sure))
        for role, a, b in found.by_role
    ]
    pairs += [JointPair("", source.names[a], target.names[b], _BY_NAME) for _, a, b in found.by_name]
    free = [
        tuple(name for name in skeleton.names if name not in {getattr(pair, side) for pair in pairs})
        for skeleton, side in zip(skeletons, ("source", "target"), strict=True)
    ]
    return Mapping(names[0], names[1], tuple(pairs), free[0], free[1])


def roles_of(mapping: Mapping, source: Skeleton, target: Skeleton) -> tuple[dict[str, int], dict[str, int]]:
    """The roles that a mapping gives the joints of source and target; those it does not name have none.

    Raises:
        SkeletonError: a joint that it names is not there.
    """
    roles: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for pair in mapping.pairs:
        for skeleton, name, held, whose in (
            (source, pair.source, roles[0], "source"),
            (target, pair.target, roles[1], "target"),
        ):
            if name not in skeleton.names:
                raise SkeletonError(
                    f"the mapping names the {whose} joint {name!r}, which is not there; it has {', '.join(skeleton.names[:12])}"
                    + (", ..." if len(skeleton) > 12 else ""),
                    where="mapping",
                )
            if pair.role:
                held[pair.role] = skeleton.names.index(name)
    return roles


def match_given(mapping: Mapping, source: Skeleton, target: Skeleton) -> Correspondence:
    """The joints that belong together as a mapping says, and no others."""
    by_role = match_joints(source, target)
    named = tuple(
        (plain_name(pair.source), source.names.index(pair.source), target.names.index(pair.target))
        for pair in mapping.pairs
        if not pair.role
    )
    return Correspondence(by_role.by_role, named, by_role.missing, len(source), len(target))
