"""What `reenact warm-up` runs: command lines that between them call every kernel with every kind of argument the verbs use."""

from __future__ import annotations

SAMPLES = ("walk_normal", "walk_slow", "walk_fast", "run", "kick_right", "sneak", "wave_walking", "stand")
"""Samples that are there as SAMPLE.bvh when the command lines run."""

WAVES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("info walk_normal.bvh",),),
    (
        ("plants walk_normal.bvh",),
        (
            "convert walk_normal.bvh walk.amc",
            "convert walk_normal.bvh walk.glb",
            "convert walk_normal.bvh walk.npz",
            "info walk.amc",
            "info walk.glb walk.npz",
            "cut walk.amc --end 30 -o part.amc",
            "resample walk_normal.bvh --fps 30 -o other.bvh",
            "resample walk.glb --frames 30 --method smooth -o other.npz",
            "pose walk_normal.bvh --at 1.5 -o other.bvh",
            "join walk_normal.bvh kick_right.bvh -o other.bvh",
            "mirror walk_normal.bvh -o other.glb",
            "move walk_normal.bvh --turn 30 -o other.bvh",
            "root walk_normal.bvh --in-place -o other.bvh",
            "map walk_normal.bvh walk.glb -o other.bvh",
            "matrices walk_normal.bvh -o matrices.npz",
            "humanoid -o person.glb",
            "rig person.glb --again -o rigged.glb",
            "render walk_normal.bvh -o strip.png --renderer plain",
            "video part.amc -o film.gif --video-fps 5 --width 96 --height 72",
        ),
    ),
    (
        (
            "classify walk_normal.bvh",
            "check walk_normal.bvh",
            "transition walk_normal.bvh kick_right.bvh -o both.bvh",
            "loop walk_normal.bvh --count 3 -o loop.bvh",
            "split both.bvh -o parts",
            "library init lib",
            "library add lib walk_normal.bvh walk_slow.bvh kick_right.bvh run.bvh stand.bvh",
            "library classify lib",
            "graph build lib",
            "mobility build lib -o lib.map --dearest 8 --options 4",
            "mobility path lib.map 0 5 -o way.bvh",
            "sequence lib walk_normal walk_slow -o sequence.bvh",
        ),
        (
            "blend walk_normal.bvh sneak.bvh --weights 0.4,0.6 -o blend.bvh",
            "register walk_slow.bvh walk_fast.bvh",
            "space walk_slow.bvh walk_fast.bvh --parameter speed --value 1.2 -o space.bvh",
            "graft walk_normal.bvh wave_walking.bvh --chains right_arm -o graft.bvh",
            "warp walk_normal.bvh --smooth 0.05 -o warp.bvh",
            "clean walk_normal.bvh -o clean.bvh",
            "walk walk_normal.bvh --stride 1.1 -o walk.bvh",
            "path walk_normal.bvh --radius 3 -o path.bvh",
        ),
        (
            "adapt walk_slow.bvh person.glb --girth 1.6 --stages arms,forearms,legs,collisions,feet,balance -o stout.glb",
            "adapt walk_slow.bvh person.glb --girth 1.6 --method fast -o fast.glb",
            "balance walk_slow.bvh person.glb -o balanced.glb",
            "grow walk_slow.bvh person.glb --girth 1.2 -o grown.glb",
            "ground walk_slow.bvh person.glb -o grounded.glb",
            "volumes person.glb",
            "retarget walk_slow.bvh person.glb -o retargeted.glb",
            "scale walk_slow.bvh --thigh 1.1 -o other.bvh",
            "scale person.glb --height 1.6 -o other.glb",
        ),
    ),
)
"""Waves of groups: the groups of a wave are independent and run at once, each wave finds what the one before has compiled."""
