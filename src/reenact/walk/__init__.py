"""Locomotion reshaped: footprints planned anew (stride, slopes, stairs, terrain, goals, paths), and the motion carried onto them."""
