"""The one way in which many pieces of work are done: here, in processes of this machine, or on a cluster.

with open_executor("processes") as executor:
    for edges in executor.map(edge_tile, tiles, {"poses": poses}):
        ...
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

from reenact.errors import ComputeError, ParameterError

if TYPE_CHECKING:
    import numpy as np

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_WORKERS = 256

TRIES = 3
"""Times an item is tried whose worker died."""

AHEAD = 4
"""Items handed out before the first result is taken, for each worker: bounds the results that wait."""


class WorkerLostError(ComputeError):
    """The process that worked on an item ended before it had answered, each time it was tried."""

    code = "process"


class Executor(Protocol):
    """Does one task on many items.

    Attributes:
        workers: items that are worked on at once.
    """

    @property
    def workers(self) -> int: ...

    def map(
        self,
        task: Callable[[Item, Mapping[str, np.ndarray]], Result],
        items: Iterable[Item],
        shared: Mapping[str, np.ndarray] | None = None,
        *,
        words: str = "",
        total: int | None = None,
        label: Callable[[Item], str] = str,
        lost: Callable[[Item, WorkerLostError], Result] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[Result]:
        """Results in the order of the items, which are asked for only a little ahead.

        Results depend on item and shared arrays alone, never on the kind of executor. Leaving the iteration early ends the work.

        Args:
            task: a function of a module, or an object that can be pickled: `task(item, shared)`.
            items: what can be pickled; pulled in the caller's thread when there is room.
            shared: arrays that all items need: handed to workers once, as files mapped into memory; read-only there.
            words: what is done, for those who listen to `core.progress`.
            total: number of items where they have no length.
            label: names an item in errors.
            lost: what stands for an item whose worker died every time; without it that is a `WorkerLostError`.
            cancelled: asked again and again; True ends the iteration after the results that are there already.

        Raises:
            WorkerLostError: see `lost`.
            Exception: what the task raised, of the same type, with the item named.
        """
        ...

    def close(self) -> None:
        """End the workers of this executor; what they were doing is lost."""
        ...

    def __enter__(self) -> Executor: ...

    def __exit__(self, *_: object) -> None: ...


_ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:\d+")
_PROCESSES = re.compile(r"processes(?::(\d+))?")


def open_executor(where: str) -> Executor:
    """An executor by its name; use it as a context, or close it.

    Args:
        where: "serial": in this process; "processes": one for each processor, "processes:4": four; "tcp://host:port" (or "tls://..."):
            the workers of a Dask scheduler.

    Raises:
        ParameterError: no such executor.
        MissingExtraError: a cluster needs the extra `cluster`.
        ComputeError: the scheduler does not answer, has no workers, or its workers are not set up alike.
    """
    if where == "serial":
        from reenact.compute.serial import Serial

        return Serial()
    if found := _PROCESSES.fullmatch(where):
        from reenact.compute.processes import Processes

        return Processes(processors() if found[1] is None else int(found[1]))
    if _ADDRESS.fullmatch(where):
        from reenact.compute.cluster import Cluster

        return Cluster(where)
    raise ParameterError(
        f"expected serial, processes, processes:N or the address tcp://host:port of a Dask scheduler, not {where!r}",
        where="executor",
    )


@contextmanager
def executor_for(
    executor: Executor | str | None, *, jobs: int | None = None, count: int | None = None, worth: int = 1
) -> Iterator[Executor]:
    """The executor of a function that takes one, its name, or nothing; closed at the end unless it was open before.

    Args:
        executor: one that is open (it is left so), a name for `open_executor`, or None.
        jobs: without an executor: processes; None: one for each processor, as far as there is work for them.
        count: number of items, where it is known.
        worth: items that take about as long as starting a process.
    """
    if executor is not None and not isinstance(executor, str):
        yield executor
        return
    with open_executor(executor or _suitable(jobs, count, worth)) as opened:
        yield opened


def _suitable(jobs: int | None, count: int | None, worth: int) -> str:
    wanted = processors() if jobs is None else jobs
    if count is not None:
        wanted = min(wanted, count if jobs is not None else count // worth)
    return "serial" if wanted <= 1 else f"processes:{wanted}"


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
