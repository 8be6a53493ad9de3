"""Ask a family of clips for a motion that nobody recorded: a walk of any speed, a turn of any radius."""

import reenact
from reenact.blend.motion_space import MotionSpace
from reenact.samples import make_sample

# four walks become one walk with a knob
walks = [make_sample(name).clip for name in ("walk_slow", "walk_normal", "walk_brisk", "walk_fast")]
space = MotionSpace.build(walks, parameter="speed")
low, high = space.range[0]
print(f"speeds from {low:.2f} to {high:.2f} m/s")

for speed in (1.0, 1.35):
    made = space.motion(speed)  # searched for until it measures what was asked for
    print(speed, made.report["value"], made.report["weights"], made.report["slide_m_s"])
    reenact.save(made.clip, f"walk_{speed}.bvh")

# circles to the left and to the right become any turning radius; a function of your own works as well as a name
turns = [make_sample(name).clip for name in ("walk_circle_medium_left", "walk_circle_wide_left", "walk_normal")]
turning = MotionSpace.build(turns, parameter="radius")
print(turning.motion(turning.parameter.asked(4.0)).report["value"], "m")
print("weights of 8 m by the samples alone:", turning.weights_for(turning.parameter.asked(8.0)).round(3))
