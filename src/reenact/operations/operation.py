"""What an operation is: its name, what goes in, what comes out, and where its function and its parameters live."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal[
    "clip",
    "clips",
    "plants",
    "character",
    "body",
    "library",
    "graph",
    "registration",
    "map",
    "scene",
    "table",
    "picture",
    "video",
]
"""What operations take and give. A `character` serves for its skeleton alone, a `body` for its mesh. A `table` is anything that is read and
not played: a report, a classification."""

MOTION: tuple[Kind, ...] = ("clip", "clips")
"""What is played, and can be kept in a library."""


def resolve(name: str) -> Any:
    """The object behind "module:attribute"."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


@dataclass(frozen=True, slots=True)
class Input:
    """One thing that an operation takes.

    Attributes:
        name: as the function and the reference call it.
        kind: what it is; "clips" are any number of clips, behind a "library" any number of names of clips in it.
        help: a few words.
        least: of clips, how many there must be.
        most: of clips, how many there may be; None: any number.
        bare: of a "body": a skeleton will do, without a mesh, or a clip for its skeleton.
    """

    name: str
    kind: Kind
    help: str = ""
    least: int = 1
    most: int | None = None
    bare: bool = False


ONE_CLIP = (Input("clip", "clip", "a motion"),)
SOME_CLIPS = (Input("clips", "clips", "motions, in their order"),)
TWO_CLIPS = (Input("clips", "clips", "motions, in their order", least=2),)
CLIP_AND_BODY = (Input("clip", "clip", "a motion"), Input("body", "body", "a character with a skinned mesh"))
LIBRARY_CLIPS = (
    Input("library", "library", "an opened library, or its folder"),
    Input(
        "clips",
        "clips",
        "NAME, NAME@FRAME (leave the first near it, reach it in the others), NAME@IN..OUT, or a search: type:walk",
        least=2,
    ),
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be done.

    Attributes:
        name: the verb.
        help: one line.
        function: "module:attribute" of `function(clip or clips, parameters) -> Clip | Made`, or what else `gives` says; where it takes
            a library, of `function(library, names, parameters)`. What is no motion must say what it is, see `results.report_of`.
        parameters: "module:attribute" of its parameter dataclass.
        inputs: what it takes, in the order of the function's arguments; clips come first.
        gives: what comes out.
        plants: of which clips the function takes known foot plants, as its third argument: of none (""), of "each" clip (a sequence,
            where it takes several), or of the "first" alone.
        alone: it takes several clips, and one will do; given many, each can have a result of its own.
        api: name of the function below `reenact`, where it is not the verb's.
        command: "module:attribute" of a command line that was written by hand; empty: made from this entry.
        essentials: parameters that a form shows first; empty: a form has no others than these few.
        page: "module:attribute" of `function(result) -> str`, a page of HTML that shows the result; empty: there is none.
        example: a line of Python for the docstring.
    """

    name: str
    help: str
    function: str
    parameters: str
    inputs: tuple[Input, ...] = ONE_CLIP
    gives: Kind = "clip"
    plants: Literal["", "each", "first"] = ""
    alone: bool = False
    api: str = ""
    command: str = ""
    essentials: tuple[str, ...] = ()
    page: str = ""
    example: str = ""

    @property
    def takes(self) -> Literal["clip", "clips"]:
        """One clip, or several."""
        return "clip" if len(self.inputs) == 1 and self.inputs[0].kind == "clip" else "clips"

    @property
    def least(self) -> int:
        """How many clips it takes at least; a character may be a clip, too."""
        return sum(one.least for one in self.inputs if one.kind != "library")

    @property
    def most(self) -> int | None:
        """How many clips it takes at most; None: any number."""
        counts = [one.most if one.kind == "clips" else 1 for one in self.inputs if one.kind != "library"]
        return None if None in counts else sum(count or 0 for count in counts)

    @property
    def of_library(self) -> bool:
        """It works on a library, whose clips are given by their names."""
        return self.inputs[0].kind == "library"

    @property
    def function_name(self) -> str:
        """Its name below `reenact`."""
        return self.api or self.name

    def parameter_class(self) -> type:
        """The dataclass of its parameters."""
        return resolve(self.parameters)
