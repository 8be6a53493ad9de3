"""How far long work is, what helps when it is refused, and a video of what came of it."""

import reenact
from reenact.core.progress import heard
from reenact.errors import ReenactError
from reenact.samples import make_sample

walk, brisk = make_sample("walk_normal", 30.0).clip, make_sample("walk_fast", 30.0).clip

# methods say how far they are; whoever asked for the work may listen
said: list[str] = []
with heard(lambda share, words: said.append(f"{100 * share:3.0f} %  {words}")):
    made = reenact.blend(walk, brisk, weights=(0.5, 0.5))
print("\n".join(dict.fromkeys(said)))

# an error that knows what helps carries it as parameters
try:
    made = reenact.space(walk, brisk, parameter="speed", value=9.0)
except ReenactError as error:
    print(f"{error.message}: {', '.join(remedy.text for remedy in error.remedies)}")
    made = reenact.space(walk, brisk, parameter="speed", **error.remedies[0].parameters)

video = reenact.video(walk, made, fps=10, width=320, height=240, speed=2.0)
video.save("walks.gif")
print(video.as_dict())
