"""Analytic inverse kinematics of a limb of two links: hip, knee, ankle or shoulder, elbow, wrist.

Every frame is solved on its own, all frames at once, by the law of cosines. The limb keeps the plane it was bent in, unless a pole
says otherwise. A target within reach is reached, to a tenth of a millimetre (`EXACT`). The angle of a knee changes without bound as the leg
gets straight, so a target that leaves the reach makes a knee pop; where that matters more than the last millimetres, the reach can be
softened exponentially (`SOFT`, the "soft IK" of Nicholas 2009). What softening or a target out of reach leaves undone is reported as the
residual.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError

EXACT = 0.0002
"""Softness that leaves at most 0.06 mm of a limb of 0.8 m undone: only so much that the bend has no kink where the reach ends."""

SOFT = 0.01
"""Softness for targets that come and go beyond the reach: knees straighten gently, some millimetres short of the target."""

Reach = Literal["exact", "soft"]

_HINGE_FROM, _HINGE_TO = 0.05, 0.3  # sines of the bend between which a limb's own plane takes over from its hinge
_STRAIGHT = 0.03  # sine of the bend under which a limb's own plane is no longer trusted


@dataclass(frozen=True, slots=True)
class Limb:
    """The three joints of a limb, by index. Further joints may lie between them (twist joints): they ride along.

    Attributes:
        root: hip or shoulder.
        mid: knee or elbow.
        end: ankle or wrist.
    """

    root: int
    mid: int
    end: int


@dataclass(frozen=True, slots=True)
class LimbParameters:
    """How a limb reaches.

    Attributes:
        reach: "exact": targets within reach are reached, within 0.1 mm; "soft": full extension is approached gently, some
            millimetres short.
        keep_end: the end joint keeps its world rotation (a foot stays flat); False lets it turn with the limb.
        softness: share of the limb's length over which full extension is approached, 0 to 0.2, instead of that of `reach`; 0 is the plain
            law of cosines.
    """

    reach: Reach = "exact"
    keep_end: bool = True
    softness: float | None = None  # share of the length

    def __post_init__(self) -> None:
        if self.reach not in ("exact", "soft"):
            raise ParameterError(f"reach must be exact or soft, not {self.reach!r}", where="reach")
        if self.softness is not None and not 0 <= self.softness <= 0.2:
            raise ParameterError(f"softness must lie in 0 to 0.2 of the limb's length, not {self.softness}")

    @property
    def zone(self) -> float:
        """The softness that counts: that given, else that of `reach`."""
        return {"exact": EXACT, "soft": SOFT}[self.reach] if self.softness is None else self.softness


@dataclass(frozen=True, slots=True, eq=False)
class LimbBend:
    """A solved limb in the world, for each frame.

    Attributes:
        root_turn: (F, 4) what the root joint's world rotation is multiplied by, from the left.
        mid_turn: (F, 4) likewise for the mid joint; it contains `root_turn`.
        mid: (F, 3) new place of the mid joint.
        end: (F, 3) new place of the end joint.
        residual: (F,) metres between `end` and the target.
    """

    root_turn: Float
    mid_turn: Float
    mid: Float
    end: Float
    residual: Float


def limb_of(skeleton: Skeleton, role: str) -> Limb:
    """The limb of a role such as "left_leg" or "right_arm"."""
    side, _, part = role.partition("_")
    joints = {"leg": ("upper_leg", "lower_leg", "foot"), "arm": ("upper_arm", "lower_arm", "hand")}
    if side not in ("left", "right") or part not in joints:
        raise ParameterError(f"no limb {role!r}; there are left_leg, right_leg, left_arm, right_arm")
    return Limb(*skeleton.require_roles(*(f"{side}_{name}" for name in joints[part])))


def bend_limb(
    root: ArrayLike,
    mid: ArrayLike,
    end: ArrayLike,
    target: ArrayLike,
    *,
    pole: ArrayLike | None = None,
    hinge: ArrayLike | None = None,
    softness: float = EXACT,
) -> LimbBend:
    """Bend a limb so that its end comes to the target.

    Args:
        root: (F, 3) metres, world place of the root joint; stays.
        mid: (F, 3) world place of the mid joint before.
        end: (F, 3) world place of the end joint before.
        target: (F, 3) where the end should be.
        pole: (3,) or (F, 3) direction the mid joint points to; None keeps the side the limb is bent to. Frames in which the limb is
            straight take the side of the other frames, carried along with the limb.
        hinge: (F, 3) the axis the limb bends about, in the world and for each frame (see `find_hinge`), instead of a pole. It decides
            where the limb is nearly straight. A limb bent the wrong way in the recording (a knee stretched through) is let through to
            the right side as it gets shorter, so that nothing jumps; on the way it is straight, and its end some millimetres off.
        softness: see `LimbParameters`; `EXACT` or `SOFT`.
    """
    root, mid, end, target = (np.atleast_2d(np.asarray(v, dtype=np.float64)) for v in (root, mid, end, target))
    root, mid, end, target = np.broadcast_arrays(root, mid, end, target)
    upper, lower = mid - root, end - mid
    first, second = np.linalg.norm(upper, axis=-1), np.linalg.norm(lower, axis=-1)
    if np.any(first <= 0) or np.any(second <= 0):
        raise ParameterError("a limb needs two links of some length; root, mid and end joint may not coincide")
    way = target - root
    asked = np.linalg.norm(way, axis=-1)
    aim = np.where((asked > 1e-9)[:, None], way, end - root)  # a target on the root: keep the direction the limb had
    aim = R.normalize(np.where((np.linalg.norm(aim, axis=-1) > 1e-9)[:, None], aim, upper))
    distance = soften_reach(asked, first, second, softness)
    if hinge is not None:
        return _bend_about_hinge(root, mid, end, target, aim, distance, np.asarray(hinge, dtype=np.float64))
    normal_before = _bend_normal(upper, lower, pole if pole is None else np.asarray(pole, dtype=np.float64))
    if pole is None:
        carried = R.rotate(R.between(R.normalize(_or(end - root, upper)), aim), normal_before)
    else:
        carried = np.cross(aim, np.broadcast_to(np.asarray(pole, dtype=np.float64), aim.shape))
    normal = _square_to(carried, aim)
    cosine = np.clip((first**2 + distance**2 - second**2) / (2 * first * np.maximum(distance, 1e-9)), -1, 1)
    sine = np.sqrt(1 - cosine**2)
    side = np.cross(normal, aim)
    new_mid = root + first[:, None] * (cosine[:, None] * aim + sine[:, None] * side)
    new_end = root + distance[:, None] * aim
    root_turn = _frame_turn(upper, normal_before, new_mid - root, normal)
    mid_turn = _frame_turn(lower, normal_before, new_end - new_mid, normal)
    residual = np.linalg.norm(new_end - target, axis=-1)
    return LimbBend(root_turn, mid_turn, new_mid, new_end, residual)


def _bend_about_hinge(
    root: Float, mid: Float, end: Float, target: Float, aim: Float, distance: Float, hinge: Float
) -> LimbBend:
    upper, lower = mid - root, end - mid
    first, second = np.linalg.norm(upper, axis=-1), np.linalg.norm(lower, axis=-1)
    aim_before = R.normalize(_or(end - root, upper))
    own = np.cross(R.normalize(lower), R.normalize(upper))
    signed = np.einsum("ij,ij->i", own, np.broadcast_to(hinge, own.shape))
    trust = np.clip((np.abs(signed) - _HINGE_FROM) / (_HINGE_TO - _HINGE_FROM), 0, 1)[:, None]
    trust = trust * trust * (3 - 2 * trust)
    rough = _square_to(np.broadcast_to(hinge, own.shape), aim_before)
    aligned = _square_to(np.where(signed[:, None] < 0, -own, own) + 1e-9 * rough, aim_before)
    normal_before = _square_to(trust * aligned + (1 - trust) * rough, aim_before)
    normal = _square_to(R.rotate(R.between(aim_before, aim), normal_before), aim)
    before = np.einsum(
        "ij,ij->i", upper, np.cross(normal_before, aim_before)
    )  # signed distance of the mid joint from the line
    cosine = np.clip((first**2 + distance**2 - second**2) / (2 * first * np.maximum(distance, 1e-9)), -1, 1)
    height = first * np.sqrt(1 - cosine**2)
    # bent the wrong way by so much: on that side until the limb bends more, straight through to the other by three times as much
    through = np.clip((height / np.maximum(-before, 1e-9) - 1) / 2, 0, 1)
    signed_height = np.where((before < 0) & (through < 1), -before * (4 * through - 1), height)
    signed_height = np.where((before < 0) & (through <= 0), -height, signed_height)
    passing = (before < 0) & (through > 0) & (through < 1)
    along = np.where(passing, np.sqrt(np.maximum(first**2 - signed_height**2, 0)), first * cosine)
    beyond = np.sqrt(np.maximum(second**2 - signed_height**2, 0))
    distance = np.where(passing, along + beyond, distance)
    new_mid = root + along[:, None] * aim + signed_height[:, None] * np.cross(normal, aim)
    new_end = root + distance[:, None] * aim
    root_turn = _frame_turn(upper, normal_before, new_mid - root, normal)
    mid_turn = _frame_turn(lower, normal_before, new_end - new_mid, normal)
    return LimbBend(root_turn, mid_turn, new_mid, new_end, np.linalg.norm(new_end - target, axis=-1))


def find_hinge(skeleton: Skeleton, limb: Limb, worlds: Sequence[World], *, forward: bool = True) -> Float:
    """(3,) the axis a limb bends about, in the frame of its root joint: the mean over all frames, deeper bends counting more.

    Args:
        skeleton: tells left from right where the limb never bends.
        limb: the joints.
        worlds: motions of the skeleton.
        forward: a limb that never bends is taken to bend forward (a knee) or backward (an elbow).
    """
    total, rough = np.zeros(3), np.zeros(3)
    for world in worlds:
        places, turned = world.positions.astype(np.float64), world.rotations[:, limb.root].astype(np.float64)
        upper, lower = places[:, limb.mid] - places[:, limb.root], places[:, limb.end] - places[:, limb.mid]
        normal = np.cross(R.normalize(lower), R.normalize(upper))
        total += R.rotate(R.conjugate(turned), normal).sum(axis=0)
        if skeleton.has_roles("left_upper_leg", "right_upper_leg"):
            left, right = skeleton.require_roles("left_upper_leg", "right_upper_leg")
            side = R.normalize(places[:, right] - places[:, left])
            rough += R.rotate(R.conjugate(turned), side if forward else -side).sum(axis=0)
    frames = max(sum(len(world.positions) for world in worlds), 1)
    if np.linalg.norm(total) < _STRAIGHT * frames:
        total = rough if np.linalg.norm(rough) > 1e-6 * frames else np.array([1.0, 0.0, 0.0])
    return R.normalize(total)


def soften_reach(asked: ArrayLike, first: ArrayLike, second: ArrayLike, softness: float) -> Float:
    """Distance the limb is really given: `asked` (metres) up to near full extension, then ever closer to it, never beyond."""
    asked, first, second = (np.asarray(v, dtype=np.float64) for v in (asked, first, second))
    full = first + second
    low = np.abs(first - second)
    if softness > 1e-6:
        zone = softness * full
        start = full - zone
        over = np.maximum(asked - start, 0)
        asked = np.where(asked > start, start + zone * -np.expm1(-over / zone), asked)
    return np.clip(asked, low, full)


def place_limb(
    clip: Clip,
    limb: Limb,
    target: ArrayLike,
    *,
    pole: ArrayLike | None = None,
    weight: ArrayLike = 1.0,
    parameters: LimbParameters | None = None,
    world: World | None = None,
) -> tuple[Float, Float]:
    """Local rotations of a clip with the end of one limb brought to a target.

    Args:
        clip: the motion; it is not changed.
        limb: the joints.
        target: (F, 3) metres.
        pole: see `bend_limb`.
        weight: () or (F,), 0 leaves a frame as it was, 1 reaches the target.
        parameters: how it reaches, and whether the end joint keeps its world rotation.
        world: forward kinematics of `clip`, when already at hand.

    Returns:
        The clip's rotations (F, J, 4) with root, mid and end joint changed, and the residual (F,) in metres against the weighted target.
    """
    parameters = parameters or LimbParameters()
    check_limb(clip.skeleton, limb)
    world = world or clip.world(np.float64)
    places = np.asarray(world.positions, dtype=np.float64)
    turned = np.asarray(world.rotations, dtype=np.float64)
    weight = np.broadcast_to(np.asarray(weight, dtype=np.float64), (len(clip),))[:, None]
    goal = places[:, limb.end] + weight * (np.asarray(target, dtype=np.float64) - places[:, limb.end])
    softness = parameters.zone
    bend = bend_limb(places[:, limb.root], places[:, limb.mid], places[:, limb.end], goal, pole=pole, softness=softness)
    result = clip.rotations.astype(np.float64)
    new_root = R.multiply(bend.root_turn, turned[:, limb.root])
    result[:, limb.root] = _local(clip.skeleton, turned, limb.root, new_root)
    result[:, limb.mid] = R.multiply(
        R.conjugate(R.multiply(bend.root_turn, turned[:, clip.skeleton.parents[limb.mid]])),
        R.multiply(bend.mid_turn, turned[:, limb.mid]),
    )
    if parameters.keep_end:
        above = R.multiply(bend.mid_turn, turned[:, clip.skeleton.parents[limb.end]])
        result[:, limb.end] = R.multiply(R.conjugate(above), turned[:, limb.end])
    changed = [limb.root, limb.mid, limb.end]
    result[:, changed] = R.normalize(result[:, changed])
    return result, bend.residual


def check_limb(skeleton: Skeleton, limb: Limb) -> None:
    """Raise a `SkeletonError` unless the mid joint lies below the root joint and the end joint below the mid joint."""
    names = [skeleton.names[skeleton.joint(j)] for j in (limb.root, limb.mid, limb.end)]
    for (upper, lower), (over, under) in zip(
        ((limb.root, limb.mid), (limb.mid, limb.end)), (names[:2], names[1:]), strict=True
    ):
        if upper == lower or upper not in skeleton.ancestors(lower):
            raise SkeletonError(f"joint {under!r} does not lie below {over!r}: not a limb")


def _local(skeleton: Skeleton, turned: Float, joint: int, world_rotation: Float) -> Float:
    parent = int(skeleton.parents[joint])
    return world_rotation if parent < 0 else R.multiply(R.conjugate(turned[:, parent]), world_rotation)


def _or(vector: Float, other: Float) -> Float:
    return np.where((np.linalg.norm(vector, axis=-1) > 1e-9)[:, None], vector, other)


def _bend_normal(upper: Float, lower: Float, pole: Float | None) -> Float:
    """(F, 3) unit normals of the plane the limb is bent in, upper x lower reversed so that normal x aim points at the bent joint."""
    normal = np.cross(R.normalize(lower), R.normalize(upper))
    size = np.linalg.norm(normal, axis=-1, keepdims=True)
    trust = np.clip(size / _STRAIGHT, 0, 1)
    if np.all(trust >= 1):
        return normal / size
    if pole is not None:
        rough = np.cross(upper, np.broadcast_to(pole, upper.shape))
    else:  # the hinge of the frames that are bent, carried along with the upper link from the straightest-down frame
        reference = R.normalize(upper.mean(axis=0) + 1e-12)
        carry = R.between(R.normalize(upper), np.broadcast_to(reference, upper.shape))
        common = np.sum(R.rotate(carry, normal), axis=0)
        if np.linalg.norm(common) < 1e-6:  # never bent at all: any side will do, the same for all frames
            common = np.cross(reference, np.eye(3)[np.argmin(np.abs(reference))])
        rough = R.rotate(R.conjugate(carry), np.broadcast_to(R.normalize(common), upper.shape))
    rough = _square_to(rough, R.normalize(upper))
    own = normal / np.maximum(size, 1e-12)
    return _square_to(trust * own + (1 - trust) * rough, R.normalize(upper))


def _square_to(vector: Float, axis: Float) -> Float:
    """Unit vectors square to unit `axis`, nearest to `vector`; any, where `vector` lies along the axis."""
    flat = vector - np.einsum("ij,ij->i", vector, axis)[:, None] * axis
    size = np.linalg.norm(flat, axis=-1, keepdims=True)
    other = np.where(np.abs(axis[:, :1]) < 0.6, np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))
    return np.where(size > 1e-9, flat / np.maximum(size, 1e-12), R.normalize(np.cross(axis, other)))


def _frame_turn(link: Float, normal: Float, new_link: Float, new_normal: Float) -> Float:
    """World rotations that take (link, normal) to (new link, new normal); a normal need only be roughly square to its link."""
    frames = []
    for x, n in ((link, normal), (new_link, new_normal)):
        x = R.normalize(x)
        z = _square_to(n, x)
        frames.append(R.from_matrix(np.stack([x, np.cross(z, x), z], axis=-1)))
    return R.multiply(frames[1], R.conjugate(frames[0]))
