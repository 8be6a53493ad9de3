"""Load a motion file, see what was noticed, and draw it.

Run with a file of your own, or without one to use a sample: python examples/01_load_and_look.py [FILE]
"""

import sys
from pathlib import Path

import reenact
from reenact.render import save_picture
from reenact.samples import make_sample

path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("walk.bvh")
if len(sys.argv) == 1:
    reenact.save(make_sample("walk_normal").clip, path)

clip = reenact.load(path)
print(clip)
for finding in clip.origin.findings:
    print(f"  {finding.severity}: {finding.message} [{finding.code}]")

world = clip.world()
left, right = clip.skeleton.joint("left_foot"), clip.skeleton.joint("right_foot")
print(
    f"ankles between {world.positions[:, [left, right], 1].min():.3f} and {world.positions[:, [left, right], 1].max():.3f} m high"
)

save_picture(clip, "walk.png")
print("look at walk.png")
