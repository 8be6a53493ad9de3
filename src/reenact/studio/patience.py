"""Connections that begin a request and never finish its head are closed: a few hundred of them would hold the whole server."""

from __future__ import annotations

import asyncio
from typing import Any

HEADER_SECONDS = 10.0
"""How long the head of a request may take, from the first of its bytes; and how long a new connection may say nothing."""


def impatient_protocol() -> type[asyncio.Protocol]:
    """Uvicorn's own HTTP protocol (that of the parser which is installed), with a deadline for heads."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class ImpatientProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        """Closes a connection whose request's head does not come."""

        cycle: Any
        transport: Any
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            super().data_received(data)
            if self.cycle is not before or _upgraded(self):
                self._rest()  # a head has come
            if self._deadline is None and (self.cycle is None or self.cycle.response_complete) and not _upgraded(self):
                self._wait()  # the next head has begun: the server's own timer for idle connections has just been taken off

        def connection_lost(self, exc: Exception | None) -> None:
            self._rest()
            super().connection_lost(exc)

        def _wait(self) -> None:
            self._deadline = asyncio.get_running_loop().call_later(HEADER_SECONDS, self._give_up)

        def _rest(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _give_up(self) -> None:
            self._deadline = None
            if self.transport is not None and not self.transport.is_closing():
                self.transport.abort()

    return ImpatientProtocol


def _upgraded(protocol: Any) -> bool:
    """A WebSocket has taken the connection over."""
    return protocol.transport is not None and protocol.transport.get_protocol() is not protocol
