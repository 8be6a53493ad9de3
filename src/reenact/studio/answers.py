"""Answers of the studio: messages as JSON, errors with a status, and bodies that are read within bounds."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
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
}
"""Status of an error by its code; 500 for every other."""


def json_answer(message: Any, status: int = 200) -> Response:
    """A message as JSON; numbers that are no numbers become null."""
    return Response(msgspec.json.encode(message), status, media_type="application/json")


def error_answer(status: int, code: str, message: str, where: str = "") -> Response:
    """The one form of every error."""
    return json_answer(ErrorAnswer(ErrorDetail(code, message, where)), status)


def detail_of_error(error: ReenactError) -> ErrorDetail:
    """An error as a message."""
    remedies = tuple(RemedyInfo(one.text, dict(one.parameters)) for one in error.remedies)
    return ErrorDetail(error.code, error.message, error.where, remedies)


def answer_for(error: Exception) -> Response:
    """The answer to an error raised on purpose, or by the system."""
    if isinstance(error, ReenactError):
        return json_answer(ErrorAnswer(detail_of_error(error)), _STATUS.get(error.code, 500))
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return error_answer(507, "enospc", "the disk is full")
    return error_answer(500, "internal", "the studio failed; its terminal says more")


async def read_json(request: Request, kind: type[Message]) -> Message:
    """The body as a message.

    Raises:
        TooLargeError: more than `LARGEST_JSON` bytes.
        ParameterError: no JSON, or not this message; `where` is the field.
    """
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > LARGEST_JSON:
            raise TooLargeError(f"a request may have at most {LARGEST_JSON} bytes")
    try:
        return msgspec.json.decode(bytes(data), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message, _, place = str(error).partition(" - at `$")
        raise ParameterError(message or "not valid JSON", where=place.strip("`.")) from None
