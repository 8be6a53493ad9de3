"""The studio's web application: every address, the errors, the guard."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reenact import __version__
from reenact.errors import ReenactError
from reenact.studio.answers import answer_for, error_answer, json_answer
from reenact.studio.clip_routes import CLIP_ROUTES, studio_of
from reenact.studio.compression import Compressed
from reenact.studio.context import Studio, StudioSettings, running
from reenact.studio.forms import describe_formats, describe_operations
from reenact.studio.listing import list_page
from reenact.studio.messages import Session
from reenact.studio.operation_routes import OPERATION_ROUTES
from reenact.studio.pages import Pages
from reenact.studio.render_routes import RENDER_ROUTES
from reenact.studio.security import Guard

_log = logging.getLogger(__name__)


async def show_session(request: Request) -> Response:
    """What a page needs to know at its start."""
    studio = studio_of(request)
    settings = studio.settings
    forms = await asyncio.to_thread(describe_operations)  # all else goes on while they are imported
    return json_answer(
        Session(
            version=__version__,
            title=settings.title or studio.shelf.folder.name,
            library_path=str(studio.shelf.folder),
            temporary=settings.temporary,
            writable=studio.shelf.writable,
            token_required=bool(settings.access.token),
            upload_limit_bytes=settings.upload_limit,
            revision=studio.events.revision,
            history=studio.history.state,
            formats=describe_formats(),
            operations=forms,
        )
    )


async def _look_ahead(studio: Studio) -> None:
    """What the first page asks for at once is made while the browser is still starting."""
    with contextlib.suppress(ReenactError, OSError):  # told to who asks
        await asyncio.to_thread(describe_operations)
        await studio.shelf.ask(list_page, "", 0, 1)


async def _answer_known(request: Request, error: Exception) -> Response:
    if not isinstance(error, ReenactError):
        _log.exception("%s %s", request.method, request.url.path, exc_info=error)
    return answer_for(error)


async def _answer_gone(request: Request, error: Exception) -> Response:
    """Nobody is there any more to be answered; an upload that was given up is no fault."""
    return Response(status_code=499)


async def _answer_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "there is nothing at this address", 405: "this address does not take that method"}
    message = words.get(error.status_code, str(error.detail))
    answer = error_answer(error.status_code, {404: "not-found", 405: "method"}.get(error.status_code, "http"), message)
    answer.headers.update(error.headers or {})
    return answer


def create_app(settings: StudioSettings) -> ASGIApp:
    """The application of one studio; it opens the library when the server starts and closes it when it ends."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Studio]]:
        async with running(settings) as studio:
            ahead = asyncio.create_task(_look_ahead(studio))
            try:
                yield {"studio": studio}
            finally:
                ahead.cancel()

    app = Starlette(
        routes=[
            Mount("/api", routes=[Route("/session", show_session), *CLIP_ROUTES, *OPERATION_ROUTES, *RENDER_ROUTES]),
            Mount("/", Pages(settings.static)),
        ],
        exception_handlers={
            ClientDisconnect: _answer_gone,
            ReenactError: _answer_known,
            OSError: _answer_known,
            HTTPException: _answer_http,
            Exception: _answer_known,
        },
        lifespan=lifespan,
    )
    return Farewell(
        Guard(Compressed(app), settings.access)
    )  # the guard stands around everything: even faults carry its headers


class Farewell:
    """Answers what is still under way when the server stops waiting for it, so that stopping is no fault."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def send_noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        except asyncio.CancelledError:
            if begun or scope["type"] != "http":
                raise
            await error_answer(503, "stopping", "the studio is being stopped")(scope, receive, send)
