"""The search of transitions on a GPU, run here by NumPy, and by torch on the CPU where torch is installed (`pip install torch`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reenact.compute import gpu_edges
from reenact.compute.gpu_edges import SearchCounts, devices, propose_edges
from reenact.errors import ComputeError, MissingExtraError, ParameterError

HERE = [device for device in devices() if device != "cuda"]


def make_table(
    poses: int, joints: int = 4, clips: int = 5, seed: int = 0, spread: float = 0.6
) -> dict[str, np.ndarray]:
    """Poses that wander: neighbours are alike, and clips come near each other now and then."""
    rng = np.random.default_rng(seed)
    bounds = np.sort(rng.choice(np.arange(3, poses - 3), clips - 1, replace=False))
    owner = np.searchsorted(bounds, np.arange(poses), side="right")
    time = np.linspace(0, 9 * clips, poses)
    phases = rng.uniform(0, 2 * np.pi, (clips, joints, 3))[owner]
    vectors = spread * np.sin(time[:, None, None] * rng.uniform(0.5, 2, (joints, 3)) + phases)
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    quaternions = np.concatenate([np.cos(angle / 2), np.sin(angle / 2) * vectors / np.maximum(angle, 1e-9)], -1)
    quaternions *= rng.choice([-1.0, 1.0], (poses, joints, 1))
    return {
        "quaternions": quaternions.astype(np.float32),
        "angle_weights": rng.uniform(0.02, 1.0, joints).astype(np.float32),
        "rates": (0.3 * np.gradient(vectors, axis=0) * 10).astype(np.float32),
        "velocities": (0.4 * np.cos(time[:, None] + np.arange(3))).astype(np.float32),
        "clips": owner.astype(np.int32),
        "contacts": np.zeros(poses, np.uint8),
        "exclude": np.array([5]),
    }


def brute_force(table: dict[str, np.ndarray]) -> np.ndarray:
    """(N, N) float64: what each transition costs, inf where there is none; by the equations, pair by pair of matrices."""
    q = table["quaternions"].astype(np.float64)
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    between = np.zeros((len(q), len(q)))
    for k, weight in enumerate(table["angle_weights"].astype(np.float64)):
        flip = np.where((q[:, k] @ q[:, k].T) < 0, -1.0, 1.0)[..., None]
        less = np.linalg.norm(q[:, None, k] - flip * q[None, :, k], axis=-1)
        more = np.linalg.norm(q[:, None, k] + flip * q[None, :, k], axis=-1)
        between += weight * 4 * np.arctan2(less, more)
        rates = table["rates"][:, k].astype(np.float64)
        between += np.linalg.norm(rates[:, None] - rates[None], axis=-1)
    velocities = table["velocities"].astype(np.float64)
    between += np.linalg.norm(velocities[:, None] - velocities[None], axis=-1)
    costs = np.full_like(between, np.inf)
    costs[:-1, 1:] = 0.5 * (between[1:, 1:] + between[:-1, :-1])
    clips, number = table["clips"], np.arange(len(q))
    costs[np.append(clips[:-1] != clips[1:], True)] = np.inf
    costs[:, np.append(True, clips[:-1] != clips[1:])] = np.inf
    near = np.abs(number[None] - number[:, None] - 1) <= int(table["exclude"][0])
    costs[near & (clips[:, None] == clips[None])] = np.inf
    after = np.append(table["contacts"][1:], 0)
    costs[after[:, None] != table["contacts"][None]] = np.inf
    return costs


def pairs(sources: np.ndarray, targets: np.ndarray) -> set[tuple[int, int]]:
    return set(zip(sources.tolist(), targets.tolist(), strict=True))


def check(table: dict[str, np.ndarray], limit: float, most: int, device: str) -> int:
    """Nothing is missed, and what is proposed beyond the limit is within a millionth of it."""
    costs = brute_force(table)
    sources, targets = propose_edges(table, limit, most, device=device)
    found = pairs(sources, targets)
    assert len(found) == len(sources)
    assert np.all(np.diff(sources.astype(np.int64) * len(costs) + targets) > 0)
    assert (sources.dtype, targets.dtype) == (np.int32, np.int32)
    wanted = costs <= limit
    if most:
        nth = np.sort(costs, axis=1)[:, min(most, len(costs)) - 1]
        wanted &= costs <= nth[:, None]
    assert pairs(*np.nonzero(wanted)) <= found
    assert np.all(costs[sources, targets] <= limit * (1 + 2e-6) + 1e-9)
    if most:
        assert np.all(costs[sources, targets] <= nth[sources] * (1 + 2e-6) + 1e-9)
    return len(found)


# Bad input


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("rates", lambda array: array[:-1], "expected the shape"),
        ("velocities", lambda array: array * np.nan, "not finite"),
        ("quaternions", lambda array: array + np.inf, "not finite"),
        ("angle_weights", lambda array: -array, "negative"),
        ("clips", lambda array: array[::-1], "lie together"),
    ],
)
def test_tables_that_do_not_fit_are_refused(name: str, change, told: str) -> None:
    table = make_table(60)
    table[name] = np.ascontiguousarray(change(table[name]))
    with pytest.raises(ParameterError, match=f"{name}: .*{told}"):
        propose_edges(table, 1.0, device="numpy")


def test_what_is_asked_for_must_make_sense() -> None:
    table = make_table(60)
    for limit in (np.nan, np.inf, -1.0):
        with pytest.raises(ParameterError, match="limit"):
            propose_edges(table, limit, device="numpy")
    with pytest.raises(ParameterError, match="most"):
        propose_edges(table, 1.0, -1, device="numpy")
    with pytest.raises(ParameterError, match="cuda, cpu or numpy"):
        propose_edges(table, 1.0, device="gpu")


def test_no_gpu_is_said() -> None:
    if "cuda" in devices():
        assert len(propose_edges(make_table(60), 1.0, device="cuda")) == 2
        return
    with pytest.raises((MissingExtraError, ComputeError), match=r"reenact\[gpu\]|no GPU"):
        propose_edges(make_table(60), 1.0, device="cuda")


@pytest.mark.parametrize("device", HERE)
def test_tables_without_a_segment_have_no_edges(device: str) -> None:
    table = {name: array[:3] if len(array) == 60 else array for name, array in make_table(60).items()}
    table["clips"] = np.arange(3, dtype=np.int32)
    sources, targets = propose_edges(table, 5.0, device=device)
    assert (len(sources), len(targets), sources.dtype) == (0, 0, np.int32)


# Exactly the edges of brute force


@pytest.mark.parametrize("device", HERE)
@pytest.mark.parametrize("most", [0, 1, 4])
def test_edges_are_those_of_brute_force(device: str, most: int, monkeypatch) -> None:
    monkeypatch.setattr(gpu_edges, "LEAF", 40)
    table = make_table(400, joints=9, clips=8)
    limits = np.quantile(brute_force(table), [0.001, 0.02, 0.3])
    assert np.all(np.isfinite(limits))
    found = [check(table, float(limit), most, device) for limit in limits]
    assert 50 < found[0] < found[1] <= found[2]


@pytest.mark.parametrize("device", HERE)
def test_contacts_and_exclusion_count(device: str) -> None:
    table = make_table(300)
    limit = float(np.quantile(brute_force(table), 0.05))
    plain = check(table, limit, 0, device)
    table["contacts"] = np.random.default_rng(1).integers(0, 3, 300).astype(np.uint8)
    assert 0 < check(table, limit, 0, device) < plain
    table["exclude"] = np.array([60])
    assert check(table, limit, 0, device) < plain
    bare = {name: array for name, array in make_table(300).items() if name not in ("contacts", "exclude")}
    assert (
        len(propose_edges(bare, limit, device=device)[0]) > plain
    )  # nothing but the recorded continuation is excluded


@pytest.mark.parametrize("device", HERE)
def test_equal_poses_and_pairs_on_the_limit_are_found(device: str) -> None:
    """Copies of one clip: costs of exactly 0, and costs that are exactly the limit."""
    one = make_table(40, clips=2)
    twice = {name: np.concatenate([array, array]) if len(array) == 40 else array for name, array in one.items()}
    twice["clips"] = np.concatenate([one["clips"], one["clips"] + 2]).astype(np.int32)
    costs = brute_force(twice)
    assert np.sum(costs == 0) > 50
    check(twice, 0.0, 0, device)
    for limit in np.sort(costs[np.isfinite(costs)])[::97]:
        check(twice, float(limit), 0, device)


@settings(max_examples=40)
@given(
    st.integers(12, 80),
    st.integers(1, 9),
    st.integers(1, 4),
    st.integers(0, 99),
    st.floats(0.05, 3.0),
    st.sampled_from([0, 1, 3]),
)
def test_any_table(poses: int, joints: int, clips: int, seed: int, spread: float, most: int) -> None:
    table = make_table(poses, joints, clips, seed, spread)
    costs = brute_force(table)
    finite = costs[np.isfinite(costs)]
    if len(finite):
        check(table, float(np.quantile(finite, 0.2)), most, "numpy")


def test_edges_dropped_on_the_way_are_not_missed(monkeypatch) -> None:
    monkeypatch.setattr(gpu_edges, "KEPT", 500)
    monkeypatch.setattr(gpu_edges, "LEAF", 30)
    monkeypatch.setattr(gpu_edges, "BATCH", {"numpy": 64})
    monkeypatch.setattr(gpu_edges, "TILE", {"numpy": 1000})
    table = make_table(400, clips=6)
    check(table, float(np.quantile(brute_force(table), 0.2)), 3, "numpy")


def test_sieves_save_work(monkeypatch) -> None:
    monkeypatch.setattr(gpu_edges, "LEAF", 40)
    one, rng = make_table(500, joints=9, clips=5, spread=1.0), np.random.default_rng(2)
    table = dict(one)  # three takes of everything, almost alike
    for name in ("quaternions", "rates", "velocities"):
        table[name] = np.concatenate([one[name] + 0.002 * rng.normal(size=one[name].shape) for _ in range(3)])
        table[name] = table[name].astype(np.float32)
    table["clips"] = np.concatenate([one["clips"] + 5 * take for take in range(3)]).astype(np.int32)
    table["contacts"] = np.tile(one["contacts"], 3)
    limit = 0.1
    assert check(table, limit, 0, "numpy") > 1000
    counts = SearchCounts()
    propose_edges(table, limit, device="numpy", counts=counts)
    assert counts.pairs == counts.segments * (counts.segments - 1) // 2
    assert counts.found / 2 <= counts.evaluated <= counts.candidates < 0.05 * counts.pairs
    assert counts.compared < 0.7 * counts.pairs


def test_torch_and_numpy_are_enough(tmp_path: Path) -> None:
    """On a machine without the other packages that this one depends on."""
    script = (
        "import sys\n"
        "class Refuse:\n"
        "    names = {'scipy', 'numba', 'llvmlite', 'PIL', 'typer', 'rich', 'starlette', 'msgspec', 'dask', 'distributed'}\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in self.names:\n"
        "            raise ImportError(name + ' is not here')\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "import numpy as np\n"
        "from reenact.compute.gpu_edges import propose_edges\n"
        "table = dict(np.load(sys.argv[1]))\n"
        "print(len(propose_edges(table, 1.0, device='numpy')[0]))\n"
    )
    table = make_table(100)
    np.savez(tmp_path / "table.npz", **table)
    told = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "table.npz")], capture_output=True, text=True, check=True
    )
    assert int(told.stdout) == len(propose_edges(table, 1.0, device="numpy")[0])
