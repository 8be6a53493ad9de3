"""How far long work is: methods say it, whoever asked for the work may listen. Where nobody listens, saying costs nothing.

with heard(lambda share, words: print(f"{share:.0%} {words}")):
reenact.blend(walk, sneak)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[float, str], None]
"""Takes the share of the work that is done, 0 to 1, and what is done now, in a few words."""

_listener: ContextVar[Listener | None] = ContextVar("reenact-progress", default=None)


def tell(share: float, words: str = "") -> None:
    """Say how far the work is; `words` say what is done now, empty: what was said before goes on."""
    listener = _listener.get()
    if listener is not None:
        listener(min(max(share, 0.0), 1.0), words)


@contextmanager
def heard(listener: Listener | None) -> Iterator[None]:
    """Listen to the work of the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def stage(low: float, high: float, words: str = "") -> Iterator[None]:
    """A part of the work: what is told in the block counts from `low` to `high` of the whole."""
    outer = _listener.get()
    if outer is None:
        yield
        return
    tell(low, words)
    with heard(lambda share, more: outer(low + (high - low) * share, more or words)):
        yield
