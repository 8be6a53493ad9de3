"""The addresses of operations and jobs, and the socket that tells the news."""

from __future__ import annotations

import asyncio
import contextlib

import msgspec
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from reenact.operations.operation import MOTION
from reenact.studio.answers import NotFoundError, json_answer, read_json
from reenact.studio.clip_routes import studio_of
from reenact.studio.context import Studio
from reenact.studio.forms import Checked, check_request, describe_operations, operation_named
from reenact.studio.messages import JobList, OperationRequest, SentFile
from reenact.studio.parameter_files import LARGEST_FILE
from reenact.studio.security import PAGE_POLICY
from reenact.studio.uploads import receive_file, safe_name


async def list_operations(request: Request) -> Response:
    """The forms of all operations."""
    return json_answer(describe_operations())


async def _checked(request: Request) -> Checked:
    """What is asked for, checked to the last parameter, and its command line."""
    operation = operation_named(request.path_params["name"])
    asked = await read_json(request, OperationRequest)
    studio = studio_of(request)
    return await studio.shelf.ask(check_request, operation, asked, studio.files)


async def show_command(request: Request) -> Response:
    """The command line of an operation; nothing runs."""
    return json_answer((await _checked(request)).command)


async def start_job(request: Request) -> Response:
    """Run an operation."""
    studio = studio_of(request)
    operation = operation_named(request.path_params["name"])
    if operation.gives in MOTION:  # what is only shown can be made of a library that may not be changed, too
        studio.shelf.require_writable()
    return json_answer(studio.jobs.submit(operation, await _checked(request)), 202)


async def receive_parameter_file(request: Request) -> Response:
    """A file for a parameter: kept until the studio ends, never read here."""
    studio = studio_of(request)
    name = safe_name(request.query_params.get("name", ""))
    number, path = studio.files.place(name)
    try:
        await receive_file(request.stream(), path, LARGEST_FILE)
    except BaseException:
        studio.files.drop(number)
        raise
    studio.files.keep(number, path)
    return json_answer(SentFile(number, name), 201)


async def list_jobs(request: Request) -> Response:
    """The jobs of this session."""
    return json_answer(JobList(studio_of(request).jobs.listed()))


async def show_job(request: Request) -> Response:
    """One job."""
    return json_answer(studio_of(request).jobs.find(request.path_params["id"]))


async def cancel_job(request: Request) -> Response:
    """Stop a job."""
    return json_answer(await studio_of(request).jobs.cancel(request.path_params["id"]))


async def send_picture(request: Request) -> Response:
    """The picture that a job made."""
    return FileResponse(studio_of(request).jobs.file_of(request.path_params["id"], "picture"), media_type="image/png")


async def send_video(request: Request) -> Response:
    """The moving picture that a job made."""
    ending = request.path_params["ending"]
    if ending not in ("mp4", "gif"):
        raise NotFoundError("there is nothing at this address")
    what, kind = ("video", "video/mp4") if ending == "mp4" else ("animation", "image/gif")
    return FileResponse(studio_of(request).jobs.file_of(request.path_params["id"], what), media_type=kind)


async def send_page(request: Request) -> Response:
    """The page that a job made."""
    path = studio_of(request).jobs.file_of(request.path_params["id"], "page")
    return FileResponse(path, media_type="text/html; charset=utf-8", headers={"content-security-policy": PAGE_POLICY})


async def send_written(request: Request) -> Response:
    """A file that an operation wrote beside its result."""
    path, name = studio_of(request).jobs.written(request.path_params["id"], request.path_params["parameter"])
    return FileResponse(path, media_type="application/octet-stream", filename=name)


async def tell_events(socket: WebSocket) -> None:
    """News as they come, until the page goes."""
    studio: Studio = socket.state.studio
    if studio.events.full:
        await socket.close(1013, "too many pages are open")
        return
    await socket.accept()
    with studio.events.listening() as listener:

        async def send() -> None:
            async for news in listener.deliveries():
                for event in news:
                    await socket.send_text(msgspec.json.encode(event).decode())

        sending = asyncio.create_task(send())
        try:
            while True:  # nothing is expected; this notices when the page goes
                message = await socket.receive()
                if message["type"] == "websocket.disconnect":
                    break
        finally:
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await sending


OPERATION_ROUTES = (  # below /api
    Route("/operations", list_operations),
    Route("/operations/{name}", start_job, methods=["POST"]),
    Route("/operations/{name}/command", show_command, methods=["POST"]),
    Route("/jobs", list_jobs),
    Route("/jobs/{id}", show_job),
    Route("/jobs/{id}/picture", send_picture),
    Route("/jobs/{id}/page", send_page),
    Route("/jobs/{id}/video.{ending}", send_video),
    Route("/jobs/{id}/files/{parameter}", send_written),
    Route("/jobs/{id}/cancel", cancel_job, methods=["POST"]),
    Route("/files", receive_parameter_file, methods=["POST"]),
    WebSocketRoute("/events", tell_events),
)
