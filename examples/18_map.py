"""Bring a motion onto a skeleton with other joints: other names, another size; then join motions of both."""

from dataclasses import replace

import reenact
from reenact.core.correspondence import match_joints
from reenact.edit.transition import TransitionParameters, make_transition
from reenact.errors import SkeletonError
from reenact.samples import make_sample
from reenact.solve.skeleton_map import map_onto

walk, run = make_sample("walk_normal").clip, make_sample("run").clip

# a smaller body of another make: its joints are called otherwise
small = run.skeleton.scaled(0.7)
small = replace(small, names=tuple(f"rig:{name.lower()}_jnt" for name in small.names))
other = replace(run, skeleton=small, root=run.root * 0.7, name="small_run")

try:
    make_transition(walk, other)
except SkeletonError as error:
    print(error)

found = match_joints(other.skeleton, walk.skeleton)
print(f"{len(found.by_role)} joints by role, {len(found.by_name)} by name")

mapped = map_onto([other, walk])  # the run of the small body on the skeleton of the walk
print(f"lengths times {mapped.report['scale']}, planted feet slip {mapped.report['slip_mm']} mm")
reenact.save(mapped.clip, "mapped_run.bvh")

made = make_transition(walk, other, TransitionParameters(map=True))
print(f"walk > run of the small body: slip {made.report['slip_mm']} mm")
reenact.save(made.clip, "walk_to_mapped_run.bvh")
