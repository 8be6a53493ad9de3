"""Join two motions: the feet stay planted, the report says how well; then a loop of any length."""

import reenact
from reenact.edit.loop import LoopParameters, make_loop
from reenact.edit.transition import TransitionParameters, make_transition
from reenact.samples import make_sample

walk, kick, run = (make_sample(name).clip for name in ("walk_normal", "kick_right", "run"))

made = make_transition(walk, kick)  # the best frames are found
print(f"walk {made.report['at']} > kick {made.report['into']}: planted feet slip {made.report['slip_mm']} mm")
for plant in made.report["feet"]["plants"]:
    print("  ", plant)
reenact.save(made.clip, "walk_to_kick.bvh")

# chosen frames, a longer blend, another way; the plants of a result go into the next step
further = make_transition(made.clip, run, TransitionParameters(at=-80, window=1.2), plants_a=made.plants)
game = make_transition(walk, run, TransitionParameters(at=200, into=100, method="inertial", window=0.4))
print(f"joints are pushed {game.report['acceleration_ratio']:.2f} times as hard as in the recordings")
reenact.save(further.clip, "walk_kick_run.bvh")

loop = make_loop(walk, LoopParameters(count=20))
report = loop.report
print(
    f"20 cycles of {report['period_s']:.2f} s and {report['advance_m']:.2f} m; ends {1000 * report['seam_error_m']:.1f} mm apart"
)
reenact.save(loop.clip, "long_walk.bvh")
