"""`reenact info`: what is in a file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from reenact.cli.output import Json, plain_os_error, print_error, print_json
from reenact.core.clip import Clip
from reenact.errors import ReenactError
from reenact.loading import LoadOptions, load_all


def info(
    files: Annotated[list[Path], typer.Argument(help="Motion files.", show_default=False)],
    reading: LoadOptions,
    json: Json = False,
) -> int:
    """Say what is in motion files: clips, rates, joints, and what was noticed."""
    described = [_describe(file, reading) for file in files] if len(files) == 1 else []
    failed = 0
    if not described:
        for file in files:
            try:
                described.append(_describe(file, reading))
            except (ReenactError, OSError) as error:
                failed += 1
                if isinstance(error, ReenactError):
                    message, code, where = error.message, error.code, error.where
                else:
                    message, code, where = plain_os_error(error)
                where = where or str(file)
                described.append({"path": str(file), "error": {"code": code, "message": message, "where": where}})
                if not json:
                    print_error(message, code, where, False)
    if json:
        print_json({"files": described})
    else:
        _print_table([entry for entry in described if "error" not in entry])
    return 2 if failed else 0


def _describe(file: Path, reading: LoadOptions) -> dict[str, Any]:
    loaded = load_all(file, reading)
    return {
        "path": str(file),
        "format": loaded.format,
        "clips": [_describe_clip(clip) for clip in loaded.clips],
        "characters": [
            {"name": c.name, "vertices": len(c.vertices), "faces": len(c.faces), "joints": len(c.skeleton)}
            for c in loaded.characters
        ],
        "findings": list(loaded.findings),
    }


def _describe_clip(clip: Clip) -> dict[str, Any]:
    roles = {role: clip.skeleton.names[joint] for role, joint in clip.skeleton.roles.items()}
    return {
        "name": clip.name,
        "frames": len(clip),
        "fps": clip.fps,
        "joints": len(clip.skeleton),
        "seconds": clip.seconds,
        "height_m": body_height(clip),
        "end_sites": len(clip.skeleton.end_joints),
        "unit_m": clip.origin.unit,
        "up": clip.origin.up,
        "roles": roles,
        "plants": None if clip.plants is None else clip.plants.source,
        "credits": [asdict(credit) for credit in clip.origin.credits],
    }


def body_height(clip: Clip) -> float:
    """95th percentile over frames of the vertical extent of the joints and end sites, in metres."""
    step = max(1, len(clip) // 2000)
    world = clip.world()
    heights = [world.positions[::step, :, 1]]
    for joint, offset in zip(clip.skeleton.end_joints, clip.skeleton.end_offsets, strict=True):
        heights.append(world.point(int(joint), offset)[::step, 1:2])
    return float(np.percentile(np.ptp(np.concatenate(heights, axis=1), axis=1), 95))


def _print_table(files: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    table = Table(
        "file",
        "clip",
        "frames",
        "Hz",
        "seconds",
        "joints",
        "height",
        "format",
        box=None,
        header_style="bold",
        pad_edge=False,
    )
    for column in (2, 3, 4, 5, 6):
        table.columns[column].justify = "right"
    for entry in files:
        rows = entry["clips"] or [None]
        for clip in rows:
            values = (
                [
                    str(clip["frames"]),
                    f"{clip['fps']:g}",
                    f"{clip['seconds']:.2f}",
                    str(clip["joints"]),
                    f"{clip['height_m']:.2f} m",
                ]
                if clip
                else ["-"] * 5
            )
            names = (escape(name) for name in (Path(entry["path"]).name, clip["name"] if clip else "-"))
            table.add_row(*names, *values, entry["format"])
    console.print(table)
    for entry in files:
        for clip in entry["clips"]:
            for credit in clip["credits"]:
                told = "; ".join(text for text in credit.values() if text)
                console.print(f"  {clip['name']}: {told}", markup=False, highlight=False, soft_wrap=True)
    colours = {"error": "red", "warning": "yellow", "info": "dim"}
    for entry in files:
        for finding in entry["findings"]:
            sure = "" if finding.confidence is None else f" ({finding.confidence:.0%} sure)"
            console.print(
                f"  {finding.severity}: {finding.where}: {finding.message}{sure} [{finding.code}]",
                style=colours[finding.severity], markup=False, highlight=False, soft_wrap=True,
            )  # fmt: skip
