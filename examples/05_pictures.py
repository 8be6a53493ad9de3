"""Pictures to judge motion by: a pose strip, a comparison, a moving picture, a curve."""

from reenact.core.derivatives import velocity
from reenact.render import AnimationParameters, Curve, PlotParameters, StripParameters, save_picture, save_plot
from reenact.samples import make_sample

walk, run = make_sample("walk_normal").clip, make_sample("run").clip
save_picture(walk, "strip.png", StripParameters(view="side", every=20))
save_picture([walk, run], "compare.png")
save_picture(run, "run.gif", AnimationParameters(width=320, height=240, speed=0.5))

speed = (velocity(walk, "left_foot") ** 2).sum(axis=-1) ** 0.5
looks = PlotParameters(title="Speed of the left foot", x_label="s", y_label="m/s")
save_plot([Curve("left foot", walk.times, speed)], "speed.svg", looks)
print("look at strip.png, compare.png, run.gif and speed.svg")
