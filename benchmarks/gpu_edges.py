"""The search of transitions on a GPU: are its edges those of brute force, and how long does it take?

    PYTHONPATH=src python3 benchmarks/gpu_edges.py TABLE.npz [--limit 3.31] [--most 10] [--device cuda] [--json FILE]

needs torch and NumPy alone. TABLE.npz holds the metric table of a pose database; where the rest of reenact is installed,

    python benchmarks/gpu_edges.py --make TABLE.npz

makes it of the walks, runs, turns and steps among the recordings (`$REENACT_DATA` or `../shared/data`) at 30 Hz and their mirror images.

1. On 3 000 poses: the edges of the search, after evaluation in float64 by NumPy, against every pair by NumPy in float64.
2. On the 33 404 poses that the thesis had: against every pair on the device in float64, and the time of the search.
3. On 500 000 poses: the time, and 100 sources against all targets in float64. The recordings hold less, so they are repeated as if by
   others: every clip again with joints turned by constants of about 3 degrees and up to 10 % faster or slower.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np

from reenact.compute.gpu_edges import AXES, HEAVY, SearchCounts, propose_edges

THESIS = 33_404
MANY = 500_000
SUBSET = 3_000
WORDS = ("walk", "run", "jog", "turn", "step", "stride", "march", "sneak", "stop", "start", "stand", "veer", "limp")


# Tables


def make_table(path: Path) -> None:
    """Write the metric table of the recorded locomotion and its mirror images."""
    import csv
    from dataclasses import replace

    from reenact.loading import load
    from reenact.mobility.gathering import GatheringParameters, build_pose_database
    from reenact.mobility.pose_database import join_databases, keep_clips
    from reenact.mobility.transition_cost import make_metric_table

    folder = Path(os.environ.get("REENACT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    with open(folder / "index.csv", encoding="utf-8") as index:
        rows = [row for row in csv.DictReader(index) if row["path"].startswith("cmu-bvh/")]
    halves: tuple[list, list] = ([], [])
    for row in rows:
        if not any(word in row["description"].lower() for word in WORDS) or int(row["frames"]) < 12:
            continue
        both = build_pose_database([load(folder / row["path"])], GatheringParameters(mirrored=True))
        for half, database in enumerate(halves):
            database.append(keep_clips(both, [half]))
    skeleton = halves[0][0].skeleton  # turns and speeds are compared, which need no common lengths of bones
    databases = [replace(one, skeleton=skeleton) for half in halves for one in half]
    table = make_metric_table(join_databases(databases))
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **table.as_arrays())
    print(
        f"{len(table)} poses of {len(halves[0])} clips and their mirror images: {path} ({path.stat().st_size >> 20} MiB)"
    )


def first_poses(table: dict, poses: int) -> dict:
    """The first clips that hold so many poses, the last one cut."""
    return {name: array[:poses] if len(array) == len(table["clips"]) else array for name, array in table.items()}


def spread_over(table: dict, poses: int) -> dict:
    """Poses from all over the table: a part of each of some clips."""
    rng = np.random.default_rng(0)
    starts = np.flatnonzero(np.append(True, np.diff(table["clips"]) > 0))
    ends = np.append(starts[1:], len(table["clips"]))
    rows: list[np.ndarray] = []
    for clip in rng.permutation(len(starts)):
        rows.append(np.arange(starts[clip], min(ends[clip], starts[clip] + 100)))
        if sum(map(len, rows)) >= poses:
            break
    chosen = np.concatenate(sorted(rows, key=lambda row: row[0]))[:poses]
    return {name: array[chosen] if len(array) == len(table["clips"]) else array for name, array in table.items()}


def repeat(table: dict, poses: int) -> dict:
    """The clips again and again, each time as if of another person."""
    rng = np.random.default_rng(0)
    count, joints = table["quaternions"].shape[:2]
    clips = np.unique(table["clips"], return_inverse=True)[1]
    copies: dict[str, list[np.ndarray]] = {
        name: [] for name in ("quaternions", "rates", "velocities", "clips", "contacts")
    }
    for copy in range(-(-poses // count)):
        vectors = np.radians(3.0) * rng.normal(size=(clips.max() + 1, joints, 3)) * (copy > 0)
        half = 0.5 * vectors[clips]
        q = table["quaternions"].astype(np.float64)
        turned = multiply(np.concatenate([np.sqrt(1 - np.minimum(np.sum(half**2, -1, keepdims=True), 1)), half], -1), q)
        pace = (1 + (copy > 0) * rng.uniform(-0.1, 0.1, clips.max() + 1))[clips]
        copies["quaternions"].append(turned.astype(np.float32))
        copies["rates"].append((table["rates"] * pace[:, None, None]).astype(np.float32))
        copies["velocities"].append((table["velocities"] * pace[:, None]).astype(np.float32))
        copies["clips"].append((clips + copy * (clips.max() + 1)).astype(np.int32))
        copies["contacts"].append(table["contacts"])
    made = {name: np.concatenate(parts)[:poses] for name, parts in copies.items()}
    return {**made, "angle_weights": table["angle_weights"], "exclude": table["exclude"]}


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products of quaternions wxyz."""
    w, x, y, z = np.moveaxis(a, -1, 0)
    p, q, r, s = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w * p - x * q - y * r - z * s,
            w * q + x * p + y * s - z * r,
            w * r - x * s + y * p + z * q,
            w * s + x * r - y * q + z * p,
        ],
        -1,
    )


# What is right


def distances(xp, table: dict, rows, columns):
    """(R, C) float64: K of the poses of two ranges, by NumPy or torch; not the way of the search."""
    total = 0.0
    for k, weight in enumerate(table["angle_weights"]):
        q, p = table["quaternions"][rows, k], table["quaternions"][columns, k]
        total = total + float(weight) * 4 * half_angles(xp, q, p)
        a, b = table["rates"][rows, k], table["rates"][columns, k]
        total = total + lengths(xp, a, b)
    return total + lengths(xp, table["velocities"][rows], table["velocities"][columns])


def half_angles(xp, q, p):
    """Half of half the angles between rotations."""
    less, more = lengths(xp, q, p), lengths(xp, q, -p)
    return xp.arctan2(xp.minimum(less, more), xp.maximum(less, more))


def lengths(xp, a, b):
    """Lengths of all differences, one coordinate after the other."""
    total = 0.0
    for k in range(a.shape[1]):
        gap = a[:, None, k] - b[None, :, k]
        total = total + gap * gap
    return xp.sqrt(total)


def in_float64(table: dict) -> dict:
    """The table as the reference takes it."""
    wide = {
        name: np.asarray(table[name], np.float64) for name in ("quaternions", "rates", "velocities", "angle_weights")
    }
    wide["quaternions"] = wide["quaternions"] / np.linalg.norm(wide["quaternions"], axis=-1, keepdims=True)
    return wide


def allowed(table: dict, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Which transitions may be: from no last pose, to no first one, and not to the poses beside the next."""
    clips, last = table["clips"], len(table["clips"]) - 1
    after, before = np.minimum(sources + 1, last), np.maximum(targets - 1, 0)
    fine = (sources < last) & (clips[after] == clips[sources]) & (targets > 0) & (clips[before] == clips[targets])
    near = np.abs(targets - sources - 1) <= int(table["exclude"][0])
    fine &= ~(near & (clips[sources] == clips[targets])) & (targets != sources + 1)
    return fine & (table["contacts"][after] == table["contacts"][targets])


def costs_of(table: dict, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """(P,) float64: what transitions cost, by NumPy, pair by pair."""
    wide, found = in_float64(table), []
    for first in range(0, len(sources), 1 << 17):
        i, j = sources[first : first + (1 << 17)].astype(np.int64), targets[first : first + (1 << 17)].astype(np.int64)
        total = np.zeros(len(i))
        for a, b in ((i + 1, j), (i, j - 1)):
            q, p = wide["quaternions"][a], wide["quaternions"][b]
            less, more = np.linalg.norm(q - p, axis=-1), np.linalg.norm(q + p, axis=-1)
            angles = 4 * np.arctan2(np.minimum(less, more), np.maximum(less, more))
            total += angles @ wide["angle_weights"]
            total += np.linalg.norm(wide["rates"][a] - wide["rates"][b], axis=-1).sum(-1)
            total += np.linalg.norm(wide["velocities"][a] - wide["velocities"][b], axis=-1)
        found.append(0.5 * total)
    return np.concatenate([np.zeros(0), *found])


def settle(
    table: dict, sources: np.ndarray, targets: np.ndarray, limit: float, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Proposed transitions to edges: costs in float64, rounded to float32, then threshold and the cheapest of each source."""
    i, j = sources.astype(np.int64), targets.astype(np.int64)
    fine = allowed(table, i, j)
    i, j = i[fine], j[fine]
    costs = costs_of(table, i, j).astype(np.float32)
    kept = costs <= np.float32(limit)
    i, j, costs = i[kept], j[kept], costs[kept]
    order = np.lexsort((j, costs, i))
    i, j = i[order], j[order]
    if most and len(i):
        begins = np.flatnonzero(np.append(True, i[1:] != i[:-1]))
        rank = np.arange(len(i)) - np.repeat(begins, np.diff(np.append(begins, len(i))))
        i, j = i[rank < most], j[rank < most]
    order = np.lexsort((j, i))
    return i[order], j[order]


def every_pair(table: dict, limit: float, device: str, size: int = 2048) -> tuple[np.ndarray, np.ndarray]:
    """Proposals by brute force in float64: every pair of poses within a millionth of the limit."""
    wide, xp, put = in_float64(table), np, np.asarray
    if device != "numpy":
        import torch

        xp = torch
        wide = {name: torch.from_numpy(array.copy()).to(device) for name, array in wide.items()}
        put = lambda array: array.cpu().numpy()  # noqa: E731
    found, poses = [], len(table["clips"])
    for top in range(0, poses - 1, size):
        for left in range(1, poses, size):
            rows, columns = slice(top, min(top + size, poses - 1) + 1), slice(left - 1, min(left + size, poses))
            block = distances(xp, wide, rows, columns)
            i, j = xp.where(0.5 * (block[1:, 1:] + block[:-1, :-1]) <= limit * (1 + 1e-6) + 1e-9)
            i, j = put(i) + top, put(j) + left
            fine = allowed(table, i, j)
            found.append((i[fine], j[fine]))
    return tuple(np.concatenate([one[n] for one in found]) for n in (0, 1))  # type: ignore[return-value]


def same(name: str, ours: tuple, theirs: tuple) -> bool:
    """Say whether two sets of edges are equal."""
    poses = 1 << 32
    a, b = (np.unique(one[0].astype(np.int64) * poses + one[1]) for one in (ours, theirs))
    missed, beyond = len(np.setdiff1d(b, a)), len(np.setdiff1d(a, b))
    print(f"  {name}: {len(a)} edges, brute force {len(b)}: {missed} missed, {beyond} that it has not", flush=True)
    return not missed and not beyond


# Time


def synchronised(device: str) -> float:
    """Now, when the device has done all it was asked for."""
    if device == "cuda":
        import torch

        torch.cuda.synchronize()
    return time.perf_counter()


def timed(table: dict, limit: float, most: int, device: str, runs: int) -> dict:
    """Seconds of searches, from arrays in memory to edges in memory, the best and all of them."""
    took, counts, found = [], SearchCounts(), None
    for _ in range(runs):
        counts, begun = SearchCounts(), synchronised(device)
        found = propose_edges(table, limit, most, device=device, counts=counts)
        took.append(synchronised(device) - begun)
    begun = time.perf_counter()
    edges = settle(table, *found, limit, most)
    settled = time.perf_counter() - begun
    held = 0.0
    if device == "cuda":
        import torch

        held = torch.cuda.max_memory_allocated() / 2**30
        torch.cuda.reset_peak_memory_stats()
    told = {
        "poses": len(table["clips"]),
        "limit": limit,
        "most": most,
        "seconds": min(took),
        "all_seconds": took,
        "settle_s": settled,
        "proposed": len(found[0]),
        "edges": len(edges[0]),
        "device_gib": held,
        **{name: getattr(counts, name) for name in SearchCounts.__slots__},
    }
    print(
        f"  {told['poses']} poses, limit {limit:g}, most {most}: {told['seconds']:.3f} s (all: "
        f"{', '.join(f'{one:.3f}' for one in took)}); NumPy's float64 evaluation of {told['proposed']} proposals {settled:.1f} s; "
        f"{told['edges']} edges; {held:.1f} GiB\n"
        f"    pairs {counts.pairs:.3g}, compared {counts.compared / counts.pairs:.1%}, candidates {counts.candidates / counts.pairs:.3%}, "
        f"evaluated {counts.evaluated / counts.pairs:.4%}, found {counts.found / counts.pairs:.5%}",
        flush=True,
    )
    told["found_edges"] = edges
    return told


def ceilings(device: str) -> dict:
    """What the device can do: bytes a second of a copy, float32 operations a second of a product of matrices of this shape."""
    if device != "cuda":
        return {}
    import torch

    a = torch.ones(1 << 28, device=device)
    b = torch.empty_like(a)
    x, y = torch.rand(2048, AXES + 2, device=device), torch.rand(131072, AXES + 2, device=device)
    told = {}
    for name, work, amount in (
        ("copy_bytes_s", lambda: b.copy_(a), 2 * 4 * a.numel()),
        ("product_flop_s", lambda: x @ y.T, 2 * 2048 * 131072 * (AXES + 2)),
    ):
        work()
        begun = synchronised(device)
        for _ in range(10):
            work()
        told[name] = 10 * amount / (synchronised(device) - begun)
    print(
        f"  copy {told['copy_bytes_s'] / 1e12:.2f} TB/s, product {told['product_flop_s'] / 1e12:.1f} TFLOP/s",
        flush=True,
    )
    return told


def tell_floor(told: dict, top: dict) -> None:
    """The least time this method can take on the device: operations of the first sieve, bytes of all."""
    if not top:
        return
    groups, width = 6, 10 + AXES + AXES + 9 + AXES + 3
    flops = told["compared"] * 2 * (width + 2 * groups)
    # in the first sieve products are written, their roots taken and added up; then poses of two segments are read, the heaviest terms
    moved = told["compared"] * (groups * (4 + 8 + 12) - 12 + 12) + told["candidates"] * 2 * 2 * 4 * (7 * HEAVY + 3)
    told["floor_flop_s"], told["floor_bytes_s"] = flops / top["product_flop_s"], moved / top["copy_bytes_s"]
    print(
        f"    floor of this method: {flops:.3g} operations {told['floor_flop_s']:.3f} s, {moved:.3g} bytes "
        f"{told['floor_bytes_s']:.3f} s",
        flush=True,
    )


def check_rows(table: dict, edges: tuple, limit: float, most: int, device: str, rows: int = 100) -> bool:
    """Some sources against all targets, by brute force in float64."""
    sources = np.sort(np.random.default_rng(1).choice(len(table["clips"]) - 1, rows, replace=False))
    wide, xp, put = in_float64(table), np, np.asarray
    if device != "numpy":
        import torch

        xp = torch
        wide = {name: torch.from_numpy(array.copy()).to(device) for name, array in wide.items()}
        put = lambda array: array.cpu().numpy()  # noqa: E731
    found, poses = [], len(table["clips"])
    for left in range(1, poses, 1 << 16):
        right = min(left + (1 << 16), poses)
        costs = 0.5 * (
            distances(xp, wide, sources + 1, slice(left, right))
            + distances(xp, wide, sources, slice(left - 1, right - 1))
        )
        i, j = xp.where(costs <= limit * (1 + 1e-6) + 1e-9)
        found.append((sources[put(i)], put(j) + left))
    i, j = (np.concatenate([one[n] for one in found]) for n in (0, 1))
    chosen = np.isin(edges[0], sources)
    return same(f"{rows} sources", (edges[0][chosen], edges[1][chosen]), settle(table, i, j, limit, most))


def main() -> int:
    """Check and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--make", action="store_true", help="make the table of the recordings")
    parser.add_argument("--limit", type=float, default=3.31, help="default: what the recordings choose")
    parser.add_argument("--most", type=int, default=10)
    parser.add_argument("--device", default="cuda")
    parser.add_argument(
        "--poses", type=int, nargs="*", default=[SUBSET, THESIS, MANY], help="of the three parts; 0 leaves one out"
    )
    parser.add_argument("--json", type=Path, help="write the figures there")
    given = parser.parse_args()
    if given.make:
        make_table(given.table)
        return 0
    table, good, rows = dict(np.load(given.table)), [], []
    print(
        f"{len(table['clips'])} poses, {table['quaternions'].shape[1]} joints, NumPy {np.__version__}, {given.device}"
    )
    if given.device != "numpy":
        import torch

        print(f"torch {torch.__version__}, {torch.cuda.get_device_name() if given.device == 'cuda' else 'CPU'}")
    subset, thesis, many = given.poses
    top = ceilings(given.device)
    if subset:
        part = spread_over(table, subset)
        print(f"1. every pair of {len(part['clips'])} poses, by NumPy", flush=True)
        for limit in (0.25 * given.limit, 0.5 * given.limit, given.limit):
            brute = every_pair(part, limit, "numpy", 512)
            for most in (0, given.most):
                ours = settle(part, *propose_edges(part, limit, most, device=given.device), limit, most)
                good.append(same(f"limit {limit:g}, most {most}", ours, settle(part, *brute, limit, most)))
    if thesis:
        part = first_poses(table, thesis)
        print(f"2. {len(part['clips'])} poses", flush=True)
        timed(part, given.limit, given.most, given.device, 1)
        half = 0.5 * given.limit
        for limit, most in ((given.limit, given.most), (half, given.most), (half, 0)):
            told = timed(part, limit, most, given.device, 3)
            tell_floor(told, top)
            rows.append(told)
        begun = synchronised(given.device)
        brute = every_pair(part, half, given.device)
        print(f"  every pair on the device in float64: {synchronised(given.device) - begun:.1f} s", flush=True)
        good.append(check_rows(part, rows[0]["found_edges"], given.limit, given.most, given.device))
        for told in rows[1:3]:
            wanted = settle(part, *brute, half, told["most"])
            good.append(same(f"limit {half:g}, most {told['most']}", told["found_edges"], wanted))
    if many:
        part = repeat(table, many)
        print(f"3. {len(part['clips'])} poses", flush=True)
        for limit in (0.5 * given.limit, given.limit):
            told = timed(part, limit, given.most, given.device, 1)
            tell_floor(told, top)
            rows.append(told)
            good.append(check_rows(part, told["found_edges"], limit, given.most, given.device))
    print("all edges are those of brute force" if all(good) else "EDGES DIFFER")
    if given.json is not None:
        plain = [{name: value for name, value in row.items() if name != "found_edges"} for row in rows]
        given.json.write_text(json.dumps({"ceilings": top, "searches": plain, "same": all(good)}, indent=1))
    return 0 if all(good) else 1


if __name__ == "__main__":
    raise SystemExit(main())
