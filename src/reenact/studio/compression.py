"""Answers that are text or bytes of motion, made smaller for browsers that take gzip."""

from __future__ import annotations

import asyncio
import gzip

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reenact.studio.security import is_loopback

SMALLEST = 1024
"""Bytes below which nothing is gained."""

LARGEST = 64 * 1024 * 1024
"""Bytes above which an answer goes out as it is: it would have to be held whole."""

_TEXTS = ("application/json", "text/", "application/javascript", "image/svg")
_APART = 64 * 1024  # bytes from which on it is done in a thread


class Compressed:
    """Compresses what is worth it; pictures and files to save go as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._pages: dict[str, bytes] = {}  # by their tags: the pages' own files never change while the studio runs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not _takes_gzip(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        start: Message = {}
        body = bytearray()
        held = False

        async def send_smaller(message: Message) -> None:
            nonlocal start, held
            if message["type"] == "http.response.start":
                start = message
                held = _is_worth_it(message, near=_is_near(scope))
                if not held:
                    await send(message)
                return
            if not held or message["type"] != "http.response.body":
                await send(message)
                return
            body.extend(message.get("body", b""))
            if message.get("more_body"):
                return
            headers = MutableHeaders(raw=start["headers"])
            small = await self._shrink(bytes(body), headers.get("etag", ""))
            headers.add_vary_header("accept-encoding")
            if len(small) < len(body):
                headers["content-encoding"] = "gzip"
                if "etag" in headers:
                    headers["etag"] = "W/" + headers["etag"].removeprefix("W/")
            else:
                small = bytes(body)
            headers["content-length"] = str(len(small))
            await send(start)
            await send({"type": "http.response.body", "body": small})

        await self.app(scope, receive, send_smaller)

    async def _shrink(self, body: bytes, tag: str) -> bytes:
        key = f"{tag}-{len(body)}"
        if tag and key in self._pages:
            return self._pages[key]
        if len(body) < _APART:
            small = gzip.compress(body, 5, mtime=0)
        else:
            small = await asyncio.to_thread(gzip.compress, body, 5, mtime=0)
        if tag and len(self._pages) < 64 and len(small) < 2_000_000:
            self._pages[key] = small
        return small


def _takes_gzip(headers: Headers) -> bool:
    if "range" in headers:
        return False
    for part in headers.get("accept-encoding", "").split(","):
        name, _, quality = part.strip().partition(";")
        if name.strip().lower() == "gzip":
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _is_near(scope: Scope) -> bool:
    """The browser is on this machine: large numbers come sooner as they are."""
    client = scope.get("client")
    return client is not None and is_loopback(client[0])


def _is_worth_it(start: Message, *, near: bool) -> bool:
    headers = Headers(raw=start["headers"])
    length = headers.get("content-length", "")
    kinds = _TEXTS if near or "content-disposition" in headers else (*_TEXTS, "application/octet-stream")
    return (
        start["status"] == 200
        and "content-encoding" not in headers
        and headers.get("content-type", "").startswith(kinds)
        and (not length.isdigit() or SMALLEST <= int(length) <= LARGEST)
    )
