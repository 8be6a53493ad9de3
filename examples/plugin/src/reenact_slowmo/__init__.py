"""What the entry points of this package stand for: an operation and a format."""

from __future__ import annotations

from reenact.formats.registry import Format
from reenact.operations.operation import Operation

SLOWMO = Operation(
    name="slowmo",
    help="Play a motion slower.",
    function="reenact_slowmo.slowing:slow_down",
    parameters="reenact_slowmo.slowing:SlowParameters",
    example="reenact.slowmo(walk, factor=3)",
)

PATH = Format(
    name="path",
    endings=(".path",),
    title="way of the hips as text",
    module="reenact_slowmo.path_text",
    sniff=lambda head: head.startswith(b"hips "),
)
