"""Blending: registration curves, blends of any number of motions, foot-skate clean-up, motion spaces."""

from reenact.callable_package import make_callable

make_callable(__name__)
