"""Poses of a database shown one after another on moving characters: placed, smoothed after jumps, feet held (mobility A1, A10).

A character is at a pose and stands at a placement. The next pose steps on by that pose's increment. Where it is no recorded successor,
what is shown must not jump: either the difference to what was shown dies out like a critically damped spring ("inertial", Bollo 2018; the
spring after Holden 2023), or what is shown goes straight to a pose some frames ahead ("one-sided", the thesis' way, 5.3).

Then feet that are planted in the pose are held where they came down: first the heel, then both, then the ball; the shift and the
turn that this takes die out while the foot is in the air. The hips give way where a leg is too short for it.

Characters are independent of each other; one call makes a frame of all of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel
from reenact.kernels.kinematics import _forward
from reenact.kernels.legs import _bend_legs, _times, _turn, _turn_chain

SHIFT, PUSH, YAW, SPIN, SHARE, HELD, HEEL, BALL, DIRECTION, STEPPED = 0, 3, 6, 7, 8, 9, 10, 12, 14, 15
FOOT_MEMORY = 16
"""What is remembered of a foot: its shift (3,) and that one's speed (3,), its turn and that one's speed, how far it rolled from the heel
(0) to the ball
(1), whether it is held (0 in the air, 1 held, 2 making a step of its own), heel and ball on the floor (x, z), where heel to ball pointed,
seconds since its own step began."""

ROLL = 0.1  # seconds in which a foot that stands flat hands over from heel to ball
SETTLE = 0.05  # seconds in which planted feet come to their recorded height
LOOSE = 0.08  # seconds, of the spring that brings a lifted foot back
FARTHEST = 0.1  # metres a foot is held away from where its pose has it; then it makes a step of its own
OUT_OF_REACH = 0.008  # metres that a leg lacks; then it does so, too
STEP = 0.25  # seconds of such a step
RISE = 0.25  # how high such a step is lifted, as a share of its length
REACH = 0.993  # of a leg's length: straighter it is not made
SOFT = 0.004  # metres over which hips begin to give way
GIVE, RETURN = 0.02, 0.2  # seconds in which hips give way, and come back
SLOWEST = 6.0  # 1/s, of the springs of joints that are far off
LOWEST = 0.08  # metres that hips give way at the most


class Motion(NamedTuple):
    """Poses as `mobility.pose_database` keeps them, how high each planted point is (N, 4): left heel, left ball, right heel,
    right ball; and how fast the body's height and each joint may be brought back after a jump, (1 + J,) a second.
    """

    rotations: np.ndarray
    positions: np.ndarray
    increments: np.ndarray
    contacts: np.ndarray
    heights: np.ndarray
    paces: np.ndarray


class Rig(NamedTuple):
    """The skeleton: parents (J,), offsets (J, 3), legs (S, 3), soles (S, 2) and their places (S, 2, 3), hinges of knees (S, 3)."""

    parents: np.ndarray
    offsets: np.ndarray
    legs: np.ndarray
    soles: np.ndarray
    sole_places: np.ndarray
    hinges: np.ndarray


class Cast(NamedTuple):
    """What is remembered of n characters; every array is written.

    poses (n,) int32; places (n, 3) x, z, heading; shown (n, 2, J, 4) float32 and roots (n, 2, 3): what was shown last and before, roots
    in the world, feet not yet held; offsets, drifts (n, 1 + J, 3) float32: what is left of a jump, and its speed a second (row 0: the
    root's place); rates (n, 1 + J) float32 of their springs, 1/s; reaching (n, 3) int32: frames of a straight blend, how many are done,
    the pose it ends at; reach_places (n, 3); leaving (n, J, 4) and leaving_roots (n, 3) from what it starts; feet (n, S, 15); drops (n,)
    metres that hips give way.
    """

    poses: np.ndarray
    places: np.ndarray
    shown: np.ndarray
    roots: np.ndarray
    offsets: np.ndarray
    drifts: np.ndarray
    rates: np.ndarray
    reaching: np.ndarray
    reach_places: np.ndarray
    leaving: np.ndarray
    leaving_roots: np.ndarray
    feet: np.ndarray
    drops: np.ndarray


@inlined_kernel
def _log(w, x, y, z):
    """The rotation vector of a quaternion, the short way round."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    f = 2.0 * math.atan2(sine, w) / sine if sine > 1e-9 else 2.0
    return f * x, f * y, f * z


@inlined_kernel
def _exp(x, y, z):
    """The quaternion of a rotation vector."""
    angle = math.sqrt(x * x + y * y + z * z)
    f = 0.5 if angle < 1e-6 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), f * x, f * y, f * z


@inlined_kernel
def _wrapped(angle):
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@kernel
def _stand(place, step):
    """A placement (3,) after a step (3,), in place."""
    sine, cosine = math.sin(place[2]), math.cos(place[2])
    place[0] += cosine * step[0] + sine * step[1]
    place[1] += cosine * step[1] - sine * step[0]
    place[2] += step[2]


@kernel
def _place_pose(motion, pose, place, rotations, root):
    """A pose in the world: (J, 4) local rotations, the root's in the world, and the place (3,) of the root."""
    sine, cosine = math.sin(place[2]), math.cos(place[2])
    local = motion.positions[pose]
    root[0] = place[0] + cosine * local[0] + sine * local[2]
    root[1] = local[1]
    root[2] = place[1] + cosine * local[2] - sine * local[0]
    source = motion.rotations[pose]
    for j in range(source.shape[0]):
        for k in range(4):
            rotations[j, k] = source[j, k]
    q = source[0]
    half = 0.5 * place[2]
    w, x, y, z = _times(math.cos(half), 0.0, math.sin(half), 0.0, q[0], q[1], q[2], q[3])
    rotations[0, 0], rotations[0, 1], rotations[0, 2], rotations[0, 3] = w, x, y, z


@kernel
def _between(a, b):
    """The rotation vector that turns a (4,) into b (4,), from the left."""
    w, x, y, z = _times(b[0], b[1], b[2], b[3], a[0], -a[1], -a[2], -a[3])
    return _log(w, x, y, z)


@kernel
def _begin_offsets(
    motion,
    pose,
    place,
    following,
    follow_root,
    dt,
    stiffness,
    shown,
    roots,
    offsets,
    drifts,
    rates,
    before,
    before_root,
):
    """What is shown is so far from the pose before the one that is jumped to, and moves so much otherwise.

    The farther a joint is off the softer is its spring, so that nothing is thrown about faster than it ever is in the recordings.

    `following` and `follow_root` are the pose jumped to where it will stand; `before` and `before_root` scratch.
    """
    _place_pose(motion, pose - 1, place, before, before_root)
    for k in range(3):
        offsets[0, k] = roots[0, k] - before_root[k]
        drifts[0, k] = (roots[0, k] - roots[1, k] - (follow_root[k] - before_root[k])) / dt
    for j in range(before.shape[0]):
        x, y, z = _between(before[j], shown[0, j])
        offsets[1 + j, 0], offsets[1 + j, 1], offsets[1 + j, 2] = x, y, z
        x, y, z = _between(shown[1, j], shown[0, j])
        a, b, c = _between(before[j], following[j])
        drifts[1 + j, 0], drifts[1 + j, 1], drifts[1 + j, 2] = (x - a) / dt, (y - b) / dt, (z - c) / dt
    for j in range(rates.shape[0]):
        far = math.sqrt(offsets[j, 0] ** 2 + offsets[j, 1] ** 2 + offsets[j, 2] ** 2)
        rates[j] = min(stiffness, max(math.e * motion.paces[j] / max(far, 1e-6), min(SLOWEST, stiffness)))


@kernel
def _decay(offsets, drifts, rates, dt):
    """All offsets a step further along their springs."""
    most = 0.0
    for j in range(offsets.shape[0]):
        rate = rates[j]
        keep = math.exp(-rate * dt)
        for k in range(3):
            x, v = offsets[j, k], drifts[j, k]
            pull = v + rate * x
            x, v = keep * (x + dt * pull), keep * (v - rate * dt * pull)
            offsets[j, k], drifts[j, k] = x, v
            most = max(most, max(abs(x), abs(v)))
    if most < 1e-5:
        offsets[:] = 0.0
        drifts[:] = 0.0


@kernel
def _add_offsets(offsets, rotations, root):
    for k in range(3):
        root[k] += offsets[0, k]
    for j in range(rotations.shape[0]):
        x, y, z = offsets[1 + j, 0], offsets[1 + j, 1], offsets[1 + j, 2]
        if x == 0.0 and y == 0.0 and z == 0.0:
            continue
        w, x, y, z = _exp(x, y, z)
        q = rotations[j]
        w, x, y, z = _times(w, x, y, z, q[0], q[1], q[2], q[3])
        size = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
        q[0], q[1], q[2], q[3] = w * size, x * size, y * size, z * size


@kernel
def _go_straight(leaving, leaving_root, share, rotations, root):
    """From what was left to the pose in `rotations` and `root`, in place."""
    for k in range(3):
        root[k] = leaving_root[k] + share * (root[k] - leaving_root[k])
    for j in range(rotations.shape[0]):
        q, p = rotations[j], leaving[j]
        x, y, z = _between(p, q)
        w, x, y, z = _exp(share * x, share * y, share * z)
        q[0], q[1], q[2], q[3] = _times(w, x, y, z, p[0], p[1], p[2], p[3])


@kernel
def _hold_foot(foot, heel, ball, points, heights, dt):
    """The shift and turn of one foot in this frame. `points` (3, 3): ankle, heel, ball as shown; `heights` (2,) of heel and ball in the
    pose.
    """
    hx, hy, hz = points[1, 0], points[1, 1], points[1, 2]
    bx, by, bz = points[2, 0], points[2, 1], points[2, 2]
    direction = math.atan2(bx - hx, bz - hz)
    planted = heel or ball
    foot[STEPPED] += dt
    if not planted and (foot[HELD] == 1.0 or foot[STEPPED] >= STEP):
        foot[HELD] = 0.0
    if planted and foot[HELD] == 2.0 and foot[STEPPED] >= STEP:
        foot[HELD] = 0.0
    lands = planted and foot[HELD] == 0.0
    if lands:
        foot[HELD] = 1.0
        foot[SHARE] = 0.0 if heel else 1.0
    if foot[HELD] == 1.0:
        if not lands:
            if heel and ball:
                turned = _wrapped(direction - foot[DIRECTION])
                foot[YAW] -= turned
                foot[SPIN] = -turned / dt
                foot[SHARE] = min(foot[SHARE] + 0.5 * dt / ROLL, 0.5) if foot[SHARE] <= 0.5 else 0.5
            else:
                foot[SHARE] = 0.0 if heel else 1.0
                foot[SPIN] = 0.0
            sine, cosine = math.sin(foot[YAW]), math.cos(foot[YAW])
            ex, ez = hx - bx, hz - bz
            heel_x = bx + foot[SHIFT] + cosine * ex + sine * ez
            heel_z = bz + foot[SHIFT + 2] + cosine * ez - sine * ex
            share = foot[SHARE]
            dx = (1.0 - share) * (heel_x - foot[HEEL]) + share * (bx + foot[SHIFT] - foot[BALL])
            dz = (1.0 - share) * (heel_z - foot[HEEL + 1]) + share * (bz + foot[SHIFT + 2] - foot[BALL + 1])
            foot[SHIFT] -= dx
            foot[SHIFT + 2] -= dz
            foot[PUSH], foot[PUSH + 2] = -dx / dt, -dz / dt
        else:
            foot[PUSH], foot[PUSH + 2], foot[SPIN] = 0.0, 0.0, 0.0
        share = foot[SHARE]
        wanted = (1.0 - share) * (heights[0] - hy) + share * (heights[1] - by)
        raised = (wanted - foot[SHIFT + 1]) * (1.0 - math.exp(-dt / SETTLE))
        foot[SHIFT + 1] += raised
        foot[PUSH + 1] = raised / dt
        if math.sqrt(foot[SHIFT] ** 2 + foot[SHIFT + 2] ** 2) > FARTHEST:
            foot[HELD], foot[STEPPED] = 2.0, 0.0
    else:
        keep = math.exp(-dt / LOOSE)
        for n in range(4):
            at, speed = (SHIFT + n, PUSH + n) if n < 3 else (YAW, SPIN)
            pull = foot[speed] + foot[at] / LOOSE
            foot[at], foot[speed] = keep * (foot[at] + dt * pull), keep * (foot[speed] - dt * pull / LOOSE)
    raised = 0.0
    if foot[HELD] == 2.0:
        part = min(foot[STEPPED] / STEP, 1.0)
        raised = 16.0 * RISE * FARTHEST * (part * (1.0 - part)) ** 2
    foot[DIRECTION] = direction
    sine, cosine = math.sin(foot[YAW]), math.cos(foot[YAW])
    ex, ez = hx - bx, hz - bz
    foot[HEEL] = bx + foot[SHIFT] + cosine * ex + sine * ez
    foot[HEEL + 1] = bz + foot[SHIFT + 2] + cosine * ez - sine * ex
    foot[BALL], foot[BALL + 1] = bx + foot[SHIFT], bz + foot[SHIFT + 2]
    return raised


@kernel
def _stand_on_feet(rig, feet, contacts, heights, drops, dt, positions, world, out_root, out_rotations):
    """Hold the feet of one character: positions (1, J, 3) and world (1, J, 4) as shown; the drop of its hips (1,) is written."""
    sides = rig.legs.shape[0]
    there, turned = positions[0], world[0]
    hips, knees, ends, axes = np.empty((sides, 3)), np.empty((sides, 3)), np.empty((sides, 3)), np.empty((sides, 3))
    targets, points = np.empty((sides, 3)), np.empty((3, 3))
    lack, drop = 0.0, drops[0]
    for side in range(sides):
        hip, knee, ankle = rig.legs[side, 0], rig.legs[side, 1], rig.legs[side, 2]
        q, h = turned[hip], rig.hinges[side]
        axes[side, 0], axes[side, 1], axes[side, 2] = _turn(q[0], q[1], q[2], q[3], h[0], h[1], h[2])
        thigh = shank = 0.0
        for k in range(3):
            hips[side, k], knees[side, k], ends[side, k] = there[hip, k], there[knee, k], there[ankle, k]
            points[0, k] = there[ankle, k]
            thigh += (there[knee, k] - there[hip, k]) ** 2
            shank += (there[ankle, k] - there[knee, k]) ** 2
        for n in range(2):
            joint, at = rig.soles[side, n], rig.sole_places[side, n]
            q = turned[joint]
            x, y, z = _turn(q[0], q[1], q[2], q[3], at[0], at[1], at[2])
            points[1 + n, 0], points[1 + n, 1] = there[joint, 0] + x, there[joint, 1] + y
            points[1 + n, 2] = there[joint, 2] + z
        foot = feet[side]
        raised = _hold_foot(
            foot, contacts[2 * side], contacts[2 * side + 1], points, heights[2 * side : 2 * side + 2], dt
        )
        sine, cosine = math.sin(foot[YAW]), math.cos(foot[YAW])
        x, z = points[0, 0] - points[2, 0], points[0, 2] - points[2, 2]
        targets[side, 0] = points[2, 0] + foot[SHIFT] + cosine * x + sine * z
        targets[side, 1] = points[0, 1] + foot[SHIFT + 1] + raised
        targets[side, 2] = points[2, 2] + foot[SHIFT + 2] + cosine * z - sine * x
        if foot[HELD] == 1.0:
            reach = REACH * (math.sqrt(thigh) + math.sqrt(shank))
            dx, dz = targets[side, 0] - hips[side, 0], targets[side, 2] - hips[side, 2]
            high = (
                hips[side, 1]
                - targets[side, 1]
                - math.sqrt(max(reach * reach - dx * dx - dz * dz, 0.01 * reach * reach))
            )
            own = (
                there[ankle, 1]
                - hips[side, 1]
                + math.sqrt(
                    max(
                        reach * reach - (there[ankle, 0] - hips[side, 0]) ** 2 - (there[ankle, 2] - hips[side, 2]) ** 2,
                        0.01 * reach * reach,
                    )
                )
            )
            lack = max(lack, high + min(own, 0.0))  # as straight as it is in the pose it may be
    lack = min(0.5 * (lack + math.sqrt(lack * lack + SOFT * SOFT) - SOFT), LOWEST)
    drop += (lack - drop) * (1.0 - math.exp(-dt / (GIVE if lack > drop else RETURN)))
    drops[0] = drop
    out_root[1] -= drop
    active = np.empty(sides, np.bool_)
    for side in range(sides):
        hips[side, 1] -= drop
        knees[side, 1] -= drop
        ends[side, 1] -= drop
        x, y, z = targets[side, 0] - ends[side, 0], targets[side, 1] - ends[side, 1], targets[side, 2] - ends[side, 2]
        active[side] = x * x + y * y + z * z > 1e-10 or feet[side, YAW] != 0.0
    turns, bends, missed, stretched = np.empty((sides, 4)), np.empty((sides, 4)), np.empty(sides), np.empty(sides)
    _bend_legs(hips, knees, ends, targets, axes, active, 0.0, turns, bends, missed, stretched)
    for side in range(sides):
        if feet[side, HELD] == 1.0 and missed[side] > OUT_OF_REACH:
            feet[side, HELD], feet[side, STEPPED] = 2.0, 0.0
    above, chain, one = np.empty(3, np.int32), np.empty((3, 1, 4)), np.ones(1, np.bool_)
    for side in range(sides):
        if not active[side]:
            continue
        half = 0.5 * feet[side, YAW]
        for n in range(3):
            above[n] = rig.parents[rig.legs[side, n]]
        for k in range(4):
            chain[0, 0, k], chain[1, 0, k], chain[2, 0, k] = turns[side, k], bends[side, k], 0.0
        chain[2, 0, 0], chain[2, 0, 2] = math.cos(half), math.sin(half)
        _turn_chain(world, above, rig.legs[side], chain, one, out_rotations.reshape(1, out_rotations.shape[0], 4))


@kernel
def show_poses(motion, rig, cast, following, jumped, straight, stiffness, hold, dt, out_roots, out_rotations):
    """One frame of n characters.

    Args:
        motion, rig, cast: see `Motion`, `Rig`, `Cast`; the cast is written.
        following: (n,) int32 the pose that each goes on to.
        jumped: (n,) bool, it is no recorded successor; a pose that is jumped to is never the first of its clip.
        straight: (n,) int32, of those that jumped: frames of a one-sided blend whose end `cast.reaching` and `cast.reach_places` tell; 0:
        inertial. stiffness: of the spring, 1/s: what is left of a jump after a time t is (1 + stiffness t) exp(-stiffness t); 0: nothing
        is smoothed. hold: whether planted feet are held.
        dt: seconds of a frame.
        out_roots: (n, 3) float64 and out_rotations (n, J, 4) float32: what is to be seen; written.
    """
    count, joints = len(following), motion.rotations.shape[1]
    before, before_root = np.empty((joints, 4), np.float32), np.empty(3)
    positions, world = np.empty((1, joints, 3)), np.empty((1, joints, 4))
    none = np.empty((1, 0, 3))
    slots = np.full(joints, -1, np.int32)
    local = np.empty((1, joints, 4))
    for c in range(count):
        pose, rotations, root = following[c], out_rotations[c], out_roots[c]
        shown, roots, place = cast.shown[c], cast.roots[c], cast.places[c]
        stood_x, stood_z, faced = place[0], place[1], place[2]
        _stand(place, motion.increments[pose])
        _place_pose(motion, pose, place, rotations, root)
        if jumped[c]:
            if straight[c] > 0:
                cast.reaching[c, 0], cast.reaching[c, 1] = straight[c], 0
                cast.leaving[c] = shown[0]
                cast.leaving_roots[c] = roots[0]
                cast.offsets[c] = 0.0
                cast.drifts[c] = 0.0
            elif stiffness > 0.0:
                cast.reaching[c, 0] = 0
                stood = np.array([stood_x, stood_z, faced])
                _begin_offsets(
                    motion,
                    pose,
                    stood,
                    rotations,
                    root,
                    dt,
                    stiffness,
                    shown,
                    roots,
                    cast.offsets[c],
                    cast.drifts[c],
                    cast.rates[c],
                    before,
                    before_root,
                )
        if cast.reaching[c, 0] > 0:
            cast.reaching[c, 1] += 1
            share = cast.reaching[c, 1] / cast.reaching[c, 0]
            _place_pose(motion, cast.reaching[c, 2], cast.reach_places[c], rotations, root)
            _go_straight(cast.leaving[c], cast.leaving_roots[c], share, rotations, root)
            if cast.reaching[c, 1] >= cast.reaching[c, 0]:
                cast.reaching[c, 0] = 0
        elif stiffness > 0.0:
            _decay(cast.offsets[c], cast.drifts[c], cast.rates[c], dt)
            _add_offsets(cast.offsets[c], rotations, root)
        cast.poses[c] = pose
        shown[1] = shown[0]
        roots[1] = roots[0]
        shown[0] = rotations
        roots[0] = root
        if hold and rig.legs.shape[0] > 0:
            local[0] = rotations
            _forward(local, root.reshape(1, 3), rig.offsets, rig.parents, slots, none, positions, world)
            _stand_on_feet(
                rig,
                cast.feet[c],
                motion.contacts[pose],
                motion.heights[pose],
                cast.drops[c : c + 1],
                dt,
                positions,
                world,
                root,
                rotations,
            )
