"""The shape of a human body as one smooth field, made of its plan.

Widths in the tables are metres of an adult of 1.78 m and about 75 l; they were modelled for these figures. Clothes are part of the shape:
sleeves and trouser legs stand out a little where they end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reenact.body.body_plan import BodyPlan
from reenact.body.implicit import Capsule, Ellipsoid, Loft, Shape, ball, near, smooth_cut, smooth_union
from reenact.core.arrays import Bool, Float64

# share of the way from the hip joints (0) to the shoulder joints (1): half breadth, depth to the front, to the back
_TRUNK = (
    (-0.13, 0.118, 0.078, 0.088),
    (-0.04, 0.158, 0.098, 0.118),
    (0.05, 0.169, 0.104, 0.122),
    (0.16, 0.163, 0.106, 0.106),
    (0.28, 0.148, 0.105, 0.088),
    (0.40, 0.138, 0.102, 0.082),
    (0.52, 0.142, 0.106, 0.090),
    (0.66, 0.154, 0.117, 0.103),
    (0.80, 0.163, 0.118, 0.110),
    (0.91, 0.152, 0.104, 0.107),
    (1.00, 0.120, 0.080, 0.094),
)
# share of the way (0 hip, 1 knee, 2 ankle): half width outwards, inwards, front, back
_LEG = (
    (0.00, 0.088, 0.080, 0.092, 0.098),
    (0.15, 0.090, 0.086, 0.097, 0.098),
    (0.35, 0.086, 0.085, 0.096, 0.090),
    (0.60, 0.076, 0.074, 0.086, 0.078),
    (0.85, 0.063, 0.062, 0.069, 0.062),
    (1.00, 0.058, 0.058, 0.064, 0.055),
    (1.12, 0.056, 0.056, 0.058, 0.060),
    (1.35, 0.059, 0.057, 0.053, 0.073),
    (1.60, 0.053, 0.050, 0.048, 0.064),
    (1.82, 0.046, 0.043, 0.045, 0.050),
    (1.97, 0.044, 0.042, 0.046, 0.047),
)
# share of the way (0 shoulder, 1 elbow, 2 wrist): half width front, back, outwards (up when spread), inwards
_ARM = (
    (0.00, 0.050, 0.052, 0.050, 0.050),
    (0.15, 0.052, 0.053, 0.055, 0.050),
    (0.40, 0.047, 0.048, 0.048, 0.047),
    (0.70, 0.042, 0.043, 0.041, 0.042),
    (0.95, 0.037, 0.038, 0.035, 0.036),
    (1.10, 0.039, 0.038, 0.036, 0.037),
    (1.30, 0.041, 0.039, 0.036, 0.038),
    (1.60, 0.034, 0.033, 0.029, 0.030),
    (1.88, 0.028, 0.027, 0.022, 0.022),
    (2.00, 0.028, 0.027, 0.020, 0.021),
)
# share of the way from heel to tip: half width inwards, outwards, height of the upper
_SHOE = (
    (0.07, 0.026, 0.027, 0.070),
    (0.20, 0.033, 0.034, 0.078),
    (0.38, 0.034, 0.038, 0.080),
    (0.55, 0.042, 0.045, 0.067),
    (0.72, 0.048, 0.049, 0.053),
    (0.86, 0.043, 0.043, 0.045),
    (0.95, 0.027, 0.027, 0.038),
)
# fingers: place across the palm, length, curl; shares of the hand's half width and of its length
_FINGERS = ((0.60, 0.40, 0.15), (0.20, 0.45, 0.16), (-0.20, 0.42, 0.17), (-0.57, 0.34, 0.18))

_TROUSERS = 0.081  # metres above the floor, where trouser legs end
_SLEEVE = 0.62  # of the upper arm
_SHIRT = 0.10  # share of the way from the hip joints to the shoulder joints at which the shirt ends

_HEM = 0.006  # metres that cloth stands out at its end
_HEM_LENGTH = 0.05


@dataclass(frozen=True, eq=False)
class BodyShape:
    """The field of a body: negative inside. Calling it gives (N,) values at points (N, 3)."""

    plan: BodyPlan

    def __call__(self, points: Float64, /) -> Float64:
        """The whole body with its clothes and hair."""
        left = np.abs(points[:, :1]) * (1.0, 0.0, 0.0) + points * (0.0, 1.0, 1.0)
        trunk = self.trunk(left)
        arm, legs = self.arm(left), self.legs(points)
        unit = self.plan.girths.unit
        found = smooth_union(trunk, legs, 0.045 * unit * self.plan.girths.hips)
        found = smooth_union(found, arm, 0.045 * unit)
        return smooth_union(found, self.head(left), 0.022 * unit)

    def trunk(self, points: Float64) -> Float64:
        """Chest, waist and hips, shoulders and neck; points have x >= 0."""
        unit = self.plan.girths.unit
        loft, yoke, neck, seat, bust = self._trunk
        room = 0.12 * unit * max(1.0, self.plan.girths.mean)
        found = near(loft, points, room)
        found = smooth_union(found, near(seat, points, room), 0.05 * unit * self.plan.girths.hips)
        found = smooth_union(found, near(yoke, points, room), 0.10 * unit)
        if bust is not None:
            found = smooth_union(found, near(bust, points, room), 0.04 * unit)
        found = found - self.plan.girths.hips * self._hem(self.shirt_hem + 0.06 * points[:, 2] - points[:, 1])
        return smooth_union(found, near(neck, points, room), 0.05 * unit)

    def legs(self, points: Float64) -> Float64:
        """Both legs with their shoes."""
        mirrored = points * (-1.0, 1.0, 1.0)
        return smooth_union(self.leg(points), self.leg(mirrored), 0.012 * self.plan.girths.unit)

    def leg(self, points: Float64) -> Float64:
        """The left leg with its shoe."""
        unit = self.plan.girths.unit
        return smooth_union(self.trouser_leg(points), self.shoe(points), 0.006 * unit)

    def trouser_leg(self, points: Float64) -> Float64:
        """The left leg down to the end of the trousers."""
        return near(self._leg, points, 0.12 * self.plan.girths.unit)

    def shoe(self, points: Float64) -> Float64:
        """The left shoe: flat below."""
        unit = self.plan.girths.unit * self.plan.girths.foot
        upper = near(self._shoe, points, 0.12 * unit)
        return smooth_cut(upper, -points[:, 1], 0.004 * unit)

    def arm(self, points: Float64) -> Float64:
        """The left arm with its hand."""
        unit = self.plan.girths.unit
        found = near(self._arm, points, 0.12 * unit)
        past = (points - self.plan.points["upper_arm"]) @ self.plan.arm - self.sleeve
        found = found - self._hem(past)
        return smooth_union(found, self.hand(points), 0.022 * unit)

    @property
    def sleeve(self) -> float:
        """Metres from the shoulder joint to the end of the sleeve."""
        return _SLEEVE * self.plan.lengths.upper_arm

    @cached_property
    def shirt_hem(self) -> float:
        """Height of the lower end of the shirt in the middle of the body."""
        points = self.plan.points
        return float(points["upper_leg"][1] + _SHIRT * (points["upper_arm"] - points["upper_leg"])[1])

    def is_arm(self, points: Float64) -> Bool:
        """(N,) whether points on the left side of the surface belong to the arm beyond the armpit."""
        away = points - self.plan.points["upper_arm"]
        off = np.linalg.norm(away - np.outer(away @ self.plan.arm, self.plan.arm), axis=1)
        wide = 0.075 * self.plan.girths.unit * max(self.plan.girths.upper_arm, self.plan.girths.forearm)
        hand = 0.13 * self.plan.girths.unit * self.plan.girths.hand + 0.3 * self.plan.lengths.hand
        past = away @ self.plan.arm
        beyond = past > 0.85 * (self.plan.lengths.upper_arm + self.plan.lengths.forearm)
        return (past > 0.45 * self.plan.lengths.upper_arm) & (off < np.where(beyond, hand, wide))

    def _hem(self, past: Float64) -> Float64:
        """(N,) metres that cloth stands out, `past` its end in metres (negative before it)."""
        unit = self.plan.girths.unit
        before = np.clip(1 + past / (_HEM_LENGTH * unit), 0.35, 1.0)
        return _HEM * unit * before * (0.5 - 0.5 * np.tanh(past / (0.004 * unit)))

    def hand(self, points: Float64) -> Float64:
        """The left hand."""
        palm, fingers, thumb, heel = self._hand
        unit = self.plan.girths.unit * self.plan.girths.hand
        room = 0.06 * unit
        found = near(palm, points, room)
        grown = None
        for finger in fingers:
            joined = smooth_union(near(finger[0], points, room), near(finger[1], points, room), 0.004 * unit)
            grown = joined if grown is None else smooth_union(grown, joined, 0.007 * unit)
        assert grown is not None
        found = smooth_union(found, grown, 0.012 * unit)
        inner = smooth_union(near(thumb[0], points, room), near(thumb[1], points, room), 0.006 * unit)
        inner = smooth_union(inner, near(heel, points, room), 0.012 * unit)
        return smooth_union(found, inner, 0.016 * unit)

    def head(self, points: Float64) -> Float64:
        """Head, face and hair; points have x >= 0."""
        return smooth_union(self.face(points), self.hair(points), 0.004 * self.head_unit)

    def face(self, points: Float64) -> Float64:
        """Skull, jaw, nose and ears."""
        skull, jaw, nose, ear, brow = self._head
        unit = self.head_unit
        room = 0.08 * unit
        found = smooth_union(near(skull, points, room), near(jaw, points, room), 0.055 * unit)
        found = smooth_union(found, near(brow, points, room), 0.020 * unit)
        found = smooth_union(found, near(nose, points, room), 0.012 * unit)
        return smooth_union(found, near(ear, points, room), 0.008 * unit)

    def hair(self, points: Float64) -> Float64:
        """Hair over the skull, above and behind the hairline; far away where there is none."""
        unit = self.head_unit
        if self.plan.girths.hair == "none":
            return np.full(len(points), 10 * unit)
        cap, fall = self._hair
        room = 0.08 * unit
        found = smooth_cut(near(cap, points, room), self.hairline(points), 0.012 * unit)
        if fall is not None:
            found = smooth_union(found, near(fall, points, room), 0.03 * unit)
        return found

    def hairline(self, points: Float64) -> Float64:
        """Negative behind and above the line where hair grows: over the forehead and the ears, down to the nape."""
        unit = self.head_unit
        _, up, ahead = ((points - self.chin) / unit).T
        brow = 0.62 * (ahead - 0.030) + 0.78 * (0.150 - up)
        return smooth_cut(brow, 0.060 - up, 0.02) * unit

    @property
    def head_unit(self) -> float:
        """Metres that one metre of an adult's head is."""
        return self.plan.lengths.crown / (0.09 * 1.78) * self.plan.girths.head

    @property
    def chin(self) -> Float64:
        """The chin of a head that reaches the crown, however thick it is."""
        points = self.plan.points
        return points["head"] * (0.0, 0.0, 1.0) + points["chin"] * (0.0, 1.0, 0.0)

    @cached_property
    def _trunk(self) -> tuple[Shape, Shape, Shape, Shape, Shape | None]:
        plan, unit, girths = self.plan, self.plan.girths.unit, self.plan.girths
        points = plan.points
        hip, shoulder = points["upper_leg"] * (0, 1, 1), points["upper_arm"] * (0, 1, 1)
        length = float(np.linalg.norm(shoulder - hip))
        along = (shoulder - hip) / length
        breadths = self._breadths()
        thick = unit * np.interp([row[0] for row in _TRUNK], [0.16, 0.34, 0.46, 0.72], girths.trunk)
        rows = []
        for (place, half, front, back), broad, girth in zip(_TRUNK, breadths, thick, strict=True):
            rows.append((place * length, half * girth * broad, half * girth * broad, front * girth, back * girth))
        table = np.array(rows)
        across = np.array([1.0, 0.0, 0.0])
        # the second axis, along x across, points to -Z: front and back change places
        sections = table[:, [1, 2, 4, 3]]
        loft = Loft(hip, along, across, table[:, 0], sections, (0.05 * unit, 0.05 * unit), 2.3)
        seat = ball(
            hip + (0.068 * unit * girths.hips, -0.012 * unit, -0.062 * unit * girths.hips),
            np.array([0.078 * girths.hips, 0.088, 0.068 * girths.hips]) * unit,
        )
        chest = unit * girths.chest
        reach = max(plan.lengths.shoulder_half - 0.02 * unit, 0.02 * unit)
        inner = shoulder + (0.0, 0.012 * unit, -0.006 * unit)
        yoke = Capsule(
            inner + (0.0, 0.010 * unit, 0.0), inner + (reach, -0.022 * unit, 0.0), (0.054 * chest, 0.040 * chest)
        )
        low = points["neck"] + (0.0, -0.02 * unit, 0.004 * unit)
        top = points["head"] + (0.0, 0.02 * unit, -0.002 * unit)
        way = top - low
        tall = float(np.linalg.norm(way))
        thick = unit * girths.neck
        neck = Loft(
            low,
            way / tall,
            across,
            np.array([0.0, 0.5, 1.0]) * tall,
            np.array([[0.070, 0.070, 0.066, 0.062], [0.056, 0.056, 0.060, 0.056], [0.054, 0.054, 0.062, 0.056]])
            * thick,
            (0.03 * unit, 0.02 * unit),
        )
        bust = None
        if girths.bust > 0:
            place = hip + 0.745 * length * along
            size = 0.5 + 0.5 * girths.bust
            bust = Ellipsoid(
                place + np.array([0.072 * chest, 0.0, (0.052 + 0.030 * girths.bust) * chest]),
                np.array([0.062, 0.066, 0.062]) * chest * size,
                np.eye(3),
            )
        return loft, yoke, neck, seat, bust

    def _breadths(self) -> Float64:
        """What the half breadths of the trunk are multiplied with where hips or shoulders are broader than an adult's."""
        unit, lengths = self.plan.girths.unit, self.plan.lengths
        hips = (lengths.hip_half / unit / (0.052 * 1.78)) ** 0.6
        shoulders = (lengths.shoulder_half / unit / (0.1095 * 1.78)) ** 0.75
        places = np.array([row[0] for row in _TRUNK])
        return np.interp(places, [0.05, 0.40, 0.80], [hips, 0.5 * (hips + shoulders), shoulders])

    @cached_property
    def _leg(self) -> Shape:
        plan, unit, girths = self.plan, self.plan.girths.unit, self.plan.girths
        return self._limb(
            _LEG, "upper_leg", plan.leg, np.array([0.0, 0.0, 1.0]), (plan.lengths.thigh, plan.lengths.shank),
            (unit * girths.hips, unit * girths.thigh, unit * girths.shank), (0.068 * unit, 0.012 * unit),
            order=(3, 4, 1, 2),
            end=plan.lengths.thigh + plan.lengths.shank + (plan.lengths.ankle - _TROUSERS * unit) / np.cos(plan.leg_angle),
        )  # fmt: skip

    @cached_property
    def _arm(self) -> Shape:
        plan, unit, girths = self.plan, self.plan.girths.unit, self.plan.girths
        return self._limb(
            _ARM, "upper_arm", plan.arm, np.array([0.0, 0.0, 1.0]), (plan.lengths.upper_arm, plan.lengths.forearm),
            (unit * girths.upper_arm, unit * girths.upper_arm, unit * girths.forearm), (0.046 * unit * girths.upper_arm, 0.02 * unit),
            order=(1, 2, 4, 3),
        )  # fmt: skip

    def _limb(
        self,
        table: tuple[tuple[float, ...], ...],
        role: str,
        along: Float64,
        across: Float64,
        lengths: tuple[float, float],
        widths: tuple[float, float, float],
        caps: tuple[float, float],
        order: tuple[int, ...],
        end: float | None = None,
    ) -> Loft:
        rows = np.array(table)
        shares = rows[:, 0]
        places = np.interp(shares, [0.0, 1.0, 2.0], [0.0, lengths[0], lengths[0] + lengths[1]])
        places[-1] = max(places[-1] if end is None else end, places[-2] + 0.01 * self.plan.girths.unit)
        factor = np.interp(shares, [0.0, 0.35, 0.85, 1.15], [widths[0], widths[1], widths[1], widths[2]])
        return Loft(self.plan.points[role], along, across, places, rows[:, order] * factor[:, None], caps)

    @cached_property
    def _shoe(self) -> Shape:
        plan = self.plan
        thick = plan.girths.unit * plan.girths.foot
        heel, tip = plan.points["heel"], plan.points["toe_tip"]
        length = float(tip[2] - heel[2])
        rows = np.array(_SHOE)
        # heights are those of the ankle as well as of the girth: a high ankle has a high shoe
        tall = 0.5 * thick + 0.5 * plan.lengths.ankle / (0.039 * 1.78)
        across = np.array([1.0, 0.0, 0.0])
        low = 0.03 * thick
        # along +Z the second axis, along x across, is +Y
        up = np.maximum(rows[:, 3] * tall - low, 0.3 * low)
        down = np.full(len(rows), 4.0 * low)  # so that the sides stand upright on the sole
        sections = np.column_stack([rows[:, 2] * thick, rows[:, 1] * thick, up, down])
        start = heel + (0.0, low, 0.0)
        caps = (0.07 * length, 0.05 * length)
        return Loft(start, np.array([0.0, 0.0, 1.0]), across, rows[:, 0] * length, sections, caps, 2.5)

    @cached_property
    def _hand(self) -> tuple[Shape, list[tuple[Shape, Shape]], tuple[Shape, Shape], Shape]:
        plan = self.plan
        thick = plan.girths.unit * plan.girths.hand
        wrist, along, length = plan.points["hand"], plan.arm, plan.lengths.hand
        ahead = np.array([0.0, 0.0, 1.0])
        inside = np.cross(ahead, along) * -1.0  # where the palm looks: down and in
        wide = 0.040 * thick
        places = np.array([-0.02, 0.18, 0.38, 0.52]) * length
        sections = np.array(
            [[0.026, 0.026, 0.017, 0.018], [0.035, 0.033, 0.016, 0.018], [0.040, 0.039, 0.014, 0.016], [0.037, 0.036, 0.011, 0.012]]
        )  # fmt: skip
        palm = Loft(wrist, along, ahead, places, sections * thick, (0.012 * thick, 0.008 * thick), 2.3)
        fingers = []
        for across, long, curl in _FINGERS:
            root = wrist + 0.52 * length * along + across * wide * ahead
            first = root + 0.55 * long * length * (along + 0.5 * curl * inside - 0.04 * across * ahead)
            bent = along + 2.2 * curl * inside - 0.05 * across * ahead
            last = first + 0.45 * long * length * bent / np.linalg.norm(bent)
            radius = (0.0098 if across > -0.5 else 0.0088) * thick
            fingers.append(
                (Capsule(root, first, (radius, 0.94 * radius)), Capsule(first, last, (0.94 * radius, 0.80 * radius)))
            )
        base = wrist + 0.13 * length * along + 0.55 * wide * ahead + 0.004 * thick * inside
        middle = base + length * (0.20 * along + 0.17 * ahead + 0.10 * inside)
        tip = middle + length * (0.19 * along + 0.05 * ahead + 0.05 * inside)
        thumb = (
            Capsule(base, middle, (0.015 * thick, 0.0115 * thick)),
            Capsule(middle, tip, (0.0115 * thick, 0.0088 * thick)),
        )
        heel = Capsule(
            base - 0.2 * wide * ahead, wrist + 0.3 * length * along + 0.1 * wide * ahead + 0.006 * thick * inside,
            (0.016 * thick, 0.013 * thick),
        )  # fmt: skip
        return palm, fingers, thumb, heel

    @cached_property
    def _head(self) -> tuple[Shape, Shape, Shape, Shape, Shape]:
        unit, chin = self.head_unit, self.chin
        skull = ball(chin + np.array([0.0, 0.140, 0.004]) * unit, np.array([0.075, 0.084, 0.095]) * unit)
        jaw = Ellipsoid(
            chin + np.array([0.0, 0.062, 0.030]) * unit,
            np.array([0.055, 0.068, 0.058]) * unit,
            np.eye(3),
        )
        nose = Capsule(
            chin + np.array([0.0, 0.128, 0.091]) * unit,
            chin + np.array([0.0, 0.092, 0.103]) * unit,
            (0.007 * unit, 0.0115 * unit),
        )
        turned = np.array([[0.93, 0.0, -0.36], [0.0, 1.0, 0.0], [0.36, 0.0, 0.93]])
        ear = Ellipsoid(chin + np.array([0.076, 0.112, 0.002]) * unit, np.array([0.011, 0.030, 0.019]) * unit, turned)
        brow = Capsule(
            chin + np.array([0.0, 0.140, 0.088]) * unit, chin + np.array([0.034, 0.140, 0.074]) * unit,
            (0.014 * unit, 0.014 * unit),
        )  # fmt: skip
        return skull, jaw, nose, ear, brow

    @cached_property
    def _hair(self) -> tuple[Shape, Shape | None]:
        unit, chin = self.head_unit, self.chin
        cap = ball(chin + np.array([0.0, 0.140, -0.002]) * unit, np.array([0.083, 0.0913, 0.103]) * unit)
        if self.plan.girths.hair != "long":
            return cap, None
        fall = ball(chin + np.array([0.0, 0.070, -0.062]) * unit, np.array([0.074, 0.105, 0.045]) * unit)
        return cap, fall

    def is_fine(self, points: Float64) -> Bool:
        """(N,) whether details are small at points: at face, hands and the edges of the soles."""
        plan = self.plan
        ahead = np.abs(points[:, 0])
        left = np.column_stack([ahead, points[:, 1], points[:, 2]])
        hands = (left - plan.points["hand"]) @ plan.arm > -0.15 * plan.lengths.hand
        hands &= np.abs(left[:, 1] - plan.points["hand"][1]) < 1.2 * plan.lengths.hand
        hands &= ahead > plan.points["hand"][0] - 0.5 * plan.lengths.hand
        unit = self.head_unit
        face = (points[:, 1] > self.chin[1] - 0.01 * unit) & (points[:, 2] > -0.02 * unit)
        soles = points[:, 1] < 0.018 * self.plan.girths.unit
        face &= unit < 1.35 * self.plan.girths.unit  # a huge face has room for large cells
        return hands | soles | (face & (ahead < 0.12 * unit))
