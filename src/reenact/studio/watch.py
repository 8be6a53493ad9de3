"""Noticing that the library has changed, by this server or by another program that has it open."""

from __future__ import annotations

import asyncio

from reenact.library.store import Library
from reenact.studio.events import Events
from reenact.studio.shelf import Shelf

LOOK_SECONDS = 1.0
"""How often another program's changes are looked for."""


class Watch:
    """Compares what people see of the library (names, descriptions, tags, meshes) with what it was."""

    def __init__(self, shelf: Shelf, events: Events) -> None:
        self._shelf = shelf
        self._events = events
        self._library = Library(shelf.folder, read_only=True)
        self._version = -1
        self._seen = 0
        self._turn = asyncio.Lock()
        self._look()

    def _look(self) -> bool:
        """True when something was changed since the last look. SQLite counts the commits of others; only then all is compared."""
        with self._library.index.reading() as connection:
            version = connection.execute("PRAGMA data_version").fetchone()[0]
            if version == self._version:
                return False
            self._version = version
            questions = (
                "SELECT id, name, description FROM clips",
                "SELECT clip_id, tag_id FROM clip_tags",
                "SELECT key FROM derived WHERE kind = 'character'",
            )
            seen = hash(tuple(tuple(map(tuple, connection.execute(question))) for question in questions))
        changed, self._seen = seen != self._seen, seen
        return changed

    async def look(self) -> None:
        """Look now, and tell the pages when something has changed."""
        async with self._turn:
            changed = await self._shelf.ask(lambda _: self._look())
        if changed:
            self._events.library_changed()

    async def run(self) -> None:
        """Look again and again."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.look()

    def close(self) -> None:
        """Close the connection."""
        self._library.close()
