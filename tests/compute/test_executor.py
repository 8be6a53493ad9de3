"""The contract of executors, the same for all kinds."""

from __future__ import annotations

import functools
import gc
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from reenact.compute.executor import Executor, WorkerLostError, executor_for, open_executor
from reenact.core.progress import heard
from reenact.errors import ComputeError, FormatError, ParameterError


@pytest.fixture
def tasks():
    import compute_tasks

    return compute_tasks


# Bad input


@pytest.mark.parametrize(
    "where", ["", "threads", "processes:", "processes:x", "processes:-1", "tcp://", "tcp://host", "http://h:1"]
)
def test_what_is_no_executor_is_refused(where: str) -> None:
    with pytest.raises(ParameterError, match="tcp://host:port"):
        open_executor(where)


@pytest.mark.parametrize("where", ["processes:0", "processes:257"])
def test_numbers_of_processes_have_bounds(where: str) -> None:
    with pytest.raises(ParameterError, match="1 to 256"):
        open_executor(where)


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch) -> None:
    monkeypatch.setattr("reenact.compute.cluster.ANSWERS", 0.5)
    with pytest.raises(ComputeError, match=r"tcp://127\.0\.0\.1:9: the scheduler does not answer"):
        open_executor("tcp://127.0.0.1:9")


def test_a_scheduler_without_workers_is_said(make_cluster, monkeypatch) -> None:
    monkeypatch.setattr("reenact.compute.cluster.ANSWERS", 1.0)
    with pytest.raises(ComputeError, match="no workers"):
        open_executor(make_cluster(workers=0).address)


def test_workers_with_other_sources_are_refused(dask_cluster, monkeypatch) -> None:
    monkeypatch.setattr("reenact.compute.cluster_worker._sources", lambda: "of the sources abc")
    with pytest.raises(ComputeError, match=r"has reenact .*, here it is of the sources abc"):
        open_executor(dask_cluster.address)


def test_objects_are_not_shared(executor: Executor, tasks) -> None:
    for wrong in (np.array([{}]), [1, 2], 3):
        with pytest.raises(ParameterError, match="arrays of numbers"):
            executor.map(tasks.double, [1], {"table": wrong})  # type: ignore[dict-item]


def test_tasks_others_cannot_find_are_refused(dask_cluster) -> None:
    for where in ("processes:1", dask_cluster.address):
        with open_executor(where) as executor, pytest.raises(ParameterError, match="function of a module"):
            executor.map(lambda item, shared: item, [1])


def test_items_that_cannot_be_sent_are_named(dask_cluster, tasks) -> None:
    for where in ("processes:1", dask_cluster.address):
        with open_executor(where) as executor, pytest.raises(ParameterError, match="the odd one"):
            list(executor.map(tasks.double, [lambda: 1], label=lambda item: "the odd one"))


# What all do


def test_results_come_in_the_order_of_the_items(executor: Executor, tasks) -> None:
    assert list(executor.map(tasks.double, range(50))) == list(range(0, 100, 2))
    assert list(executor.map(tasks.double, [])) == []
    arrays = list(executor.map(tasks.array_of, [0, 1, 5]))
    assert [array.shape for array in arrays] == [(0, 3), (1, 3), (5, 3)]
    assert list(executor.map(functools.partial(tasks.scaled, 3), [1, 2])) == [3, 6]
    assert list(executor.map(tasks.Adds(10), [1, 2])) == [11, 12]


def test_shared_arrays_are_seen(executor: Executor, tasks) -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(-99, 99, (40, 7)).astype(np.float32)
    wanted = [float(row.sum() + 2.5) for row in table]
    given = {"table": table, "offset": np.array(2.5)}
    assert list(executor.map(tasks.row_sum, range(40), given)) == wanted
    turned = np.asfortranarray(table)
    assert list(executor.map(tasks.row_sum, range(40), {**given, "table": turned})) == wanted
    assert list(executor.map(tasks.row_sum, range(20), {**given, "table": table[::2]})) == wanted[::2]
    empty = {"table": np.empty((3, 0), np.float32), "offset": np.array(1.0)}
    assert list(executor.map(tasks.row_sum, range(3), empty)) == [1.0] * 3


def test_shared_arrays_cannot_be_written_to(executor: Executor, tasks) -> None:
    table = np.zeros((4, 2))
    with pytest.raises(ValueError, match="read-only"):
        list(executor.map(tasks.write_to_shared, [0], {"table": table}))
    assert table.flags.writeable
    assert not table.any()


def test_shared_arrays_leave_no_files(executor: Executor, tasks, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    results = executor.map(tasks.places, range(20), {"table": np.ones((1000, 3))})
    assert next(results)[2] is False
    results.close()  # type: ignore[attr-defined]
    assert list(tmp_path.glob("reenact-shared-*")) == []


def test_mapped_files_are_taken_as_they_are(dask_cluster, tasks, tmp_path: Path) -> None:
    np.save(tmp_path / "table.npy", np.arange(12.0).reshape(4, 3))
    table = np.load(tmp_path / "table.npy", mmap_mode="r")
    for where in ("processes:2", dask_cluster.address):
        with open_executor(where) as executor:
            told = list(executor.map(tasks.places, range(4), {"table": table}))
            assert {(kind, file) for kind, file, _, _ in told} == {("memmap", str(tmp_path / "table.npy"))}
            given = {"table": table[1:], "offset": np.array(0.0)}  # a part lies elsewhere in the file
            assert list(executor.map(tasks.row_sum, range(3), given)) == [12.0, 21.0, 30.0]
            assert list(executor.map(tasks.row_sum, range(3), {**given, "table": table[:, 1:]})) == [3.0, 9.0, 15.0]


def test_errors_keep_their_type_and_name_the_item(executor: Executor, tasks) -> None:
    def name(item: int) -> str:
        return f"clip {item}"

    results = executor.map(tasks.fail_at_three, range(10), label=name)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three is too many") as caught:
        next(results)
    assert any("clip 3" in note for note in caught.value.__notes__)
    with pytest.raises(ParameterError, match="clip 3: three is too many"):
        list(executor.map(tasks.refuse_at_three, range(10), label=name))
    with pytest.raises(FormatError, match=r"walk\.bvh:7: no motion") as other:
        list(executor.map(tasks.refuse_with_a_place, [1], label=name))
    assert (other.value.path, other.value.line) == ("walk.bvh", 7)
    assert list(executor.map(tasks.double, [1])) == [2]  # and goes on


def test_what_cannot_be_sent_back_is_said(dask_cluster, tasks) -> None:
    for where in ("processes:1", dask_cluster.address):
        with open_executor(where) as executor:
            with pytest.raises(RuntimeError, match="Odd: this and that"):
                list(executor.map(tasks.fail_oddly, [1]))
            with pytest.raises(TypeError, match="cannot be sent"):
                list(executor.map(tasks.give_a_function, [1]))


def test_what_a_task_prints_does_no_harm(executor: Executor, tasks) -> None:
    assert list(executor.map(tasks.print_a_lot, range(8))) == list(range(8))


def test_items_are_asked_for_a_little_ahead(executor: Executor, tasks) -> None:
    asked = []

    def items():
        for number in range(1000):
            asked.append(number)
            yield number

    results = executor.map(tasks.double, items())
    assert not asked
    for taken in range(1, 60):
        next(results)
        assert len(asked) <= taken + 4 * executor.workers
    results.close()  # type: ignore[attr-defined]
    assert len(asked) < 100


def test_progress_is_told(executor: Executor, tasks) -> None:
    told: list[tuple[float, str]] = []
    with heard(lambda share, words: told.append((share, words))):
        list(executor.map(tasks.double, range(4), words="tiles"))
        ends = [share for share, words in told if words == "tiles"]
        assert ends[-1] == 1.0
        assert ends == sorted(ends)
        assert {0.25, 0.5, 0.75} <= set(ends)
        told.clear()
        list(executor.map(tasks.double, iter(range(4)), words="tiles"))
        assert told == []
        list(executor.map(tasks.double, iter(range(4)), words="tiles", total=8))
        assert told[-1] == (0.5, "tiles")


def test_cancelling_ends_the_iteration(executor: Executor, tasks) -> None:
    taken: list[int] = []
    taken.extend(executor.map(tasks.double, range(1000), cancelled=lambda: len(taken) >= 5))
    assert taken == list(range(0, 2 * len(taken), 2))
    assert 5 <= len(taken) <= 5 + 4 * executor.workers
    assert list(executor.map(tasks.double, [1], cancelled=lambda: True)) == []


def test_two_maps_at_once(executor: Executor, tasks) -> None:
    one = executor.map(tasks.double, range(30))
    two = executor.map(tasks.row_sum, range(30), {"table": np.ones((30, 2)), "offset": np.array(1.0)})
    assert list(zip(one, two, strict=True)) == [(2 * n, 3.0) for n in range(30)]


# Workers that die


def test_a_dead_worker_changes_no_result(dask_cluster, make_cluster, tasks, tmp_path: Path) -> None:
    items = [(number, str(tmp_path)) for number in range(40)]
    for where in ("processes:2", make_cluster(3).address):
        with open_executor(where) as executor:
            assert list(executor.map(tasks.die_once, items)) == [number**2 for number in range(40)]
        (tmp_path / "died").unlink()  # it was there: somebody died


def test_a_worker_killed_from_outside_changes_no_result(make_cluster, tasks) -> None:
    cluster = make_cluster(2)
    given = {"table": np.arange(600.0).reshape(200, 3), "offset": np.array(0.5)}
    wanted = [float(row.sum() + 0.5) for row in given["table"]]
    with open_executor(cluster.address) as executor:
        numbers = set(executor.map(tasks.own_number, range(8)))
        assert numbers == {worker.pid for worker in cluster.workers}
        results = executor.map(tasks.row_sum, range(200), given)
        found = [next(results) for _ in range(10)]
        cluster.workers[0].kill()
        assert [*found, *results] == wanted
        assert set(executor.map(tasks.own_number, range(4))) == {cluster.workers[1].pid}
        cluster.workers.append(cluster.add_worker())  # one that comes later works with the others
        cluster.wait_for(3)
        assert set(executor.map(tasks.own_number, range(16))) == {worker.pid for worker in cluster.workers[1:]}


def test_a_process_killed_from_outside_changes_no_result(tasks) -> None:
    given = {"table": np.arange(600.0).reshape(200, 3), "offset": np.array(0.5)}
    with open_executor("processes:2") as executor:
        list(executor.map(tasks.own_number, range(8)))
        results = executor.map(tasks.row_sum, range(200), given)
        found = [next(results) for _ in range(10)]
        for process in list(executor._processes):  # type: ignore[attr-defined]
            os.kill(process.pid, signal.SIGKILL)
        assert [*found, *results] == [float(row.sum() + 0.5) for row in given["table"]]


def test_an_item_that_kills_every_worker_is_named(tasks) -> None:
    with open_executor("processes:2") as executor:
        results = executor.map(tasks.die_always, range(5), label=lambda item: f"clip {item}")
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(WorkerLostError, match=r"clip 3: the process .* ended unexpectedly .* 3 times"):
            next(results)


def test_something_can_stand_for_a_lost_item(make_cluster, tasks) -> None:
    for where in ("processes:2", make_cluster(5).address):
        with open_executor(where) as executor:
            lost = []

            def note(item, error, lost=lost):
                lost.append((item, error.code, str(error)))
                return -1

            found = executor.map(tasks.die_always, range(5), lost=note, label=lambda item: f"clip {item}")
            assert list(found) == [0, 1, 2, -1, 4]
            ((item, code, told),) = lost
            assert (item, code) == (3, "process")
            assert re.match(r"clip 3: the process .* ended unexpectedly .* times", told)


def test_the_last_words_of_a_process_are_kept(tasks) -> None:
    with open_executor("processes:1") as executor, pytest.raises(WorkerLostError, match="out of luck"):
        list(executor.map(tasks.die_always, [3]))


# Machines that do not see this one's files


def test_arrays_are_sent_where_their_files_are_not_seen(make_cluster, tasks, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("reenact.compute.cluster.PIECE", 1000)
    (tmp_path / "far_away.py").write_text(
        "from reenact.compute import shared_arrays\n"
        "real, number = shared_arrays.ArrayFile.is_here, '-' + str(__import__('os').getpid())\n"
        "if real.__name__ == 'is_here':\n"
        "    shared_arrays.ArrayFile.is_here = lambda self, real=real: number in self.path and real(self)\n"
    )
    cluster = make_cluster(2, str(tmp_path / "far_away.py"))
    table = np.random.default_rng(1).normal(size=(300, 5))
    given = {"table": table, "offset": np.array(0.5)}
    with open_executor(cluster.address) as executor:
        assert list(executor.map(tasks.row_sum, range(300), given)) == [float(row.sum() + 0.5) for row in table]
        told = list(executor.map(tasks.places, range(20), {"table": table}))
        assert all(f"-{pid}/" in file for _, file, _, pid in told)
        files = {file for _, file, _, _ in told}
        assert len(files) == len({pid for *_, pid in told})
        assert not any(Path(file).exists() for file in files)  # the job is over


# Ends


def test_leaving_early_ends_the_work(tasks, tmp_path: Path) -> None:
    with open_executor("processes:2") as executor:
        results = executor.map(tasks.wait_a_little, [(0.0, str(tmp_path / "first")), (60.0, str(tmp_path / "late"))])
        next(results)
        begun = time.monotonic()
        results.close()  # type: ignore[attr-defined]
        assert list(executor.map(tasks.double, [1])) == [2]
    assert time.monotonic() - begun < 50
    assert not (tmp_path / "late").exists()


def test_processes_end_with_their_executor(tasks) -> None:
    with open_executor("processes:2") as executor:
        list(executor.map(tasks.own_number, range(8)))
        running = list(executor._processes)  # type: ignore[attr-defined]
        assert len(running) == 2
    assert all(process.ended for process in running)
    gc.collect()


def test_an_interrupt_ends_the_work(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom reenact.compute.executor import open_executor\n"
        "import compute_tasks as tasks\n"
        "with open_executor('processes:2') as executor:\n"
        "    print(next(executor.map(tasks.own_number, [1])), flush=True)\n"
        "    try: list(executor.map(tasks.wait_a_little, [(60.0, sys.argv[1])] * 4))\n"
        "    except KeyboardInterrupt: print('interrupted', flush=True)\n"
        "    print(list(executor.map(tasks.double, [4])))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(script), str(tmp_path / "late")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as running:
        assert running.stdout is not None
        assert running.stdout.readline().strip().isdigit()
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        assert running.stdout.read() == "interrupted\n[8]\n"
        assert running.wait() == 0
    assert not (tmp_path / "late").exists()


def test_where_no_process_can_be_started_the_work_is_done_here(tasks, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "no more processes")

    monkeypatch.setattr("reenact.compute.processes.subprocess.Popen", refuse)
    with open_executor("processes:2") as executor:
        assert set(executor.map(tasks.own_number, range(4))) == {os.getpid()}


# Choosing one


def test_functions_take_executors_or_their_names(tasks) -> None:
    with open_executor("processes:1") as mine:
        with executor_for(mine) as same:
            assert same is mine
        assert list(mine.map(tasks.double, [1])) == [2]  # still open
    with executor_for("processes:2") as opened:
        assert opened.workers == 2
    with executor_for(None, jobs=3, count=2) as opened:
        assert opened.workers == 2
    with executor_for(None, jobs=1, count=100) as opened:
        assert opened.workers == 1
    with executor_for(None, count=7, worth=8) as opened:
        assert opened.workers == 1


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, reenact.compute.executor\n"
            "print(sorted(set(sys.modules) & {'numpy', 'dask', 'distributed', 'torch', 'multiprocessing', 'concurrent.futures'}))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == "[]"
