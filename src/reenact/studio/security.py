"""Who may talk to the studio: the Host header, the Origin, the token, and the headers that bind the browser.

A page of another site must not reach a server on this machine: by a name that it points here (DNS rebinding, stopped by the Host
header), or by sending requests across (stopped by the Origin). From other machines a token is needed.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reenact.errors import ParameterError
from reenact.studio.answers import error_answer

SHORTEST_TOKEN = 16

_SAFE_METHODS = ("GET", "HEAD")
_METHODS = ("GET", "HEAD", "POST", "PATCH", "DELETE")

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self'; font-src 'self'; "
    "connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; sandbox"
)
"""Of a page that a job made: it has its styles and pictures in itself, and may do nothing at all."""

HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
"""Sent with every answer."""


def is_loopback(host: str) -> bool:
    """True when only this machine can reach an address."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def make_token() -> str:
    """A new random token."""
    return secrets.token_urlsafe(24)


def check_token(token: str) -> str:
    """The token, or a `ParameterError` when it could be guessed or would not fit into an address."""
    if len(token) < SHORTEST_TOKEN or not all(c.isascii() and (c.isalnum() or c in "-_.~") for c in token):
        raise ParameterError(
            f"a token is {SHORTEST_TOKEN} or more letters, digits or any of - _ . ~ (or leave it out: one is made)",
            where="--token",
        )
    return token


@dataclass(frozen=True, slots=True)
class Access:
    """What is let in.

    Attributes:
        hosts: values of the Host header that mean this server.
        any_address: Host may also be any address in digits: no name can be pointed at it, so it is safe where a token is asked for.
        port: of the server.
        token: asked for on every request; empty: none.
    """

    hosts: frozenset[str]
    port: int
    any_address: bool = False
    token: str = ""

    @property
    def cookie(self) -> str:
        """The cookie's name: cookies do not tell ports apart, so the name does."""
        return f"reenact-token-{self.port}"

    def knows_host(self, host: str) -> bool:
        """True when a Host header means this server."""
        host = host.casefold()
        if host in self.hosts:
            return True
        if not self.any_address:
            return False
        try:
            parts = urlsplit(f"//{host}")
            ipaddress.ip_address(parts.hostname or "")
            return (parts.port or 80) == self.port
        except ValueError:
            return False

    def knows_origin(self, origin: str, host: str) -> bool:
        """True when a page from this origin is one of ours: it came from the very host that is asked."""
        parts = origin.casefold().partition("://")
        return parts[0] in ("http", "https") and parts[2] == host.casefold()

    def knows_token(self, given: str) -> bool:
        """Compared in constant time."""
        return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self.token.encode())


def access_for(host: str, port: int, token: str = "") -> Access:
    """What to let in for a server bound to `host` and `port`."""
    names = {"127.0.0.1", "localhost", "[::1]"}
    anywhere = host in ("0.0.0.0", "::", "")
    if anywhere:
        names |= {socket.gethostname(), socket.getfqdn()}
    else:
        names.add(f"[{host}]" if ":" in host else host)
    allowed = {f"{name}:{port}".casefold() for name in names}
    if port == 80:
        allowed |= {name.casefold() for name in names}
    return Access(frozenset(allowed), port, anywhere, token)


class Guard:
    """Lets in what `Access` allows and puts the protective headers on every answer."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._refusal(scope, headers)
        grant = ""
        if refused is None and self.access.token:
            asked = [value for key, value in _query(scope) if key == "token"]
            if any(self.access.knows_token(value) for value in asked):
                grant = self.access.token
            elif not self._has_cookie(headers):
                refused = 401, "token", "open the address with ?token=... that was printed when the studio started"

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                held = MutableHeaders(raw=message.setdefault("headers", []))
                own = held.get("content-security-policy") == PAGE_POLICY
                for name, value in HEADERS.items():
                    held[name] = PAGE_POLICY if own and name == "content-security-policy" else value
                if "cache-control" not in held:
                    held["cache-control"] = "no-store"
                if grant:
                    held.append("set-cookie", f"{self.access.cookie}={grant}; Path=/; HttpOnly; SameSite=Strict")
            await send(message)

        if refused is not None:
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": refused[2]})
                return
            page = scope["method"] == "GET" and "text/html" in headers.get("accept", "")
            answer = PlainTextResponse(f"{refused[2]}\n", refused[0]) if page else error_answer(*refused)
            await answer(scope, receive, send_safely)
        elif grant and scope["type"] == "http" and not scope["path"].startswith("/api/"):
            await RedirectResponse(_without_token(scope), 303)(scope, receive, send_safely)
        else:
            await self.app(scope, receive, send_safely)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        """(status, code, message) when a request may not go on."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.access.knows_host(hosts[0]):
            return 421, "host", "this server does not go by that name"
        socket_asked = scope["type"] == "websocket"
        if not socket_asked and scope["method"] not in _METHODS:
            return 405, "method", f"the method {scope['method']} is not used here"
        if not socket_asked and scope["method"] in _SAFE_METHODS:
            return None
        origins = headers.getlist("origin")
        if origins:
            if len(origins) > 1 or not self.access.knows_origin(origins[0], hosts[0]):
                return 403, "origin", "requests of pages of other sites are refused"
        elif socket_asked or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "origin", "requests of pages of other sites are refused"
        return None

    def _has_cookie(self, headers: Headers) -> bool:
        return any(self.access.knows_token(value) for value in _cookies(headers.getlist("cookie"), self.access.cookie))


def _cookies(lines: Iterable[str], name: str) -> list[str]:
    found = []
    for line in lines:
        try:
            jar = SimpleCookie(line)
        except CookieError:
            continue
        if name in jar:
            found.append(jar[name].value)
    return found


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)


def _without_token(scope: Scope) -> str:
    rest = urlencode([(key, value) for key, value in _query(scope) if key != "token"])
    path = "/" + scope["path"].lstrip("/\\")  # never the start of another host's address
    return path + (f"?{rest}" if rest else "")
