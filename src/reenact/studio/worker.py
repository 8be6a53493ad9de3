"""The process that does the studio's work: operations, uploads and pictures. It can be killed without harm to the server.

As a program (`python -m reenact.studio.worker LIBRARY`) it answers requests, one JSON object a line. A request is answered by any
number of `{"progress", "message"}` and then one `{"done"}` or `{"error"}`. It ends when its input does, so it cannot outlive the
server.
"""

from __future__ import annotations

import base64
import dataclasses
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from reenact.core.parameter_forms import parameters_from_answers
from reenact.errors import ReenactError
from reenact.library.characters import keep_character, read_character
from reenact.library.store import Library
from reenact.operations.registry import find_operation, run_operation
from reenact.studio.thumbnails import keep_thumbnail
from reenact.studio.uploads import add_file

Tell = Callable[[float, str], None]
"""Takes how far the work is, 0..1, and what it does now."""


def run_task(library: Library, request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Do what a request asks for."""
    kinds = {"operation": _run_operation, "upload": _add_upload, "thumbnail": _draw_thumbnail}
    return kinds[request["task"]](library, request, tell)


def _run_operation(library: Library, request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    operation = find_operation(request["operation"])
    parameters = parameters_from_answers(operation.parameter_class(), request["parameters"])
    tell(0.05, "reading")
    entries = [library.entry(number) for number in request["clips"]]
    clips = [library.clip(entry) for entry in entries]
    tell(0.15, "working")
    made = run_operation(operation, clips, parameters)
    tell(0.9, "saving")
    about = {
        "made_by": operation.name,
        "parameters": request["parameters"],
        "sources": [entry.name for entry in entries],
    }
    added = library.add(made.clip, name=request["name"])
    if added.new:
        library.set_metadata(added.id, about)
        came_along = [read_character(library, entry.id) for entry in entries]
        for character in came_along:
            if character is not None and keep_character(library, added.id, character):
                break
    return {"clip": added.id, "new": added.new, "report": made.report}


def _add_upload(library: Library, request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    tell(0.1, "reading")
    outcome = add_file(library, Path(request["path"]), Path(request["skeletons"]))
    return dataclasses.asdict(outcome)


def _draw_thumbnail(library: Library, request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    picture = keep_thumbnail(library, request["clip"], request["background"])
    return {"png": base64.b64encode(picture).decode("ascii")}


def _plain(value: Any) -> Any:
    """What JSON does not know: numbers and arrays of NumPy; anything else as text."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value)


def _error(code: str, message: str, where: str = "") -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "where": where}}


def main() -> None:
    """Answer requests until the input ends."""
    # Answers go through a copy of stdout: whatever a library prints must not come between them.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def write(answer: dict[str, Any]) -> None:
        answers.write(msgspec.json.encode(answer, enc_hook=_plain) + b"\n")
        answers.flush()

    def tell(progress: float, message: str) -> None:
        write({"progress": progress, "message": message})

    with Library(sys.argv[1], read_only=sys.argv[2] == "read-only") as library:
        for line in sys.stdin.buffer:
            try:
                write({"done": run_task(library, msgspec.json.decode(line), tell)})
            except ReenactError as error:
                write(_error(error.code, error.message, error.where))
            except MemoryError:
                write(_error("memory", "not enough memory for this"))
            except OSError as error:
                write(_error("enospc" if error.errno == 28 else "os", error.strerror or str(error)))
            except Exception as error:  # a fault of the method: it costs this job, never the studio
                traceback.print_exc()
                write(_error("internal", f"the work failed: {type(error).__name__}: {error}"))


if __name__ == "__main__":
    main()
