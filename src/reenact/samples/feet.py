"""The feet over a plan: planted points held exactly, heel-to-toe roll, and the swings between.

While the foot is down it turns about one fixed point: about the heel while the toes are up, about the joint of the toes while the heel
is up (the toes lie flat then). The swing takes over place, velocity and acceleration at lift and hands them over at strike; its shape
in between is the measured one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.samples.gait import gait
from reenact.samples.plan import Stance
from reenact.samples.skeleton import ANKLE_HEIGHT, BALL, BALL_AHEAD, BALL_HEIGHT, HEEL, TOE_TIP

_TOES = np.array([0.0, BALL_HEIGHT - ANKLE_HEIGHT, BALL_AHEAD])  # joint of the toes in the ankle's frame
_ROLL = 2.2  # power with which the pitch leaves the flat foot: velocity and acceleration begin at zero
_FIX = {"walk": 0.6, "run": 0.4}  # share of the swing over which its measured shape is led into the planted foot
_SLAP = 0.8  # how fast the foot already comes down at strike, in strike pitches per time to flat
_LATER = {
    "run": 0.03
}  # share of the swing by which a runner's foot comes later than measured (the ball stops after first touch)
_TOUCHDOWN = {"walk": 0.35, "run": 0.9, "jump": 1.3}  # metres per second at which the foot comes down on the floor
_HIGHER = {"run": 0.05}  # metres, for the same reason: late in the swing the foot is still high
_AIRBORNE = {"walk": 0.07}  # seconds after lift and before strike in which a leg may still be nearly straight
_AIRBORNE_ELSE = 0.035
_CLEAR = 0.012  # metres the sole keeps from the floor in mid-swing


@dataclass(frozen=True, slots=True, eq=False)
class FootMotion:
    """One foot over all frames.

    Attributes:
        ankle: (F, 3) metres.
        yaw: (F,) radians, where the foot points.
        pitch: (F,) radians, toes up positive.
        toe_bend: (F,) radians the toes are bent up against the foot.
        heel, ball: (F,) contacts.
        heel_place, ball_place: (F, 3) planted places; nan while not planted.
        air: (F,) 0 while planted, 1 well within a swing, smooth between.
    """

    ankle: Float
    yaw: Float
    pitch: Float
    toe_bend: Float
    heel: Bool
    ball: Bool
    heel_place: Float
    ball_place: Float
    air: Float

    @property
    def down(self) -> Bool:
        """(F,) any part of the foot is planted."""
        return self.heel | self.ball

    @property
    def rotation(self) -> Float:
        """(F, 4) world rotation of the ankle joint."""
        return foot_rotation(self.yaw, self.pitch)


def foot_rotation(yaw: Float, pitch: Float) -> Float:
    """(F, 4) world rotation of a foot that points along `yaw` with its toes up by `pitch`."""
    return R.multiply(R.about_y(yaw), R.from_axis_angle(np.array([1.0, 0, 0]), -np.asarray(pitch)))


def move_foot(stances: tuple[Stance, ...], times: Float, speed: float) -> FootMotion:
    """The foot of these stances at `times` (F,) seconds; `speed` (m/s) picks the measured swing. Before and after, it stands."""
    frames = len(times)
    state = np.zeros((frames, 6))  # ankle, yaw, pitch, toe bend
    heel, ball = np.zeros(frames, bool), np.zeros(frames, bool)
    heel_place, ball_place = np.full((frames, 3), np.nan), np.full((frames, 3), np.nan)
    air = np.zeros(frames)
    for k, stance in enumerate(stances):
        first = -np.inf if k == 0 else stance.strike
        last = np.inf if k == len(stances) - 1 else stance.lift
        inside = (times >= first) & (times <= last)
        state[inside] = stand(stance, times[inside])
        pitch = state[inside, 4]
        heel[inside], ball[inside] = pitch >= 0, pitch <= 0
        places = planted_points(stance)
        heel_place[inside & heel], ball_place[inside & ball] = places
        if k + 1 < len(stances):
            after = stances[k + 1]
            between = (times > stance.lift) & (times < after.strike)
            state[between] = swing(stance, after, times[between], speed)
            edge = np.minimum(times[between] - stance.lift, after.strike - times[between])
            edge = edge / _AIRBORNE.get(after.style, _AIRBORNE_ELSE)
            air[between] = np.clip(edge, 0, 1) ** 2 * (3 - 2 * np.clip(edge, 0, 1))
    return FootMotion(state[:, :3], state[:, 3], state[:, 4], state[:, 5], heel, ball, heel_place, ball_place, air)


def planted_points(stance: Stance) -> tuple[Float, Float]:
    """World places of heel point and ball point (3,) each while planted, on the floor."""
    centre = np.array([stance.place[0], 0.0, stance.place[1]])
    forward = np.array([np.sin(stance.heading), 0.0, np.cos(stance.heading)])
    return centre + HEEL[2] * forward, centre + BALL_AHEAD * forward


def stand(stance: Stance, times: Float) -> Float:
    """(F, 6) state of the planted foot: it rolls about the heel, rests, rolls about the ball."""
    pitch = np.zeros_like(times)
    landing, leaving = times < stance.flat, times > stance.rise
    if stance.flat > stance.strike:
        done = np.clip((times[landing] - stance.strike) / (stance.flat - stance.strike), 0, 1)
        zero = np.zeros(1)
        pitch[landing] = stance.strike_pitch * hermite(done, zero + 1, zero - _SLAP, zero, zero, zero, zero)[:, 0]
    if stance.lift > stance.rise:
        done = np.clip((times[leaving] - stance.rise) / (stance.lift - stance.rise), 0, 1)
        pitch[leaving] = stance.lift_pitch * done**_ROLL
    return _from_pitch(stance, pitch)


def _from_pitch(stance: Stance, pitch: Float) -> Float:
    heel, ball = planted_points(stance)
    turn = foot_rotation(np.full_like(pitch, stance.heading), pitch)
    about_heel = heel - R.rotate(turn, HEEL)
    about_ball = ball + np.array([0, BALL_HEIGHT, 0]) - R.rotate(turn, _TOES)
    ankle = np.where((pitch >= 0)[:, None], about_heel, about_ball)
    return np.column_stack([ankle, np.full_like(pitch, stance.heading), pitch, np.maximum(-pitch, 0)])


def swing(before: Stance, after: Stance, times: Float, speed: float) -> Float:
    """(F, 6) state of the foot in the air between two stances."""
    if len(times) == 0:
        return np.zeros((0, 6))
    seconds = after.strike - before.lift
    s = (times - before.lift) / seconds
    ends = [_end_state(before, before.lift, -1), _end_state(after, after.strike, 1)]
    turn = after.heading - before.heading
    (p0, v0, a0), (p1, v1, a1) = ends
    p1[3] = p0[3] + turn
    v1[1] -= _TOUCHDOWN.get(after.style, 0.0)
    shape, slopes = np.zeros((len(s), 6)), np.zeros((2, 6))
    if after.style not in _FIX:
        eased = np.zeros((1, 3))
    else:
        eased = gait(after.style).swing_terms(speed)
    k = np.arange(1, len(eased) + 1)
    late = s - _LATER.get(after.style, 0.0) * 4 * s**2 * (1 - s)
    waves, ends_of = np.sin(np.pi * np.outer(late, k)), np.pi * k * np.stack([np.ones(len(k)), (-1.0) ** k])
    for column, amplitude in (
        (0, eased[:, :1] * (p1 - p0)[0]),
        (2, eased[:, :1] * (p1 - p0)[2]),
        (1, eased[:, 1:2]),
        (4, eased[:, 2:3]),
    ):
        shape[:, column] += waves @ amplitude[:, 0]
        slopes[:, column] += ends_of @ amplitude[:, 0]
    straight = p0 + late[:, None] * (p1 - p0)
    if after.style not in _FIX:
        state = hermite(s, p0, v0 * seconds, a0 * seconds**2, p1, v1 * seconds, a1 * seconds**2)
    else:
        way = p1 - p0
        state = straight + shape
        part, fast = _FIX[after.style], 1 + 4 * _LATER.get(after.style, 0.0)
        state += _end_fix(s, part, seconds, v0 - (way + slopes[0]) / seconds, a0)
        state += _end_fix(1 - s, part, seconds, -(v1 - fast * (way + slopes[1]) / seconds), a1)
        state[:, 1] += _HIGHER.get(after.style, 0.0) * 90.0 * s**6 * (1 - s) ** 2
    bump = (4 * s * (1 - s)) ** 3
    state[:, 1] += after.clearance * bump
    state[:, 4] -= after.tuck * bump
    outwards = 1.0 if after.side == "left" else -1.0
    middle = 0.5 * (before.heading + after.heading)
    state[:, 0] += after.wide * outwards * np.cos(middle) * bump
    state[:, 2] -= after.wide * outwards * np.sin(middle) * bump
    state[:, 5] = _relax_toes(s, seconds, ends)
    return clear_floor(s, state)


def _end_fix(s: Float, part: float, seconds: float, velocity: Float, acceleration: Float) -> Float:
    """(F, D) what gives a swing another velocity and acceleration at s = 0 and leaves the rest of it alone."""
    zero, t = np.zeros_like(velocity), part * seconds
    return hermite(np.minimum(s / part, 1), zero, velocity * t, acceleration * t**2, zero, zero, zero)


def _relax_toes(s: Float, seconds: float, ends: list[tuple[Float, Float, Float]]) -> Float:
    """(F,) toes straighten after lift and bend again only for a landing on the ball."""
    (p0, v0, a0), (p1, v1, a1) = ends
    bend = np.zeros(len(s))
    half = 0.5
    early, late = s < half, s >= half
    zero = np.zeros(1)
    t = half * seconds
    bend[early] = hermite(s[early] / half, p0[5:], v0[5:] * t, a0[5:] * t**2, zero, zero, zero)[:, 0]
    bend[late] = hermite((s[late] - half) / half, zero, zero, zero, p1[5:], v1[5:] * t, a1[5:] * t**2)[:, 0]
    return np.maximum(bend, 0)


def _end_state(stance: Stance, when: float, inside: int) -> tuple[Float, Float, Float]:
    """State, velocity and acceleration at an end of the stance, from the roll itself (one-sided differences)."""
    step = 1e-3
    p, q, r, w = stand(stance, when + inside * step * np.arange(4))
    return p, inside * (-11 * p + 18 * q - 9 * r + 2 * w) / (6 * step), (2 * p - 5 * q + 4 * r - w) / step**2


def hermite(s: Float, p0: Float, v0: Float, a0: Float, p1: Float, v1: Float, a1: Float) -> Float:
    """(F, D) quintic over s in 0..1 with values, slopes and second derivatives (D,) at both ends."""
    s = np.asarray(s)[:, None]
    c0, c1, c2 = p0, v0, a0 / 2
    rest = p1 - c0 - c1 - c2
    slope, bow = v1 - c1 - 2 * c2, a1 - 2 * c2
    c3 = 10 * rest - 4 * slope + bow / 2
    c4 = -15 * rest + 7 * slope - bow
    c5 = 6 * rest - 3 * slope + bow / 2
    return c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))


def lowest_point(state: Float) -> Float:
    """(F,) height of the lowest of heel, ball and toe tip for states (F, 6)."""
    pitch, toes = state[:, 4], state[:, 4] + state[:, 5]
    joint = _height(_TOES, pitch)
    ball = joint + np.minimum(_height(BALL, toes), 0)
    return state[:, 1] + np.minimum(np.minimum(_height(HEEL, pitch), ball), joint + _height(TOE_TIP, toes))


def _height(point: Float, pitch: Float) -> Float:
    """(F,) how high a point (3,) of the foot's middle plane comes when the foot is pitched up."""
    return point[1] * np.cos(pitch) + point[2] * np.sin(pitch)


def clear_floor(s: Float, state: Float) -> Float:
    """Raise a swing by a smooth arch until no point of the foot comes below the floor or, in the middle, too near to it."""
    arch = (4 * s * (1 - s)) ** 2
    for _ in range(4):
        missing = _CLEAR * np.minimum(arch * 1.5, 1) - lowest_point(state)
        if not np.any(missing > 1e-5):
            break
        middle = (s > 0.12) & (s < 0.88)
        need = np.max(np.where(middle, missing, 0) / np.maximum(arch, 1e-9)) if middle.any() else 0.0
        state[:, 1] += min(max(need, 0), 0.08) * arch
    low = np.maximum(-lowest_point(state), 0)
    state[:, 1] += low
    return state
