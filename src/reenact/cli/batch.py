"""Many clips worked on one by one, in several processes: results in their order, refusals at the end, an exit code that tells."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reenact.cli.library_output import simple_bar
from reenact.cli.output import plain_os_error, print_error, print_json
from reenact.cli.sources import BatchOptions, Source, is_library
from reenact.cli.targets import is_for_many
from reenact.compute.executor import executor_for
from reenact.errors import ParameterError, ReenactError

if TYPE_CHECKING:
    from reenact.compute.executor import WorkerLostError

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
    batch: BatchOptions,
    *,
    json: bool = False,
    what: str = "clips",
) -> list[Row]:
    """A row for every source: `in` and what the work tells, or `in` and `error`."""
    rows: list[Row] = []
    items = list(zip(sources, targets, strict=True))
    with (
        simple_bar(what, hidden=json) as progress,
        executor_for(batch.scheduler, jobs=batch.jobs, count=len(items), worth=_WORTH_A_PROCESS) as executor,
    ):
        task = functools.partial(_attempt_one, work)
        for row in executor.map(task, items, label=lambda item: item[0].label, lost=_lost):
            rows.append({"in": sources[len(rows)].label, **row})
            if progress is not None:
                progress(len(rows), len(sources))
    return rows


def _attempt_one(work: Work, item: tuple[Source, Path | None], shared: Mapping[str, Any]) -> Row:
    return attempt(work, *item)


def _lost(item: tuple[Source, Path | None], error: WorkerLostError) -> Row:
    message = f"{error.message} (out of memory?); try --jobs 1"
    return {"error": {"code": error.code, "message": message, "where": ""}}


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
