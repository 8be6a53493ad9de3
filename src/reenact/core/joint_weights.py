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
    """

    position: Mapping[str, float]
    velocity: Mapping[str, float] = field(default_factory=dict)
    acceleration: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for part in ("position", "velocity", "acceleration"):
            values = dict(getattr(self, part))
            for joint, weight in values.items():
                if not (math.isfinite(weight) and weight >= 0):
                    raise ParameterError(f"the {part} weight of {joint!r} must be zero or more, not {weight}")
            object.__setattr__(self, part, MappingProxyType(values))
        if not any(weight > 0 for weight in self.position.values()):
            raise ParameterError("no joint has a position weight above zero")

    def of(self, skeleton: Skeleton) -> Float64:
        """(J,) position weights on a skeleton, 0 for joints that are not named; unknown roles are passed over.

        Raises:
            SkeletonError: for a name that is neither a role nor a joint.
            ParameterError: when nothing of it is on this skeleton.
        """
        from reenact.core.roles import ROLES

        weights = np.zeros(len(skeleton))
        for name, weight in self.position.items():
            if name in ROLES and name not in skeleton.roles:
                continue
            weights[skeleton.joint(name)] = weight
        if not weights.any():
            raise ParameterError(f"none of the weighted joints ({', '.join(self.position)}) is on the skeleton")
        return weights
