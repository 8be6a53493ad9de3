"""A walk bent to curves and set on footprints, with planted feet planted."""

from pathlib import Path

import reenact
from reenact.samples import make_sample

walk = make_sample("walk_normal").clip
for radius in (3.0, -2.0):
    made = reenact.path(walk, radius=radius)
    print(
        f"radius {radius:g} m: {made.report['way_m']:.2f} m, {1000 * made.report['path_error_m']:.0f} mm off, "
        f"planted feet slip {made.report['slip_mm']:.1f} mm"
    )
    reenact.save(made, f"walk_{'left' if radius > 0 else 'right'}.bvh")

# stepping stones: a little wider and to the left of where the feet were
from reenact.walk.walk_study import study_walk  # noqa: E402

prints = study_walk(walk).prints
stones = [f"{one.side},{one.place[0] + 0.03 * n:.3f},{one.place[2]:.3f}" for n, one in enumerate(prints)]
Path("stones.csv").write_text("\n".join(stones))
made = reenact.path(walk, footprints=Path("stones.csv"))
print(f"{made.report['footprints']} footprints, not reached: {made.report.get('not_reached', 'none')}")
reenact.save(made, "stones.bvh")
