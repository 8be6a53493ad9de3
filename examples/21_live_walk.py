"""A walk changed while it plays: frames go in and come out, and stride, lift and incline change whenever you like."""

import numpy as np

import reenact
from reenact.samples import make_sample
from reenact.walk.live_walk import LiveWalk, WalkTargets, contacts_of

walk = make_sample("walk_normal").clip
plants = reenact.detect_plants(walk)

live = LiveWalk(walk.skeleton, walk, plants)
print(f"learnt: steps of {live.gait.step:.2f} m, lift {100 * live.gait.lift:.0f} cm, swings of {live.gait.swing:.2f} s")

# frame by frame, as a game would; the targets are approached smoothly over about a step
contacts, roots = contacts_of(plants), []
for frame in range(len(walk)):
    if frame == 120:
        live.stride, live.lift = 0.6, 1.3
    if frame == 260:
        live.stride, live.incline = 1.1, np.radians(8)
    root, rotations = live.push(walk.root[frame], walk.rotations[frame], contacts[frame])
    roots.append(root.copy())
print(f"went {roots[-1][2] - roots[0][2]:.2f} m and {roots[-1][1] - roots[0][1]:.2f} m up")

# or a whole clip at once
made = live.run(walk, plants, WalkTargets(stride=1.2, lift=1.2))
print(f"body {made.report['body_mm']} mm, legs short by {made.report['missed_mm']} mm at most")
reenact.save(made, "longer_steps.bvh")
