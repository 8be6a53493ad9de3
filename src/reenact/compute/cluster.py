"""Work done by the workers of a Dask scheduler, on as many machines as there are."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from typing import Any

import numpy as np

from reenact.compute import cluster_worker
from reenact.compute.answers import pack_item, pack_task, result_of
from reenact.compute.executor import AHEAD, WorkerLostError
from reenact.compute.flow import Told, in_order
from reenact.compute.shared_arrays import ArrayFile, SharedFiles, check_shared
from reenact.errors import ComputeError, MissingExtraError

ANSWERS = 15.0
"""Seconds within which a scheduler must answer."""

PATIENCE = 60.0
"""Seconds for which there may be no worker at all."""

PIECE = 16 << 20
"""Bytes of a shared array that are sent at once to a machine that does not have it."""


class Cluster:
    """The workers of a Dask scheduler. They must have this version of reenact; files they are to read must be where they are here."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise MissingExtraError("a Dask cluster", "cluster") from None
        self.address = address
        try:
            self._client: Any = Client(address, timeout=ANSWERS, set_as_default=False, name="reenact")
        except OSError as error:
            raise ComputeError(f"the scheduler does not answer within {ANSWERS:g} s ({error})", where=address) from None
        self._counted = (0.0, 0)
        self._guard = threading.Lock()
        try:
            self._check_workers()
        except BaseException:
            self.close()
            raise

    def _check_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=ANSWERS)
        except TimeoutError:
            raise ComputeError(
                f"the scheduler has no workers (waited {ANSWERS:g} s); start some with `dask worker {self.address}`",
                where=self.address,
            ) from None
        here = cluster_worker.set_up()
        try:
            told: dict[str, Any] = self._client.run(cluster_worker.set_up, on_error="return")
        except Exception as error:
            raise ComputeError(
                f"its workers cannot be asked what they have installed: {error}", where=self.address
            ) from None
        for worker, there in sorted(told.items()):
            if not isinstance(there, dict):
                raise ComputeError(f"the worker {worker} has no such reenact: {there}", where=self.address)
            for what, version in here.items():
                if there.get(what) != version:
                    raise ComputeError(
                        f"the worker {worker} has {what} {there.get(what)}, here it is {version}", where=self.address
                    )

    @property
    def workers(self) -> int:
        """Threads of all workers, as of the last seconds."""
        asked, count = self._counted
        if time.monotonic() - asked > 2.0:
            count = sum(self._client.nthreads().values())
            self._counted = (time.monotonic(), count)
        return max(count, 1)

    def map(
        self,
        task: Callable[[Any, Mapping[str, np.ndarray]], Any],
        items: Iterable[Any],
        shared: Mapping[str, np.ndarray] | None = None,
        *,
        words: str = "",
        total: int | None = None,
        label: Callable[[Any], str] = str,
        lost: Callable[[Any, WorkerLostError], Any] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[Any]:
        """See `Executor.map`."""
        packed, arrays, told = pack_task(task), check_shared(shared), Told(items, total, words)

        def results() -> Iterator[Any]:
            with SharedFiles(arrays) as files:
                job = _Job(self._client, packed, files.files, arrays)
                try:
                    stop = self._watched(cancelled)
                    for item, future in in_order(
                        lambda item: job.send(pack_item(item, label(item))), items, lambda: AHEAD * self.workers, stop
                    ):
                        try:
                            result = result_of(future.result(), label(item))
                        except WorkerLostError as error:
                            error.where = label(item)
                            if lost is None:
                                raise
                            result = lost(item, error)
                        told.one_more()
                        yield result
                finally:
                    job.end()

        return results()

    def _watched(self, cancelled: Callable[[], bool] | None) -> Callable[[], bool]:
        """`cancelled`, which also fails when all workers have been gone for too long."""
        seen = looked = time.monotonic()

        def stop() -> bool:
            nonlocal seen, looked
            now = time.monotonic()
            if now - looked > 2.0:
                looked = now
                if self._client.status != "running":
                    raise ComputeError("the connection to the scheduler was lost", where=self.address)
                if self._client.nthreads():
                    seen = now
                elif now - seen > PATIENCE:
                    raise ComputeError(f"all workers are gone, since {PATIENCE:g} s", where=self.address)
            return cancelled is not None and cancelled()

        return stop

    def close(self) -> None:
        """See `Executor.close`."""
        self._client.close(timeout=5.0)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Job:
    """One map on the cluster: items on the way, and the machines that were sent its arrays."""

    def __init__(
        self, client: Any, task: bytes, files: Mapping[str, ArrayFile], arrays: Mapping[str, np.ndarray]
    ) -> None:
        self._client = client
        self._task = task
        self._files = dict(files)
        self._arrays = arrays
        self._name = uuid.uuid4().hex
        self._folder = os.getcwd()
        self._guard = threading.Lock()
        self._running: set[Any] = set()
        self._count = 0
        self._ended = False

    def send(self, item: bytes) -> Future[bytes]:
        """Hand an item out."""
        promise: Future[bytes] = Future()
        self._submit(item, promise)
        return promise

    def _submit(self, item: bytes, promise: Future[bytes]) -> None:
        self._count += 1
        running = self._client.submit(
            cluster_worker.work,
            self._name,
            self._folder,
            self._task,
            self._files,
            item,
            key=f"reenact-{self._name}-{self._count}",
            pure=False,
        )
        with self._guard:
            self._running.add(running)
        running.add_done_callback(lambda done: self._settle(done, item, promise))

    def _settle(self, done: Any, item: bytes, promise: Future[bytes]) -> None:
        """In a thread of the client: pass on what came of an item, or bring what its worker lacks and hand it out again."""
        from distributed.scheduler import KilledWorker

        with self._guard:
            self._running.discard(done)
        try:
            if self._ended:
                raise CancelledError
            kind, value = done.result()
            if kind == "missing":
                self._bring(value)
                self._submit(item, promise)
            else:
                promise.set_result(value)
        except KilledWorker as error:
            worker = getattr(error.last_worker, "address", "a worker")
            tries = getattr(error, "allowed_failures", 0) + 1
            promise.set_exception(
                WorkerLostError(f"the process that worked on it ended unexpectedly (last {worker}), {tries} times")
            )
        except CancelledError:
            promise.set_exception(ComputeError("the cluster gave this item up"))
        except Exception as error:
            promise.set_exception(ComputeError(f"the cluster failed: {type(error).__name__}: {error}"))
        finally:
            done.release()

    def _bring(self, worker: str) -> None:
        """Send the shared arrays to a worker that does not see their files."""
        for name, file in self._files.items():
            data = np.ascontiguousarray(self._arrays[name]).reshape(-1).view(np.uint8)
            for place in range(0, max(len(data), 1), PIECE):
                piece = data[place : place + PIECE].tobytes()
                with contextlib.suppress(Exception):  # the worker is gone; another one will ask
                    self._client.run(cluster_worker.receive, self._name, name, place, piece, file, workers=[worker])

    def end(self) -> None:
        """Nobody waits any more: what is not begun is not begun, and workers let go of the arrays."""
        with self._guard:
            self._ended = True
            running, self._running = list(self._running), set()
        with contextlib.suppress(Exception):
            if running:
                self._client.cancel(running)
            self._client.run(cluster_worker.forget, self._name, on_error="ignore")
