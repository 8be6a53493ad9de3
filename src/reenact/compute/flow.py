"""Items out, results back: in order, with a bounded number on the way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from typing import Any

from reenact.core.progress import heard, stage, tell

STEP = 0.1
"""Seconds: waiting goes in steps, so that an interrupt is noticed."""


class Told:
    """Says how far a map is, where the number of its items is known."""

    def __init__(self, items: Iterable[Any], total: int | None, words: str) -> None:
        self.total = len(items) if total is None and isinstance(items, Sized) else total
        self.words = words
        self.done = 0

    def inside(self) -> AbstractContextManager[None]:
        """Round the work on the next item, done here: what it tells is told as its part of the whole."""
        if not self.total:
            return heard(None)
        return stage(self.done / self.total, (self.done + 1) / self.total, self.words)

    def one_more(self) -> None:
        """A result is there."""
        self.done += 1
        if self.total:
            tell(self.done / self.total, self.words)


def in_order(
    submit: Callable[[Any], Future[Any]],
    items: Iterable[Any],
    room: Callable[[], int],
    cancelled: Callable[[], bool] | None,
) -> Iterator[tuple[Any, Future[Any]]]:
    """Items and their finished futures, in the order of the items.

    The first result is waited for before more than one item is handed out: it compiles the kernels into the cache, where other processes
    find them, instead of each compiling them again.

    Args:
        submit: hands an item out.
        items: pulled in this thread when there is room.
        room: items that may be on the way.
        cancelled: ends the iteration, after the results that are there already.
    """
    waiting: deque[tuple[Any, Future[Any]]] = deque()
    coming = iter(items)
    warm = False
    over = False
    while True:
        while not over and len(waiting) < (room() if warm else 1):
            try:
                item = next(coming)
            except StopIteration:
                over = True
                break
            waiting.append((item, submit(item)))
        if not waiting:
            return
        future = waiting[0][1]
        stop = False
        while not future.done() and not (stop := cancelled is not None and cancelled()):
            wait([future], timeout=STEP)
        if stop or (cancelled is not None and cancelled()):
            break
        warm = True
        yield waiting.popleft()
    for item, future in waiting:
        if future.done():
            yield item, future
