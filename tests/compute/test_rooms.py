"""What rooms do on executors: the same, whichever it is."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from reenact.cli.main import main
from reenact.compute.executor import open_executor
from reenact.compute.gpu_edges import devices
from reenact.core.cutting import CutParameters, cut
from reenact.errors import LibraryError, ParameterError
from reenact.graph.frame_table import FrameTable
from reenact.graph.graph_parameters import GraphParameters
from reenact.library import Library
from reenact.library.gaits import classify_library
from reenact.library.import_folder import ImportOptions
from reenact.library.import_worker import read_all_into_staging
from reenact.loading import LoadOptions, save
from reenact.operations.library_graph import library_graph
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def motion(tmp_path_factory) -> Path:
    """Short clips, and a file that is none."""
    folder = tmp_path_factory.mktemp("motion")
    for name in ("walk_normal", "walk_fast", "stand"):
        clip = make_sample(name, 30.0).clip.with_plants(None)
        for part in range(2):
            save(
                cut(clip, CutParameters(20 * part, 20 * part + 40)).renamed(f"{name}_{part}"),
                folder / f"{name}_{part}.bvh",
            )
    (folder / "odd.bvh").write_text("nonsense")
    return folder


@pytest.fixture
def kinds(dask_cluster) -> list[str]:
    """Names of executors of all kinds, the plainest first."""
    return ["serial", "processes:2", dask_cluster.address]


def test_libraries_are_the_same(kinds: list[str], motion: Path, tmp_path: Path) -> None:
    found = []
    for number, where in enumerate(kinds):
        with Library.create(tmp_path / str(number)) as library:
            report = library.import_folder([motion], ImportOptions(executor=where))
            assert [Path(one.path).name for one in report.unreadable] == ["odd.bvh"]
            found.append([(entry.id, entry.name, entry.hash, dict(entry.metadata)) for entry in library.entries()])
            assert library.verify().problems == []
    assert len(found[0]) == 6
    assert found[1] == found[2] == found[0]


def test_relative_paths_mean_the_same_on_a_cluster(dask_cluster, motion: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(motion)
    with Library.create(tmp_path / "library") as library:
        report = library.import_folder(["walk_fast_0.bvh"], ImportOptions(executor=dask_cluster.address))
        assert (len(report.added), report.unreadable) == (1, [])


def test_a_folder_that_workers_do_not_see_is_named(motion: Path, tmp_path: Path) -> None:
    with open_executor("processes:1") as executor:
        read = read_all_into_staging(executor, [motion / "stand_0.bvh"], Path, LoadOptions(), tmp_path / "elsewhere")
        with pytest.raises(LibraryError, match="elsewhere: the worker does not see this folder"):
            list(read)


def test_graphs_are_the_same(kinds: list[str], motion: Path, tmp_path: Path) -> None:
    with Library.create(tmp_path / "library") as library:
        library.import_folder([motion], ImportOptions(jobs=1))
        asked = GraphParameters(mirrored=True)
        plain, *others = (library_graph(library, "", asked, rebuild=True, executor=where).graph for where in kinds)
        assert plain.frames == 2 * 6 * 40
        assert [clip.mirrored for clip in plain.clips] == [False] * 6 + [True] * 6
        for other in others:
            assert other.clips == plain.clips
            assert other.error == plain.error
            for name in ("features", "states", "node_of_frame", "aligned"):
                assert np.array_equal(getattr(other, name), getattr(plain, name)), name
            assert np.array_equal(other.tree.pairs, plain.tree.pairs)
            assert np.array_equal(other.tree.errors, plain.tree.errors)


def test_verbs_say_the_same(kinds: list[str], motion: Path, tmp_path: Path, capsys) -> None:
    files = [str(motion / f"{name}_{part}.bvh") for name in ("walk_fast", "stand") for part in range(2)]
    told: dict[str, list] = {"check": [], "classify": []}
    for number, where in enumerate(kinds):
        how = (
            ["--jobs", "1"]
            if where == "serial"
            else ["--jobs", "2"]
            if "processes" in where
            else ["--scheduler", where]
        )
        for verb, answers in told.items():
            code = main([verb, *files, str(motion / "odd.bvh"), *how, "--json"])
            answer = json.loads(capsys.readouterr().out)
            answer.pop("made_by", None)  # says how many processes there were
            answers.append((code, answer))
        assert main(["mirror", *files, *how, "-o", str(tmp_path / f"{number}-{{name}}.npz"), "--json"]) == 0
        capsys.readouterr()
    for answers in told.values():
        assert answers[1] == answers[2] == answers[0]
    assert [entry.get("ok") for entry in told["check"][0][1]["files"]][-1] is None
    for name in ("walk_fast_0", "stand_1"):
        made = [(tmp_path / f"{number}-{name}.npz").read_bytes() for number in range(3)]
        assert made[1] == made[2] == made[0]


def test_types_of_a_library_are_the_same(kinds: list[str], motion: Path, tmp_path: Path) -> None:
    found = []
    for number, where in enumerate(kinds):
        with Library.create(tmp_path / str(number)) as library:
            library.import_folder([motion], ImportOptions(jobs=1, types=False))
            types = classify_library(library, executor=where)
            found.append((types, sorted(entry.name for entry in library.entries("type:walk"))))
            assert library.verify().problems == []
    assert {name for name, kind in found[0][0].items() if kind == "walk"} == set(found[0][1])
    assert len(found[0][0]) == 6
    assert found[1] == found[2] == found[0]


def test_checks_of_a_library_are_the_same(kinds: list[str], motion: Path, tmp_path: Path, capsys) -> None:
    with Library.create(tmp_path / "library") as library:
        library.import_folder([motion], ImportOptions(jobs=1))
    answers = []
    for how in (["--jobs", "1"], ["--jobs", "2"], ["--scheduler", kinds[2]]):
        main(["check", str(tmp_path / "library"), *how, "--json"])
        answers.append(json.loads(capsys.readouterr().out)["files"])
    assert len(answers[0]) == 6
    assert answers[1] == answers[2] == answers[0]


def test_who_works_must_be_one(motion: Path, capsys) -> None:
    for words, told in (
        (["--scheduler", "here"], "tcp://host:port"),
        (["--scheduler", "tcp://127.0.0.1:1", "--jobs", "2"], "not both"),
    ):
        assert main(["check", str(motion / "stand_0.bvh"), *words, "--json"]) == 2
        assert told in json.loads(capsys.readouterr().out)["error"]["message"]


def test_transitions_are_the_same(kinds: list[str]) -> None:
    """Brute force, tiles on every executor, and the search for a GPU run where there is none."""
    from reenact.mobility.edge_search import search_edges
    from reenact.mobility.gathering import GatheringParameters, build_pose_database
    from reenact.mobility.transition_cost import make_metric_table, search_edges_plainly, settle

    clips = [make_sample(name, 30.0).clip for name in ("walk_normal", "jog")]
    table = make_metric_table(build_pose_database(clips, GatheringParameters(mirrored=True)))
    limit = 3.0
    for most in (0, 5):
        wanted = settle(table, *search_edges_plainly(table, limit), limit, most)
        assert len(wanted) > 300
        found = [search_edges(table, limit, most, where) for where in kinds]
        found += [search_edges(table, limit, most, f"gpu:{device}") for device in devices()]
        for one in found:
            assert np.array_equal(one.sources, wanted.sources)
            assert np.array_equal(one.targets, wanted.targets)
            assert np.array_equal(one.costs, wanted.costs)


# Frames on their way


def test_frames_come_back_as_they_went() -> None:
    rng = np.random.default_rng(0)
    parts = [(rng.normal(size=(count, 4)).astype(np.float32), np.full(count, count, np.int8)) for count in (3, 0, 5)]
    with FrameTable() as table:
        assert table.features().shape == (0, 0)
        for features, states in parts:
            table.append(features, states)
        held = table.features()
        with pytest.raises(ParameterError, match="do not speak"):
            table.append(np.zeros((2, 5), np.float32), np.zeros(2, np.int8))
        with pytest.raises(ParameterError, match="do not speak"):
            table.append(np.zeros((2, 4), np.float32), np.zeros(3, np.int8))
        states = table.states()
        path = table._path
    assert not path.exists()
    assert np.array_equal(held, np.concatenate([features for features, _ in parts]))  # still there
    assert states.tolist() == [3] * 3 + [5] * 5
    with open_executor("processes:1") as executor:  # a file that is gone is written anew
        import compute_tasks

        offset = np.array(0.0)
        assert list(executor.map(compute_tasks.row_sum, [0], {"table": held, "offset": offset})) == [
            float(held[0].sum())
        ]
