"""Root motion: a walk in place, the way it went as a table, root motion on a root joint, and the way put back."""

import numpy as np

import reenact
from reenact.samples import make_sample

walk = make_sample("walk_circle_tight_left").clip

# in place: the way over the floor goes into a table, the sway of the hips stays in the body
still = reenact.root(walk, in_place=True, turn="remove", trajectory="way.csv")
print(f"taken out: {still.report['way']}")
reenact.save(still, "walk_in_place.bvh")

# its plants still tell when which foot touches, and that it slides: nothing holds it, nothing calls it skating
print(f"plants: {still.plants.source}, skate: {reenact.check(still).measures['skate_mm_max']}")

# and back again
back = reenact.root(still, apply="way.csv")
gap = np.abs(back.clip.world(np.float64).positions - walk.world(np.float64).positions).max()
print(f"put back: {1000 * gap:.3f} mm from the recording at most")

# for game engines: the way on a root joint above the hips; nothing else moves
rooted = reenact.root(walk, extract=True)
print(f"{rooted.clip.skeleton.names[0]!r} above {rooted.clip.skeleton.names[1]!r}")
reenact.save(rooted, "walk_root_motion.glb")
