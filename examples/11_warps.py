"""Edit a motion at a few frames, in time, and by bands of detail."""

import math

import reenact
from reenact.edit.displacement import PoseKey, displace
from reenact.edit.filtering import filter_bands
from reenact.edit.warp import WarpParameters, warp
from reenact.samples import make_sample

walk = make_sample("walk_normal").clip

# one pose is edited; the edit is spread over half a second on either side
waving = displace(walk, [PoseKey(200, {"right_upper_arm": (0.0, 0.0, math.radians(-50))})])

# the same as text, as on the command line: duck under a bar, feet held, and take longer about it
low = warp(
    walk, WarpParameters(keys="200 move 0,-0.15,0; 200 spine 25,0,0", reach=0.8, feet="hold", times="180=190, 230=270")
)
print(low.report)

# detail: the fast bands calmed, the slow ones exaggerated
bold = filter_bands(walk, (0.3, 0.6, 1.0, 1.3, 1.3, 1.3))

for name, clip in (("waving", waving), ("low", low.clip), ("bold", bold)):
    reenact.save(clip, f"{name}.bvh")
