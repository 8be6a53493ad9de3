"""A motion carried onto new footprints: planted feet move with their footprints, swings lead from one to the next, the body follows.

Every footprint is moved as a rigid thing (shifted, turned, tilted), so a foot rolls on its new place as it did on the old one. Between
two footprints what the foot is moved by goes over from one to the other without a jump in velocity or acceleration. The body is
moved along its way likewise, sinks for longer steps, and is then brought to where the legs reach their feet by the engine that holds feet
everywhere (`solve.placing`): the smallest smooth move that spares the knees. Joints above the hips keep their rotations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.fading import fade_between
from reenact.solve.feet import Foot, FootTrack, track_foot
from reenact.solve.holding import FootHold
from reenact.solve.joint_pushes import around, joint_pushes
from reenact.solve.placing import Placed, place_feet
from reenact.solve.stances import GRAIN
from reenact.walk.clearance import clear_ground
from reenact.walk.knee_calming import calm_knees, needed_pushes
from reenact.walk.landing import land_on_ball, landing_depth, where_legs_work
from reenact.walk.lifting import is_step, lift_foot
from reenact.walk.step_over import SHORT, calm_progress, step_over, swing_times
from reenact.walk.step_plan import PlannedPrint, WalkPlan, is_level_between, turned
from reenact.walk.tilted_plants import over_the_map
from reenact.walk.travel_path import to_the_left, unit
from reenact.walk.walk_model import model_height
from reenact.walk.walk_study import Swing, WalkStudy, foot_length, knee_pushes

_FAR = 1000.0  # seconds: a correction goes over from one footprint to the next, however long that takes
_OTHER = (
    0.3,
    0.3,
)  # of the way: changes up to the first go by time, by as much as the second more by where the foot is
_EASE = 0.35  # seconds beside the first and the last footprint in which the foot goes over to the body's pace
_MOST_MOVE = 0.3  # metres the body is moved to where its legs reach
_CALM_BODY, _CALM_A_LITTLE = (
    0.03,
    0.01,
)  # seconds, widths of the low-pass over that move: a leg near its full length jolts it
_STEADY = 0.01  # seconds, width of the low-pass over the body itself: a pelvis that trembles jolts a knee that is bent more than it was
# metres over the ground that weigh as much as 0.1 radians of a knee, width of the first low-pass, metres lower where legs work (negative:
# higher, as people rise to step over something), width of the second: in the order in which they are tried; the first is nearly always good
_TRIES = (
    (0.02, 0.0, 0.0, 0.0),
    (0.02, _CALM_BODY, 0.0, 0.0),
    (0.02, 0.0, 0.02, 0.0),
    (0.02, _CALM_BODY, 0.02, 0.0),
    (0.02, 0.0, 0.04, 0.0),
    (0.02, _CALM_A_LITTLE, 0.04, 0.0),
    (0.02, 0.0, -0.05, 0.0),
    (0.02, 0.0, -0.08, 0.0),
    (0.02, 0.0, -0.12, 0.0),
    (0.02, 0.0, 0.0, _STEADY),
    (0.02, 0.0, 0.02, _STEADY),
    (None, 0.0, 0.0, 0.0),
    (None, 0.0, 0.02, 0.0),
    (0.007, 0.0, 0.0, 0.0),
    (0.007, 0.0, 0.02, 0.0),
    (0.007, 0.0, 0.04, 0.0),
    (0.007, 0.0, -0.05, 0.0),
    (0.007, 0.0, 0.02, _STEADY),
)
_UNEVEN, _SLOPING = (
    0.33,
    0.7,
)  # weight of how hard joints are pushed beside knees where feet have to go higher than they did
_GOOD = 1.3
_KNEE, _POPS = 1.45, 5.0  # bend of a knee from which it pops, and how much more that counts than other strain
_CALM_ROUNDS = 2


@dataclass(frozen=True, slots=True, eq=False)
class Replanted:
    """A motion on new footprints.

    Attributes:
        clip: the motion.
        placed: what was done to body and legs.
        tracks: side -> where the foot was to be.
        strain: the hardest push of a leg's joint or bend of a knee, as a multiple of the same one's in the recording.
        knee: the hardest bend of a knee alone, likewise.
    """

    clip: Clip
    placed: Placed
    tracks: dict[str, FootTrack]
    strain: float
    knee: float

    @property
    def cost(self) -> float:
        """What is least of the one that is taken: knees that pop are seen before anything else."""
        return self.strain + _POPS * max(self.knee - _KNEE, 0.0)


def replant(
    study: WalkStudy,
    plan: WalkPlan,
    *,
    height: Float | None = None,
    lean: Float | None = None,
    forward: Float | None = None,
    follow_model: bool = False,
) -> Replanted:
    """The motion of a study on the footprints of a plan.

    Args:
        study: the motion.
        plan: where it goes.
        height: (F,) metres that the body is raised by beyond the ground's rise; default: the model of `walk_model`.
        lean: (F,) radians that the body leans to the left about its way; default: as recorded.
        forward: (F,) radians that it bends forward over its hips; default: as recorded.
        follow_model: the body stays where ground and model put it, whatever the legs do, as in the thesis.
    """
    height = model_height(study, plan) if height is None else height
    moved = move_body_along(study, plan, height, lean, forward)
    level = {foot.side: lead_foot(study, plan, foot) for foot in study.feet}
    lifted = {
        side: clear_ground(study, plan, side, lift_foot(study, plan, side, track)) for side, track in level.items()
    }
    if follow_model:
        return _carry(study, plan, moved, level, lifted, _Carriage(None), 0.0)
    deep = landing_depth(study, plan)
    worked = where_legs_work(study, plan, level, lifted)
    best: Replanted | None = None
    for free, calm, lower, steady in _TRIES:
        if ((calm or lower) and not worked.any()) or (lower < 0.0 and plan.ground.is_even):
            continue
        if (
            steady and best is not None and best.knee <= _KNEE
        ):  # arms and trunk ride on the pelvis: it is left alone if it can be
            continue
        body = steadied(moved, steady * study.clip.fps) if steady else moved
        made = _carry(study, plan, body, level, lifted, _Carriage(free, calm, deep + lower * worked), _MOST_MOVE)
        if made.strain > _GOOD:
            made = _calm(study, plan, made)
        if best is None or made.cost < best.cost:
            best = made
        if best.strain <= _GOOD:
            break
    assert best is not None
    return best


@dataclass(frozen=True, slots=True, eq=False)
class _Carriage:
    """How a body is carried over its feet.

    Attributes:
        free: how freely it is moved over the ground, see `solve.body_moves.move_body`.
        calm: seconds, width of the low-pass over what it is moved by.
        lower: (F,) metres that it is carried lower, or higher where negative, where its knees give.
    """

    free: float | None
    calm: float = 0.0
    lower: Float | None = None


def _carry(
    study: WalkStudy,
    plan: WalkPlan,
    moved: Clip,
    level: dict[str, FootTrack],
    lifted: dict[str, FootTrack],
    how: _Carriage,
    most: float,
) -> Replanted:
    """The body brought over its footprints, then its feet lifted: a foot lifted higher does not move the body.

    Args:
        study, plan: what is carried, and where.
        moved: the motion on its way.
        level, lifted: side -> where the foot shall be, and where when it is lifted over what is there.
        how: see there.
        most: metres that the body may be moved.
    """
    placed = _place(study, moved, level, most=most, over_ground=how.free)
    shift = np.zeros((len(moved), 3))
    if how.calm > 0:
        shift = smooth(placed.root_shift, how.calm * study.clip.fps) - placed.root_shift
    if how.lower is not None:
        shift[:, 1] -= how.lower
    if shift.any() or any(lifted[side] is not level[side] for side in level):
        placed = _place(study, _shifted(placed.clip, shift), lifted, most=most, over_ground=how.free, reach_only=True)
    return Replanted(placed.clip, placed, lifted, *_strain(study, plan, placed))


def _shifted(clip: Clip, shift: Float) -> Clip:
    """The clip with its body moved by (F, 3) metres."""
    return replace(clip, root=(clip.root + shift).astype(np.float32))


def _calm(study: WalkStudy, plan: WalkPlan, made: Replanted) -> Replanted:
    """The same with the knees of swinging legs calmed, where that makes it better."""
    for _ in range(_CALM_ROUNDS):
        allowed = _GOOD * np.maximum(study.knees, needed_pushes(study, plan, made.clip))
        before = float((knee_pushes(study.feet, made.clip) / allowed).max())
        if before <= 1.0:
            break
        tracks = calm_knees(study, plan, made.clip, made.tracks, allowed)
        if all(tracks[side] is track for side, track in made.tracks.items()):
            break
        placed = _place(study, made.placed.clip, tracks, most=_MOST_MOVE, over_ground=None, reach_only=True)
        calmed = Replanted(placed.clip, placed, tracks, *_strain(study, plan, placed))
        eased = float((knee_pushes(study.feet, calmed.clip) / allowed).max()) < before
        if not eased or (calmed.strain > max(made.strain, _GOOD) and calmed.cost >= made.cost):
            break
        made = calmed
    return made


def _place(
    study: WalkStudy,
    clip: Clip,
    tracks: dict[str, FootTrack],
    *,
    most: float,
    over_ground: float | None,
    reach_only: bool = False,
) -> Placed:
    """A body whose legs are brought to where its feet shall be."""
    world, holds = clip.world(np.float64), []
    for foot in study.feet:
        now, track = track_foot(world, foot), tracks[foot.side]
        shift, turn = track.ankle - now.ankle, R.multiply(track.foot, R.conjugate(now.foot))
        planted, toes = study.plants.foot(foot.side).plant, None
        if foot.toes >= 0 and not np.allclose(track.toes, R.multiply(turn, now.toes), atol=1e-6):
            toes = R.multiply(track.toes, R.conjugate(now.toes))
        holds.append(FootHold(foot, shift, turn, planted, np.ones(len(planted), np.bool_), (), now, toes))
    return place_feet(clip, world, holds, most=most, usual=study.usual, reach_only=reach_only, over_ground=over_ground)


def _strain(study: WalkStudy, plan: WalkPlan, placed: Placed) -> tuple[float, float]:
    """How hard knees, ankles and hips are pushed against the same joint of the recording, and how hard knees alone are bent.

    Feet that are missed by 2 mm count 1.5.
    """
    joints = [joint for foot in study.feet for joint in (foot.leg.root, foot.leg.mid, foot.leg.end)]
    pushes = joint_pushes(placed.clip, None, joints)
    allowed = np.maximum(study.usual[joints], around(joint_pushes(study.clip, None, joints)))
    missed = [
        float(np.max(np.where(study.plants.foot(foot.side).plant, miss, 0.0), initial=0.0))
        for foot, miss in zip(study.feet, placed.missed, strict=True)
    ]
    bent = knee_pushes(study.feet, placed.clip) / np.maximum(study.knees, needed_pushes(study, plan, placed.clip))
    share = (_SLOPING if plan.rise.any() else 1.0) if plan.ground.is_even else _UNEVEN
    knee = float(bent.max())
    return max(share * float((pushes / allowed).max()), knee, 750.0 * max(missed)), knee


def steadied(clip: Clip, width: float) -> Clip:
    """The clip with the way and the turns of its root low-passed, `width` frames wide; its ends stay."""
    turns = R.make_continuous(clip.rotations[:, 0].astype(np.float64))
    ends = np.minimum(np.arange(len(clip)), np.arange(len(clip))[::-1]) / (4.0 * width)
    inside = rise(ends)[:, None]
    turns = R.normalize(turns + inside * (smooth(turns, width) - turns))
    root = clip.root + inside * (smooth(clip.root.astype(np.float64), width) - clip.root)
    rotations = clip.rotations.copy()
    rotations[:, 0] = turns
    return replace(clip, root=root.astype(np.float32), rotations=rotations)


def move_body_along(
    study: WalkStudy, plan: WalkPlan, height: Float, lean: Float | None = None, forward: Float | None = None
) -> Clip:
    """The motion with its body on the new way; the legs are carried along as they are."""
    base = study.base
    old = np.column_stack([study.path.points[:, 0], np.zeros(len(base)), study.path.points[:, 1]])
    new = np.column_stack([plan.points[:, 0], plan.rise + height, plan.points[:, 1]])
    turns = R.about_y(plan.turns)
    if lean is not None and np.any(lean != 0.0):
        direction = study.path.directions + plan.turns
        axis = np.stack([np.sin(direction), np.zeros(len(base)), np.cos(direction)], axis=1)
        turns = R.multiply(R.exp(-axis * lean[:, None]), turns)
        hips = study.world.positions[:, base.skeleton.roles.get("hips", 0), 1]
        new[:, [0, 2]] -= (hips * np.sin(lean))[:, None] * to_the_left(unit(direction))  # the hips stay on the way
    root = R.rotate(turns, base.root.astype(np.float64) - old) + new
    if forward is not None and np.any(forward != 0.0):
        to_the_side = study.path.directions + plan.turns + 0.5 * np.pi
        axis = np.stack([np.sin(to_the_side), np.zeros(len(base)), np.cos(to_the_side)], axis=1)
        turns = R.multiply(R.exp(axis * forward[:, None]), turns)
    rotations = base.rotations.copy()
    if np.any(turns[:, 1:] != 0.0):
        rotations[:, 0] = R.normalize(R.multiply(turns, base.rotations[:, 0].astype(np.float64)))
    return replace(base, root=root.astype(np.float32), rotations=rotations)


def lead_foot(study: WalkStudy, plan: WalkPlan, foot: Foot) -> FootTrack:
    """Where a foot shall be in every frame, before it is lifted."""
    own, side = land_on_ball(study, plan, foot.side), foot.side
    mine = {n: one for n, one in enumerate(plan.prints) if one.old.side == side}
    shift, yaw = _with_the_body(study, plan, own)  # beside the first and last footprint
    tilt = np.zeros((len(own), 3))
    rest = np.zeros((len(own), 3))  # what standing feet are moved by beyond their footprint: they roll on tilted ground
    known = np.zeros(len(own), np.bool_)
    for one in mine.values():
        frames = slice(one.old.start, one.old.end)
        level = _turned_with(one, own.ankle[frames])
        shift[frames], yaw[frames], tilt[frames] = level - own.ankle[frames], one.turn, R.log(one.tilt)
        rest[frames] = R.rotate(one.tilt, level - one.place) + one.place - level + over_the_map(study, one)
        known[frames] = True
    _leave_the_body(own, list(mine.values()), shift, yaw, tilt, study.clip.fps)
    for swing in study.swings:
        if swing.before not in mine:
            continue
        one, two = mine[swing.before], mine[swing.after]
        frames = slice(swing.start, swing.end)
        if not is_step(study, swing) or is_level_between(plan, swing.before, swing.after, foot_length(study)):
            done = swing_progress(study, swing, _ratio(one, two))[:, None]
            shift[frames] = _step_across(own.ankle[frames], one, two, done)
        else:
            shift[frames] = step_over(study, plan, swing, own)
            done = rise(swing_times(swing))[:, None]
        yaw[frames] = one.turn + done[:, 0] * (two.turn - one.turn)
        tilt[frames] = tilt[swing.start - 1] + done * (tilt[swing.end] - tilt[swing.start - 1])
    if rest.any():
        shift = shift + fade_between(rest, known, _FAR, study.clip.fps, GRAIN)
    return own.moved(shift, R.multiply(R.exp(tilt), R.about_y(yaw)))


def _ratio(one: PlannedPrint, two: PlannedPrint) -> float:
    """How much longer the way from one footprint to the next is than it was."""
    old, new = (
        float(np.linalg.norm((b - a)[[0, 2]])) for a, b in ((one.old.place, two.old.place), (one.place, two.place))
    )
    return new / max(old, 1e-6)


def _step_across(places: Float, one: PlannedPrint, two: PlannedPrint, done: Float) -> Float:
    """(N, 3) metres that a swinging foot at `places` is moved by: its way turns from the direction of one footprint to that of the next.

    `done` (N, 1) goes from 0 to 1. Where neither footprint is turned it is shifted as the first one, and more and more as the second.
    """
    old, new = (a + done * (b - a) for a, b in ((one.old.place, two.old.place), (one.place, two.place)))
    turns = R.about_y(one.turn + done[:, 0] * (two.turn - one.turn))
    return R.rotate(turns, places - old) + new - places


def swing_progress(study: WalkStudy, swing: Swing, ratio: float) -> Float:
    """(N,) 0..1, how far a swinging foot has come on its way from one footprint to the next.

    By time where the way hardly changes. On a way that is much shorter or longer by where the foot was on its own way, told by points
    that stand still when it leaves and when it comes down: a foot that hurried ahead at toe-off would get there too soon.

    Args:
        study: the motion.
        swing: of which foot.
        ratio: how much longer its way is than it was.
    """
    by_time = rise(swing_times(swing))
    length = float(np.linalg.norm((study.prints[swing.after].place - study.prints[swing.before].place)[[0, 2]]))
    sure = float(rise((length - SHORT[0]) / (SHORT[1] - SHORT[0])) * rise((abs(ratio - 1.0) - _OTHER[0]) / _OTHER[1]))
    if sure <= 0.0:
        return by_time
    calm = calm_progress(study, swing)
    return np.clip(sure * calm + (1.0 - sure) * by_time, -0.05, 1.05)


def _with_the_body(study: WalkStudy, plan: WalkPlan, own: FootTrack) -> tuple[Float, Float]:
    """(F, 3) metres that a foot is moved by and (F,) radians that it is turned by about the vertical if it goes along with the body.

    Its place before or behind the body is stretched as the steps are.
    """
    direction = study.path.directions
    forward = np.stack([np.sin(direction), np.cos(direction)], axis=1)
    away = own.ankle[:, [0, 2]] - study.path.points
    old = np.array([one.old.along for one in plan.prints])
    new = np.array([one.along for one in plan.prints])
    scale = (new[-1] - new[0]) / max(old[-1] - old[0], 1e-6) if abs(old[-1] - old[0]) > 0.1 else 1.0
    away = away + ((scale - 1.0) * np.einsum("fi,fi->f", away, forward))[:, None] * forward
    shift = np.zeros((len(own), 3))
    shift[:, [0, 2]] = plan.below + turned(away, plan.turns) - own.ankle[:, [0, 2]]
    shift[:, 1] = plan.rise
    return shift, plan.turns.copy()


def _leave_the_body(
    own: FootTrack, prints: list[PlannedPrint], shift: Float, yaw: Float, tilt: Float, fps: float
) -> None:
    """Before its first footprint and after its last a foot goes over between the body's pace and the footprint's, in place."""
    width = max(_EASE * fps, 1.0)
    first, last = min(prints, key=lambda one: one.old.start), max(prints, key=lambda one: one.old.end)
    ends = (
        (first, first.old.start, np.arange(first.old.start)),
        (last, last.old.end - 1, np.arange(last.old.end, len(own))),
    )
    for one, edge, frames in ends:
        with_body = rise(np.abs(frames - edge) / width)
        standing = _turned_with(one, own.ankle[frames]) - own.ankle[frames]
        shift[frames] = standing + with_body[:, None] * (shift[frames] - standing)
        yaw[frames] = one.turn + with_body * (yaw[frames] - one.turn)
        tilt[frames] = (1.0 - with_body[:, None]) * tilt[edge]


def _turned_with(one: PlannedPrint, places: Float) -> Float:
    """Places (N, 3) shifted and turned, but not tilted, with a footprint."""
    return R.rotate(R.about_y(one.turn), places - one.old.place) + one.place
