"""Root motion: the way of a body over the floor apart from how it moves on that way.

A trajectory is a frame on the floor, x and z and a heading, for every frame of a clip. Taken out, it leaves the clip in place: around the
origin and, where turning is taken out as well, facing +Z. Put on the root joint, it is what game engines call root motion. Put on a clip in
place, it makes it go again.

By default a trajectory is smooth: it is the way of the hips and their heading through a low-pass, so that the sway of the gait stays in the
body. `core.placement` has the same thing for every single step of the hips (`factor_root`), which jumps between clips need.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float, frozen
from reenact.core.clip import Clip
from reenact.core.foot_plants import CARRIED, IN_PLACE, FootPlants
from reenact.core.heading import find_headings
from reenact.core.rooting import add_root, put_root
from reenact.core.smoothing import smooth
from reenact.errors import ParameterError

Turn = Literal["keep", "remove"]

_UP = (0.0, 1.0, 0.0)
_LEAST_SPAN = 1.5  # frames by which a trajectory may be longer or shorter than a clip


@dataclass(frozen=True, slots=True, eq=False)
class RootTrajectory:
    """A way over the floor.

    Attributes:
        places: (F, 2) float64 metres, x and z.
        headings: (F,) float64 radians, continuous; all 0 where turning belongs to the body.
        fps: frames per second.
    """

    places: Float
    headings: Float
    fps: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", frozen(self.places, np.float64, (None, 2), "places"))
        object.__setattr__(self, "headings", frozen(self.headings, np.float64, (len(self.places),), "headings"))
        if not (np.isfinite(self.places).all() and np.isfinite(self.headings).all()):
            raise ParameterError("a trajectory holds values that are no numbers", where="trajectory")
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise ParameterError(f"a trajectory's fps must be a positive number, not {self.fps}", where="trajectory")

    def __len__(self) -> int:
        return len(self.places)

    @property
    def speeds(self) -> Float:
        """(F,) metres per second along the way."""
        if len(self) < 2:
            return np.zeros(len(self))
        return np.linalg.norm(np.gradient(self.places, axis=0), axis=1) * self.fps

    def columns(self) -> dict[str, Any]:
        """Frame, time, x, z, heading and speed, (F,) each: what files and reports hold of it."""
        at = np.arange(len(self))
        return {
            "frame": at,
            "time": at / self.fps,
            "x": self.places[:, 0],
            "z": self.places[:, 1],
            "heading": self.headings,
            "speed": self.speeds,
        }

    def describe(self) -> dict[str, float]:
        """Metres from start to end and along the way, degrees turned, mean speed."""
        path = float(np.linalg.norm(np.diff(self.places, axis=0), axis=1).sum())
        apart = float(np.linalg.norm(self.places[-1] - self.places[0])) if len(self) else 0.0
        turned = float(np.degrees(self.headings[-1] - self.headings[0])) if len(self) else 0.0
        seconds = (len(self) - 1) / self.fps
        told = {"distance_m": apart, "path_m": path, "turned_degrees": turned}
        return {name: round(value, 4) for name, value in told.items()} | {
            "speed": round(path / seconds, 4) if seconds > 0 else 0.0
        }


def find_trajectory(clip: Clip, *, turn: Turn = "remove", smoothing: float = 0.4) -> RootTrajectory:
    """The way of a clip's body over the floor.

    Args:
        clip: with a joint for the hips.
        turn: "remove": the trajectory turns with the body; "keep": its heading is 0 all the time, and turning is left to the body.
        smoothing: seconds (sigma), low-pass over the way of the hips and over their heading; 0 follows them exactly.

    Raises:
        SkeletonError: the skeleton has no hips.
        ParameterError: places or rotations that are no numbers.
    """
    (hips,) = clip.skeleton.require_roles("hips")
    floor = clip.world(np.float64).positions[:, hips][:, [0, 2]]
    if not (np.isfinite(floor).all() and np.isfinite(clip.rotations).all()):
        raise ParameterError("the clip holds values that are no numbers", where=clip.name)
    headings = find_headings(clip).angles if turn == "remove" else np.zeros(len(clip))
    sigma = smoothing * clip.fps
    return RootTrajectory(smooth(floor, sigma), smooth(headings, sigma), clip.fps)


def take_out(clip: Clip, trajectory: RootTrajectory, plants: FootPlants | None = None) -> Clip:
    """The clip in place: every frame seen from the trajectory's. Heights stay.

    A root joint above the hips stands still from then on. The plants still say when feet touch, and that those feet slide (`IN_PLACE`).
    """
    _same_length(clip, trajectory)
    if _has_own_root(clip):
        clip = extract(clip, trajectory)
    made = _seen_from(clip, trajectory)
    return made if plants is None else made.with_plants(replace(plants, source=IN_PLACE))


def extract(clip: Clip, trajectory: RootTrajectory, height: float = 0.0) -> Clip:
    """The clip with its root joint on the trajectory; all other joints stay where they are in the world.

    A skeleton whose root is the hips gets a joint above them, at `height` metres; a root above the hips keeps the height it begins at,
    and how it is tilted in the rest pose.
    """
    _same_length(clip, trajectory)
    plants = clip.plants
    if not _has_own_root(clip):
        clip = add_root(clip)
    elif len(clip):
        height = float(clip.root[0, 1])
    tilt, _ = R.swing_twist(clip.skeleton.rest[0], np.array(_UP))
    places = np.insert(trajectory.places, 1, height, axis=1)
    return put_root(clip, places, R.multiply(R.about_y(trajectory.headings), tilt)).with_plants(plants)


def put_on(clip: Clip, trajectory: RootTrajectory, plants: FootPlants | None = None) -> Clip:
    """A clip in place (around the origin, facing +Z) on its way again: the inverse of `take_out`.

    Args:
        clip: in place.
        trajectory: as long as the clip; of another rate it is read between its frames.
        plants: of the clip; with the way that was taken out feet stand again.

    Raises:
        ParameterError: a trajectory that is longer or shorter.
    """
    way = fit_trajectory(trajectory, clip)
    turn = R.about_y(way.headings)
    rotations = clip.rotations.copy()
    rotations[:, 0] = R.normalize(R.multiply(turn, clip.rotations[:, 0].astype(np.float64)))
    root = R.rotate(turn, clip.root.astype(np.float64)) + np.insert(way.places, 1, 0.0, axis=1)
    made = replace(clip, rotations=rotations, root=root.astype(np.float32))
    return made if plants is None else made.with_plants(replace(plants, source=CARRIED))


def fit_trajectory(trajectory: RootTrajectory, clip: Clip) -> RootTrajectory:
    """The trajectory with the frames of a clip that lasts as long.

    Raises:
        ParameterError: one of them is longer.
    """
    if len(trajectory) == len(clip) and abs(trajectory.fps - clip.fps) < 1e-6 * clip.fps:
        return trajectory
    spans = [(len(one) - 1) / one.fps for one in (trajectory, clip)]
    if not len(trajectory) or not len(clip) or abs(spans[0] - spans[1]) * clip.fps > _LEAST_SPAN:
        raise ParameterError(
            f"the trajectory has {len(trajectory)} frames at {trajectory.fps:g} Hz ({spans[0]:.2f} s), the clip {len(clip)} at "
            f"{clip.fps:g} Hz ({spans[1]:.2f} s): cut or resample one of them",
            where="trajectory",
        )
    own, wanted = np.arange(len(trajectory)) / trajectory.fps, clip.times
    x, z, heading = (
        np.interp(wanted, own, one) for one in (*trajectory.places.T, np.unwrap(np.asarray(trajectory.headings)))
    )
    return RootTrajectory(np.column_stack([x, z]), heading, clip.fps)


def _seen_from(clip: Clip, trajectory: RootTrajectory) -> Clip:
    back = R.about_y(-np.asarray(trajectory.headings))
    rotations = clip.rotations.copy()
    rotations[:, 0] = R.normalize(R.multiply(back, clip.rotations[:, 0].astype(np.float64)))
    root: Float = R.rotate(back, clip.root.astype(np.float64) - np.insert(trajectory.places, 1, 0.0, axis=1))
    return replace(clip, rotations=rotations, root=root.astype(np.float32))


def _has_own_root(clip: Clip) -> bool:
    """Whether the root joint is not the hips."""
    return clip.skeleton.roles.get("hips", 0) != 0


def _same_length(clip: Clip, trajectory: RootTrajectory) -> None:
    if len(clip) != len(trajectory):
        raise ParameterError(f"the trajectory has {len(trajectory)} frames, the clip {len(clip)}", where=clip.name)
