"""What a controller made, as a clip, and what it is worth: ways, reactions, jumps, slips, steps of joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reenact.analysis.foot_points import find_foot_points
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float, Float32
from reenact.core.clip import Clip
from reenact.core.foot_plants import CARRIED, FootContact, FootPlants, intervals_of
from reenact.mobility.controller import Controller
from reenact.mobility.goals import Goal
from reenact.mobility.pose_database import PoseDatabase
from reenact.mobility.pose_player import Shown, usual_speeds

HURRY = 1.5
"""A joint that turns farther in a frame than so many times what it hardly ever (1 in 100) does in the recordings is said to jump."""


@dataclass(slots=True)
class Take:
    """Frames of one character, one after the other.

    Attributes:
        database: poses it moves by.
        poses, stands, blending: one entry for each frame: the pose, x, z, heading, and whether a jump was being smoothed.
    """

    database: PoseDatabase
    poses: list[int] = field(default_factory=list)
    stands: list[tuple[float, float, float]] = field(default_factory=list)
    blending: list[bool] = field(default_factory=list)
    held: list[Bool] = field(default_factory=list)
    _roots: list[Float] = field(default_factory=list)
    _rotations: list[Float32] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.poses)

    def add(self, shown: Shown) -> None:
        """One more frame."""
        self.poses.append(shown.pose)
        self.stands.append((*shown.placement.position, shown.placement.heading))
        self.blending.append(shown.blending)
        self.held.append(shown.contacts.copy())
        self._roots.append(shown.root.copy())
        self._rotations.append(shown.rotations.copy())

    @property
    def contacts(self) -> Bool:
        """(F, 4) points that are planted and held."""
        return np.array(self.held, np.bool_).reshape(-1, 4)

    @property
    def jumps(self) -> np.ndarray:
        """Frames that go on to a pose which is no recorded successor."""
        poses = np.array(self.poses, np.int64)
        ahead = (np.diff(poses) != 1) | self.database.is_first[poses[1:]]
        return 1 + np.flatnonzero(ahead)

    def clip(self, name: str = "performance") -> Clip:
        """All of it as a motion, with its foot plants."""
        clip = Clip(
            self.database.skeleton,
            np.array(self._rotations, np.float32),
            np.array(self._roots).astype(np.float32),
            self.database.fps,
            name,
        )
        return clip.with_plants(self.plants())

    def plants(self) -> FootPlants:
        """Which feet are planted, as in the poses shown; the floor is at height 0."""
        contacts = self.contacts
        feet = [FootContact(contacts[:, n], contacts[:, n + 1]) for n in (0, 2)]
        return FootPlants(feet[0], feet[1], self.database.fps, source=CARRIED)


def perform(
    controller: Controller,
    frames: int,
    *,
    take: Take | None = None,
    until: Callable[[Shown], bool] | None = None,
) -> Take:
    """Let a controller go on for so many frames, or until something holds."""
    take = take or Take(controller.player.database)
    for _ in range(frames):
        shown = controller.step()
        take.add(shown)
        if until is not None and until(shown):
            break
    return take


@dataclass(frozen=True, slots=True)
class Trip:
    """The way to one goal.

    Attributes:
        goal: where to.
        straight: metres from where it began, less the goal's radius.
        way: metres that the body went.
        seconds: that it took.
        reached: within the time given.
        turned: radians that the body turned, the least and the most against where it began.
    """

    goal: Goal
    straight: float
    way: float
    seconds: float
    reached: bool
    turned: tuple[float, float]

    @property
    def ratio(self) -> float:
        """The way by the straight line."""
        return self.way / max(self.straight, 1e-6)


def go_to(controller: Controller, goal: Goal, *, most: float, take: Take | None = None) -> Trip:
    """Send a character to a goal.

    Args:
        controller: of the character.
        goal: where to.
        most: seconds after which it has failed.
        take: gets the frames.
    """
    player = controller.player
    began = player.placement
    straight = max(goal.distance(began) - goal.radius, 0.0)
    controller.aim_at(goal)
    way, turned, place = 0.0, [0.0, 0.0], began
    frames = round(most * player.database.fps)
    done = 0
    reached = goal.is_reached(place)
    while not reached and done < frames:
        shown = controller.step()
        done += 1
        if take is not None:
            take.add(shown)
        (a, b), (x, z) = place.position, shown.placement.position
        way += float(np.hypot(x - a, z - b))
        place = shown.placement
        off = place.heading - began.heading
        turned = [min(turned[0], off), max(turned[1], off)]
        reached = goal.is_reached(place)
    return Trip(goal, straight, way, done / player.database.fps, reached, (turned[0], turned[1]))


def slips(take: Take) -> Float:
    """Metres between the two places of each planted point that lie farthest apart, one for each time it is planted."""
    clip = take.clip()
    points = find_foot_points(clip.skeleton, clip)
    world = clip.world(np.float64)
    contacts = take.contacts
    found: list[float] = []
    for side, first in (("left", 0), ("right", 2)):
        if side not in points.sides:
            continue
        for n, point in enumerate((points.heel[side], points.ball[side])):
            path = (
                world.positions[:, point.joint]
                + R.rotate(world.rotations[:, point.joint], np.asarray(point.place, np.float64))
            )[:, [0, 2]]
            for start, end in intervals_of(contacts[:, first + n]):
                places = path[start:end]
                gaps = np.linalg.norm(places[:, None] - places[None], axis=-1)
                found.append(float(gaps.max()))
    return np.array(found)


def own_steps(take: Take) -> int:
    """How often a foot that is planted in the pose shown could not be held and made a step of its own."""
    lost = take.database.contacts[np.array(take.poses, np.int64)] & ~take.contacts
    return sum(len(intervals_of(lost[:, n] | lost[:, n + 1])) for n in (0, 2))


def recorded_steps(database: PoseDatabase) -> Float:
    """(J,) radians per frame that each joint turns by and hardly ever exceeds in the recordings."""
    return usual_speeds(database) / database.fps


def joint_steps(take: Take, usual: Float) -> Float:
    """(F - 1, J) how far joints turn from frame to frame, as a multiple of what they hardly ever do; joints that never move count 0."""
    rotations = np.array(take._rotations, np.float64)
    turned = R.log(R.multiply(R.conjugate(rotations[:-1]), rotations[1:]))
    moves = usual > 1e-3
    return np.where(moves, np.linalg.norm(turned, axis=-1) / np.where(moves, usual, 1.0), 0.0)


def recorded_poses_hurry(take: Take, usual: Float) -> Bool:
    """(F - 1,) frames whose pose is recorded with a joint that turns farther than `HURRY` times what it hardly ever does."""
    poses = np.array(take.poses[1:], np.int64)
    turned = np.linalg.norm(take.database.turn_rates[poses].astype(np.float64), axis=-1) / take.database.fps
    return np.any((usual > 1e-3) & (turned > HURRY * np.maximum(usual, 1e-9)), axis=1)


def measure_take(take: Take, trips: Sequence[Trip] = ()) -> dict[str, Any]:
    """Figures of a take."""
    seconds = len(take) / take.database.fps
    far = slips(take)
    usual = recorded_steps(take.database)
    steps, recorded = joint_steps(take, usual).max(axis=1), recorded_poses_hurry(take, usual)
    figures: dict[str, Any] = {
        "seconds": seconds,
        "own_steps_per_second": own_steps(take) / max(seconds, 1e-9),
        "jumps_per_second": len(take.jumps) / max(seconds, 1e-9),
        "blending_share": float(np.mean(take.blending)),
        "slip_mm_median": float(np.median(far) * 1e3) if len(far) else 0.0,
        "slip_mm_95": float(np.percentile(far, 95) * 1e3) if len(far) else 0.0,
        "slip_mm_worst": float(far.max() * 1e3) if len(far) else 0.0,
        "joint_step_worst": float(steps[~recorded].max(initial=0.0)),
        "joint_steps_over": int(np.sum((steps > HURRY) & ~recorded)),
        "joint_steps_over_as_recorded": int(np.sum((steps > HURRY) & recorded)),
    }
    if trips:
        reached = [trip for trip in trips if trip.reached]
        figures |= {
            "goals": len(trips),
            "reached": len(reached) / len(trips),
            "path_ratio_median": float(np.median([trip.ratio for trip in reached])) if reached else None,
            "path_ratio_95": float(np.percentile([trip.ratio for trip in reached], 95)) if reached else None,
        }
    return figures
