"""Cut, mirror, join and re-time clips. A clip never changes: every edit gives a new one."""

import reenact
from reenact.core.cutting import CutParameters, concatenate, cut
from reenact.core.mirror import mirror
from reenact.core.placement import MoveParameters, move
from reenact.core.resample import ResampleParameters, resample
from reenact.samples import make_sample

walk = make_sample("walk_normal").clip
corner = make_sample("walk_corner_left").clip

part = cut(walk, CutParameters(start=30, end=150))  # frames [30, 150)
other_way = mirror(corner)  # a left corner becomes a right one
both = concatenate([part, other_way])  # goes on from where the first ended
film = resample(both, ResampleParameters(fps=24, method="smooth"))
moved = move(film, MoveParameters(x=2.0, turn=1.57))  # radians in Python, degrees on the command line

print(moved, f"from {part.frames} + {other_way.frames} frames")
reenact.save(moved, "edited.bvh")
