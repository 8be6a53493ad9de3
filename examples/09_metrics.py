"""Compare poses: three metrics, whole matrices, nearest frames, and the chains of the body."""

import numpy as np
from PIL import Image

from reenact.analysis.chains import find_chains
from reenact.analysis.metrics import (
    AngleMetric,
    EffectorMetric,
    PointCloudMetric,
    describe_clips,
    distance_matrix,
    nearest_frames,
)
from reenact.samples import make_sample

walk, jog = make_sample("walk_normal").clip, make_sample("jog").clip
for metric in (EffectorMetric(), PointCloudMetric(), AngleMetric()):
    both = describe_clips(metric, [walk, jog])
    distances = distance_matrix(metric, both)
    picture = Image.fromarray(np.uint8(255 * distances / distances.max()))
    picture.save(f"distances-{metric.name}.png")
    a, b = metric.describe(walk), metric.describe(jog)
    which, near = nearest_frames(metric, a, b)
    best = int(np.argmin(near))
    print(
        f"{metric.name}: the walk's frame {best} is nearest to the jog's frame {which[best, 0]} ({near[best, 0]:.3f} {metric.unit})"
    )

for chain in find_chains(walk.skeleton):
    print(f"{chain.group:5} {chain.name}: {' '.join(walk.skeleton.names[joint] for joint in chain.joints)}")
print("look at distances-*.png: stripes are the cycles of the gait")
