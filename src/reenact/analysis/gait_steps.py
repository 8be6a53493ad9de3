"""Default reading of gait: the state machine, told by how fast and how high the body goes where tokens alone are in doubt, and by where
steps lead.

What is added to the published machine (Shanbhag, section 3.2.1), and why:

* Walking and running differ by a double support or a flight of a few hundredths of a second, which is within the error of any foot-plant
  detector. Where it is that short, the speed and the bounce of the body decide: people change from walking to running near
  v^2 / (g l) = 0.5 (Alexander 1989), and the hips of a walker are lowest while the feet change, those of a runner highest (Cavagna,
  Heglund and Taylor 1977), also in runs that have no flight.
* No step flies for a quarter of a second unless it goes from foot to foot: such a leap is a jump whatever it starts from and lands on.
* Less than a stride of another gait within a walk or a run is part of it: a braking step in a turn, a skip, a bounce.
* Standing is told apart: both feet planted for long and the body not travelling. The machine calls it walking before and after steps.
* A step is walking when the foot is carried forward or backward. Kicks, turns on the spot and steps to the side have the tokens of a walk
  and are "other"; but steps beside a walk that turn the body are its turn.
"""

from __future__ import annotations

from dataclasses import dataclass

from reenact import kernels
from reenact.analysis.body_motion import BodyMotion
from reenact.analysis.free_flight import G
from reenact.analysis.segments import TYPES, Segment
from reenact.analysis.tokens import SHORT
from reenact.core.foot_plants import FootPlants
from reenact.core.parameters import check_ranges, option


@dataclass(frozen=True, slots=True)
class GaitParameters:
    """Limits of the default classifier. Lengths are shares of the leg, so that size does not matter."""

    change: float = option(0.7, "of sqrt(g l): speed at which walking becomes running", above=0, high=3)
    doubt: float = option(0.04, "flight or double support that the speed can outweigh", unit="s", low=0, high=0.5)
    still: float = option(0.5, "both feet planted for longer is standing", unit="s", above=0)
    crouch: float = option(1.0, "of standing before and after a jump belong to it, at most", unit="s", low=0)
    step: float = option(0.25, "of a leg: a foot carried less far forward is not walking", low=0)
    lean: float = option(0.35, "cosine of the trunk's lean, below which nothing is a gait", low=-1, high=1)
    sink: float = option(0.85, "of the usual height of the hips, below which standing is something else", low=0, high=1)
    shortest: float = option(0.3, "shorter segments between two of one type are taken for that type", unit="s", low=0)

    def __post_init__(self) -> None:
        check_ranges(self)


_SPREAD = 0.2  # of the speed of change: how far from it speed outweighs one doubt, which is the most it does
_MOST = 3.0  # doubts that one change can count for
_SWITCH = 2.0  # doubts that going from walking to running, or back, must be worth
_FIDGET = 0.2  # of a leg: a foot that stays nearer to its place takes no step
_SAME_HEADING = 0.985  # cosine: 10 degrees
_BRIEF = 0.12  # seconds: shorter flights are too flat to be told by the body's height
_LONG_STEP = 0.25  # seconds: nor shorter ones from foot to foot, whose hips follow the legs
_FALLING = 0.35  # of what a falling body must rise over the ends of its flight
_UNEVEN = 0.08  # seconds between the feet of a jump off, or onto, both
_LEVEL = 0.008  # of a leg: rise of the hips in a change of feet that is neither a walk's nor a run's,
_BOUNCE = 0.015  # how far from it the rise outweighs its doubts,
_BOUNCES = 1.5  # and how many these are
_LEAP = 0.25  # seconds: a longer flight that does not go from foot to foot is a jump
_STAGGERED = 0.3  # seconds: and the second foot may land so much later
_STRIDE = 0.6  # seconds: less is no gait of its own within another
_TURNING = 0.94  # cosine: steps beside a walk that turn the body by 20 degrees belong to it,
_TURNS = 2  # so many in a row
_BENT = 0.75  # cosine of the trunk's lean, below which a standing body is doing something else
_TRAVEL = 0.3  # of a leg in a second: a faster body does not stand


def label_steps(plants: FootPlants, body: BodyMotion, fps: float, parameters: GaitParameters) -> list[Segment]:
    """Segments of a clip from its foot plants and the motion of its body.

    In this order, on runs of frames with the same feet planted (`kernels.gait`):

    1. Times without a planted foot in which the body does not fall become both feet: something carries it. In a flight of T seconds
       the body is g T^2 / 8 higher in the middle than midway between its ends, and so it is in any part of one.
    2. Short flights at the clip's ends are given to their neighbour: the foot was or will be planted, as far as anybody can tell.
    3. Jumps off and onto both feet are made even: their feet do not leave or land within one frame, and after a leap the second may
       land a good deal later.
    4. Changes from one foot to the other become a double support or a flight. Each is judged by its length, the body's speed and the
       rise of the hips, all of them together by the likeliest sequence (Viterbi 1967), in which going from walking to running or back
       costs two doubts.
    5. Short runs are put right as in `tokens.condition_runs`, and the state machine of `gait_machine`, which knows leaps, labels all
       frames.
    6. Standing on one foot before it hops belongs to the hop. Steps that lead nowhere, or to the side, are "other", or standing with a
       foot shifted, unless they turn the body beside a walk. Both feet planted for long is standing, but for what belongs to a jump.
    7. Short parts between two of one type go to them, in a walk or run up to a stride of another gait. Frames in which the trunk lies
       are "other", and so are standing ones in which the hips sink or the trunk bends; next to a jump that is its crouch.

    Args:
        plants: of the clip, at least one frame.
        body: hips, speed, heading, feet.
        fps: frames per second.
        parameters: limits.
    """
    asked = parameters
    limits = kernels.gait.StepLimits(
        asked.change, asked.doubt, asked.still, asked.crouch, asked.step, asked.lean, asked.sink, asked.shortest, SHORT,
        _SPREAD, _MOST, _SWITCH, _FIDGET, _SAME_HEADING, _BRIEF, _LONG_STEP, _FALLING, _UNEVEN, _BENT, _TRAVEL, G,
        _LEVEL, _BOUNCE, _BOUNCES, _LEAP, _STAGGERED, _STRIDE, _TURNING, _TURNS,
    )  # fmt: skip
    seen = kernels.gait.Body(
        body.step, body.hips, body.speed, body.travelled, body.forward, body.upright, body.feet, body.leg
    )
    left, right = plants.left, plants.right
    parts = kernels.gait.label_steps(left.heel, left.ball, right.heel, right.ball, seen, fps, limits).tolist()
    ends = [start for _, start in parts[1:]] + [len(plants)]
    return [Segment(TYPES[kind], start, end) for (kind, start), end in zip(parts, ends, strict=True)]
