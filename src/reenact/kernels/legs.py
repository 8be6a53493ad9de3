"""Legs that reach for given places: the small move of the body that spares the knees, and the turns of hip and knee.

The knee turns about its own axis just so far that the ankle is as far from the hip as its target, then the whole leg swings the short way
onto the target (the five steps of Kovar, Schreiner and Gleicher 2002, without the stretching). A nearly straight knee changes without
bound with its reach; there the body moves instead, and what is left is not asked of the knee.
"""

from __future__ import annotations

import math

import numpy as np

from reenact.kernels.compiling import inlined_kernel, kernel

LEAST_BEND = 0.035
"""Radians of bend that limit how fast a nearly straight knee is taken to turn with its reach."""

DAMPED, EXACT = 0.03, 0.09
"""Radians of bend: below the first a knee follows its reach damped, above the second exactly."""

DEEP_FROM, DEEP_TO = 0.15, 0.4
"""Radians of bend asked for: from the second on even a straight knee follows exactly."""

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


@inlined_kernel
def _steepness(first, second, own, far):
    """Radians a knee turns for each metre of reach, between two reaches; beyond full reach it goes on as steeply as it may."""
    steepest = (first + second) / (first * second * LEAST_BEND)
    full = first + second
    if abs(far - own) < 1e-5:
        far = own + 1e-5
    scale = 1.0 / (2.0 * first * second)
    bend = math.acos(min(max((own * own - first * first - second * second) * scale, -1.0), 1.0))
    new = math.acos(min(max((far * far - first * first - second * second) * scale, -1.0), 1.0))
    new -= steepest * max(far - full, 0.0)
    return min(abs((new - bend) / (far - own)), steepest)


@kernel
def _spare_knees(hips, knees, ankles, targets, reaches, start, active, stiffness, rounds, most, shift):
    frames, legs = hips.shape[0], hips.shape[1]
    first, second, own = np.empty(legs), np.empty(legs), np.empty(legs)
    for f in range(frames):
        for k in range(3):
            shift[f, k] = 0.0
        if not active[f]:
            continue
        for n in range(legs):
            thigh = shank = 0.0
            for k in range(3):
                thigh += (knees[f, n, k] - hips[f, n, k]) ** 2
                shank += (ankles[f, n, k] - knees[f, n, k]) ** 2
            first[n], second[n], own[n] = math.sqrt(thigh), math.sqrt(shank), reaches[f, n]
        from_x, from_y, from_z = start[f, 0], start[f, 1], start[f, 2]
        x, y, z = from_x, from_y, from_z
        for _ in range(rounds):
            axx = ayy = azz = stiffness * stiffness
            axy = axz = ayz = 0.0
            bx, by, bz = axx * (from_x - x), axx * (from_y - y), axx * (from_z - z)
            for n in range(legs):
                ex, ey, ez = targets[f, n, 0] - hips[f, n, 0] - x, targets[f, n, 1] - hips[f, n, 1] - y, 0.0
                ez = targets[f, n, 2] - hips[f, n, 2] - z
                far = math.sqrt(ex * ex + ey * ey + ez * ez)
                if not (far > 1e-9 and first[n] > 1e-9 and second[n] > 1e-9):
                    continue
                ex, ey, ez = ex / far, ey / far, ez / far
                w = _steepness(first[n], second[n], own[n], far)
                w *= w
                miss = w * (far - own[n])
                axx += w * ex * ex
                ayy += w * ey * ey
                azz += w * ez * ez
                axy += w * ex * ey
                axz += w * ex * ez
                ayz += w * ey * ez
                bx += miss * ex
                by += miss * ey
                bz += miss * ez
            # the symmetric 3 x 3 system by its cofactors
            cxx, cxy, cxz = ayy * azz - ayz * ayz, axz * ayz - axy * azz, axy * ayz - axz * ayy
            cyy, cyz, czz = axx * azz - axz * axz, axy * axz - axx * ayz, axx * ayy - axy * axy
            scale = 1.0 / (axx * cxx + axy * cxy + axz * cxz)
            x += scale * (cxx * bx + cxy * by + cxz * bz)
            y += scale * (cxy * bx + cyy * by + cyz * bz)
            z += scale * (cxz * bx + cyz * by + czz * bz)
        size = math.sqrt(x * x + y * y + z * z)
        if size > 0.5 * most:  # ever closer to the limit, never beyond
            less = 0.5 * most * (1.0 + math.tanh((size - 0.5 * most) / (0.5 * most))) / size
            x, y, z = x * less, y * less, z * less
        shift[f, 0], shift[f, 1], shift[f, 2] = x, y, z


def spare_knees(hips, knees, ankles, targets, active, stiffness, most, reaches=None, start=None, rounds=8):
    """Moves of the body (F, 3), metres, that let ankles come to their targets with little change of the knees.

    For each frame the least of sum (knee change)^2 + (stiffness x move)^2, by reweighted least squares: a knee's change is its reach's
    change times the mean steepness between both.

    Args:
        hips, knees, ankles: (F, L, 3) float64 metres, the legs as they are.
        targets: (F, L, 3) where the ankles shall be.
        active: (F,) frames to do; the others are not moved.
        stiffness: radians of a knee that a metre of the body is worth.
        most: metres the body may move.
        reaches: (F, L) metres from hip to ankle that the knees would like; as they are when not given.
        start: (F, 3) moves from which the body's own is counted; none when not given.
        rounds: steps of the iteration.
    """
    shift = np.empty((len(hips), 3))
    reaches = np.linalg.norm(ankles - hips, axis=2) if reaches is None else reaches
    start = np.zeros((len(hips), 3)) if start is None else start
    _spare_knees(hips, knees, ankles, targets, reaches, start, active, float(stiffness), rounds, float(most), shift)
    return shift


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
            exact = (new if bend >= 0.0 else -new) - bend
            square = new * new if wanted <= 1.0 else 2.0 * (1.0 - wanted)
            slow = math.sqrt(bend * bend + DAMPED * DAMPED) + math.sqrt(max(square, 0.0) + DAMPED * DAMPED)
            damped = (square - bend * bend) / slow  # (new - bend) for bends far larger than the damping
            sure = min(max((abs(bend) - DAMPED) / (EXACT - DAMPED), 0.0), 1.0)
            sure = sure * sure * (3.0 - 2.0 * sure)
            damped = max(damped, -abs(bend) - DAMPED)
            angle = sure * exact + (1.0 - sure) * damped
            # a knee that has to bend far does so exactly, from straight on
            far_enough = min(max((new - DEEP_FROM) / (DEEP_TO - DEEP_FROM), 0.0), 1.0)
            right_way = min(max((bend + DAMPED) / DAMPED, 0.0), 1.0)
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
