"""Pictures that a page is asked to make: the orders, and the pictures as they come in."""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterator

from reenact.errors import ParameterError, ReenactError
from reenact.studio.answers import NotFoundError
from reenact.studio.messages import RenderRequest, RenderStatus

WAITING_PICTURES = 4
"""Pictures held for whoever asked for them; the page waits when there are more."""


class CaptureError(ReenactError, RuntimeError):
    """The browser could not make the pictures."""

    code = "browser"


class RenderOrder:
    """One order: pictures 0, 1, 2, ... come from the page in one thread and are taken out in another.

    Attributes:
        number: its address, not to be guessed.
        request: what is asked for.
    """

    def __init__(self, request: RenderRequest) -> None:
        self.number = secrets.token_urlsafe(16)
        self.request = request
        self._pictures: queue.Queue[bytes | CaptureError | None] = queue.Queue(WAITING_PICTURES)
        self._received = 0
        self._guard = threading.Lock()

    @property
    def total(self) -> int:
        """How many pictures there will be."""
        return len(self.request.times) if self.request.mode == "animation" else 1

    @property
    def largest(self) -> int:
        """Bytes that one picture may have: its pixels as they are, and a little for the file around them."""
        return self.request.width * self.request.height * 4 + 65_536

    def put(self, index: int, picture: bytes, wait_seconds: float = 60.0) -> RenderStatus:
        """Take in the next picture.

        Raises:
            ParameterError: it is not the next one.
            CaptureError: nobody takes the pictures any more.
        """
        with self._guard:
            if index != self._received or index >= self.total:
                raise ParameterError(f"picture {self._received} of {self.total} is next, not {index}", where="index")
            self._send(picture, wait_seconds)
            self._received += 1
            return RenderStatus(self._received, self.total)

    def finish(self, error: str = "") -> RenderStatus:
        """The page has nothing more to send."""
        with self._guard:
            if error:
                self._send(CaptureError(error[:500]), 60.0)
            elif self._received < self.total:
                self._send(CaptureError(f"the page ended after {self._received} of {self.total} pictures"), 60.0)
            else:
                self._send(None, 60.0)
            return RenderStatus(self._received, self.total)

    def _send(self, what: bytes | CaptureError | None, wait_seconds: float) -> None:
        try:
            self._pictures.put(what, timeout=wait_seconds)
        except queue.Full:
            raise CaptureError("nobody takes the pictures") from None

    def pictures(self, wait_seconds: float, alive: Callable[[], bool] = lambda: True) -> Iterator[bytes]:
        """The pictures in order.

        Args:
            wait_seconds: how long each is waited for.
            alive: whether any can still come.

        Raises:
            CaptureError: what the page reported, that nothing has come for too long, or that nothing will.
        """
        while (picture := self._next(wait_seconds, alive)) is not None:
            yield picture

    def _next(self, wait_seconds: float, alive: Callable[[], bool]) -> bytes | None:
        until = time.monotonic() + wait_seconds
        while True:
            last = not alive()  # asked first: what came before the end is still taken
            try:
                picture = self._pictures.get(timeout=0.2)
            except queue.Empty:
                if last:
                    raise CaptureError("the browser ended before its pictures were made") from None
                if time.monotonic() > until:
                    raise CaptureError(f"the browser has sent nothing for {wait_seconds:g} seconds") from None
                continue
            if isinstance(picture, CaptureError):
                raise picture
            return picture


class RenderDesk:
    """The open orders of a server."""

    def __init__(self) -> None:
        self._orders: dict[str, RenderOrder] = {}

    def open(self, request: RenderRequest) -> RenderOrder:
        """Place an order."""
        order = RenderOrder(request)
        self._orders[order.number] = order
        return order

    def find(self, number: str) -> RenderOrder:
        """An open order, or a `NotFoundError`."""
        if number not in self._orders:
            raise NotFoundError("no such order of pictures", where=number[:80])
        return self._orders[number]
