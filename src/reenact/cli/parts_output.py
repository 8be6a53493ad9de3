"""Several clips as files of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.errors import ParameterError
from reenact.formats.loaded import WriteOptions
from reenact.formats.registry import format_by_ending
from reenact.loading import save

PartEnding = Annotated[str, typer.Option("--format", help="Ending of the files; default: that of FILE.")]
"""The option that says the format of several files."""


def save_parts(
    clips: Sequence[Clip], folder: Path, ending: str, writing: WriteOptions | None = None
) -> tuple[list[Path], list[Finding]]:
    """Write each clip under its name into a folder, which is made; nothing is written when one of them cannot be.

    Returns:
        the files, and what is to be known about them.
    """
    targets = [_target(folder, clip.name, ending) for clip in clips]
    folder.mkdir(parents=True, exist_ok=True)
    noticed: list[Finding] = []
    for clip, target in zip(clips, targets, strict=True):
        noticed += save(clip, target, writing)
    return targets, noticed


def _target(folder: Path, name: str, ending: str) -> Path:
    """Where a part goes; refuses names that are no file names, and endings that cannot be written."""
    if name in ("", ".", "..") or any(letter in '/\\:*?"<>|' or ord(letter) < 32 for letter in name):
        raise ParameterError(f"{name!r} cannot be a file name", where="parts")
    target = folder / f"{name}.{ending.lstrip('.')}"
    format_by_ending(target)
    return target
