"""`reenact rig`: a skeleton and weights for a mesh that has none."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reenact.body.character import Character
from reenact.body.rigging import RigParameters, rig
from reenact.cli.made_by import made_by
from reenact.cli.output import Json, print_findings, print_json
from reenact.cli.targets import check_ending
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError
from reenact.formats.loaded import WriteOptions
from reenact.loading import LoadOptions, load_all, load_body, save_all

Picture = Annotated[
    Path | None, typer.Option("--picture", help="Draw the weights, each joint in a colour, as PNG.", show_default=False)
]


def rig_mesh(
    mesh: Annotated[Path, typer.Argument(metavar="MESH", help="File with a mesh: OBJ, GLB, glTF.", show_default=False)],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write: .glb, .gltf or .obj.", show_default=False)
    ],
    parameters: RigParameters,
    reading: LoadOptions,
    skeleton: Annotated[
        Path | None,
        typer.Argument(
            metavar="[SKELETON]",
            help="Motion or character whose skeleton it gets; without one, that of a person.",
            show_default=False,
        ),
    ] = None,
    picture: Picture = None,
    json: Json = False,
) -> None:
    """Give a mesh a skeleton and weights, so that it can be animated: a person's, found in its shape, or a given one laid into it."""
    check_ending(output, (".glb", ".gltf", ".obj"), "a mesh with its skeleton")
    loaded = load_all(mesh, reading)
    body = mesh_of(loaded.characters, mesh)
    made = rig(body, None if skeleton is None else skeleton_in(skeleton), parameters)
    expected = ("obj.no-skeleton", "gltf.no-skeleton")
    findings = [one for one in loaded.findings if one.code not in expected] + list(made.findings)
    findings += save_all([], output, WriteOptions(character=made.character))
    if picture is not None:
        from reenact.render.mesh_picture import paint_weights

        paint_weights(made.character).save(picture)
    if json:
        told = {"out": str(output), "report": made.report, "findings": findings, "made_by": made_by()}
        print_json({**told, "picture": None if picture is None else str(picture)})
        return
    print_findings(finding for finding in findings if finding.severity != "info")
    print(f"{output}: {len(body.vertices)} vertices on {made.report['joints']} joints ({made.report['skeleton']})")
    if picture is not None:
        print(f"{picture}: its weights")


def mesh_of(characters: tuple[Character, ...], file: Path) -> Character:
    """The character of a file with the largest mesh."""
    found = [one for one in characters if len(one.faces)]
    if not found:
        raise FormatError("the file holds no mesh", path=file)
    return max(found, key=lambda one: len(one.vertices))


def skeleton_in(file: Path) -> Skeleton | Character:
    """The skeleton of a character or a motion in a file."""
    characters = load_all(file).characters
    if characters:
        return characters[0]
    return load_body(file).skeleton
