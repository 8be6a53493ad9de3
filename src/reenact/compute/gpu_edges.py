"""The search of transitions between poses on a GPU: all pairs of poses whose transition costs no more than a limit.

This module needs torch and NumPy alone (or NumPy alone: the same code runs on both), and nothing else of this package but `errors`.

What a transition from pose i to pose j costs is the mean of two distances between poses, K(i + 1, j) and K(i, j - 1). With the segment
a of pose a and the one after it in its clip, that is one symmetric function of two segments:

    T(a, b) = (K(a, b) + K(a + 1, b + 1)) / 2,    the cost of a -> b + 1 and of b -> a + 1
    K(a, b) = sum_k w_k angle(q_ak, q_bk) + sum_k |rates_ak - rates_bk| + |velocities_a - velocities_b|

Three sieves, each of which lets everything through that costs no more than the limit:

1. An angle is at least the distance of the matrices q q^T times the root of 2, and a sum of lengths at least the length of all together.
   So with x(a) the vector of all these terms, averaged over the two poses of the segment, T(a, b) >= |x(a) - x(b)|, also of any
   orthogonal projection: one product of matrices in the principal axes of x. Segments are laid out in the leaves of a k-d tree, and
   leaves whose boxes are too far apart are not compared at all.
2. T in float32, the heaviest terms first, without the pairs that cost too much already.
3. T in float64 for what is left.

The pairs found are a superset of the transitions by less than a millionth of the limit; who asked evaluates these few on the CPU
(`mobility.transition_cost.settle`), so that the edges are the same, bit by bit, whatever found them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.errors import ComputeError, MissingExtraError, ParameterError

AXES = 32
"""Principal axes in which segments are compared at first."""

BOXED = 8
"""Of them, those in which the leaves of the tree have boxes."""

LEAF = 2048
"""Segments in a leaf of the tree, at most."""

TILE = {"numpy": 1 << 22, "cpu": 1 << 22, "cuda": 1 << 28}
"""Pairs compared at once in the first sieve, at most: on a GPU a GiB of distances."""

BATCH = {"numpy": 1 << 18, "cpu": 1 << 18, "cuda": 1 << 24}
"""Pairs evaluated at once in the other sieves."""

KEPT = 1 << 26
"""Edges that are gathered before those that are not among the cheapest of their source are dropped."""

ROUGH, FINE = 1e-4, 1e-6
"""By how much more than the limit, relative and absolute, a pair may cost in float32 and in float64."""


@dataclass(slots=True)
class SearchCounts:
    """How much work a search was.

    Attributes:
        segments: of two poses.
        pairs: of segments, all of them.
        compared: pairs in leaves that are near enough to each other.
        candidates: pairs after the first sieve, and `evaluated` after the first terms of the second.
        evaluated: see `candidates`.
        found: pairs after the third.
    """

    segments: int = 0
    pairs: int = 0
    compared: int = 0
    candidates: int = 0
    evaluated: int = 0
    found: int = 0


class _Module:
    """NumPy or torch under one set of names: what the two spell differently."""

    def __init__(self, device: str) -> None:
        self.torch: Any = None
        if device == "numpy":
            self.name, self.xp = device, np
            return
        try:
            import torch  # pyright: ignore[reportMissingImports]
        except ImportError:
            raise MissingExtraError("the search on a GPU", "gpu") from None
        if device == "cuda" and not torch.cuda.is_available():
            raise ComputeError("torch finds no GPU on this machine", where="device")
        self.name, self.xp, self.torch = device, torch, torch

    def put(self, array: np.ndarray, kind: str) -> Any:
        """An array on the device, of a type."""
        array = np.ascontiguousarray(array, dtype=kind)
        return array if self.torch is None else self.torch.from_numpy(array.copy()).to(self.name)

    def get(self, array: Any) -> np.ndarray:
        """An array of the device here."""
        return array if self.torch is None else array.cpu().numpy()

    def cast(self, array: Any, kind: str) -> Any:
        """As another type."""
        return array.astype(kind) if self.torch is None else array.to(getattr(self.torch, kind))

    def zeros(self, shape: tuple[int, ...], kind: str) -> Any:
        """Zeros on the device."""
        if self.torch is None:
            return np.zeros(shape, kind)
        return self.torch.zeros(shape, dtype=getattr(self.torch, kind), device=self.name)

    def count_up(self, count: int) -> Any:
        """0 to count - 1."""
        return np.arange(count) if self.torch is None else self.torch.arange(count, device=self.name)

    def order(self, array: Any) -> Any:
        """What sorts an array, equal values in their order."""
        return np.argsort(array, kind="stable") if self.torch is None else self.torch.argsort(array, stable=True)

    def join(self, arrays: list[Any]) -> Any:
        """End to end."""
        return np.concatenate(arrays) if self.torch is None else self.torch.cat(arrays)

    def low(self, array: Any, axis: int) -> Any:
        """Smallest values."""
        return array.min(axis) if self.torch is None else array.amin(axis)

    def high(self, array: Any, axis: int) -> Any:
        """Largest values."""
        return array.max(axis) if self.torch is None else array.amax(axis)


def devices() -> list[str]:
    """Where a search can run on this machine: "numpy", with torch "cpu" as well, with a GPU "cuda" too."""
    try:
        import torch  # pyright: ignore[reportMissingImports]
    except ImportError:
        return ["numpy"]
    return ["numpy", "cpu", "cuda"] if torch.cuda.is_available() else ["numpy", "cpu"]


def propose_edges(
    table: Mapping[str, np.ndarray],
    limit: float,
    most: int = 0,
    *,
    device: str = "cuda",
    counts: SearchCounts | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Sources and targets, (P,) int32 each, of all transitions that cost no more than `limit`, and a few more; in the order of sources.

    Args:
        table: of N poses with M weighted joints: `quaternions` (N, M, 4) float32, `angle_weights` (M,), `rates` (N, M, 3) and
            `velocities` (N, 3) float32 with their weights, `clips` (N,) int32 that do not descend, and, where they are given,
            `contacts` (N,) uint8, which must be those of the next pose for a transition, and `exclude` (1,): within a clip no
            transitions to poses this near to the next.
        limit: largest cost.
        most: of each source only the cheapest are needed (0: all).
        device: "cuda", "cpu" (torch) or "numpy".
        counts: filled with what was done.

    Raises:
        MissingExtraError: torch is not installed.
        ComputeError: there is no GPU.
        ParameterError: arrays that do not fit each other, or hold numbers that are not finite.
    """
    if device not in ("cuda", "cpu", "numpy"):
        raise ParameterError(f"device must be cuda, cpu or numpy, not {device!r}", where="device")
    if not (np.isfinite(limit) and limit >= 0):
        raise ParameterError(f"the limit of costs must be at least 0, not {limit}", where="limit")
    if most < 0:
        raise ParameterError(f"must be at least 0, not {most}", where="most")
    _check_table(table)
    module = _Module(device)
    counts = SearchCounts() if counts is None else counts
    search = _Search(module, table, float(limit), counts)
    gathered = _Gathered(module, most, len(table["clips"]))
    for a, b in search.near_pairs():
        for sources, targets, costs in search.evaluate(a, b):
            gathered.add(sources, targets, costs)
    return gathered.all()


def _check_table(table: Mapping[str, np.ndarray]) -> None:
    poses, joints = np.shape(table["quaternions"])[:2]
    shapes = {
        "quaternions": (poses, joints, 4),
        "angle_weights": (joints,),
        "rates": (poses, joints, 3),
        "velocities": (poses, 3),
        "clips": (poses,),
    }
    for name, shape in shapes.items():
        if np.shape(table[name]) != shape:
            raise ParameterError(f"expected the shape {shape}, not {np.shape(table[name])}", where=name)
        if not np.all(np.isfinite(table[name])):
            raise ParameterError("holds numbers that are not finite", where=name)
    if np.any(np.asarray(table["angle_weights"]) < 0):
        raise ParameterError("weights cannot be negative", where="angle_weights")
    if np.any(np.diff(table["clips"]) < 0):
        raise ParameterError("the poses of a clip must lie together, clips in their order", where="clips")


class _Search:
    """The three sieves over the segments of a table."""

    def __init__(self, module: _Module, table: Mapping[str, np.ndarray], limit: float, counts: SearchCounts) -> None:
        self.module, self.limit, self.counts = module, limit, counts
        clips = np.asarray(table["clips"])
        here = np.flatnonzero(clips[:-1] == clips[1:])
        counts.segments, counts.pairs = len(here), len(here) * (len(here) - 1) // 2
        self.weights = np.asarray(table["angle_weights"], np.float64)
        self.order = np.argsort(-self.weights, kind="stable")
        q = np.asarray(table["quaternions"], np.float64)
        q = q / np.linalg.norm(q, axis=-1, keepdims=True)
        self.quaternions = module.put(q, "float64")
        self.rates = module.put(table["rates"], "float64")
        self.velocities = module.put(table["velocities"], "float64")
        self.clips = module.put(clips, "int64")
        contacts = table.get("contacts")
        self.contacts = None if contacts is None or not np.any(contacts) else module.put(contacts, "int64")
        self.exclude = int(np.ravel(table["exclude"])[0]) if "exclude" in table else 0
        self.rough = {
            "float32": [module.cast(one, "float32") for one in (self.quaternions, self.rates, self.velocities)],
            "float64": [self.quaternions, self.rates, self.velocities],
        }
        self._lay_out(module.put(here, "int64"))

    # The first sieve

    def _lay_out(self, segments: Any) -> None:
        """Segments in the leaves of a tree, in principal axes; the last places are filled up with the last segment."""
        module, xp = self.module, self.module.xp
        count = len(segments)
        self.leaves, self.size = 0, 0
        if count == 0:
            return
        points = self._principal(segments)
        leaves = 1
        while count > LEAF * leaves:
            leaves *= 2
        size = -(-count // leaves)
        room = leaves * size
        # places in the tree -> segments; -1 where there is none
        places = xp.clip(module.count_up(room), None, count - 1)[None]
        filled = (module.count_up(room) < count)[None]
        boxed = points[:, :BOXED]
        while places.shape[0] < leaves:
            here = boxed[places]
            axis = (module.high(here, 1) - module.low(here, 1)).argmax(1)
            rows = module.count_up(places.shape[0])[:, None]
            order = boxed[places, axis[:, None]].argsort(1)
            places, filled = places[rows, order], filled[rows, order]
            half = places.shape[1] // 2
            places, filled = places.reshape(-1, half), filled.reshape(-1, half)
        self.leaves, self.size = places.shape
        self.segments = segments[places.reshape(-1)]
        self.filled = filled.reshape(-1)
        self.points = points[places.reshape(-1)]
        boxes = boxed[places]
        self.lows, self.highs = module.get(module.low(boxes, 1)), module.get(module.high(boxes, 1))

    def _principal(self, segments: Any) -> Any:
        """(S, AXES) float32: the averaged terms of segments in their principal axes."""
        module, xp = self.module, self.module.xp
        q, root = self.quaternions, 2.0**0.5
        terms = [
            (float(weight) * (root if a == b else 2.0)) * q[:, k, a] * q[:, k, b]
            for k, weight in enumerate(self.weights)
            for a in range(4)
            for b in range(a, 4)
        ]
        wide = xp.stack(terms, 1)
        wide = xp.concatenate([wide, self.rates.reshape(len(self.rates), -1), self.velocities], 1)
        mean = 0.5 * (wide[segments] + wide[segments + 1])
        mean = mean - mean.mean(0)
        _, axes = xp.linalg.eigh(mean.T @ mean)
        wanted = min(AXES, axes.shape[1])
        chosen = axes[:, list(range(axes.shape[1] - 1, axes.shape[1] - 1 - wanted, -1))]
        return module.cast(mean @ chosen, "float32")

    def near_pairs(self) -> Iterator[tuple[Any, Any]]:
        """Pairs (a, b) of segments, each pair once, that the first sieve lets through."""
        rough = self.limit * (1 + ROUGH) + ROUGH
        for leaf in range(self.leaves):
            gaps = np.maximum(self.lows[leaf] - self.highs[leaf:], self.lows[leaf:] - self.highs[leaf])
            near = leaf + np.flatnonzero(np.sum(np.maximum(gaps, 0.0) ** 2, axis=1, dtype=np.float64) <= rough**2)
            step = max(TILE[self.module.name] // (self.size * self.size), 1)
            for first in range(0, len(near), step):
                yield from self._tile(leaf, near[first : first + step], rough)

    def _tile(self, leaf: int, others: np.ndarray, rough: float) -> Iterator[tuple[Any, Any]]:
        """One leaf against some that come after it, or itself."""
        module, xp, size = self.module, self.module.xp, self.size
        rows = slice(leaf * size, (leaf + 1) * size)
        leaves = module.put(others, "int64")
        columns = (leaves[:, None] * size + module.count_up(size)[None]).reshape(-1)
        self.counts.compared += size * len(columns)
        x, y = self.points[rows], self.points[columns]
        middle = x.mean(0)
        x, y = x - middle, y - middle
        xx, yy = (x * x).sum(1)[:, None], (y * y).sum(1)[:, None]
        # -|x - y|^2 of all pairs as one product; with room for the rounding of a difference of squares in float32
        x = xp.concatenate([2.0 * x, -xx, xx * 0 - 1.0], 1)
        y = xp.concatenate([y, yy * 0 + 1.0, yy], 1)
        room = rough**2 + 1e-5 * float(xx.max() + yy.max())
        i, j = xp.where(x @ y.T >= -room)
        i, j = i + leaf * size, columns[j]
        once = self.filled[i] & self.filled[j] & (i < j)
        a, b = self.segments[i[once]], self.segments[j[once]]
        apart = (self.clips[a] != self.clips[b]) | (abs(a - b) > max(self.exclude, 0))
        if self.contacts is not None:
            apart = apart & (self.contacts[a + 1] == self.contacts[b + 1])
        self.counts.candidates += len(a)
        yield a[apart], b[apart]

    # The others

    def evaluate(self, a: Any, b: Any) -> Iterator[tuple[Any, Any, Any]]:
        """Sources, targets and costs (float64) of the pairs of segments that cost no more than the limit."""
        module = self.module
        step = BATCH[module.name]
        for first in range(0, len(a), step):
            left, right = a[first : first + step], b[first : first + step]
            for heavy in (True, False):
                rough = self.limit * (1 + ROUGH) + ROUGH
                costs = self._costs(left, right, "float32", heavy=heavy)
                left, right = (one[costs <= rough] for one in (left, right))
                self.counts.evaluated += len(left) if heavy else 0
            costs = self._costs(left, right, "float64", heavy=False)
            fine = costs <= self.limit * (1 + FINE) + 1e-12
            left, right, costs = left[fine], right[fine], costs[fine]
            self.counts.found += len(left)
            yield module.join([left, right]), module.join([right + 1, left + 1]), module.join([costs, costs])

    def _costs(self, a: Any, b: Any, kind: str, *, heavy: bool) -> Any:
        """T of pairs of segments; of the heaviest terms alone: velocities and the first three joints."""
        xp = self.module.xp
        quaternions, rates, velocities = self.rough[kind]
        joints = [int(k) for k in (self.order[:3] if heavy else self.order)]
        total = self.module.zeros((len(a),), kind)
        for step in (0, 1):
            first, second = a + step, b + step
            gap = velocities[first] - velocities[second]
            total = total + xp.sqrt((gap * gap).sum(-1))
            for k in joints:
                gap = rates[first, k] - rates[second, k]
                total = total + xp.sqrt((gap * gap).sum(-1))
                q, p = quaternions[first, k], quaternions[second, k]
                less, more = q - p, q + p
                less, more = (less * less).sum(-1), (more * more).sum(-1)
                # not the arc cosine, which loses half of the digits where poses are alike; q and -q are one rotation
                angle = 4.0 * xp.arctan2(xp.sqrt(xp.minimum(less, more)), xp.sqrt(xp.maximum(less, more)))
                total = total + float(self.weights[k]) * angle
        return 0.5 * total


class _Gathered:
    """Edges as they are found; those that cannot be among the cheapest of their source are dropped now and then."""

    def __init__(self, module: _Module, most: int, poses: int) -> None:
        self.module, self.most, self.poses = module, most, poses
        self._parts: list[tuple[Any, Any, Any]] = []
        self._count = 0

    def add(self, sources: Any, targets: Any, costs: Any) -> None:
        """More edges."""
        self._parts.append((sources, targets, costs))
        self._count += len(sources)
        if self.most and self._count > KEPT:
            self._parts = [self._cheapest()]
            self._count = len(self._parts[0][0])

    def all(self) -> tuple[np.ndarray, np.ndarray]:
        """Sources and targets, in order."""
        if not self._parts:
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        sources, targets, _ = self._cheapest()
        order = self.module.order(sources * self.poses + targets)
        return tuple(self.module.get(one[order]).astype(np.int32) for one in (sources, targets))  # type: ignore[return-value]

    def _cheapest(self) -> tuple[Any, Any, Any]:
        module = self.module
        sources, targets, costs = (module.join([part[n] for part in self._parts]) for n in range(3))
        if not self.most or not len(sources):
            return sources, targets, costs
        order = module.order(costs)
        order = order[module.order(sources[order])]
        sources, targets, costs = sources[order], targets[order], costs[order]
        starts = module.xp.searchsorted(sources, module.count_up(self.poses))
        last = module.xp.clip(starts + (self.most - 1), None, len(sources) - 1)
        worst = module.xp.where(sources[last] == module.count_up(self.poses), costs[last], costs[last] * 0 + np.inf)
        kept = costs <= worst[sources] * (1 + FINE) + 1e-12
        return sources[kept], targets[kept], costs[kept]
