"""The addresses of the page that makes pictures."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reenact.studio.answers import TooLargeError, json_answer
from reenact.studio.clip_routes import studio_of, whole_number
from reenact.studio.render_desk import RenderOrder


def _order(request: Request) -> RenderOrder:
    return studio_of(request).settings.desk.find(request.path_params["job"])


async def show_order(request: Request) -> Response:
    """What is to be drawn."""
    return json_answer(_order(request).request)


async def receive_picture(request: Request) -> Response:
    """One picture, as PNG."""
    order = _order(request)
    index = whole_number(request, "index", 0, 0, max(0, order.total - 1))
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > order.largest:
            raise TooLargeError(f"a picture may have at most {order.largest} bytes")
    return json_answer(await asyncio.to_thread(order.put, index, bytes(data)))


async def finish_order(request: Request) -> Response:
    """All pictures were sent, or `?error=` says why not."""
    order = _order(request)
    return json_answer(await asyncio.to_thread(order.finish, request.query_params.get("error", "")))


RENDER_ROUTES = (  # below /api
    Route("/render/{job}", show_order),
    Route("/render/{job}/frame", receive_picture, methods=["POST"]),
    Route("/render/{job}/done", finish_order, methods=["POST"]),
)
