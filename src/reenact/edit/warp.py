"""The operation `warp`: keyed pose edits, time keys, smoothing and bands, each where it was asked for.

Keys are written as text, so that a command line, a form and a script can give them::

    keys   "120 left_upper_arm 0,0,-40; 150 left_upper_arm 0,0,-40; 120 move 0,-0.05,0"
    times  "60=80, 120=130"

A key is a frame, a joint (role or name) and a rotation vector in degrees about the joint's own axes; or `x` and a factor by which its turn
away from its mean pose is multiplied; or `move` and a shift of the root in metres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from reenact.analysis.carried_plants import known_plants
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.edit.displacement import PoseKey, displace, edited_joints
from reenact.edit.filtering import filter_bands, smooth_motion
from reenact.edit.splines import Spline
from reenact.edit.time_warp import warp_time
from reenact.errors import ParameterError
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.holding import hold_track
from reenact.solve.joint_pushes import usual_pushes
from reenact.solve.planted_points import measure_slips
from reenact.solve.stances import HoldParameters
from reenact.solve.steering import FootGoal, steer_feet

_MOST_GAIN = 10.0


@dataclass(frozen=True, slots=True)
class WarpParameters:
    """What is changed, in this order: bands and smoothing, pose keys, time."""

    keys: str = option(
        "",
        'pose edits "FRAME JOINT X,Y,Z" in degrees, "FRAME JOINT xFACTOR" (turned so many times as far), "FRAME move X,Y,Z" in metres, '
        "with ; between",
    )
    start: int | None = option(
        None,
        "last frame before the edits that stays; default: reach before the first key",
        unit="frames",
        moment="start",
    )
    end: int | None = option(
        None, "first frame after the edits that stays; default: reach after the last key", unit="frames", moment="end"
    )
    reach: float = option(0.5, "how far an edit reaches beyond the first and last key", unit="s", above=0, high=60)
    spline: Spline = option(
        "multiresolution", "how edits are spread: multiresolution, cubic, or monotone (no swing beyond keys)"
    )
    times: str = option("", 'moments moved: "OLD=NEW, OLD=NEW" in frames')
    smooth: float = option(0.0, "low-pass over the joints (sigma)", unit="s", low=0, high=60)
    bands: str = option("", "gain of each band of detail, fastest first, with commas between: 0.5,1,1.4")
    joints: str = option("", "joints that smooth and bands work on, with commas between; default: all")
    feet: Literal["free", "hold"] = option(
        "free", "hold: planted feet stay where they were, unless their own leg is edited"
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        read_keys(self.keys)
        read_times(self.times)
        read_gains(self.bands)


def read_gains(text: str) -> list[float]:
    """Gains from text "0.5,1,1.4"."""
    try:
        gains = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise ParameterError(f"bands must be numbers with commas between, not {text!r}", where="bands") from None
    if not all(math.isfinite(gain) and abs(gain) <= _MOST_GAIN for gain in gains):
        raise ParameterError(f"bands must lie in -{_MOST_GAIN:g} to {_MOST_GAIN:g}, not {text!r}", where="bands")
    return gains


def read_keys(text: str) -> list[PoseKey]:
    """Pose keys from text; see the module."""
    keys: dict[int, PoseKey] = {}
    for part in (piece.strip() for piece in text.replace("\n", ";").split(";")):
        if not part or part.startswith("#"):
            continue
        words = part.split(None, 2)
        if len(words) != 3 or not _whole(words[0]):
            raise ParameterError(f"a key is FRAME JOINT X,Y,Z or FRAME JOINT xFACTOR, not {part!r}", where="keys")
        frame, joint = int(words[0]), words[1]
        known = keys.setdefault(frame, PoseKey(frame, {}, None, {}))
        scaled = words[2].lower().startswith("x")
        numbers = _numbers(words[2][1:] if scaled else words[2], part, 1 if scaled else 3)
        if scaled and joint == "move":
            raise ParameterError(f"move takes X,Y,Z in metres, not a factor: {part!r}", where="keys")
        held = known.scales if scaled else known.turns
        if (joint == "move" and known.shift is not None) or joint in held:
            raise ParameterError(f"{joint} has two keys in frame {frame}", where="keys")
        if joint == "move":
            keys[frame] = replace(known, shift=numbers)
        elif scaled:
            keys[frame] = replace(known, scales={**known.scales, joint: numbers[0]})
        else:
            keys[frame] = replace(known, turns={**known.turns, joint: [math.radians(value) for value in numbers]})
    return [keys[frame] for frame in sorted(keys)]


def _numbers(text: str, part: str, count: int) -> list[float]:
    words = text.replace(",", " ").split()
    what = "X,Y,Z must be numbers" if count == 3 else "a factor must be one number after the x"
    try:
        values = [float(word) for word in words]
    except ValueError:
        raise ParameterError(f"{what} in key {part!r}", where="keys") from None
    if len(values) != count:
        raise ParameterError(f"a key is FRAME JOINT X,Y,Z or FRAME JOINT xFACTOR, not {part!r}", where="keys")
    return values


def read_times(text: str) -> list[tuple[float, float]]:
    """Time keys from text "OLD=NEW, OLD=NEW"."""
    pairs = []
    for part in (piece.strip() for piece in text.replace(";", ",").replace("\n", ",").split(",")):
        if not part:
            continue
        old, _, new = part.partition("=")
        try:
            pairs.append((float(old), float(new)))
        except ValueError:
            raise ParameterError(f"a time key is OLD=NEW in frames, not {part!r}", where="times") from None
    return pairs


def warp(clip: Clip, parameters: WarpParameters | None = None, plants: FootPlants | None = None) -> Made:
    """The clip with edits; plants are carried along (moved in time with it).

    Returns:
        clip; plants, None when feet are free and none were given; report with `keys`, `largest_edit_degrees`, `frames_changed`, and
        `slip_mm` where plants are known.
    """
    parameters = parameters or WarpParameters()
    keys, times = read_keys(parameters.keys), read_times(parameters.times)
    if not (keys or times or parameters.smooth or parameters.bands):
        raise ParameterError("nothing to do: give keys, times, smooth or bands", where="keys")
    plants = known_plants(clip, plants, wanted=parameters.feet == "hold")
    result = clip
    joints = [name.strip() for name in parameters.joints.split(",") if name.strip()] or None
    if parameters.bands:
        result = filter_bands(result, read_gains(parameters.bands), joints)
    if parameters.smooth:
        result = smooth_motion(result, parameters.smooth, joints)
    if keys:
        result = displace(
            result, keys, start=parameters.start, end=parameters.end, reach=parameters.reach, spline=parameters.spline
        )
    if parameters.feet == "hold" and plants is not None:
        result = hold_where_they_were(result, clip, plants, edited_joints(clip, keys))
    report = _report(clip, result, keys)
    if times:
        result, shown = warp_time(result, times)
        report["frames_before"], report["frames_after"] = len(clip), len(result)
        if plants is not None:
            plants = plants.picked(np.clip(np.rint(shown).astype(int), 0, len(clip) - 1))
    if plants is not None:
        report["slip_mm"] = max((slip["slip_mm"] for slip in measure_slips(result, plants)), default=0.0)
    return Made(result, report, plants)


def hold_where_they_were(result: Clip, source: Clip, plants: FootPlants, edited: set[int]) -> Clip:
    """An edited clip with planted feet where they are in its source; feet whose own leg was edited are left to the edit.

    Where every frame was edited, recorded plants that skate are pinned where they are on the average. Else feet are as they were in the
    source, skate included, and frames that were not edited are not touched.
    """
    world = source.world(np.float64)
    touched = np.any(result.rotations != source.rotations, axis=(1, 2)) | np.any(result.root != source.root, axis=1)
    goals = []
    for foot in find_feet(source.skeleton, source):
        leg = set(source.skeleton.subtree(foot.leg.root))
        if leg & edited:
            continue
        contact = plants.foot(foot.side)
        track = track_foot(world, foot)
        held = track
        if touched.all():
            pinned = hold_track(
                track, (contact.heel, contact.ball), source.fps, HoldParameters(on_floor="keep"), foot=foot
            )
            held = track.moved(pinned.shift, pinned.turn)
        goals.append(FootGoal(foot, contact.plant | ~touched, held))
    steered = steer_feet(result, goals, usual_pushes([source]), firm=True, reach_only=True).clip
    rotations = np.where(touched[:, None, None], steered.rotations, source.rotations)
    return replace(steered, rotations=rotations, root=np.where(touched[:, None], steered.root, source.root))


def _report(before: Clip, after: Clip, keys: list[PoseKey]) -> dict[str, Any]:
    turned = R.angle_between(before.rotations.astype(np.float64), after.rotations.astype(np.float64))
    moved = np.linalg.norm(after.root.astype(np.float64) - before.root, axis=1)
    changed = np.flatnonzero((turned.max(axis=1) > 1e-6) | (moved > 1e-6))
    return {
        "keys": [key.frame for key in keys],
        "largest_edit_degrees": round(float(np.degrees(turned.max(initial=0.0))), 4),
        "frames_changed": [int(changed[0]), int(changed[-1]) + 1] if len(changed) else [],
    }


def _whole(word: str) -> bool:
    return word.lstrip("+").isdigit()


__all__ = ["WarpParameters", "hold_where_they_were", "read_gains", "read_keys", "read_times", "warp"]
