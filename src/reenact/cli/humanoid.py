"""`reenact humanoid`: a generated person as a character file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reenact.body.humanoid import HumanoidParameters
from reenact.cli.made_by import made_by
from reenact.cli.output import Json, print_json
from reenact.cli.targets import check_ending

_ENDINGS = (".glb", ".gltf")


def humanoid(
    parameters: HumanoidParameters,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write, .glb or .gltf.", show_default=False)],
    json: Json = False,
) -> None:
    """Make a person of any height, girth and proportions: a closed skin over a skeleton, in simple clothes."""
    from reenact.body.humanoid import humanoid as make
    from reenact.formats.loaded import WriteOptions
    from reenact.loading import save, standing_still

    check_ending(output, _ENDINGS, "a character")
    person = make(parameters)
    save(standing_still(person), output, WriteOptions(character=person))
    height = float(person.vertices[:, 1].max() - person.vertices[:, 1].min())
    if json:
        counted = {"vertices": len(person.vertices), "faces": len(person.faces), "joints": len(person.skeleton)}
        print_json({"out": str(output), "name": person.name, "height": height, **counted, "made_by": made_by()})
        return
    print(f"{output}: {person.name}, {height:.2f} m, {len(person.vertices)} vertices, {len(person.skeleton)} joints")
