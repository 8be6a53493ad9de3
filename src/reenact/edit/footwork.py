"""Feet over a blend: plans the plants, moves the path of the second motion so that they fit, holds the feet there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from reenact.analysis.plants import DETECTORS
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip
from reenact.core.cutting import JoinParameters, concatenate, cut_frames
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.core.heading import wrap
from reenact.core.placement import find_headings
from reenact.core.ramps import rise
from reenact.core.resample import sample_at
from reenact.edit.plant_plan import Contradiction, FootStates, PlanRules, Plant, plan_foot, separate_steps
from reenact.solve.feet import Foot, FootTrack, find_feet, mix_tracks, track_foot
from reenact.solve.joint_pushes import joint_accelerations, usual_pushes
from reenact.solve.pinning import Pin, pin_track
from reenact.solve.steering import FootGoal, steer_feet

_LET_GO = (
    0.0025,
    0.025,
)  # metres and radians a held foot may be off at the end of the window and still glide there unseen
_FADE = 0.35  # seconds after a held plant in which its correction fades, when no plant follows sooner
_MOST_TURN = np.radians(20.0)  # radians the second path is turned at most
_MOST_MOVE = 0.45  # metres the second path is moved forward at most
_MOST_ASIDE = 0.3  # metres it is moved to the side or backward at most
_TOGETHER = 0.12  # seconds a foot has to be planted in both motions at once for the path to be moved for it
_ALIKE = 2e-5  # metres
_INSIDE = 0.15  # seconds from an end of the window at least that a plant begins or ends inside of it
_PUSH = (6.0, 30.0)  # m/s^2 a correction may cost: at least, and at most


@dataclass(frozen=True, slots=True, eq=False)
class Footwork:
    """What the feet do over a blend.

    Attributes:
        states: side -> contacts from the first frame of the window on; longer than the window where a plant is held beyond it.
        plants: side -> the plants, in order.
        residual: metres, what the legs could not reach.
        pelvis: metres the body was moved to keep the feet within reach.
    """

    states: dict[str, FootStates] = field(default_factory=dict)
    plants: dict[str, list[Plant]] = field(default_factory=dict)
    residual: float = 0.0
    pelvis: float = 0.0

    def describe(self, first: int) -> dict[str, Any]:
        """For a report: every plant in frames of the result (`first` is where the window begins), and what it cost."""
        rows = [
            {
                "foot": side,
                "start": first + p.start,
                "end": first + p.end,
                "from": p.source,
                "case": p.case,
                "answer": p.answer,
            }
            for side, plants in self.plants.items()
            for p in plants
        ]
        return {
            "plants": rows,
            "residual_mm": round(1000 * self.residual, 3),
            "pelvis_mm": round(1000 * self.pelvis, 3),
        }


@dataclass(frozen=True, slots=True, eq=False)
class HeldFeet:
    """A blend with held feet.

    Attributes:
        clip: the frames of the window (without its last, which is the second clip's), and those beyond it that differ from the second.
        second: the second clip in its place.
        moved: (3,) what its path was moved by: x, z, heading.
        footwork: what the feet do.
    """

    clip: Clip
    second: Clip
    moved: Float
    footwork: Footwork


@dataclass(frozen=True, slots=True, eq=False)
class _Scene:
    """All that is known about one foot over the window and beyond."""

    foot: Foot
    a: FootStates
    b: FootStates
    track_a: FootTrack
    track_b: FootTrack
    track: FootTrack


def hold_feet(
    *,
    a: Clip,
    frames_a: Float,
    frames_b: Float,
    plants: tuple[FootPlants, FootPlants],
    make: Callable[[Float], tuple[Clip, Clip]],
    contradiction: Contradiction = "auto",
    near: float = 0.06,
    absorb: bool = True,
) -> HeldFeet:
    """A blend whose planted feet stay where they are.

    Args:
        a: the first clip.
        frames_a: (N,) its frames over the window, or (1,) the one in which it is left.
        frames_b: (N,) frames of the second clip over the window.
        plants: contacts of both clips.
        make: what the path of the second clip is moved by (x, z, heading) -> the blend (N frames) and the second clip in its place.
        contradiction: see `plant_plan`.
        near: metres under which two places of a foot are one.
        absorb: move the second path where that brings plants of both together.
    """
    fps, window = a.fps, len(frames_b) - 1
    moved = np.zeros(3)
    base, second = make(moved)
    feet = find_feet(a.skeleton, a, second)
    if not feet:
        return HeldFeet(cut_frames(base, 0, window), second, moved, Footwork())
    push = float(np.clip(0.4 * max(joint_accelerations(clip).max() for clip in (a, second)), *_PUSH))
    rules = PlanRules(window, fps, len(frames_a) == 1, contradiction, near, push)
    shown_a = sample_at(a, frames_a, fps)
    world_a, facing_a = shown_a.world(np.float64), find_headings(shown_a).angles

    margin = round(_INSIDE * fps)

    def scenes(base: Clip, second: Clip) -> list[_Scene]:
        shown_b = sample_at(second, frames_b, fps)
        world, world_b = base.world(np.float64), shown_b.world(np.float64)
        facing = find_headings(base).angles
        turn_b = wrap(facing - find_headings(shown_b).angles)
        turn_a = wrap(facing[: len(facing_a)] - facing_a)
        found = []
        for foot in feet:
            states = (
                _states_a(plants[0], foot.side, frames_a, window),
                _states_b(plants[1], foot.side, frames_b, len(second)),
            )
            own, track_a, track_b = track_foot(world, foot), track_foot(world_a, foot), track_foot(world_b, foot)
            track_b = _bring_inside(track_b, own, states[1], (1, window - margin), turn_b)
            if len(frames_a) > 1:
                track_a = _bring_inside(track_a, own, states[0], (margin, window), turn_a)
            found.append(_Scene(foot, *states, _pad(track_a, window + 1), track_b, own))
        return found

    cast = scenes(base, second)
    if all(_alike(scene.track_a, scene.track_b, scene.track) for scene in cast):
        # both clips do the same: nothing was blended that could slip
        states = {s.foot.side: FootStates(s.a.heel[:window], s.a.ball[:window]) for s in cast}
        return HeldFeet(cut_frames(base, 0, window), second, moved, Footwork(states, {s.foot.side: [] for s in cast}))
    if absorb:
        path = base.root[:, [0, 2]].astype(np.float64)
        moved = _meet(cast, path, second.root[round(frames_b[-1])].astype(np.float64)[[0, 2]], rules)
        for _ in range(2):
            base, second = make(moved)
            cast = scenes(base, second)
            rest = _left_over(cast, rules)
            if rest is None or np.linalg.norm(rest) < 1e-4:
                break
            moved = moved + np.array([rest[0], rest[2], 0.0])
        base, second = make(moved)
        cast = scenes(base, second)
    plans = separate_steps(
        {s.foot.side: plan_foot(s.a, s.b, (s.track_a, s.track_b, s.track), rules) for s in cast}, rules
    )
    targets = {s.foot.side: [(p, *_target(s, p, rules)) for p in plans[s.foot.side]] for s in cast}
    last_b = round(frames_b[-1])
    needed = _needed(targets, plans, cast, rules)
    reach = min(needed, window + len(second) - last_b)
    if reach > window + 1:
        base = _extend(base, second, last_b, reach)
        cast = [_lengthen(s, base, second, last_b, reach, window) for s in cast]
        targets = {s.foot.side: [(p, *_target(s, p, rules)) for p in plans[s.foot.side]] for s in cast}
    goals = [_goal(s, targets[s.foot.side], plans[s.foot.side], rules, beyond=needed > window + 1) for s in cast]
    firm = not any(known.source in (*DETECTORS, "carried") for known in plants)  # given by hand: held as they are
    steered = steer_feet(base, goals, usual_pushes([a, second]), firm=firm)
    held = reach if needed > window + 1 else window
    states = {
        s.foot.side: _carried(s, targets[s.foot.side], planted, window, held)
        for s, planted in zip(cast, steered.planted, strict=True)
    }
    work = Footwork(states, plans, steered.residual, steered.pelvis)
    return HeldFeet(cut_frames(steered.clip, 0, held), second, moved, work)


def _bring_inside(
    track: FootTrack, own: FootTrack, states: FootStates, bounds: tuple[int, int], turn: Float
) -> FootTrack:
    """A source's track with the plants that begin and end within the window brought to where the blend has the foot.

    A plant that reaches out of the window is where the motion outside has it. One inside is held in by nothing but the blend, which goes
    its own way over the floor: it keeps the roll, the heights and the heading against the body that it has in its source.

    Args:
        track: the foot in the source, where that lies.
        own: the foot in the blend.
        states: contacts of the source.
        bounds: frames between which a plant begins and ends inside.
        turn: (N,) radians that the body is turned in the blend against the source.
    """
    parts = {name: getattr(track, name).copy() for name in ("ankle", "foot", "toes", "heel", "ball")}
    for start, end in intervals_of(states.plant):
        if start < bounds[0] or end > bounds[1] or end > len(track):
            continue
        span = slice(start, end)
        yaw = R.about_y(float(turn[(start + end) // 2]))
        middle = 0.5 * (track.heel[span] + track.ball[span])
        there = 0.5 * (own.heel[span] + own.ball[span])
        centre = middle.mean(axis=0) * (1.0, 0.0, 1.0)
        shift = (there.mean(axis=0) - middle.mean(axis=0)) * (1.0, 0.0, 1.0)
        for name in ("ankle", "heel", "ball"):
            parts[name][span] = R.rotate(yaw, parts[name][span] - centre) + centre + shift
        for name in ("foot", "toes"):
            parts[name][span] = R.multiply(yaw, parts[name][span])
    return FootTrack(**parts)


def _alike(*tracks: FootTrack) -> bool:
    first = tracks[0]
    return all(
        np.abs(other.ankle - first.ankle).max() < _ALIKE and np.abs(other.ball - first.ball).max() < _ALIKE
        for other in tracks[1:]
    )


def _states_a(plants: FootPlants, side: str, frames: Float, window: int) -> FootStates:
    contact, at = plants.foot(side), np.rint(frames).astype(int)
    pad = window + 1 - len(at)
    return FootStates(*(np.concatenate([mask[at], np.zeros(pad, bool)]) for mask in (contact.heel, contact.ball)))


def _states_b(plants: FootPlants, side: str, frames: Float, count: int) -> FootStates:
    contact = plants.foot(side)
    at = np.concatenate([np.rint(frames).astype(int), np.arange(round(frames[-1]) + 1, count)])
    return FootStates(contact.heel[at], contact.ball[at])


def _pad(track: FootTrack, count: int) -> FootTrack:
    """The track with its last frame repeated up to `count` frames."""
    if len(track) >= count:
        return track
    at = np.minimum(np.arange(count), len(track) - 1)
    return FootTrack(track.ankle[at], track.foot[at], track.toes[at], track.heel[at], track.ball[at])


def _meet(cast: list[_Scene], path: Float, end: Float, rules: PlanRules) -> Float:
    """(3,) how the second path has to be moved so that feet planted in both motions at once are in one place.

    Tried are the best rigid moves in the plane over heel and ball of each such foot and of both, no farther than a move may be, and no
    move at all; the one that leaves the fewest feet apart wins, and of those the smallest.
    """
    spots = []
    for scene in cast:
        both = intervals_of(scene.a.plant & scene.b.plant[: len(scene.a.plant)])
        if both and (rules.one_sided or max(stop - start for start, stop in both) >= _TOGETHER * rules.fps):
            start, stop = max(both, key=lambda span: span[1] - span[0])
            at = (start + stop) // 2
            there, here = (
                [getattr(t, n)[at][[0, 2]] for n in ("heel", "ball")] for t in (scene.track_a, scene.track_b)
            )
            spots.append((np.array(there), np.array(here), float(stop - start)))
    tried = [np.zeros(3)] + [_rigid_move([spot], path, end) for spot in spots]
    if len(spots) > 1:
        tried.append(_rigid_move(spots, path, end))

    def cost(move: Float) -> float:
        apart = [np.linalg.norm(_moved(here, move, end) - there, axis=1).mean() for there, here, _ in spots]
        return (
            sum(gap if gap <= rules.near else 1.0 for gap in apart)
            + 0.3 * float(np.hypot(*move[:2]))
            + 0.3 * abs(float(move[2]))
        )

    return min(tried, key=cost)


def _rigid_move(spots: list[tuple[Float, Float, float]], path: Float, end: Float) -> Float:
    """(3,) the move x, z, turn about `end` that brings points of the second motion nearest to those of the first, within bounds."""
    there, here = (np.concatenate([spot[n] for spot in spots]) for n in (0, 1))
    weight = np.concatenate([np.full(len(spot[0]), spot[2]) for spot in spots])
    weight /= weight.sum()
    centre_there, centre_here = weight @ there, weight @ here
    p, q = here - centre_here, there - centre_there
    cosine, sine = np.sum(weight[:, None] * p * q), np.sum(weight * (p[:, 1] * q[:, 0] - p[:, 0] * q[:, 1]))
    turn = float(np.clip(np.arctan2(sine, cosine), -_MOST_TURN, _MOST_TURN)) if np.hypot(sine, cosine) > 1e-9 else 0.0
    move = centre_there + _turned(end - centre_here, turn) - end
    return np.array([*_bounded(move, path), turn])


def _moved(points: Float, move: Float, end: Float) -> Float:
    """Points (N, 2) of the second motion after its path was moved."""
    return np.array([_turned(point - end, float(move[2])) for point in points]) + end + move[:2]


def _turned(v: Float, heading: float) -> Float:
    """(x, z) turned about the up axis."""
    sine, cosine = np.sin(heading), np.cos(heading)
    return np.array([cosine * v[0] + sine * v[1], -sine * v[0] + cosine * v[1]])


def _bounded(move: Float, path: Float) -> Float:
    """A move (x, z) of the end of a path, as much of it as does not turn the path back or pull it too far."""
    way = path[-1] - path[0]
    length = float(np.linalg.norm(way))
    if length < 0.1:
        size = float(np.linalg.norm(move))
        return move * min(1.0, _MOST_ASIDE / size) if size > 0 else move
    ahead = way / length
    side = np.array([-ahead[1], ahead[0]])
    along, aside = float(move @ ahead), float(move @ side)
    if along < 0:
        speed = np.diff(path, axis=0) @ ahead
        share = np.diff(rise(np.arange(len(path)) / (len(path) - 1)))
        free = np.maximum(speed, 0.0)[share > 1e-4] / share[share > 1e-4]
        along = -min(-along, 0.9 * float(free.min(initial=0.0)), _MOST_ASIDE)
    return min(along, _MOST_MOVE) * ahead + float(np.clip(aside, -_MOST_ASIDE, _MOST_ASIDE)) * side


def _left_over(cast: list[_Scene], rules: PlanRules) -> Float | None:
    """(3,) metres by which plants that go on in the second motion still miss it at the end of the window, on the average."""
    found = []
    for scene in cast:
        for plant in plan_foot(scene.a, scene.b, (scene.track_a, scene.track_b, scene.track), rules):
            if plant.source == "both" and plant.answer == "hold":
                pin, _, _ = _target(scene, plant, rules)
                found.append(pin.shift[min(plant.end, rules.window + 1) - 1 - max(plant.start, 0)])
    return np.mean(found, axis=0) if found else None


def _target(scene: _Scene, plant: Plant, rules: PlanRules) -> tuple[Pin, FootTrack, FootStates]:
    """How a planted foot is kept still: the pin, the track it is applied to, the contacts; for frames of the plant that are at hand."""
    start, known = max(plant.start, 0), len(scene.track)
    if plant.source == "a":
        span = slice(start, min(plant.end, known))
        states = FootStates(scene.a.heel[span], scene.a.ball[span])
        track = scene.track_a[span]
        how = {"moving": plant.start <= 0, "loose": plant.start > 0}
        return pin_track(track, states.heel, states.ball, rules.fps, **how), track, states
    if plant.source == "b":
        span = slice(start, min(plant.end, rules.window + 1))
        states = FootStates(scene.b.heel[span], scene.b.ball[span])
        track = scene.track_b[span]
        past = plant.end > rules.window
        how = {"from_end": True, "moving": past, "loose": not past}
        return pin_track(track, states.heel, states.ball, rules.fps, **how), track, states
    span = slice(start, min(plant.end, known))
    low, high = plant.swap
    share = rise((np.arange(known) - low) / max(high - low, 1), "linear" if plant.answer == "slip" else "smooth")[span]
    pad_a = _pad(scene.track_a, known)[span]
    track = mix_tracks(pad_a, scene.track_b[span], share)
    late = share >= 0.5
    first = _held_on(scene.a, known)
    states = _filled(
        np.where(late, scene.b.heel[span], first.heel[span]), np.where(late, scene.b.ball[span], first.ball[span])
    )
    if plant.answer == "slip":
        none = Pin(np.zeros((len(track), 3)), R.identity(len(track)))
        return none, track, states
    return pin_track(track, states.heel, states.ball, rules.fps, moving=plant.start <= 0), track, states


def _held_on(states: FootStates, count: int) -> FootStates:
    """Contacts up to `count` frames; where they end before, nothing is planted."""
    heel, ball = np.zeros(count, bool), np.zeros(count, bool)
    n = min(count, len(states.heel))
    heel[:n], ball[:n] = states.heel[:n], states.ball[:n]
    return FootStates(heel, ball)


def _filled(heel: Bool, ball: Bool) -> FootStates:
    """Contacts in which frames without any take those of the frame before; the first has both when it has none."""
    some = heel | ball
    if len(some) and not some[0]:
        heel, ball, some = heel.copy(), ball.copy(), some.copy()
        heel[0] = ball[0] = some[0] = True
    last = np.maximum.accumulate(np.where(some, np.arange(len(some)), 0))
    return FootStates(heel[last], ball[last])


_Targets = dict[str, list[tuple[Plant, Pin, FootTrack, FootStates]]]


def _needed(targets: _Targets, plans: dict[str, list[Plant]], cast: list[_Scene], rules: PlanRules) -> int:
    """Frames from the start of the window that have to be worked on: beyond it only where a plant is held there."""
    needed = rules.window + 1
    for scene in cast:
        for plant, pin, _, _ in targets[scene.foot.side]:
            soon = plant.end > rules.window - round(_INSIDE * rules.fps)
            if plant.source == "both" and plant.answer == "hold" and soon and not _lets_go(pin):
                later = [s for s, _ in intervals_of(scene.b.plant) if s > plant.end]
                fade = plant.end + round(_FADE * rules.fps)
                needed = max(needed, min([fade, *later]))
    return needed


def _lets_go(pin: Pin) -> bool:
    turn = float(np.linalg.norm(R.log(pin.turn[-1])))
    return pin.last_offset <= _LET_GO[0] and turn <= _LET_GO[1]


def _extend(base: Clip, second: Clip, last_b: int, reach: int) -> Clip:
    """The blend and the frames of the second clip that follow, `reach` in all."""
    after = cut_frames(second, last_b + 1, last_b + 1 + reach - len(base))
    return concatenate([base, after], JoinParameters(place="keep")) if len(after) else base


def _lengthen(scene: _Scene, base: Clip, second: Clip, last_b: int, reach: int, window: int) -> _Scene:
    after = track_foot(cut_frames(second, last_b + 1, last_b + reach - window).world(np.float64), scene.foot)

    def join(track: FootTrack) -> FootTrack:
        parts = ("ankle", "foot", "toes", "heel", "ball")
        return FootTrack(*(np.concatenate([getattr(track, p)[: window + 1], getattr(after, p)]) for p in parts))

    own = track_foot(base.world(np.float64), scene.foot)
    return _Scene(scene.foot, scene.a, scene.b, scene.track_a, join(scene.track_b), own)


def _goal(
    scene: _Scene,
    targets: list[tuple[Plant, Pin, FootTrack, FootStates]],
    plan: list[Plant],
    rules: PlanRules,
    *,
    beyond: bool,
) -> FootGoal:
    own = scene.track
    planted = np.zeros(len(own), bool)
    parts = {name: getattr(own, name).copy() for name in ("ankle", "foot", "toes", "heel", "ball")}
    for plant, pin, track, _ in targets:
        start = max(plant.start, 0)
        shift = pin.shift
        end = start + len(track)
        if plant.source == "both" and plant.answer == "hold" and end > rules.window:
            held = beyond and not _lets_go(
                Pin(pin.shift[: rules.window + 1 - start], pin.turn[: rules.window + 1 - start])
            )
            if not held:
                end = min(end, rules.window + 1)
                share = np.arange(end - start) / max(end - 1 - start, 1)
                shift = shift[: end - start] - share[:, None] * shift[end - 1 - start]
                turn = R.slerp(
                    pin.turn[: end - start],
                    R.multiply(pin.turn[: end - start], R.conjugate(pin.turn[end - 1 - start])),
                    share,
                )
                pin, track = Pin(shift, turn), track[: end - start]
        done = track.moved(pin.shift[: end - start], pin.turn[: end - start])
        for name, values in parts.items():
            values[start:end] = getattr(done, name)
        planted[start:end] = True
    lifts = []
    for before, after in pairwise(plan):
        if after.answer == "step" and after.start > before.end:
            way = float(np.linalg.norm(parts["ankle"][min(after.start, len(own) - 1)] - parts["ankle"][before.end - 1]))
            lifts.append((before.end, after.start, float(np.clip(0.03 + 0.12 * way, 0.03, 0.1))))
    # a blend of two feet over the floor can lie below it; it need not lie lower than the lower of both does anywhere
    floor = min(
        float(points[:, 1].min()) for track in (scene.track_a, scene.track_b) for points in (track.heel, track.ball)
    )
    return FootGoal(scene.foot, planted, FootTrack(**parts), tuple(lifts), floor)


def _carried(
    scene: _Scene, targets: list[tuple[Plant, Pin, FootTrack, FootStates]], planted: Bool, window: int, count: int
) -> FootStates:
    """Contacts over the window: those of the plan; beyond it those of the second clip."""
    heel, ball = np.zeros(count, bool), np.zeros(count, bool)
    heel[window:], ball[window:] = scene.b.heel[window:count], scene.b.ball[window:count]
    for plant, _, track, states in targets:
        start = max(plant.start, 0)
        end = min(start + len(track), count)
        kept = planted[start:end] | (np.arange(start, end) > window)
        heel[start:end] = states.heel[: end - start] & kept
        ball[start:end] = states.ball[: end - start] & kept
    return FootStates(heel, ball)
