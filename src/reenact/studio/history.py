"""Changes of the library that were made in the studio, and taking them back: one history for all open pages."""

from __future__ import annotations

import asyncio
import itertools
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reenact.library.store import Library
from reenact.library.taking_out import TakenOut, put_back, take_out
from reenact.studio.answers import NotFoundError
from reenact.studio.events import Events
from reenact.studio.messages import ClipChange, HistoryEvent, HistoryState
from reenact.studio.shelf import Shelf, find_entry

MOST_CHANGES = 100
"""Changes that can be taken back; clips that were removed before them are gone for good."""


@dataclass(frozen=True, slots=True)
class Added:
    """Clips that were added; taken back, they are kept outside of the library."""

    ids: tuple[int, ...]

    def back(self, library: Library, trash: Path) -> Removed:
        """Take them out again, those that are still there."""
        return remove_clips(library, [number for number in self.ids if number in library], trash)


@dataclass(frozen=True, slots=True)
class Removed:
    """Clips that were removed, each with its copy."""

    taken: tuple[TakenOut, ...]

    def back(self, library: Library, trash: Path) -> Added:
        """Put them back."""
        there = [one for one in self.taken if put_back(library, one)]
        self.forget()
        return Added(tuple(one.id for one in there))

    def forget(self) -> None:
        """Delete the copies."""
        for one in self.taken:
            shutil.rmtree(one.folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Changed:
    """Another name, description or other tags, and how they were before."""

    id: int
    before: ClipChange

    def back(self, library: Library, trash: Path) -> Changed:
        """As it was before; what it was until now is what the other way leads to."""
        now = apply_change(library, self.id, self.before)
        return Changed(self.id, now)


Change = Added | Removed | Changed


@dataclass(frozen=True, slots=True)
class Step:
    """A change with its number and what people call it."""

    number: int
    label: str
    change: Change


def remove_clips(library: Library, ids: Sequence[int], trash: Path) -> Removed:
    """Take clips out of the library and keep copies: all of them, or none."""
    taken: list[TakenOut] = []
    try:
        for number in ids:
            folder = trash / f"{number}-{next(_FOLDERS)}"
            taken.append(take_out(library, find_entry(library, number), folder))
    except BaseException:
        Removed(tuple(taken)).back(library, trash)
        raise
    return Removed(tuple(taken))


_FOLDERS = itertools.count(1)


def apply_change(library: Library, number: int, change: ClipChange) -> ClipChange:
    """Set name, description and tags of a clip, all of it or nothing; gives those it had."""
    with library.index.writing():
        entry = find_entry(library, number)
        if change.name is not None:
            library.rename(entry, change.name)
        if change.description is not None:
            library.describe(entry, change.description)
        if change.tags is not None:
            wanted = {tag.strip().casefold() for tag in change.tags}
            gone = [tag for tag in entry.tags if tag.casefold() not in wanted]
            if gone:
                library.untag(entry, *gone)
            library.tag(entry, *change.tags)
    return ClipChange(
        None if change.name is None else entry.name,
        None if change.description is None else entry.description,
        None if change.tags is None else list(entry.tags),
    )


class History:
    """What was done and can be taken back, and what was taken back and can be done again; for the server's own thread alone."""

    def __init__(self, shelf: Shelf, events: Events, trash: Path) -> None:
        self._shelf = shelf
        self._events = events
        self._trash = trash
        self._done: list[Step] = []
        self._undone: list[Step] = []
        self._numbers = itertools.count(1)
        self._turn = asyncio.Lock()

    @property
    def state(self) -> HistoryState:
        """What the next steps in both directions are."""
        done, undone = self._done[-1:], self._undone[-1:]
        return HistoryState(
            undo=done[0].label if done else "",
            redo=undone[0].label if undone else "",
            undo_number=done[0].number if done else 0,
        )

    def note(self, label: str, change: Change) -> int:
        """Remember a change that was made; gives its number."""
        step = Step(next(self._numbers), label, change)
        self._done.append(step)
        forgotten, self._undone = self._undone, []
        if len(self._done) > MOST_CHANGES:
            forgotten.append(self._done.pop(0))
        for old in forgotten:
            if isinstance(old.change, Removed):
                old.change.forget()
        self._tell()
        return step.number

    async def remove(self, number: int) -> str:
        """Remove a clip so that it can be put back; gives its name."""
        async with self._turn:
            removed = await self._shelf.ask(remove_clips, [number], self._trash)
            name = removed.taken[0].name
            self.note(f"remove {name}", removed)
        return name

    async def change(self, number: int, change: ClipChange, label: Callable[[str], str]) -> None:
        """Describe a clip anew; `label` makes the words of it from the name the clip had."""

        def apply(library: Library) -> tuple[str, ClipChange]:
            name = find_entry(library, number).name
            return name, apply_change(library, number, change)

        async with self._turn:
            name, before = await self._shelf.ask(apply)
            if before != change:
                self.note(label(name), Changed(number, before))

    async def undo(self) -> str:
        """Take the last change back; gives what it was.

        Raises:
            NotFoundError: there is none.
        """
        return await self._step(self._done, self._undone, "there is nothing to undo")

    async def redo(self) -> str:
        """Do again what was taken back last."""
        return await self._step(self._undone, self._done, "there is nothing to redo")

    async def _step(self, source: list[Step], target: list[Step], none: str) -> str:
        async with self._turn:
            if not source:
                raise NotFoundError(none)
            step = source.pop()
            try:
                back = await self._shelf.ask(step.change.back, self._trash)
            except NotFoundError:  # the clip is gone by another way: this step means nothing any more
                self._tell()
                raise
            except BaseException:
                source.append(step)
                raise
            target.append(Step(step.number, step.label, back))
            self._tell()
        return step.label

    def _tell(self) -> None:
        self._events.publish(HistoryEvent(self.state))
