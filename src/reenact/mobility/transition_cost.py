"""What a jump from one pose to another costs (A2, equations 3.7 to 3.13; M7 to M10).

    K(a, b)   = sum_k angle_weights[k] angle(q_ak, q_bk) + sum_k |rates_ak - rates_bk| + |velocities_a - velocities_b|
    tau(i, j) = (K(i + 1, j) + K(i, j - 1)) / 2

The angle is the full angle of the rotation between two joints; the specification's logarithm gives half of it, so costs are twice those of
its formulas. K is a metric on poses (every term of it is one), which the search of edges uses, and tau(i, j) = tau(j - 1, i + 1).

Any search only proposes pairs of poses; `settle` evaluates them in float64, rounds to float32 and then applies threshold and cap. So all
engines, whatever they calculate with, give one and the same set of edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reenact.core.arrays import Float, Float32, Float64, frozen
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError, SkeletonError
from reenact.mobility.pose_database import PoseDatabase

SLACK, SLACK_AT_ZERO = 1e-3, 4e-3
"""By how much a proposed pair may be dearer than the threshold, relative and absolute: far more than float32 is off."""

JOINT_WEIGHTS: Mapping[str, float] = {
    "left_upper_leg": 1.0,
    "right_upper_leg": 1.0,
    "left_upper_arm": 0.7884,
    "right_upper_arm": 0.7884,
    "left_lower_leg": 0.0901,
    "right_lower_leg": 0.0901,
    "left_lower_arm": 0.0247,
    "right_lower_arm": 0.0247,
}
"""Weights of hips, shoulders, knees and elbows after Wang and Bodenheimer (2003), by the roles of the joints that turn there; all other
joints count nothing. Recalled by the specification, not compared with the paper."""

_LEAST_SCALE = 1e-6
_SAMPLED = 100_000  # pairs whose medians balance the three terms


@dataclass(frozen=True, slots=True)
class TransitionParameters:
    """How poses are compared, and which jumps are out of the question."""

    root_weight: float = option(1.0, "weight of the root's orientation (without heading) and turning", low=0, high=10)
    limb_weight: float = option(
        1.0, "factor on the published weights of hips, shoulders, knees, elbows", low=0, high=10
    )
    rate_scale: float | None = option(
        None, "weight of differences of angular velocity; default: as much as angles, by medians", low=0
    )
    velocity_scale: float | None = option(
        None, "weight of differences of the root's velocity; default: as much as angles, by medians", low=0
    )
    exclude: int = option(15, "no jump to poses of the same clip nearer than this to the next", unit="poses", low=0)
    contacts: bool = option(False, "jump only where the same feet are planted after it as would have been without")

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.root_weight == 0 and self.limb_weight == 0:
            raise ParameterError("root_weight and limb_weight cannot both be 0: nothing would be compared")


@dataclass(frozen=True, eq=False)
class MetricTable:
    """All of N poses that the cost of a transition needs, weights multiplied in; M weighted joints.

    Attributes:
        quaternions: (N, M, 4) float32; a rotation and its negative are one.
        angle_weights: (M,) float32, cost of a radian between two poses of a joint (full angle).
        rates: (N, M, 3) float32, turn rates times their weights.
        velocities: (N, 3) float32, the root's velocity times its weight.
        clips: (N,) int32, the clip of each pose.
        contacts: (N,) uint8, 1 for the left and 2 for the right foot; all 0 where they do not count.
        exclude: no jump within a clip to fewer than this many poses beside the next pose.
        scales: factors of angular velocity and of the root's velocity that were used.
    """

    quaternions: Float32
    angle_weights: Float32
    rates: Float32
    velocities: Float32
    clips: np.ndarray
    contacts: np.ndarray
    exclude: int = 15
    scales: tuple[float, float] = (1.0, 1.0)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "quaternions", frozen(self.quaternions, np.float32, (None, None, 4), "quaternions"))
        poses, joints = self.quaternions.shape[:2]
        put(self, "angle_weights", frozen(self.angle_weights, np.float32, (joints,), "angle_weights"))
        put(self, "rates", frozen(self.rates, np.float32, (poses, joints, 3), "rates"))
        put(self, "velocities", frozen(self.velocities, np.float32, (poses, 3), "velocities"))
        put(self, "clips", frozen(self.clips, np.int32, (poses,), "clips"))
        put(self, "contacts", frozen(self.contacts, np.uint8, (poses,), "contacts"))

    def __len__(self) -> int:
        return len(self.quaternions)

    def as_arrays(self) -> dict[str, np.ndarray]:
        """The arrays by name, for workers."""
        return {
            "quaternions": self.quaternions,
            "angle_weights": self.angle_weights,
            "rates": self.rates,
            "velocities": self.velocities,
            "clips": self.clips,
            "contacts": self.contacts,
            "exclude": np.array([self.exclude]),
        }

    @staticmethod
    def from_arrays(held: Mapping[str, np.ndarray]) -> MetricTable:
        """The table that `as_arrays` took apart."""
        names = ("quaternions", "angle_weights", "rates", "velocities", "clips", "contacts")
        return MetricTable(*(held[name] for name in names), exclude=int(held["exclude"][0]))


def make_metric_table(database: PoseDatabase, parameters: TransitionParameters | None = None) -> MetricTable:
    """The table of a pose database.

    The scales of the two velocity terms are, where they are not given, such that the medians of the three terms over pairs of poses are
    equal (pairs drawn with a fixed seed).

    Raises:
        SkeletonError: none of the weighted joints is known.
    """
    parameters = parameters or TransitionParameters()
    roles = database.skeleton.roles
    joints, weights = [0], [parameters.root_weight]
    for role, weight in JOINT_WEIGHTS.items():
        if role in roles and roles[role] != 0 and parameters.limb_weight > 0:
            joints.append(roles[role])
            weights.append(weight * parameters.limb_weight)
    if len(joints) == 1:
        raise SkeletonError("no hips, shoulders, knees or elbows are known by their roles: poses cannot be compared")
    weighted = np.array(weights)
    quaternions, rates = database.rotations[:, joints], database.turn_rates[:, joints] * weighted[None, :, None]
    contacts = np.zeros(database.poses, np.uint8)
    if parameters.contacts:
        planted = database.contacts.reshape(-1, 2, 2).any(axis=2)
        contacts = (planted @ np.array([1, 2])).astype(np.uint8)
    plain = MetricTable(
        quaternions,
        weighted,
        rates,
        database.velocities,
        database.clip_of_pose,
        contacts,
        parameters.exclude,
    )
    rate_scale, velocity_scale = _scales(plain, parameters)
    return MetricTable(
        plain.quaternions,
        plain.angle_weights,
        plain.rates * np.float32(rate_scale),
        plain.velocities * np.float32(velocity_scale),
        plain.clips,
        plain.contacts,
        parameters.exclude,
        (rate_scale, velocity_scale),
    )


def _scales(table: MetricTable, parameters: TransitionParameters) -> tuple[float, float]:
    if parameters.rate_scale is not None and parameters.velocity_scale is not None:
        return float(parameters.rate_scale), float(parameters.velocity_scale)
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, len(table), (2, min(_SAMPLED, 20 * len(table))))
    angle, rate, velocity = (float(np.median(term)) for term in pose_terms(table, a, b))
    found = [
        angle / other if angle > _LEAST_SCALE and other > _LEAST_SCALE else 1.0 / table_rate
        for other, table_rate in ((rate, 1.0), (velocity, 1.0))
    ]
    chosen = (parameters.rate_scale, parameters.velocity_scale)
    return tuple(float(own if given is None else given) for own, given in zip(found, chosen, strict=True))  # type: ignore[return-value]


def pose_terms(table: MetricTable, a: ArrayLike, b: ArrayLike) -> tuple[Float64, Float64, Float64]:
    """(P,) float64 each: the three terms of K for pairs of poses: angles, angular velocities, root velocities."""
    first, second = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    q, p = table.quaternions[first].astype(np.float64), table.quaternions[second].astype(np.float64)
    q, p = (one / np.linalg.norm(one, axis=-1, keepdims=True) for one in (q, p))
    nearer = np.where(np.sum(q * p, axis=-1, keepdims=True) < 0, -p, p)
    # not the arc cosine, which loses half of the digits where poses are alike
    angles = 4 * np.arctan2(np.linalg.norm(q - nearer, axis=-1), np.linalg.norm(q + nearer, axis=-1))
    rates = np.linalg.norm(table.rates[first].astype(np.float64) - table.rates[second], axis=-1)
    velocities = np.linalg.norm(table.velocities[first].astype(np.float64) - table.velocities[second], axis=-1)
    return angles @ table.angle_weights.astype(np.float64), rates.sum(axis=-1), velocities


def pose_distances(table: MetricTable, a: ArrayLike, b: ArrayLike) -> Float64:
    """(P,) float64: K of pairs of poses."""
    angle, rate, velocity = pose_terms(table, a, b)
    return angle + rate + velocity


def may_jump(table: MetricTable, sources: ArrayLike, targets: ArrayLike) -> np.ndarray:
    """(P,) bool: the jump is no recorded continuation, leaves no last pose, enters no first one and is not excluded."""
    i, j = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
    poses, clips = len(table), table.clips
    after, before = np.minimum(i + 1, poses - 1), np.maximum(j - 1, 0)
    allowed = (i + 1 < poses) & (clips[i] == clips[after]) & (j > 0) & (clips[j] == clips[before])
    allowed &= ~((clips[i] == clips[j]) & (np.abs(j - (i + 1)) <= table.exclude))
    return allowed & (j != i + 1) & (table.contacts[after] == table.contacts[j])


def transition_costs(table: MetricTable, sources: ArrayLike, targets: ArrayLike) -> Float64:
    """(P,) float64: tau of jumps; infinite where the source ends its clip or the target begins one, 0 for the recorded continuation."""
    i, j = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
    poses, clips = len(table), table.clips
    after, before = np.minimum(i + 1, poses - 1), np.maximum(j - 1, 0)
    defined = (i + 1 < poses) & (clips[i] == clips[after]) & (j > 0) & (clips[j] == clips[before])
    costs = 0.5 * (pose_distances(table, after, j) + pose_distances(table, i, before))
    return np.where(defined, costs, np.inf)


def proposal_limit(limit: float) -> float:
    """The cost up to which a search in float32 must propose pairs so that none within `limit` is missed."""
    return limit * (1 + SLACK) + SLACK_AT_ZERO


def pair_tile(
    table: MetricTable, rows: tuple[int, int], columns: tuple[int, int], limit: float
) -> tuple[np.ndarray, np.ndarray]:
    """Sources in `rows` and targets in `columns` (half-open ranges) of all jumps that cost `limit` at most: the plain way, in float32.

    One block of K serves both terms of tau: rows i .. i + B, columns j - 1 .. j + B - 1.
    """
    first, last = max(rows[0], 0), min(rows[1], len(table) - 1)
    left, right = max(columns[0], 1), min(columns[1], len(table))
    if first >= last or left >= right:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    a, b = slice(first, last + 1), slice(left - 1, right)
    block = np.zeros((last + 1 - first, right - left + 1), np.float32)
    for k, weight in enumerate(table.angle_weights):
        cosine = np.abs(table.quaternions[a, k] @ table.quaternions[b, k].T)
        block += weight * 2 * np.arccos(np.minimum(cosine, np.float32(1)))
        block += _lengths(table.rates[a, k], table.rates[b, k])
    block += _lengths(table.velocities[a], table.velocities[b])
    costs = np.float32(0.5) * (block[1:, 1:] + block[:-1, :-1])
    i, j = np.nonzero(costs <= np.float32(limit))
    i, j = i + first, j + left
    allowed = may_jump(table, i, j)
    return i[allowed], j[allowed]


def _lengths(a: Float, b: Float) -> Float32:
    """(A, B) float32 distances; differences are taken before squares, so that small ones keep their digits."""
    gaps = a[:, None, :] - b[None, :, :]
    return np.sqrt(np.einsum("abk,abk->ab", gaps, gaps))


def tiles(count: int, size: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges that cover 0 to `count`."""
    for start in range(0, count, size):
        yield start, min(start + size, count)


def search_edges_plainly(table: MetricTable, limit: float, size: int = 256) -> tuple[np.ndarray, np.ndarray]:
    """Sources and targets of all jumps that cost `limit` at most: every pair of poses is tried, in blocks (the reference)."""
    found = [
        pair_tile(table, rows, columns, proposal_limit(limit))
        for rows in tiles(len(table), size)
        for columns in tiles(len(table), size)
    ]
    return np.concatenate([i for i, _ in found]), np.concatenate([j for _, j in found])


@dataclass(frozen=True, slots=True, eq=False)
class Jumps:
    """Jumps between poses in the order of sources, then targets.

    Attributes:
        sources, targets: (P,) int32 poses.
        costs: (P,) float32 tau.
    """

    sources: np.ndarray
    targets: np.ndarray
    costs: Float32

    def __len__(self) -> int:
        return len(self.sources)

    def picked(self, chosen: np.ndarray) -> Jumps:
        """Some of them."""
        return Jumps(self.sources[chosen], self.targets[chosen], self.costs[chosen])


def settle(table: MetricTable, sources: ArrayLike, targets: ArrayLike, limit: float, most: int = 10) -> Jumps:
    """The jumps among proposed pairs that cost `limit` at most, of each source the `most` cheapest (0: all; ties: the lower target)."""
    i, j = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
    allowed = may_jump(table, i, j)
    i, j = i[allowed], j[allowed]
    costs = np.concatenate(
        [np.zeros(0, np.float32)]
        + [transition_costs(table, i[a:b], j[a:b]).astype(np.float32) for a, b in tiles(len(i), 1 << 17)]
    )
    kept = costs <= np.float32(limit)
    i, j, costs = i[kept], j[kept], costs[kept]
    order = np.lexsort((j, costs, i))
    i, j, costs = i[order], j[order], costs[order]
    if len(i):
        fresh = np.concatenate([[True], (i[1:] != i[:-1]) | (j[1:] != j[:-1])])  # a pair may be proposed twice
        i, j, costs = i[fresh], j[fresh], costs[fresh]
    return cheapest(Jumps(i.astype(np.int32), j.astype(np.int32), costs), most)


def cheapest(jumps: Jumps, most: int) -> Jumps:
    """Of each source the `most` cheapest (0: all; ties: the lower target), in the order of sources, then targets."""
    if most and len(jumps):
        jumps = jumps.picked(np.lexsort((jumps.targets, jumps.costs, jumps.sources)))
        begins = np.flatnonzero(np.concatenate([[True], jumps.sources[1:] != jumps.sources[:-1]]))
        rank = np.arange(len(jumps)) - np.repeat(begins, np.diff(np.append(begins, len(jumps))))
        jumps = jumps.picked(rank < most)
    return jumps.picked(np.lexsort((jumps.targets, jumps.sources)))
