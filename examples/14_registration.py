"""Find which frames of two walks belong together, and how the bodies lie on each other."""

import numpy as np

from reenact.blend.registration import RegistrationParameters, register
from reenact.core.cutting import cut_frames
from reenact.render.registration_pictures import draw_alignment_stages, draw_grid
from reenact.samples import make_sample

slow, brisk = (make_sample(name).clip for name in ("walk_slow", "walk_brisk"))
slow = cut_frames(slow, 0, len(slow) // 2)  # fewer steps than the other
curve = register([slow, brisk], RegistrationParameters(trim="steps"))
print(f"q = {curve.quality.q:.2f}, {100 * curve.quality.mean_distance:.1f} cm apart: {curve.quality.verdict}")
for finding in curve.findings:
    print(finding.message)
u = np.linspace(0, curve.length, 5)
for at, frames, placements in zip(u, curve.warp.frames_at(u), curve.alignment.placements_at(u), strict=True):
    turn, x, z = placements[1]
    print(
        f"u {at:6.1f}: frames {frames.round(1)}, {brisk.name} turned {np.degrees(turn):.1f} degrees, moved {x:.2f}, {z:.2f} m"
    )
draw_grid(curve).save("grid.png")
draw_alignment_stages(curve).save("stages.png")
