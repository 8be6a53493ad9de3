"""Blending: registration curves, blends of any number of motions, foot-skate clean-up, motion spaces."""
