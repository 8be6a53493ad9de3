"""What compiling says to the user: one line when it begins where somebody looks on, one when it takes long, one when nothing can be kept.

All of it goes to the error stream; `mute` turns it off for a process whose output is read by a program.
"""

from __future__ import annotations

import sys
import time

PATIENCE = 3.0
"""Seconds of compiling after which it is mentioned although no terminal is there."""

_muted = False
_begun: float | None = None
_said: set[str] = set()


def mute() -> None:
    """Say nothing in this process."""
    global _muted
    _muted = True


def compiling_begins() -> None:
    """To be called before each compilation."""
    global _begun
    now = time.monotonic()
    if _begun is None:
        _begun = now
    if _looked_at() or now - _begun > PATIENCE:
        _say(
            "compiling",
            "reenact: compiling what this needs, once for this machine; that takes some seconds (reenact warm-up does all of it at once)",
        )


def not_kept(folder: str, reason: str) -> None:
    """To be called when compiled code could not be kept."""
    _say(
        "kept",
        f"reenact: compiled code cannot be kept in {folder} ({reason}), so each start compiles again: "
        "set REENACT_CACHE_DIR to a folder that can be written to",
    )


def _looked_at() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # no error stream, or a closed one
        return False


def _say(topic: str, line: str) -> None:
    if _muted or topic in _said:
        return
    _said.add(topic)
    try:
        print(line, file=sys.stderr, flush=True)
    except (OSError, ValueError):  # nobody listens
        return
