"""The mesh of a written file: from a file of its own, or what came with the motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from reenact.body.character import Character
from reenact.body.dressing import first_fitting
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError
from reenact.formats.loaded import WriteOptions
from reenact.loading import load_all

Dress = Annotated[
    Path | None,
    typer.Option(
        "--character",
        help="File whose mesh goes with the motion (glTF); default: what came with it.",
        show_default=False,
    ),
]
"""The option that names a file with a mesh."""


def dress(
    writing: WriteOptions, skeleton: Skeleton, came_along: Sequence[Character], file: Path | None = None
) -> WriteOptions:
    """How to write a motion of this skeleton with a mesh.

    Args:
        writing: how to write it else.
        skeleton: of the motion.
        came_along: characters of the files the motion was made from.
        file: a file whose character is wanted instead.

    Raises:
        FormatError: the file named has no mesh, or one whose joints the motion does not have.
    """
    if file is None:
        return replace(writing, character=first_fitting(came_along, skeleton))
    characters = [one for one in load_all(file).characters if len(one.vertices)]
    if not characters:
        raise FormatError("holds no character with a mesh", path=file)
    fitted = first_fitting(characters, skeleton)
    if fitted is None:
        missing = [name for name in characters[0].skeleton.names if name not in skeleton.names]
        shown = ", ".join(repr(name) for name in missing[:5]) + (
            f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        )
        raise FormatError(f"the mesh hangs on joints that the motion does not have: {shown}", path=file)
    return replace(writing, character=fitted)
