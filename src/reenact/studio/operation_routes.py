"""The addresses of operations and jobs, and the socket that tells the news."""

from __future__ import annotations

import asyncio
import contextlib

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from reenact.library.entries import Entry
from reenact.library.store import Library
from reenact.studio.answers import json_answer, read_json
from reenact.studio.clip_routes import studio_of
from reenact.studio.context import Studio
from reenact.studio.forms import check_request, command_line, describe_operations, operation_named
from reenact.studio.messages import Command, JobList, OperationRequest


async def list_operations(request: Request) -> Response:
    """The forms of all operations."""
    return json_answer(describe_operations())


async def _checked(request: Request) -> tuple[OperationRequest, list[Entry], Command]:
    """What is asked for, checked to the last parameter, and its command line."""
    operation = operation_named(request.path_params["name"])
    asked = await read_json(request, OperationRequest)

    def check(library: Library) -> tuple[OperationRequest, list[Entry], Command]:
        entries = check_request(library, operation, asked)
        return asked, entries, command_line(operation, entries, asked, library)

    return await studio_of(request).shelf.ask(check)


async def show_command(request: Request) -> Response:
    """The command line of an operation; nothing runs."""
    _, _, command = await _checked(request)
    return json_answer(command)


async def start_job(request: Request) -> Response:
    """Run an operation."""
    studio = studio_of(request)
    studio.shelf.require_writable()
    asked, entries, command = await _checked(request)
    operation = operation_named(request.path_params["name"])
    return json_answer(studio.jobs.submit(operation, entries, asked, command.command), 202)


async def list_jobs(request: Request) -> Response:
    """The jobs of this session."""
    return json_answer(JobList(studio_of(request).jobs.listed()))


async def show_job(request: Request) -> Response:
    """One job."""
    return json_answer(studio_of(request).jobs.find(request.path_params["id"]))


async def cancel_job(request: Request) -> Response:
    """Stop a job."""
    return json_answer(await studio_of(request).jobs.cancel(request.path_params["id"]))


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
    Route("/jobs/{id}/cancel", cancel_job, methods=["POST"]),
    WebSocketRoute("/events", tell_events),
)
