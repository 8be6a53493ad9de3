"""Answers of the studio: messages as JSON, errors with a status, and bodies that are read within bounds."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from reenact.errors import ParameterError, ReenactError, Remedy
from reenact.studio.messages import ErrorAnswer, ErrorDetail, RemedyInfo

LARGEST_JSON = 1024 * 1024
"""Bytes of a JSON body, at most."""

Message = TypeVar("Message")


class NotFoundError(ReenactError, LookupError):
    """Something was asked for that is not there."""

    code = "not-found"


class RefusedError(ReenactError, PermissionError):
    """A change that may not be made: the library is open for reading only."""

    code = "read-only"


class TooLargeError(ReenactError, ValueError):
    """More bytes than are taken."""

    code = "too-large"


class BusyError(ReenactError, RuntimeError):
    """Too much is waiting already."""

    code = "busy"


class StalledError(ReenactError, TimeoutError):
    """Nothing more came of a body that was being sent."""

    code = "stalled"


class TaskError(ReenactError):
    """An error that a worker process reported."""

    def __init__(self, code: str, message: str, where: str, remedies: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(message, where=where, remedies=[Remedy(one["text"], one["parameters"]) for one in remedies])
        self.code = code


_STATUS = {
    "not-found": 404,
    "read-only": 403,
    "too-large": 413,
    "busy": 429,
    "format": 422,
    "parameter": 422,
    "skeleton": 422,
    "memory": 422,
    "timeout": 422,
    "missing-extra": 501,
    "library": 409,
    "enospc": 507,
    "stalled": 408,
}
"""Status of an error by its code; 500 for every other."""


DISK_FULL = "the disk is full"

_PATH = re.compile(r"""(?<![\w./:\\-])(?:[A-Za-z]:\\|/)(?:[^\s'"<>|:;,()/\\]+[/\\])+([^\s'"<>|:;,()/\\]*)""")


def without_paths(text: str) -> str:
    """A message that names files and folders of this machine by their names alone: who sees the page need not see the disk."""
    if "/" not in text and "\\" not in text:
        return text
    for place in _own_places():
        text = text.replace(f"{place}{os.sep}", "").replace(place, os.path.basename(place))
    return _PATH.sub(lambda found: found[1] or "a folder", text)


_places = {os.path.expanduser("~"), os.getcwd(), tempfile.gettempdir()}


def hide_folder(folder: str | os.PathLike[str]) -> None:
    """Never name the folder that this one lies in; needed where names hold spaces, which a message cannot tell from its words."""
    _places.update((os.fspath(folder), os.path.dirname(os.fspath(folder))))


def _own_places() -> list[str]:
    return sorted((place for place in _places if len(place) > 1), key=len, reverse=True)


def json_answer(message: Any, status: int = 200) -> Response:
    """A message as JSON; numbers that are no numbers become null."""
    return Response(msgspec.json.encode(message), status, media_type="application/json")


def error_answer(status: int, code: str, message: str, where: str = "") -> Response:
    """The one form of every error."""
    return json_answer(ErrorAnswer(ErrorDetail(code, without_paths(message), without_paths(where))), status)


def detail_of_error(error: ReenactError) -> ErrorDetail:
    """An error as a message."""
    remedies = tuple(RemedyInfo(one.text, dict(one.parameters)) for one in error.remedies)
    return ErrorDetail(error.code, without_paths(error.message), without_paths(error.where), remedies)


def is_disk_full(error: BaseException) -> bool:
    """True when the system had no room; the library says so of its index in the same way."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def answer_for(error: Exception) -> Response:
    """The answer to an error raised on purpose, or by the system."""
    if is_disk_full(error):
        return error_answer(507, "enospc", DISK_FULL)
    if isinstance(error, ReenactError):
        return json_answer(ErrorAnswer(detail_of_error(error)), _STATUS.get(error.code, 500))
    return error_answer(500, "internal", "the studio failed; its terminal says more")


BODY_SECONDS = 30.0
"""How long the next part of a body is waited for."""


async def steady(chunks: AsyncIterator[bytes], seconds: float | None = None) -> AsyncIterator[bytes]:
    """The parts of a body, as long as they keep coming.

    Raises:
        StalledError: nothing came for `seconds` (`BODY_SECONDS`).
    """
    parts = aiter(chunks)
    wait = BODY_SECONDS if seconds is None else seconds
    while True:
        try:
            async with asyncio.timeout(wait):
                part = await anext(parts)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise StalledError(f"nothing more was sent for {wait:g} s") from None
        yield part


async def read_json(request: Request, kind: type[Message]) -> Message:
    """The body as a message.

    Raises:
        TooLargeError: more than `LARGEST_JSON` bytes.
        ParameterError: no JSON, or not this message; `where` is the field.
    """
    data = bytearray()
    async for chunk in steady(request.stream()):
        data += chunk
        if len(data) > LARGEST_JSON:
            raise TooLargeError(f"a request may have at most {LARGEST_JSON} bytes")
    try:
        return msgspec.json.decode(bytes(data), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message, _, place = str(error).partition(" - at `$")
        raise ParameterError(message or "not valid JSON", where=place.strip("`.")) from None
