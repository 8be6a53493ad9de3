"""Several processes that read files, and the order in which their answers come back.

Processes of their own rather than a `ProcessPoolExecutor`: a reader that dies (out of memory, a fault in compiled code) costs the
file it was reading and not the pool, a caller needs no `if __name__ == "__main__"`, and an interrupt reaches only the parent.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TypeVar

from reenact.library.import_worker import Outcome, options_to_dict, outcome_from_dict, read_into_staging
from reenact.library.paths import path_text
from reenact.library.walking import Failure
from reenact.loading import LoadOptions

Task = TypeVar("Task")

AHEAD = 4
"""Files handed out before the first answer is taken, for each process: bounds what lies in the staging folder."""


class Readers:
    """Reads files, in this process (`jobs=1`) or in several; use as a context, which ends the processes.

    The first answer is waited for before more than one process starts: it compiles the kernels into the shared cache, where the
    others find them, instead of each compiling them again.
    """

    def __init__(self, jobs: int, options: LoadOptions, staging: Path, *, types: bool = False) -> None:
        self.jobs = jobs
        self._options = options
        self._types = types
        self._staging = staging
        self._local = threading.local()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._guard = threading.Lock()
        self._stopped = False
        self._threads = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="reader") if jobs > 1 else None

    def __enter__(self) -> Readers:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the processes now; what they were reading is lost."""
        with self._guard:
            self._stopped = True
            processes, self._processes = self._processes, []
        for process in processes:
            process.kill()
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)
        for process in processes:
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):  # unsent bytes to a process that is gone
                        stream.close()

    def read(
        self, tasks: Iterable[Task], path_of: Callable[[Task], Path], cancelled: Callable[[], bool]
    ) -> Iterator[tuple[Task, Outcome]]:
        """Outcomes in the order of the tasks, which are asked for only a little ahead.

        When `cancelled()` says so the iteration ends at once, after the outcomes that are there already.
        """
        if self._threads is None:
            for task in tasks:
                if cancelled():
                    return
                yield task, read_into_staging(path_of(task), self._options, self._staging, types=self._types)
            return
        waiting: deque[tuple[Task, Future[Outcome]]] = deque()
        coming = iter(tasks)
        warm = False
        while True:
            while len(waiting) < (AHEAD * self.jobs if warm else 1):
                task = next(coming, None)
                if task is None:
                    break
                waiting.append((task, self._threads.submit(self._ask, path_of(task))))
            if not waiting:
                return
            task, future = waiting[0]
            while not future.done() and not cancelled():
                wait([future], timeout=0.1)  # in short steps: waiting must not keep an interrupt from being noticed
            if cancelled():
                break
            waiting.popleft()
            warm = True
            yield task, future.result()
        for task, future in waiting:
            if future.done():
                yield task, future.result()

    def _ask(self, path: Path) -> Outcome:
        """One file, in this thread's process; here, where no process can be started."""
        process = getattr(self._local, "process", None)
        if process is None or process.poll() is not None:
            try:
                process = self._local.process = self._start()
            except OSError:
                return read_into_staging(path, self._options, self._staging, types=self._types)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"path": str(path)}).encode("ascii") + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except (OSError, ValueError):  # the process is gone, or its pipes were closed
            answer = b""
        if answer.endswith(b"\n"):
            return outcome_from_dict(json.loads(answer))
        reason = f"the process that read it ended unexpectedly (exit code {process.wait()})"
        return Outcome(failure=Failure(path_text(path), "internal", reason, path_text(path)))

    def _start(self) -> subprocess.Popen[bytes]:
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(entry for entry in sys.path if entry)
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
            environment.setdefault(name, "1")
        with self._guard:
            if self._stopped:
                raise RuntimeError("the readers were stopped")  # ends in a future that nobody looks at any more
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "reenact.library.import_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,  # an interrupt from the keyboard goes to the parent alone
            )
            self._processes.append(process)
        assert process.stdin is not None
        start = {"staging": str(self._staging), "options": options_to_dict(self._options), "types": self._types}
        process.stdin.write(json.dumps(start).encode("ascii") + b"\n")
        process.stdin.flush()
        return process
