"""Plants that are better let go: a leg does not reach them, or holding them pushes a joint much harder than it is pushed by itself.

A foot that skates as recorded for a moment is seen less than a knee that pops. But only where that helps: a push that stays when the plant
beside it is let go is none of its doing, and the plant is held again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.core.foot_plants import intervals_of
from reenact.solve.holding import FootHold
from reenact.solve.joint_pushes import joint_pushes

TOO_HARD = 1.2
"""Times what a joint does by itself, from which on a plant is let go."""

BORNE = 1.5
"""Times the same that are borne where letting go does not help."""

_SOONER = 0.025  # seconds a plant is cut shorter than needed, so that the foot is on its way
_TRIM = 0.05  # seconds by which a plant is cut shorter where its end pushes a joint too hard
_LEAST_PART = 0.1  # seconds: what is left of a plant on either side of where a leg does not reach
_BESIDE = 0.1  # seconds around a push in which it may have gone to
_HELPED = 0.25  # of what a push is over what a joint may do: less when that much is gone


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of a plant that is let go for a push.

    Attributes:
        side: "left" or "right".
        start, end: half-open range of frames that are let go.
        frame: where a joint is pushed too hard.
        peak: how hard, as a multiple of what it does by itself.
    """

    side: str
    start: int
    end: int
    frame: int
    peak: float

    def window(self, fps: float) -> slice:
        """The frames in which its push may still be."""
        beside = round(_BESIDE * fps)
        return slice(max(min(self.start, self.frame) - beside, 0), max(self.end, self.frame + 1) + beside)

    def helped(self, peaks: Float, fps: float) -> bool:
        """The push is gone, or much of it, in how hard joints are pushed (F,) now."""
        now = float(peaks[self.window(fps)].max(initial=0.0))
        return now <= TOO_HARD or now - 1.0 <= (1.0 - _HELPED) * (self.peak - 1.0)


def out_of_reach(planted: Bool, away: Float, fps: float, most: float = 0.0035) -> Bool:
    """(F,) frames in which plants that a leg does not reach are let go.

    In the middle of a long plant these frames alone: it becomes two.

    Args:
        planted: (F,) frames in which the foot is held.
        away: (F,) metres by which its ankle misses.
        fps: frames per second.
        most: metres it may miss.
    """
    free, early = np.zeros(len(away), np.bool_), max(round(_SOONER * fps), 1)
    least = round(_LEAST_PART * fps)
    for start, end in intervals_of(planted):
        for first, last in intervals_of(away[start:end] > most):
            free[max(start + first - early, start) : min(start + last + early, end)] = True
        kept = intervals_of(~free[start:end])
        for first, last in kept:  # what is left between such frames is too short to stand on
            if last - first < least and last - first < end - start:
                free[start + first : start + last] = True
    return free


def pushed_too_hard(after: Clip, holds: Sequence[FootHold], allowed: Float) -> dict[str, Bool]:
    """Side -> (F,) frames in which plants are let go because holding them pushes a joint much harder than it is pushed by itself.

    Args:
        after: the motion with its feet held.
        holds: what was done to each foot.
        allowed: (F, J) m/s^2.
    """
    return frames_of(find_cuts(joint_pushes(after) / allowed, after, holds), holds, len(after))


def frames_of(cuts: Sequence[Cut], holds: Sequence[FootHold], frames: int) -> dict[str, Bool]:
    """Side -> (F,) the frames that are cut."""
    free = {hold.foot.side: np.zeros(frames, np.bool_) for hold in holds}
    for cut in cuts:
        free[cut.side][cut.start : cut.end] = True
    return free


def find_cuts(
    ratios: Float, clip: Clip, holds: Sequence[FootHold], *, whole: bool = False, borne: Bool | None = None
) -> list[Cut]:
    """What is let go of plants because holding them pushes a joint much harder than it is pushed by itself.

    Args:
        ratios: (F, J) how hard joints are pushed with the feet held, as multiples of what they do by themselves.
        clip: the motion.
        holds: what was done to each foot.
        whole: let go of whole plants instead of cutting them shorter.
        borne: (F,) frames in which more is borne, because letting go did not help.
    """
    limits = np.full(len(ratios), TOO_HARD) if borne is None else np.where(borne, BORNE, TOO_HARD)
    too_hard = ratios > limits[:, None]
    if not too_hard.any():
        return []
    trim, cuts = max(round(_TRIM * clip.fps), 2), []
    legs = {hold.foot.side: set(clip.skeleton.subtree(hold.foot.leg.root)) for hold in holds}
    for start, end in intervals_of(too_hard.any(axis=1)):
        frame, joint = np.unravel_index(int(np.argmax(ratios[start:end])), ratios[start:end].shape)
        frame = start + int(frame)
        near = [hold for hold in holds if int(joint) in legs[hold.foot.side]] or holds
        found = [(abs(frame - edge), hold, run) for hold in near for run in intervals_of(hold.planted) for edge in run]
        inside = [
            (min(frame - run[0], run[1] - frame), hold, run) for _, hold, run in found if run[0] <= frame < run[1]
        ]
        if not (inside or found):
            continue
        _, hold, (first, last) = min(inside or found, key=lambda one: one[0])
        if whole or last - first <= 3 * trim:
            part = first, last
        elif min(frame - first, last - frame) > 2 * trim:  # in the middle of a long plant: it becomes two
            part = frame - trim, frame + trim
        elif frame - first < last - frame:
            part = first, max(frame, first) + trim
        else:
            part = min(frame, last) - trim, last
        cuts.append(Cut(hold.foot.side, *part, frame, float(ratios[frame, int(joint)])))
    return cuts
