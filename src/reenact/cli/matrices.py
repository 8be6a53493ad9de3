"""`reenact matrices`: joint transforms as 4x4 matrices."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from reenact.cli.output import Json, print_json
from reenact.core.joint_matrices import JointMatrices, joint_matrices
from reenact.errors import ParameterError
from reenact.formats.atomic import atomic_write
from reenact.loading import LoadOptions, load

KINDS = ("modelling", "modelling_inverse", "world", "world_inverse")


def matrices(
    file: Annotated[Path, typer.Argument(help="Motion file.", show_default=False)],
    reading: LoadOptions,
    frame: Annotated[
        float | None, typer.Option("--frame", "-f", help="One frame, or between two: 12.5; default: all.")
    ] = None,
    joint: Annotated[
        list[str], typer.Option("--joint", "-j", help="Only this joint, by name or role; can be repeated.")
    ] = [],  # noqa: B006 - how Typer takes a list
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Arrays as .npz: one of each kind, and the joints' names.")
    ] = None,
    json: Json = False,
) -> int:
    """Give joint transforms as 4x4 matrices: modelling (parent from joint) and world (world from joint), with inverses."""
    clip = load(file, reading)
    if output is None and frame is None:
        raise ParameterError("say one --frame to look at, or an --output for the arrays of all frames", where="--frame")
    if output is not None and output.suffix.lower() != ".npz":
        raise ParameterError(
            f"the arrays are written as .npz, not as {output.suffix or 'a file without ending'}", where="-o"
        )
    chosen = [clip.skeleton.joint(name) for name in joint] or list(range(len(clip.skeleton)))
    names = [clip.skeleton.names[one] for one in chosen]
    found = joint_matrices(clip, frame)
    if output is not None:
        with atomic_write(output) as stream:
            np.savez(stream, joints=np.array(names), fps=np.array(clip.fps), **_arrays(found, chosen))  # type: ignore[arg-type]
    told: dict[str, Any] = {"path": str(file), "frames": len(clip), "fps": clip.fps, "joints": names}
    told |= {"out": None if output is None else str(output), "frame": frame}
    if json:
        if frame is not None:
            told["matrices"] = {
                name: {kind: getattr(found, kind)[one].tolist() for kind in KINDS}
                for name, one in zip(names, chosen, strict=True)
            }
        print_json(told)
        return 0
    if output is not None:
        count = len(clip) if frame is None else 1
        print(f"{output}: {', '.join(KINDS)} of {len(names)} joints in {count} frame{'s' if count > 1 else ''}")
        return 0
    for name, one in zip(names, chosen, strict=True):
        print(name)
        for row in zip(*(getattr(found, kind)[one] for kind in ("modelling", "world")), strict=True):
            print("   ".join(" ".join(f"{number:9.5f}" for number in half) for half in row))
    return 0


def _arrays(found: JointMatrices, joints: list[int]) -> dict[str, np.ndarray]:
    return {kind: np.take(getattr(found, kind), joints, axis=-3) for kind in KINDS}
