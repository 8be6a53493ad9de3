"""One motion in every format; each comes back the same."""

import numpy as np

import reenact
from reenact.samples import make_sample

clip = make_sample("jog").clip
want = clip.world().positions[:, clip.skeleton.joint("left_hand")]
for ending in ("bvh", "amc", "glb", "gltf", "npz"):
    reenact.save(clip, f"jog.{ending}")
    back = reenact.load(f"jog.{ending}")
    got = back.world().positions[:, back.skeleton.joint("left_hand")]
    print(
        f"{ending:5} {len(back)} frames at {back.fps:g} Hz, left hand within {1000 * np.abs(got - want).max():.4f} mm"
    )
