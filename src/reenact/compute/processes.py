"""Work done in several processes of this machine.

Processes of their own rather than a `ProcessPoolExecutor`: one that dies (out of memory, a fault in compiled code) costs a try of one
item and not the pool, a caller needs no `if __name__ == "__main__"`, and an interrupt reaches only the parent.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import IO, Any

import numpy as np

from reenact.compute.answers import answer, pack_item, pack_task, result_of
from reenact.compute.executor import AHEAD, MOST_WORKERS, TRIES, WorkerLostError
from reenact.compute.flow import Told, in_order
from reenact.compute.shared_arrays import ArrayFile, SharedFiles, check_shared
from reenact.compute.worker import read_message, write_message
from reenact.errors import ParameterError


class _Job:
    """One map: what its workers are told, and whether anyone still waits for it."""

    def __init__(self, task: bytes, files: Mapping[str, ArrayFile]) -> None:
        self.task = task
        self.files = dict(files)
        self.message = pickle.dumps(("job", task, self.files), pickle.HIGHEST_PROTOCOL)
        self.abandoned = False


class Processes:
    """Processes that are started when there is work for them and end with `close`, or when this process does."""

    def __init__(self, workers: int) -> None:
        if not 1 <= workers <= MOST_WORKERS:
            raise ParameterError(f"processes must be 1 to {MOST_WORKERS}, not {workers}", where="executor")
        self.workers = workers
        self._local = threading.local()
        self._processes: list[_Process] = []
        self._guard = threading.Lock()
        self._stopped = False
        self._here = threading.Lock()
        self._threads = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="compute")

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
                job = _Job(packed, files.files)
                try:
                    coming = in_order(
                        lambda item: self._threads.submit(self._ask, job, pack_item(item, label(item))),
                        items,
                        lambda: AHEAD * self.workers,
                        cancelled,
                    )
                    for item, future in coming:
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
                    self._abandon(job)

        return results()

    def _ask(self, job: _Job, item: bytes) -> bytes:
        """The answer to one item, of this thread's process; of this one, where no process can be started."""
        reason = ""
        for _ in range(TRIES):
            try:
                process = self._process(job)
            except OSError:
                with self._here:
                    shared = {name: file.open() for name, file in job.files.items()}
                    return answer(pickle.loads(job.task), item, shared)
            try:
                told = process.ask(job, item)
            finally:
                with self._guard:
                    process.busy = None
            if told is not None:
                return told
            reason = process.why_ended()
            with self._guard:
                self._processes.remove(process)
            self._local.process = None
        raise WorkerLostError(f"the process that worked on it ended unexpectedly ({reason}), {TRIES} times")

    def _process(self, job: _Job) -> _Process:
        """This thread's process, from now on busy with a job."""
        process: _Process | None = getattr(self._local, "process", None)
        with self._guard:
            if job.abandoned or self._stopped:
                raise CancelledError
            if process is None or process.ended:
                if process is not None and process in self._processes:
                    self._processes.remove(process)
                    process.close()
                process = self._local.process = _Process()
                self._processes.append(process)
            process.busy = job
        return process

    def _abandon(self, job: _Job) -> None:
        """Nobody waits for a job any more: end the processes that work on it."""
        with self._guard:
            job.abandoned = True
            for process in self._processes:
                if process.busy is job:
                    process.kill()

    def close(self) -> None:
        """See `Executor.close`."""
        with self._guard:
            self._stopped = True
            processes = list(self._processes)
            for process in processes:
                process.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for process in processes:
            process.close()

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Process:
    """A worker and the pipes to it."""

    def __init__(self) -> None:
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(entry for entry in sys.path if entry)
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
            environment.setdefault(name, "1")
        self.busy: _Job | None = None
        self._knows: _Job | None = None
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "reenact.compute.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env=environment,
                start_new_session=True,  # an interrupt from the keyboard goes to the parent alone
            )
        except BaseException:
            self._said.close()
            raise

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it has."""
        return self._process.poll() is not None

    def ask(self, job: _Job, item: bytes) -> bytes | None:
        """The answer to an item; None when the process is gone."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            if self._knows is not job:
                write_message(self._process.stdin, job.message)
                self._knows = job
            write_message(self._process.stdin, pickle.dumps(("item", item), pickle.HIGHEST_PROTOCOL))
            return read_message(self._process.stdout)
        except (OSError, ValueError):  # the process is gone, or its pipes were closed
            return None

    def why_ended(self) -> str:
        """Exit code, and the last it said."""
        code = self._process.wait()
        self._said.seek(max(self._said.seek(0, os.SEEK_END) - 2000, 0))
        said = self._said.read().decode(errors="replace").strip().splitlines()
        self.close()
        return f"exit code {code}" + (f": {said[-1].strip()}" if said else "")

    def kill(self) -> None:
        """End it now."""
        self._process.kill()

    def close(self) -> None:
        """End it and free what it held."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._said):
            if stream is not None:
                with contextlib.suppress(OSError):  # unsent bytes to a process that is gone
                    stream.close()
