"""A plain mesh becomes a character: a skeleton found in its shape, weights, another size, a motion, and its skin in every frame."""

import numpy as np

import reenact
from reenact.body.skinning import skin
from reenact.loading import save_all
from reenact.render.mesh_picture import paint_weights
from reenact.samples import make_sample

# a mesh without a skeleton, as a sculptor or a scanner gives it; here that of a generated person
person = reenact.humanoid(preset="woman")
count = len(person.vertices)
single = reenact.Skeleton(("root",), np.array([-1]), np.zeros((1, 3)))
statue = reenact.Character(
    single, person.vertices, person.faces, np.zeros((count, 1)), np.ones((count, 1)), np.eye(4)[None]
)
save_all([], "statue.obj", reenact.WriteOptions(character=statue))

mesh = reenact.load_all("statue.obj").characters[0]
made = reenact.rig(mesh)
print(f"{mesh} -> {made.character}")
print(made.report)
paint_weights(made.character).save("weights.png")

# somebody taller with longer legs, who walks
tall = reenact.scale_character(made.character, height=1.9, thigh=1.1, shank=1.1)
walk = reenact.retarget(make_sample("walk_normal").clip, tall)
reenact.save(walk, "walk.glb", reenact.WriteOptions(character=tall))

posed = skin(tall, walk.clip, slice(0, 60), "dual", normals=True)
print(f"skin in 60 frames: {posed.vertices.shape}, lowest {1000 * posed.vertices[..., 1].min():.0f} mm over the floor")

# what cannot be rigged says why
try:
    reenact.rig(reenact.scale_character(person, factor=0.5))
except reenact.ParameterError as error:
    print(error)
