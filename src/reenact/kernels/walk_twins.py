"""NumPy twin of `kernels.live_walk`: the same walk in vectors, one frame after the other, with names for everything that is remembered."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from reenact.kernels import leg_twins
from reenact.kernels import live_memory as k
from reenact.kernels.twins import forward_kinematics, multiply

_UP = np.array([0.0, 1.0, 0.0])
_FLOOR = [0, 2]


def rotate(q, v):
    """A vector turned by a quaternion."""
    across = 2 * np.cross(q[1:], v)
    return v + q[0] * across + np.cross(q[1:], across)


def _eased(t):
    t = np.clip(t, 0, 1)
    return t**3 * (t * (6 * t - 15) + 10)


def _larger(a, b, width):
    return 0.5 * (a + b + np.hypot(a - b, width))


def _dying(t):
    t = min(t, 1.0)
    return 1 - t**3 * (10 - 15 * t + 6 * t * t), t - t**3 * (6 - 8 * t + 3 * t * t)


def _quaternion(vector):
    angle = np.linalg.norm(vector)
    return np.concatenate([[np.cos(angle / 2)], 0.5 * np.sinc(angle / (2 * np.pi)) * np.asarray(vector)])


def _vector_between(a, b):
    """The rotation vector of the short turn between two vectors of one length."""
    axis = np.cross(a, b)
    sine = np.linalg.norm(axis)
    return axis * (np.arctan2(sine, a @ b) / sine if sine > 1e-12 * (a @ a) else 1 / (a @ a))


def _tilt(slope):
    normal = np.array([-slope[0], 1.0, -slope[1]])
    normal /= np.linalg.norm(normal)
    return _quaternion(_vector_between(_UP, normal))


def _as_space(floor):
    return np.array([floor[0], 0.0, floor[1]])


class _Foot:
    """One foot of a walk."""

    def __init__(self, swing):
        self.planted, self.since, self.swing, self.raised, self.pin, self.on_ball = False, 0.0, swing, 0.0, 0.0, 0.0
        self.flat, self.flat_way, self.loose, self.heel_up, self.pitch = 0.0, np.zeros(2), 0.0, 0.0, 0.0
        self.held, self.free, self.left, self.push = (np.zeros(5) for _ in range(4))
        self.turn, self.turn_left, self.turn_push = np.zeros(3), np.zeros(3), np.zeros(3)
        self.heel, self.ball = np.zeros(2), np.zeros(2)

    def sole(self, at):
        heel = rotate(_quaternion(self.turn), at.heel - at.ball)
        return at.ball[_FLOOR] + self.held[:2] + heel[_FLOOR]

    def turn_back(self, at, both, slack, dt):
        way = at.ball - at.heel
        size, wide = np.linalg.norm(way), np.linalg.norm(way[_FLOOR])
        if not both or wide < 0.2 * size or size < 1e-6:
            self.flat = 0.0
            self.loose += dt
            keep, leave = _dying(self.loose / k.UNTURN)
            self.turn = keep * self.turn_left + leave * k.UNTURN * self.turn_push
            return
        if self.flat == 0.0:
            now = rotate(_quaternion(self.turn), way)[_FLOOR]
            self.flat = max(np.linalg.norm(now), 1e-9)
            self.flat_way = now / self.flat
        self.loose = 0.0
        self.flat = min(max(self.flat, wide), size)
        far = max(wide, self.flat - slack)
        wanted = _as_space(far * self.flat_way) + _UP * np.copysign(np.sqrt(max(size**2 - far**2, 0.0)), way[1])
        turn = self.pin * _vector_between(way, wanted)
        self.turn_push = (turn - self.turn) / dt
        self.turn = self.turn_left = turn

    def hold(self, at, free, heel, ball, dt):
        self.on_ball = (min(self.on_ball + 0.5 * dt / k.ROLL, 0.5) if ball else 0.0) if heel else 1.0
        moved = (1 - self.on_ball) * (self.sole(at) - self.heel)
        moved += self.on_ball * (at.ball[_FLOOR] + self.held[:2] - self.ball)
        self.held[:2] -= self.pin * moved
        self.left = self.held - free
        self.push = -(free - self.free) / dt
        self.push[:2] -= self.pin * moved / dt

    def swing_on(self, free):
        keep, leave = _dying(self.since / (0.9 * self.swing))
        self.held = free + keep * self.left + leave * 0.9 * self.swing * self.push

    def lift(self, walk, at, rest, lift, dt):
        self.pitch = 0.0
        if self.planted:
            self.raised *= np.exp(-dt / k.SETTLE)
            return
        body = walk.about
        high = max(at.ankle[1] - rest[0], 0.0)
        room = k.LOW * max(min(at.heel[1] - rest[1], at.ball[1] - rest[2]), 0.0)
        part = walk.ahead * (walk.axis @ (at.ball[_FLOOR] - walk.body)) - body["leaves"]
        part /= max(body["lands"] - body["leaves"], 0.1 * body["leg"])
        window = _eased(part / k.NEAR) * _eased((1 - part) / k.NEAR) * _eased(self.since / k.RISE)
        wanted = (lift - 1) * high * window
        if wanted < 0:
            lowered = wanted * room / np.sqrt(wanted**2 + room**2 + 1e-18)
            back = at.heel - at.ball
            lever = np.linalg.norm((at.ankle - at.ball)[_FLOOR])
            steep = max(np.arctan2(back[1], np.linalg.norm(back[_FLOOR])), 0.0)
            flatter = (wanted - lowered) / max(lever, 0.05 * body["leg"])
            self.pitch = flatter * steep / np.sqrt(flatter**2 + steep**2 + 1e-18)
            wanted = lowered
        self.raised = wanted

    def place(self, at, rest):
        """Turn (4,) and ankle (3,)."""
        way = (at.ball - at.heel)[_FLOOR]
        wide = np.linalg.norm(way)
        pitch = self.pitch * np.array([way[1], 0.0, -way[0]]) / wide if wide > 1e-6 else np.zeros(3)
        turned = multiply(_quaternion(pitch), _quaternion(self.turn))
        ankle = rotate(turned, at.ankle - at.ball) + _UP * (at.ball[1] - rest[2] + self.raised)
        tilt = _tilt(self.held[3:])
        base = _as_space(at.ball[_FLOOR] + self.held[:2]) + _UP * (rest[2] + self.held[2])
        return multiply(tilt, turned), base + rotate(tilt, ankle)


class _Walk:
    """What is remembered, and the plan of a frame."""

    def __init__(self, about, swing):
        self.about, self.started = about, 0
        self.body, self.speed, self.spread = np.zeros(2), np.zeros(2), np.zeros((2, 2))
        self.axis, self.shift, self.ground, self.ahead, self.going = np.zeros(2), np.zeros(2), 0.0, 1.0, 1.0
        self.asked = self.nearly = np.zeros(3)
        self.feet = _Foot(swing), _Foot(swing)

    def follow(self, asked, body, facing):
        about, first = self.about, self.started == 0
        if first:
            self.asked, self.nearly, self.body, self.ahead = asked, asked, body, 1.0
        keep = np.exp(-1 / (about["fps"] * about["smoothing"])) if about["smoothing"] > 0 else 0.0
        self.nearly = keep * self.nearly + (1 - keep) * asked
        self.asked = keep * self.asked + (1 - keep) * self.nearly
        keep = np.exp(-1 / (k.TRAVEL * about["fps"])) if self.started > 1 else 0.0
        moved, self.body = body - self.body, body
        velocity, slow = moved * about["fps"], k.FACING * about["leg"]
        self.speed = keep * self.speed + (1 - keep) * velocity
        self.spread = keep * self.spread + (1 - keep) * np.outer(velocity, velocity)
        (xx, xz), (_, zz) = self.spread + slow**2 * np.outer(facing, facing)
        angle = 0.5 * np.arctan2(2 * xz, xx - zz)
        axis = np.array([np.cos(angle), np.sin(angle)])
        self.axis = -axis if axis @ (facing if first else self.axis) < 0 else axis
        along = self.axis @ self.speed
        if self.ahead * along < -slow:
            self.ahead = -self.ahead
        self.going = 1.0 if first else keep * self.going + (1 - keep) * np.clip(along / slow, -1, 1)
        return self.axis @ moved

    def free_hold(self, ball, stride, rise, pin):
        about = self.about
        along = self.axis @ (ball - self.body)
        along -= self.going * (k.AHEAD * about["lands"] + (1 - k.AHEAD) * about["leaves"])
        along = (stride - 1) * along + 0.5 * pin * self.going * about["skate"]
        shift, slope = self.shift + along * self.axis, rise * self.axis
        ground = self.ground + slope @ (ball + shift - self.body - self.shift)
        return np.concatenate([shift, [ground], slope])

    def plan(self, rests, asked, contacts, body, facing, sides):
        """Shift (3,), ankles and turns of the feet."""
        about, feet = self.about, self.feet
        dt, leg = 1 / about["fps"], about["leg"]
        if np.linalg.norm(body - self.body) > k.JUMP * leg * dt:
            self.started = 0
        along = self.follow(asked, body, facing)
        scale, lift, incline = self.asked
        stride, rise = scale * np.cos(incline), self.ahead * np.tan(incline)
        self.shift = self.shift + (stride - 1) * along * self.axis
        self.ground += rise * stride * along
        pin = _eased(max(abs(scale - 1) / k.PIN_STRIDE, abs(lift - 1) / k.PIN_LIFT, abs(incline) / k.PIN_INCLINE))
        placed = []
        for foot, at, rest, (heel, ball) in zip(feet, sides, rests, contacts.reshape(2, 2), strict=True):
            free = self.free_hold(at.ball[_FLOOR], stride, rise, pin)
            if not self.started:
                foot.held, foot.free, foot.left, foot.push = free.copy(), free, np.zeros(5), np.zeros(5)
                foot.turn, foot.turn_left, foot.turn_push = (np.zeros(3) for _ in range(3))
                foot.planted, foot.flat, foot.raised = False, 0.0, 0.0
                foot.since, foot.loose, foot.heel_up = foot.swing, k.UNTURN, k.HEEL_RISE
            self._step_foot(foot, at, free, heel, ball, pin, dt)
            foot.free = free
            foot.heel, foot.ball = foot.sole(at), at.ball[_FLOOR] + foot.held[:2]
            foot.lift(self, at, rest, lift, dt)
            placed.append(foot.place(at, rest)[1])
        wide = np.clip(self.axis @ (feet[0].ball - feet[1].ball), -1.9 * leg, 1.9 * leg)
        apart = np.clip(self.axis @ (sides[0].ball - sides[1].ball)[_FLOOR], -1.9 * leg, 1.9 * leg)
        bob = np.sqrt(leg**2 - 0.25 * wide**2) - np.sqrt(leg**2 - 0.25 * apart**2)
        width, none = k.SOFT * leg, np.zeros(3)
        own = [_lack(at, at.ankle, none) for at in sides]
        shift = _as_space(self.shift) + _UP * (self.ground + about["bob"] * bob)
        turns, ankles = [], []
        for foot, at, rest, ankle, lack in zip(feet, sides, rests, placed, own, strict=True):
            self._raise_heel(foot, at, shift, ankle, (1 - pin) * _larger(lack, 0.0, 2 * width))
            turn, ankle = foot.place(at, rest)
            turns.append(turn)
            ankles.append(self._pull_ankle(foot, at, shift, pin, ankle))
        lacks = [_lack(at, ankle, shift) for at, ankle in zip(sides, ankles, strict=True)]
        drop = _larger(_larger(*lacks, width), 0.0, 2 * width)
        drop -= (1 - pin) * _larger(_larger(*own, width), 0.0, 2 * width)
        self.started = min(self.started + 1, 2)
        return shift - drop * _UP, np.array(ankles), turns

    def _step_foot(self, foot, at, free, heel, ball, pin, dt):
        foot.since += dt
        foot.heel_up = 0.0 if heel else foot.heel_up + dt
        if not (heel or ball):
            if foot.planted:
                foot.planted, foot.since = False, dt
            foot.turn_back(at, False, 0.0, dt)
            foot.swing_on(free)
            return
        lands = not foot.planted
        if lands:
            if self.started:
                foot.swing += 0.3 * (np.clip(foot.since, 0.15, 1.0) - foot.swing)
            foot.planted, foot.pin, foot.on_ball = True, pin, 0.0 if heel else 1.0
        foot.turn_back(at, heel and ball, k.SLACK * self.about["leg"], dt)
        if lands:
            foot.swing_on(free)
            foot.since, foot.left, foot.push = 0.0, foot.held - free, np.zeros(5)
        else:
            foot.hold(at, free, heel, ball, dt)

    def _behind(self, at):
        return _eased(-self.ahead * (self.axis @ (at.ankle[_FLOOR] - self.body)) / (0.15 * self.about["leg"]))

    def _raise_heel(self, foot, at, shift, ankle, spared):
        leg, way = self.about["leg"], (at.ball - at.heel)[_FLOOR]
        share = _eased(foot.heel_up / k.HEEL_RISE) * self._behind(at)
        lack = _larger(_lack(at, ankle, shift), 0.0, 2 * k.SOFT * leg) - spared
        to_hip, wide = at.hip + shift - ankle, np.linalg.norm(way)
        far = np.linalg.norm(to_hip)
        if share == 0 or wide < 1e-6 or far < 1e-6 or lack <= 0:
            return
        arm = ankle - _as_space(foot.ball) - _UP * (at.ball[1] + foot.held[2])
        lever = to_hip @ np.cross(np.array([way[1], 0.0, -way[0]]) / wide, arm) / far
        angle = share * lack * (to_hip[1] / far) / max(lever, 0.05 * leg)
        foot.pitch += angle * k.HEEL_MOST / np.hypot(angle, k.HEEL_MOST)

    def _pull_ankle(self, foot, at, shift, pin, ankle):
        if foot.planted:
            return ankle
        share = pin * _eased(foot.since / k.PULL) * self._behind(at)
        to_hip = at.hip + shift - ankle
        far = np.linalg.norm(to_hip)
        near = share * _larger(far - (k.REACH - k.SOFT) * at.length, 0.0, k.SOFT * at.length)
        return ankle + near / max(far, 1e-9) * to_hip


def _lack(at, ankle, shift):
    reach, way = k.REACH * at.length, at.hip + shift - ankle
    return way[1] - np.sqrt(max(reach**2 - way[0] ** 2 - way[2] ** 2, 0.01 * reach**2))


def run_walk(
    body, rests, parents, offsets, slots, legs, soles, sole_places, hinges, asked, contacts, points, root, rotations, swing
):  # fmt: skip
    """Roots (F, 3), rotations (F, J, 4) and metres missed (F,); arguments as `kernels.live_walk.run_walk`, `swing` what a swing lasts."""
    walk = _Walk(dict(zip(k.BODY_NAMES, body, strict=True)), swing)
    moving = np.flatnonzero(slots >= 0)
    positions, world = forward_kinematics(
        rotations, root, offsets, parents, moving if len(moving) else None, points if len(moving) else None
    )
    out_root, out, missed = root.copy(), rotations.copy(), np.zeros(len(root))
    for f, (there, turned) in enumerate(zip(positions, world, strict=True)):
        sides = []
        for leg, pair, spots in zip(legs[:2], soles, sole_places, strict=True):
            hip, knee, ankle = there[leg]
            heel, ball = (there[j] + rotate(turned[j], at) for j, at in zip(pair, spots, strict=True))
            length = np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee)
            sides.append(SimpleNamespace(hip=hip, knee=knee, ankle=ankle, heel=heel, ball=ball, length=length))
        aside = (sides[1].hip - sides[0].hip)[_FLOOR]
        facing = np.array([aside[1], -aside[0]]) / np.linalg.norm(aside)
        shift, ankles, turns = walk.plan(rests, asked[f], contacts[f], there[legs[2, 0]][_FLOOR], facing, sides)
        out_root[f] += shift
        hips, knees, ends = (np.array([getattr(at, name) for at in sides]) + shift for name in ("hip", "knee", "ankle"))
        axes = np.array([rotate(turned[leg[0]], hinge) for leg, hinge in zip(legs[:2], hinges, strict=True)])
        away = np.linalg.norm(ankles - ends, axis=1) > k.AS_IT_IS
        hip_turns, knee_turns, lacks, _ = leg_twins.bend_legs(hips, knees, ends, ankles, axes, away)
        missed[f] = lacks.max()
        for side, leg in enumerate(legs[:2]):
            chain = np.array([[hip_turns[side]], [knee_turns[side]], [turns[side]]])
            leg_twins.turn_chain(turned[None], parents[leg], leg, chain, np.ones(1, np.bool_), out[f : f + 1])
    return out_root, out, missed
