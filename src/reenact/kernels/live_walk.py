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

from reenact.kernels.compiling import kernel
from reenact.kernels.kinematics import _forward
from reenact.kernels.legs import _bend_legs, _turn, _turn_chain
from reenact.kernels.live_feet import (
    _drop,
    _eased,
    _free_hold,
    _hold_foot,
    _lack,
    _larger,
    _place_foot,
    _pull_ankle,
    _raise_foot,
    _raise_heel,
    _sole,
    _swing_foot,
    _turn_foot,
)
from reenact.kernels.live_memory import (
    _AHEAD,
    _ASKED,
    _AXIS,
    _BALL,
    _BOB,
    _BODY,
    _FLAT,
    _FPS,
    _FREE,
    _GOING,
    _GROUND,
    _HEEL,
    _HEEL_UP,
    _HELD,
    _LEFT,
    _LEG,
    _LOOSE,
    _ON_BALL,
    _PIN,
    _PLANTED,
    _PUSH,
    _RAISED,
    _SHIFT,
    _SINCE,
    _SMOOTHING,
    _SPEED,
    _SPREAD,
    _STARTED,
    _SWING,
    AS_IT_IS,
    FACING,
    HEEL_RISE,
    HOLD,
    JUMP,
    PIN_INCLINE,
    PIN_LIFT,
    PIN_STRIDE,
    SLACK,
    SOFT,
    TRAVEL,
    TURN,
    UNTURN,
)


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
