"""The registry of operations: what goes in, what comes out, and where the function and its parameters live.

One entry makes the verb of the command line, the function `reenact.NAME`, the form of the studio and the page of the reference. Functions
and parameter classes are named by strings and imported when used, so that listing the operations costs nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from reenact.core.made import Made, clip_of, with_credits
from reenact.errors import ParameterError
from reenact.operations.played import played_rows

if TYPE_CHECKING:
    from reenact.core.clip import Clip
    from reenact.core.foot_plants import FootPlants

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


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "resample",
        "Change the frame rate, or stretch to a number of frames.",
        "reenact.core.resample:resample",
        "reenact.core.resample:ResampleParameters",
        example="reenact.resample(walk, fps=30)",
    ),
    Operation(
        "pose",
        "Take poses between frames, and between two clips.",
        "reenact.edit.posing:take_poses",
        "reenact.core.pose_sampling:PoseParameters",
        (Input("clips", "clips", "one motion, or two to mix", most=2),),
        alone=True,
        essentials=("at", "second_at", "share"),
        example="reenact.pose(walk, at=12.5)",
    ),
    Operation(
        "cut",
        "Keep a range of frames.",
        "reenact.core.cutting:cut",
        "reenact.core.cutting:CutParameters",
        essentials=("start", "end"),
        example="reenact.cut(walk, start=10, end=200)",
    ),
    Operation(
        "join",
        "Put clips end to end, without blending.",
        "reenact.edit.join:join",
        "reenact.core.cutting:JoinParameters",
        SOME_CLIPS,
        example="reenact.join(walk, kick)",
    ),
    Operation(
        "mirror",
        "Swap left and right.",
        "reenact.core.mirror:mirror",
        "reenact.core.mirror:MirrorParameters",
        example="reenact.mirror(walk)",
    ),
    Operation(
        "move",
        "Move and turn the whole motion on the floor.",
        "reenact.core.placement:move",
        "reenact.core.placement:MoveParameters",
        essentials=("x", "z", "turn"),
        example="reenact.move(walk, x=1.0, turn=1.57)",
    ),
    Operation(
        "root",
        "Take the way over the floor out, put it on the root joint, or put it back.",
        "reenact.operations.root_motion:change_root",
        "reenact.operations.root_motion:RootParameters",
        plants="each",
        example="reenact.root(walk, in_place=True)",
    ),
    Operation(
        "map",
        "Bring the first clip onto the skeleton of the second.",
        "reenact.solve.skeleton_map:map_onto",
        "reenact.solve.skeleton_map:MapParameters",
        (
            Input("clip", "clip", "a motion"),
            Input("onto", "character", "a clip or a character with the wanted skeleton"),
        ),
        plants="first",
        example="reenact.map(walk, knight)",
    ),
    Operation(
        "retarget",
        "Bring motions onto a character, standing on its own soles.",
        "reenact.operations.retargeting:retarget",
        "reenact.operations.retargeting:RetargetParameters",
        (
            Input("clip", "clip", "a motion"),
            Input("character", "body", "a character, or a clip with the wanted skeleton", bare=True),
        ),
        plants="first",
        essentials=("hands", "feet", "floor"),
        example="reenact.retarget(walk, knight)",
    ),
    Operation(
        "scale",
        "Change the size of a body, as a whole or segment by segment; its way is scaled as its legs are.",
        "reenact.body.scaling:scale_clip",
        "reenact.body.scaling:ScaleParameters",
        command="reenact.cli.scale:scale",
        essentials=("height", "factor"),
        example="reenact.scale(walk, height=1.9)",
    ),
    Operation(
        "transition",
        "Blend from one clip into the next; planted feet stay planted.",
        "reenact.edit.transition:transition",
        "reenact.edit.transition:TransitionParameters",
        TWO_CLIPS,
        plants="each",
        essentials=("at", "into", "window", "method"),
        example="reenact.transition(walk, kick, window=0.5)",
    ),
    Operation(
        "loop",
        "Repeat a cycle without a seam; several clips make a round trip.",
        "reenact.edit.loop:loop",
        "reenact.edit.loop:LoopParameters",
        SOME_CLIPS,
        plants="each",
        alone=True,
        command="reenact.cli.loop:loop",
        essentials=("count", "in_place"),
        example="reenact.loop(walk, count=4)",
    ),
    Operation(
        "blend",
        "Blend motions by registration curves, or pass from one to the other; planted feet stay planted.",
        "reenact.blend.blend:blend",
        "reenact.blend.blend:BlendParameters",
        TWO_CLIPS,
        plants="each",
        essentials=("weights", "mode"),
        example="reenact.blend(walk, sneak, weights=(0.3, 0.7))",
    ),
    Operation(
        "graft",
        "Put the arms, head or upper body of one motion on the legs of another, in step with them.",
        "reenact.graft.grafting:graft_clips",
        "reenact.graft.grafting:GraftParameters",
        (
            Input("base", "clip", "the motion whose root and legs are kept"),
            Input("source", "clip", "the motion whose limbs are taken"),
        ),
        plants="each",
        command="reenact.cli.graft:graft",
        essentials=("chains", "keep", "blend"),
        example='reenact.graft(walk, wave, chains="right_arm")',
    ),
    Operation(
        "warp",
        "Edit poses and time at a few frames, smooth, exaggerate.",
        "reenact.edit.warp:warp",
        "reenact.edit.warp:WarpParameters",
        plants="each",
        essentials=("keys", "smooth", "feet"),
        example="reenact.warp(walk, smooth=0.05)",
    ),
    Operation(
        "clean",
        "Hold planted feet still: no skating, no pops, no stretching.",
        "reenact.blend.clean:clean",
        "reenact.blend.clean:CleanParameters",
        plants="each",
        essentials=("anchor", "floor"),
        example="reenact.clean(walk)",
    ),
    Operation(
        "walk",
        "Change the stride, lift, slope, stairs or goal of a walk; planted feet stay planted.",
        "reenact.walk.walk:walk",
        "reenact.walk.walk:WalkParameters",
        plants="each",
        essentials=("stride", "lift", "incline", "stairs", "to"),
        example="reenact.walk(walk, stride=1.2, lift=1.3)",
    ),
    Operation(
        "path",
        "Bend a travelling motion to a curve, or set it on footprints; planted feet stay planted.",
        "reenact.walk.path_following:follow_path",
        "reenact.walk.path_following:PathParameters",
        plants="each",
        essentials=("radius", "through", "stride"),
        example="reenact.path(walk, radius=3.0)",
    ),
    Operation(
        "adapt",
        "Fit a motion to a body of any shape: limbs stay out of each other, planted feet stay planted.",
        "reenact.operations.adapting:adapt",
        "reenact.operations.adapting:AdaptOptions",
        CLIP_AND_BODY,
        plants="first",
        essentials=("girth", "stages", "method"),
        example="reenact.adapt(walk, human, girth=1.4)",
    ),
    Operation(
        "balance",
        "Keep the weight of a motion as near to the soles of a body as it was in the recording; planted feet stay planted.",
        "reenact.adapt.bodily:balance",
        "reenact.adapt.bodily:BalanceParameters",
        CLIP_AND_BODY,
        plants="first",
        essentials=("girth", "threshold"),
        example="reenact.balance(walk, human, girth=1.4)",
    ),
    Operation(
        "ground",
        "Stop feet from skating by the skin of their soles: the root is moved, limbs stay what they are.",
        "reenact.adapt.grounding:ground",
        "reenact.adapt.grounding:GroundParameters",
        CLIP_AND_BODY,
        plants="first",
        essentials=("method",),
        example="reenact.ground(walk, human)",
    ),
    Operation(
        "grow",
        "Put a motion on a body of another girth, as it is.",
        "reenact.adapt.bodily:grow_body",
        "reenact.body.growth:GrowthParameters",
        CLIP_AND_BODY,
        plants="first",
        example="reenact.grow(walk, human, girth=1.4)",
    ),
    Operation(
        "space",
        "Ask a family of clips for a speed, a turning radius or another value between theirs.",
        "reenact.blend.motion_space:make_motion",
        "reenact.blend.motion_space:SpaceMotionParameters",
        TWO_CLIPS,
        plants="each",
        essentials=("parameter", "value"),
        example="reenact.space(slow, brisk, speed=1.4)",
    ),
    Operation(
        "sequence",
        "Play clips of a library one after the other, joined where they are alike.",
        "reenact.operations.sequencing:make_sequence",
        "reenact.operations.sequencing:SequenceParameters",
        LIBRARY_CLIPS,
        command="reenact.cli.sequence:sequence",
        essentials=("via", "window"),
        example='reenact.sequence("takes", "stand", "type:walk", "kick_left@40")',
    ),
    Operation(
        "split",
        "Write parts of a long recording as files of their own.",
        "reenact.operations.splitting:split_clip",
        "reenact.operations.splitting:SplitParameters",
        gives="clips",
        plants="each",
        command="reenact.cli.split:split_file",
        example="reenact.split(take, shortest=1.0)",
    ),
    Operation(
        "plants",
        "Find when which foot is planted, and the floor.",
        "reenact.analysis.plants:find_plants",
        "reenact.analysis.plants:DetectParameters",
        gives="plants",
        api="detect_plants",
        command="reenact.cli.plants:plants",
        example="reenact.detect_plants(walk)",
    ),
    Operation(
        "classify",
        "Say whether a clip is a stand, walk, run, jump or other.",
        "reenact.analysis.classify:classify_clip",
        "reenact.analysis.classify:ClassifyParameters",
        gives="table",
        plants="each",
        command="reenact.cli.classify:classify_file",
        example="reenact.classify(walk).type",
    ),
    Operation(
        "check",
        "Find what is wrong with motion: skate, floor, pops, noise, joints, time.",
        "reenact.analysis.quality:check_clip",
        "reenact.analysis.quality:QualityLimits",
        gives="table",
        plants="each",
        command="reenact.cli.check:check",
        essentials=("skate_mm", "penetration_mm", "pop_deg"),
        page="reenact.render.quality_page:report_page",
        example="reenact.check(walk, skate_mm=20).ok",
    ),
    Operation(
        "register",
        "Find which frames of clips belong together, and whether they can be blended.",
        "reenact.blend.registration:register",
        "reenact.blend.registration_parameters:RegistrationParameters",
        TWO_CLIPS,
        gives="registration",
        plants="each",
        command="reenact.cli.register:register_files",
        essentials=("gate", "trim"),
        page="reenact.render.registration_page:registration_page",
        example="reenact.register(walk, sneak).quality.q",
    ),
    Operation(
        "volumes",
        "Measure a body: volumes that stand for its limbs, masses, soles.",
        "reenact.adapt.bodily:measure_body",
        "reenact.adapt.bodily:VolumeParameters",
        (Input("body", "body", "a character with a skinned mesh"),),
        gives="table",
        example='reenact.volumes(human)["kilogrammes"]',
    ),
    Operation(
        "render",
        "Draw a pose strip (PNG) or an animation (GIF, MP4).",
        "reenact.render.strip:render_strip",
        "reenact.render.strip:StripParameters",
        SOME_CLIPS,
        gives="picture",
        command="reenact.cli.render:render",
        essentials=("count", "view", "background", "width"),
        example='reenact.render(walk, count=8).save("walk.png")',
    ),
    Operation(
        "video",
        "Draw a moving picture (MP4, GIF).",
        "reenact.render.video:make_video",
        "reenact.render.animation:AnimationParameters",
        SOME_CLIPS,
        gives="video",
        essentials=("view", "speed", "width", "height", "background"),
        example='reenact.video(walk, view="side").save("walk.mp4")',
    ),
)


def operations(gives: Kind | None = None) -> Iterator[Operation]:
    """All operations, those of other packages included, or those that give a kind of thing."""
    return (one for one in (*OPERATIONS, *_from_other_packages()) if gives is None or one.gives == gives)


@cache
def _from_other_packages() -> tuple[Operation, ...]:
    """Operations that installed packages offer by the entry point group `reenact.operations`; see CONTRIBUTING."""
    from reenact.plugins import offered

    known = {operation.name for operation in OPERATIONS}
    return tuple(one for one in offered("reenact.operations", Operation) if one.name not in known)


def find_operation(name: str) -> Operation:
    """The operation of that name, or an error that lists all."""
    for operation in operations():
        if operation.name == name:
            return operation
    raise ParameterError(f"no operation {name!r}; there are {', '.join(o.name for o in operations())}")


def run_operation(
    operation: Operation,
    clips: Sequence[Any],
    parameters: Any,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made:
    """Run an operation that makes a clip. The plants that travel with a clip are used unless others are given, and the report says which.

    Args:
        operation: which.
        clips: what it works on: clips, or a library and the names of clips in it.
        parameters: of its parameter class.
        plants: known foot plants of the clips that it takes them of (`Operation.plants`), None for those that it is to find.
    """
    result = call_operation(operation, clips, parameters, plants)
    made = result if isinstance(result, Made) else Made(result)
    if operation.of_library:
        return made
    clips = [clip_of(one) for one in clips]
    clips = [clip for one, clip in zip(operation.inputs * len(clips), clips, strict=False) if one.kind != "body"]
    made = with_credits(made, clips)
    rows = played_rows(made.report, [clip.name for clip in clips])
    if rows:
        made = replace(made, report={**made.report, "played": rows})
    if not operation.plants:
        return made
    asked = clips[:1] if operation.plants == "first" else clips
    return replace(made, report={**made.report, "plants_used": plants_used(asked, plants)})


def call_operation(
    operation: Operation,
    clips: Sequence[Any],
    parameters: Any,
    plants: Sequence[FootPlants | None] | None = None,
) -> Any:
    """What the function of an operation gives; arguments as those of `run_operation`."""
    function = resolve(operation.function)
    if operation.takes == "clip" and len(clips) != 1:
        raise ParameterError(f"{operation.name} takes one clip, {len(clips)} were given")
    if plants is not None and not operation.plants:
        raise ParameterError(f"{operation.name} takes no foot plants", where="plants")
    if operation.of_library:
        return function(clips[0], list(clips[1:]), parameters)
    if operation.gives not in ("picture", "video"):  # those show the body, too
        clips = [clip_of(one) for one in clips]
    given: Any = clips[0] if operation.takes == "clip" else clips
    if plants is None:
        return function(given, parameters)
    return function(
        given, parameters, plants if operation.takes == "clips" and operation.plants == "each" else plants[0]
    )


def plants_used(clips: Sequence[Clip], plants: Sequence[FootPlants | None] | None) -> list[str]:
    """Where the foot plants of each clip come from: a detector's name, a file, those that were carried, or that they were detected."""
    given = [None] * len(clips) if plants is None else plants
    known = [clip.plants if one is None else one for clip, one in zip(clips, given, strict=True)]
    return ["detected" if one is None else one.source or "given" for one in known]
