"""What a walk that is changed while it plays goes by: its measures, and what it remembers of body and feet (see `live_walk`)."""

from __future__ import annotations

TRAVEL = 0.35
"""Seconds over which the direction of travel is taken."""

FACING = 0.15
"""Of a leg in a second: what is slower than this goes where it faces."""

JUMP = 15.0
"""Legs in a second: a body that is faster was not moved but put elsewhere, and its walk begins anew there."""

ROLL = 0.06
"""Seconds in which the hold goes over from the heel to heel and ball."""

SLACK = 0.004
"""Of a leg: how much nearer heel and ball may come to each other over the floor while both stand, as a foot rolls."""

UNTURN = 0.2
"""Seconds in which a foot turns back as the source has it, once heel or ball are free."""

SETTLE = 0.03
"""Seconds in which a foot that is still lifted when it is planted comes down."""

RISE = 0.14
"""Seconds after it has left the floor until a foot is lifted in full."""

SOFT = 0.015
"""Of a leg: how softly its reach limits the height of the body."""

REACH = 0.998
"""Of a leg: how far it may be stretched."""

LOW = 0.9
"""Of its height above the floor: how far a foot may be lowered."""

NEAR = 0.2
"""Of a swing at its beginning and its end, over which the lift comes and goes."""

AHEAD = 0.4
"""Share of the way of a foot past the body, from where it leaves the floor to where it lands, at which its place is not scaled: a little
behind the middle, since a foot that stands behind must reach until it leaves the floor."""

PULL = 0.15
"""Seconds after it has left the floor until a foot behind the body gives way to its leg."""

HEEL_RISE, HEEL_MOST = 0.1, 0.8
"""Seconds after its heel is free until a foot may raise it as it needs, and radians by which at most."""

AS_IT_IS = 1e-6
"""Metres: an ankle that is so near to where it belongs is there."""

PIN_STRIDE, PIN_LIFT, PIN_INCLINE = 0.04, 0.08, 0.02
"""Changes of stride, lift and incline (radians) from which on planted feet are held against the skate of the source."""

STATE_NAMES = (
    "started", "body_x", "body_z", "speed_x", "speed_z", "spread_xx", "spread_xz", "spread_zz", "axis_x", "axis_z",
    "shift_x", "shift_z", "ground", "ahead", "stride", "stride_nearly", "lift", "lift_nearly", "incline", "incline_nearly", "going",
)  # fmt: skip
"""What a walk remembers: the body's place and speed, the axis of travel and what it is found by, how far the body is shifted, the ground
under it, which way along the axis it goes (1 or -1), the targets in effect, each with the low-pass before it, and how surely it goes."""

FOOT_NAMES = (
    "planted", "since", "swing", "raised", "pin", "on_ball", "heel_x", "heel_z", "ball_x", "ball_z", "flat", "flat_x", "flat_z",
    "loose", "heel_up", "pitch",
    "held", "", "", "", "", "", "", "", "free", "", "", "", "", "", "", "", "left", "", "", "", "", "", "", "",
    "push", "", "", "", "", "", "", "",
)  # fmt: skip
"""What a foot remembers: whether it is planted, seconds since that changed, seconds that its swings last, metres it is lifted, how much
it is held against skate, how far the hold has gone over to the ball, where heel and ball are in the output, how far apart they are over the
floor while both stand (0: they do not) and in which direction, seconds since they do not, seconds since the heel is up, radians by which
the foot is pitched; then its hold (`HOLD` numbers: shift x and z, height and slope x and z of the ground, turn about x, y and z) as it is,
as the formula has it, what was left of it when it was let go, and how fast that grew."""

BODY_NAMES = ("fps", "leg", "bob", "smoothing", "leaves", "lands", "skate")
"""About the body: frames a second, metres of a leg, share of the compass by which it bobs, seconds of the low-pass over targets, metres
along the way from the body to a foot that leaves the floor, and to one that lands, and metres that feet skate while they stand."""

HOLD, TURN = 8, 5
"""Numbers of a hold, and which of them its turn begins at."""

_STARTED, _BODY, _SPEED, _SPREAD, _AXIS, _SHIFT, _GROUND, _AHEAD, _ASKED, _GOING = 0, 1, 3, 5, 8, 10, 12, 13, 14, 20
_PLANTED, _SINCE, _SWING, _RAISED, _PIN, _ON_BALL, _HEEL, _BALL, _FLAT, _LOOSE, _HEEL_UP, _PITCH = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    8,
    10,
    13,
    14,
    15,
)
_HELD, _FREE, _LEFT, _PUSH = 16, 16 + HOLD, 16 + 2 * HOLD, 16 + 3 * HOLD
_FPS, _LEG, _BOB, _SMOOTHING, _LEAVES, _LANDS, _SKATE = 0, 1, 2, 3, 4, 5, 6
