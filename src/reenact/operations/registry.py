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
        plants: the function takes known foot plants, too: `function(clip, parameters, plants)`; only for those of one clip.
    """

    name: str
    help: str
    function: str
    parameters: str
    takes: Literal["clip", "clips"] = "clip"
    plants: bool = False

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
        "reenact.core.pose_sampling:take_poses",
        "reenact.core.pose_sampling:PoseParameters",
        "clips",
    ),
    Operation("cut", "Keep a range of frames.", "reenact.core.cutting:cut", "reenact.core.cutting:CutParameters"),
    Operation(
        "join",
        "Put clips end to end, without blending.",
        "reenact.core.cutting:concatenate",
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
    ),
    Operation(
        "transition",
        "Blend from one clip into the next; planted feet stay planted.",
        "reenact.edit.transition:transition",
        "reenact.edit.transition:TransitionParameters",
        "clips",
    ),
    Operation(
        "loop",
        "Repeat a cycle without a seam; several clips make a round trip.",
        "reenact.edit.loop:loop",
        "reenact.edit.loop:LoopParameters",
        "clips",
    ),
    Operation(
        "blend",
        "Blend motions by registration curves, or pass from one to the other; planted feet stay planted.",
        "reenact.blend.blend:blend",
        "reenact.blend.blend:BlendParameters",
        "clips",
    ),
    Operation(
        "warp",
        "Edit poses and time at a few frames, smooth, exaggerate.",
        "reenact.edit.warp:warp",
        "reenact.edit.warp:WarpParameters",
    ),
    Operation(
        "clean",
        "Hold planted feet still: no skating, no pops, no stretching.",
        "reenact.blend.clean:clean",
        "reenact.blend.clean:CleanParameters",
        plants=True,
    ),
    Operation(
        "space",
        "Ask a family of clips for a speed, a turning radius or another value between theirs.",
        "reenact.blend.motion_space:make_motion",
        "reenact.blend.motion_space:SpaceMotionParameters",
        "clips",
    ),
)


def find_operation(name: str) -> Operation:
    """The operation of that name, or an error that lists all."""
    for operation in OPERATIONS:
        if operation.name == name:
            return operation
    raise ParameterError(f"no operation {name!r}; there are {', '.join(o.name for o in OPERATIONS)}")


def run_operation(
    operation: Operation, clips: Sequence[Clip], parameters: Any, plants: FootPlants | None = None
) -> Made:
    """Run an operation on clips; `plants` are those of the clip, for an operation that takes them."""
    function = resolve(operation.function)
    if plants is not None and not operation.plants:
        raise ParameterError(f"{operation.name} takes no foot plants", where="plants")
    if operation.takes == "clip":
        if len(clips) != 1:
            raise ParameterError(f"{operation.name} takes one clip, {len(clips)} were given")
        result = function(clips[0], parameters, plants) if operation.plants else function(clips[0], parameters)
    else:
        result = function(clips, parameters)
    return result if isinstance(result, Made) else Made(result)
