"""What came of a walk that was reshaped, measured on the result itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.core.arrays import Float
from reenact.core.foot_plants import FootPlants
from reenact.solve.feet import FootTrack
from reenact.solve.joint_pushes import around, joint_pushes
from reenact.solve.planted_points import measure_slips
from reenact.solve.result_quality import LIMITS
from reenact.walk.clearance import lowest, room_over
from reenact.walk.footprints import track_feet
from reenact.walk.grounds import Ground
from reenact.walk.knee_calming import needed_pushes
from reenact.walk.landing import land_on_ball, land_plants
from reenact.walk.leg_limits import LegLimits, measure_legs
from reenact.walk.lifting import is_step
from reenact.walk.replanting import Replanted
from reenact.walk.step_plan import WalkPlan
from reenact.walk.tilted_plants import carried_plants
from reenact.walk.walk_study import WalkStudy, knee_pushes

_KNEE = 1.5  # times what a knee does in the recording
_SOLE = 0.01  # metres that a planted sole may be from the ground
_SLIP = 2.0  # millimetres that a planted point may slip
_ASKED = 0.02  # share by which steps and lifts may come out otherwise than asked
_BESIDE = 0.04  # seconds beside a footprint in which a foot may be as deep as it stands there
_MISSED = 0.004  # metres that an ankle may be from where its foot should stand


@dataclass(frozen=True, slots=True, eq=False)
class WalkFigures:
    """Measured figures.

    Attributes:
        steps: (N - 1,) metres from each footprint to the next along the way, as they came out.
        planned: (N - 1,) metres, as they were planned.
        lift: metres, the mean lift of all steps; `lift_wanted` what was asked for.
        level: the ground is the floor; elsewhere feet are lifted as it asks for.
        slip_mm: the farthest a planted point slips.
        sole_mm: the farthest a planted point is from where the ground is, counted from where it stood on the floor.
        through_mm: how deep a swinging foot runs into the ground.
        knee: the hardest bend of a knee, in multiples of the recording's, or of what a lift over uneven ground needs at least.
        acceleration: the hardest push of a joint, likewise; `joint` and `frame` say where.
        missed_mm: the most by which an ankle does not reach its place.
        legs: what legs would have to do that legs cannot.
        plants: those of the result.
    """

    steps: Float
    planned: Float
    lift: float
    lift_wanted: float
    level: bool
    slip_mm: float
    sole_mm: float
    through_mm: float
    knee: float
    acceleration: float
    joint: str
    frame: int
    missed_mm: float
    legs: LegLimits
    plants: FootPlants

    def describe(self) -> dict[str, Any]:
        """Plain values for a report."""
        return {
            "steps_m": [round(float(one), 3) for one in self.steps],
            "planned_m": [round(float(one), 3) for one in self.planned],
            "step_m": round(float(np.mean(self.steps)), 4),
            "lift_m": round(self.lift, 4),
            "lift_wanted_m": round(self.lift_wanted, 4),
            "slip_mm": round(self.slip_mm, 2),
            "sole_mm": round(self.sole_mm, 1),
            "through_mm": round(self.through_mm, 1),
            "knee_acceleration": round(self.knee, 3),
            "acceleration": round(self.acceleration, 3),
            "joint": self.joint,
            "frame": self.frame,
            "missed_mm": round(self.missed_mm, 1),
            "knee_folded_degrees": round(float(np.degrees(self.legs.folded)), 1),
            "knee_backward_degrees": round(float(np.degrees(self.legs.backward)), 2),
        }

    @property
    def step_error(self) -> float:
        """The most by which a step comes out otherwise than planned, in mean steps."""
        return float(np.max(np.abs(self.steps - self.planned), initial=0.0) / max(np.mean(np.abs(self.planned)), 1e-6))

    @property
    def lift_error(self) -> float:
        """Share by which feet are lifted more or less than asked."""
        return abs(self.lift / max(self.lift_wanted, 1e-6) - 1.0) if self.lift_wanted > 0 else 0.0

    def doubts(self) -> list[str]:
        """What is over its limit, in words."""
        said = []
        if self.knee > _KNEE:
            said.append(
                f"a knee is bent {self.knee:.2f} times as hard as in the recording; the limit is {_KNEE:g} times"
            )
        if self.acceleration > LIMITS["acceleration"][1]:
            said.append(
                f"{self.joint} is pushed {self.acceleration:.2f} times as hard as in the recording (frame {self.frame}); the limit is "
                f"{LIMITS['acceleration'][1]:g} times"
            )
        if self.slip_mm > _SLIP:
            said.append(f"a planted foot slips by {self.slip_mm:.1f} mm; the limit is {_SLIP:g} mm")
        if self.sole_mm > 1000 * _SOLE:
            said.append(f"a planted sole is {self.sole_mm:.0f} mm above or below the ground")
        if self.through_mm > 1000 * _SOLE:
            said.append(f"a foot in the air runs {self.through_mm:.0f} mm through the ground")
        if self.missed_mm > 1000 * _MISSED:
            said.append(f"the legs are too short for the steps: an ankle stays {self.missed_mm:.0f} mm from its place")
        if self.step_error > _ASKED:
            said.append(f"steps come out up to {100 * self.step_error:.0f} % of a step longer or shorter than asked")
        if self.level and self.lift_error > _ASKED:
            said.append(
                f"feet are lifted {self.lift:.3f} m on the average where {self.lift_wanted:.3f} m was asked for"
                + (": no lower than heels are when the toes leave the floor" if self.lift > self.lift_wanted else "")
            )
        return [*said, *self.legs.doubts()]


def measure_walk(study: WalkStudy, plan: WalkPlan, made: Replanted) -> WalkFigures:
    """What came of a plan."""
    world = made.clip.world(np.float64)
    tracks, plants = track_feet(world, study.feet), land_plants(study, plan, carried_plants(study, plan))
    pushes = joint_pushes(made.clip, world) / np.maximum(study.usual, around(joint_pushes(study.clip)))
    frame, joint = np.unravel_index(int(np.argmax(pushes)), pushes.shape)
    lifts, wanted = _lifts(study, plan, tracks)
    missed = [
        float(np.max(np.where(plants.foot(foot.side).plant, miss, 0.0), initial=0.0))
        for foot, miss in zip(study.feet, made.placed.missed, strict=True)
    ]
    return WalkFigures(
        _steps(study, plan, tracks),
        np.diff([one.along for one in plan.prints]),
        lifts,
        wanted,
        type(plan.ground) is Ground,
        max((slip["slip_mm"] for slip in measure_slips(made.clip, plants)), default=0.0),
        1000 * _sole_error(study, plan, tracks, plants),
        1000 * _through(study, plan, tracks),
        float(
            (knee_pushes(study.feet, made.clip) / np.maximum(study.knees, needed_pushes(study, plan, made.clip))).max()
        ),
        float(pushes[frame, joint]),
        study.clip.skeleton.names[joint],
        int(frame),
        1000 * max(missed, default=0.0),
        measure_legs(study, world),
        plants,
    )


def _steps(study: WalkStudy, plan: WalkPlan, tracks: dict[str, FootTrack]) -> Float:
    """(N - 1,) metres along the way, by where the balls of the feet stand."""
    along = []
    for one in plan.prints:
        contact, old = study.plants.foot(one.old.side), one.old
        down = np.flatnonzero(contact.ball[old.start : old.end]) + old.start
        down = down if len(down) else np.arange(old.start, old.end)
        off = tracks[old.side].ball[down].mean(axis=0) - one.place
        direction = np.interp(old.middle, np.arange(len(plan.directions)), plan.directions)
        along.append(one.along + off[0] * np.sin(direction) + off[2] * np.cos(direction))
    return np.diff(along)


def _lifts(study: WalkStudy, plan: WalkPlan, tracks: dict[str, FootTrack]) -> tuple[float, float]:
    """Mean lift over the ground of all steps, and what was asked for."""
    found, wanted = [], []
    for swing, factor in zip(study.swings, plan.lifts, strict=True):
        if not is_step(study, swing):
            continue
        one, two = plan.prints[swing.before], plan.prints[swing.after]
        ends = [rest + p.place[1] - p.old.place[1] for rest, p in zip(swing.rest, (one, two), strict=True)]
        frames = np.arange(one.old.middle, two.old.start)
        level = np.interp(frames, [swing.start, swing.end], ends)
        found.append(float(np.max(tracks[one.old.side].ankle[frames, 1] - level)))
        wanted.append(factor * swing.lift)
    return (float(np.mean(found)), float(np.mean(wanted))) if found else (0.0, 0.0)


def _sole_error(study: WalkStudy, plan: WalkPlan, tracks: dict[str, FootTrack], plants: FootPlants) -> float:
    """Metres, the most by which a planted point is nearer to or farther from the ground than it was to the floor."""
    worst, old_tracks = 0.0, {side: land_on_ball(study, plan, side) for side in study.tracks}
    for one in plan.prints:
        side, frames = one.old.side, np.arange(one.old.start, one.old.end)
        contact = plants.foot(side)
        normal = _normal(one.tilt)
        for name, mask in (("heel", contact.heel), ("ball", contact.ball)):
            down = frames[mask[frames]]
            if not len(down):
                continue
            new, old = (getattr(of[side], name)[down] for of in (tracks, old_tracks))
            error = (new - one.place) @ normal - (old - one.old.place)[:, 1]
            worst = max(worst, float(np.abs(np.median(error))))
    return worst


def _normal(tilt: Float) -> Float:
    from reenact.core.rotations import rotate

    return rotate(tilt, np.array([0.0, 1.0, 0.0]))


def _through(study: WalkStudy, plan: WalkPlan, tracks: dict[str, FootTrack]) -> float:
    """Metres by which swinging feet are deeper in the ground than they were in the floor, or than they stand there just before or after."""
    if plan.ground.is_even:
        return 0.0
    worst, beside = 0.0, round(_BESIDE * study.clip.fps)
    for swing in study.swings:
        side, frames = study.prints[swing.before].side, np.arange(swing.start, swing.end)
        if len(frames) < 3:
            continue
        floors = [study.prints[n].place[1] for n in (swing.before, swing.after)]
        own = np.interp(frames, [swing.start, swing.end], floors) - lowest(study.tracks[side], frames)
        room = room_over(study, plan, tracks[side], swing, beside=1)
        own[:beside] = np.maximum(own[:beside], -room[0])
        own[-beside:] = np.maximum(own[-beside:], -room[-1])
        worst = max(worst, float(np.max(-room[1:-1] - np.maximum(own, 0.0))))
    return worst
