"""Root motion as people ask for it: a clip in place, root motion on the root joint, a trajectory put back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from reenact.analysis.carried_plants import known_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.root_motion import RootTrajectory, extract, find_trajectory, put_on, take_out
from reenact.errors import ParameterError
from reenact.formats.trajectory_files import is_trajectory, read_trajectory, require_ending, write_trajectory
from reenact.loading import load


@dataclass(frozen=True, slots=True)
class RootParameters:
    """What is done with the way of the body over the floor: one of `in_place`, `extract` and `apply`."""

    in_place: bool = option(
        False, "take the way over the floor out: the clip stays around the origin, its height is kept"
    )
    extract: bool = option(
        False, "put the way over the floor on the root joint; a root is added where the hips are the root"
    )
    apply: Path | None = option(
        None,
        "put a way on a clip in place: a trajectory (.csv, .npz), or a motion file whose way is taken",
        endings=(".csv", ".npz"),
        motion=True,
    )
    turn: Literal["keep", "remove"] | None = option(
        None,
        "whether turning stays in the body or goes with the way; default: keep with in-place, else remove",
    )
    sway: Literal["keep", "remove"] = option(
        "keep", "keep: the sway of the hips stays in the body; remove: the way follows the hips exactly"
    )
    smoothing: float = option(0.4, "width (sigma) of the low-pass that tells way from sway", unit="s", above=0, high=60)
    trajectory: Path | None = option(
        None,
        "file to write the way to, .csv or .npz: frame, time, x, z, heading, speed",
        endings=(".csv", ".npz"),
        written=True,
    )

    def __post_init__(self) -> None:
        for name in ("apply", "trajectory"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, Path(given))
        check_ranges(self)
        asked = [self.in_place, self.extract, self.apply is not None]
        if sum(asked) != 1:
            raise ParameterError("say one of in-place, extract and apply", where="in_place")
        if self.trajectory is not None:
            require_ending(self.trajectory)


def change_root(clip: Clip, parameters: RootParameters, plants: FootPlants | None = None) -> Made:
    """The clip with its way over the floor taken out, put on its root joint, or put on.

    The report has the whole trajectory, so that nothing is lost; foot plants go along, as those of a motion in place where it is one.

    Args:
        clip: with a joint for the hips.
        parameters: what to do.
        plants: known foot plants of the clip.

    Raises:
        SkeletonError: no hips.
        ParameterError: a trajectory of another length.
        FormatError: a trajectory that cannot be read.
    """
    if parameters.apply is not None:
        way = _read_way(parameters.apply, parameters)
        made = put_on(clip, way, clip.plants if plants is None else plants)
        return _told(made, way, "apply", parameters)
    way = _way_of(clip, parameters, parameters.turn or ("keep" if parameters.in_place else "remove"))
    if parameters.in_place:
        timing = (clip.plants if plants is None else plants) or known_plants(clip, None)
        return _told(take_out(clip, way, timing), way, "in place", parameters)
    known = known_plants(clip, plants)
    made = extract(clip, way, 0.0 if known is None else float(known.floor.height))
    return _told(made.with_plants(clip.plants if plants is None else plants), way, "extract", parameters)


def _way_of(clip: Clip, parameters: RootParameters, turn: Literal["keep", "remove"]) -> RootTrajectory:
    return find_trajectory(clip, turn=turn, smoothing=parameters.smoothing if parameters.sway == "keep" else 0.0)


def _read_way(file: Path, parameters: RootParameters) -> RootTrajectory:
    """The trajectory in a file, or the way of the motion in it."""
    if not file.exists():
        raise FileNotFoundError(2, "no such file", str(file))
    if is_trajectory(file):
        return read_trajectory(file)
    return _way_of(load(file), parameters, parameters.turn or "remove")


def _told(clip: Clip, way: RootTrajectory, did: str, parameters: RootParameters) -> Made:
    report: dict[str, Any] = {"did": did, "way": way.describe(), "root": clip.skeleton.names[0]}
    if parameters.trajectory is not None:
        write_trajectory(way, parameters.trajectory)
        report["trajectory_file"] = str(parameters.trajectory)
    digits = {"frame": 0, "time": 6}
    report["trajectory"] = {
        name: [round(float(one), digits.get(name, 7)) for one in values] for name, values in way.columns().items()
    }
    return Made(clip, report)
