"""Many clips worked on one by one, in several processes: results in their order, refusals at the end, an exit code that tells."""

from __future__ import annotations

import math
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reenact.cli.library_output import simple_bar
from reenact.cli.output import plain_os_error, print_error, print_json
from reenact.cli.sources import BatchOptions, Source, is_library
from reenact.cli.targets import is_for_many
from reenact.errors import ParameterError, ReenactError

if TYPE_CHECKING:  # a verb for one clip needs no other process, and starts sooner without what they take
    from concurrent.futures import Future

_WORTH_A_PROCESS = 4  # clips; starting one takes about as long as working on these

Row = dict[str, Any]
Work = Callable[[Source, Path | None], Row]
"""What is done with one clip, and what is told of it; an object that other processes can be sent."""


def goes_one_by_one(files: Sequence[Path], output: Path | None, batch: BatchOptions) -> bool:
    """Whether a verb for one clip is asked for many: several files, a library, a search, or an output for many.

    Raises:
        ParameterError: the output is one file.
    """
    many = len(files) > 1 or batch.query is not None or any(is_library(file) for file in files)
    many = many or is_for_many(output)
    if many and output is not None and not is_for_many(output):
        raise ParameterError(
            f"many results need a folder that is there, or a pattern such as 'out/{{name}}{output.suffix}'", where="-o"
        )
    return many


def work_on_many(
    work: Work,
    sources: Sequence[Source],
    targets: Sequence[Path | None],
    *,
    jobs: int | None = None,
    json: bool = False,
    what: str = "clips",
) -> list[Row]:
    """A row for every source: `in` and what the work tells, or `in` and `error`."""
    jobs = min(jobs or len(_processors()), math.ceil(len(sources) / _WORTH_A_PROCESS) if jobs is None else len(sources))
    rows: list[Row | None] = [None] * len(sources)
    with simple_bar(what, hidden=json) as progress:
        outcomes = _in_turn(work, sources, targets) if jobs <= 1 else _in_processes(work, sources, targets, jobs)
        for done, (place, row) in enumerate(outcomes, 1):
            rows[place] = {"in": sources[place].label, **row}
            if progress is not None:
                progress(done, len(sources))
    return [row for row in rows if row is not None]


def _processors() -> range:
    return range(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _in_turn(work: Work, sources: Sequence[Source], targets: Sequence[Path | None]) -> Iterator[tuple[int, Row]]:
    for place, (source, target) in enumerate(zip(sources, targets, strict=True)):
        yield place, attempt(work, source, target)


def _in_processes(
    work: Work, sources: Sequence[Source], targets: Sequence[Path | None], jobs: int
) -> Iterator[tuple[int, Row]]:
    """The first clip is waited for: it compiles what the others then find compiled."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_leave_interrupts) as pool:
        try:
            first = pool.submit(attempt, work, sources[0], targets[0])
            yield 0, _result_of(first)
            waiting = {
                pool.submit(attempt, work, source, target): place
                for place, (source, target) in enumerate(zip(sources, targets, strict=True))
                if place
            }
            for future in as_completed(waiting):
                yield waiting[future], _result_of(future)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _leave_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends the others


def _result_of(future: Future[Row]) -> Row:
    from concurrent.futures.process import BrokenProcessPool

    try:
        return future.result()
    except BrokenProcessPool:
        message = "a process that worked on it or beside it died (out of memory?); try --jobs 1"
        return {"error": {"code": "process", "message": message, "where": ""}}


def attempt(work: Work, source: Source, target: Path | None) -> Row:
    """The row of one clip; what is wrong with it is part of the row."""
    try:
        return work(source, target)
    except ReenactError as error:
        told = error.message, error.code, error.where
    except OSError as error:
        told = plain_os_error(error)
    except MemoryError:
        told = "not enough memory for this input", "memory", ""
    message, code, where = told
    return {"error": {"code": code, "message": message, "where": where or source.label}}


def tell_of_many(rows: Sequence[Row], line: Callable[[Row], str], *, json: bool, more: Row | None = None) -> int:
    """Print what came of all; gives the exit code: 0 all done, 1 some refused, 2 all refused.

    Args:
        rows: of `work_on_many`.
        line: what people read of a row that has no error.
        json: print one object instead.
        more: what else it holds.
    """
    refused = [row for row in rows if "error" in row]
    done = len(rows) - len(refused)
    if json:
        print_json({**(more or {}), "done": done, "refused": len(refused), "results": list(rows)})
    else:
        for row in rows:
            if "error" not in row:
                print(line(row))
        sys.stdout.flush()
        for row in refused:
            error = row["error"]
            where = error["where"] if error["where"].startswith(row["in"]) else row["in"]
            print_error(error["message"], error["code"], where, False)
        print(f"{done} of {len(rows)} done" + (f", {len(refused)} refused" if refused else ""), file=sys.stderr)
    return 0 if not refused else 1 if done else 2
