"""Blend motions: in between two walks, from one into another, and live with weights that change while it plays."""

import numpy as np

import reenact
from reenact.blend.blend import BlendParameters, blend, blend_curve
from reenact.blend.live import LiveBlend
from reenact.blend.live_stage import LiveStage
from reenact.blend.registration import register
from reenact.samples import make_sample

slow, left = make_sample("walk_slow").clip, make_sample("walk_circle_medium_left").clip

# half way between a slow walk straight on and a walk round a circle: planted feet stay where they are
made = blend([slow, left], BlendParameters(weights="0.5,0.5"))
report = made.report
print(f"q {report['q']} ({report['verdict']}), path {report['path_ratio']} of the mean, {report['seconds']} s")
print(
    f"planted points slide {report['slide_m_s']} m/s, {report['slide_before_clean_up_m_s']} before they were held in place"
)
reenact.save(made.clip, "half.bvh")

# the same without registration: legs out of step, a shorter way
for method in ("linear", "linear-normalised"):
    other = blend([slow, left], BlendParameters(method=method))
    print(f"{method}: path {other.report['path_ratio']} of the mean, slide {other.report['slide_m_s']} m/s")

# a fifth of the way beyond the circle: a tighter one
beyond = blend([slow, left], BlendParameters(weights="-0.2,1.2"))
print(f"beyond the circle: {beyond.clip.seconds:.2f} s, {beyond.report['path_m']:.2f} m")

# weights over time, and a transition at the frames that fit best
turning = blend([slow, left], BlendParameters(weights="1:1,0; 3:0,1"))
joined = blend([slow, left], BlendParameters(mode="transition", window=0.3))
print(f"turning: {turning.clip.seconds:.2f} s; joined at frame {joined.report['at']} into {joined.report['into']}")

# one registration, many blends
curve = register([slow, left, make_sample("walk_brisk").clip])
for weights in ("1,0,0", "0,1,0", "0,0,1", "1,1,1"):
    one = blend_curve(curve, BlendParameters(weights=weights))
    print(f"weights {weights}: {one.clip.seconds:.2f} s, {one.report['path_m']:.2f} m")

# a player for games: a step costs a fraction of a millisecond and the motion never ends
player = LiveBlend(curve)
step, path = player.step(0.0, [1, 0, 0]), []
for n in range(600):
    lean = 0.5 + 0.5 * np.sin(n / 60)
    step = player.step(1 / 60, [1 - lean, lean, 0.2])
    path.append(step.root.copy())  # the arrays of a step are written anew by the next
print(f"ten seconds of play, {player.passages} times round, planted now: {step.contacts.tolist()}")

# several sets on one stage: a request waits for a good moment, and no longer than it is told to
stage = LiveStage({"walk": curve, "jump": make_sample("jump_forward").clip}, once=["jump"])
stage.steer("walk", [1, 0, 0.5])
for n in range(300):
    if n == 90:
        plan = stage.request("jump", within=1.0)
        print(
            f"a jump in {plan.wait:.2f} s, bodies {100 * plan.distance:.0f} cm apart while one goes over into the other"
        )
    step = stage.step(1 / 60)
print(f"now playing: {stage.playing}")
