"""Legs that reach for given places: the turns of hip and knee.

The knee turns about its own axis just so far that the ankle is as far from the hip as its target, then the whole leg swings the short way
onto the target (the five steps of Kovar, Schreiner and Gleicher 2002, without the stretching). A nearly straight knee changes without
bound with its reach; there the body moves instead (`solve.body_moves`), and what is left is not asked of the knee.
"""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel

DAMPED, EXACT = 0.03, 0.09
"""Radians that a knee is bent the wrong way: up to the first it follows its reach damped, beyond the second exactly, as it is bent."""

DEEP_FROM, DEEP_TO = 0.02, 0.08
"""Radians of bend asked for beyond what it is bent the wrong way: from the second on such a knee is bent the right way, exactly."""

WRONG_FROM, WRONG_TO = 0.1, 0.16
"""Radians that a knee is bent the wrong way: up to the first it may be, beyond the second not."""

AXIS_FROM, AXIS_TO = 0.03, 0.12
"""Sines of the bend between which the plane a leg is bent in takes over from its hinge."""


@inlined_kernel
def _turn(w, x, y, z, a, b, c):
    """A vector turned by a quaternion."""
    p, q, r = y * c - z * b, z * a - x * c, x * b - y * a
    p, q, r = p + p, q + q, r + r
    return a + w * p + (y * r - z * q), b + w * q + (z * p - x * r), c + w * r + (x * q - y * p)


@inlined_kernel
def _times(a, b, c, d, w, x, y, z):
    """Product of two quaternions."""
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


@kernel
def _bend_legs(hips, knees, ankles, targets, hinges, active, stretch, hip_turns, knee_turns, missed, stretched):
    for f in range(hips.shape[0]):
        hip_turns[f, 0], knee_turns[f, 0] = 1.0, 1.0
        for k in range(1, 4):
            hip_turns[f, k], knee_turns[f, k] = 0.0, 0.0
        missed[f], stretched[f] = 0.0, 1.0
        if not active[f]:
            continue
        ux, uy, uz = knees[f, 0] - hips[f, 0], knees[f, 1] - hips[f, 1], knees[f, 2] - hips[f, 2]
        lx, ly, lz = ankles[f, 0] - knees[f, 0], ankles[f, 1] - knees[f, 1], ankles[f, 2] - knees[f, 2]
        tx, ty, tz = targets[f, 0] - hips[f, 0], targets[f, 1] - hips[f, 1], targets[f, 2] - hips[f, 2]
        first, second = math.sqrt(ux * ux + uy * uy + uz * uz), math.sqrt(lx * lx + ly * ly + lz * lz)
        far = math.sqrt(tx * tx + ty * ty + tz * tz)
        if not (first > 1e-9 and second > 1e-9 and far > 1e-9):
            missed[f] = math.sqrt((tx - ux - lx) ** 2 + (ty - uy - ly) ** 2 + (tz - uz - lz) ** 2)
            continue
        longer = min(max(far / (0.9995 * (first + second)), 1.0), 1.0 + stretch)
        stretched[f] = longer
        ux, uy, uz, lx, ly, lz = ux * longer, uy * longer, uz * longer, lx * longer, ly * longer, lz * longer
        first, second = first * longer, second * longer
        # the axis the knee bends about: square to its plane, or the hinge where it is nearly straight
        hx, hy, hz = hinges[f, 0], hinges[f, 1], hinges[f, 2]
        ox, oy, oz = uy * lz - uz * ly, uz * lx - ux * lz, ux * ly - uy * lx  # a larger bend turns the shank about this
        size = math.sqrt(ox * ox + oy * oy + oz * oz)
        trust = min(max((size / (first * second) - AXIS_FROM) / (AXIS_TO - AXIS_FROM), 0.0), 1.0)
        trust = trust * trust * (3.0 - 2.0 * trust)
        scale = trust / size if size > 1e-12 else 0.0
        if ox * hx + oy * hy + oz * hz > 0.0:  # bent the wrong way: the axis keeps its sense
            scale = -scale
        ax, ay, az = ox * scale - (1.0 - trust) * hx, oy * scale - (1.0 - trust) * hy, oz * scale - (1.0 - trust) * hz
        size = math.sqrt(ax * ax + ay * ay + az * az)
        if size < 1e-9:
            ax, ay, az, size = -hx, -hy, -hz, 1.0
        ax, ay, az = ax / size, ay / size, az / size
        # u . l turned by t about the axis = along + swing cos(t - phase)
        along = (ux * ax + uy * ay + uz * az) * (lx * ax + ly * ay + lz * az)
        even = ux * lx + uy * ly + uz * lz - along
        odd = ux * (ay * lz - az * ly) + uy * (az * lx - ax * lz) + uz * (ax * ly - ay * lx)
        swing = math.sqrt(even * even + odd * odd)
        angle = 0.0
        if swing > 1e-12:
            bend = -math.atan2(odd, even)
            wanted = (0.5 * (far * far - first * first - second * second) - along) / swing
            wanted = max(wanted, -1.0)
            new = math.acos(min(wanted, 1.0))
            square = new * new if wanted <= 1.0 else 2.0 * (1.0 - wanted)
            slow = math.sqrt(bend * bend + DAMPED * DAMPED) + math.sqrt(max(square, 0.0) + DAMPED * DAMPED)
            damped = (square - bend * bend) / slow  # (new - bend) for bends far larger than the damping
            # a knee bent the right way is exact; what is bent the wrong way may be recorded so, or a straight one that wavers
            sure = 1.0 + bend / DAMPED if bend > -DAMPED else (-bend - DAMPED) / (EXACT - DAMPED)
            sure = min(max(sure, 0.0), 1.0)
            sure = sure * sure * (3.0 - 2.0 * sure)
            exact = new - bend if bend > -DAMPED else -new - bend
            damped = max(damped, -abs(bend) - DAMPED)
            angle = sure * exact + (1.0 - sure) * damped
            # a knee that has to bend far does so exactly, from straight on
            far_enough = min(max((new + min(bend, 0.0) - DEEP_FROM) / (DEEP_TO - DEEP_FROM), 0.0), 1.0)
            right_way = min(max((bend + WRONG_TO) / (WRONG_TO - WRONG_FROM), 0.0), 1.0)
            deep = far_enough * far_enough * (3.0 - 2.0 * far_enough) * right_way * right_way * (3.0 - 2.0 * right_way)
            angle += deep * (new - bend - angle)
        half = 0.5 * angle
        sine = math.sin(half)
        kw, kx, ky, kz = math.cos(half), sine * ax, sine * ay, sine * az
        mx, my, mz = _turn(kw, kx, ky, kz, lx, ly, lz)
        ex, ey, ez = ux + mx, uy + my, uz + mz
        reach = math.sqrt(ex * ex + ey * ey + ez * ez)
        missed[f] = abs(far - reach)
        # the short way from (e) to (t)
        sw, sx, sy, sz = 1.0, 0.0, 0.0, 0.0
        if reach > 1e-9:
            sw = reach * far + ex * tx + ey * ty + ez * tz
            sx, sy, sz = ey * tz - ez * ty, ez * tx - ex * tz, ex * ty - ey * tx
            size = math.sqrt(sw * sw + sx * sx + sy * sy + sz * sz)
            if size > 1e-12:
                sw, sx, sy, sz = sw / size, sx / size, sy / size, sz / size
            else:
                sw, sx, sy, sz = 0.0, ax, ay, az
        hip_turns[f, 0], hip_turns[f, 1], hip_turns[f, 2], hip_turns[f, 3] = sw, sx, sy, sz
        w, x, y, z = _times(sw, sx, sy, sz, kw, kx, ky, kz)
        knee_turns[f, 0], knee_turns[f, 1], knee_turns[f, 2], knee_turns[f, 3] = w, x, y, z


def bend_legs(hips, knees, ankles, targets, hinges, active, stretch=0.0):
    """Bend one leg so that its ankle comes to a target: (hip turns (F, 4), knee turns (F, 4), missed (F,), stretched (F,)).

    The turns multiply the world rotations of hip and knee from the left; `missed` are metres between ankle and target, `stretched` what
    thigh and shank were multiplied by.

    Args:
        hips, knees, ankles: (F, 3) float64 metres, the leg as it is; the hip stays.
        targets: (F, 3) where the ankle shall be.
        hinges: (F, 3) unit axes, lower x upper link of a leg bent the right way (see `solve.limb.find_hinge`).
        active: (F,) frames to do; the others are not turned.
        stretch: share by which the links may be lengthened where they do not reach.
    """
    frames = len(hips)
    out = np.empty((frames, 4)), np.empty((frames, 4)), np.empty(frames), np.empty(frames)
    _bend_legs(hips, knees, ankles, targets, hinges, active, float(stretch), *out)
    return out


@kernel
def _turn_chain(world, above, joints, turns, active, rotations):
    count = joints.shape[0]
    for f in range(world.shape[0]):
        if not active[f]:
            continue
        for n in range(count):
            j, p = joints[n], above[n]
            t = turns[n, f]
            w, x, y, z = _times(t[0], t[1], t[2], t[3], world[f, j, 0], world[f, j, 1], world[f, j, 2], world[f, j, 3])
            if p >= 0:
                a, b, c, d = world[f, p, 0], world[f, p, 1], world[f, p, 2], world[f, p, 3]
                if n > 0:
                    s = turns[n - 1, f]
                    a, b, c, d = _times(s[0], s[1], s[2], s[3], a, b, c, d)
                w, x, y, z = _times(a, -b, -c, -d, w, x, y, z)
            size = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
            out = rotations[f, j]
            if w * out[0] + x * out[1] + y * out[2] + z * out[3] < 0.0:  # beside the rotation it takes the place of
                size = -size
            out[0], out[1], out[2], out[3] = w * size, x * size, y * size, z * size


def turn_chain(world, above, joints, turns, active, rotations):
    """Write local rotations of joints down a limb whose world rotations are turned; what lies between them rides along.

    Args:
        world: (F, J, 4) float64 world rotations as they were.
        above: (N,) int32 parent of each joint, -1 for none.
        joints: (N,) int32 from hip to toes.
        turns: (N, F, 4) float64, each joint's turn in the world.
        active: (F,) frames to write.
        rotations: (F, J, 4) local rotations, written in place.
    """
    _turn_chain(world, above, joints, turns, active, rotations)
