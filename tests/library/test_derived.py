"""Derived results: worked out once, and again when anything they depend on is another."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from reenact.errors import LibraryError, ParameterError
from reenact.library import Library


@dataclass(frozen=True)
class Parameters:
    height: float = 0.05
    speed: float = 0.3


class Counter:
    """A computation that counts how often it is asked."""

    def __init__(self, result: object) -> None:
        self.result = result
        self.calls = 0

    def __call__(self) -> object:
        self.calls += 1
        return self.result


@pytest.fixture
def shelf(library: Library, make_clip) -> Library:
    for seed in range(3):
        library.add(make_clip(seed))
    return library


def test_worked_out_once(shelf: Library) -> None:
    compute = Counter(np.arange(12, dtype=np.float32).reshape(3, 4))
    for _ in range(3):
        assert shelf.derived("clip0", "plants", Parameters(), compute).tolist() == compute.result.tolist()  # type: ignore[attr-defined]
    with Library(shelf.folder) as other:
        other.derived("clip0", "plants", {"speed": 0.3, "height": 0.05}, compute)
    assert compute.calls == 1


def test_everything_it_depends_on_counts(shelf: Library) -> None:
    compute = Counter([1])
    shelf.derived("clip0", "plants", Parameters(), compute)
    shelf.derived("clip1", "plants", Parameters(), compute)
    shelf.derived("clip0", "labels", Parameters(), compute)
    shelf.derived("clip0", "plants", Parameters(speed=0.31), compute)
    shelf.derived("clip0", "plants", Parameters(), compute, version="2")
    shelf.derived(["clip0", "clip1"], "plants", Parameters(), compute)
    shelf.derived(["clip1", "clip0"], "plants", Parameters(), compute)
    assert compute.calls == 7
    shelf.rename("clip0", "other")
    shelf.derived("other", "plants", Parameters(), compute)
    assert compute.calls == 7


@pytest.mark.parametrize(
    "result",
    [
        np.array([True, False]),
        np.zeros((0, 3)),
        np.array(3.5),
        {"left": np.arange(3), "file": np.eye(2), "x y/ü": np.zeros(0)},
        {"speed": 1.5, "list": [1, None, "ü"], "nan": [True]},
        {},
        [],
        None,
        "text",
    ],
)
def test_kept_and_new_results_are_the_same(shelf: Library, result: object) -> None:
    compute = Counter(result)
    new = shelf.derived("clip0", "thing", None, compute)
    kept = shelf.derived("clip0", "thing", None, compute)
    assert compute.calls == 1
    np.testing.assert_equal(new, kept)
    np.testing.assert_equal(kept, result)
    assert type(new) is type(kept)


@pytest.mark.parametrize("harm", ["gone", "cut", "changed"])
def test_lost_results_are_worked_out_again(shelf: Library, harm: str) -> None:
    compute = Counter(np.arange(100))
    shelf.derived("clip0", "thing", {}, compute)
    (file,) = (shelf.folder / "derived").rglob("*.npy")
    data = file.read_bytes()
    if harm == "gone":
        file.unlink()
    else:
        file.write_bytes(data[:50] if harm == "cut" else data[:-1] + b"\x77")
    assert [problem.code for problem in shelf.verify().problems] == ["derived"]
    assert shelf.derived("clip0", "thing", {}, compute).tolist() == list(range(100))
    assert compute.calls == 2
    assert shelf.verify().problems == []


def test_what_cannot_be_kept_is_refused(shelf: Library) -> None:
    with pytest.raises(ParameterError, match="JSON"):
        shelf.derived("clip0", "thing", {}, lambda: object())
    with pytest.raises(ParameterError, match="Python objects"):
        shelf.derived("clip0", "thing", {}, lambda: np.array([object()]))
    with pytest.raises(ParameterError, match="Python objects"):
        shelf.derived("clip0", "thing", {}, lambda: {"a": np.array([None])})
    with pytest.raises(ParameterError, match="JSON"):
        shelf.derived("clip0", "thing", {"f": print}, lambda: 1)
    with pytest.raises(ParameterError, match="at least one clip"):
        shelf.derived([], "thing", {}, lambda: 1)
    with pytest.raises(LibraryError, match="no clip"):
        shelf.derived("nothing", "thing", {}, lambda: 1)
    for kind in ("", "../x", "A", "a" * 65):
        with pytest.raises(ParameterError, match="kind"):
            shelf.derived("clip0", kind, {}, lambda: 1)
    assert list((shelf.folder / "derived").rglob("*.*")) == []


def test_a_failing_computation_keeps_nothing(shelf: Library) -> None:
    def fail() -> object:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        shelf.derived("clip0", "thing", {}, fail)
    assert shelf.derived_results("clip0") == []


def test_clip_removed_meanwhile(shelf: Library) -> None:
    def compute() -> object:
        shelf.remove("clip0")
        return [1, 2]

    assert shelf.derived("clip0", "thing", {}, compute) == [1, 2]
    assert shelf.verify().problems == []


def test_results_are_listed(shelf: Library) -> None:
    shelf.derived("clip0", "plants", Parameters(), lambda: {"a": np.zeros(3)}, version="5")
    (result,) = shelf.derived_results("clip0")
    assert result["kind"] == "plants"
    assert result["version"] == "5"
    assert result["parameters"] == {"height": 0.05, "speed": 0.3}
    assert result["bytes"] == (shelf.folder / result["file"]).stat().st_size
    assert Path(result["file"]).parts[:3] == ("derived", shelf.entry("clip0").hash[:2], shelf.entry("clip0").hash)
