"""The opened library in the server: one connection for each thread that reads, and waiting for them without blocking."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from reenact.library.entries import Entry
from reenact.library.store import Library
from reenact.studio.answers import NotFoundError, RefusedError

Given = ParamSpec("Given")
Result = TypeVar("Result")

THREADS = 4

_LARGEST_ID = 2**63 - 1


class Shelf:
    """A library that several threads use at once, each through a connection of its own.

    Attributes:
        folder: of the library.
        writable: whether clips may be added, changed and removed.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._read_only = read_only
        self._local = threading.local()
        self._opened: list[Library] = []
        self._guard = threading.Lock()
        self._threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="studio")
        with Library(folder, read_only=read_only) as library:  # what is wrong with it is said at once
            self.folder = library.folder
            self.writable = not library.index.read_only

    def here(self) -> Library:
        """This thread's library."""
        library = getattr(self._local, "library", None)
        if library is None:
            library = self._local.library = Library(self.folder, read_only=self._read_only)
            with self._guard:
                self._opened.append(library)
        return library

    async def ask(
        self, question: Callable[Concatenate[Library, Given], Result], *args: Given.args, **kwargs: Given.kwargs
    ) -> Result:
        """`question(library, ...)` in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: question(self.here(), *args, **kwargs))

    def require_writable(self) -> None:
        """A `RefusedError` when nothing may be changed."""
        if not self.writable:
            raise RefusedError("the library is open for reading only")

    def close(self) -> None:
        """Wait for the threads and close their libraries."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        with self._guard:
            for library in self._opened:
                library.close()
            self._opened.clear()


def find_entry(library: Library, number: int) -> Entry:
    """The entry of a clip by its number, or a `NotFoundError`."""
    if 0 < number <= _LARGEST_ID and number in library:
        return library.entry(number)
    raise NotFoundError(f"no clip {number} in the library", where=str(number))
