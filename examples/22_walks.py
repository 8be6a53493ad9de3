"""One walk made into others: steps, lift, slope, stairs, an exact distance; planted feet stay planted."""

import math

import reenact
from reenact.samples import make_sample

walk = make_sample("walk_normal").clip
asked = {
    "short": {"stride": 0.7},
    "slower_and_slower": {"stride": 1.0, "stride_end": 0.4},
    "high_feet": {"lift": 1.5},
    "uphill": {"incline": math.radians(8)},
    "stairs": {"stairs": "0.17x0.29x4"},
    "four_metres": {"to": 4.0},
}
for name, options in asked.items():
    made = reenact.walk(walk, **options)
    report = made.report
    print(
        f"{name}: steps of {report['step_m']:.2f} m ({report['recorded']['step_m']:.2f}), lift {100 * report['lift_m']:.0f} cm, "
        f"slip {report['slip_mm']:.1f} mm, knees {report['knee_acceleration']:.2f}; {'; '.join(report['doubts']) or 'no doubts'}"
    )
    reenact.save(made, f"{name}.bvh")
