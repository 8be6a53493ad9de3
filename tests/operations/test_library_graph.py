"""The cluster graph of a library: kept, extended, found again."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.cli.main import main
from reenact.errors import LibraryError, ParameterError
from reenact.graph.extending import MOST_DISTURBED
from reenact.graph.graph_parameters import GraphParameters
from reenact.graph.joining import join_segments
from reenact.graph.planning import plan_sequence
from reenact.library import Library
from reenact.operations.library_graph import (
    KIND,
    clip_waypoint,
    library_graph,
    named_clips,
    newest_graph,
)
from reenact.operations.mapped_source import graph_source, library_source
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


def test_a_graph_that_could_not_be_kept_says_so(library, monkeypatch, capsys) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("reenact.operations.library_graph.write_derived", full)
    for _ in range(2):
        made = library_graph(library)
        assert (made.made, made.unkept) == ("built", "it could not be written (no space left on device)")
    assert main(["graph", "build", str(library.folder)]) == 0
    told = capsys.readouterr().err
    assert told.endswith("built again the next time: it could not be written (no space left on device)\n")
    assert main(["sequence", str(library.folder), "stand", "walk_normal", "-o", str(library.folder / "out.bvh")]) == 0
    assert "the graph was not kept" in capsys.readouterr().err
    with Library(library.folder, read_only=True) as reading:
        assert library_graph(reading).unkept == "the library is open for reading only"


def test_other_parameters_are_another_graph(library) -> None:
    library_graph(library)
    other = library_graph(library, parameters=GraphParameters(error=0.05))
    assert other.made == "built"
    assert other.graph.error == 0.05


def test_added_clips_extend_the_graph(library) -> None:
    """What comes near nothing is added as it is; what comes among the frames there are makes the tree anew, without reading clips again."""
    library_graph(library)
    library.add(make_sample("run").clip)
    extended = library_graph(library)
    assert (extended.made, extended.added) == ("extended", 1)
    assert len(extended.graph.clips) == 4
    assert extended.disturbed == round(extended.graph.tree.disturbed, 4) <= MOST_DISTURBED
    library.add(make_sample("start_walk_left").clip)
    rebuilt = library_graph(library)
    assert (rebuilt.made, rebuilt.added) == ("rebuilt", 1)
    assert rebuilt.disturbed > MOST_DISTURBED
    assert library_graph(library).made == "kept"
    anew = library_graph(library, rebuild=True)
    assert anew.made == "built"
    np.testing.assert_array_equal(rebuilt.graph.node_of_frame, anew.graph.node_of_frame)
    assert rebuilt.graph.error == anew.graph.error


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
    with pytest.raises(
        LibraryError,
        match=r"walk_normal and odd stand on different skeletons \(joint 'Hips' against 'x_Hips'\).*21 of 22 joints correspond",
    ):
        newest_graph(library, ["walk_normal", "odd"])


def test_clips_of_another_skeleton_are_mapped_when_asked(library) -> None:
    from dataclasses import replace

    run = make_sample("run").clip
    names = tuple(f"x_{name}" for name in run.skeleton.names)
    library.add(replace(run, skeleton=replace(run.skeleton, names=names), name="odd"))
    made = library_graph(library, parameters=GraphParameters(map=True))
    assert made.made == "built"
    graph = made.graph
    assert [clip.name for clip in graph.clips][-1] == "odd"
    mapped = graph_source(library, graph, "odd").clip
    assert mapped.skeleton.same_tree(library.clip("stand").skeleton)
    # the same names under other labels: the mapped motion is the motion
    gap = np.linalg.norm(mapped.world().positions - run.world().positions, axis=2)
    assert np.median(gap) < 0.005
    assert newest_graph(library, ["walk_normal", "odd"], mapped=True).made == "kept"
    plan = plan_sequence(graph, [clip_waypoint(library, graph, text) for text in ("walk_normal", "odd")])[0]
    joined = join_segments(graph, plan.segments(graph), lambda name: graph_source(library, graph, name))
    assert joined.clip.skeleton.same_tree(library.clip("stand").skeleton)
    assert joined.report["transitions"][0]["slip_mm"] < 5


def test_a_graph_of_mapped_clips_begins_with_the_first_clip_named(library) -> None:
    from dataclasses import replace

    walk = make_sample("walk_slow").clip
    names = tuple(f"x_{name}" for name in walk.skeleton.names)
    library.add(replace(walk, skeleton=replace(walk.skeleton, names=names), name="odd"))
    made = newest_graph(library, ["odd", "walk_normal"], mapped=True)
    assert made.made == "built"
    assert made.graph.clips[0].name == "odd"
    assert len(made.graph.clips) == 4
