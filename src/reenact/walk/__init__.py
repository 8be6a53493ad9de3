"""Locomotion reshaped: footprints planned anew (stride, slopes, stairs, terrain, goals, paths), and the motion carried onto them."""

from reenact.callable_package import make_callable

make_callable(__name__)
