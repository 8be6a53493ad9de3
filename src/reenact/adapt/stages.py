"""The stages of an adaptation: which joints turn, what is wanted of them, what they keep. Each gives one layer of corrections.

The order is that of É. Lyard (2008), section 5.2: arms, forearms, legs with the pelvis, what is left of collisions. Limbs are nearly
independent, so each stage is a small problem with a good start.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from reenact.adapt.contact_body import ContactBody
from reenact.adapt.control_points import ControlPoints, place_control_points
from reenact.adapt.corrections import Layer
from reenact.adapt.degrees import Degree, Degrees, Link, limb_way, swing_axes, world_axis
from reenact.adapt.many_starts import chained, grid_of, sampled_costs, sides_of
from reenact.adapt.space_time import Solved, solve_curves
from reenact.adapt.terms import KeptDirection, LittleChange, NoCollisions, Term
from reenact.core import filters
from reenact.core import rotations as R
from reenact.core.arrays import Float64, Int32
from reenact.core.clip import Clip, World

SIDES = ("left", "right")
_RATE = 30.0  # frames a second that are looked at
_ARM, _TWIST, _ELBOW = np.pi / 2, np.pi / 2, np.pi / 2
_YAW, _APART = np.pi / 8, np.pi / 6
_PELVIS = 4.0  # a turn of the pelvis is so many times as dear as one of the thighs: it moves the whole body
_FOREARM = 4.0  # of a radian: what brings a forearm back to where it pointed is dear half as much as what parts limbs
_LEFT = 8.0  # of a radian: so dear is a turn for what is left, which is hands and forearms mostly, far from the joint that turns
_KEEP = 8.0  # of the sine of the angle by which a forearm points elsewhere
_SHAKEN, _SHAKES = (
    800.0,
    0.08,
)  # radians a second squared of an upper arm about itself, over so many seconds, at which an elbow bends by half
_BETTER = 0.98  # of the objective from no change: what another start must come to, to be taken
_ELBOW_OPENS = 0.15  # radians an elbow may be stretched beyond what was recorded


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """What a stage did.

    Attributes:
        layer: its corrections.
        degrees: names of its degrees of freedom.
        control: where its control points are.
        solved: their values and the objective.
    """

    layer: Layer
    degrees: tuple[str, ...] = ()
    control: ControlPoints | None = None
    solved: Solved | None = None

    @property
    def costs(self) -> tuple[float, ...]:
        """The objective before and after each step."""
        return (0.0,) if self.solved is None else self.solved.costs


@dataclass(frozen=True, slots=True, eq=False)
class Studied:
    """A motion as a stage sees it: all frames, and those that are looked at.

    Attributes:
        clip: the motion so far.
        world: its joints, float64.
        few: the frames looked at, as a motion.
        frames: their numbers.
        control: control points.
    """

    clip: Clip
    world: World
    few: Clip
    frames: Int32
    control: ControlPoints = field(repr=False)


def study(clip: Clip, spacing: float) -> Studied:
    """A motion prepared for a stage; `spacing` seconds between control points."""
    step = max(1, round(clip.fps / _RATE))
    frames = np.unique(np.append(np.arange(0, len(clip), step), len(clip) - 1)).astype(np.int32)
    moved = None if clip.translations is None else clip.translations[frames]
    few = replace(clip, rotations=clip.rotations[frames], root=clip.root[frames], translations=moved)
    return Studied(clip, clip.world(np.float64), few, frames, place_control_points(len(clip), clip.fps, spacing))


def solve_stage(
    name: str,
    seen: Studied,
    degrees: list[Degree],
    wanted: list[tuple],
    kept: list[tuple],
    *,
    starts: Float64 | None = None,
) -> Stage:
    """One stage: `degrees` over all frames; terms as (class, arguments by name) that get their `degrees`, over the frames looked at."""
    few = Degrees(seen.few, [at_frames(degree, seen.frames) for degree in degrees])
    made: list[list[Term]] = [[kind(degrees=few, **given) for kind, given in terms] for terms in (wanted, kept)]
    solved = solve_curves(few, seen.control, seen.frames, made[0], made[1], start=starts)
    if not np.any(solved.points):
        return Stage(Layer(name, {}), tuple(degree.name for degree in degrees), seen.control, solved)
    values = seen.control.values(solved.points, np.arange(len(seen.clip)))
    full = Degrees(seen.clip, degrees)
    turns = {seen.clip.skeleton.names[joint]: vector for joint, vector in full.vectors(values).items()}
    return Stage(Layer(name, turns), tuple(degree.name for degree in degrees), seen.control, solved)


def at_frames(degree: Degree, frames: Int32) -> Degree:
    """A degree of freedom over some of its frames."""
    return replace(degree, links=tuple(Link(link.joint, link.axis[frames]) for link in degree.links))


def swing_degrees(seen: Studied, joint: int, below: int, name: str, most: float, stiff: float = 1.0) -> list[Degree]:
    """A limb swung about the two axes across it, never about itself."""
    way = limb_way(seen.clip.skeleton, seen.world, joint, below)
    local = world_axis(seen.clip, seen.world, joint, way)
    return [
        Degree(f"{name} swing {number}", (Link(joint, axis),), most, stiff)
        for number, axis in enumerate(swing_axes(local), 1)
    ]


def twist_degree(seen: Studied, joint: int, below: int, name: str, most: float, stiff: float = 1.0) -> Degree:
    """A limb turned about itself."""
    way = limb_way(seen.clip.skeleton, seen.world, joint, below)
    return Degree(f"{name} twist", (Link(joint, world_axis(seen.clip, seen.world, joint, way)),), most, stiff)


def elbow_degree(seen: Studied, side: str, stiff: float = 1.0) -> Degree:
    """An elbow bent about its hinge; positive bends it more."""
    upper, lower, hand = seen.clip.skeleton.require_roles(
        *(f"{side}_{part}" for part in ("upper_arm", "lower_arm", "hand"))
    )
    first = limb_way(seen.clip.skeleton, seen.world, upper, lower)
    second = limb_way(seen.clip.skeleton, seen.world, lower, hand)
    hinge = np.cross(first, second)
    bend = np.linalg.norm(hinge, axis=1)
    local = R.rotate(R.conjugate(seen.world.rotations[:, upper]), hinge)
    # a straight arm tells no hinge: the mean one of the frames in which it is bent, weighed by how much
    mean = (local * bend[:, None]).sum(axis=0)
    if np.linalg.norm(mean) < 1e-9:
        across, _ = swing_axes(R.rotate(R.conjugate(seen.world.rotations[:, upper]), first))
        mean = across[0]
    mean = mean / np.linalg.norm(mean)
    axis = _calm_share(seen, upper, first, mean)[:, None] * mean
    return Degree(f"{side} elbow", (Link(lower, axis),), _ELBOW, stiff, -_ELBOW_OPENS)


def _calm_share(seen: Studied, upper: int, way: Float64, hinge: Float64) -> Float64:
    """(F,) how much of a bend an elbow takes: all, but for where the upper arm shakes about itself.

    A straight arm hides such shaking, which recordings are full of; bent by a correction it would whip the hand about.
    """
    fps = seen.clip.fps
    if len(way) < 3:
        return np.ones(len(way))
    across, other = swing_axes(way)
    turned = R.rotate(seen.world.rotations[:, upper], np.broadcast_to(hinge, way.shape))
    angle = np.unwrap(np.arctan2((turned * other).sum(axis=1), (turned * across).sum(axis=1)))
    hard = np.zeros(len(way))
    hard[1:-1] = np.diff(angle, 2) * fps**2
    hard = filters.gaussian(hard**2, _SHAKES * fps, axis=0, edge="nearest")
    return np.asarray(1 / (1 + hard / _SHAKEN**2), np.float64)


def arm_stage(seen: Studied, body: ContactBody, side: str) -> Stage:
    """The upper arm swung out of the trunk."""
    upper, lower = seen.clip.skeleton.require_roles(f"{side}_upper_arm", f"{side}_lower_arm")
    pairs = _of_side(body, side, body.chosen(("upper_arm", "trunk"), ("upper_arm", "head")))
    degrees = swing_degrees(seen, upper, lower, f"{side} arm", _ARM)
    return solve_stage(
        f"{side} arm", seen, degrees, [(NoCollisions, {"body": body, "pairs": pairs})], [(LittleChange, {})]
    )


def forearm_degrees(seen: Studied, side: str) -> list[Degree]:
    """The upper arm about itself, and the elbow."""
    upper, lower = seen.clip.skeleton.require_roles(f"{side}_upper_arm", f"{side}_lower_arm")
    return [twist_degree(seen, upper, lower, f"{side} arm", _TWIST), elbow_degree(seen, side)]


def forearm_pairs(body: ContactBody, side: str) -> Int32:
    """Numbers of the pairs that a forearm is kept out of."""
    limbs = [(kind, other) for kind in ("forearm", "hand", "upper_arm") for other in ("trunk", "head", "leg")]
    return _of_side(body, side, body.chosen(*limbs))


def forearm_terms(
    degrees: Degrees, body: ContactBody, pairs: Int32, lower: int, hand: int, ways: Float64, keep: float = _KEEP
) -> tuple[list[Term], list[Term]]:
    """What is wanted of a forearm, and what is kept: little change, and its direction in the world."""
    kept: list[Term] = [LittleChange(degrees, _FOREARM), KeptDirection(degrees, lower, hand, ways, keep)]
    return [NoCollisions(degrees, body, pairs)], kept


def forearm_stage(seen: Studied, body: ContactBody, side: str, before: World, keep: float = _KEEP) -> Stage:
    """The forearm turned back towards where it pointed, and out of what it runs through."""
    lower, hand = seen.clip.skeleton.require_roles(f"{side}_lower_arm", f"{side}_hand")
    degrees, name = forearm_degrees(seen, side), f"{side} forearm"
    ways = limb_way(seen.clip.skeleton, before, lower, hand)
    given = {"joint": lower, "below": hand, "ways": ways[seen.frames]}
    kept: list[tuple] = [(LittleChange, {"weight": _FOREARM})]
    wanted: list[tuple] = [(NoCollisions, {"body": body, "pairs": forearm_pairs(body, side)})]
    now = limb_way(seen.clip.skeleton, seen.world, lower, hand)
    if np.abs(now - ways).max() > 1e-4:  # turned by the stage before: that is to be undone as far as it goes
        kept.append((KeptDirection, {**given, "weight": keep}))
        wanted.append((_Turned, {**given, "weight": 0.0}))
    plain = solve_stage(name, seen, degrees, wanted, kept)
    if plain.solved is None or plain.layer.empty:
        return plain
    started = solve_stage(name, seen, degrees, wanted, kept, starts=_sampled_start(seen, degrees, kept))
    return started if started.costs[-1] < _BETTER * plain.costs[-1] else plain


def _sampled_start(seen: Studied, degrees: list[Degree], kept: list[tuple]) -> Float64:
    """(K, D) control points in the deepest valleys of what is to be kept; see `many_starts`."""
    # the frames looked at, beside the control points
    near = np.searchsorted(seen.frames, np.round(seen.control.frames)).clip(0, len(seen.frames) - 1)
    moved = None if seen.few.translations is None else seen.few.translations[near]
    few = replace(seen.few, rotations=seen.few.rotations[near], root=seen.few.root[near], translations=moved)
    there = Degrees(few, [at_frames(degree, seen.frames[near]) for degree in degrees])
    terms = [
        kind(degrees=there, **({**given, "ways": given["ways"][near]} if "ways" in given else given))
        for kind, given in kept
    ]
    grid = grid_of(sides_of(there))
    return chained(sampled_costs(there, terms, grid), grid)


class _Turned(KeptDirection):
    """Names the frames in which a direction has changed, and asks for nothing."""

    __slots__ = ()

    def residuals(self, posed):
        found = KeptDirection.residuals(self, posed)
        way = posed.world.positions[:, self.below] - posed.world.positions[:, self.joint]
        way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
        off = np.repeat(np.linalg.norm(way - self.ways, axis=1) > 1e-4, 3)
        return type(found)(found.frames[off], found.values[off], found.slopes[off])


def leg_stage(seen: Studied, body: ContactBody, pelvis: float = _PELVIS) -> Stage:
    """The legs parted: the pelvis yaws below a trunk and above legs that keep their directions, the thighs go apart by equal angles.

    `pelvis` says how dear a turn of it is against one of the thighs. The thesis prefers the pelvis (0.32); on a skin it buys little where
    feet pass each other, and costs balance.
    """
    pairs = body.chosen(("leg", "leg"))
    hips, left, right = seen.clip.skeleton.require_roles("hips", "left_upper_leg", "right_upper_leg")
    there = seen.world.positions
    across = there[:, left] - there[:, right]
    across[:, 1] = 0.0
    across = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
    ahead = np.cross(across, (0.0, 1.0, 0.0))
    up = np.broadcast_to((0.0, 1.0, 0.0), ahead.shape)
    yaw = [Link(hips, world_axis(seen.clip, seen.world, hips, up))]
    yaw += [Link(child, -world_axis(seen.clip, seen.world, child, up)) for child in seen.clip.skeleton.children[hips]]
    apart = (
        Link(left, world_axis(seen.clip, seen.world, left, ahead)),
        Link(right, -world_axis(seen.clip, seen.world, right, ahead)),
    )
    degrees = [
        Degree("pelvis yaw", tuple(yaw), _YAW, pelvis),
        Degree("thighs apart", apart, _APART, 1.0, 0.0),
    ]
    return solve_stage("legs", seen, degrees, [(NoCollisions, {"body": body, "pairs": pairs})], [(LittleChange, {})])


def general_stage(seen: Studied, body: ContactBody) -> Stage:
    """All limbs at once, for what is left: hands and forearms anywhere, arms against arms and legs."""
    skeleton = seen.clip.skeleton
    degrees: list[Degree] = []
    kept: list[tuple] = [(LittleChange, {"weight": _LEFT})]
    for side in SIDES:
        if not skeleton.has_roles(*(f"{side}_{part}" for part in ("upper_arm", "lower_arm", "hand"))):
            continue
        upper, lower, hand = (skeleton.roles[f"{side}_{part}"] for part in ("upper_arm", "lower_arm", "hand"))
        degrees += swing_degrees(seen, upper, lower, f"{side} arm", _ARM)
        degrees += [twist_degree(seen, upper, lower, f"{side} arm", _TWIST), elbow_degree(seen, side)]
        ways = limb_way(skeleton, seen.world, lower, hand)[seen.frames]
        kept.append((KeptDirection, {"joint": lower, "below": hand, "ways": ways, "weight": 4.0}))
    if not degrees:
        return Stage(Layer("collisions", {}))
    pairs = body.chosen(("arm", "trunk"), ("arm", "head"), ("arm", "leg"), ("arm", "arm"))
    return solve_stage("collisions", seen, degrees, [(NoCollisions, {"body": body, "pairs": pairs})], kept)


def _of_side(body: ContactBody, side: str, pairs: Int32) -> Int32:
    return np.array([n for n in pairs if body.skin.parts[body.pairs[n, 0]].group.startswith(side)], np.int32)
