"""Operations that were asked for: waiting, running in worker processes, done."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from reenact.errors import ReenactError
from reenact.operations.operation import Operation
from reenact.studio.answers import BusyError, NotFoundError, detail_of_error
from reenact.studio.events import Events
from reenact.studio.forms import Checked
from reenact.studio.history import Added, History
from reenact.studio.listing import summary_of
from reenact.studio.marks import doubts_of, marks_of
from reenact.studio.messages import ErrorDetail, Job, JobEvent, JobFile
from reenact.studio.shelf import Shelf
from reenact.studio.workers import Workers

_log = logging.getLogger(__name__)

MOST_UNFINISHED = 64
"""Jobs that wait or run, at most."""

MOST_KEPT = 200
"""Finished jobs that are remembered."""

_ENDINGS = {"picture": ".png", "page": ".html", "video": ".mp4", "animation": ".gif"}
"""What a job may leave to be looked at; an `animation` is a video where MP4 cannot be written."""


class Jobs:
    """All jobs of a session; for the server's own thread alone."""

    def __init__(
        self,
        shelf: Shelf,
        workers: Workers,
        events: Events,
        changed: Callable[[], Awaitable[None]],
        folder: Path,
        history: History,
    ) -> None:
        self._history = history
        self._folder = folder / "results"  # pictures and pages
        self._folder.mkdir(exist_ok=True)
        self._shelf = shelf
        self._workers = workers
        self._events = events
        self._changed = changed
        self._jobs: dict[str, Job] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def submit(self, operation: Operation, checked: Checked) -> Job:
        """Put an operation into the queue.

        Raises:
            BusyError: too many are unfinished.
        """
        if len(self._tasks) >= MOST_UNFINISHED:
            raise BusyError(f"{MOST_UNFINISHED} jobs are waiting already; try again when some are done")
        request = checked.request
        job = Job(
            id=secrets.token_hex(8),
            operation=operation.name,
            state="queued",
            progress=0.0,
            message="waiting",
            command=checked.command.command,
            clips=tuple(request.clips),
            result=None,
            result_is_new=False,
            report={},
            error=None,
            results=(),
            new=(),
            picture="",
            page="",
            video="",
            marks=(),
            doubts=(),
            change=0,
            sources=tuple(entry.name for entry in checked.entries),
            files=(),
        )
        named = checked.files
        work = {
            "task": "operation",
            "operation": operation.name,
            "clips": list(request.clips),
            "parameters": {name: value for name, value in request.parameters.items() if name not in named.names},
            "name": request.result_name.strip() if operation.gives == "clips" else checked.name,
            "files": {what: str(self._path(job.id, what)) for what in _ENDINGS},
            "named": named.names,
            "sent": {name: str(path) for name, path in named.sent.items()},
            "clip_files": {
                name: [entry.id, str(self._beside(job.id, name, ".npz"))] for name, entry in named.clips.items()
            },
            "written": {name: str(self._beside(job.id, name, ending)) for name, ending in named.written.items()},
        }
        self._put(job)
        task = asyncio.create_task(self._run(job.id, work), name=f"job {job.id}")
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))
        return job

    def find(self, number: str) -> Job:
        """A job, or a `NotFoundError`."""
        if number not in self._jobs:
            raise NotFoundError("no such job", where=number[:80])
        return self._jobs[number]

    def file_of(self, number: str, what: str) -> Path:
        """The picture or page of a job, or a `NotFoundError`."""
        self.find(number)
        path = self._path(number, what)
        if not path.is_file():
            raise NotFoundError(f"the job made no {what}", where=number)
        return path

    def _path(self, number: str, what: str) -> Path:
        return self._folder / f"{number}{_ENDINGS[what]}"

    def _beside(self, number: str, parameter: str, ending: str) -> Path:
        return self._folder / f"{number}-{parameter}{ending}"

    def written(self, number: str, parameter: str) -> tuple[Path, str]:
        """A file that a job wrote for a parameter, and what it is called; or a `NotFoundError`."""
        for file in self.find(number).files:
            if file.parameter == parameter:
                return self._beside(number, parameter, Path(file.name).suffix), file.name
        raise NotFoundError("the job wrote no such file", where=parameter[:80])

    def listed(self) -> tuple[Job, ...]:
        """All that are remembered, the newest first."""
        return tuple(reversed(self._jobs.values()))

    async def cancel(self, number: str) -> Job:
        """Stop a job; one that is finished stays as it is."""
        self.find(number)
        task = self._tasks.get(number)
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            if self._jobs[number].state in ("queued", "running"):  # cancelled before its first step
                self._change(number, state="cancelled", message="cancelled")
        return self.find(number)

    async def close(self) -> None:
        """Stop all."""
        for number in list(self._tasks):
            await self.cancel(number)

    async def _run(self, number: str, work: dict[str, Any]) -> None:
        try:
            done = await self._workers.ask(
                work,
                lambda progress, message: self._change(number, progress=progress, message=message),
                started=lambda: self._change(number, state="running", message="starting"),
            )
            results = tuple([await self._shelf.ask(summary_of, one) for one in done["clips"]])
            change = 0
            if done["new"]:
                made = [one.name for one in results if one.id in done["new"]]
                label = f"{self._jobs[number].operation}: add {made[0] if len(made) == 1 else f'{len(made)} clips'}"
                change = self._history.note(label, Added(tuple(done["new"])))
            await self._changed()
            message = "done"
            if results and not done["new"]:
                message = f"the library has this motion already: {', '.join(one.name for one in results)}"
            self._change(
                number,
                state="done",
                progress=1.0,
                message=message,
                result=results[0] if results else None,
                result_is_new=bool(results) and results[0].id in done["new"],
                report=done["report"],
                results=results,
                new=tuple(done["new"]),
                picture=f"jobs/{number}/picture" if done["picture"] else "",
                page=f"jobs/{number}/page" if done["page"] else "",
                video=f"jobs/{number}/video.{done['video']}" if done["video"] else "",
                marks=marks_of(done["report"], results[0].frames) if len(results) == 1 else (),
                doubts=doubts_of(done["report"]),
                change=change,
                files=tuple(
                    JobFile(name, work["named"][name], f"jobs/{number}/files/{name}") for name in done["written"]
                ),
            )
        except asyncio.CancelledError:
            self._change(number, state="cancelled", message="cancelled")
            raise
        except ReenactError as error:
            detail = detail_of_error(error)
            self._change(number, state="failed", message=error.message, error=detail)
        except Exception as error:  # a full disk, a fault: the job says so, the terminal says more
            _log.exception("job %s failed", number)
            detail = ErrorDetail("internal", f"the work failed: {type(error).__name__}", "")
            self._change(number, state="failed", message=detail.message, error=detail)

    def _change(self, number: str, **changes: Any) -> None:
        self._put(replace(self._jobs[number], **changes))

    def _put(self, job: Job) -> None:
        self._jobs[job.id] = job
        finished = [number for number, job in self._jobs.items() if job.state not in ("queued", "running")]
        for number in finished[: max(0, len(finished) - MOST_KEPT)]:
            del self._jobs[number]
            for path in (*(self._path(number, what) for what in _ENDINGS), *self._folder.glob(f"{number}-*")):
                path.unlink(missing_ok=True)
        self._events.publish(JobEvent(job))
