"""A process that answers `compute.processes`: `python -m reenact.compute.worker`.

Messages are pickles with their length before them; each is ("job", task, files of shared arrays) or ("item", item). It ends when its input
does, so it cannot outlive the process that asked.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from typing import IO, Any

LENGTH = struct.Struct("<Q")


def write_message(stream: IO[bytes], message: bytes) -> None:
    """Length and bytes of a message."""
    stream.write(LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes | None:
    """The next message; None when the stream has ended."""
    length = stream.read(LENGTH.size)
    if len(length) < LENGTH.size:
        return None
    message = stream.read(LENGTH.unpack(length)[0])
    return message if len(message) == LENGTH.unpack(length)[0] else None


def main() -> None:
    """Answer until the input ends."""
    # Answers go through a copy of stdout: whatever a task prints must not come between them.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    from reenact.compute.answers import answer, pack_error

    job: tuple[bytes, dict[str, Any]] | None = None
    task: Any = None
    shared: dict[str, Any] = {}
    while (message := read_message(sys.stdin.buffer)) is not None:
        kind, *content = pickle.loads(message)
        if kind == "job":
            job, task, shared = (content[0], content[1]), None, {}
            continue
        try:
            if job is not None:
                task, shared = pickle.loads(job[0]), {name: file.open() for name, file in job[1].items()}
                job = None
        except Exception as error:  # a task that cannot be imported here
            packed = pack_error(error)
        else:
            packed = answer(task, content[0], shared)
        write_message(answers, packed)


if __name__ == "__main__":
    main()
