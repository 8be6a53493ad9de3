"""Cut, mirror, join and re-time clips, take poses between them. A clip never changes: every edit gives a new one."""

import reenact
from reenact.core.cutting import CutParameters, concatenate, cut
from reenact.core.joint_matrices import joint_matrices
from reenact.core.mirror import mirror
from reenact.core.placement import MoveParameters, move
from reenact.core.pose_sampling import sample_between
from reenact.core.resample import ResampleParameters, resample
from reenact.samples import make_sample

walk = make_sample("walk_normal").clip
corner = make_sample("walk_corner_left").clip

part = cut(walk, CutParameters(start=30, end=150))  # frames [30, 150)
other_way = mirror(corner)  # a left corner becomes a right one
both = concatenate([part, other_way])  # goes on from where the first ended
film = resample(both, ResampleParameters(fps=24, method="smooth"))
moved = move(film, MoveParameters(x=2.0, turn=1.57))  # radians in Python, degrees on the command line

pose = sample_between(walk, corner, 12.5, 40.25, 0.3)  # between two frames of each clip, and between the clips
foot = joint_matrices(pose, 0).world[walk.skeleton.joint("left_foot")]  # (4, 4), world from joint
print("the left foot is at", foot[:3, 3].round(3))

print(moved, f"from {part.frames} + {other_way.frames} frames")
reenact.save(moved, "edited.bvh")
