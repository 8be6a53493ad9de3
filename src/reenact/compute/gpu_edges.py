"""The search of transitions between poses on a GPU: all pairs of poses whose transition costs no more than a limit.

This module needs torch and NumPy alone (or NumPy alone: the same code runs on both), and nothing else of this package but `errors`.

What a transition from pose i to pose j costs is the mean of two distances between poses, K(i + 1, j) and K(i, j - 1). With the segment
a of pose a and the one after it in its clip, that is one symmetric function of two segments:

    T(a, b) = (K(a, b) + K(a + 1, b + 1)) / 2,    the cost of a -> b + 1 and of b -> a + 1
    K(a, b) = sum_k w_k angle(q_ak, q_bk) + sum_k |rates_ak - rates_bk| + |velocities_a - velocities_b|

Three sieves, each of which lets everything through that costs no more than the limit:

1. An angle is at least the distance of the matrices q q^T times the root of 2, and a sum of lengths at least the length of all together.
   So for every group of terms of T, with x(a) the vector of its terms averaged over the two poses of the segment, |x(a) - x(b)| is at
   most what the group adds to T(a, b), also in an orthogonal projection: products of matrices, and sums of roots. Segments are laid out in
   the leaves of a k-d tree, and leaves whose boxes are too far apart are not compared at all.
2. T in float32, the heaviest terms first, without the pairs that cost too much already.
3. T in float64 for what is left.

Where only the cheapest transitions of each pose are wanted, what they cost at most is first worked out among the segments of its own leaf.

The pairs found are a superset of the transitions by less than a millionth of the limit; who asked evaluates these few on the CPU
(`mobility.transition_cost.settle`), so that the edges are the same, bit by bit, whatever found them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.errors import ComputeError, MissingExtraError, ParameterError

AXES = 16
"""Principal axes of a group of terms, at most."""

HEAVY = 3
"""Joints of the largest weights, which are looked at first."""

PARTS = ("heavy", "light")
"""Of the terms: those of the heavy joints and of the root's velocity, and the others."""

BOXED = 8
"""Principal axes of all terms in which the leaves of the tree have boxes."""

TRIED = 4
"""Times as many transitions are tried in a pose's own leaf as are wanted of it."""

LEAF = 2048
"""Segments in a leaf of the tree, at most."""

TILE = {"numpy": 1 << 22, "cpu": 1 << 22, "cuda": 1 << 27}
"""Pairs compared at once in the first sieve, at most: on a GPU half a GiB of distances."""

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
        found: transitions after the third.
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
        if torch.backends.cuda.matmul.allow_tf32:
            raise ComputeError("torch is set to multiply in TF32, which is not exact enough", where="device")
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

    def take(self, array: Any, rows: Any) -> Any:
        """Rows of an array, a copy."""
        return array[rows] if self.torch is None else self.torch.index_select(array, 0, rows)

    def smallest(self, array: Any, count: int) -> Any:
        """Where the smallest values of each row are."""
        if self.torch is None:
            return np.argpartition(array, count - 1, axis=1)[:, :count]
        return self.torch.topk(array, count, dim=1, largest=False, sorted=False)[1]

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


def device_of(executor: object) -> str | None:
    """The device that the name of an executor stands for: "gpu" is "cuda", "gpu:numpy" the same search without a GPU; None: no device."""
    if not isinstance(executor, str) or executor.partition(":")[0] != "gpu":
        return None
    return "cuda" if executor == "gpu" else executor.partition(":")[2]


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
    if most:
        search.find_caps(most)
    gathered = _Gathered(module, most, len(table["clips"]))
    for i, j in search.near_pairs():
        for sources, targets, costs in search.evaluate(i, j):
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
        self.capped = False
        self._lay_out(module.put(here, "int64"))

    # The first sieve

    def _lay_out(self, segments: Any) -> None:
        """Segments in the leaves of a tree; the last places are filled up with the last segment."""
        module, xp = self.module, self.module.xp
        count = len(segments)
        self.leaves, self.size = 0, 0
        if count == 0:
            return
        groups = [self._principal(vectors, AXES) for vectors in self._groups(segments)]
        boxed = module.cast(self._principal(xp.concatenate(groups, 1), BOXED), "float32")
        leaves = 1
        while count > LEAF * leaves:
            leaves *= 2
        room = leaves * -(-count // leaves)
        places = xp.clip(module.count_up(room), None, count - 1)[None]
        filled = (module.count_up(room) < count)[None]
        while places.shape[0] < leaves:  # every leaf is cut in halves across its longest side
            here = boxed[places]
            axis = (module.high(here, 1) - module.low(here, 1)).argmax(1)
            rows = module.count_up(places.shape[0])[:, None]
            order = boxed[places, axis[:, None]].argsort(1)
            half = places.shape[1] // 2
            places, filled = places[rows, order].reshape(-1, half), filled[rows, order].reshape(-1, half)
        self.leaves, self.size = places.shape
        flat = places.reshape(-1)
        self.segments, self.filled = segments[flat], filled.reshape(-1)
        self.groups = [module.cast(group, "float32")[flat] for group in groups]
        self.records = {}
        for part, joints in zip(PARTS, (self.order[:HEAVY], self.order[HEAVY:]), strict=True):
            for kind in ("float32", "float64"):
                self.records[part, kind] = self._record([int(k) for k in joints], kind, heavy=part == PARTS[0])
        self.caps = module.zeros((room,), "float32") + (self.limit * (1 + ROUGH) + ROUGH)
        boxes = boxed[places]
        self.lows, self.highs = module.get(module.low(boxes, 1)), module.get(module.high(boxes, 1))

    def _record(self, joints: list[int], kind: str, *, heavy: bool) -> tuple[Any, Any, Any]:
        """Of some joints, in the order of the places: vectors and rotations of both poses of a segment, weights of the rotations."""
        module, xp = self.module, self.module.xp
        vectors = [self.velocities] * heavy + [self.rates[:, k] for k in joints]
        rotations = [self.quaternions[:, k] for k in joints]
        after = self.segments + 1
        both = [
            xp.concatenate([one[rows] for rows in (self.segments, after) for one in some], 1)
            if some
            else module.zeros((len(after), 0), "float64")
            for some in (vectors, rotations)
        ]
        weights = module.put(np.tile(self.weights[joints], 2), kind) if joints else None
        return module.cast(both[0], kind), module.cast(both[1], kind), weights

    def _groups(self, segments: Any) -> Iterator[Any]:
        """(S, D) float64 for every group of terms: their vectors, averaged over the two poses of each segment."""
        xp, root = self.module.xp, 2.0**0.5

        def angles(k: int) -> list[Any]:
            q, weight = self.quaternions[:, k], float(self.weights[k])
            pairs = [(a, b) for a in range(4) for b in range(a, 4)]
            return [(weight * (root if a == b else 2.0)) * q[:, a] * q[:, b] for a, b in pairs]

        order = [int(k) for k in self.order]
        parts = [[term for k in some for term in angles(k)] for some in (order[:1], order[1:HEAVY], order[HEAVY:])]
        parts += [[self.rates[:, k, n] for k in some for n in range(3)] for some in (order[:HEAVY], order[HEAVY:])]
        parts.append([self.velocities[:, n] for n in range(3)])
        for terms in parts:
            if terms:
                vectors = xp.stack(terms, 1)
                yield 0.5 * (vectors[segments] + vectors[segments + 1])

    def _principal(self, vectors: Any, most: int) -> Any:
        """Vectors in their principal axes, `most` of them."""
        centred = vectors - vectors.mean(0)
        _, axes = self.module.xp.linalg.eigh(centred.T @ centred)
        width = axes.shape[1]
        return centred @ axes[:, list(range(width - 1, max(width - 1 - most, -1), -1))]

    def _bounds(self, rows: Any, columns: Any) -> tuple[Any, float]:
        """(R, C) what pairs of places cost at least, and how much less that can be for the rounding of float32."""
        module, xp = self.module, self.module.xp
        total, slack, product = None, 0.0, None
        for group in self.groups:
            x, y = group[rows], group[columns]
            middle = x.mean(0)
            x, y = x - middle, y - middle
            xx, yy = (x * x).sum(1)[:, None], (y * y).sum(1)[:, None]
            # |x - y|^2 as one product, and a little more, so that rounding leaves nothing below 0
            room = 1e-5 * float(xx.max() + yy.max()) + 1e-30
            x = xp.concatenate([-2.0 * x, xx + room, xx * 0 + 1.0], 1)
            y = xp.concatenate([y, yy * 0 + 1.0, yy], 1)
            if total is None:
                total = product = x @ y.T
                xp.sqrt(total, out=total)
            else:
                product = module.zeros(tuple(total.shape), "float32") if product is total else product
                xp.matmul(x, y.T, out=product)
                xp.sqrt(product, out=product)
                total += product
            slack += (2 * room) ** 0.5
        return total, slack

    def _allowed(self, a: Any, b: Any) -> Any:
        """Whether there may be transitions between segments: not within a clip to the poses beside the next."""
        apart = (self.clips[a] != self.clips[b]) | (abs(a - b) > self.exclude)
        return apart if self.contacts is None else apart & (self.contacts[a + 1] == self.contacts[b + 1])

    def find_caps(self, most: int) -> None:
        """What the `most` cheapest transitions of each segment cost at most, as far as its own leaf tells."""
        module, xp, size = self.module, self.module.xp, self.size
        self.capped = True
        tried = min(TRIED * most, size)
        step = max(BATCH[module.name] // tried, 1)
        for leaf in range(self.leaves if most <= size else 0):
            places = module.count_up(size) + leaf * size
            bounds, _ = self._bounds(places, places)
            a = self.segments[places]
            usable = self._allowed(a[:, None], a[None]) & self.filled[places][None]
            bounds = xp.where(usable, bounds, bounds * 0 + np.inf)
            near = module.smallest(bounds, tried)
            rows = module.count_up(size)[:, None]
            tried_pairs = (rows + near * 0 + leaf * size).reshape(-1), (near + leaf * size).reshape(-1)
            costs = module.join(
                [
                    sum(
                        self._costs(i[first : first + step], j[first : first + step], part, "float32") for part in PARTS
                    )
                    for i, j in [tried_pairs]
                    for first in range(0, len(i), step)
                ]
            ).reshape(size, tried)
            costs = xp.where(usable[rows, near], costs, costs * 0 + np.inf)
            nth = costs[rows, costs.argsort(1)][:, most - 1]
            self.caps[leaf * size : (leaf + 1) * size] = xp.minimum(nth * (1 + 2 * ROUGH) + ROUGH, self.caps[places])

    def near_pairs(self) -> Iterator[tuple[Any, Any]]:
        """Pairs (i, j) of places in the tree, each pair once, that the first sieve lets through."""
        caps = self.module.get(self.module.high(self.caps.reshape(self.leaves, self.size), 1)) if self.leaves else []
        for leaf in range(self.leaves):
            gaps = np.maximum(self.lows[leaf] - self.highs[leaf:], self.lows[leaf:] - self.highs[leaf])
            apart = np.sqrt(np.sum(np.maximum(gaps, 0.0) ** 2, axis=1, dtype=np.float64)) * (1 - ROUGH)
            near = leaf + np.flatnonzero(apart <= np.maximum(caps[leaf], caps[leaf:]))
            step = max(TILE[self.module.name] // (self.size * self.size), 1)
            for first in range(0, len(near), step):
                yield self._tile(leaf, near[first : first + step])

    def _tile(self, leaf: int, others: np.ndarray) -> tuple[Any, Any]:
        """One leaf against some that come after it, or itself."""
        module, xp, size = self.module, self.module.xp, self.size
        rows = module.count_up(size) + leaf * size
        columns = (module.put(others, "int64")[:, None] * size + module.count_up(size)[None]).reshape(-1)
        self.counts.compared += size * len(columns)
        bounds, slack = self._bounds(rows, columns)
        if self.capped:
            near = bounds <= (self.caps[rows] + slack)[:, None]
            near |= bounds <= (self.caps[columns] + slack)[None]
        else:
            near = bounds <= self.limit * (1 + ROUGH) + ROUGH + slack
        i, j = xp.where(near)
        i, j = rows[i], columns[j]
        kept = self.filled[i] & self.filled[j] & (i < j)
        i, j = i[kept], j[kept]
        kept = self._allowed(self.segments[i], self.segments[j])
        self.counts.candidates += len(i)
        return i[kept], j[kept]

    # The others

    def evaluate(self, i: Any, j: Any) -> Iterator[tuple[Any, Any, Any]]:
        """Sources, targets and costs (float64) of the transitions between pairs of places that are cheap enough."""
        module, step = self.module, BATCH[self.module.name]
        for first in range(0, len(i), step):
            left, right = i[first : first + step], j[first : first + step]
            costs = self._costs(left, right, "heavy", "float32")
            cheap = self._cheap(costs, left, right)
            left, right, costs = left[cheap], right[cheap], costs[cheap]
            self.counts.evaluated += len(left)
            cheap = self._cheap(costs + self._costs(left, right, "light", "float32"), left, right)
            left, right = left[cheap], right[cheap]
            a, b = self.segments[left], self.segments[right]
            costs = self._costs(left, right, "heavy", "float64") + self._costs(left, right, "light", "float64")
            fine = costs <= self.limit * (1 + FINE) + 1e-12
            there, back = fine & (costs <= self.caps[left]), fine & (costs <= self.caps[right])
            self.counts.found += int(there.sum()) + int(back.sum())
            yield (
                module.join([a[there], b[back]]),
                module.join([b[there] + 1, a[back] + 1]),
                module.join([costs[there], costs[back]]),
            )

    def _cheap(self, costs: Any, i: Any, j: Any) -> Any:
        """Which pairs of places may be among the cheapest of one of the two."""
        return (costs <= self.caps[i]) | (costs <= self.caps[j])

    def _costs(self, i: Any, j: Any, part: str, kind: str) -> Any:
        """What the heavy terms, or the light ones, add to T of pairs of places."""
        module, xp = self.module, self.module.xp
        vectors, rotations, weights = self.records[part, kind]
        gaps = module.take(vectors, i)
        gaps -= module.take(vectors, j)
        gaps *= gaps
        total = xp.sqrt(gaps.reshape(len(i), gaps.shape[1] // 3, 3).sum(-1)).sum(-1)
        if weights is None:
            return 0.5 * total
        q, p = module.take(rotations, i), module.take(rotations, j)
        less, more = q - p, q
        more += p
        less *= less
        more *= more
        less, more = (xp.sqrt(one.reshape(len(i), one.shape[1] // 4, 4).sum(-1)) for one in (less, more))
        # not the arc cosine, which loses half of the digits where poses are alike; q and -q are one rotation
        return 0.5 * (total + 4.0 * (xp.arctan2(xp.minimum(less, more), xp.maximum(less, more)) @ weights))


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
