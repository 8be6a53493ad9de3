"""The registry of operations: clips in, one clip out.

Functions and parameter classes are named by strings and imported when used, so that listing the operations costs nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from reenact.core.made import Made
from reenact.errors import ParameterError

if TYPE_CHECKING:
    from reenact.core.clip import Clip
    from reenact.core.foot_plants import FootPlants


def resolve(name: str) -> Any:
    """The object behind "module:attribute"."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be done.

    Attributes:
        name: the verb.
        help: one line.
        function: "module:attribute" of `function(clip or clips, parameters) -> Clip | Made`.
        parameters: "module:attribute" of its parameter dataclass.
        takes: one clip, or several.
        plants: of which clips the function takes known foot plants, as its third argument: of none (""), of "each" clip (a sequence,
            where it takes several), or of the "first" alone.
    """

    name: str
    help: str
    function: str
    parameters: str
    takes: Literal["clip", "clips"] = "clip"
    plants: Literal["", "each", "first"] = ""

    def parameter_class(self) -> type:
        """The dataclass of its parameters."""
        return resolve(self.parameters)


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "resample",
        "Change the frame rate, or stretch to a number of frames.",
        "reenact.core.resample:resample",
        "reenact.core.resample:ResampleParameters",
    ),
    Operation(
        "pose",
        "Take poses between frames, and between two clips.",
        "reenact.edit.posing:take_poses",
        "reenact.core.pose_sampling:PoseParameters",
        "clips",
    ),
    Operation("cut", "Keep a range of frames.", "reenact.core.cutting:cut", "reenact.core.cutting:CutParameters"),
    Operation(
        "join",
        "Put clips end to end, without blending.",
        "reenact.edit.join:join",
        "reenact.core.cutting:JoinParameters",
        "clips",
    ),
    Operation("mirror", "Swap left and right.", "reenact.core.mirror:mirror", "reenact.core.mirror:MirrorParameters"),
    Operation(
        "move",
        "Move and turn the whole motion on the floor.",
        "reenact.core.placement:move",
        "reenact.core.placement:MoveParameters",
    ),
    Operation(
        "map",
        "Bring the first clip onto the skeleton of the second.",
        "reenact.solve.skeleton_map:map_onto",
        "reenact.solve.skeleton_map:MapParameters",
        "clips",
        plants="first",
    ),
    Operation(
        "transition",
        "Blend from one clip into the next; planted feet stay planted.",
        "reenact.edit.transition:transition",
        "reenact.edit.transition:TransitionParameters",
        "clips",
        plants="each",
    ),
    Operation(
        "loop",
        "Repeat a cycle without a seam; several clips make a round trip.",
        "reenact.edit.loop:loop",
        "reenact.edit.loop:LoopParameters",
        "clips",
        plants="each",
    ),
    Operation(
        "blend",
        "Blend motions by registration curves, or pass from one to the other; planted feet stay planted.",
        "reenact.blend.blend:blend",
        "reenact.blend.blend:BlendParameters",
        "clips",
        plants="each",
    ),
    Operation(
        "warp",
        "Edit poses and time at a few frames, smooth, exaggerate.",
        "reenact.edit.warp:warp",
        "reenact.edit.warp:WarpParameters",
        plants="each",
    ),
    Operation(
        "clean",
        "Hold planted feet still: no skating, no pops, no stretching.",
        "reenact.blend.clean:clean",
        "reenact.blend.clean:CleanParameters",
        plants="each",
    ),
    Operation(
        "space",
        "Ask a family of clips for a speed, a turning radius or another value between theirs.",
        "reenact.blend.motion_space:make_motion",
        "reenact.blend.motion_space:SpaceMotionParameters",
        "clips",
        plants="each",
    ),
)


def find_operation(name: str) -> Operation:
    """The operation of that name, or an error that lists all."""
    for operation in OPERATIONS:
        if operation.name == name:
            return operation
    raise ParameterError(f"no operation {name!r}; there are {', '.join(o.name for o in OPERATIONS)}")


def run_operation(
    operation: Operation,
    clips: Sequence[Clip],
    parameters: Any,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made:
    """Run an operation on clips.

    Args:
        operation: which.
        clips: what it works on.
        parameters: of its parameter class.
        plants: known foot plants of the clips that it takes them of (`Operation.plants`), None for those that it is to find.
    """
    function = resolve(operation.function)
    if operation.takes == "clip" and len(clips) != 1:
        raise ParameterError(f"{operation.name} takes one clip, {len(clips)} were given")
    if plants is not None and not operation.plants:
        raise ParameterError(f"{operation.name} takes no foot plants", where="plants")
    given: Any = clips[0] if operation.takes == "clip" else clips
    if plants is None:
        result = function(given, parameters)
    else:
        result = function(
            given, parameters, plants if operation.takes == "clips" and operation.plants == "each" else plants[0]
        )
    return result if isinstance(result, Made) else Made(result)
