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
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from reenact.core.clip import Clip
from reenact.core.parameter_forms import parameters_from_answers
from reenact.core.progress import heard
from reenact.errors import MissingExtraError, ParameterError, ReenactError, Remedy
from reenact.library.characters import keep_character, read_character
from reenact.library.entries import Entry
from reenact.library.store import Library
from reenact.loading import save
from reenact.operations.operation import Operation, resolve
from reenact.operations.registry import find_operation
from reenact.operations.results import report_of
from reenact.operations.running import call_operation, run_operation
from reenact.studio.answers import DISK_FULL, is_disk_full
from reenact.studio.marks import keep_report
from reenact.studio.thumbnails import keep_thumbnail
from reenact.studio.uploads import add_file

TELL_SECONDS = 0.1
"""Least time between two words about how far the work is."""

Tell = Callable[[float, str], None]
"""Takes how far the work is, 0..1, and what it does now."""


def run_task(library: Library, request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Do what a request asks for."""
    kinds = {"operation": _run_operation, "upload": _add_upload, "thumbnail": _draw_thumbnail}
    return kinds[request["task"]](library, request, tell)


def _run_operation(library: Library, request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    operation = find_operation(request["operation"])
    files = _files_of(library, request)
    parameters = parameters_from_answers(operation.parameter_class(), {**request["parameters"], **files})
    tell(0.05, "reading")
    entries = [library.entry(number) for number in request["clips"]]
    given: list[Any] = (
        [library, *(entry.name for entry in entries)]
        if operation.of_library
        else [_taken(library, operation, place, entry) for place, entry in enumerate(entries)]
    )
    tell(0.1, "working")
    with heard(_throttled(lambda share, words: tell(0.1 + 0.8 * share, words))):
        result: Any = (run_operation if operation.gives == "clip" else call_operation)(operation, given, parameters)
        film = _film(result, Path(request["files"]["video"])) if operation.gives == "video" else ""
    tell(0.9, "saving")
    done: dict[str, Any] = {"clips": [], "new": [], "report": report_of(result), "picture": False, "page": False}
    done["video"] = film
    told = {str(path): request["named"][name] for name, path in files.items()}
    done["report"] = _named(done["report"], told)
    done["written"] = [name for name, path in request["written"].items() if Path(path).is_file()]
    if operation.gives == "clip":
        _keep(library, request, entries, result.clip, request["name"], done)
        if done["new"] and result.report:
            keep_report(library, done["clips"][0], _jsonable(_named(result.report, told)))
    elif operation.gives == "clips":
        for part in result:
            _keep(library, request, entries, part, "-".join(filter(None, (request["name"], part.name))), done)
    elif operation.gives == "picture":
        result.save(request["files"]["picture"])
        done["picture"] = True
    if operation.page:
        Path(request["files"]["page"]).write_text(resolve(operation.page)(result), encoding="utf-8")
        done["page"] = True
    return done


def _taken(library: Library, operation: Operation, place: int, entry: Entry) -> Any:
    """What an operation takes of a clip: its motion, or the character that came with it."""
    wanted = operation.inputs[place] if place < len(operation.inputs) else None
    if wanted is None or wanted.kind != "body":
        return library.clip(entry)
    character = read_character(library, entry.id)
    if character is None and not wanted.bare:
        raise ParameterError("this clip came with no character", where=entry.name)
    return library.clip(entry) if character is None else character


def _files_of(library: Library, request: dict[str, Any]) -> dict[str, Path]:
    """The files that parameters name, by parameter; clips that stand for one are written first."""
    for number, path in request["clip_files"].values():
        save(library.clip(number), path)
    clips = {name: path for name, (_, path) in request["clip_files"].items()}
    return {name: Path(path) for name, path in {**request["sent"], **clips, **request["written"]}.items()}


def _named(report: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A report in which files have the names that people know them by."""
    return {key: names.get(value, value) if isinstance(value, str) else value for key, value in report.items()}


def _film(video: Any, path: Path) -> str:
    """Draw a moving picture, as a GIF where MP4 cannot be written here; gives the ending without the dot."""
    try:
        video.save(path)
    except MissingExtraError:
        path = path.with_suffix(".gif")
        video.save(path)
    return path.suffix[1:]


def _throttled(tell: Tell) -> Tell:
    """Tells a page as often as it can show; a share never goes back, and where a method says nothing what it said last goes on."""
    last, furthest, said = 0.0, 0.0, "working"

    def told(share: float, words: str) -> None:
        nonlocal last, furthest, said
        furthest, said = max(furthest, share), words or said
        if time.monotonic() - last >= TELL_SECONDS:
            last = time.monotonic()
            tell(furthest, said)

    return told


def _keep(
    library: Library, request: dict[str, Any], entries: list[Entry], clip: Clip, name: str, done: dict[str, Any]
) -> None:
    """Add a clip that was made, with how it was made and the mesh that came with its sources."""
    added = library.add(clip, name=name)
    done["clips"].append(added.id)
    if not added.new:
        return
    done["new"].append(added.id)
    parameters = {**request["parameters"], **request["named"]}
    about = {"made_by": request["operation"], "parameters": parameters}
    library.set_metadata(added.id, {**about, "sources": [entry.name for entry in entries]})
    operation = find_operation(request["operation"])
    worn = [place for place, one in enumerate(operation.inputs) if one.kind == "body"]
    order = [entries[place] for place in worn if place < len(entries)]
    for entry in (*order, *entries):
        character = read_character(library, entry.id)
        if character is not None and keep_character(library, added.id, character):
            break


def _add_upload(library: Library, request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    tell(0.1, "reading")
    outcome = add_file(library, Path(request["path"]), Path(request["kept"]))
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


def _placed(error: ReenactError, request: Mapping[str, Any]) -> tuple[str, str]:
    """What an error says, and what it is about: of a file that was sent, its name and the parameter it was sent for."""
    for parameter, path in request.get("sent", {}).items():
        if path in error.where:
            name = request["named"][parameter]
            return f"{error.where.replace(path, name)}: {error.message.replace(path, name)}", parameter
    return error.message, error.where


def _jsonable(report: dict[str, Any]) -> dict[str, Any]:
    return msgspec.json.decode(msgspec.json.encode(report, enc_hook=_plain))


def _error(code: str, message: str, where: str = "", remedies: Sequence[Remedy] = ()) -> dict[str, Any]:
    told = [{"text": one.text, "parameters": dict(one.parameters)} for one in remedies]
    return {"error": {"code": code, "message": message, "where": where, "remedies": told}}


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
            request = msgspec.json.decode(line)
            try:
                write({"done": run_task(library, request, tell)})
            except ReenactError as error:
                write(_error(error.code, *_placed(error, request), error.remedies))
            except MemoryError:
                write(_error("memory", "not enough memory for this"))
            except OSError as error:
                write(
                    _error("enospc", DISK_FULL) if is_disk_full(error) else _error("os", error.strerror or str(error))
                )
            except Exception as error:  # a fault of the method: it costs this job, never the studio
                traceback.print_exc()
                write(_error("internal", f"the work failed: {type(error).__name__}: {error}"))


if __name__ == "__main__":
    main()
