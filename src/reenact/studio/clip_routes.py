"""The addresses of clips: lists, details, motion, meshes, pictures, files, changes."""

from __future__ import annotations

import asyncio
import base64
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.errors import ParameterError
from reenact.library.characters import read_character
from reenact.library.entries import Entry
from reenact.library.store import Library
from reenact.studio.answers import NotFoundError, TooLargeError, json_answer, read_json
from reenact.studio.binary import chunks_of, pack_character, pack_motion, size_of
from reenact.studio.context import Studio
from reenact.studio.exports import export_clip
from reenact.studio.history import Added
from reenact.studio.listing import (
    LARGEST_PAGE,
    describe_findings,
    detail_of,
    list_page,
    revision_of,
    summarize,
    summary_of,
)
from reenact.studio.messages import ClipChange, ClipSummary, ClipTracks, HistoryStep, Removed, UploadResult
from reenact.studio.shelf import find_entry
from reenact.studio.thumbnails import BACKGROUNDS, read_thumbnail
from reenact.studio.tracks import read_tracks
from reenact.studio.uploads import keep_for_later, landing_place, receive_file, safe_name

UPLOAD_SECONDS = 300.0
"""Time the reading of an uploaded file may take."""

PICTURE_SECONDS = 60.0

_LONGEST_QUERY = 2000
_FOREVER = "private, max-age=31536000, immutable"


def studio_of(request: Request) -> Studio:
    """The running studio a request came to."""
    return request.state.studio


def whole_number(request: Request, name: str, default: int, low: int, high: int) -> int:
    """A number of the address, or a `ParameterError` that says the range."""
    text = request.query_params.get(name, str(default))
    if text.isascii() and text.isdigit() and len(text) < 16 and low <= int(text) <= high:
        return int(text)
    raise ParameterError(f"{name} must be a whole number from {low} to {high}, not {text[:40]!r}", where=name)


async def list_clips(request: Request) -> Response:
    """A page of clips."""
    query = request.query_params.get("query", "")
    if len(query) > _LONGEST_QUERY:
        raise ParameterError(f"a query may have at most {_LONGEST_QUERY} characters", where="query")
    offset = whole_number(request, "offset", 0, 0, 10**9)
    limit = whole_number(request, "limit", 200, 1, LARGEST_PAGE)
    return json_answer(await studio_of(request).shelf.ask(list_page, query, offset, limit))


async def show_clip(request: Request) -> Response:
    """Everything about a clip."""
    return json_answer(await studio_of(request).shelf.ask(detail_of, request.path_params["id"]))


async def show_tracks(request: Request) -> Response:
    """The rows of a clip's time line."""

    def find(library: Library) -> ClipTracks:
        return ClipTracks(read_tracks(library, find_entry(library, request.path_params["id"])))

    return json_answer(await studio_of(request).shelf.ask(find))


def _caching(request: Request, entry: Entry, what: str) -> dict[str, str]:
    """Headers for bytes that belong to a motion: kept for ever when the address names its revision, else asked about again."""
    revision = revision_of(entry)
    fixed = request.query_params.get("v") == revision
    return {"etag": f'"{what}-{revision}"', "cache-control": _FOREVER if fixed else "no-cache"}


def _is_known(request: Request, headers: dict[str, str]) -> bool:
    given = request.headers.get("if-none-match", "")
    return headers["etag"] in [tag.strip().removeprefix("W/") for tag in given.split(",")]


def _stream(parts: Sequence[memoryview], headers: dict[str, str]) -> Response:
    headers = {**headers, "content-length": str(size_of(parts))}
    return StreamingResponse(chunks_of(parts), media_type="application/octet-stream", headers=headers)


async def send_motion(request: Request) -> Response:
    """A clip's motion as bytes, see `studio.binary`."""
    shelf, number = studio_of(request).shelf, request.path_params["id"]
    entry = await shelf.ask(find_entry, number)
    headers = _caching(request, entry, "motion")
    if _is_known(request, headers):
        return Response(status_code=304, headers=headers)
    return _stream(await shelf.ask(lambda library: pack_motion(library.clip(entry))), headers)


async def send_character(request: Request) -> Response:
    """A clip's mesh as bytes, see `studio.binary`; with `?figure=person` a person on its skeleton."""
    shelf, number = studio_of(request).shelf, request.path_params["id"]
    entry = await shelf.ask(find_entry, number)
    person = request.query_params.get("figure", "") == "person"
    headers = _caching(request, entry, "person" if person else "character")
    if _is_known(request, headers):
        return Response(status_code=304, headers=headers)

    def pack(library: Library) -> list[memoryview]:
        character = read_character(library, entry)
        if character is None:
            raise NotFoundError(f"clip {number} has no mesh", where=str(number))
        return pack_character(character)

    def pack_person(clip: Clip) -> list[memoryview]:
        from reenact.render.people import person_on

        made = person_on(clip)
        if made is None:
            raise NotFoundError(f"clip {number} has no human shape", where=str(number))
        return pack_character(made)

    if person:
        clip = await shelf.ask(lambda library: library.clip(entry))
        return _stream(await asyncio.to_thread(pack_person, clip), headers)
    return _stream(await shelf.ask(pack), headers)


async def send_thumbnail(request: Request) -> Response:
    """A small picture of a clip, drawn when it is first asked for."""
    studio, number = studio_of(request), request.path_params["id"]
    background = request.query_params.get("background", "light")
    if background not in BACKGROUNDS:
        raise ParameterError(f"background must be light or dark, not {background[:40]!r}", where="background")
    entry = await studio.shelf.ask(find_entry, number)
    headers = _caching(request, entry, f"thumbnail-{background}")
    if _is_known(request, headers):
        return Response(status_code=304, headers=headers)
    picture = await studio.shelf.ask(read_thumbnail, entry, background)
    if picture is None:
        task = {"task": "thumbnail", "clip": number, "background": background}
        done = await studio.pictures.ask(task, timeout=PICTURE_SECONDS)
        picture = base64.b64decode(done["png"])
    return Response(picture, media_type="image/png", headers=headers)


async def send_export(request: Request) -> Response:
    """A clip as a file to save."""
    studio = studio_of(request)
    folder = Path(tempfile.mkdtemp(prefix="export-", dir=studio.landing))
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    try:
        wanted = request.query_params.get("format", "bvh")
        path = await studio.shelf.ask(export_clip, request.path_params["id"], wanted, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(path, media_type="application/octet-stream", filename=path.name, background=gone)


async def change_clip(request: Request) -> Response:
    """Another name, description or tags."""
    studio = studio_of(request)
    studio.shelf.require_writable()
    change = await read_json(request, ClipChange)
    number = request.path_params["id"]
    await studio.history.change(number, change, lambda name: _label(name, change))
    summary = await studio.shelf.ask(summary_of, number)
    await studio.watch.look()
    return json_answer(summary)


def _label(name: str, change: ClipChange) -> str:
    """What people call a change of a clip."""
    if change.name is not None:
        return f"rename {name} to {change.name.strip()}"
    return f"tag {name}" if change.tags is not None else f"describe {name}"


async def remove_clip(request: Request) -> Response:
    """Take a clip out of the library."""
    studio, number = studio_of(request), request.path_params["id"]
    studio.shelf.require_writable()
    await studio.history.remove(number)
    await studio.watch.look()
    return json_answer(Removed(number))


async def undo(request: Request) -> Response:
    """Take the last change of the library back that was made here."""
    studio = studio_of(request)
    studio.shelf.require_writable()
    done = await studio.history.undo()
    await studio.watch.look()
    return json_answer(HistoryStep(done))


async def redo(request: Request) -> Response:
    """Do again what was undone."""
    studio = studio_of(request)
    studio.shelf.require_writable()
    done = await studio.history.redo()
    await studio.watch.look()
    return json_answer(HistoryStep(done))


async def show_history(request: Request) -> Response:
    """What can be undone and redone."""
    return json_answer(studio_of(request).history.state)


async def receive_upload(request: Request) -> Response:
    """A file: received, read in a process of its own, and added."""
    studio = studio_of(request)
    studio.shelf.require_writable()
    name = safe_name(request.query_params.get("name", ""))
    limit = studio.settings.upload_limit
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise TooLargeError(f"the file has {length} bytes, at most {limit} are taken", where=name)
    with landing_place(studio.landing, name) as path:
        await receive_file(request.stream(), path, limit)
        task = {"task": "upload", "path": str(path), "kept": str(studio.kept)}
        done = await studio.uploads.ask(task, timeout=UPLOAD_SECONDS)
        if done["kept"]:
            keep_for_later(path, studio.kept)
    result = await studio.shelf.ask(_upload_result, done)
    if result.added:
        label = result.added[0].name if len(result.added) == 1 else f"{len(result.added)} clips"
        studio.history.note(f"add {label}", Added(tuple(one.id for one in result.added)))
    await studio.watch.look()
    return json_answer(result)


def _upload_result(library: Library, done: dict[str, Any]) -> UploadResult:
    def summaries(group: str) -> tuple[ClipSummary, ...]:
        return tuple(summarize(library, [find_entry(library, number) for number in done[group]]))

    findings = describe_findings(Finding(**finding) for finding in done["findings"])
    return UploadResult(summaries("added"), summaries("existing"), findings)


CLIP_ROUTES = (  # below /api
    Route("/clips", list_clips),
    Route("/clips/{id:int}", show_clip, methods=["GET"]),
    Route("/clips/{id:int}", change_clip, methods=["PATCH"]),
    Route("/clips/{id:int}", remove_clip, methods=["DELETE"]),
    Route("/clips/{id:int}/tracks", show_tracks),
    Route("/clips/{id:int}/motion", send_motion),
    Route("/clips/{id:int}/character", send_character),
    Route("/clips/{id:int}/thumbnail", send_thumbnail),
    Route("/clips/{id:int}/export", send_export),
    Route("/history", show_history),
    Route("/history/undo", undo, methods=["POST"]),
    Route("/history/redo", redo, methods=["POST"]),
    Route("/upload", receive_upload, methods=["POST"]),
)
