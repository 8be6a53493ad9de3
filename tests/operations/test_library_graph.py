"""The cluster graph of a library: kept, extended, found again."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.errors import LibraryError, ParameterError
from reenact.graph.graph_parameters import GraphParameters
from reenact.library import Library
from reenact.operations.library_graph import (
    KIND,
    clip_waypoint,
    library_graph,
    library_source,
    named_clips,
    newest_graph,
)
from reenact.samples import make_sample


@pytest.fixture
def library(tmp_path):
    with Library.create(tmp_path / "lib") as held:
        for name in ("stand", "walk_normal", "walk_fast"):
            sample = make_sample(name)
            held.add(sample.clip, metadata={"type": sample.type})
        yield held


def test_a_graph_is_kept(library) -> None:
    first, second = library_graph(library), library_graph(library)
    assert (first.made, second.made) == ("built", "kept")
    np.testing.assert_array_equal(first.graph.node_of_frame, second.graph.node_of_frame)
    np.testing.assert_array_equal(first.graph.aligned, second.graph.aligned)
    assert [row["kind"] for row in library.derived_results("stand")].count(KIND) == 1


def test_other_parameters_are_another_graph(library) -> None:
    library_graph(library)
    other = library_graph(library, parameters=GraphParameters(error=0.05))
    assert other.made == "built"
    assert other.graph.error == 0.05


def test_added_clips_extend_the_graph(library) -> None:
    before = library_graph(library)
    library.add(make_sample("start_walk_left").clip)
    after = library_graph(library)
    assert (after.made, after.added) == ("extended", 1)
    assert len(after.graph.clips) == 4
    assert after.graph.error == before.graph.error
    assert library_graph(library).made == "kept"
    assert library_graph(library, rebuild=True).made == "built"


def test_removed_clips_leave_the_graph(library) -> None:
    library_graph(library)
    library.remove("stand")
    made = library_graph(library)
    assert made.made == "built"
    assert "stand" not in [clip.name for clip in made.graph.clips]


def test_renamed_clips_are_known_by_their_new_name(library) -> None:
    library_graph(library)
    library.rename("walk_normal", "stroll")
    made = library_graph(library)
    assert made.made == "kept"
    assert made.graph.clip_index("stroll") == 1


def test_the_newest_graph_that_holds_the_clips(library) -> None:
    assert newest_graph(library, ["walk_normal"]).made == "built"
    chosen = library_graph(library, "walk", GraphParameters(error=0.06)).graph
    again = newest_graph(library, ["walk_normal", "walk_fast"])
    assert again.made == "kept"
    assert again.graph.error == chosen.error
    library.add(make_sample("walk_slow").clip)
    more = newest_graph(library, ["walk_normal"])
    assert more.made == "extended"
    assert [clip.name for clip in more.graph.clips] == ["walk_normal", "walk_fast", "walk_slow"]


def test_a_damaged_graph_is_built_again(library) -> None:
    library_graph(library)
    row = next(row for row in library.derived_results("stand") if row["kind"] == KIND)
    path = library.folder / row["file"]
    path.write_bytes(path.read_bytes()[:1000])
    assert library_graph(library).made == "built"


def test_waypoints_as_people_write_them(library) -> None:
    graph = library_graph(library).graph
    assert clip_waypoint(library, graph, "walk_normal").frame is None
    assert clip_waypoint(library, graph, "walk_normal@30").frame == 30
    first = clip_waypoint(library, graph, "walk_normal@30", first=True)
    assert (first.frame, first.leave) == (None, 30)
    both = clip_waypoint(library, graph, "walk_normal@30..-1")
    assert (both.frame, both.leave) == (30, 419)
    assert len(clip_waypoint(library, graph, "type:walk").clips) == 2
    assert named_clips(library, ["type:walk", "stand@4"])[1] == "stand"
    for text, message in (
        ("walk_normal@x", "whole numbers"),
        ("walk_normal@420", "frames 0 to 419"),
        ("type:walk@3", "not for a search"),
    ):
        with pytest.raises(ParameterError, match=message):
            clip_waypoint(library, graph, text)
    with pytest.raises(LibraryError, match="no clip"):
        clip_waypoint(library, graph, "swim")
    with pytest.raises(LibraryError, match="answers"):
        named_clips(library, ["type:swim"])


def test_sources_have_plants(library) -> None:
    source = library_source(library, "walk_normal")
    assert source.plants is not None
    assert len(source.plants) == len(source.clip)


def test_an_empty_library_says_so(tmp_path) -> None:
    with Library.create(tmp_path / "empty") as held, pytest.raises(LibraryError, match="empty"):
        library_graph(held)


def test_different_skeletons_say_what_differs(library) -> None:
    from dataclasses import replace

    walk = make_sample("walk_slow").clip
    names = tuple(f"x_{name}" for name in walk.skeleton.names)
    library.add(replace(walk, skeleton=replace(walk.skeleton, names=names), name="odd"))
    with pytest.raises(LibraryError, match="different skeletons"):
        library_graph(library)
    with pytest.raises(LibraryError, match="differs from that of walk_normal"):
        newest_graph(library, ["walk_normal", "odd"])
