"""Names that a shell completes with Tab."""

from __future__ import annotations

from pathlib import Path

import typer

from reenact.errors import ReenactError


def complete_clips(context: typer.Context, incomplete: str) -> list[str]:
    """Names of the clips of the library that the command line names, those that begin so; none where that cannot be said."""
    folder = context.params.get("library") or context.params.get("folder")
    if not folder or not (Path(folder) / "library.sqlite").is_file():
        return []
    from reenact.library.store import Library

    try:
        with Library(Path(folder), read_only=True) as library:
            return [entry.name for entry in library.entries() if entry.name.startswith(incomplete)]
    except (ReenactError, OSError):  # whoever presses Tab wants names, not errors
        return []
