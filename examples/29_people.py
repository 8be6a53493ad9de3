"""Generated people: one of any height and girth, a crowd, and a person on the skeleton of a clip."""

import reenact
from reenact.loading import standing_still
from reenact.render import StripParameters, save_picture
from reenact.samples import make_sample
from reenact.solve.dressing_clips import dress_clip

person = reenact.humanoid(height=1.8, girth=1.2)
print(person)

walk = make_sample("walk_normal").clip
for number, preset in enumerate(("man", "woman", "child")):
    one = reenact.humanoid(preset=preset, outfit=number)
    reenact.save(standing_still(one), f"{preset}.glb", reenact.WriteOptions(character=one))

dressed = dress_clip(walk)  # on the clip's own skeleton: nothing is retargeted
reenact.save(walk, "walking.glb", reenact.WriteOptions(character=dressed))
save_picture(walk, "walking.png", strip=StripParameters(count=6))
print("look at walking.png, and drop man.glb, woman.glb, child.glb or walking.glb into any viewer of glTF")
