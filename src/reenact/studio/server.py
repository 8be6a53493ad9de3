"""Running the studio: a socket, the server around the application, and stopping it cleanly."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from reenact.errors import ParameterError
from reenact.library.store import Library
from reenact.studio.app import create_app
from reenact.studio.context import StudioSettings
from reenact.studio.patience import impatient_protocol
from reenact.studio.render_desk import RenderDesk
from reenact.studio.security import access_for, check_token, is_loopback, make_token

DEFAULT_PORT = 8123

_TRIES = 50  # ports after a taken default one that are looked at


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen.

    Attributes:
        host: name or address; anything but this machine's own needs a token.
        port: 0: any that is free; None: `DEFAULT_PORT`, or the next that is free.
        token: asked of every request; empty: a random one.
        open: no token is asked for; on this machine alone.
    """

    host: str = "127.0.0.1"
    port: int | None = None
    token: str = ""
    open: bool = False

    def __post_init__(self) -> None:
        if self.port is not None and not 0 <= self.port <= 65535:
            raise ParameterError(f"a port is 0 to 65535, not {self.port}", where="--port")
        if self.token:
            check_token(self.token)
        if self.open and self.token:
            raise ParameterError("give a token, or --no-token, not both", where="--token")
        if self.open and not is_loopback(self.host):
            raise ParameterError(
                "only a studio that this machine alone can reach goes without a token", where="--no-token"
            )


class StudioServer:
    """A studio with its socket bound: the address is known before anything runs.

    Attributes:
        url: what to open, with the token unless none is asked for.
        port: where it listens.
        taken: the default port when it was in use by another program, else None.
    """

    def __init__(
        self,
        folder: Path,
        address: Address,
        *,
        title: str = "",
        temporary: bool = False,
        read_only: bool = False,
        desk: RenderDesk | None = None,
        ready: Callable[[StudioServer], None] | None = None,
    ) -> None:
        Library(folder, read_only=read_only).close()  # what is wrong with it is said at once, as an error
        self._socket = _bind(address)
        self.port = int(self._socket.getsockname()[1])
        self.taken = DEFAULT_PORT if address.port is None and self.port != DEFAULT_PORT else None
        token = "" if address.open else address.token or make_token()
        access = access_for(address.host, self.port, token)
        self.url = _url(address.host, self.port, token)
        settings = StudioSettings(folder, access, title, temporary, read_only, desk=desk or RenderDesk())
        config = uvicorn.Config(
            create_app(settings),
            log_level="warning",
            access_log=False,
            server_header=False,
            http=impatient_protocol(),
            ws="wsproto",
            ws_max_size=4096,
            timeout_graceful_shutdown=3,
            limit_concurrency=512,
        )
        self._server = _Server(config, lambda: ready(self) if ready else None)

    def run(self) -> None:
        """Serve until interrupted or told to stop."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def close(self) -> None:
        """Give the address back, when it is not going to be run."""
        self._socket.close()

    def stop(self) -> None:
        """End `run`, from any thread."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    """Says when it is ready; an interrupt ends it without being raised again."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._tell()


def _bind(address: Address) -> socket.socket:
    """A bound socket; `OSError` that names host and port when there is none to be had."""
    first = DEFAULT_PORT if address.port is None else address.port
    ports = range(first, first + _TRIES) if address.port is None else [first]
    try:
        found = socket.getaddrinfo(address.host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError:
        raise ParameterError(f"no such host: {address.host}", where="--host") from None
    family, kind, protocol, _, place = found[0]
    for port in (*ports, *([0] if address.port is None else [])):
        listener = socket.socket(family, kind, protocol)
        try:
            if socket.SO_REUSEADDR and hasattr(socket, "SO_REUSEPORT"):  # not on Windows, where it would share a port
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((place[0], port, *place[2:]))
            return listener
        except OSError as error:
            listener.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES) or (port == ports[-1] and address.port is not None):
                words = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
                raise ParameterError(f"{address.host}:{port} {words}", where="--port") from None
    raise ParameterError(f"no free port on {address.host}", where="--port")


def _url(host: str, port: int, token: str) -> str:
    if host in ("0.0.0.0", "::", ""):
        host = socket.gethostname()
    named = f"[{host}]" if ":" in host else host
    return f"http://{named}:{port}/" + (f"?token={token}" if token else "")
