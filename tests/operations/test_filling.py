"""Performances of a length that was asked for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import reenact
from reenact.errors import ParameterError
from reenact.library import Library
from reenact.operations.filling import cut_to
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("filling") / "lib"
    with Library.create(place) as held:
        for name in ("walk_normal", "run", "wave_standing"):
            held.add(make_sample(name, 60.0).clip)
    return str(place)


@pytest.mark.parametrize("seconds", [3.0, 20.0, 40.0])
def test_a_time_is_filled_to_the_frame(folder: str, seconds: float) -> None:
    made = reenact.sequence(folder, "walk_normal", "run", "wave_standing", seconds=seconds)
    assert len(made.clip) == round(seconds * made.clip.fps)
    assert made.plants is not None
    assert len(made.plants) == len(made.clip)
    ends = [row["window_frames"] for row in made.report["transitions"]]
    assert all(one[1] <= other[0] for one, other in pairwise(ends))
    assert all(end[0] < len(made.clip) for end in ends)
    if seconds > 10:
        assert made.report["loops"]
        assert all(1 <= row["times"] <= 4 for row in made.report["loops"])


def test_what_goes_round_has_no_seam(folder: str) -> None:
    """Where cycles are played again no joint is pushed harder than in what was there before."""
    plain = reenact.sequence(folder, "walk_normal", "run", "wave_standing")
    longer = reenact.sequence(folder, "walk_normal", "run", "wave_standing", seconds=20.0)
    assert longer.report["loops"]

    def jerks(clip: reenact.Clip) -> float:
        places = clip.world(np.float64).positions
        return float(np.abs(np.diff(places, n=2, axis=0)).max()) * clip.fps**2

    assert jerks(longer.clip) < 1.3 * jerks(plain.clip)
    ends = [row["window_frames"][0] for row in longer.report["transitions"]]
    assert ends != [row["window_frames"][0] for row in plain.report["transitions"]]


def test_less_than_a_frame_is_no_time(folder: str) -> None:
    made = reenact.sequence(folder, "walk_normal", "run")
    with pytest.raises(ParameterError, match="less than two frames"):
        cut_to(made, 0.01)
    assert cut_to(made, 1e3).report["seconds_missing"] > 900
