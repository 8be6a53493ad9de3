"""A walk changed while it plays: one frame in, one frame out, nothing of the future known (reuse specification 3.15.2 to 3.15.6, 3.16).

The body's way along the direction of travel is scaled. The place of a foot in the air is scaled as seen from the body, so that it lands
where a longer or shorter step ends; a planted foot stays. With an even scale both say the same, as the specification's formula does; with
one that changes, a swing is as long as half the step before and half the step after together. What planted feet have and the formula does
not (their skate is not passed on) dies out over the swing.

The height of the body follows the compass of 3.15.3 in its delta form, by how far apart the feet are at the moment instead of a phase: for
feet d apart the compass stands sqrt(l^2 - (d / 2)^2) high, which needs no knowledge of when the next foot will land.
"""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel
from reenact.kernels.kinematics import _forward
from reenact.kernels.legs import _bend_legs, _times, _turn, _turn_chain

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


@inlined_kernel
def _eased(t):
    """0 to 1 without a kink or a jump in acceleration."""
    t = min(max(t, 0.0), 1.0)
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0)


@inlined_kernel
def _larger(a, b, width):
    """The larger of two numbers, rounded where they meet."""
    return 0.5 * (a + b + math.sqrt((a - b) * (a - b) + width * width))


@inlined_kernel
def _tilt(x, z):
    """The short turn from level ground onto ground with a slope (rise per metre along x and z)."""
    size = math.sqrt(1.0 + x * x + z * z)
    w = math.sqrt(0.5 + 0.5 / size)
    f = 0.5 / (w * size)
    return w, -z * f, 0.0, x * f


@kernel
def _follow_targets(asked, keep, state):
    """Two low-passes, one after the other, so that nothing has a kink; the first frame begins with what is asked."""
    for n in range(3):
        at = _ASKED + 2 * n
        if state[_STARTED] == 0.0:
            state[at], state[at + 1] = asked[n], asked[n]
        state[at + 1] = keep * state[at + 1] + (1.0 - keep) * asked[n]
        state[at] = keep * state[at] + (1.0 - keep) * state[at + 1]


@kernel
def _follow_travel(body, x, z, facing, state):
    """The axis of travel: the main direction of the body's speed of late, and of where it faces while it hardly moves."""
    fps = body[_FPS]
    keep = math.exp(-1.0 / (TRAVEL * fps))
    slow = FACING * body[_LEG]
    if state[_STARTED] == 0.0:
        state[_BODY], state[_BODY + 1] = x, z
        state[_AHEAD] = 1.0
        keep = 0.0
    elif state[_STARTED] == 1.0:  # the first step there is
        keep = 0.0
    vx, vz = (x - state[_BODY]) * fps, (z - state[_BODY + 1]) * fps
    state[_BODY], state[_BODY + 1] = x, z
    state[_SPEED] = keep * state[_SPEED] + (1.0 - keep) * vx
    state[_SPEED + 1] = keep * state[_SPEED + 1] + (1.0 - keep) * vz
    state[_SPREAD] = keep * state[_SPREAD] + (1.0 - keep) * vx * vx
    state[_SPREAD + 1] = keep * state[_SPREAD + 1] + (1.0 - keep) * vx * vz
    state[_SPREAD + 2] = keep * state[_SPREAD + 2] + (1.0 - keep) * vz * vz
    xx, xz = state[_SPREAD] + slow * slow * facing[0] ** 2, state[_SPREAD + 1] + slow * slow * facing[0] * facing[1]
    zz = state[_SPREAD + 2] + slow * slow * facing[1] ** 2
    angle = 0.5 * math.atan2(2.0 * xz, xx - zz)
    ax, az = math.cos(angle), math.sin(angle)
    before_x, before_z = (state[_AXIS], state[_AXIS + 1]) if state[_STARTED] != 0.0 else (facing[0], facing[1])
    if ax * before_x + az * before_z < 0.0:
        ax, az = -ax, -az
    state[_AXIS], state[_AXIS + 1] = ax, az
    along = ax * state[_SPEED] + az * state[_SPEED + 1]
    if state[_AHEAD] * along < -slow:
        state[_AHEAD] = -state[_AHEAD]
    sure = min(max(along / slow, -1.0), 1.0)
    state[_GOING] = 1.0 if state[_STARTED] == 0.0 else keep * state[_GOING] + (1.0 - keep) * sure
    return vx / fps, vz / fps


@kernel
def _free_hold(body, state, foot_x, foot_z, stride, rise, pin, out):
    """Out (5,) = the hold of a foot in the air: its place along the way scaled as seen from the body, on the ground that the body is on."""
    ax, az = state[_AXIS], state[_AXIS + 1]
    along = ax * (foot_x - state[_BODY]) + az * (foot_z - state[_BODY + 1])
    along -= state[_GOING] * (AHEAD * body[_LANDS] + (1.0 - AHEAD) * body[_LEAVES])
    along = (stride - 1.0) * along + 0.5 * pin * state[_GOING] * body[
        _SKATE
    ]  # ahead by half of what is taken back while it stands
    out[0] = state[_SHIFT] + along * ax
    out[1] = state[_SHIFT + 1] + along * az
    out[3], out[4] = rise * ax, rise * az
    away_x = foot_x + out[0] - state[_BODY] - state[_SHIFT]
    away_z = foot_z + out[1] - state[_BODY + 1] - state[_SHIFT + 1]
    out[2] = state[_GROUND] + out[3] * away_x + out[4] * away_z


@inlined_kernel
def _dying(t):
    """What is left at t (0 to 1) of something that was 1, and of something that grew at speed 1; a quintic that ends at rest."""
    t = min(t, 1.0)
    t3 = t * t * t
    return 1.0 - t3 * (10.0 - 15.0 * t + 6.0 * t * t), t - t3 * (6.0 - 8.0 * t + 3.0 * t * t)


@inlined_kernel
def _by_vector(x, y, z):
    """The quaternion of a rotation vector."""
    angle = math.sqrt(x * x + y * y + z * z)
    f = 0.5 if angle < 1e-9 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), f * x, f * y, f * z


@kernel
def _sole(foot, place):
    """Heel of the output (x, z) by the foot's hold, as on level ground: what leaves a slope squarely does not slip.

    `place` (4, 3) are hip, ankle, heel and ball of the source. The ball is its own shift.
    """
    w, x, y, z = _by_vector(foot[_HELD + TURN], foot[_HELD + TURN + 1], foot[_HELD + TURN + 2])
    a, _, c = _turn(w, x, y, z, place[2, 0] - place[3, 0], place[2, 1] - place[3, 1], place[2, 2] - place[3, 2])
    return place[3, 0] + foot[_HELD] + a, place[3, 2] + foot[_HELD + 1] + c


@kernel
def _turn_foot(foot, place, both, slack, dt):
    """While heel and ball stand, the foot points where it did when both came down, and hardly shortens; then it turns back."""
    at = _HELD + TURN
    x, y, z = place[3, 0] - place[2, 0], place[3, 1] - place[2, 1], place[3, 2] - place[2, 2]  # heel to ball
    size = math.sqrt(x * x + y * y + z * z)
    wide = math.sqrt(x * x + z * z)
    if not both or wide < 0.2 * size or size < 1e-6:
        foot[_FLAT] = 0.0
        foot[_LOOSE] += dt
        keep, leave = _dying(foot[_LOOSE] / UNTURN)
        for n in range(TURN, HOLD):
            foot[_HELD + n] = keep * foot[_LEFT + n] + leave * UNTURN * foot[_PUSH + n]
        return
    if foot[_FLAT] == 0.0:
        w, a, b, c = _by_vector(foot[at], foot[at + 1], foot[at + 2])
        a, _, c = _turn(w, a, b, c, x, y, z)
        far = max(math.sqrt(a * a + c * c), 1e-9)
        foot[_FLAT], foot[_FLAT + 1], foot[_FLAT + 2] = far, a / far, c / far
    foot[_LOOSE] = 0.0
    foot[_FLAT] = min(max(foot[_FLAT], wide), size)
    far = max(wide, foot[_FLAT] - slack)
    up = math.copysign(math.sqrt(max(size * size - far * far, 0.0)), y)
    a, b, c = far * foot[_FLAT + 1], up, far * foot[_FLAT + 2]
    # the short turn from (x, y, z) to (a, b, c), as a rotation vector
    tx, ty, tz = y * c - z * b, z * a - x * c, x * b - y * a
    sine = math.sqrt(tx * tx + ty * ty + tz * tz)
    angle = math.atan2(sine, x * a + y * b + z * c)
    f = foot[_PIN] * (angle / sine if sine > 1e-12 * size * size else 1.0 / (size * size))
    for n in range(3):
        turn = f * (tx if n == 0 else ty if n == 1 else tz)
        foot[_PUSH + TURN + n] = (turn - foot[at + n]) / dt
        foot[at + n] = turn
        foot[_LEFT + TURN + n] = turn


@kernel
def _hold_foot(foot, free, place, heel, ball, dt):
    """The shift of a planted foot: it stays, and what heel or ball would move in the source is taken back, as far as it is pinned."""
    if not heel:
        foot[_ON_BALL] = 1.0
    elif ball:
        foot[_ON_BALL] = min(foot[_ON_BALL] + 0.5 * dt / ROLL, 0.5) if foot[_ON_BALL] <= 0.5 else 0.5
    else:
        foot[_ON_BALL] = 0.0
    share = foot[_ON_BALL]
    x, z = _sole(foot, place)
    dx = (1.0 - share) * (x - foot[_HEEL]) + share * (place[3, 0] + foot[_HELD] - foot[_BALL])
    dz = (1.0 - share) * (z - foot[_HEEL + 1]) + share * (place[3, 2] + foot[_HELD + 1] - foot[_BALL + 1])
    foot[_HELD] -= foot[_PIN] * dx
    foot[_HELD + 1] -= foot[_PIN] * dz
    for n in range(TURN):
        foot[_LEFT + n] = foot[_HELD + n] - free[n]
        foot[_PUSH + n] = -(free[n] - foot[_FREE + n]) / dt
    foot[_PUSH] -= foot[_PIN] * dx / dt
    foot[_PUSH + 1] -= foot[_PIN] * dz / dt


@kernel
def _swing_foot(foot, free, dt):
    """The shift of a foot in the air: the formula's, and what it was off when it was lifted, which dies out over the swing."""
    whole = 0.9 * foot[_SWING]
    keep, leave = _dying(foot[_SINCE] / whole)
    for n in range(TURN):
        foot[_HELD + n] = free[n] + keep * foot[_LEFT + n] + leave * whole * foot[_PUSH + n]


@kernel
def _raise_foot(body, state, foot, place, rest, lift, dt):
    """How far a foot in the air is lifted: its ankle's height above where it stands, scaled.

    Where it is lowered by more than there is room under its ball, it is laid flatter about the ball as well.
    """
    foot[_PITCH] = 0.0
    if foot[_PLANTED] != 0.0:
        foot[_RAISED] *= math.exp(-dt / SETTLE)
        return
    high = max(place[1, 1] - rest[0], 0.0)
    clear = max(min(place[2, 1] - rest[1], place[3, 1] - rest[2]), 0.0)
    along = state[_AXIS] * (place[3, 0] - state[_BODY]) + state[_AXIS + 1] * (place[3, 2] - state[_BODY + 1])
    part = (state[_AHEAD] * along - body[_LEAVES]) / max(body[_LANDS] - body[_LEAVES], 0.1 * body[_LEG])
    window = _eased(part / NEAR) * _eased((1.0 - part) / NEAR) * _eased(foot[_SINCE] / RISE)
    wanted = (lift - 1.0) * high * window
    if wanted < 0.0:
        room = LOW * clear
        lowered = wanted * room / math.sqrt(wanted * wanted + room * room + 1e-18)
        x, y, z = place[2, 0] - place[3, 0], place[2, 1] - place[3, 1], place[2, 2] - place[3, 2]
        lever = math.sqrt((place[1, 0] - place[3, 0]) ** 2 + (place[1, 2] - place[3, 2]) ** 2)
        steep = max(math.atan2(y, math.sqrt(x * x + z * z)), 0.0)
        flatter = (wanted - lowered) / max(lever, 0.05 * body[_LEG])
        foot[_PITCH] = flatter * steep / math.sqrt(flatter * flatter + steep * steep + 1e-18)
        wanted = lowered
    foot[_RAISED] = wanted


@kernel
def _place_foot(foot, place, rest, turn, ankle):
    """Turn (4,) and ankle (3,) of a foot by its hold: on the ground, tilted and pitched about its ball; heights square to the ground."""
    x, z = place[3, 0] - place[2, 0], place[3, 2] - place[2, 2]
    wide = math.sqrt(x * x + z * z)
    p, q, r, s = 1.0, 0.0, 0.0, 0.0
    if wide > 1e-6:
        p, q, r, s = _by_vector(foot[_PITCH] * z / wide, 0.0, -foot[_PITCH] * x / wide)
    w, a, b, c = _by_vector(foot[_HELD + TURN], foot[_HELD + TURN + 1], foot[_HELD + TURN + 2])
    w, a, b, c = _times(p, q, r, s, w, a, b, c)
    x, y, z = _turn(w, a, b, c, place[1, 0] - place[3, 0], place[1, 1] - place[3, 1], place[1, 2] - place[3, 2])
    p, q, r, s = _tilt(foot[_HELD + 3], foot[_HELD + 4])
    turn[0], turn[1], turn[2], turn[3] = _times(p, q, r, s, w, a, b, c)
    x, y, z = _turn(p, q, r, s, x, y + place[3, 1] - rest[2] + foot[_RAISED], z)
    ankle[0], ankle[1], ankle[2] = (
        place[3, 0] + foot[_HELD] + x,
        rest[2] + foot[_HELD + 2] + y,
        place[3, 2] + foot[_HELD + 1] + z,
    )


@kernel
def _lack(hip, ankle, length, shift):
    """Metres by which a hip is too high for its leg to reach its ankle; `shift` (3,) moves the hip."""
    dx, dz = ankle[0] - hip[0] - shift[0], ankle[2] - hip[2] - shift[2]
    reach = REACH * length
    return hip[1] + shift[1] - ankle[1] - math.sqrt(max(reach * reach - dx * dx - dz * dz, 0.01 * reach * reach))


@kernel
def _raise_heel(body, state, foot, place, length, shift, ankle, spared):
    """A foot behind the body whose heel is free raises it as far as its leg lacks length: the pitch that does it."""
    along = state[_AHEAD] * (
        state[_AXIS] * (place[1, 0] - state[_BODY]) + state[_AXIS + 1] * (place[1, 2] - state[_BODY + 1])
    )
    share = _eased(foot[_HEEL_UP] / HEEL_RISE) * _eased(-along / (0.15 * body[_LEG]))
    if share == 0.0:
        return
    width = 2.0 * SOFT * body[_LEG]
    lack = _larger(_lack(place[0], ankle, length, shift), 0.0, width) - spared
    hx, hy, hz = place[0, 0] + shift[0] - ankle[0], place[0, 1] + shift[1] - ankle[1], place[0, 2] + shift[2] - ankle[2]
    far = math.sqrt(hx * hx + hy * hy + hz * hz)
    fx, fz = place[3, 0] - place[2, 0], place[3, 2] - place[2, 2]
    wide = math.sqrt(fx * fx + fz * fz)
    if wide < 1e-6 or far < 1e-6 or lack <= 0.0:
        return
    rx, ry, rz = ankle[0] - foot[_BALL], ankle[1] - place[3, 1] - foot[_HELD + 2], ankle[2] - foot[_BALL + 1]
    ax, az = fz / wide, -fx / wide
    lever = (hx * -az * ry + hy * (az * rx - ax * rz) + hz * ax * ry) / far  # how fast the way to the hip shortens
    angle = share * lack * (hy / far) / max(lever, 0.05 * body[_LEG])
    foot[_PITCH] += angle * HEEL_MOST / math.sqrt(angle * angle + HEEL_MOST * HEEL_MOST)


@kernel
def _pull_ankle(body, state, foot, place, length, shift, pin, ankle):
    """A foot in the air behind the body is drawn after the hip, as far as its leg is too short for where it should be."""
    along = state[_AHEAD] * (
        state[_AXIS] * (place[1, 0] - state[_BODY]) + state[_AXIS + 1] * (place[1, 2] - state[_BODY + 1])
    )
    share = pin * _eased(foot[_SINCE] / PULL) * _eased(-along / (0.15 * body[_LEG]))
    if foot[_PLANTED] != 0.0 or share == 0.0:
        return
    x, y, z = place[0, 0] + shift[0] - ankle[0], place[0, 1] + shift[1] - ankle[1], place[0, 2] + shift[2] - ankle[2]
    far = math.sqrt(x * x + y * y + z * z)
    near = share * _larger(far - (REACH - SOFT) * length, 0.0, SOFT * length) / max(far, 1e-9)
    ankle[0], ankle[1], ankle[2] = ankle[0] + near * x, ankle[1] + near * y, ankle[2] + near * z


@kernel
def _drop(places, ankles, lengths, shift, width):
    """How far the hips are too high for both legs, softly."""
    lacks = _larger(
        _lack(places[0, 0], ankles[0], lengths[0], shift), _lack(places[1, 0], ankles[1], lengths[1], shift), width
    )
    return _larger(lacks, 0.0, 2.0 * width)


@kernel
def plan_step(body, rests, asked, contacts, centre, facing, places, lengths, state, feet, shift, ankles, tilts):
    """Where the body and the ankles of one frame belong.

    Args:
        body: (7,) see `BODY_NAMES`.
        rests: (2, 3) metres, how high the ankle, heel and ball of each foot are while it stands.
        asked: (3,) stride, lift, incline in radians.
        contacts: (4,) planted: left heel, left ball, right heel, right ball.
        centre: (3,) metres, the hips of the source.
        facing: (2,) x and z of where it faces, a unit vector.
        places: (2, 4, 3) hip, ankle, heel and ball of each side in the source.
        lengths: (2,) metres, thigh and shank together.
        state: (21,) and feet (2, 48) what is remembered; written.
        shift: (3,) how far the body is moved; written.
        ankles: (2, 3) where the ankles belong; written.
        tilts: (2, 4) by which turn the feet are tilted; written.
    """
    dt, leg = 1.0 / body[_FPS], body[_LEG]
    if math.sqrt((centre[0] - state[_BODY]) ** 2 + (centre[2] - state[_BODY + 1]) ** 2) > JUMP * leg * dt:
        state[_STARTED] = 0.0
    _follow_targets(asked, math.exp(-dt / body[_SMOOTHING]) if body[_SMOOTHING] > 0.0 else 0.0, state)
    scale, lift, incline = state[_ASKED], state[_ASKED + 2], state[_ASKED + 4]
    dx, dz = _follow_travel(body, centre[0], centre[2], facing, state)
    ax, az = state[_AXIS], state[_AXIS + 1]
    stride, rise = scale * math.cos(incline), state[_AHEAD] * math.tan(incline)
    along = ax * dx + az * dz
    state[_SHIFT] += (stride - 1.0) * along * ax
    state[_SHIFT + 1] += (stride - 1.0) * along * az
    state[_GROUND] += rise * stride * along
    asks = max(abs(scale - 1.0) / PIN_STRIDE, abs(lift - 1.0) / PIN_LIFT, abs(incline) / PIN_INCLINE)
    pin = _eased(asks)
    free = np.empty(TURN)
    for side in range(2):
        foot, place = feet[side], places[side]
        heel, ball = contacts[2 * side], contacts[2 * side + 1]
        _free_hold(body, state, place[3, 0], place[3, 2], stride, rise, pin, free)
        if state[_STARTED] == 0.0:
            for n in range(HOLD):
                foot[_HELD + n], foot[_LEFT + n], foot[_PUSH + n] = free[n] if n < TURN else 0.0, 0.0, 0.0
            for n in range(TURN):
                foot[_FREE + n] = free[n]
            foot[_PLANTED], foot[_FLAT], foot[_RAISED] = 0.0, 0.0, 0.0
            foot[_SINCE], foot[_LOOSE], foot[_HEEL_UP] = foot[_SWING], UNTURN, HEEL_RISE
        foot[_SINCE] += dt
        if heel or ball:
            lands = foot[_PLANTED] == 0.0
            if lands:
                if state[_STARTED] != 0.0:
                    foot[_SWING] += 0.3 * (min(max(foot[_SINCE], 0.15), 1.0) - foot[_SWING])
                foot[_PLANTED], foot[_PIN] = 1.0, pin
                foot[_ON_BALL] = 0.0 if heel else 1.0
            foot[_HEEL_UP] = 0.0 if heel else foot[_HEEL_UP] + dt
            _turn_foot(foot, place, heel and ball, SLACK * leg, dt)
            if lands:
                _swing_foot(foot, free, dt)
                foot[_SINCE] = 0.0
                for n in range(TURN):
                    foot[_LEFT + n], foot[_PUSH + n] = foot[_HELD + n] - free[n], 0.0
            else:
                _hold_foot(foot, free, place, heel, ball, dt)
        else:
            if foot[_PLANTED] != 0.0:
                foot[_PLANTED], foot[_SINCE] = 0.0, dt
            foot[_HEEL_UP] += dt
            _turn_foot(foot, place, False, 0.0, dt)
            _swing_foot(foot, free, dt)
        for n in range(TURN):
            foot[_FREE + n] = free[n]
        foot[_HEEL], foot[_HEEL + 1] = _sole(foot, place)
        foot[_BALL], foot[_BALL + 1] = place[3, 0] + foot[_HELD], place[3, 2] + foot[_HELD + 1]
        _raise_foot(body, state, foot, place, rests[side], lift, dt)
        _place_foot(foot, place, rests[side], tilts[side], ankles[side])
    # the compass: how much lower or higher it stands with its feet as far apart as they are now
    apart = ax * (places[0, 3, 0] - places[1, 3, 0]) + az * (places[0, 3, 2] - places[1, 3, 2])
    wide = ax * (feet[0, _BALL] - feet[1, _BALL]) + az * (feet[0, _BALL + 1] - feet[1, _BALL + 1])
    most = 1.9 * leg
    apart, wide = min(max(apart, -most), most), min(max(wide, -most), most)
    bob = math.sqrt(leg * leg - 0.25 * wide * wide) - math.sqrt(leg * leg - 0.25 * apart * apart)
    shift[0], shift[1], shift[2] = 0.0, 0.0, 0.0
    source = _drop(places, places[:, 1], lengths, shift, SOFT * leg)
    own = np.empty(2)
    for side in range(2):
        own[side] = _larger(_lack(places[side, 0], places[side, 1], lengths[side], shift), 0.0, 2.0 * SOFT * leg)
    shift[0], shift[1], shift[2] = state[_SHIFT], state[_GROUND] + body[_BOB] * bob, state[_SHIFT + 1]
    for side in range(2):
        foot, place = feet[side], places[side]
        _raise_heel(body, state, foot, place, lengths[side], shift, ankles[side], (1.0 - pin) * own[side])
        _place_foot(foot, place, rests[side], tilts[side], ankles[side])
        _pull_ankle(body, state, foot, place, lengths[side], shift, pin, ankles[side])
    shift[1] -= _drop(places, ankles, lengths, shift, SOFT * leg) - (1.0 - pin) * source
    state[_STARTED] = min(state[_STARTED] + 1.0, 2.0)


@kernel
def step_walk(
    body, rests, parents, offsets, slots, legs, soles, sole_places, hinges, asked, contacts, points, root, rotations,
    state, feet, positions, world, out_root, out_rotations,
):  # fmt: skip
    """One frame of a walk: the pose that is given, on its new way, with its feet where they belong.

    Args:
        body, rests, asked, contacts, state, feet: see `plan_step`.
        parents: (J,) and offsets (J, 3) of the skeleton; slots (J,) row of `points` (M, 3) for joints that move in their parent's frame,
            else -1.
        legs: (2, 3) joints: hip, knee, ankle; then (row 2) the joint that carries the body, left and right hip joint.
        soles: (2, 2) joints that heel and ball are fixed to, sole_places (2, 2, 3) metres in those joints' frames.
        hinges: (2, 3) the axes knees bend about, in the frames of the hip joints.
        root: (3,) and rotations (J, 4) of the source.
        positions: (1, J, 3) and world (1, J, 4) scratch.
        out_root: (3,) and out_rotations (J, 4); written.
    """
    joints = len(parents)
    _forward(
        rotations.reshape(1, joints, 4),
        root.reshape(1, 3),
        offsets,
        parents,
        slots,
        points.reshape(1, -1, 3),
        positions,
        world,
    )
    there, turned = positions[0], world[0]
    places, lengths, facing = np.empty((2, 4, 3)), np.empty(2), np.empty(2)
    hips, knees, ends, axes = np.empty((2, 3)), np.empty((2, 3)), np.empty((2, 3)), np.empty((2, 3))
    for side in range(2):
        hip, knee, ankle = legs[side, 0], legs[side, 1], legs[side, 2]
        q = turned[hip]
        axes[side, 0], axes[side, 1], axes[side, 2] = _turn(
            q[0], q[1], q[2], q[3], hinges[side, 0], hinges[side, 1], hinges[side, 2]
        )
        thigh = shank = 0.0
        for k in range(3):
            hips[side, k], knees[side, k], ends[side, k] = there[hip, k], there[knee, k], there[ankle, k]
            places[side, 0, k], places[side, 1, k] = there[hip, k], there[ankle, k]
            thigh += (there[knee, k] - there[hip, k]) ** 2
            shank += (there[ankle, k] - there[knee, k]) ** 2
        lengths[side] = math.sqrt(thigh) + math.sqrt(shank)
        for n in range(2):
            joint, at = soles[side, n], sole_places[side, n]
            q = turned[joint]
            x, y, z = _turn(q[0], q[1], q[2], q[3], at[0], at[1], at[2])
            places[side, 2 + n, 0] = there[joint, 0] + x
            places[side, 2 + n, 1] = there[joint, 1] + y
            places[side, 2 + n, 2] = there[joint, 2] + z
    aside_x, aside_z = hips[1, 0] - hips[0, 0], hips[1, 2] - hips[0, 2]  # left to right
    size = math.sqrt(aside_x * aside_x + aside_z * aside_z)
    facing[0], facing[1] = (aside_z / size, -aside_x / size) if size > 1e-9 else (0.0, 1.0)
    shift, targets, tilts = np.empty(3), np.empty((2, 3)), np.empty((2, 4))
    plan_step(
        body, rests, asked, contacts, there[legs[2, 0]], facing, places, lengths, state, feet, shift, targets, tilts
    )
    for k in range(3):
        out_root[k] = root[k] + shift[k]
        for side in range(2):
            hips[side, k] += shift[k]
            knees[side, k] += shift[k]
            ends[side, k] += shift[k]
    for j in range(joints):
        for k in range(4):
            out_rotations[j, k] = rotations[j, k]
    both = np.empty(2, np.bool_)
    for side in range(2):  # a leg that is where it belongs stays as it is, also one that is bent the wrong way
        x, y, z = targets[side, 0] - ends[side, 0], targets[side, 1] - ends[side, 1], targets[side, 2] - ends[side, 2]
        both[side] = x * x + y * y + z * z > AS_IT_IS * AS_IT_IS
    turns, bends, missed, stretched = np.empty((2, 4)), np.empty((2, 4)), np.empty(2), np.empty(2)
    _bend_legs(hips, knees, ends, targets, axes, both, 0.0, turns, bends, missed, stretched)
    above, chain, turn = np.empty(3, np.int32), np.empty((3, 1, 4)), np.ones(1, np.bool_)
    for side in range(2):
        for n in range(3):
            above[n] = parents[legs[side, n]]
        for k in range(4):
            chain[0, 0, k], chain[1, 0, k], chain[2, 0, k] = turns[side, k], bends[side, k], tilts[side, k]
        _turn_chain(world, above, legs[side], chain, turn, out_rotations.reshape(1, joints, 4))
    return max(missed[0], missed[1])


@kernel
def run_walk(
    body, rests, parents, offsets, slots, legs, soles, sole_places, hinges, asked, contacts, points, root, rotations,
    state, feet, positions, world, out_root, out_rotations, missed,
):  # fmt: skip
    """Frame after frame as `step_walk`: asked (F, 3), contacts (F, 4), points (F, M, 3), root (F, 3), rotations (F, J, 4); missed (F,)."""
    for f in range(len(root)):
        missed[f] = step_walk(
            body, rests, parents, offsets, slots, legs, soles, sole_places, hinges, asked[f], contacts[f], points[f], root[f],
            rotations[f], state, feet, positions, world, out_root[f], out_rotations[f],
        )  # fmt: skip
