"""Sequences over gaps: a blend where the graph has no way, or one remedy for the whole list."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from reenact.edit.transition import TransitionParameters
from reenact.graph.building import recut
from reenact.graph.gaps import GappedPlan, join_parts, parts_of, plan_over_gaps, played_over_gaps
from reenact.graph.planning import plan_sequence
from reenact.graph.reach import NoPathError
from reenact.graph.search import waypoint
from reenact.graph.search_parameters import SearchParameters
from reenact.library import Library
from reenact.operations.library_graph import library_graph
from reenact.operations.mapped_source import graph_source
from reenact.samples import make_sample

NAMES = ("walk_normal", "run", "wave_standing", "walk_slow", "kick_left", "walk_fast")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory):
    with Library.create(tmp_path_factory.mktemp("gaps") / "lib") as held:
        for name in NAMES:
            held.add(make_sample(name, 60.0).clip)
        yield held


@pytest.fixture(scope="module")
def graph(library):
    return recut(library_graph(library).graph, 0.03)


def points(graph, names=NAMES):
    return [waypoint(graph, name) for name in names]


def test_a_list_with_gaps_is_planned_and_made(library, graph) -> None:
    with pytest.raises(NoPathError):
        plan_sequence(graph, points(graph))
    (plan,) = plan_over_gaps(graph, points(graph), SearchParameters(), blend=True)
    assert isinstance(plan, GappedPlan)
    assert [point.label for point in plan.waypoints] == list(NAMES)
    made = join_parts(graph, parts_of(plan), lambda name: graph_source(library, graph, name), TransitionParameters())
    rows = made.report["transitions"]
    assert len([row for row in rows if row.get("gap")]) == len(plan.gaps()) > 0
    ends = [row["window_frames"] for row in rows]
    assert all(one[1] <= other[0] for one, other in pairwise(ends))
    assert made.plants is not None
    assert len(made.plants) == len(made.clip)
    played = played_over_gaps(graph, plan, rows)
    assert [row["clip"] for row in played] == list(NAMES)
    assert all(row["action"] > 0.3 for row in played)
    speeds = np.linalg.norm(np.diff(made.clip.root[:, [0, 2]], axis=0), axis=1) * made.clip.fps
    assert speeds.max() < 6.0  # nowhere a jump


def test_frames_of_a_blend_over_a_gap_are_those_of_the_recordings(library, graph) -> None:
    (plan,) = plan_over_gaps(graph, points(graph, ("wave_standing", "run")), SearchParameters(), blend=True)
    made = join_parts(graph, parts_of(plan), lambda name: graph_source(library, graph, name), TransitionParameters())
    (row,) = made.report["transitions"]
    run = library.clip("run")
    last = row["changed_frames"][1] + 5
    frame = row["entered_at"] + (last - row["at"])
    np.testing.assert_allclose(made.clip.rotations[last, 1:], run.rotations[frame, 1:], atol=1e-4)


def test_the_remedy_for_the_whole_list_works(graph) -> None:
    """One that mends each gap alone may not mend the list; what is advised was tried."""
    with pytest.raises(NoPathError) as told:
        plan_over_gaps(graph, points(graph), SearchParameters(), blend=False)
    found = re.search(r"what helps the whole list, tried out: --error (\S+), or blends", told.value.message)
    if found is None:
        assert "no coarser graph has a way through all; --gaps blend" in told.value.message
    else:
        assert plan_sequence(recut(graph, float(found[1])), points(graph))
    walks = points(graph, ("walk_normal", "walk_slow", "walk_fast"))
    fine = recut(graph, 0.05)
    with pytest.raises(NoPathError) as told:
        plan_over_gaps(fine, walks, SearchParameters(), blend=False)
    found = re.search(r"tried out: --error (\S+), or blends", told.value.message)
    assert found is not None
    assert plan_sequence(recut(fine, float(found[1])), walks)


def test_without_gaps_it_is_the_plan(graph) -> None:
    coarse = recut(graph, 0.12)
    walks = points(coarse, ("walk_normal", "walk_slow", "walk_fast"))
    (plan,) = plan_over_gaps(coarse, walks, SearchParameters(), blend=True)
    assert plan.as_dict(coarse) == plan_sequence(coarse, walks)[0].as_dict(coarse)
