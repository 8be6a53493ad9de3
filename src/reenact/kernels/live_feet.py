"""Feet of a walk that is changed while it plays: where each is to be, how it is held and let go, what legs reach (see `live_walk`)."""

from __future__ import annotations

import math

from reenact.kernels.compiling import inlined_kernel, kernel
from reenact.kernels.legs import _times, _turn
from reenact.kernels.live_memory import (
    _AHEAD,
    _AXIS,
    _BALL,
    _BODY,
    _FLAT,
    _FREE,
    _GOING,
    _GROUND,
    _HEEL,
    _HEEL_UP,
    _HELD,
    _LANDS,
    _LEAVES,
    _LEFT,
    _LEG,
    _LOOSE,
    _ON_BALL,
    _PIN,
    _PITCH,
    _PLANTED,
    _PUSH,
    _RAISED,
    _SHIFT,
    _SINCE,
    _SKATE,
    _SWING,
    AHEAD,
    HEEL_MOST,
    HEEL_RISE,
    HOLD,
    LOW,
    NEAR,
    PULL,
    REACH,
    RISE,
    ROLL,
    SETTLE,
    SOFT,
    TURN,
    UNTURN,
)


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
