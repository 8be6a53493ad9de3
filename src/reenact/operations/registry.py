"""The registry of operations: everything that can be done.

One entry makes the verb of the command line, the function `reenact.NAME`, the form of the studio and the page of the reference. Functions
and parameter classes are named by strings and imported when used, so that listing the operations costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from reenact.errors import ParameterError
from reenact.operations.operation import (
    CLIP_AND_BODY,
    LIBRARY_CLIPS,
    SOME_CLIPS,
    TWO_CLIPS,
    Input,
    Kind,
    Operation,
)

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
