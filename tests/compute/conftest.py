"""Executors of all kinds, a real cluster among them: a scheduler and two workers, processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reenact.compute.executor import Executor, open_executor

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def find_tasks(monkeypatch) -> None:
    """`compute_tasks` can be imported, here and by workers."""
    monkeypatch.syspath_prepend(str(HERE))


class DaskCluster:
    """A scheduler and workers."""

    def __init__(self, folder: Path, workers: int = 2, *preload: str) -> None:
        self.folder = folder
        path = os.pathsep.join([str(HERE), *(entry for entry in sys.path if entry)])
        self._environment = {**os.environ, "PYTHONPATH": path, "DASK_DISTRIBUTED__ADMIN__EVENT_LOOP": "asyncio"}
        self._log = open(folder / "log", "wb")  # noqa: SIM115
        self.scheduler = self._start(
            "distributed.cli.dask_scheduler",
            *("--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
            *("--scheduler-file", str(folder / "scheduler.json")),
        )
        until = time.monotonic() + 60
        while not (folder / "scheduler.json").exists():
            assert self.scheduler.poll() is None, self.told()
            assert time.monotonic() < until, self.told()
            time.sleep(0.05)
        self.address = json.loads((folder / "scheduler.json").read_text())["address"]
        self.workers = [self.add_worker(*preload) for _ in range(workers)]
        self.wait_for(workers)

    def add_worker(self, *preload: str) -> subprocess.Popen[bytes]:
        """Start one more, without a nanny: when it is killed it is gone."""
        more = [word for one in preload for word in ("--preload", one)]
        return self._start(
            "distributed.cli.dask_worker",
            self.address,
            *("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0", *more),
            *("--local-directory", str(self.folder)),
        )

    def wait_for(self, workers: int) -> None:
        """Until so many workers have come, since the beginning."""
        until = time.monotonic() + 60
        while self.told().count("Registered to:") < workers:
            assert time.monotonic() < until, self.told()
            time.sleep(0.05)

    def _start(self, program: str, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", program, *words],
            env=self._environment,
            stdout=self._log,
            stderr=self._log,
        )

    def told(self) -> str:
        """What they said."""
        return (self.folder / "log").read_text(errors="replace")

    def close(self) -> None:
        """End them all."""
        for process in [*self.workers, self.scheduler]:
            process.kill()
        for process in [*self.workers, self.scheduler]:
            process.wait()
        self._log.close()


@pytest.fixture(scope="session")
def dask_cluster(tmp_path_factory) -> Iterator[DaskCluster]:
    """A cluster for tests that do it no harm."""
    cluster = DaskCluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.close()


@pytest.fixture
def make_cluster(tmp_path) -> Iterator[Callable[..., DaskCluster]]:
    """Clusters of a test's own."""
    made: list[DaskCluster] = []

    def make(workers: int = 2, *preload: str) -> DaskCluster:
        folder = tmp_path / f"cluster-{len(made)}"
        folder.mkdir()
        made.append(DaskCluster(folder, workers, *preload))
        return made[-1]

    yield make
    for one in made:
        one.close()


KINDS = ("serial", "processes:1", "processes:3", "cluster")


@pytest.fixture(params=KINDS)
def executor(request) -> Iterator[Executor]:
    """An executor of each kind."""
    where = request.param
    if where == "cluster":
        where = request.getfixturevalue("dask_cluster").address
    with open_executor(where) as opened:
        yield opened
