"""What commands print: one JSON object on stdout, or text for people; progress and errors on stderr."""

from __future__ import annotations

import errno
import json
import math
import os
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from reenact.core.findings import Finding

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
"""The `--json` flag of every command."""


def print_json(data: Any) -> None:
    """One JSON object on stdout, in ASCII whatever the terminal takes; numbers that are no numbers become null."""
    sys.stdout.write(json.dumps(_plain(data)) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Finding):
        return value.as_dict()
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def print_findings(findings: Iterable[Finding]) -> None:
    """Findings as lines on stderr, most severe first."""
    rank = {"error": 0, "warning": 1, "info": 2}
    for finding in sorted(findings, key=lambda f: rank[f.severity]):
        sure = "" if finding.confidence is None else f" ({finding.confidence:.0%} sure)"
        print(f"{finding.severity}: {finding.where}: {finding.message}{sure} [{finding.code}]", file=sys.stderr)


def print_error(message: str, code: str, where: str, as_json: bool) -> None:
    """One line `error: ...` on stderr, or the JSON error object on stdout."""
    if as_json:
        print_json({"error": {"code": code, "message": message, "where": where}})
    else:
        line = f"{where}: {message}" if where else message
        shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in line)
        print(f"error: {shown}", file=sys.stderr)


_OS_WORDS = {
    errno.EACCES: "no permission",
    errno.EPERM: "no permission",
    errno.ENOTDIR: "is a file, expected a folder",
    errno.ENOSPC: "the disk is full",
    errno.EROFS: "the disk is read-only",
}


def plain_os_error(error: OSError) -> tuple[str, str, str]:
    """Message, code and place of an error of the operating system, for `print_error`."""
    code = errno.errorcode.get(error.errno or 0, "os").lower()
    where = str(error.filename) if error.filename else ""
    said = error.strerror or str(error)
    words = dict(_OS_WORDS)
    if said == os.strerror(error.errno or 0):  # else somebody has said it better already
        words |= {errno.ENOENT: "no such file or folder", errno.EISDIR: "is a folder, expected a file"}
    return words.get(error.errno or 0, said), code, where
