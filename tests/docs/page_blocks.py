"""The commands and code of a page of documentation, and why some are not run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_REASON = re.compile(r"<!-- not run: (?P<why>.+?) -->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page.

    Attributes:
        line: where it begins in its page.
        kind: python or commands.
        text: the code, or the commands, one a line.
        why_not: why it is not run; empty where it is.
    """

    line: int
    kind: str
    text: str
    why_not: str = ""


def find_blocks(page: Path) -> list[Block]:
    """The blocks of a page that hold code or commands; output that is shown, files and pictures are none."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [block for block in map(_as_block, _raw_blocks(lines)) if block is not None]


def _raw_blocks(lines: list[str]) -> Iterator[tuple[int, str, list[str], str]]:
    """Line, language ("" for indented ones), lines and the reason that stands above."""
    at, before = 0, 0
    while at < len(lines):
        fence = re.match(r"```(\S*)", lines[at])
        if fence:
            end = next(n for n in range(at + 1, len(lines)) if lines[n].startswith("```"))
            yield at + 1, fence[1] or "text", lines[at + 1 : end], _reason(lines[before:at])
            at = before = end + 1
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            yield at + 1, "", [line[4:] for line in lines[at:end] if line.strip()], _reason(lines[before:at])
            at = before = end
        else:
            at += 1


def _reason(above: list[str]) -> str:
    """The reason of a comment that stands right above a block."""
    text = "\n".join(above).rstrip()
    found = list(_REASON.finditer(text))
    return " ".join(found[-1]["why"].split()) if found and found[-1].end() == len(text) else ""


def _as_block(raw: tuple[int, str, list[str], str]) -> Block | None:
    line, language, lines, why = raw
    if language == "python":
        return Block(line, "python", "\n".join(lines), why)
    if language not in ("", "console", "sh", "bash"):
        return None
    commands = [one.removeprefix("$ ") for one in lines if re.match(r"(\$ )?(reenact|make) [a-z]", one)]
    return Block(line, "commands", "\n".join(commands), why) if commands else None
