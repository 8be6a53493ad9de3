"""Worker processes for the server: started when needed, asked one thing at a time, killed when what they do is not wanted any more."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from reenact.studio.answers import TaskError

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one answer of a worker, at most."""

LONGEST_GOODBYE = 2.0
"""Seconds a worker that answers no more may take to end by itself."""


class Workers:
    """Up to `count` processes of one library; what comes beyond waits its turn."""

    def __init__(self, folder: Path, count: int, *, read_only: bool) -> None:
        self._arguments = [str(folder), "read-only" if read_only else "writable"]
        self._free: list[asyncio.subprocess.Process] = []
        self._all: set[asyncio.subprocess.Process] = set()
        self._turn = asyncio.Semaphore(count)

    async def ask(
        self,
        request: dict[str, Any],
        tell: Callable[[float, str], None] | None = None,
        *,
        started: Callable[[], None] | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Have a request done. When the caller is cancelled, so is the work: its process is killed.

        Args:
            request: see `studio.worker`.
            tell: called with how far the work is.
            started: called when a process has taken it up.
            timeout: seconds the work may take.

        Raises:
            TaskError: what the worker reported, or that it died or took too long.
        """
        async with self._turn:
            process = await self._take()
            if started is not None:
                started()
            try:
                async with asyncio.timeout(timeout):
                    answer = await self._converse(process, request, tell)
            except TimeoutError:
                await self._end(process)
                raise TaskError("timeout", f"stopped after {timeout:g} seconds", "") from None
            except BaseException:
                await asyncio.shield(self._end(process))
                raise
            self._free.append(process)
        if "error" in answer:
            raise TaskError(**answer["error"])
        return answer["done"]

    async def close(self) -> None:
        """End every process."""
        for process in list(self._all):
            await self._end(process)
        self._free.clear()

    async def _take(self) -> asyncio.subprocess.Process:
        while self._free:
            process = self._free.pop()
            if process.returncode is None:
                return process
            await self._end(process)
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(entry for entry in sys.path if entry)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "reenact.studio.worker",
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environment,
            limit=LONGEST_LINE,
            start_new_session=os.name == "posix",  # an interrupt from the keyboard goes to the server alone
        )
        self._all.add(process)
        return process

    async def _converse(
        self, process: asyncio.subprocess.Process, request: dict[str, Any], tell: Callable[[float, str], None] | None
    ) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(msgspec.json.encode(request) + b"\n")
            await process.stdin.drain()
            while line := await process.stdout.readline():
                answer = msgspec.json.decode(line)
                if "progress" not in answer:
                    return answer
                if tell is not None:
                    tell(answer["progress"], answer["message"])
        except (ConnectionError, ValueError, msgspec.DecodeError):
            pass
        code = await self._ended(process)
        raise TaskError("internal", f"the process that did this ended unexpectedly (exit code {code})", "")

    async def _ended(self, process: asyncio.subprocess.Process) -> int:
        """The exit code of a process that has closed its end or talks nonsense; it is waited for before it is killed.

        Killing polls, and a poll takes the exit code of a dead process away from the watcher that waits for it.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_GOODBYE):
                await process.wait()
        return await self._end(process)

    async def _end(self, process: asyncio.subprocess.Process) -> int:
        self._all.discard(process)
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        if process.stdin is not None:
            process.stdin.close()
            with contextlib.suppress(ConnectionError):
                await process.stdin.wait_closed()
        return await process.wait()
