"""What a result is worth, measured against the clips it was made from. Every method's report, every table and `reenact check` use this.

    measured = measure_result(made.clip, made.plants, [Shown(a, plants_a, frames_a), Shown(b, plants_b, frames_b)], (start, end))
    measured.doubts()

Twelve figures. The hardest push of each joint as a multiple of the same joint's hardest in the sources (`joint_pushes`). The time in which
the body is carried by a foot that slides, or by none. How much the hips hurry, sink or rise, and legs whip (`lurches`). How far planted
feet stand above or below where they stand in the source, and how much more or less they are pitched. How fast feet turn. How far the floor
under the feet is shifted. How far planted points slip. How deep legs run through each other. The share of each source that is played.

What they cannot see: a motion that is smooth, stands still where it should, and is still not what anybody would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np

from reenact.analysis.foot_stance import find_stances, floor_levels, near_floor
from reenact.analysis.leg_gaps import LegPlaces, leg_gaps
from reenact.core.arrays import Int
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import FootPlants
from reenact.solve.feet import Foot, FootTrack, find_feet, track_foot
from reenact.solve.foot_yaw import yaw_snap
from reenact.solve.joint_pushes import around, joint_pushes, usual_pushes
from reenact.solve.lurches import hurry, leg_length, sinks, whips
from reenact.solve.planted_points import planted_rows, stands_otherwise
from reenact.solve.shown import Shown, played_shares
from reenact.solve.support import SLIDING, low_speed, slides, unsupported

LIMITS = {
    "acceleration": (1.2, 1.5, "times"),
    "slides_s": (0.03, 0.1, "s"),
    "unsupported_s": (0.04, 0.12, "s"),
    "hurry_ms": (0.3, 0.6, "m/s"),
    "sinks_mm": (20.0, 40.0, "mm"),
    "whips_ms": (0.6, 1.2, "m/s"),
    "height_mm": (6.0, 12.0, "mm"),
    "floor_mm": (5.0, 10.0, "mm"),
    "pitch_degrees": (3.0, 6.0, "degrees"),
    "yaw_degrees": (10.0, 20.0, "degrees"),
    "slip_mm": (2.0, 4.0, "mm"),
    "legs_mm": (10.0, 25.0, "mm"),
}
"""For each figure what is good, and the worst that goes without a word."""

_LEVEL = 5  # per cent of the frames with the lowest foot, that tell how high it stands
_NEAR_FLOOR = 0.06  # metres above that level within which a foot that stands still may carry the body
_BESIDE = 6  # frames on either side of those that were changed, in which joints are looked at as well
_LEAST_FLOOR = 0.5  # seconds of one source alone that tell the floor


@dataclass(frozen=True, slots=True)
class ResultQuality:
    """What was measured; see `measure_result`.

    Attributes:
        acceleration: hardest push of a joint as a multiple of the same joint's in the sources.
        joint, frame: where that is.
        slides_s: seconds in which the body is carried by a foot that slides, beyond what the sources do.
        unsupported_s: seconds in which no foot is planted or stands still near the floor, though one does in every source that is shown.
        hurry_ms: m/s that the hips go faster over the floor than in any source about the frame that it shows.
        sinks_mm: by how much the hips are lower or higher than in any source about that frame.
        whips_ms: m/s that a knee or an ankle goes faster, seen from the hips, than in any source about that frame.
        height_mm: the most by which a planted point stands higher or lower than in its source, each over its own level.
        pitch_degrees: the most by which a planted foot is pitched otherwise than in its source.
        yaw_degrees: the most by which a foot turns farther over the floor within a tenth of a second than in any source about that frame.
        floor_mm: what the floor under the feet is shifted by.
        slip_mm: the farthest a planted point gets from where it is planted.
        legs_mm: how deep feet or shins run through each other, beyond what they do in the sources.
        played: share of each source that is played, see `played_shares`.
        plants: every planted interval with its slip, height and pitch.
        uneven_mm: by how much the lowest frames of a foot tell another floor than both feet together do. Recordings of one body whose
            feet stand at other heights against each other, or deep in the floor for a time, cannot be set on one floor; they are
            kept as recorded.
    """

    acceleration: float
    joint: str
    frame: int
    slides_s: float = 0.0
    height_mm: float = 0.0
    pitch_degrees: float = 0.0
    floor_mm: float = 0.0
    slip_mm: float = 0.0
    legs_mm: float = 0.0
    played: tuple[float, ...] = ()
    plants: list[dict[str, Any]] = field(default_factory=list)
    uneven_mm: float = 0.0
    unsupported_s: float = 0.0
    hurry_ms: float = 0.0
    yaw_degrees: float = 0.0
    sinks_mm: float = 0.0
    whips_ms: float = 0.0

    @property
    def badness(self) -> float:
        """The worst figure on one scale for all: up to 1 is good, 2 is the worst that goes without a word."""
        return max(badness_of(getattr(self, name), good, limit) for name, (good, limit, _) in LIMITS.items())

    def doubts(self) -> list[str]:
        """What is over its limit, in words; empty for a good result."""
        words = {
            "acceleration": f"{self.joint} is pushed {self.acceleration:.2f} times as hard as in its sources (frame {self.frame})",
            "slides_s": f"the body slides on its feet for {self.slides_s:.3f} s",
            "unsupported_s": f"no foot stands still for {self.unsupported_s:.3f} s in which one does in the sources",
            "hurry_ms": f"the hips go {self.hurry_ms:.2f} m/s faster than in either source",
            "sinks_mm": f"the hips are {self.sinks_mm:.0f} mm lower or higher than they get in any source",
            "whips_ms": f"a leg swings {self.whips_ms:.1f} m/s faster than in any source",
            "height_mm": f"a planted foot stands {self.height_mm:.1f} mm higher or lower than in its source",
            "yaw_degrees": f"a foot turns {self.yaw_degrees:.0f} degrees farther within 0.1 s than in its sources",
            "floor_mm": f"the floor under the feet is shifted by {self.floor_mm:.1f} mm",
            "pitch_degrees": f"a planted foot is pitched {self.pitch_degrees:.1f} degrees otherwise than in its source",
            "slip_mm": f"a planted foot slips by {self.slip_mm:.1f} mm",
            "legs_mm": f"feet or shins run {self.legs_mm:.0f} mm through each other",
        }
        said = [
            f"{words[name]}; the limit is {limit:g} {unit}"
            for name, (_, limit, unit) in LIMITS.items()
            if getattr(self, name) > limit
        ]
        if self.uneven_mm > LIMITS["height_mm"][1]:
            said.append(
                f"the feet of the sources do not stand on one floor: the lowest frames of a foot tell one that is {self.uneven_mm:.0f} mm "
                "higher or lower; they are kept as recorded"
            )
        return said

    def describe(self) -> dict[str, Any]:
        """Plain values for a report."""
        return {
            "acceleration": round(self.acceleration, 3),
            "joint": self.joint,
            "frame": self.frame,
            "slides_s": round(self.slides_s, 3),
            "height_mm": round(self.height_mm, 1),
            "pitch_degrees": round(self.pitch_degrees, 2),
            "yaw_degrees": round(self.yaw_degrees, 1),
            "floor_mm": round(self.floor_mm, 1),
            "slip_mm": round(self.slip_mm, 2),
            "legs_mm": round(self.legs_mm, 1),
            "uneven_mm": round(self.uneven_mm, 1),
            "unsupported_s": round(self.unsupported_s, 3),
            "hurry_ms": round(self.hurry_ms, 3),
            "sinks_mm": round(self.sinks_mm, 1),
            "whips_ms": round(self.whips_ms, 2),
            "played": [round(share, 3) for share in self.played],
        }


def badness_of(value: float, good: float, limit: float) -> float:
    """A figure on the scale of `ResultQuality.badness`."""
    if value <= good:
        return value / good
    return 1.0 + (value - good) / (limit - good) if value <= limit else 2.0 * value / limit


def measure_result(
    result: Clip,
    plants: FootPlants | None,
    sources: Sequence[Shown],
    changed: tuple[int, int] | None = None,
    held: tuple[int, int] | None = None,
    *,
    beyond: bool = False,
) -> ResultQuality:
    """A result against what it was made from.

    Args:
        result: the motion that was made.
        plants: its foot plants, carried from the sources; without them only joints and shares are measured.
        sources: see `Shown`; the first one's feet stand on the floor that counts.
        changed: half-open range of frames that the method touched; None: all.
        held: half-open range of frames in which it holds the feet; None: those it touched.
        beyond: count only what planted points slip beyond what they do in the sources.
    """
    start, end = (0, len(result)) if changed is None else changed
    ratio, joint, frame = worst_push(result, sources, start - _BESIDE, end + _BESIDE)
    played = played_shares(sources)
    name = result.skeleton.names[joint]
    feet = find_feet(result.skeleton, *(s.clip for s in sources if s.clip.skeleton is result.skeleton)) or ()
    theirs = [{foot.side: foot for foot in find_feet(source.clip.skeleton, source.clip)} for source in sources]
    feet = [foot for foot in feet if all(foot.side in own for own in theirs)]
    if plants is None or not feet:
        return ResultQuality(ratio, name, frame, played=played)
    world, worlds = result.world(np.float64), [source.clip.world(np.float64) for source in sources]
    stand_at = [standing_levels(source.clip, list(own.values())) for source, own in zip(sources, theirs, strict=True)]
    floors = [float(np.mean(list(of.values()))) for of in stand_at]
    alone = [_shown_alone(sources, n, (start, end), result.fps) for n in range(len(sources))]
    legs = [[own[foot.side] for foot in feet] for own in theirs]
    sizes = [leg_length(world, feet) / leg_length(of, known) for of, known in zip(worlds, legs, strict=True)]
    others = any(not source.clip.same_body(result) for source in sources)
    bodies = [
        find_stances(source.clip, source.plants) if others and (n == 0 or not source.clip.same_body(result)) else None
        for n, source in enumerate(sources)
    ]
    rows: list[dict[str, Any]] = []
    shifts = np.zeros((len(feet), len(sources)))
    speeds, speeds_of = [], [[] for _ in sources]
    still, still_of = [], [[] for _ in sources]
    lowest: list[dict[str, float]] = [{} for _ in sources]
    snaps: list[float] = []
    for n, foot in enumerate(feet):
        track = track_foot(world, foot)
        tracks = [track_foot(one, own[foot.side]) for one, own in zip(worlds, theirs, strict=True)]
        levels = [_levels(one) for one in tracks]
        stands = [stands_otherwise(of, bodies[0], foot.side) for of in bodies]
        within = held or (start, end)
        rows += planted_rows(foot, track, plants, sources, tracks, floors, within, stands, beyond=beyond)
        snaps.append(yaw_snap(track, tracks, sources, (start, end), result.fps)[0])
        shifts[n] = [
            _floor_shift(track, one, frames, source.frames[frames], floors[0] - floor, of[foot.side])
            if len(frames)
            else np.nan
            for one, source, floor, of, frames in zip(tracks, sources, floors, stand_at, alone, strict=True)
        ]
        speeds.append(low_speed(track, levels[0], result.fps, foot))
        near = low_speed(track, levels[0], result.fps, foot, _NEAR_FLOOR)
        still.append((near < SLIDING) | (False if beyond else plants.foot(foot.side).plant))
        for k, (one, level) in enumerate(zip(tracks, levels, strict=True)):
            lowest[k][foot.side] = level["ball"]
            speeds_of[k].append(low_speed(one, level, result.fps, foot))
            near, known = low_speed(one, level, result.fps, foot, _NEAR_FLOOR), None if beyond else sources[k].plants
            still_of[k].append((near < SLIDING) | (False if known is None else known.foot(foot.side).plant))
    told = ~np.isnan(shifts).any(axis=0)
    floor = np.abs(shifts[:, told].mean(axis=0))
    same = [source.clip.same_body(sources[0].clip) for source in sources]
    return ResultQuality(
        ratio,
        name,
        frame,
        slides(speeds, speeds_of, sources, (start, end), result.fps, found=beyond),
        max((row["height_mm"] for row in rows if row["height_mm"] is not None), default=0.0),
        max((row["pitch_degrees"] for row in rows if row["pitch_degrees"] is not None), default=0.0),
        1000 * float(floor.max(initial=0.0)),
        max((row["slip_mm"] for row in rows), default=0.0),
        _legs_through(world, worlds, feet, theirs, sources, (start, end)),
        played,
        rows,
        1000
        * max(map(_uneven, stand_at[1:], lowest[1:], repeat(stand_at[0]), repeat(lowest[0]), same[1:]), default=0.0),
        unsupported(still, still_of, sources, (start, end), result.fps),
        hurry(result, world, worlds, sources, (start, end)),
        max(snaps),
        1000 * sinks(result, world, worlds, sources, (start, end), floors, sizes, alone),
        whips(result, world, worlds, sources, (start, end), feet, legs, sizes),
    )


def worst_push(result: Clip, sources: Sequence[Shown], start: int, end: int) -> tuple[float, int, int]:
    """(ratio, joint, frame) of the joint that is pushed hardest against itself within frames [start, end).

    A glitch of a source counts where it is played, but does not make room for others.
    """
    low, high = max(start, 0), min(end, len(result))
    here = joint_pushes(result)[low:high]
    if not len(here):
        return 0.0, 0, 0
    allowed = np.tile(usual_pushes([source.clip for source in sources]), (high - low, 1))
    for source in sources:
        pushes = around(joint_pushes(source.clip))
        at = source.frames[low:high]
        shown = at >= 0
        allowed[shown] = np.maximum(allowed[shown], pushes[at[shown]])
    ratios = here / allowed
    frame, joint = np.unravel_index(int(np.argmax(ratios)), ratios.shape)
    return float(ratios[frame, joint]), int(joint), low + int(frame)


def standing_levels(clip: Clip, feet: Sequence[Foot]) -> dict[str, float]:
    """Side -> metres, the height at which the ball of the foot stands."""
    world = clip.world(np.float64)
    return floor_levels({foot.side: track_foot(world, foot).ball for foot in feet}, clip.fps)


def standing_level(clip: Clip, feet: Sequence[Foot]) -> float:
    """Metres, the height at which the balls of the feet stand: the mean of both feet's."""
    return float(np.mean(list(standing_levels(clip, feet).values()) or [0.0]))


def _levels(track: FootTrack) -> dict[str, float]:
    """Metres, the height at which heel and ball stand."""
    return {name: float(np.percentile(getattr(track, name)[:, 1], _LEVEL)) for name in ("heel", "ball")}


def _floor_shift(
    track: FootTrack, of_source: FootTrack, frames: Int, at: Int, higher_floor: float, level: float
) -> float:
    """Metres by which a ball stands higher in frames of the result than in those of the source that they show, each over its floor.

    `level` is the height at which the source's ball stands.
    """
    higher = track.ball[frames, 1] - of_source.ball[at, 1]
    low = near_floor(of_source.ball[at, 1], level)
    return float(np.median(higher[low])) - higher_floor


def _shown_alone(sources: Sequence[Shown], which: int, changed: tuple[int, int], fps: float) -> Int:
    """Frames that show one source and nothing else, as recorded where there are such; none where they are too few to tell a floor."""
    alone = sources[which].frames >= 0
    for n, other in enumerate(sources):
        if n != which:
            alone &= other.frames < 0
    untouched = alone.copy()
    untouched[max(changed[0], 0) : changed[1] + 2] = False
    frames = np.flatnonzero(untouched if changed[1] - changed[0] < len(alone) else alone)
    return frames if len(frames) >= _LEAST_FLOOR * fps else frames[:0]


def _uneven(
    stands: dict[str, float],
    lowest: dict[str, float],
    first: dict[str, float],
    first_lowest: dict[str, float],
    same: bool,
) -> float:
    """Metres by which the lowest frames of a foot disagree about the floor with how a source is set on that of the first.

    Args:
        stands, first: side -> the height at which the ball stands, in this source and in the first.
        lowest, first_lowest: side -> the height that the ball's lowest frames tell.
        same: both have one body, and the source is moved as a whole.
    """
    whole = float(np.mean([first[side] - stands[side] for side in lowest]))
    moved = {side: whole if same else first[side] - stands[side] for side in lowest}
    return max(abs(moved[side] - first_lowest[side] + lowest[side]) for side in lowest)


def _legs_through(
    world: World,
    worlds: Sequence[World],
    feet: Sequence[Foot],
    theirs: Sequence[dict[str, Foot]],
    sources: Sequence[Shown],
    changed: tuple[int, int],
) -> float:
    """Millimetres that one leg is in the other below the knees, beyond the most of any source in the frames shown."""
    if len(feet) < 2:
        return 0.0
    frames = np.arange(max(changed[0], 0), min(changed[1], len(world.positions)))
    own = _depth(world, feet, frames)
    others = [
        _depth(one, [known[foot.side] for foot in feet], at[at >= 0])
        for one, known, at in zip(worlds, theirs, (source.frames[frames] for source in sources), strict=True)
    ]
    return 1000 * max(own - max(others, default=0.0), 0.0)


def _depth(world: World, feet: Sequence[Foot], frames: Int) -> float:
    """Metres that one leg is in the other in any of these frames."""
    if not len(frames):
        return 0.0
    tracks = [track_foot(world, foot) for foot in feet]
    knees = np.stack([world.positions[frames, foot.leg.mid] for foot in feet], axis=1)
    ankles, heels, balls = (
        np.stack([getattr(track, name)[frames] for track in tracks], axis=1) for name in ("ankle", "heel", "ball")
    )
    return max(-float(leg_gaps(LegPlaces(knees, ankles, heels, balls)).min()), 0.0)
