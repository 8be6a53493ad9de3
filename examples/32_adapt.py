"""Motions fitted to bodies of any shape: limbs out of each other, planted feet still, balance; a body that grows while it walks."""

import numpy as np

import reenact
from reenact.adapt.adaptation import adapt_clip
from reenact.adapt.corrections import Corrections
from reenact.adapt.parameters import AdaptParameters
from reenact.adapt.shape_space import fit_shapes, grow_shape, growing_clip
from reenact.samples import make_sample

walk = reenact.cut(make_sample("walk_normal").clip, start=0, end=120).clip
person = reenact.humanoid()

# one call: the body grown, the motion brought onto it, limbs kept apart, feet held, the weight kept over the soles
made = reenact.adapt(walk, person, girth=1.5, stages="arms,forearms,legs,collisions,feet,balance", report="stout.html")
reenact.save(made.clip, "stout.glb", reenact.WriteOptions(character=made.character))
print(made.report["overlap_mm"], made.report["turned_degrees"], made.report["balance"])

# the same in parts: every stage is a layer over the untouched motion, and can be switched off
fitted = adapt_clip(walk, person, AdaptParameters(girth=1.5))
print([layer.name for layer in fitted.corrections.layers])
without_feet = fitted.corrections.without("feet").apply(fitted.source)
print(without_feet)

# feet that do not skate, without touching a limb
print(reenact.ground(walk, person).report["slid_mm_after"])

# volumes and masses
told = reenact.volumes(person)
print(told["kilogrammes"], told["shares"])

# shapes fitted before, and a body that grows while it walks
slim = reenact.grow(walk, person).clip
space = fit_shapes(slim, person, ("trunk", "arms"), (1.0, 1.5), AdaptParameters(rounds=1))
girths = np.linspace(1.0, 1.5, len(slim))[:, None] * [1.0, 1.0]
growing = growing_clip(Corrections(len(slim), (space.growing(girths),)).apply(slim), person, space.axes, girths)
print(growing, grow_shape(person, {"trunk": 1.25, "arms": 1.25}))
