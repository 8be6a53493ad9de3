"""News for the pages: whoever listens gets the latest of everything, and a burst about one thing becomes one message."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from reenact.studio.messages import JobEvent, LibraryEvent, StudioEvent

PAUSE_SECONDS = 0.05
"""Least time between two deliveries to a page."""

MOST_LISTENERS = 256


class Listener:
    """One page: what it has not been told yet."""

    def __init__(self) -> None:
        self._news: dict[str, StudioEvent] = {}
        self._woken = asyncio.Event()

    def put(self, event: StudioEvent) -> None:
        """Note an event; an older one about the same thing is forgotten."""
        key = event.job.id if isinstance(event, JobEvent) else type(event).__name__
        self._news[key] = event
        self._woken.set()

    async def deliveries(self) -> AsyncIterator[list[StudioEvent]]:
        """What is new, again and again, with a pause after each."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            news, self._news = list(self._news.values()), {}
            yield news
            await asyncio.sleep(PAUSE_SECONDS)


class Events:
    """Tells every listener; for the server's own thread alone.

    Attributes:
        revision: of the library, as the last event told it.
    """

    def __init__(self) -> None:
        self.revision = 0
        self._listeners: set[Listener] = set()

    @property
    def full(self) -> bool:
        """True when no more pages are listened to."""
        return len(self._listeners) >= MOST_LISTENERS

    @contextmanager
    def listening(self) -> Iterator[Listener]:
        """A listener for the length of the block; the first thing it hears is the library's revision."""
        listener = Listener()
        listener.put(LibraryEvent(self.revision))
        self._listeners.add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)

    def publish(self, event: StudioEvent) -> None:
        """Tell everyone."""
        for listener in self._listeners:
            listener.put(event)

    def library_changed(self) -> None:
        """Tell everyone that the library is another now."""
        self.revision += 1
        self.publish(LibraryEvent(self.revision))
