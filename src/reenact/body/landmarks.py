"""Where the joints of a person are in a mesh that has none: found in its shape, slice by slice and along its limbs.

The mesh stands upright with its legs apart; arms stretched out or hanging away from the body, any proportions, facing any way along the
floor's axes. Hands are the ends of the longest ways from the chest to the sides; the arm goes from there to where slices of equal distance
suddenly hold the trunk, too. Legs go up to where they meet, the neck is the narrowest slice above the shoulders. Along arms and legs joints
are placed by the proportions of Drillis and Contini (1966).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from reenact.body.solid import Solid, connected
from reenact.core.arrays import Bool, Float64
from reenact.core.findings import Finding
from reenact.errors import SkeletonError

_HAND, _FOREARM, _UPPER_ARM = 0.108, 0.146, 0.186  # of body height
_ARM = _HAND + _FOREARM + _UPPER_ARM
_HIP, _SHOULDER, _NECK = 0.53, 0.818, 0.87  # heights, where the shape does not tell them
_ANKLE_OF_HIP = 0.039 / _HIP
_HIPS_OVER_CROTCH = 0.12  # of the height of the crotch
_BURST = 2.3  # times the slices of the arm before: here a slice holds the trunk
_SLIM = 2.4  # an arm is so many times as long as half its thickness, or more
_SIDES = {"left": 1.0, "right": -1.0}


@dataclass(frozen=True, slots=True)
class Landmarks:
    """Where joints are.

    Attributes:
        places: role -> (3,) metres; also "crown", and "left_toe_tip", "left_finger_tip" and those of the other side.
        forward: (3,) the way the body faces.
        findings: what was guessed, because the shape does not tell it.
    """

    places: dict[str, Float64]
    forward: Float64
    findings: tuple[Finding, ...] = ()


@dataclass(eq=False)
class _Body:
    """The cells of a body in its own axes: first to its left, then up, then forward; heights count from 0 to 1."""

    solid: Solid
    axes: Float64
    points: Float64
    middle: float
    low: float
    height: float
    findings: list[Finding] = field(default_factory=list)

    @property
    def side(self) -> Float64:
        return (self.points[:, 0] - self.middle) / self.height

    @property
    def up(self) -> Float64:
        return (self.points[:, 1] - self.low) / self.height

    def note(self, message: str) -> None:
        self.findings.append(Finding("rig.guessed", "warning", "mesh", message))

    def at_height(self, up: float, within: Bool | None = None) -> Bool:
        """(N,) cells of the slice at a height, at least one cell thick."""
        found = np.abs(self.up - up) <= 0.5001 * self.solid.size / self.height
        return found if within is None else found & within


def find_landmarks(solid: Solid) -> Landmarks:
    """The joints of a person in a mesh.

    Raises:
        SkeletonError: the mesh does not stand on two legs with arms and a head; the message says what is missing.
    """
    body = _lay(solid)
    arms = {side: _find_arm(body, sign) for side, sign in _SIDES.items()}
    free = np.ones(len(body.points), bool)
    for arm in arms.values():
        if arm is not None:
            free &= ~arm.cells
    crotch = _find_crotch(body, free)
    _check_person(body, arms, crotch, free)
    forward = _facing(body, crotch if crotch is not None else _HIP * 0.9, free)
    if forward < 0:  # its left is on the other side
        turned = body.axes * np.array([[-1.0], [1.0], [-1.0]])
        places = body.points * (-1, 1, -1)
        body = replace(body, axes=turned, points=places, middle=-body.middle)
        arms = {"left": arms["right"], "right": arms["left"]}
    places = _arms(body, arms)
    places |= _legs(body, crotch, free, places)
    places |= _trunk(body, places, free)
    return Landmarks({role: place @ body.axes for role, place in places.items()}, body.axes[2], tuple(body.findings))


def _lay(solid: Solid) -> _Body:
    """The cells with the axis along which they are mirrored first."""
    scores = {axis: _mirrored(solid, axis) for axis in (0, 2)}
    axis = 0 if scores[0] >= scores[2] - 0.05 else 2
    up = np.array([0.0, 1.0, 0.0])
    left = np.eye(3)[axis]
    axes = np.stack([left, up, np.cross(left, up)])
    points = solid.centres @ axes.T
    low, high = points[:, 1].min() - 0.5 * solid.size, points[:, 1].max() + 0.5 * solid.size
    middle = float(np.median(points[points[:, 1] > 0.55 * low + 0.45 * high, 0]))
    trunk = (points[:, 1] - low > 0.3 * (high - low)) & (points[:, 1] - low < 0.95 * (high - low))
    near = trunk & (np.abs(points[:, 0] - middle) < 0.2 * (high - low))
    middle = float(np.mean(points[near, 0])) if near.any() else middle
    return _Body(solid, axes, points, middle, float(low), float(high - low))


def _mirrored(solid: Solid, axis: int) -> float:
    """The share of cells that have a partner on the other side of the middle one."""
    filled = solid.numbers >= 0
    upper = solid.cells[:, 1] > 0.45 * solid.numbers.shape[1]  # one leg may be missing
    sum_of_pair = int(2 * np.median(solid.cells[upper, axis]))
    partners = solid.cells.copy()
    best = 0.0
    for more in (-1, 0, 1):
        partners[:, axis] = sum_of_pair + more - solid.cells[:, axis]
        inside = (partners[:, axis] >= 0) & (partners[:, axis] < filled.shape[axis])
        best = max(best, float(filled[tuple(partners[inside].T)].sum() / len(partners)))
    return best


@dataclass(frozen=True, slots=True, eq=False)
class _Arm:
    """An arm: its cells, how far each is from the finger tips, and how long it is to the shoulder."""

    cells: Bool
    far: Float64
    length: float
    tip: Float64


def _find_arm(body: _Body, sign: float) -> _Arm | None:
    side, up, solid = sign * body.side, body.up, body.solid
    core = (np.abs(body.side) < 0.06) & (np.abs(up - 0.66) < 0.06)
    if not core.any():
        return None
    from_chest = solid.distances(np.where(core, 0.0, np.inf)) / body.height
    reach = np.where((side > 0.08) & (up > 0.22) & (up < 0.93) & np.isfinite(from_chest), side + 0.5 * from_chest, -1)
    tip = int(reach.argmax())
    if reach[tip] < 0:
        return None
    start = np.full(len(side), np.inf)
    start[tip] = 0.0
    far = solid.distances(start) / body.height
    step = 1.5 * solid.size / body.height
    levels = np.bincount(np.minimum(far[np.isfinite(far)] / step, 10_000).astype(int))
    before = len(levels)
    for level in range(6, len(levels)):
        usual = np.median(levels[max(2, level // 3) : level])
        if levels[level] > _BURST * usual and levels[level : level + 3].min() > _BURST * usual:
            before = level
            break
    length = before * step
    slice_area = levels[max(2, int(0.6 * before)) : max(3, int(0.9 * before))].mean() / 1.5
    radius = float(np.sqrt(slice_area / np.pi)) * solid.size / body.height
    hanging = float(np.clip((up[np.abs(far - 0.9 * length) <= step].mean() - up[tip]) / length, 0, 1))
    length += hanging * radius  # the armpit is below the joint
    shoulder = np.abs(far - length) <= step
    if (
        length < max(0.1, _SLIM * radius)
        or length > 0.75
        or not shoulder.any()
        or (sign * body.side[shoulder]).mean() < 0.02
    ):
        return None
    if side[tip] - side[shoulder].mean() < 0.03 and up[shoulder].mean() - up[tip] < 0.12:
        return None  # a bulge of the trunk
    return _Arm(far < length, far, length, body.points[tip])


def _find_crotch(body: _Body, free: Bool) -> float | None:
    """The height below which a gap parts the legs; None where they are not parted."""
    step = body.solid.size / body.height
    gaps = []
    heights = np.arange(0.5 * step, 0.7, step)
    for up in heights:
        lateral = np.unique(np.round(body.side[body.at_height(up, free)] / step))
        inside = np.abs(lateral) < 0.2 / step
        near = lateral[inside]
        both = bool((near < 0).any() and (near > 0).any())
        gaps.append(both and bool((np.diff(near[(near > -0.12 / step) & (near < 0.12 / step)]) > 1).any()))
    found = np.array(gaps)
    parted = [n for n in range(len(found)) if found[n] and found[: n + 1].mean() > 0.5]
    if not parted or heights[parted[-1]] < 0.08:
        return None
    return float(heights[parted[-1]])


def _check_person(body: _Body, arms: dict[str, _Arm | None], crotch: float | None, free: Bool) -> None:
    """Refuse what does not stand on two legs; say what is missing of a person."""
    missing = [f"the {side} arm" for side, arm in arms.items() if arm is None]
    feet = _count_feet(body, crotch)
    depth = np.ptp(body.points[:, 2]) / body.height
    width = np.ptp(body.points[:, 0]) / body.height
    advice = "give a skeleton that fits it: reenact rig MESH SKELETON"
    if feet > 3:  # a cape may reach the floor
        raise SkeletonError(f"the mesh stands on {feet} legs, so it is no person; {advice}")
    if depth > 0.9:
        shape = f"{depth:.2f} times as deep as it is high and {width:.2f} times as wide"
        raise SkeletonError(f"the mesh is {shape}, so it does not stand like a person; {advice}")
    if crotch is None:
        missing.append("two legs that are apart")
    heads = _count_heads(body, free)
    if heads > 1:
        raise SkeletonError(f"{heads} heads were found, and one is needed; {advice}")
    if len(missing) > 2 or (crotch is None and missing != ["two legs that are apart"]):
        raise SkeletonError(f"no person was found in the mesh: {', '.join(missing)} could not be found; {advice}")
    for part in missing:
        body.note(f"{part} could not be found in the mesh; placed by usual proportions")


def _count_feet(body: _Body, crotch: float | None) -> int:
    """Separate parts of the mesh near the floor that go on upwards."""
    top = 0.5 * (crotch or 0.2)
    return _count_parts(body, (body.up < top) & (body.up > 0.4 * top), least=0.05)


def _count_heads(body: _Body, free: Bool) -> int:
    return _count_parts(body, (body.up > 0.92) & (np.abs(body.side) < 0.35) & free, least=0.25)


def _count_parts(body: _Body, chosen: Bool, least: float) -> int:
    """Connected parts of some cells that hold at least a share of them."""
    grid = np.zeros(body.solid.numbers.shape, bool)
    grid[tuple(body.solid.cells[chosen].T)] = True
    sizes = np.bincount(connected(grid, corners=True).reshape(-1))[1:]
    return int((sizes > least * max(sizes.sum(), 1)).sum())


def _facing(body: _Body, crotch: float, free: Bool) -> float:
    """1 when the feet point along the third axis, -1 when against it."""
    shin = free & (body.up > 0.25 * crotch) & (body.up < 0.6 * crotch)
    sole = free & (body.up < 0.1 * crotch)
    if not shin.any() or not sole.any():
        return 1.0
    middle = np.median(body.points[shin, 2])
    ahead, behind = np.quantile(body.points[sole, 2], 0.98) - middle, middle - np.quantile(body.points[sole, 2], 0.02)
    return 1.0 if ahead >= behind else -1.0


def _legs(body: _Body, crotch: float | None, free: Bool, arms: dict[str, Float64]) -> dict[str, Float64]:
    found: dict[str, Float64] = {}
    parted = crotch is not None
    shoulders = 0.5 * (arms["left_upper_arm"][1] + arms["right_upper_arm"][1])
    usual = _HIP / _SHOULDER * float((shoulders - body.low) / body.height)
    hip = min(crotch * (1 + _HIPS_OVER_CROTCH), 0.75) if crotch is not None else _HIP
    if parted and hip < usual:  # thighs that touch, or clothes, close the gap below the crotch
        hip = 0.5 * (hip + usual)
    ankle = _ANKLE_OF_HIP * hip
    for side, sign in _SIDES.items():
        own = free & (sign * body.side > 0) & (np.abs(body.side) < 0.3)
        upper = _centre(body, (crotch or _HIP * 0.9) - 0.02, own)
        if not parted:
            upper[0] = body.middle + sign * 0.052 * body.height
        upper[1] = body.low + hip * body.height
        shin = _centre(body, 0.16 * hip, own)
        foot = shin.copy()
        foot[1] = body.low + ankle * body.height
        knee = _centre(body, 0.5 * (hip + ankle), own)
        if not parted:
            foot[0] = knee[0] = upper[0]
        sole = own & (body.up < max(1.1 * ankle, 1.5 * body.solid.size / body.height))
        tip = float(np.quantile(body.points[sole, 2], 0.99)) if sole.any() else foot[2] + 0.1 * body.height
        tip = max(tip, foot[2] + 0.05 * body.height * hip)
        front = sole & (body.points[:, 2] > 0.5 * (foot[2] + tip))
        across = float(np.mean(body.points[front, 0])) if front.any() else foot[0]
        ball = np.array(
            [foot[0] + 0.6 * (across - foot[0]), body.low + 0.3 * ankle * body.height, foot[2] + 0.62 * (tip - foot[2])]
        )
        found |= {
            f"{side}_upper_leg": upper,
            f"{side}_lower_leg": knee,
            f"{side}_foot": foot,
            f"{side}_toes": ball,
            f"{side}_toe_tip": np.array([across, ball[1], tip]),
        }
    return found


def _centre(body: _Body, up: float, within: Bool) -> Float64:
    """(3,) the middle of a slice; of the nearest cells where it is empty."""
    chosen = body.at_height(up, within)
    if not chosen.any():
        chosen = within & (np.abs(body.up - up) <= np.abs(body.up[within] - up).min(initial=1.0) + 1e-9)
    if not chosen.any():
        return np.array([body.middle, body.low + up * body.height, float(np.mean(body.points[:, 2]))])
    low, high = body.points[chosen].min(axis=0), body.points[chosen].max(axis=0)
    middle = 0.5 * (0.5 * (low + high) + body.points[chosen].mean(axis=0))
    middle[1] = body.low + up * body.height
    return middle


def _arms(body: _Body, arms: dict[str, _Arm | None]) -> dict[str, Float64]:
    found: dict[str, Float64] = {}
    for side, sign in _SIDES.items():
        arm = arms[side]
        if arm is not None:
            shares = {"hand": _HAND / _ARM, "lower_arm": (_HAND + _FOREARM) / _ARM, "upper_arm": 0.97}
            for role, share in shares.items():
                found[f"{side}_{role}"] = _along_arm(body, arm, share * arm.length)
            found[f"{side}_finger_tip"] = arm.tip
            continue
        other = arms["right" if side == "left" else "left"]
        names = ("upper_arm", "lower_arm", "hand", "finger_tip")
        if other is not None:  # as the other arm
            mirrored = _arms(body, {"left": other, "right": other})
            source = "right" if side == "left" else "left"
            for name in names:
                place = mirrored[f"{source}_{name}"].copy()
                place[0] = 2 * body.middle - place[0]
                found[f"{side}_{name}"] = place
            continue
        trunk = _centre(body, _SHOULDER, np.abs(body.side) < 0.1)
        for name, out in zip(names, (0.11, 0.11 + 0.186, 0.11 + 0.332, 0.11 + 0.44), strict=True):
            found[f"{side}_{name}"] = trunk + np.array([sign * out * body.height, 0.0, 0.0])
    return found


def _along_arm(body: _Body, arm: _Arm, far: float) -> Float64:
    near = np.abs(arm.far - far) <= body.solid.size / body.height
    return body.points[near].mean(axis=0)


def _trunk(body: _Body, places: dict[str, Float64], free: Bool) -> dict[str, Float64]:
    step = body.solid.size / body.height
    shoulders = 0.5 * (places["left_upper_arm"] + places["right_upper_arm"])
    level = (shoulders[1] - body.low) / body.height
    near = np.abs(body.side) < 0.25
    heights = np.arange(min(level + step, 0.93), 0.97, step)
    sizes = np.array([np.count_nonzero(body.at_height(up, near & free)) for up in heights])
    smooth = np.convolve(np.pad(sizes, 1, mode="edge"), np.ones(3) / 3, "valid")
    span = heights <= heights[0] + 0.75 * (heights[-1] - heights[0])
    narrow = float(heights[span][smooth[span].argmin()])
    crown = _centre(body, 1 - 0.5 * step, np.abs(body.side) < 0.12)
    crown[1] = body.low + body.height
    hips = 0.5 * (places["left_upper_leg"] + places["right_upper_leg"])
    hips[1] += 0.06 * (shoulders[1] - hips[1])
    neck = _centre(body, level + 0.55 * (narrow - level), near & free)
    head = _centre(body, min(narrow + 0.12 * (1 - narrow), 0.98), near & free)
    neck[0] = head[0] = crown[0] = hips[0]
    found = {"hips": hips, "neck": neck, "head": head, "crown": crown}
    for role, share in (("spine", 0.2), ("chest", 0.55)):
        straight = hips + share * (neck - hips)
        slice_at = _centre(body, (straight[1] - body.low) / body.height, (np.abs(body.side) < 0.15) & free)
        straight[2] = 0.5 * (straight[2] + slice_at[2])
        found[role] = straight
    for side in _SIDES:
        arm = places[f"{side}_upper_arm"]
        inner = neck + 0.25 * (arm - neck)
        inner[1] = min(inner[1], arm[1] + 0.01 * body.height)
        found[f"{side}_shoulder"] = inner
    return found
