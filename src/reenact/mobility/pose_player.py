"""A character shown pose after pose of a database: jumps smoothed, planted feet held (mobility A1, A10; the work is
`kernels.pose_playing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reenact import kernels
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float, Float32
from reenact.core.heading import wrap
from reenact.core.parameters import check_ranges, option
from reenact.core.placement import Placement
from reenact.errors import ParameterError
from reenact.kernels.pose_playing import FOOT_MEMORY, HELD, Cast, Motion, Rig, show_poses
from reenact.mobility.pose_database import PoseDatabase
from reenact.solve.feet import find_feet

_SPEED_OF_HEIGHT = 0.3  # metres per second that a body is brought back by after a jump
_BACK = 0.35  # share of the speeds it hardly ever exceeds by which a joint is brought back
_AT_A_TIME = 4096  # poses whose planted points are looked at together


@dataclass(frozen=True, slots=True)
class PlayingParameters:
    """How poses become a motion."""

    blend: Literal["inertial", "one_sided", "none"] = option(
        "inertial",
        "how a jump is smoothed: its difference dies out, or what is shown goes straight to a pose ahead (the thesis' way)",
    )
    blend_time: float = option(0.25, "how long a jump is smoothed", unit="s", low=0.05, high=1.0)
    feet: bool = option(True, "planted feet are held where they came down")

    def __post_init__(self) -> None:
        check_ranges(self)

    def frames(self, fps: float) -> int:
        """Frames of a one-sided blend."""
        return max(round(self.blend_time * fps), 1)


class Shown(NamedTuple):
    """One frame as it is to be seen.

    Attributes:
        root: (3,) metres, in the world.
        rotations: (J, 4) float32, local; the root's in the world.
        contacts: (4,) points that are planted and held: left heel, left ball, right heel, right ball.
        pose: number in the database.
        placement: where the body stands.
        blending: what is shown is not yet the pose itself.
    """

    root: Float
    rotations: Float32
    contacts: Bool
    pose: int
    placement: Placement
    blending: bool


class PosePlayer:
    """One character. The arrays of a `Shown` are written anew by the next step.

    Attributes:
        database: its poses.
        jumps: how often it went on to a pose that was no recorded successor.
    """

    def __init__(
        self,
        database: PoseDatabase,
        pose: int,
        placement: Placement | None = None,
        parameters: PlayingParameters | None = None,
    ) -> None:
        """A character in a pose, at a place.

        Raises:
            ParameterError: no such pose.
        """
        self.database = database
        self.parameters = parameters or PlayingParameters()
        self.jumps = 0
        self._stepped = False
        self._dt = 1.0 / database.fps
        self._stage = stage_of(database)
        self._cast = make_cast(self._stage, 1, straight=self.parameters.blend == "one_sided")
        self._following = np.zeros(1, np.int32)
        self._jumped, self._straight = np.zeros(1, np.bool_), np.zeros(1, np.int32)
        self._roots, self._rotations = np.zeros((1, 3)), np.zeros((1, len(database.skeleton), 4), np.float32)
        self.stand(pose, placement)

    @property
    def pose(self) -> int:
        """The pose it is at."""
        return int(self._cast.poses[0])

    @property
    def placement(self) -> Placement:
        """Where it stands; the heading goes on counting over full turns."""
        x, z, heading = self._cast.places[0]
        return Placement((float(x), float(z)), float(heading))

    @property
    def blending(self) -> bool:
        """What is shown is not the pose itself yet."""
        return bool(self._cast.reaching[0, 0] > 0 or np.any(np.abs(self._cast.offsets[0]) > 2e-3))

    @property
    def reaching(self) -> bool:
        """A one-sided blend is under way."""
        return bool(self._cast.reaching[0, 0] > 0)

    @property
    def bytes(self) -> int:
        """What one character takes of memory, beside the database that all share."""
        return sum(one.nbytes for one in self._cast)

    def stand(self, pose: int, placement: Placement | None = None) -> None:
        """Put it anywhere in any pose, at once; nothing is blended."""
        self._check(pose)
        put_in_pose(self._stage, self._cast, 0, pose, placement or Placement())
        self._roots[0], self._rotations[0] = self._cast.roots[0, 0], self._cast.shown[0, 0]

    def continues(self, pose: int) -> bool:
        """The pose is the recorded successor of the one it is at."""
        return pose == self.pose + 1 and not self.database.is_first[pose]

    def step(self, pose: int, ahead: ArrayLike = ()) -> Shown:
        """The next frame.

        Args:
            pose: to go on to.
            ahead: the poses after it, as far as they are known; a one-sided blend goes to one of them.

        Raises:
            ParameterError: no such pose, or the first of a clip as the end of a jump: nothing says how it is entered.
        """
        self._check(pose)
        jumped = not self.continues(pose)
        if jumped and self.database.is_first[pose]:
            raise ParameterError(f"pose {pose} begins a clip and cannot be jumped to", where="pose")
        self._following[0], self._jumped[0], self._straight[0] = pose, jumped, 0
        if jumped:
            self.jumps += 1
            if self.parameters.blend == "one_sided" and self._cast.reaching[0, 0] == 0:
                self._plan_reach(pose, np.asarray(ahead, dtype=np.int64))
        stiffness = 8.0 / self.parameters.blend_time if self.parameters.blend == "inertial" else 0.0
        show_poses(
            self._stage.motion,
            self._stage.rig,
            self._cast,
            self._following,
            self._jumped,
            self._straight,
            stiffness,
            self.parameters.feet,
            self._dt,
            self._roots,
            self._rotations,
        )
        self._stepped = True
        return self.shown()

    def shown(self) -> Shown:
        """The frame that is shown."""
        return Shown(
            self._roots[0],
            self._rotations[0],
            self._planted(),
            self.pose,
            self.placement,
            self.blending,
        )

    def _planted(self) -> Bool:
        """(4,) points that are planted in the pose and held; without held feet as in the pose."""
        contacts = self._stage.motion.contacts[self.pose].copy()
        if self.parameters.feet and self._stepped:
            for side in range(len(self._stage.rig.legs)):
                contacts[2 * side : 2 * side + 2] &= self._cast.feet[0, side, HELD] == 1
        return contacts

    def interrupt(self) -> int:
        """Break a one-sided blend off: it is now at the pose nearest to what is shown, of those the blend was between (M29)."""
        reaching = self._cast.reaching[0]
        if reaching[0] == 0:
            return self.pose
        first, count = self.pose, int(reaching[0] - reaching[1])
        near = np.unique(np.clip(np.concatenate([np.arange(first, first + count), [reaching[2]]]), 0, None))
        near = near[near < self.database.poses]
        near = near[~self.database.is_first[near]]
        shown = self._cast.shown[0, 0].astype(np.float64)
        shown[0] = R.multiply(R.conjugate(R.about_y(float(self._cast.places[0, 2]))), shown[0])
        gap = R.log(R.multiply(R.conjugate(self.database.rotations[near].astype(np.float64)), shown))
        best = int(near[np.argmin(np.linalg.norm(gap, axis=-1).sum(axis=1))])
        reaching[0] = 0
        self._cast.poses[0] = best
        return best

    def _plan_reach(self, pose: int, ahead: np.ndarray) -> None:
        """The end of a one-sided blend: some frames ahead along the poses that follow."""
        way = np.concatenate([[pose], ahead[: self.parameters.frames(self.database.fps) - 1]]).astype(np.int32)
        place = self._cast.places[0].copy()
        for one in way:
            advance_place(place, self.database.increments[one])
        self._straight[0] = len(way)
        self._cast.reaching[0, 2] = way[-1]
        self._cast.reach_places[0] = place

    def _check(self, pose: int) -> None:
        if not 0 <= pose < self.database.poses:
            raise ParameterError(f"no pose {pose}; the database holds 0 to {self.database.poses - 1}", where="pose")


class Stage(NamedTuple):
    """What all characters of a database share."""

    motion: Motion
    rig: Rig


def stage_of(database: PoseDatabase) -> Stage:
    """The arrays of a database as the kernel wants them; kept with the database."""
    found = _stages.get(id(database))
    if found is None or found[0] is not database:
        if len(_stages) > 8:
            _stages.clear()
        found = _stages[id(database)] = (database, _make_stage(database))
    return found[1]


_stages: dict[int, tuple[PoseDatabase, Stage]] = {}


def _make_stage(database: PoseDatabase) -> Stage:
    skeleton = database.skeleton
    some = database.play(np.arange(database.starts[0], min(database.starts[1], database.starts[0] + 300)))
    feet = find_feet(skeleton, some)
    feet = tuple(sorted(feet, key=lambda foot: foot.side != "left")) if len(feet) == 2 else ()
    points = [(foot.heel, foot.ball) for foot in feet]
    rig = Rig(
        skeleton.parents.astype(np.int32),
        skeleton.offsets.astype(np.float64),
        np.array([[foot.leg.root, foot.leg.mid, foot.leg.end] for foot in feet], np.int32).reshape(-1, 3),
        np.array([[point.joint for point in pair] for pair in points], np.int32).reshape(-1, 2),
        np.array([[point.place for point in pair] for pair in points], np.float64).reshape(-1, 2, 3),
        np.array([foot.hinge for foot in feet], np.float64).reshape(-1, 3),
    )
    heights = np.zeros((database.poses, 4), np.float32)
    for start in range(0, database.poses if feet else 0, _AT_A_TIME):
        span = slice(start, start + _AT_A_TIME)
        places, turned = kernels.kinematics.forward_kinematics(
            np.array(database.rotations[span]), np.array(database.positions[span]), skeleton.offsets, skeleton.parents
        )
        for side, pair in enumerate(points):
            for n, point in enumerate(pair):
                offset = np.asarray(point.place, np.float32)
                heights[span, 2 * side + n] = (places[:, point.joint] + R.rotate(turned[:, point.joint], offset))[:, 1]
    return Stage(
        Motion(
            database.rotations,
            database.positions,
            database.increments,
            database.contacts,
            heights,
            np.concatenate([[_SPEED_OF_HEIGHT], _BACK * usual_speeds(database)]),
        ),
        rig,
    )


def usual_speeds(database: PoseDatabase) -> Float:
    """(J,) radians per second that each joint turns by and hardly ever (1 pose in 100) exceeds; the root in the world."""
    speeds = np.linalg.norm(database.turn_rates[~database.is_first].astype(np.float64), axis=-1)
    return np.percentile(speeds, 99, axis=0)


def make_cast(stage: Stage, count: int, *, straight: bool = False) -> Cast:
    """Memory for so many characters; `straight` where one-sided blends are wanted."""
    joints, sides = stage.motion.rotations.shape[1], len(stage.rig.legs)
    held = joints if straight else 0
    return Cast(
        np.zeros(count, np.int32),
        np.zeros((count, 3)),
        np.zeros((count, 2, joints, 4), np.float32),
        np.zeros((count, 2, 3)),
        np.zeros((count, 1 + joints, 3), np.float32),
        np.zeros((count, 1 + joints, 3), np.float32),
        np.zeros((count, 1 + joints), np.float32),
        np.zeros((count, 3), np.int32),
        np.zeros((count, 3)),
        np.zeros((count, held, 4), np.float32),
        np.zeros((count, 3)),
        np.zeros((count, sides, FOOT_MEMORY)),
        np.zeros(count),
    )


def put_in_pose(stage: Stage, cast: Cast, number: int, pose: int, placement: Placement) -> None:
    """Put one character of a cast into a pose at a placement, as if it had come there by the recording."""
    motion = stage.motion
    before = pose if pose == 0 else pose - 1
    now = np.array([*placement.position, float(wrap(np.array(placement.heading)))])
    for row, (one, place) in enumerate(((pose, now), (before, _step_back(now, motion.increments[pose])))):
        turn = R.about_y(place[2])
        cast.shown[number, row] = motion.rotations[one]
        cast.shown[number, row, 0] = R.multiply(turn, motion.rotations[one, 0].astype(np.float64))
        floor = np.array([place[0], 0.0, place[1]])
        cast.roots[number, row] = floor + R.rotate(turn, motion.positions[one].astype(np.float64))
    cast.poses[number] = pose
    cast.places[number] = now
    cast.reaching[number] = 0
    for array in (cast.offsets, cast.drifts, cast.feet):
        array[number] = 0
    cast.drops[number] = 0.0


def _step_back(place: Float, step: ArrayLike) -> Float:
    """The placement before a step, as an array x, z, heading."""
    dx, dz, turn = np.asarray(step, dtype=np.float64)
    heading = place[2] - turn
    sine, cosine = np.sin(heading), np.cos(heading)
    return np.array([place[0] - cosine * dx - sine * dz, place[1] - cosine * dz + sine * dx, heading])


def advance_place(place: Float, step: ArrayLike) -> None:
    """A placement x, z, heading after a step, in place."""
    dx, dz, turn = np.asarray(step, dtype=np.float64)
    sine, cosine = np.sin(place[2]), np.cos(place[2])
    place[:] = place[0] + cosine * dx + sine * dz, place[1] + cosine * dz - sine * dx, place[2] + turn
