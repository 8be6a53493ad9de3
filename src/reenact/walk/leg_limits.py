"""What legs cannot do: knees that are bent the wrong way, knees folded farther than knees fold, and feet raised to the hips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.clip import World
from reenact.walk.walk_study import WalkStudy, knee_turns

FOLDED = 2.6
"""Radians (149 degrees): a knee folds about so far before the calf meets the thigh."""

_BENT = np.radians(3.0)
_HIGH = 0.12  # of the leg: an ankle that comes nearer to the height of its hip does not step, it kicks


@dataclass(frozen=True, slots=True)
class LegLimits:
    """What legs would have to do, beyond the recording.

    Attributes:
        backward: radians that a knee is bent the wrong way, beyond what it is in the recording.
        recorded: radians that it is bent the wrong way there.
        folded: radians of the most bent knee; 0 where none is bent farther than in the recording.
        high: metres by which an ankle is raised too near to the height of its hip, and nearer than in the recording.
        frame: where a knee is bent most or an ankle is highest.
    """

    backward: float
    recorded: float
    folded: float
    high: float
    frame: int

    def doubts(self) -> list[str]:
        """In words."""
        said = []
        if self.backward > np.radians(0.5):
            said.append(
                f"a knee bends backwards by {np.degrees(self.backward):.1f} degrees more than in the recording"
                + (f", which bends one by {np.degrees(self.recorded):.0f}" if self.recorded > _BENT else "")
            )
        if self.folded > FOLDED:
            said.append(
                f"a knee would have to be folded by {np.degrees(self.folded):.0f} degrees (frame {self.frame}); knees fold by about "
                f"{np.degrees(FOLDED):.0f}: the feet are asked to go too high"
            )
        elif self.high > 0.0:
            said.append(
                f"a foot would have to be raised to its hip (frame {self.frame}), which is no step: the feet are asked to go too high"
            )
        return said


def measure_legs(study: WalkStudy, world: World) -> LegLimits:
    """What legs have to do in a result, by its forward kinematics in float64."""
    backward, folded, high, frame = 0.0, 0.0, 0.0, 0
    for foot, recorded in zip(study.feet, study.backward, strict=True):
        own, new = (knee_turns(foot, one) for one in (study.world, world))
        backward = max(backward, float(-new.min() - recorded))
        if new.max() > max(folded, float(own.max()) + 0.01):
            folded, frame = float(new.max()), int(new.argmax())
        near, was = (
            one.positions[:, foot.leg.end, 1] - one.positions[:, foot.leg.root, 1] + _HIGH * study.leg
            for one in (world, study.world)
        )
        if near.max() > max(high, 0.0) and near.max() > was.max() + 0.02:
            high = float(near.max())
            frame = int(near.argmax()) if folded <= FOLDED else frame
    return LegLimits(backward, float(study.backward.max()), folded, high, frame)
