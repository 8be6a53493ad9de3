"""How much each joint counts when poses are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from reenact.core.arrays import Float64
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError


@dataclass(frozen=True)
class JointWeights:
    """Weights by joint role or name.

    Attributes:
        position: weight of a joint's position (or rotation).
        velocity: weight of its velocity, for the joints that are given one; the metric's own scaling applies to the others.
        acceleration: likewise of its acceleration.
        others: position weight of the joints that are not named.
    """

    position: Mapping[str, float]
    velocity: Mapping[str, float] = field(default_factory=dict)
    acceleration: Mapping[str, float] = field(default_factory=dict)
    others: float = 0.0

    def __post_init__(self) -> None:
        for part in ("position", "velocity", "acceleration"):
            values = dict(getattr(self, part))
            for joint, weight in values.items():
                if not (math.isfinite(weight) and weight >= 0):
                    raise ParameterError(f"the {part} weight of {joint!r} must be zero or more, not {weight}")
            object.__setattr__(self, part, MappingProxyType(values))
        if not (math.isfinite(self.others) and self.others >= 0):
            raise ParameterError(f"the weight of the other joints must be zero or more, not {self.others}")
        if not (self.others > 0 or any(weight > 0 for weight in self.position.values())):
            raise ParameterError("no joint has a position weight above zero")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return JointWeights, (dict(self.position), dict(self.velocity), dict(self.acceleration), self.others)

    def of(self, skeleton: Skeleton) -> Float64:
        """(J,) position weights on a skeleton, `others` for joints that are not named; roles it lacks are passed over.

        Raises:
            SkeletonError: for a name that is neither a role nor a joint.
            ParameterError: when nothing of it is on this skeleton.
        """
        from reenact.core.roles import ROLES

        weights = np.full(len(skeleton), self.others)
        for name, weight in self.position.items():
            if name in ROLES and name not in skeleton.roles:
                continue
            weights[skeleton.joint(name)] = weight
        if not weights.any():
            raise ParameterError(f"none of the weighted joints ({', '.join(self.position)}) is on the skeleton")
        return weights


def parse_joint_weights(text: str) -> JointWeights:
    """Weights from `left_foot=2,right_foot=2,others=0.5`: joints or roles, and what all others weigh (0 when it is left out).

    Raises:
        ParameterError: a part that is no joint and number, a joint that stands twice, or nothing above zero.
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, sign, number = (word.strip() for word in part.rpartition("="))
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if not (sign and name and math.isfinite(weight) and weight >= 0):
            raise ParameterError(
                f"{part.strip()!r} is not a joint and its weight, such as left_foot=2", where="weights"
            )
        if name in found:
            raise ParameterError(f"the joint {name!r} stands twice", where="weights")
        found[name] = weight
    others = found.pop("others", 0.0)
    return JointWeights(found, others=others)
